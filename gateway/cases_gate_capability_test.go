package gateway_test

import (
	"slices"
	"strings"
	"testing"

	"relay/store"
)

const (
	chatText   = `{"type":"text","text":"hi"}`
	inputText  = `{"type":"input_text","text":"hi"}`
	googleText = `{"text":"hi"}`
	whole      = `"stream":false,`
)

// capableCalls are calls that use every capability, in every shape that can.
func capableCalls() []gated {
	var all []gated
	for _, calls := range [][]gated{plainCalls(), toolCalls(), mediaCalls(), thoughtCalls(), formatCalls(), cacheCalls()} {
		all = append(all, calls...)
	}
	return all
}

func plainCalls() []gated {
	const stream = `"stream":true,`
	speech := gated{path: "/v1/audio/speech", body: `"model":"chat","input":"hi","voice":"alloy"`, uses: "speech audio"}
	return []gated{
		chatCall("", "", chatText), chatCall("", `"stream":null,`, chatText), chatCall("streaming", stream, chatText),
		responsesCall("", "", inputText), responsesCall("streaming", stream, inputText),
		messagesCall("", "", chatText), messagesCall("streaming", stream, chatText),
		geminiCall("", "", googleText), ollamaCall("", whole, ""), ollamaCall("streaming", "", ""), ollamaCall("streaming", stream, ""),
		generateCall("", "", chatText), generateCall("streaming", stream, chatText),
		{path: "/v1beta/models/gem:streamGenerateContent", body: `"contents":[{"parts":[` + googleText + `]}]`, uses: "chat streaming"},
		{path: "/v1beta/models/gem:streamGenerateContent?alt=sse", body: `"contents":[{"parts":[` + googleText + `]}]`, uses: "chat streaming"},
		{path: "/api/generate", body: `"model":"lama","prompt":"hi"`, uses: "chat streaming"},
		{path: "/v1/completions", body: `"model":"chat","prompt":"hi"`, uses: "chat"},
		{path: "/v1/completions", body: `"model":"chat","prompt":"hi","stream":true`, uses: "chat streaming"},
		{path: "/v1/embeddings", body: `"model":"chat","input":"hi"`, uses: "embeddings"},
		{path: "/v1beta/models/gem:embedContent", body: `"content":{"parts":[` + googleText + `]}`, uses: "embeddings"},
		{path: "/v1beta/models/gem:batchEmbedContents", body: `"requests":[{"content":{"parts":[` + googleText + `]}}]`, uses: "embeddings"},
		{path: "/api/embed", body: `"model":"lama","input":"hi"`, uses: "embeddings"},
		{path: "/api/embeddings", body: `"model":"lama","prompt":"hi"`, uses: "embeddings"},
		{path: "/v1/rerank", body: `"model":"chat","query":"hi","documents":["a","b"]`, uses: "rerank"},
		{path: "/v1/moderations", body: `"model":"chat","input":"hi"`, uses: "moderation"},
		{path: "/v1/images/generations", body: `"model":"chat","prompt":"a cat","response_format":"b64_json"`, uses: "images"},
		{path: "/v1/images/generations", body: `"model":"chat","prompt":"a cat","stream":true`, uses: "images streaming"},
		{path: "/v1/images/edits", body: form("model", "chat", "prompt", "a hat", "file image", "PNG"), uses: "images vision"},
		{path: "/v1/audio/transcriptions", body: form("model", "chat", "file file", "RIFF"), uses: "transcription audio"},
		{path: "/v1/audio/transcriptions", body: form("model", "chat", "stream", "true", "file file", "RIFF"), uses: "transcription audio streaming"},
		{path: "/v1/audio/translations", body: form("model", "chat", "file file", "RIFF"), uses: "transcription audio"},
		speech, {path: speech.path, body: speech.body + `,"stream_format":"sse"`, uses: "speech audio streaming"},
	}
}

func toolCalls() []gated {
	const both = "tools parallelTools"
	return []gated{
		chatCall(both, `"tools":[{"type":"function","function":{"name":"f"}}],`, chatText),
		chatCall("tools", `"tools":[{"type":"function","function":{"name":"f"}}],"parallel_tool_calls":false,`, chatText),
		chatCall(both, `"functions":[{"name":"f"}],`, chatText), chatCall("", `"tools":[],"functions":null,`, chatText),
		chatCall(both, `"web_search_options":{},`, chatText), chatCall(both, `"tool\u0073":[{}],`, chatText), chatCall(both, `"Tools":[{}],`, chatText),
		responsesCall(both, `"tools":[{"type":"web_search"}],`, inputText), responsesCall(both+" images", `"tools":[{"type":"image_generation"}],`, inputText),
		messagesCall(both, `"tools":[{"name":"f","input_schema":{}}],`, chatText), messagesCall(both, `"mcp_servers":[{"url":"https://x"}],`, chatText),
		messagesCall("tools", `"tools":[{"name":"f"}],"tool_choice":{"type":"auto","disable_parallel_tool_use":true},`, chatText),
		geminiCall(both, `"tools":[{"functionDeclarations":[{"name":"f"}]}],`, googleText), geminiCall(both, `"tools":[{"google_search":{}}],`, googleText),
		ollamaCall(both, whole+`"tools":[{"type":"function","function":{"name":"f"}}],`, ""),
		generateCall(both, `"tools":{"definitions":[{"name":"f"}]},`, chatText), generateCall("tools", `"tools":{"definitions":[{"name":"f"}],"parallel":false},`, chatText),
		generateCall(both, `"extensions":{"openai":{"tools":[{"type":"function","function":{"name":"f"}}]}},`, chatText),
	}
}

func mediaCalls() []gated {
	const hears = "transcription audio"
	const prompt = `"model":"lama","stream":false,"prompt":"hi",`
	return []gated{
		chatCall("vision", "", `{"type":"image_url","image_url":{"url":"https://x/y.png"}}`), chatCall("vision", "", `{"type":"text","type":"image_url","image_url":"https://x"}`),
		chatCall("vision", "", `{"type":"file","file":{"file_id":"f"}}`), chatCall(hears, "", `{"type":"input_audio","input_audio":{"data":"UklG","format":"wav"}}`),
		chatCall("speech audio", `"modalities":["text","audio"],"audio":{"voice":"alloy","format":"wav"},`, chatText), chatCall("images", `"modalities":["image"],`, chatText),
		responsesCall("vision", "", `{"type":"input_image","image_url":"https://x/y.png"}`), responsesCall("vision", "", `{"type":"input_file","file_url":"https://x"}`),
		responsesCall(hears, "", `{"type":"input_audio","input_audio":{"data":"UklG","format":"wav"}}`),
		messagesCall("vision", "", `{"type":"image","source":{"type":"base64","media_type":"image/png","data":"AA=="}}`),
		messagesCall("vision", "", `{"type":"document","source":{"type":"url","url":"https://x"}}`),
		messagesCall("", "", `{"type":"document","source":{"type":"text","media_type":"text/plain","data":"hi"}}`),
		messagesCall("vision", "", `{"type":"tool_result","tool_use_id":"t","content":[{"type":"image","source":{"type":"url","url":"https://x"}}]}`),
		geminiCall("vision", "", `{"inlineData":{"mimeType":"image/png","data":"AA=="}}`), geminiCall("vision", "", `{"file_data":{"mime_type":"video/mp4","file_uri":"https://x"}}`),
		geminiCall(hears, "", `{"inline_data":{"mime_type":"audio/wav","data":"AA=="}}`), geminiCall("", "", `{"inlineData":{"mimeType":"text/plain","data":"aGk="}}`),
		geminiCall("speech audio", `"generationConfig":{"responseModalities":["AUDIO"]},`, googleText), geminiCall("images", `"generation_config":{"response_modalities":["IMAGE"]},`, googleText),
		ollamaCall("vision", whole, `,"images":["iVBORw0KGgo="]`), {path: "/api/generate", body: prompt + `"images":["iVBORw0KGgo="]`, uses: "chat vision"},
		generateCall("vision", "", `{"type":"image","data":"AA==","media_type":"image/png"}`), generateCall(hears, "", `{"type":"audio","data":"AA==","media_type":"audio/wav"}`),
	}
}

func thoughtCalls() []gated {
	return []gated{
		chatCall("reasoning", `"reasoning_effort":"low",`, chatText), chatCall("", `"reasoning_effort":"none",`, chatText), chatCall("reasoning", `"thinking":{"type":"enabled"},`, chatText),
		chatCall("reasoning", "", chatText).with(`X-Relay-Ollama-Options: {"think":true}`), chatCall("", "", chatText).with(`X-Relay-Ollama-Options: {"num_ctx":2048}`),
		responsesCall("reasoning", `"reasoning":{"effort":"high"},`, inputText), responsesCall("reasoning", `"reasoning":{"summary":"auto"},`, inputText),
		messagesCall("reasoning", `"thinking":{"type":"enabled","budget_tokens":2000},`, chatText), messagesCall("", `"thinking":{"type":"disabled"},`, chatText),
		messagesCall("reasoning", `"output_config":{"effort":"low"},`, chatText),
		geminiCall("reasoning", `"generationConfig":{"thinkingConfig":{"thinkingBudget":-1}},`, googleText), geminiCall("", `"generationConfig":{"thinkingConfig":{"thinkingBudget":0}},`, googleText),
		geminiCall("reasoning", `"generation_config":{"thinking_config":{"thinking_level":"low"}},`, googleText),
		ollamaCall("reasoning", whole+`"think":true,`, ""), ollamaCall("", whole+`"think":false,`, ""),
		generateCall("reasoning", `"reasoning":{"budget_tokens":2000},`, chatText), generateCall("", `"reasoning":{"effort":"none"},`, chatText),
	}
}

func formatCalls() []gated {
	const schema = `{"type":"object"}`
	return []gated{
		chatCall("jsonMode", `"response_format":{"type":"json_object"},`, chatText), chatCall("", `"response_format":{"type":"text"},`, chatText),
		chatCall("structuredOutputs", `"response_format":{"type":"json_schema","json_schema":{"name":"n","schema":`+schema+`}},`, chatText),
		chatCall("jsonMode", "", chatText).with(`X-Relay-Ollama-Options: {"options":{"format":"json"}}`),
		responsesCall("jsonMode", `"text":{"format":{"type":"json_object"}},`, inputText),
		responsesCall("structuredOutputs", `"text":{"format":{"type":"json_schema","name":"n","schema":`+schema+`}},`, inputText),
		messagesCall("structuredOutputs", `"output_config":{"format":{"type":"json_schema","schema":`+schema+`}},`, chatText),
		messagesCall("structuredOutputs", `"output_format":{"type":"json_schema","schema":`+schema+`},`, chatText),
		geminiCall("jsonMode", `"generationConfig":{"responseMimeType":"application/json"},`, googleText),
		geminiCall("structuredOutputs", `"generationConfig":{"responseMimeType":"application/json","responseSchema":`+schema+`},`, googleText),
		geminiCall("structuredOutputs", `"generation_config":{"response_json_schema":`+schema+`},`, googleText),
		ollamaCall("jsonMode", whole+`"format":"json",`, ""), ollamaCall("structuredOutputs", whole+`"format":`+schema+`,`, ""),
		generateCall("jsonMode", `"output":{"format":{"type":"json_object"}},`, chatText), generateCall("structuredOutputs", `"output":{"format":{"type":"json_schema","schema":`+schema+`}},`, chatText),
	}
}

func cacheCalls() []gated {
	const marked = `{"type":"text","text":"hi","cache_control":{"type":"ephemeral"}}`
	return []gated{
		chatCall("promptCache", "", marked), chatCall("promptCache", `"prompt_cache_key":"k",`, chatText), responsesCall("promptCache", `"prompt_cache_retention":"24h",`, inputText),
		messagesCall("promptCache", "", marked), messagesCall("promptCache", `"system":[`+marked+`],`, chatText), geminiCall("promptCache", `"cachedContent":"cachedContents/c",`, googleText),
		generateCall("promptCache", `"instructions":"x","cache":{"instructions":true},`, chatText),
	}
}

// A request is refused for each capability that it uses where the policy denies that
// one, and passes where the policy denies all others.
func TestCapabilities_AreAllowedUnlessAPolicyDeniesThem(t *testing.T) {
	r, up := newGates(t)
	key := r.key("k", store.RelayKeySpec{})
	covered := map[string]bool{}
	for _, g := range capableCalls() {
		used := strings.Fields(g.uses)
		others := store.Capabilities{}
		for _, name := range store.CapabilityNames() {
			others[name] = slices.Contains(used, name)
		}
		put(r, "open", store.PolicySpec{Capabilities: others})
		r.mustPassGate(g, key)
		came := len(up.Requests())
		for _, name := range used {
			covered[name] = true
			put(r, "open", store.PolicySpec{Capabilities: store.Capabilities{name: false}})
			r.mustRefuseByPolicy(g, key, 403, "capability_not_allowed", "Policy open does not allow ", "(capability "+name+")", "or ask your gateway administrator")
		}
		if n := len(up.Requests()); n != came {
			t.Errorf("%s %s: the upstream saw %d refused requests", g.path, g.body, n-came)
		}
	}
	for _, name := range store.CapabilityNames() {
		if !covered[name] {
			t.Errorf("no call uses %s", name)
		}
	}
}
