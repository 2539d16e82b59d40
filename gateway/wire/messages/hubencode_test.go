package messages_test

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"relay/gateway/wire/hub"
	"relay/gateway/wire/messages"
)

func message(role hub.Role, parts ...hub.Part) hub.Item { return hub.Item{Role: role, Parts: parts} }

func call(id, name, arguments string) hub.Item {
	return hub.Item{Kind: hub.ItemCall, Call: hub.Call{ID: hub.Text(id), Name: hub.Text(name)}, Arguments: hub.Quote(arguments)}
}

func result(id string, parts ...hub.Part) hub.Item {
	return hub.Item{Kind: hub.ItemResult, Call: hub.Call{ID: hub.Text(id)}, Parts: parts}
}

func thought(words, shape, provider, signature string) hub.Item {
	return hub.Item{Kind: hub.ItemReasoning, Text: hub.Text(words), Opaque: hub.Opaque{Shape: shape, Provider: provider, Data: hub.Text(signature)}}
}

var (
	user      = message(hub.RoleUser, text("hi"))
	assistant = message(hub.RoleAssistant, text("yes?"))
	system    = message(hub.RoleSystem, text("be brief"))
	blank     = message(hub.RoleAssistant, text(`\n\t `))
	signed    = thought("hm", "anthropic", "acme", "SIG==")
)

func TestEncode_WritesTheConversation(t *testing.T) {
	mark := []byte(`{"type":"ephemeral","ttl":"1h"}`)
	png := hub.Part{Kind: hub.PartImage, MediaType: hub.Text("image/png"), Data: hub.Text("QUJD"), Mark: mark}
	far := hub.Part{Kind: hub.PartImage, URL: hub.Text("https://a.example/b"), Detail: hub.Text("low")}
	pdf := hub.Part{Kind: hub.PartFile, MediaType: hub.Text("application/pdf"), Data: hub.Text("QUJD"), Name: hub.Text("t.pdf")}
	plain := hub.Part{Kind: hub.PartFile, MediaType: hub.Text("text/markdown"), Data: hub.Text("YSJiCmM=")}
	redacted := hub.Item{Kind: hub.ItemReasoning, Opaque: hub.Opaque{Shape: "anthropic", Kind: hub.OpaqueRedacted, Data: hub.Text("RED")}}
	custom := hub.Item{Kind: hub.ItemCall, Call: hub.Call{ID: hub.Text("c"), Name: hub.Text("patch"), Namespace: hub.Text("ns"), Custom: true}, Arguments: hub.Text(`a\n\"b\"`)}
	failed := result("c1", text("no"))
	failed.Failed, failed.Mark = true, mark
	for name, test := range map[string]struct {
		items            []hub.Item
		system, messages string
	}{
		"system first": {[]hub.Item{system, message(hub.RoleSystem, hub.Part{Text: hub.Text("b"), Mark: mark}), user},
			`[{"type":"text","text":"be brief"},{"type":"text","text":"b","cache_control":{"type":"ephemeral","ttl":"1h"}}]`,
			`[{"role":"user","content":[{"type":"text","text":"hi"}]}]`},
		"system later": {[]hub.Item{user, message(hub.RoleSystem, text("a"), text("b")), assistant}, "",
			`[{"role":"user","content":[{"type":"text","text":"hi"},{"type":"text","text":"<system>\na\n\nb\n</system>"}]},{"role":"assistant","content":[{"type":"text","text":"yes?"}]}]`},
		"system alone": {[]hub.Item{system, message(hub.RoleSystem, text("go"))}, `[{"type":"text","text":"be brief"}]`,
			`[{"role":"user","content":[{"type":"text","text":"<system>\ngo\n</system>"}]}]`},
		"blank system":  {[]hub.Item{message(hub.RoleSystem, text("")), user}, "", `[{"role":"user","content":[{"type":"text","text":"hi"}]}]`},
		"merged":        {[]hub.Item{user, user, assistant, assistant, user}, "", `[{"role":"user","content":[{"type":"text","text":"hi"},{"type":"text","text":"hi"}]},{"role":"assistant","content":[{"type":"text","text":"yes?"},{"type":"text","text":"yes?"}]},{"role":"user","content":[{"type":"text","text":"hi"}]}]`},
		"around blanks": {[]hub.Item{user, blank, message(hub.RoleAssistant), user}, "", `[{"role":"user","content":[{"type":"text","text":"hi"},{"type":"text","text":"hi"}]}]`},
		"blank beside calls": {[]hub.Item{user, message(hub.RoleAssistant, text("")), call("c1", "f", ""), result("c1", text(" "))}, "",
			`[{"role":"user","content":[{"type":"text","text":"hi"}]},{"role":"assistant","content":[{"type":"tool_use","id":"c1","name":"f","input":{}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"c1"}]}]`},
		"results first": {[]hub.Item{user, call("c1", "f", `{"b":1,"a":9007199254740993}`), call("c2", "f", ` {}`), user, failed, result("c2", text("a"), png), system}, "",
			`[{"role":"user","content":[{"type":"text","text":"hi"}]},{"role":"assistant","content":[{"type":"tool_use","id":"c1","name":"f","input":{"b":1,"a":9007199254740993}},{"type":"tool_use","id":"c2","name":"f","input":{}}]},` +
				`{"role":"user","content":[{"type":"tool_result","tool_use_id":"c1","content":"no","is_error":true,"cache_control":{"type":"ephemeral","ttl":"1h"}},` +
				`{"type":"tool_result","tool_use_id":"c2","content":[{"type":"text","text":"a"},{"type":"image","source":{"type":"base64","media_type":"image/png","data":"QUJD"},"cache_control":{"type":"ephemeral","ttl":"1h"}}]},` +
				`{"type":"text","text":"hi"},{"type":"text","text":"<system>\nbe brief\n</system>"}]}]`},
		"ids that do not fit": {[]hub.Item{user, call("functions.bash:0", "f", ""), call("fit_a_", "f", ""), call("", "f", ""), result("functions.bash:0"), result("fit_a_"), result("")}, "",
			`[{"role":"user","content":[{"type":"text","text":"hi"}]},{"role":"assistant","content":[{"type":"tool_use","id":"fit_functions_2ebash_3a0","name":"f","input":{}},{"type":"tool_use","id":"fit_fit_5fa_5f","name":"f","input":{}},{"type":"tool_use","id":"call_1","name":"f","input":{}}]},` +
				`{"role":"user","content":[{"type":"tool_result","tool_use_id":"fit_functions_2ebash_3a0"},{"type":"tool_result","tool_use_id":"fit_fit_5fa_5f"},{"type":"tool_result","tool_use_id":"call_1"}]}]`},
		"media": {[]hub.Item{message(hub.RoleUser, far, pdf, plain)}, "",
			`[{"role":"user","content":[{"type":"image","source":{"type":"url","url":"https://a.example/b"}},{"type":"document","source":{"type":"base64","media_type":"application/pdf","data":"QUJD"},"title":"t.pdf"},` +
				`{"type":"document","source":{"type":"text","media_type":"text/plain","data":"a\"b\nc"}}]}]`},
		"thoughts": {[]hub.Item{user, signed, redacted, call("c1", "f", ""), result("c1"), user}, "",
			`[{"role":"user","content":[{"type":"text","text":"hi"}]},{"role":"assistant","content":[{"type":"thinking","thinking":"hm","signature":"SIG=="},{"type":"redacted_thinking","data":"RED"},{"type":"tool_use","id":"c1","name":"f","input":{}}]},` +
				`{"role":"user","content":[{"type":"tool_result","tool_use_id":"c1"},{"type":"text","text":"hi"}]}]`},
		"thoughts of others": {[]hub.Item{user, thought("a", "", "", ""), thought("b", "anthropic", "other", "S"), thought("c", "gemini", "acme", "S"), assistant, user}, "",
			`[{"role":"user","content":[{"type":"text","text":"hi"}]},{"role":"assistant","content":[{"type":"text","text":"yes?"}]},{"role":"user","content":[{"type":"text","text":"hi"}]}]`},
		"custom":       {[]hub.Item{user, custom}, "", `[{"role":"user","content":[{"type":"text","text":"hi"}]},{"role":"assistant","content":[{"type":"tool_use","id":"c","name":"ns__patch","input":{"input":"a\n\"b\""}}]}]`},
		"begun":        {[]hub.Item{user, signed, message(hub.RoleAssistant, text(`{\\n \n\t `), text("  "))}, "", `[{"role":"user","content":[{"type":"text","text":"hi"}]},{"role":"assistant","content":[{"type":"text","text":"{\\n"}]}]`},
		"only thought": {[]hub.Item{user, signed}, "", `[{"role":"user","content":[{"type":"text","text":"hi"}]}]`},
		"refusals":     {[]hub.Item{user, message(hub.RoleAssistant, hub.Part{Kind: hub.PartRefusal, Text: hub.Text("no")}), user}, "", `[{"role":"user","content":[{"type":"text","text":"hi"}]},{"role":"assistant","content":[{"type":"text","text":"no"}]},{"role":"user","content":[{"type":"text","text":"hi"}]}]`},
	} {
		t.Run(name, func(t *testing.T) {
			body := sent(t, &hub.Request{Items: test.items}, to)
			sameJSON(t, "system", body["system"], test.system)
			sameJSON(t, "messages", body["messages"], test.messages)
		})
	}
}

func TestEncode_WritesMembers(t *testing.T) {
	r := asked(t, hi, `"temperature":1.7,"top_p":0.1,"top_k":5`, `"stop_sequences":["a","\n"," "]`, `"metadata":{"user_id":"u"}`)
	r.Extensions = []hub.Extension{{Shape: "anthropic", Object: []byte(`{"model":"other","speed":"fast","stream":true}`)}, {Shape: "gemini", Object: []byte(`{"x":1}`)}}
	sameJSON(t, "the body", any(sent(t, r, hub.Target{Model: "m-1"})), `{"model":"m-1","max_tokens":9000,"messages":[{"role":"user","content":[{"type":"text","text":"hi"}]}],`+
		`"temperature":1,"top_p":0.1,"top_k":5,"stop_sequences":["a"],"metadata":{"user_id":"u"},"stream":false,"speed":"fast"}`)

	one := &hub.Request{Items: []hub.Item{user}}
	one.Set(hub.Stop, "stop", []byte(`" "`))
	one.Set(hub.TopP, "top_p", []byte(`1.0`))
	sameJSON(t, "the body", any(sent(t, one, to)), `{"model":"claude-sonnet-4-5","max_tokens":4096,"messages":[{"role":"user","content":[{"type":"text","text":"hi"}]}],"stream":true}`)
	one.Set(hub.Stop, "stop", []byte(`"END"`))
	sameJSON(t, "one stop", sent(t, one, to)["stop_sequences"], `["END"]`)
}

// TestEncode_AlwaysSaysMaxTokens: the caller's, else the model's, else a default.
func TestEncode_AlwaysSaysMaxTokens(t *testing.T) {
	for want, r := range map[float64]*hub.Request{4096: {Items: []hub.Item{user}}, 1000: asked(t, hi, `"max_tokens":1000`)} {
		if got := sent(t, r, to)["max_tokens"]; got != want {
			t.Errorf("it is %v, want %v", got, want)
		}
	}
	if got := sent(t, &hub.Request{Items: []hub.Item{user}}, hub.Target{MaxOutput: 64000})["max_tokens"]; got != 64000.0 {
		t.Errorf("it is %v", got)
	}
}

// TestEncode_GivesTheSameBytesAlways is what prefix caches live on.
func TestEncode_GivesTheSameBytesAlways(t *testing.T) {
	tools := make([]string, 0, 30)
	for _, c := range "zyxwvutsrqponmlkjihgfedcba0123" {
		tools = append(tools, `{"name":"t`+string(c)+`","description":"d","input_schema":{"type":"object","properties":{"z":{"$ref":"#/$defs/q"},"a":{"type":"string"}},"$defs":{"q":{"type":"number"}}}}`)
	}
	list := strings.Join(tools, ",")
	var first []byte
	for range 50 {
		r := asked(t, hi, `"tools":[`+list+`]`)
		body, err := messages.Hub{}.Encode(nil, r, to)
		if err != nil {
			t.Fatal(err)
		}
		if first == nil {
			first = slices.Clone(body)
		}
		if !bytes.Equal(first, body) {
			t.Fatalf("%s\n%s", first, body)
		}
	}
	if !bytes.Contains(first, []byte(`{"z":{"$ref":"#/$defs/q"},"a":{"type":"string"}}`)) {
		t.Errorf("members have changed places: %s", first)
	}
}

func TestEncode_RefusesWhatOnlyValuesShow(t *testing.T) {
	docx := hub.Part{Kind: hub.PartFile, MediaType: hub.Text("application/msword"), Data: hub.Text("QUJD")}
	image := hub.Part{Kind: hub.PartImage, URL: hub.Text("https://a.example/b")}
	tools := []hub.Tool{{Name: hub.Text("f")}}
	for name, r := range map[string]*hub.Request{
		"nothing to say":        {Items: []hub.Item{message(hub.RoleUser, text(" "))}},
		"documents":             {Items: []hub.Item{message(hub.RoleUser, docx)}},
		"base64":                {Items: []hub.Item{message(hub.RoleUser, hub.Part{Kind: hub.PartFile, MediaType: hub.Text("text/plain"), Data: hub.Text("!")})}},
		"media in instructions": {Items: []hub.Item{message(hub.RoleSystem, image), user}},
		"media of assistants":   {Items: []hub.Item{user, message(hub.RoleAssistant, image)}},
		"audio":                 {Items: []hub.Item{message(hub.RoleUser, hub.Part{Kind: hub.PartAudio, Data: hub.Text("QUJD")})}},
		"file ids":              {Items: []hub.Item{message(hub.RoleUser, hub.Part{Kind: hub.PartImage, FileID: hub.Text("f")})}},
		"arguments":             {Items: []hub.Item{user, call("c", "f", `["a"]`)}},
		"cut arguments":         {Items: []hub.Item{user, call("c", "f", `{"a":`)}},
		"JSON beside tools":     {Items: []hub.Item{user}, Tools: tools, Format: hub.Format{Kind: hub.FormatJSON}},
		"tools of the provider": {Items: []hub.Item{user}, Tools: []hub.Tool{{Kind: hub.ToolServer}}},
	} {
		t.Run(name, func(t *testing.T) {
			if e := refused(t, r); e.Status != 400 || e.Message == "" {
				t.Errorf("%+v", e)
			}
		})
	}
}
