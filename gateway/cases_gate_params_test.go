package gateway_test

import (
	"slices"
	"strings"
	"testing"

	"relay/gateway/wire/chat"
	"relay/gateway/wire/gemini"
	"relay/gateway/wire/generate"
	"relay/gateway/wire/hub"
	"relay/gateway/wire/messages"
	"relay/gateway/wire/ollama"
	"relay/gateway/wire/responses"
	"relay/store"
)

// spelledParam is one parameter in every spelling.
type spelledParam struct {
	param hub.Param // hub.NumParams: the hub has it as something else
	names []string  // by which policies may block it
	calls []gated
}

func inChat(members string) gated     { return chatCall("", members+",", chatText) }
func inResponse(members string) gated { return responsesCall("", members+",", inputText) }
func inMessage(members string) gated  { return messagesCall("", members+",", chatText) }
func inGemini(members string) gated   { return geminiCall("", members+",", googleText) }
func inConfig(members string) gated {
	return inGemini(`"generationConfig":{` + members + `}`)
}
func inSnakeConfig(members string) gated { return inGemini(`"generation_config":{` + members + `}`) }
func inOllama(members string) gated      { return ollamaCall("", whole+members+",", "") }
func inOptions(members string) gated     { return inOllama(`"options":{` + members + `}`) }
func inGenerate(members string) gated    { return generateCall("", members+",", chatText) }
func inSampling(members string) gated    { return inGenerate(`"sampling":{` + members + `}`) }
func inHeader(members string) gated {
	return chatCall("", "", chatText).with("X-Relay-Ollama-Options: {" + members + "}")
}
func inExtension(shape, members string) gated {
	return inGenerate(`"extensions":{"` + shape + `":{` + members + `}}`)
}

// spelledAlike are the calls with a sampling parameter that all shapes but Gemini's call the
// same.
func spelledAlike(name, camel, value string) []gated {
	m := `"` + name + `":` + value
	return []gated{
		inChat(m), inConfig(`"` + camel + `":` + value), inSnakeConfig(m), inOptions(m), inHeader(m), inHeader(`"options":{` + m + `}`),
		inSampling(m), inExtension("openai", m), inExtension("gemini", `"generationConfig":{"`+camel+`":`+value+`}`), inExtension("ollama", `"options":{`+m+`}`),
	}
}

func spelledParams() []spelledParam {
	const none = hub.NumParams
	return append(spelledFormats(), []spelledParam{
		{hub.Temperature, []string{"temperature", "generationConfig.temperature", "options.temperature", "sampling.temperature"}, append(spelledAlike("temperature", "temperature", "0.5"), inResponse(`"temperature":0.5`), inMessage(`"temperature":0.5`))},
		{hub.TopP, []string{"top_p", "topP", "generationConfig.topP", "options.top_p"}, append(spelledAlike("top_p", "topP", "0.5"), inResponse(`"top_p":0.5`), inMessage(`"top_p":0.5`))},
		{hub.TopK, []string{"top_k", "topK", "generationConfig.topK", "sampling.top_k"}, append(spelledAlike("top_k", "topK", "5"), inMessage(`"top_k":5`))},
		{hub.MinP, []string{"min_p", "options.min_p"}, []gated{inChat(`"min_p":0.1`), inOptions(`"min_p":0.1`)}},
		{hub.MaxTokens, []string{"max_tokens", "max_completion_tokens", "max_output_tokens", "maxOutputTokens", "generationConfig.maxOutputTokens", "num_predict", "options.num_predict", "sampling.max_tokens"}, []gated{
			inChat(`"max_tokens":9`), inChat(`"max_completion_tokens":9`), inChat(`"max_tok\u0065ns":9`), inChat(`"Max_Tokens":9`), inChat(`"max_tokens":null,"max_tokens":9`), inResponse(`"max_output_tokens":9`), inMessage(`"max_tokens":9`),
			inConfig(`"maxOutputTokens":9`), inSnakeConfig(`"max_output_tokens":9`), inConfig(`"m\u0061xOutputTokens":9`), inOptions(`"num_predict":9`), inHeader(`"num_predict":9`), inSampling(`"max_tokens":9`),
			inExtension("anthropic", `"max_tokens":9`), inExtension("openai_responses", `"max_output_tokens":9`),
			{path: "/v1/completions", body: `"model":"chat","prompt":"hi","max_tokens":9`},
		}},
		{hub.Stop, []string{"stop", "stop_sequences", "generationConfig.stopSequences", "options.stop"}, []gated{inChat(`"stop":"a"`), inMessage(`"stop_sequences":["a"]`), inConfig(`"stopSequences":["a"]`), inSnakeConfig(`"stop_sequences":["a"]`), inOptions(`"stop":["a"]`), inSampling(`"stop":["a"]`)}},
		{hub.Seed, []string{"seed", "options.seed"}, spelledAlike("seed", "seed", "7")},
		{hub.FrequencyPenalty, []string{"frequency_penalty", "generationConfig.frequencyPenalty"}, spelledAlike("frequency_penalty", "frequencyPenalty", "1")},
		{hub.PresencePenalty, []string{"presence_penalty", "presencePenalty"}, spelledAlike("presence_penalty", "presencePenalty", "1")},
		{hub.RepeatPenalty, []string{"repeat_penalty", "repetition_penalty"}, []gated{inChat(`"repetition_penalty":1.1`), inChat(`"repeat_penalty":1.1`), inOptions(`"repeat_penalty":1.1`)}},
		{hub.Choices, []string{"n", "candidateCount", "generationConfig.candidateCount"}, []gated{inChat(`"n":2`), inConfig(`"candidateCount":2`), inSnakeConfig(`"candidate_count":2`)}},
		{hub.Logprobs, []string{"logprobs", "responseLogprobs"}, []gated{inChat(`"logprobs":true`), inConfig(`"responseLogprobs":true`)}},
		{hub.TopLogprobs, []string{"top_logprobs", "generationConfig.logprobs"}, []gated{inChat(`"top_logprobs":3`), inResponse(`"top_logprobs":3`), inConfig(`"logprobs":3`)}},
		{hub.LogitBias, []string{"logit_bias"}, []gated{inChat(`"logit_bias":{"1":1}`)}},
		{hub.AudioOutput, []string{"modalities", "audio", "responseModalities", "speechConfig"}, []gated{inChat(`"modalities":["text","audio"]`), inChat(`"audio":{"voice":"x"}`), inConfig(`"responseModalities":["AUDIO"]`), inConfig(`"speechConfig":{"a":1}`)}},
		{hub.Prediction, []string{"prediction"}, []gated{inChat(`"prediction":{"type":"content","content":"x"}`)}},
		{hub.User, []string{"user", "metadata.user_id"}, []gated{inChat(`"user":"u"`), inResponse(`"user":"u"`), inMessage(`"metadata":{"user_id":"u"}`), inGenerate(`"user":"u"`)}},
		{hub.SafetyIdentifier, []string{"safety_identifier"}, []gated{inChat(`"safety_identifier":"s"`), inResponse(`"safety_identifier":"s"`)}},
		{hub.Metadata, []string{"metadata"}, []gated{inChat(`"metadata":{"a":"b"}`), inResponse(`"metadata":{"a":"b"}`), inGenerate(`"metadata":{"a":"b"}`)}},
		{hub.Store, []string{"store"}, []gated{inChat(`"store":true`), inResponse(`"store":true`), inGemini(`"store":true`)}},
		{hub.ServiceTier, []string{"service_tier", "serviceTier"}, []gated{inChat(`"service_tier":"flex"`), inResponse(`"service_tier":"flex"`), inGemini(`"serviceTier":"flex"`)}},
		{hub.CacheKey, []string{"prompt_cache_key"}, []gated{inChat(`"prompt_cache_key":"k"`), inResponse(`"prompt_cache_key":"k"`)}},
		{hub.CacheRetention, []string{"prompt_cache_retention"}, []gated{inChat(`"prompt_cache_retention":"24h"`), inResponse(`"prompt_cache_retention":"24h"`)}},
		{hub.Verbosity, []string{"verbosity", "text.verbosity"}, []gated{inChat(`"verbosity":"low"`), inResponse(`"text":{"verbosity":"low"}`), inGenerate(`"output":{"verbosity":"low"}`)}},
		{hub.WebSearch, []string{"web_search_options"}, []gated{inChat(`"web_search_options":{}`)}},
		{hub.PreviousResponse, []string{"previous_response_id"}, []gated{inResponse(`"previous_response_id":"r"`)}},
		{hub.Conversation, []string{"conversation"}, []gated{inResponse(`"conversation":"c"`)}},
		{hub.Background, []string{"background"}, []gated{inResponse(`"background":true`)}},
		{hub.PromptTemplate, []string{"prompt"}, []gated{inResponse(`"prompt":{"id":"p"}`)}},
		{hub.Truncation, []string{"truncation", "truncate"}, []gated{inResponse(`"truncation":"auto"`), inOllama(`"truncate":true`)}},
		{hub.MaxToolCalls, []string{"max_tool_calls"}, []gated{inResponse(`"max_tool_calls":3`)}},
		{hub.Include, []string{"include"}, []gated{inResponse(`"include":["file_search_call.results"]`)}},
		{hub.ContextManagement, []string{"context_management"}, []gated{inResponse(`"context_management":[{"type":"compaction"}]`)}},
		{hub.Container, []string{"container"}, []gated{inMessage(`"container":"c"`)}},
		{hub.RemoteTools, []string{"mcp_servers"}, []gated{inMessage(`"mcp_servers":[{"url":"https://x"}]`)}},
		{hub.SafetySettings, []string{"safetySettings", "safety_settings"}, []gated{inGemini(`"safetySettings":[{"category":"x"}]`), inGemini(`"safety_settings":[{"category":"x"}]`)}},
		{hub.CachedContent, []string{"cachedContent"}, []gated{inGemini(`"cached_content":"c"`)}},
		{hub.MediaResolution, []string{"mediaResolution"}, []gated{inConfig(`"mediaResolution":"LOW"`)}},
		{hub.Labels, []string{"labels"}, []gated{inGemini(`"labels":{"a":"b"}`)}},
		{hub.NumCtx, []string{"num_ctx", "options.num_ctx"}, []gated{inChat(`"num_ctx":9`), inResponse(`"num_ctx":9`), inOptions(`"num_ctx":9`), inHeader(`"num_ctx":9`), inHeader(`"options":{"num_ctx":9}`)}},
		{hub.KeepAlive, []string{"keep_alive"}, []gated{inChat(`"keep_alive":"5m"`), inResponse(`"keep_alive":"5m"`), inOllama(`"keep_alive":"5m"`), inHeader(`"keep_alive":"5m"`)}},
		{hub.RunnerOptions, []string{"options"}, []gated{inChat(`"options":{"num_gpu":1}`), inResponse(`"options":{"num_gpu":1}`), inOptions(`"num_gpu":1`)}},
		{hub.Moderation, []string{"moderation"}, []gated{inChat(`"moderation":{"a":1}`), inResponse(`"moderation":{"a":1}`)}},
		{hub.StreamOptions, []string{"stream_options"}, []gated{inChat(`"stream_options":{"include_obfuscation":false}`), inResponse(`"stream_options":{"include_obfuscation":true}`)}},
		{none, []string{"dimensions", "outputDimensionality"}, []gated{
			{path: "/v1/embeddings", body: `"model":"chat","input":"hi","dimensions":9`}, {path: "/api/embed", body: `"model":"lama","input":"hi","dimensions":9`},
			{path: "/v1beta/models/gem:embedContent", body: `"content":{"parts":[{"text":"hi"}]},"outputDimensionality":9`},
			{path: "/v1beta/models/gem:batchEmbedContents", body: `"requests":[{"content":{"parts":[{"text":"hi"}]},"output_dimensionality":9}]`},
		}},
		{none, []string{"voice"}, []gated{{path: "/v1/audio/speech", body: `"model":"chat","input":"hi","voice":"alloy"`}}},
		{none, []string{"language"}, []gated{{path: "/v1/audio/transcriptions", body: form("model", "chat", "language", "de", "file file", "RIFF")}}},
		{none, []string{"timestamp_granularities"}, []gated{{path: "/v1/audio/transcriptions", body: form("model", "chat", "timestamp_granularities[]", "word", "file file", "RIFF")}}},
		{none, []string{"size"}, []gated{{path: "/v1/images/generations", body: `"model":"chat","prompt":"x","size":"1x1"`}, {path: "/v1/images/edits", body: form("model", "chat", "Size", "1x1", "file image", "PNG")}}},
		{none, []string{"vendor.deep.thing"}, []gated{inChat(`"vendor":{"deep":{"thing":1}}`), inGenerate(`"extensions":{"openai":{"vendor":{"deep":{"thing":1}}}}`)}},
		{none, []string{"extensions.gemini.imageConfig"}, []gated{inExtension("gemini", `"imageConfig":{"a":1}`)}},
	}...)
}

func spelledFormats() []spelledParam {
	const none = hub.NumParams
	return []spelledParam{
		{none, []string{"response_format", "format", "text.format", "output.format", "generationConfig.responseSchema", "responseMimeType"}, []gated{
			inChat(`"response_format":{"type":"json_object"}`), inResponse(`"text":{"format":{"type":"json_object"}}`), inOllama(`"format":"json"`), inHeader(`"format":"json"`),
			inMessage(`"output_config":{"format":{"type":"json_schema","schema":{}}}`), inMessage(`"output_format":{"type":"json_schema","schema":{}}`),
			inConfig(`"responseMimeType":"application/json"`), inSnakeConfig(`"response_schema":{"type":"OBJECT"}`), inConfig(`"_responseJsonSchema":{"type":"object"}`), inGenerate(`"output":{"format":{"type":"json_object"}}`),
		}},
		{none, []string{"reasoning", "reasoning_effort", "reasoning.effort", "thinking", "think", "thinkingBudget", "generationConfig.thinkingConfig"}, []gated{
			inChat(`"reasoning_effort":"low"`), inResponse(`"reasoning":{"effort":"low"}`), inMessage(`"thinking":{"type":"enabled","budget_tokens":2000}`), inMessage(`"output_config":{"effort":"low"}`),
			inConfig(`"thinkingConfig":{"thinkingBudget":5}`), inSnakeConfig(`"thinking_config":{"thinking_level":"low"}`), inOllama(`"think":true`), inHeader(`"think":true`), inGenerate(`"reasoning":{"budget_tokens":5}`),
		}},
		{none, []string{"tools", "functions"}, []gated{
			inChat(`"tools":[{"type":"function","function":{"name":"f"}}]`), inChat(`"functions":[{"name":"f"}]`), inResponse(`"tools":[{"type":"web_search"}]`), inMessage(`"tools":[{"name":"f"}]`),
			inGemini(`"tools":[{"functionDeclarations":[{"name":"f"}]}]`), inOllama(`"tools":[{"function":{"name":"f"}}]`), inGenerate(`"tools":{"definitions":[{"name":"f"}]}`),
		}},
		{none, []string{"tool_choice", "function_call", "toolConfig"}, []gated{
			inChat(`"tool_choice":"auto"`), inChat(`"function_call":"auto"`), inResponse(`"tool_choice":"auto"`), inMessage(`"tool_choice":{"type":"auto"}`),
			inGemini(`"toolConfig":{"functionCallingConfig":{"mode":"ANY"}}`), inGemini(`"tool_config":{"functionCallingConfig":{"mode":"ANY"}}`), inGenerate(`"tools":{"choice":"auto"}`),
		}},
		{none, []string{"parallel_tool_calls", "tools.parallel"}, []gated{
			inChat(`"parallel_tool_calls":true`), inResponse(`"parallel_tool_calls":false`), inMessage(`"tool_choice":{"type":"auto","disable_parallel_tool_use":true}`), inGenerate(`"tools":{"parallel":true}`),
		}},
	}
}

func TestBlockedParams_AreRefusedInEverySpelling(t *testing.T) {
	r, up := newGates(t)
	key := r.key("k", store.RelayKeySpec{})
	for _, p := range spelledParams() {
		for _, g := range p.calls {
			put(r, "open", store.PolicySpec{BlockedParams: []string{"nothing_of_that_name"}})
			r.mustPassGate(g, key)
		}
		came := len(up.Requests())
		for _, name := range p.names {
			put(r, "open", store.PolicySpec{BlockedParams: []string{"nothing_of_that_name", name}})
			for _, g := range p.calls {
				r.mustRefuseByPolicy(g, key, 400, "blocked_param", "Policy open blocks the parameter "+name, "Leave it out of the request, or ask your gateway administrator.")
			}
		}
		if n := len(up.Requests()); n != came {
			t.Errorf("%v: the upstream saw %d refused requests", p.names, n-came)
		}
	}
}

// What blocks one parameter blocks no other, save where one holds the other or says
// nothing without it.
func TestBlockedParams_BlockNothingElse(t *testing.T) {
	r, _ := newGates(t)
	key := r.key("k", store.RelayKeySpec{})
	all := spelledParams()
	for i, p := range all {
		var others []string
		for j, other := range all {
			if i != j && !other.holds(p) {
				others = append(others, other.names[0])
			}
		}
		put(r, "open", store.PolicySpec{BlockedParams: others})
		for _, g := range p.calls {
			r.mustPassGate(g, key)
		}
	}
}

// holds reports whether another parameter stands within this one, or is of no use
// without it.
func (p spelledParam) holds(other spelledParam) bool {
	switch p.names[0] {
	case "options", "tools", "logprobs", "prompt":
		return true
	case "metadata":
		return other.param == hub.User
	case "tool_choice":
		return other.names[0] == "parallel_tool_calls"
	}
	return false
}

// The hub takes each spelling for the parameter, and has no other parameter.
func TestBlockedParams_AreSpelledAsTheHubReadsThem(t *testing.T) {
	seen := map[hub.Param]bool{}
	for _, p := range spelledParams() {
		for _, g := range p.calls {
			decoder := decoderOf(g.path)
			elsewhere := len(g.lines) > 0 || strings.Contains(g.body, "extensions") || strings.Contains(g.body, `"Max`) || strings.Contains(g.body, `"max_tokens":null`)
			if p.param == hub.NumParams || decoder == nil || elsewhere {
				continue
			}
			var asked hub.Request
			if err := decoder.Decode([]byte("{"+g.body+"}"), &asked); err != nil {
				t.Errorf("%s %s: %v", g.path, g.body, err)
			}
			if asked.Params[p.param].Value == nil {
				t.Errorf("%s %s holds no %s", g.path, g.body, p.param)
			}
			seen[p.param] = true
		}
	}
	for p := range hub.NumMembers {
		if !seen[p] && !slices.Contains([]hub.Param{hub.RawPrompt}, p) { // which is four names, none of them in another shape
			t.Errorf("no call holds %s", p)
		}
	}
}

func decoderOf(path string) hub.Caller {
	switch path {
	case "/v1/chat/completions":
		return chat.Hub{}
	case "/v1/responses":
		return responses.Hub{}
	case "/v1/messages":
		return messages.Hub{}
	case "/v1beta/models/gem:generateContent":
		return gemini.Hub{}
	case "/api/chat":
		return ollama.Hub{}
	case "/v1/generate":
		return generate.Hub{}
	}
	return nil
}
