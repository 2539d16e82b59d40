package generate_test

import (
	"strings"
	"testing"

	"relay/gateway/wire"
	"relay/gateway/wire/hub"
)

// asks returns a body with members beside a text.
func asks(members string) string { return `{"model":"m","input":"hi",` + members + `}` }

func TestDecode_InputIsATextOrItems(t *testing.T) {
	hi := []hub.Item{{Kind: hub.ItemMessage, Role: hub.RoleUser, Parts: []hub.Part{{Text: hub.Text("hi")}}}}
	same(t, decoded(t, `{"model":"m","input":"hi"}`).Items, hi)
	same(t, decoded(t, `{"model":"m","input":[{"role":"user","content":"hi"}]}`).Items, hi)
	same(t, decoded(t, `{"model":"m","input":[{"type":"message","role":"user","content":[{"type":"text","text":"hi"}]}]}`).Items, hi)
}

func TestDecode_ReadsEveryKindOfItem(t *testing.T) {
	sealed := hub.Opaque{Shape: "anthropic", Provider: "acme", Kind: hub.OpaqueSignature, ID: hub.Text("i"), Data: hub.Text("SIG==")}
	seal := string(sealed.Seal())
	r := decoded(t, `{"model":"m","instructions":"be brief","input":[
		{"type":"message","role":"developer","content":"d"},
		{"type":"message","role":"user","content":[{"type":"text","text":"a"},{"type":"image","data":"QQ==","media_type":"image/png","detail":"low"},
			{"type":"image","url":"https://a.example/b.png"},{"type":"image","url":"data:image\/png;base64,QQ=="},{"type":"file","file_id":"f1","name":"n.pdf"},
			{"type":"audio","data":"QQ==","media_type":"audio/wav"}]},
		{"type":"reasoning","summary":[{"type":"text","text":"s"},{"type":"text","text":"u"}],"opaque":"`+seal+`","status":"completed"},
		{"type":"reasoning","summary":[],"content":"thought","opaque":"not sealed"},
		{"type":"message","role":"assistant","content":[{"type":"text","text":"x"},{"type":"refusal","text":"no"}],"opaque":"`+seal+`"},
		{"type":"function_call","call_id":"c1","name":"f","arguments":"{\"b\":9007199254740993}","opaque":"`+seal+`"},
		{"type":"function_call","call_id":"c2","name":"patch","arguments":"*** x","custom":true},
		{"type":"function_call_output","call_id":"c1","content":[{"type":"text","text":"r"}],"is_error":true},
		{"type":"function_call_output","call_id":"c2","name":"patch","content":"s"},
		{"type":"message","role":"system","content":"later"}]}`)
	text := func(s string) []hub.Part { return []hub.Part{{Text: hub.Text(s)}} }
	same(t, r.Items, []hub.Item{
		{Kind: hub.ItemMessage, Parts: text("be brief")},
		{Kind: hub.ItemMessage, Parts: text("d")},
		{Kind: hub.ItemMessage, Role: hub.RoleUser, Parts: []hub.Part{
			{Text: hub.Text("a")}, {Kind: hub.PartImage, Data: hub.Text("QQ=="), MediaType: hub.Text("image/png"), Detail: hub.Text("low")},
			{Kind: hub.PartImage, URL: hub.Text("https://a.example/b.png")}, {Kind: hub.PartImage, Data: hub.Text("QQ=="), MediaType: hub.Text("image/png")},
			{Kind: hub.PartFile, FileID: hub.Text("f1"), Name: hub.Text("n.pdf")}, {Kind: hub.PartAudio, Data: hub.Text("QQ=="), MediaType: hub.Text("audio/wav")},
		}},
		{Kind: hub.ItemReasoning, Text: hub.Text(`s\n\nu`), Opaque: sealed},
		{Kind: hub.ItemReasoning, Text: hub.Text("thought")},
		{Kind: hub.ItemMessage, Role: hub.RoleAssistant, Parts: []hub.Part{{Text: hub.Text("x")}, {Kind: hub.PartRefusal, Text: hub.Text("no"), Opaque: sealed}}},
		{Kind: hub.ItemCall, Call: hub.Call{ID: hub.Text("c1"), Name: hub.Text("f")}, Arguments: hub.Text(`{\"b\":9007199254740993}`), Opaque: sealed},
		{Kind: hub.ItemCall, Call: hub.Call{ID: hub.Text("c2"), Name: hub.Text("patch"), Custom: true}, Arguments: hub.Text(`*** x`)},
		{Kind: hub.ItemResult, Call: hub.Call{ID: hub.Text("c1")}, Parts: text("r"), Failed: true},
		{Kind: hub.ItemResult, Call: hub.Call{ID: hub.Text("c2"), Name: hub.Text("patch")}, Parts: text("s")},
		{Kind: hub.ItemMessage, Parts: text("later")},
	})
}

func TestDecode_ReadsEverySetting(t *testing.T) {
	r := decoded(t, asks(`"stream":true,"user":"u","metadata":{"b":"1","a":"2"},
		"sampling":{"temperature":0.50,"top_p":1,"top_k":5,"max_tokens":9007199254740993,"stop":["a","b"],"seed":-1,"frequency_penalty":0.1,"presence_penalty":0.2},
		"reasoning":{"effort":"xhigh","budget_tokens":4096,"summary":"auto"},
		"output":{"format":{"type":"json_schema","name":"n","description":"d","schema":{"z":1,"a":2},"strict":true},"verbosity":"low"}`))
	for p, want := range map[hub.Param][2]string{
		hub.Temperature: {"sampling.temperature", "0.50"}, hub.TopP: {"sampling.top_p", "1"}, hub.TopK: {"sampling.top_k", "5"},
		hub.MaxTokens: {"sampling.max_tokens", "9007199254740993"}, hub.Stop: {"sampling.stop", `["a","b"]`}, hub.Seed: {"sampling.seed", "-1"},
		hub.FrequencyPenalty: {"sampling.frequency_penalty", "0.1"}, hub.PresencePenalty: {"sampling.presence_penalty", "0.2"},
		hub.User: {"user", `"u"`}, hub.Metadata: {"metadata", `{"b":"1","a":"2"}`}, hub.Verbosity: {"output.verbosity", `"low"`},
	} {
		if m := r.Params[p]; m.Name != want[0] || string(m.Value) != want[1] {
			t.Errorf("%s is %s: %s", p, m.Name, m.Value)
		}
	}
	same(t, r.Reasoning, hub.Reasoning{Effort: "xhigh", Budget: 4096, Summary: "auto"})
	same(t, r.Format, hub.Format{Kind: hub.FormatSchema, Name: hub.Text("n"), About: hub.Text("d"), Schema: []byte(`{"z":1,"a":2}`), Strict: hub.Yes})
	if !r.Streamed || !r.WantsUsage {
		t.Error("the stream is not wanted")
	}
}

func TestDecode_NullAndEmptyAreAsGoodAsAbsent(t *testing.T) {
	r := decoded(t, asks(`"stream":null,"user":null,"instructions":null,"metadata":{},"sampling":{"stop":[],"seed":null,"temperature":null},"reasoning":null,
		"output":{"format":{"type":"text"},"verbosity":null},"tools":{"definitions":[],"choice":"required","parallel":false},"cache":null,"extensions":{"openai":null}`))
	for p := range hub.NumMembers {
		if m := r.Params[p]; m.Value != nil {
			t.Errorf("%s is %s", p, m.Value)
		}
	}
	same(t, *r, hub.Request{Items: r.Items, WantsUsage: true})
}

func TestDecode_ABudgetOfNothingIsNoReasoning(t *testing.T) {
	same(t, decoded(t, asks(`"reasoning":{"budget_tokens":0}`)).Reasoning, hub.Reasoning{Effort: "none"})
	same(t, decoded(t, asks(`"reasoning":{"budget_tokens":-1}`)).Reasoning, hub.Reasoning{Budget: -1})
}

func TestDecode_ReadsTools(t *testing.T) {
	const definitions = `"definitions":[{"name":"f","description":"d","parameters":{"$defs":{"z":{},"a":{}}},"strict":false},
		{"type":"custom","name":"patch","format":{"type":"grammar","syntax":"lark","definition":"x"}}]`
	want := []hub.Tool{
		{Name: hub.Text("f"), Description: hub.Text("d"), Parameters: []byte(`{"$defs":{"z":{},"a":{}}}`), Strict: []byte("false")},
		{Kind: hub.ToolCustom, Name: hub.Text("patch"), Format: []byte(`{"type":"grammar","syntax":"lark","definition":"x"}`)},
	}
	for said, choice := range map[string]hub.Choice{
		``: {}, `,"choice":"auto"`: {Mode: hub.ChoiceAuto}, `,"choice":"none"`: {Mode: hub.ChoiceNone}, `,"choice":"required"`: {Mode: hub.ChoiceRequired},
		`,"choice":{"name":"patch"}`: {Mode: hub.ChoiceNamed, Name: hub.Text("patch")},
	} {
		r := decoded(t, asks(`"tools":{`+definitions+said+`,"parallel":false}`))
		same(t, r.Tools, want)
		same(t, r.Choice, choice)
		same(t, r.Parallel, hub.No)
	}
}

func TestDecode_CallsOfACustomToolTakeAnyText(t *testing.T) {
	r := decoded(t, `{"model":"m","tools":{"definitions":[{"type":"custom","name":"patch"}]},
		"input":[{"type":"function_call","call_id":"c","name":"patch","arguments":"*** x"}]}`)
	if !r.Items[0].Call.Custom {
		t.Errorf("%+v", r.Items[0])
	}
}

func TestDecode_CacheMarksWhatEndsWithTheInstructionsAndTools(t *testing.T) {
	const mark = `{"type":"ephemeral"}`
	r := decoded(t, asks(`"instructions":[{"type":"text","text":"a"},{"type":"text","text":"b"}],"tools":{"definitions":[{"name":"f"},{"name":"g"}]},"cache":{"instructions":true,"tools":true}`))
	system := r.Items[0].Parts
	if system[0].Mark != nil || string(system[1].Mark) != mark || r.Tools[0].Mark != nil || string(r.Tools[1].Mark) != mark {
		t.Errorf("%+v %+v", system, r.Tools)
	}
	r = decoded(t, asks(`"instructions":"a","tools":{"definitions":[{"name":"f"}]},"cache":{"instructions":false}`))
	if r.Items[0].Parts[0].Mark != nil || r.Tools[0].Mark != nil {
		t.Error("something is marked")
	}
	decoded(t, asks(`"cache":{"instructions":true,"tools":true}`))
}

func TestDecode_KeepsExtensionsAsTheyAre(t *testing.T) {
	r := decoded(t, asks(`"extensions":{"ollama":{"shift":false,"z":{"model":1}},"openai":{"logit_bias":{"1":2}}}`))
	if got := string(r.Extension("ollama")); got != `{"shift":false,"z":{"model":1}}` {
		t.Error(got)
	}
	if got := string(r.Extension("openai")); got != `{"logit_bias":{"1":2}}` {
		t.Error(got)
	}
}

func TestDecode_RefusesAMemberThatItDoesNotHave(t *testing.T) {
	long := strings.Repeat("x", 100)
	item := func(s string) string { return `{"model":"m","input":[{"role":"user","content":"x"},` + s + `]}` }
	for body, param := range map[string]string{
		asks(`"temperature":1`):                                                                 "temperature",
		asks(`"messages":[]`):                                                                   "messages",
		asks(`"` + long + `":1`):                                                                long[:64],
		asks(`"nothing":null`):                                                                  "nothing",
		asks(`"sampling":{"temprature":1}`):                                                     "sampling.temprature",
		asks(`"reasoning":{"max_tokens":1}`):                                                    "reasoning.max_tokens",
		asks(`"output":{"schema":{}}`):                                                          "output.schema",
		asks(`"output":{"format":{"type":"text","json":true}}`):                                 "output.format.json",
		asks(`"tools":{"tools":[]}`):                                                            "tools.tools",
		asks(`"tools":{"definitions":[{"name":"f","input_schema":{}}]}`):                        "tools.definitions[0].input_schema",
		asks(`"tools":{"definitions":[{"name":"f","format":{}}]}`):                              "tools.definitions[0].format",
		asks(`"tools":{"definitions":[{"type":"custom","name":"f","strict":true}]}`):            "tools.definitions[0].strict",
		asks(`"tools":{"definitions":[{"name":"f"}],"choice":{"name":"f","type":"x"}}`):         "tools.choice.type",
		asks(`"cache":{"input":true}`):                                                          "cache.input",
		asks(`"extensions":{"mistral":{}}`):                                                     "extensions.mistral",
		asks(`"extensions":{"openai":{"api_base":"http://x"}}`):                                 "extensions.openai.api_base",
		item(`{"role":"user","content":"x","name":"n"}`):                                        "input[1].name",
		item(`{"type":"function_call","call_id":"c","name":"f","arguments":"{}","content":[]}`): "input[1].content",
		item(`{"type":"function_call_output","call_id":"c","output":"x"}`):                      "input[1].output",
		item(`{"type":"reasoning","text":"x"}`):                                                 "input[1].text",
		item(`{"role":"user","content":[{"type":"text","text":"x","detail":"low"}]}`):           "input[1].content[0].detail",
		item(`{"role":"user","content":[{"type":"audio","url":"https://a.example/b"}]}`):        "input[1].content[0].url",
	} {
		_, err := tryDecode(body)
		wantRefusal(t, err, wire.CodeUnsupportedParam, param)
	}
}

func TestDecode_RefusesByTheMemberThatIsWrong(t *testing.T) {
	item := func(s string) string { return `{"model":"m","input":[{"role":"user","content":"x"},` + s + `]}` }
	part := func(s string) string { return item(`{"role":"user","content":[{"type":"text","text":"x"},` + s + `]}`) }
	tool := func(s string) string { return asks(`"tools":{"definitions":[{"name":"f"},` + s + `]}`) }
	for body, param := range map[string]string{
		`{"model":"m"}`:                              "input",
		`{"model":"m","input":""}`:                   "input",
		`{"model":"m","input":[]}`:                   "input",
		`{"model":"m","input":{"role":"user"}}`:      "input",
		`{"model":"m","input":"x","instructions":7}`: "instructions",
		`{"model":"m","input":"x","instructions":[{"type":"image","url":"https://a.example/b"}]}`: "instructions",
		item(`"x"`):                                                                      "input[1]",
		item(`{"type":"item_reference"}`):                                                "input[1].type",
		item(`{"content":"x"}`):                                                          "input[1].role",
		item(`{"role":"robot","content":"x"}`):                                           "input[1].role",
		item(`{"role":"user","content":7}`):                                              "input[1].content",
		item(`{"role":"user","content":"x","opaque":7}`):                                 "input[1].opaque",
		item(`{"type":"function_call","name":"f","arguments":"{}"}`):                     "input[1].call_id",
		item(`{"type":"function_call","call_id":"c","arguments":"{}"}`):                  "input[1].name",
		item(`{"type":"function_call","call_id":"c","name":"f","arguments":{}}`):         "input[1].arguments",
		item(`{"type":"function_call","call_id":"c","name":"f","arguments":"[1]"}`):      "input[1].arguments",
		item(`{"type":"function_call","call_id":"c","name":"f","arguments":"{\"a\":"}`):  "input[1].arguments",
		item(`{"type":"function_call_output","content":"x"}`):                            "input[1].call_id",
		item(`{"type":"function_call_output","call_id":"c","content":"x","is_error":1}`): "input[1].is_error",
		item(`{"type":"reasoning","content":[]}`):                                        "input[1].content",
		part(`"x"`):                      "input[1].content[1]",
		part(`{"text":"x"}`):             "input[1].content[1].type",
		part(`{"type":"video"}`):         "input[1].content[1].type",
		part(`{"type":"text","text":7}`): "input[1].content[1].text",
		part(`{"type":"image"}`):         "input[1].content[1]",
		part(`{"type":"image","data":"QQ==","url":"https://a.example/b"}`): "input[1].content[1]",
		part(`{"type":"image","data":"QQ=="}`):                             "input[1].content[1].media_type",
		part(`{"type":"image","url":"data:text/plain,x"}`):                 "input[1].content[1].url",
		tool(`7`):                                                            "tools.definitions[1]",
		tool(`{"type":"server","name":"f"}`):                                 "tools.definitions[1].type",
		tool(`{"description":"d"}`):                                          "tools.definitions[1].name",
		tool(`{"name":"f","parameters":[]}`):                                 "tools.definitions[1].parameters",
		tool(`{"name":"f","strict":"yes"}`):                                  "tools.definitions[1].strict",
		asks(`"tools":[]`):                                                   "tools",
		asks(`"tools":{"definitions":{}}`):                                   "tools.definitions",
		asks(`"tools":{"definitions":[{"name":"f"}],"choice":"any"}`):        "tools.choice",
		asks(`"tools":{"definitions":[{"name":"f"}],"choice":{"name":"g"}}`): "tools.choice.name",
		asks(`"tools":{"definitions":[{"name":"f"}],"parallel":"no"}`):       "tools.parallel",
		asks(`"sampling":{"temperature":"hot"}`):                             "sampling.temperature",
		asks(`"sampling":{"max_tokens":1.5}`):                                "sampling.max_tokens",
		asks(`"sampling":{"stop":"a"}`):                                      "sampling.stop",
		asks(`"sampling":{"stop":["a",1]}`):                                  "sampling.stop[1]",
		asks(`"reasoning":{"effort":"huge"}`):                                "reasoning.effort",
		asks(`"reasoning":{"budget_tokens":-2}`):                             "reasoning.budget_tokens",
		asks(`"reasoning":{"budget_tokens":"many"}`):                         "reasoning.budget_tokens",
		asks(`"output":{"format":{"type":"xml"}}`):                           "output.format.type",
		asks(`"output":{"format":{"type":"json_schema"}}`):                   "output.format.schema",
		asks(`"output":{"format":{"type":"json_schema","schema":7}}`):        "output.format.schema",
		asks(`"output":{"format":"json"}`):                                   "output.format",
		asks(`"output":{"verbosity":"huge"}`):                                "output.verbosity",
		asks(`"cache":{"tools":"yes"}`):                                      "cache.tools",
		asks(`"user":7`):                                                     "user",
		asks(`"metadata":{"a":1}`):                                           "metadata.a",
		asks(`"extensions":{"openai":[]}`):                                   "extensions.openai",
		asks(`"extensions":{"openai":{"model":"other"}}`):                    "extensions.openai",
		asks(`"extensions":{"ollama":{"Model":"other"}}`):                    "extensions.ollama",
		asks(`"extensions":{"ollama":{"stream":true}}`):                      "extensions.ollama",
	} {
		_, err := tryDecode(body)
		wantRefusal(t, err, wire.CodeTranslateRequest, param)
	}
}

func TestDecode_OfTwoMembersWithOneNameTheLastCounts(t *testing.T) {
	r := decoded(t, asks(`"sampling":{"seed":1},"sampling":{"top_k":2},"input":[{"role":"user","content":"last"}],
		"tools":{"definitions":[{"name":"f"}],"definitions":[{"name":"g"}]}`))
	if len(r.Items) != 1 || !r.Items[0].Parts[0].Text.Is("last") || r.Param(hub.Seed) != nil || len(r.Tools) != 1 || !r.Tools[0].Name.Is("g") {
		t.Errorf("%+v", r)
	}
}
