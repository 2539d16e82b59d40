package chat_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"relay/gateway/wire"
	"relay/gateway/wire/hub"
)

func conversation(messages string) string { return `{"model":"m","messages":` + messages + `}` }

func TestDecode_ReadsConversations(t *testing.T) {
	for _, test := range []struct{ messages, want string }{
		{`[{"role":"user","content":"a\nb"}]`, `user text("a\nb")`},
		{
			`[{"role":"developer","content":"d"},{"role":"system","content":[{"type":"text","text":"e"},{"type":"text","text":"f"}]},{"role":"user","content":""}]`,
			lines(`system text("d")`, `system text("e") text("f")`, `user text("")`),
		},
		{`[{"role":"user","content":null},{"role":"user","content":[]},{"role":"user"},{"role":"user","content":"a"}]`, `user text("a")`},
		{
			`[{"role":"user","content":[
				{"type":"image_url","image_url":{"url":"data:image/png;base64,AA==","detail":"low"}},
				{"type":"image_url","image_url":{"url":"https://x/y.png"}},
				{"type":"image_url","image_url":"data:image\/jpeg;base64,\/9j="},
				{"type":"input_audio","input_audio":{"data":"UklG","format":"wav"}},
				{"type":"file","file":{"filename":"a.pdf","file_data":"data:application/pdf;base64,JVBE"}},
				{"type":"file","file":{"file_data":"JVBE"}},
				{"type":"file","file":{"file_data":"https://x/y.pdf"}},
				{"type":"file","file":{"file_id":"file-1"}}]}]`,
			`user image(image/png AA== low) image(https://x/y.png) image(image/jpeg /9j=) audio(audio/wav UklG) ` +
				`file(application/pdf JVBE a.pdf) file(application/pdf JVBE) file(https://x/y.pdf) file(file-1)`,
		},
		{
			`[{"role":"assistant","content":"","tool_calls":[{"id":"a","type":"function","function":{"name":"f","arguments":"{\"x\":1}"}}]},
			  {"role":"tool","tool_call_id":"a","content":"r"}]`,
			lines(`call a f {"x":1}`, `result a  text("r")`),
		},
		{
			`[{"role":"assistant","content":"hm","refusal":null,"annotations":[],"audio":null,"function_call":null,"tool_calls":[
				{"id":"a","function":{"name":"f","arguments":""}},{"id":"b","type":"function","function":{"name":"g","arguments":{"x":1}}},
				{"id":"c","type":"custom","custom":{"name":"h","input":"free text"}}]},
			  {"role":"tool","tool_call_id":"a","name":"f","content":[{"type":"text","text":"r"},{"type":"image_url","image_url":{"url":"data:image/png;base64,AA=="}}]},
			  {"role":"tool","tool_call_id":"b"}]`,
			lines(`assistant text("hm")`, `call a f {}`, `call b g {"x":1}`, `call c h free text custom`,
				`result a f text("r") image(image/png AA==)`, `result b`),
		},
		{
			`[{"role":"assistant","content":[{"type":"text","text":"a"},{"type":"refusal","refusal":"b"}],"refusal":"c"}]`,
			`assistant text("a") refusal("b") refusal("c")`,
		},
	} {
		if got := items(decode(t, conversation(test.messages)).Items); got != test.want {
			t.Errorf("%s\ngot  %s\nwant %s", test.messages, got, test.want)
		}
	}
}

func TestDecode_KeepsCacheMarksWhereTheyStand(t *testing.T) {
	const m = `{"type":"ephemeral"}`
	r := decode(t, `{"model":"m","messages":[
		{"role":"system","content":"s","cache_control":`+m+`},
		{"role":"user","content":[{"type":"text","text":"a","cache_control":{"type":"ephemeral","ttl":"1h"}},{"type":"text","text":"b","cache_control":null}]},
		{"role":"assistant","content":"c","tool_calls":[{"id":"i","function":{"name":"f"}}],"cache_control":`+m+`},
		{"role":"assistant","content":null,"tool_calls":[{"id":"j","function":{"name":"f"},"cache_control":`+m+`}]},
		{"role":"tool","tool_call_id":"i","content":"d","cache_control":`+m+`}],
		"tools":[{"type":"function","function":{"name":"f"},"cache_control":`+m+`},{"type":"function","function":{"name":"g","cache_control":`+m+`}},{"type":"function","function":{"name":"h"}}]}`)
	want := lines(
		`system text("s" mark `+m+`)`,
		`user text("a" mark {"type":"ephemeral","ttl":"1h"}) text("b")`,
		`assistant text("c")`, `call i f {} mark `+m,
		`call j f {} mark `+m,
		`result i  text("d") mark `+m,
	)
	if got := items(r.Items); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if string(r.Tools[0].Mark) != m || string(r.Tools[1].Mark) != m || r.Tools[2].Mark != nil {
		t.Errorf("tools %+v", r.Tools)
	}
}

func TestDecode_ReadsParameters(t *testing.T) {
	r := decode(t, `{"model":"m","messages":[{"role":"user","content":"a"}],
		"temperature":0.70,"top_p":1,"top_k":5,"min_p":0.1,"stop":["a","b"],"seed":12345678901234567890,"frequency_penalty":0,"presence_penalty":-1,
		"repetition_penalty":1.1,"max_tokens":2000,"max_completion_tokens":1000,"user":"u","safety_identifier":"s","metadata":{"b":"1","a":"2"},
		"store":true,"service_tier":"flex","prompt_cache_key":"k","prompt_cache_retention":"24h","verbosity":"low","logit_bias":{"1":2},
		"prediction":{"type":"content"},"web_search_options":{"x":1},"num_ctx":16384,"keep_alive":-1,"options":{"num_gpu":1},
		"n":2,"logprobs":true,"top_logprobs":3,"modalities":["text","audio"],"stream":true,
		"stream_options":{"include_usage":true,"include_obfuscation":false},"odd":1,"nothing":null}`)
	want := map[hub.Param]string{
		hub.Temperature: "0.70", hub.TopP: "1", hub.TopK: "5", hub.MinP: "0.1", hub.Stop: `["a","b"]`, hub.Seed: "12345678901234567890",
		hub.FrequencyPenalty: "0", hub.PresencePenalty: "-1", hub.RepeatPenalty: "1.1", hub.MaxTokens: "1000", hub.User: `"u"`,
		hub.SafetyIdentifier: `"s"`, hub.Metadata: `{"b":"1","a":"2"}`, hub.Store: "true", hub.ServiceTier: `"flex"`, hub.CacheKey: `"k"`,
		hub.CacheRetention: `"24h"`, hub.Verbosity: `"low"`, hub.LogitBias: `{"1":2}`, hub.Prediction: `{"type":"content"}`,
		hub.WebSearch: `{"x":1}`, hub.NumCtx: "16384", hub.KeepAlive: "-1", hub.RunnerOptions: `{"num_gpu":1}`,
		hub.Choices: "2", hub.Logprobs: "true", hub.TopLogprobs: "3", hub.AudioOutput: `["text","audio"]`, hub.StreamOptions: "false",
	}
	for p := range hub.NumMembers {
		if got := string(r.Param(p)); got != want[p] {
			t.Errorf("%s is %s, want %s", p, got, want[p])
		}
	}
	if r.Params[hub.MaxTokens].Name != "max_completion_tokens" || !r.Streamed || !r.WantsUsage {
		t.Errorf("limit %s, streamed %v, usage %v", r.Params[hub.MaxTokens].Name, r.Streamed, r.WantsUsage)
	}
	if len(r.Unknown) != 1 || r.Unknown[0].Name != "odd" {
		t.Errorf("unknown %v", r.Unknown)
	}
}

func TestDecode_LeavesOutWhatSaysNothing(t *testing.T) {
	r := decode(t, `{"model":"m","messages":[{"role":"user","content":"a"}],"n":1,"logprobs":false,"top_logprobs":0,"store":false,
		"service_tier":"auto","user":"","metadata":{},"logit_bias":{},"stop":[],"modalities":["text"],"temperature":null,"max_tokens":null,
		"functions":[],"function_call":"auto","response_format":{"type":"text"},"stream_options":null,"tools":[],"tool_choice":"auto",
		"options":{},"think":null,"format":"","reasoning_effort":null,"stream_options":{"include_obfuscation":true}}`)
	for p, m := range r.Params {
		if m.Value != nil {
			t.Errorf("%s is %s", hub.Param(p), m.Value)
		}
	}
	if r.Unknown != nil || r.Reasoning.Asked() || r.Format.Kind != hub.FormatText || r.Tools != nil {
		t.Errorf("%+v", r)
	}
}

func TestDecode_ReadsHowMuchToThink(t *testing.T) {
	for members, want := range map[string]hub.Reasoning{
		`"reasoning_effort":"minimal"`:                          {Effort: "minimal"},
		`"reasoning":{"effort":"high","exclude":true}`:          {Effort: "high", Summary: "none"},
		`"reasoning":{"max_tokens":2000}`:                       {Budget: 2000},
		`"reasoning":{"enabled":true}`:                          {Budget: -1},
		`"reasoning":{"enabled":false}`:                         {Effort: "none"},
		`"reasoning":{"effort":"low","enabled":true}`:           {Effort: "low"},
		`"reasoning":{"effort":"low"},"reasoning_effort":"max"`: {Effort: "max"},
		`"thinking":{"type":"enabled","budget_tokens":5000}`:    {Budget: 5000},
		`"thinking":{"type":"enabled"}`:                         {Budget: -1},
		`"thinking":{"type":"disabled"}`:                        {Effort: "none"},
		`"think":true`:                                          {Budget: -1, Think: "true"},
		`"think":false`:                                         {Effort: "none", Think: "false"},
		`"think":"low"`:                                         {Effort: "low", Think: "low"},
	} {
		r := decode(t, `{"model":"m","messages":[{"role":"user","content":"a"}],`+members+`}`)
		if r.Reasoning != want {
			t.Errorf("%s: %+v", members, r.Reasoning)
		}
	}
}

func TestDecode_ReadsFormats(t *testing.T) {
	const schema = `{"type":"object","properties":{"z":{"const":12345678901234567890},"a":{}}}`
	for members, want := range map[string]hub.Format{
		`"response_format":{"type":"json_object"}`: {Kind: hub.FormatJSON},
		`"response_format":{"type":"json_schema","json_schema":{"name":"n","description":"d","strict":true,"schema":` + schema + `}}`: {
			Kind: hub.FormatSchema, Name: hub.Text("n"), About: hub.Text("d"), Strict: hub.Yes, Schema: []byte(schema),
		},
		`"format":"json"`:    {Kind: hub.FormatJSON},
		`"format":` + schema: {Kind: hub.FormatSchema, Schema: []byte(schema)},
		`"format":"json","response_format":{"type":"text"}`: {},
	} {
		got := decode(t, `{"model":"m","messages":[{"role":"user","content":"a"}],`+members+`}`).Format
		if got.Kind != want.Kind || string(got.Schema) != string(want.Schema) || string(got.Name)+string(got.About) != string(want.Name)+string(want.About) || got.Strict != want.Strict {
			t.Errorf("%s: %+v", members, got)
		}
	}
}

func TestDecode_RefusesWhatItsShapeDoesNotSay(t *testing.T) {
	with := func(member string) string {
		return `{"model":"m","messages":[{"role":"user","content":"a"}],` + member + `}`
	}
	for body, member := range map[string]string{
		`{"model":"m"}`:                   "messages",
		conversation(`"a"`):               "messages",
		conversation(`[]`):                "messages",
		conversation(`["a"]`):             "messages[0]",
		conversation(`[{"content":"a"}]`): "messages[0].role",
		conversation(`[{"role":"user","content":"a"},{"role":"bot"}]`):                                                  "messages[1].role",
		conversation(`[{"role":"function","name":"f","content":"a"}]`):                                                  "messages[0].role",
		conversation(`[{"role":"user","content":1}]`):                                                                   "messages[0].content",
		conversation(`[{"role":"user","content":[{"type":"text","text":"a"},{"type":"video"}]}]`):                       "messages[0].content[1].type",
		conversation(`[{"role":"user","content":[{"type":"text","text":1}]}]`):                                          "messages[0].content[0].text",
		conversation(`[{"role":"user","content":[{"type":"image_url","image_url":{"url":"data:image/png,AA"}}]}]`):      "messages[0].content[0].image_url.url",
		conversation(`[{"role":"user","content":[{"type":"image_url","image_url":{}}]}]`):                               "messages[0].content[0].image_url.url",
		conversation(`[{"role":"user","content":[{"type":"input_audio","input_audio":{"data":"AA"}}]}]`):                "messages[0].content[0].input_audio",
		conversation(`[{"role":"user","content":[{"type":"file","file":{}}]}]`):                                         "messages[0].content[0].file",
		conversation(`[{"role":"user","content":[{"type":"file","file":{"file_data":"data:x,1"}}]}]`):                   "messages[0].content[0].file.file_data",
		conversation(`[{"role":"system","content":[{"type":"image_url","image_url":"https://x"}]}]`):                    "messages[0].content[0]",
		conversation(`[{"role":"tool","content":"a"}]`):                                                                 "messages[0].tool_call_id",
		conversation(`[{"role":"tool","tool_call_id":1}]`):                                                              "messages[0].tool_call_id",
		conversation(`[{"role":"tool","tool_call_id":"a","name":1}]`):                                                   "messages[0].name",
		conversation(`[{"role":"assistant","tool_calls":{}}]`):                                                          "messages[0].tool_calls",
		conversation(`[{"role":"assistant","tool_calls":[{"function":{"name":"f"}}]}]`):                                 "messages[0].tool_calls[0].id",
		conversation(`[{"role":"assistant","tool_calls":[{"id":"a","function":{"name":"f"}},{"id":"b","custom":{}}]}]`): "messages[0].tool_calls[1].custom.name",
		conversation(`[{"role":"assistant","function_call":{"name":"f","arguments":""}}]`):                              "messages[0].function_call",
		conversation(`[{"role":"assistant","audio":{"id":"x"}}]`):                                                       "messages[0].audio",
		conversation(`[{"role":"assistant","refusal":1}]`):                                                              "messages[0].refusal",
		conversation(`[{"role":"assistant","reasoning_content":1}]`):                                                    "messages[0].reasoning_content",
		with(`"functions":[{"name":"f"}]`):                                                                              "functions",
		with(`"function_call":{"name":"f"}`):                                                                            "function_call",
		with(`"max_tokens":0`):                                                                                          "max_tokens",
		with(`"max_completion_tokens":1.5`):                                                                             "max_completion_tokens",
		with(`"temperature":"hot"`):                                                                                     "temperature",
		with(`"stop":[1]`):                                                                                              "stop",
		with(`"user":1`):                                                                                                "user",
		with(`"logprobs":1`):                                                                                            "logprobs",
		with(`"metadata":[]`):                                                                                           "metadata",
		with(`"stream_options":1`):                                                                                      "stream_options",
		with(`"reasoning_effort":"extreme"`):                                                                            "reasoning_effort",
		with(`"reasoning":true`):                                                                                        "reasoning",
		with(`"reasoning":{"effort":1}`):                                                                                "reasoning.effort",
		with(`"reasoning":{"max_tokens":0}`):                                                                            "reasoning.max_tokens",
		with(`"thinking":{}`):                                                                                           "thinking.type",
		with(`"thinking":{"type":"enabled","budget_tokens":"a"}`):                                                       "thinking.budget_tokens",
		with(`"think":"a lot"`):                                                                                         "think",
		with(`"format":"xml"`):                                                                                          "format",
		with(`"response_format":{"type":"grammar"}`):                                                                    "response_format.type",
		with(`"response_format":{"type":"json_schema","json_schema":{"name":"n"}}`):                                     "response_format.json_schema.schema",
		with(`"tools":{}`):    "tools",
		with(`"tools":["f"]`): "tools[0]",
		with(`"tools":[{"type":"function","function":{}}]`):                           "tools[0].function.name",
		with(`"tools":[{"type":"function","function":{"name":"f","parameters":[]}}]`): "tools[0].function.parameters",
		with(`"tools":[{"type":"function","function":{"name":"f","strict":1}}]`):      "tools[0].function.strict",
		with(`"parallel_tool_calls":"no"`):                                            "parallel_tool_calls",
		with(`"tool_choice":"maybe"`):                                                 "tool_choice",
		with(`"tool_choice":{"type":"function","function":{}}`):                       "tool_choice.function.name",
		with(`"tool_choice":{"type":"allowed_tools","allowed_tools":{"mode":"x"}}`):   "tool_choice.allowed_tools.mode",
		with(`"tools":[{"type":"function","function":{"name":"f"}}],"tool_choice":{"type":"allowed_tools","allowed_tools":{"mode":"auto","tools":[]}}`): "tool_choice.allowed_tools.tools",
	} {
		_, err := tryDecode(t, body)
		var e *wire.Error
		if !errors.As(err, &e) || e.Status != 400 || e.Code != wire.CodeTranslateRequest || e.Param != member {
			t.Errorf("%s\nrefused with %+v, want %s", body, e, member)
		}
	}
}

func TestDecode_ReadsTools(t *testing.T) {
	const schema = `{"type":"object","properties":{"z":{},"a":{"$ref":"#/$defs/d"}},"$defs":{"d":{}}}`
	r := decode(t, `{"model":"m","messages":[{"role":"user","content":"a"}],"parallel_tool_calls":false,"tools":[
		{"type":"function","function":{"name":"f","description":"d","parameters":`+schema+`,"strict":true}},
		{"type":"custom","custom":{"name":"c","format":{"type":"grammar","grammar":{"syntax":"lark","definition":"start: \"x\""}}}},
		{"type":"custom","custom":{"name":"t","format":{"type":"text"}}},
		{"type":"web_search","filters":{}}]}`)
	f, c, free, server := r.Tools[0], r.Tools[1], r.Tools[2], r.Tools[3]
	if f.Kind != hub.ToolFunction || !f.Name.Is("f") || !f.Description.Is("d") || string(f.Parameters) != schema || string(f.Strict) != "true" {
		t.Errorf("function %+v", f)
	}
	if c.Kind != hub.ToolCustom || !c.Name.Is("c") || string(c.Format) != `{"type":"grammar","syntax":"lark","definition":"start: \"x\""}` {
		t.Errorf("custom %s", c.Format)
	}
	if free.Kind != hub.ToolCustom || free.Format != nil {
		t.Errorf("free %+v", free)
	}
	if server.Kind != hub.ToolServer || string(server.Raw) != `{"type":"web_search","filters":{}}` {
		t.Errorf("server %+v", server)
	}
	if r.Parallel != hub.No {
		t.Errorf("parallel %v", r.Parallel)
	}
}

func TestDecode_ReadsEveryChoiceOfTools(t *testing.T) {
	for choice, want := range map[string]struct {
		mode  hub.ChoiceMode
		name  string
		tools string
	}{
		`null`:            {hub.ChoiceUnset, "", "f g"},
		`"none"`:          {hub.ChoiceNone, "", "f g"},
		`"auto"`:          {hub.ChoiceAuto, "", "f g"},
		`"required"`:      {hub.ChoiceRequired, "", "f g"},
		`{"type":"auto"}`: {hub.ChoiceAuto, "", "f g"},
		`{"type":"any"}`:  {hub.ChoiceRequired, "", "f g"},
		`{"type":"function","function":{"name":"f"}}`: {hub.ChoiceNamed, "f", "f g"},
		`{"type":"function","name":"f"}`:              {hub.ChoiceNamed, "f", "f g"},
		`{"type":"custom","custom":{"name":"g"}}`:     {hub.ChoiceNamed, "g", "f g"},
		`{"type":"allowed_tools","allowed_tools":{"mode":"required","tools":[{"type":"custom","custom":{"name":"g"}},{"type":"function","function":{"name":"z"}}]}}`: {hub.ChoiceRequired, "", "g"},
	} {
		r := decode(t, `{"model":"m","messages":[{"role":"user","content":"a"}],"tool_choice":`+choice+`,
			"tools":[{"type":"function","function":{"name":"f"}},{"type":"custom","custom":{"name":"g"}}]}`)
		var names []string
		for _, tool := range r.Tools {
			names = append(names, tool.Name.String())
		}
		if got := strings.Join(names, " "); r.Choice.Mode != want.mode || r.Choice.Name.String() != want.name || got != want.tools {
			t.Errorf("%s: %+v of %s", choice, r.Choice, got)
		}
	}
}

func TestDecode_NamesWhatOfAMessageIsLost(t *testing.T) {
	r := decode(t, conversation(`[{"role":"user","name":"ann","content":"a"},{"role":"user","name":"bob","content":"a"},
		{"role":"assistant","content":"b","provider_specific_fields":null,"odd":{"x":1},"empty":{},"reasoning_details":[{"type":"reasoning.encrypted","data":"x","format":"some-v1"}]}]`))
	var names []string
	for _, m := range r.Unknown {
		names = append(names, m.Name)
	}
	if want := []string{"messages.name", "messages.odd", "messages.reasoning_details"}; !slices.Equal(names, want) {
		t.Errorf("unknown %q", names)
	}
}
