package gemini_test

import (
	"testing"

	"relay/gateway/wire/hub"
)

const contents = `"contents":[{"role":"user","parts":[{"text":"Hi"}]}]`

// config encodes a question with what set adds.
func config(t *testing.T, set func(r *hub.Request)) string {
	t.Helper()
	r := &hub.Request{Items: []hub.Item{user("Hi")}}
	set(r)
	return encode(t, r, target)
}

func TestEncode_WritesParameters(t *testing.T) {
	got := config(t, func(r *hub.Request) {
		for p, value := range map[hub.Param]string{
			hub.Temperature: "0.70", hub.TopP: "1", hub.TopK: "40", hub.MaxTokens: "9007199254740993", hub.Stop: `["a","b"]`, hub.Seed: "7",
			hub.PresencePenalty: "0.1", hub.FrequencyPenalty: "-0.1", hub.MediaResolution: `"LOW"`, hub.SafetySettings: `[{"a":1}]`,
			hub.CachedContent: `"c"`, hub.Labels: `{"b":"c"}`, hub.User: `"somebody"`,
		} {
			r.Set(p, "x", []byte(value))
		}
	})
	sameJSON(t, got, `{`+contents+`,"safetySettings":[{"a":1}],"generationConfig":{"temperature":0.70,"topP":1,"topK":40,"maxOutputTokens":9007199254740993,
		"stopSequences":["a","b"],"seed":7,"presencePenalty":0.1,"frequencyPenalty":-0.1,"mediaResolution":"LOW"},"cachedContent":"c","labels":{"b":"c"}}`)
}

func TestEncode_WritesOneStopAsAnArray(t *testing.T) {
	for value, want := range map[string]string{`"a"`: `,"generationConfig":{"stopSequences":["a"]}`, `[]`: ``, `""`: ``} {
		sameJSON(t, config(t, func(r *hub.Request) { r.Set(hub.Stop, "stop", []byte(value)) }), `{`+contents+want+`}`)
	}
}

func TestEncode_WritesReasoningAsABudget(t *testing.T) {
	for want, reasoning := range map[string]hub.Reasoning{
		`{"thinkingBudget":0}`:                            {Effort: "none", Summary: "auto"},
		`{"thinkingBudget":1024,"includeThoughts":true}`:  {Effort: "low"},
		`{"thinkingBudget":4096,"includeThoughts":true}`:  {Effort: "medium", Budget: -1},
		`{"thinkingBudget":16384,"includeThoughts":true}`: {Effort: "high", Summary: "auto"},
		`{"thinkingBudget":24576,"includeThoughts":true}`: {Effort: "max"},
		`{"thinkingBudget":-1,"includeThoughts":true}`:    {Budget: -1},
		`{"thinkingBudget":2000}`:                         {Budget: 2000, Effort: "high", Summary: "none"},
		`{"includeThoughts":true}`:                        {Summary: "detailed"},
	} {
		got := config(t, func(r *hub.Request) { r.Reasoning = reasoning })
		sameJSON(t, got, `{`+contents+`,"generationConfig":{"thinkingConfig":`+want+`}}`)
	}
	for _, reasoning := range []hub.Reasoning{{}, {Summary: "none"}} {
		sameJSON(t, config(t, func(r *hub.Request) { r.Reasoning = reasoning }), `{`+contents+`}`)
	}
}

func TestEncode_KeepsBudgetsWithinBounds(t *testing.T) {
	for most, want := range map[string]string{
		"2000":  `"thinkingBudget":1999,`,
		"16385": `"thinkingBudget":16384,`,
		"512":   ``,
		"1":     ``,
	} {
		got := config(t, func(r *hub.Request) {
			r.Reasoning.Effort = "high"
			r.Set(hub.MaxTokens, "max_tokens", []byte(most))
		})
		sameJSON(t, got, `{`+contents+`,"generationConfig":{"maxOutputTokens":`+most+`,"thinkingConfig":{`+want+`"includeThoughts":true}}}`)
	}
	got := config(t, func(r *hub.Request) { r.Reasoning.Budget = 31999 })
	sameJSON(t, got, `{`+contents+`,"generationConfig":{"thinkingConfig":{"thinkingBudget":24576,"includeThoughts":true}}}`)
}

func TestEncode_WritesTheFormat(t *testing.T) {
	got := config(t, func(r *hub.Request) { r.Format.Kind = hub.FormatJSON })
	sameJSON(t, got, `{`+contents+`,"generationConfig":{"responseMimeType":"application/json"}}`)
	got = config(t, func(r *hub.Request) { r.Format = hub.Format{Kind: hub.FormatSchema, Schema: []byte(`{"b":1,"a":{}}`)} })
	if want := `{` + contents + `,"generationConfig":{"responseMimeType":"application/json","responseJsonSchema":{"b":1,"a":{}}}}`; got != want {
		t.Errorf("got %s", got)
	}
}

func TestEncode_WritesToolsAndTheirChoice(t *testing.T) {
	functions := `"tools":[{"functionDeclarations":[{"name":"f","description":"d","parametersJsonSchema":{"b":1,"a":2}},{"name":"ns__g"}]}]`
	for mode, choice := range map[string]hub.Choice{
		``: {},
		`,"toolConfig":{"functionCallingConfig":{"mode":"AUTO"}}`:                             {Mode: hub.ChoiceAuto},
		`,"toolConfig":{"functionCallingConfig":{"mode":"NONE"}}`:                             {Mode: hub.ChoiceNone},
		`,"toolConfig":{"functionCallingConfig":{"mode":"ANY"}}`:                              {Mode: hub.ChoiceRequired},
		`,"toolConfig":{"functionCallingConfig":{"mode":"ANY","allowedFunctionNames":["f"]}}`: {Mode: hub.ChoiceNamed, Name: hub.Text("f")},
	} {
		got := config(t, func(r *hub.Request) {
			r.Choice = choice
			r.Tools = []hub.Tool{{Name: hub.Text("f"), Description: hub.Text("d"), Parameters: []byte(`{"b":1,"a":2}`), Strict: []byte("true")}, {Name: hub.Text("g"), Namespace: hub.Text("ns"), Description: hub.Text(" ")}}
		})
		sameJSON(t, got, `{`+contents+`,`+functions+mode+`}`)
	}
	got := config(t, func(r *hub.Request) { r.Choice.Mode = hub.ChoiceRequired })
	sameJSON(t, got, `{`+contents+`}`)
}

func TestEncode_WritesCustomToolsAsFunctions(t *testing.T) {
	got := config(t, func(r *hub.Request) {
		r.Tools = []hub.Tool{{Kind: hub.ToolCustom, Name: hub.Text("patch"), Description: hub.Text("Edits."), Format: []byte(`{"type":"grammar","syntax":"lark","definition":"start: X"}`)}}
	})
	sameJSON(t, got, `{`+contents+`,"tools":[{"functionDeclarations":[{"name":"patch","description":"Edits.\n\nThe input must follow this grammar:\nstart: X",
		"parametersJsonSchema":{"type":"object","properties":{"input":{"type":"string"}},"required":["input"]}}]}]}`)
}

func TestEncode_AddsTheCallersMembersForThisShape(t *testing.T) {
	got := config(t, func(r *hub.Request) {
		r.Set(hub.Temperature, "temperature", []byte("1"))
		r.Tools = []hub.Tool{{Name: hub.Text("f")}}
		r.Extensions = []hub.Extension{{Shape: "ollama", Object: []byte(`{"x":1}`)}, {Shape: "gemini", Object: []byte(`{"generationConfig":{"imageConfig":{"aspectRatio":"1:1"}},"tools":[{"googleSearch":{}}],"serviceTier":"flex"}`)}}
	})
	sameJSON(t, got, `{`+contents+`,"tools":[{"functionDeclarations":[{"name":"f"}]},{"googleSearch":{}}],"generationConfig":{"temperature":1,"imageConfig":{"aspectRatio":"1:1"}},"serviceTier":"flex"}`)
	got = config(t, func(r *hub.Request) {
		r.Extensions = []hub.Extension{{Shape: "gemini", Object: []byte(`{"tools":[{"googleSearch":{}}]}`)}}
	})
	sameJSON(t, got, `{`+contents+`,"tools":[{"googleSearch":{}}]}`)
}
