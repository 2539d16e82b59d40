package gemini_test

import (
	"fmt"
	"slices"
	"testing"

	"relay/gateway/wire/hub"

	"github.com/google/go-cmp/cmp"
)

const question = `{"contents":[{"parts":[{"text":"Hi"}]}],`

func TestDecode_ReadsParameters(t *testing.T) {
	r := decode(t, question+`"generationConfig":{"temperature":0.70,"topP":1,"top_k":40,"maxOutputTokens":9007199254740993,"stop_sequences":["a","b\n"],
		"seed":7,"presencePenalty":0.1,"frequency_penalty":-0.1,"candidateCount":2,"responseLogprobs":true,"logprobs":3,"responseModalities":["TEXT","IMAGE"],
		"mediaResolution":"MEDIA_RESOLUTION_LOW"},"safetySettings":[{"category":"x"}],"cachedContent":"cachedContents/a","labels":{"b":"c"},"serviceTier":"flex","store":true}`)
	want := map[hub.Param]string{
		hub.Temperature: `generationConfig.temperature=0.70`, hub.TopP: `generationConfig.topP=1`, hub.TopK: `generationConfig.topK=40`,
		hub.MaxTokens: `generationConfig.maxOutputTokens=9007199254740993`, hub.Stop: `generationConfig.stopSequences=["a","b\n"]`,
		hub.Seed: `generationConfig.seed=7`, hub.PresencePenalty: `generationConfig.presencePenalty=0.1`,
		hub.FrequencyPenalty: `generationConfig.frequencyPenalty=-0.1`, hub.Choices: `generationConfig.candidateCount=2`,
		hub.Logprobs: `generationConfig.responseLogprobs=true`, hub.TopLogprobs: `generationConfig.logprobs=3`,
		hub.AudioOutput: `generationConfig.responseModalities=["TEXT","IMAGE"]`, hub.MediaResolution: `generationConfig.mediaResolution="MEDIA_RESOLUTION_LOW"`,
		hub.SafetySettings: `safetySettings=[{"category":"x"}]`, hub.CachedContent: `cachedContent="cachedContents/a"`, hub.Labels: `labels={"b":"c"}`,
		hub.ServiceTier: `serviceTier="flex"`, hub.Store: `store=true`,
	}
	if diff := cmp.Diff(want, params(r)); diff != "" {
		t.Error(diff)
	}
	if !r.WantsUsage {
		t.Error("no usage wanted")
	}
}

func params(r *hub.Request) map[hub.Param]string {
	set := map[hub.Param]string{}
	for p := range hub.NumMembers {
		if m := r.Params[p]; m.Value != nil {
			set[p] = m.Name + "=" + string(m.Value)
		}
	}
	return set
}

func TestDecode_LeavesOutWhatSaysNothing(t *testing.T) {
	r := decode(t, question+`"model":"models/x","tools":[],"safetySettings":[ ],"labels":{},"cachedContent":"","generationConfig":{"candidateCount":1,"temperature":null,
		"responseLogprobs":false,"logprobs":0,"stopSequences":[],"responseModalities":["TEXT"],"speechConfig":{},"responseMimeType":"text/plain","thinkingConfig":{"includeThoughts":false}}}`)
	if set := params(r); len(set) > 0 || r.Format.Kind != hub.FormatText || r.Reasoning.Asked() || len(r.Unknown) > 0 || len(r.Tools) > 0 {
		t.Errorf("%v %+v %+v %v", set, r.Format, r.Reasoning, r.Unknown)
	}
}

func TestDecode_NamesWhatItDoesNotKnow(t *testing.T) {
	r := decode(t, `{"contents":[{"parts":[{"text":"Hi","videoMetadata":{"fps":1}},{"text":"Hi","videoMetadata":{"fps":1},"partMetadata":{"a":1}}],"x":1}],"whim":1,"none":null,
		"generationConfig":{"audio_timestamp":true},"toolConfig":{"retrievalConfig":{"languageCode":"en"}},"tools":[{"functionDeclarations":[{"name":"f","behavior":"BLOCKING","response":null}]}]}`)
	var names []string
	for _, m := range r.Unknown {
		names = append(names, m.Name)
	}
	want := []string{"contents[].parts[].videoMetadata", "contents[].x", "functionDeclarations[].behavior", "generationConfig.audioTimestamp", "toolConfig.retrievalConfig", "whim"}
	if slices.Sort(names); !slices.Equal(names, want) {
		t.Errorf("got %v", names)
	}
}

func TestDecode_ReadsReasoning(t *testing.T) {
	for config, want := range map[string]hub.Reasoning{
		`{"thinkingBudget":0}`:                             {Effort: "none"},
		`{"thinkingBudget":-1,"includeThoughts":true}`:     {Budget: -1, Summary: "auto"},
		`{"thinking_budget":2048,"include_thoughts":true}`: {Budget: 2048, Summary: "auto"},
		`{"thinkingLevel":"HIGH"}`:                         {Effort: "high"},
		`{"thinkingLevel":"THINKING_LEVEL_UNSPECIFIED"}`:   {},
		`{"includeThoughts":true}`:                         {Summary: "auto"},
	} {
		if r := decode(t, question+`"generationConfig":{"thinkingConfig":`+config+`}}`); r.Reasoning != want {
			t.Errorf("%s: %+v", config, r.Reasoning)
		}
	}
}

func TestDecode_ReadsTheFormat(t *testing.T) {
	google := `{"type":"OBJECT","properties":{"b":{"type":"STRING"},"a":{"type":"INTEGER"}},"propertyOrdering":["b","a"]}`
	lower := `{"type":"object","properties":{"b":{"type":"string"},"a":{"type":"integer"}}}`
	for config, want := range map[string]hub.Format{
		`{"responseMimeType":"application/json"}`:                                                 {Kind: hub.FormatJSON},
		`{"responseMimeType":"application/json","responseSchema":` + google + `}`:                 {Kind: hub.FormatSchema, Schema: []byte(lower)},
		`{"response_mime_type":"application/json","response_json_schema":` + google + `}`:         {Kind: hub.FormatSchema, Schema: []byte(google)},
		`{"responseMimeType":"application/json","_responseJsonSchema":` + lower + `}`:             {Kind: hub.FormatSchema, Schema: []byte(lower)},
		`{"responseFormat":[{"text":{"mimeType":"application/json","schema":` + lower + `}}]}`:    {Kind: hub.FormatSchema, Schema: []byte(lower)},
		`{"responseFormat":{"text":{"mimeType":"APPLICATION_JSON"}}}`:                             {Kind: hub.FormatJSON},
		`{"responseMimeType":"application/json","responseSchema":null,"responseJsonSchema":null}`: {Kind: hub.FormatJSON},
	} {
		if r := decode(t, question+`"generationConfig":`+config+`}`); cmp.Diff(want, r.Format) != "" {
			t.Errorf("%s: %s", config, cmp.Diff(want, r.Format))
		}
	}
}

func TestDecode_ReadsTools(t *testing.T) {
	r := decode(t, question+`"tools":[{"functionDeclarations":[{"name":"f","description":"d\n","parameters":{"type":"OBJECT","properties":{"z":{"type":"STRING"}}}},
		{"name":"g","parametersJsonSchema":{"type":"object", "z":1},"parameters":{"type":"STRING"}},{"name":"h","parameters":null}]},{"googleSearch":{},"codeExecution":null},{"url_context":{}}]}`)
	var got []string
	for _, tool := range r.Tools {
		got = append(got, fmt.Sprintf("%d %s %s %s %s", tool.Kind, tool.Name, tool.Description, tool.Parameters, tool.Raw))
	}
	want := []string{
		"0 f d\n {\"type\":\"object\",\"properties\":{\"z\":{\"type\":\"string\"}}} ", `0 g  {"type":"object", "z":1} `, `0 h   `,
		`2 googleSearch   {"googleSearch":{},"codeExecution":null}`, `2 url_context   {"url_context":{}}`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestDecode_ReadsTheChoice(t *testing.T) {
	for config, want := range map[string]string{
		`{"mode":"AUTO"}`: "1  [f g h]",
		`{"mode":"NONE"}`: "2  [f g h]",
		`{"mode":"ANY"}`:  "3  [f g h]",
		`{"mode":"ANY","allowedFunctionNames":[]}`:          "3  [f g h]",
		`{"mode":"ANY","allowed_function_names":["g"]}`:     "4 g [f g h]",
		`{"mode":"ANY","allowedFunctionNames":["h","f"]}`:   "3  [h f]",
		`{"mode":"VALIDATED"}`:                              "1  [f g h]",
		`{"mode":"VALIDATED","allowedFunctionNames":["g"]}`: "1  [g]",
		`{"mode":"MODE_UNSPECIFIED"}`:                       "0  [f g h]",
		`{"streamFunctionCallArguments":true,"mode":null}`:  "0  [f g h]",
	} {
		r := decode(t, question+`"toolConfig":{"functionCallingConfig":`+config+`},"tools":[{"functionDeclarations":[{"name":"f"},{"name":"g"},{"name":"h"}]}]}`)
		names := []string{}
		for _, tool := range r.Tools {
			names = append(names, string(tool.Name))
		}
		if got := fmt.Sprintf("%d %s %v", r.Choice.Mode, r.Choice.Name, names); got != want {
			t.Errorf("%s: %s, want %s", config, got, want)
		}
	}
}

func TestDecode_MakesJSONSchemaOfGooglesSchemas(t *testing.T) {
	for schema, want := range map[string]string{
		`{"type":"STRING","nullable":true,"format":"enum","enum":["A","B"]}`:                                                                        `{"type":["string","null"],"enum":["A","B"]}`,
		`{"type":"ARRAY","min_items":"2","maxItems":3,"items":{"type":"NUMBER","format":"double"}}`:                                                 `{"type":"array","minItems":2,"maxItems":3,"items":{"type":"number","format":"double"}}`,
		`{"any_of":[{"type":"STRING"},{"type":"BOOLEAN"}],"nullable":true}`:                                                                         `{"anyOf":[{"type":"string"},{"type":"boolean"},{"type":"null"}]}`,
		`{"type":"OBJECT","properties":{"type":{"type":"STRING"},"<nullable>":{"type":"INTEGER"}},"required":["type"],"title":null,"default":null}`: `{"type":"object","properties":{"type":{"type":"string"},"<nullable>":{"type":"integer"}},"required":["type"],"default":null}`,
		`{"type":["STRING","null"],"nullable":false,"minLength":"x","additionalProperties":false}`:                                                  `{"type":["string","null"],"minLength":"x","additionalProperties":false}`,
		`{"type":"TYPE_UNSPECIFIED","anyOf":3,"properties":[],"items":true}`:                                                                        `{"anyOf":3,"properties":[],"items":true}`,
		`{"anyOf":[],"nullable":true}`:                                                                                                         `{"anyOf":[{"type":"null"}]}`,
		`{"anyOf":[{"type":"STRING"}],"nullable":true,"type":"OBJECT"}`:                                                                        `{"anyOf":[{"type":"string"},{"type":"null"}],"type":["object","null"]}`,
		`{"type":"OBJECT","anyOf":[{"nullable":true,"type":"STRING"}],"nullable":true,"title":"t"}`:                                            `{"type":["object","null"],"anyOf":[{"type":["string","null"]},{"type":"null"}],"title":"t"}`,
		`{"nullable":true,"items":{"type":"ARRAY","items":{"type":"STRING","nullable":true},"nullable":false},"type":"ARRAY","min_items":"2"}`: `{"items":{"type":"array","items":{"type":["string","null"]}},"type":["array","null"],"minItems":2}`,
		`true`: `true`,
		`{}`:   `{}`,
	} {
		r := decode(t, question+`"tools":[{"functionDeclarations":[{"name":"f","parameters":`+schema+`}]}]}`)
		sameJSON(t, string(r.Tools[0].Parameters), want)
	}
}

func TestDecode_KeepsTheOrderOfASchema(t *testing.T) {
	r := decode(t, question+`"tools":[{"functionDeclarations":[{"name":"f","parameters":{"properties":{"zeta":{"type":"STRING"},"alpha":{"maximum":12345678901234567890,"type":"INTEGER"}},"type":"OBJECT"}}]}]}`)
	if got, want := string(r.Tools[0].Parameters), `{"properties":{"zeta":{"type":"string"},"alpha":{"maximum":12345678901234567890,"type":"integer"}},"type":"object"}`; got != want {
		t.Errorf("got %s", got)
	}
}
