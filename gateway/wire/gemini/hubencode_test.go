package gemini_test

import (
	"strings"
	"testing"

	"relay/gateway/wire"
	"relay/gateway/wire/gemini"
	"relay/gateway/wire/hub"
)

func text(s string) hub.Part { return hub.Part{Text: hub.Quote(s)} }

func message(role hub.Role, parts ...hub.Part) hub.Item { return hub.Item{Role: role, Parts: parts} }

func user(s string) hub.Item  { return message(hub.RoleUser, text(s)) }
func model(s string) hub.Item { return message(hub.RoleAssistant, text(s)) }

func call(id, name, arguments string) hub.Item {
	return hub.Item{Kind: hub.ItemCall, Call: hub.Call{ID: hub.Text(id), Name: hub.Text(name)}, Arguments: hub.Quote(arguments)}
}

func result(id string, parts ...hub.Part) hub.Item {
	return hub.Item{Kind: hub.ItemResult, Call: hub.Call{ID: hub.Text(id)}, Parts: parts}
}

func signed(i hub.Item, o hub.Opaque) hub.Item {
	if i.Kind == hub.ItemMessage {
		i.Parts[len(i.Parts)-1].Opaque = o
		return i
	}
	i.Opaque = o
	return i
}

func google(data string) hub.Opaque {
	return hub.Opaque{Shape: "gemini", Provider: "google", Data: hub.Text(data)}
}

func TestEncode_WritesTheConversation(t *testing.T) {
	image := hub.Part{Kind: hub.PartImage, Data: hub.Text("QUJD"), MediaType: hub.Text("image/jpeg")}
	for name, c := range map[string]struct {
		items []hub.Item
		want  string // of the members systemInstruction and contents
	}{
		"system": {[]hub.Item{message(hub.RoleSystem, text("Be brief."), text(" ")), message(hub.RoleSystem, text("Be kind.")), user("Hi")},
			`{"systemInstruction":{"parts":[{"text":"Be brief."},{"text":"Be kind."}]},"contents":[{"role":"user","parts":[{"text":"Hi"}]}]}`},
		"a blank system": {[]hub.Item{message(hub.RoleSystem, text("")), user("Hi")}, `{"contents":[{"role":"user","parts":[{"text":"Hi"}]}]}`},
		"system alone": {[]hub.Item{message(hub.RoleSystem, text("a")), message(hub.RoleSystem, text("b"))},
			`{"systemInstruction":{"parts":[{"text":"a"}]},"contents":[{"role":"user","parts":[{"text":"<system>\nb\n</system>"}]}]}`},
		"system later": {[]hub.Item{user("Hi"), message(hub.RoleSystem, text("Be brief.")), user("So?"), model("Yes."), message(hub.RoleSystem, text("Now."))},
			`{"contents":[{"role":"user","parts":[{"text":"Hi"},{"text":"<system>\nBe brief.\n</system>"},{"text":"So?"}]},{"role":"model","parts":[{"text":"Yes."}]},{"role":"user","parts":[{"text":"<system>\nNow.\n</system>"}]}]}`},
		"turns merge over what says nothing": {[]hub.Item{user("a"), model(" "), message(hub.RoleAssistant), user("b"), {Kind: hub.ItemReasoning, Text: hub.Text("unsigned")}, user("c"), model("d")},
			`{"contents":[{"role":"user","parts":[{"text":"a"},{"text":"b"},{"text":"c"}]},{"role":"model","parts":[{"text":"d"}]}]}`},
		"nothing before the model": {[]hub.Item{user(""), model("d")}, `{"contents":[{"role":"model","parts":[{"text":"d"}]}]}`},
		"refusals":                 {[]hub.Item{user("a"), message(hub.RoleAssistant, hub.Part{Kind: hub.PartRefusal, Text: hub.Text("No.")}, hub.Part{Kind: hub.PartRefusal})}, `{"contents":[{"role":"user","parts":[{"text":"a"}]},{"role":"model","parts":[{"text":"No."}]}]}`},
		"media": {[]hub.Item{message(hub.RoleUser, image, hub.Part{Kind: hub.PartImage, Data: hub.Text("QQ==")}, hub.Part{Kind: hub.PartAudio, Data: hub.Text("QQ=="), MediaType: hub.Text("mp3")},
			hub.Part{Kind: hub.PartAudio, Data: hub.Text("QQ==")}, hub.Part{Kind: hub.PartFile, Data: hub.Text("QQ=="), Name: hub.Text("a.pdf")})},
			`{"contents":[{"role":"user","parts":[{"inlineData":{"mimeType":"image/jpeg","data":"QUJD"}},{"inlineData":{"mimeType":"image/png","data":"QQ=="}},{"inlineData":{"mimeType":"audio/mp3","data":"QQ=="}},{"inlineData":{"mimeType":"audio/wav","data":"QQ=="}},{"inlineData":{"mimeType":"application/pdf","data":"QQ=="}}]}]}`},
		"results stand first, by the names of their calls": {[]hub.Item{user("q"), model(""), call("1", "f", `{"a": 9007199254740993}`), call("2", "g", ""), result("2", text("fine"), image, text("so")), user("more"), message(hub.RoleSystem, text("s")), result("1", text(`{"x": [1]}`))},
			`{"contents":[{"role":"user","parts":[{"text":"q"}]},{"role":"model","parts":[{"functionCall":{"id":"1","name":"f","args":{"a":9007199254740993}},"thoughtSignature":"skip_thought_signature_validator"},{"functionCall":{"id":"2","name":"g","args":{}}}]},
			{"role":"user","parts":[{"functionResponse":{"id":"2","name":"g","response":{"output":"fine\nso"}}},{"functionResponse":{"id":"1","name":"f","response":{"x":[1]}}},{"inlineData":{"mimeType":"image/jpeg","data":"QUJD"}},{"text":"more"},{"text":"<system>\ns\n</system>"}]}]}`},
		"failures": {[]hub.Item{call("1", "f", "{}"), {Kind: hub.ItemResult, Call: hub.Call{ID: hub.Text("1")}, Failed: true, Parts: []hub.Part{text("no")}}, {Kind: hub.ItemResult, Call: hub.Call{ID: hub.Text("1"), Name: hub.Text("g")}, Failed: true, Parts: []hub.Part{text(`{"c":1}`)}}},
			`{"contents":[{"role":"model","parts":[{"functionCall":{"id":"1","name":"f","args":{}},"thoughtSignature":"skip_thought_signature_validator"}]},{"role":"user","parts":[{"functionResponse":{"id":"1","name":"f","response":{"error":"no"}}},{"functionResponse":{"id":"1","name":"g","response":{"error":{"c":1}}}}]}]}`},
		"odd results": {[]hub.Item{call("1", "f", "{}"), result("1"), result("1", text(`{"x":`)), result("1", text(`[1]`))},
			`{"contents":[{"role":"model","parts":[{"functionCall":{"id":"1","name":"f","args":{}},"thoughtSignature":"skip_thought_signature_validator"}]},{"role":"user","parts":[{"functionResponse":{"id":"1","name":"f","response":{"output":""}}},{"functionResponse":{"id":"1","name":"f","response":{"output":"{\"x\":"}}},{"functionResponse":{"id":"1","name":"f","response":{"output":"[1]"}}}]}]}`},
		"signatures go back where they were": {[]hub.Item{user("q"), signed(hub.Item{Kind: hub.ItemReasoning, Text: hub.Text("Hm.")}, google("A")), signed(model("a"), google("B")), signed(message(hub.RoleAssistant, text("")), google("C")), signed(call("1", "f", "{}"), google("D")), call("2", "f", "{}"), signed(hub.Item{Kind: hub.ItemReasoning}, google("E"))},
			`{"contents":[{"role":"user","parts":[{"text":"q"}]},{"role":"model","parts":[{"text":"Hm.","thought":true,"thoughtSignature":"A"},{"text":"a","thoughtSignature":"B"},{"text":"","thoughtSignature":"C"},{"functionCall":{"id":"1","name":"f","args":{}},"thoughtSignature":"D"},{"functionCall":{"id":"2","name":"f","args":{}}},{"text":"","thoughtSignature":"E"}]}]}`},
		"foreign signatures do not": {[]hub.Item{user("q"), signed(hub.Item{Kind: hub.ItemReasoning, Text: hub.Text("Hm.")}, claude), signed(model("a"), hub.Opaque{Shape: "gemini", Provider: "other", Data: hub.Text("B")}), signed(call("1", "f", "{}"), claude)},
			`{"contents":[{"role":"user","parts":[{"text":"q"}]},{"role":"model","parts":[{"text":"a"},{"functionCall":{"id":"1","name":"f","args":{}},"thoughtSignature":"skip_thought_signature_validator"}]}]}`},
		"custom calls": {[]hub.Item{user("q"), {Kind: hub.ItemCall, Call: hub.Call{ID: hub.Text("1"), Name: hub.Text("patch"), Namespace: hub.Text("fs"), Custom: true}, Arguments: hub.Quote("a\n\"b\"")}, result("1", text("ok"))},
			`{"contents":[{"role":"user","parts":[{"text":"q"}]},{"role":"model","parts":[{"functionCall":{"id":"1","name":"fs__patch","args":{"input":"a\n\"b\""}},"thoughtSignature":"skip_thought_signature_validator"}]},{"role":"user","parts":[{"functionResponse":{"id":"1","name":"fs__patch","response":{"output":"ok"}}}]}]}`},
	} {
		t.Run(name, func(t *testing.T) { sameJSON(t, encode(t, &hub.Request{Items: c.items}, target), c.want) })
	}
}

func TestEncode_SparesOlderModelsIdsAndThePlaceholder(t *testing.T) {
	items := []hub.Item{user("q"), call("1", "f", "{}"), result("1", text("ok"))}
	want := `{"contents":[{"role":"user","parts":[{"text":"q"}]},{"role":"model","parts":[{"functionCall":{"name":"f","args":{}}}]},{"role":"user","parts":[{"functionResponse":{"name":"f","response":{"output":"ok"}}}]}]}`
	for _, name := range []string{"gemini-2.5-flash", "models/gemini-2.0-flash", "google/Gemini-1.5-pro", "gemma-3-27b-it"} {
		sameJSON(t, encode(t, &hub.Request{Items: items}, hub.Target{Model: name}), want)
	}
	for _, name := range []string{"gemini-3-pro-preview", "gemini-flash-latest", "models/gemini-3.8-flash", "tuned-gemini-2"} {
		if body := encode(t, &hub.Request{Items: items}, hub.Target{Model: name}); strings.Count(body, "skip_thought_signature_validator") != 1 || strings.Count(body, `"id":"1"`) != 2 {
			t.Errorf("%s: %s", name, body)
		}
	}
	older := []hub.Item{signed(call("1", "f", "{}"), google("D"))}
	sameJSON(t, encode(t, &hub.Request{Items: older}, hub.Target{Model: "gemini-2.5-pro", Provider: "google"}), `{"contents":[{"role":"model","parts":[{"functionCall":{"name":"f","args":{}},"thoughtSignature":"D"}]}]}`)
}

func TestEncode_TakesTheCallWhoseIdIsUsedAgain(t *testing.T) {
	items := []hub.Item{call("b", "g", "{}"), result("b"), call("a", "f", "{}"), result("a"), call("a", "f", "{}"), result("a"), call("c", "h", "{}"), result("c")}
	body := encode(t, &hub.Request{Items: items}, hub.Target{Model: "gemini-2"})
	for _, want := range []string{`{"functionResponse":{"name":"g"`, `{"functionResponse":{"name":"f"`, `{"functionResponse":{"name":"h"`} {
		if !strings.Contains(body, want) {
			t.Errorf("%s: no %s", body, want)
		}
	}
}

func TestEncode_NamesTheCallBeforeTheResultWhereAnIdIsUsedAgain(t *testing.T) {
	r := &hub.Request{Items: []hub.Item{user("q"), call("c", "f", "{}"), result("c", text("1")), call("c", "g", "{}"), result("c", text("2"))}}
	body := encode(t, r, hub.Target{Model: "gemini-2.5-pro"})
	first, second := strings.Index(body, `{"functionResponse":{"name":"f"`), strings.Index(body, `{"functionResponse":{"name":"g"`)
	if first < 0 || second < first {
		t.Errorf("got %s", body)
	}
}

func TestEncode_RefusesWhatGeminiCannotBeTold(t *testing.T) {
	for name, c := range map[string]struct {
		item   hub.Item
		member string
	}{
		"a result without a call":         {result("x", text("ok")), "the result of the call x"},
		"arguments that are no object":    {call("x", "f", `[1]`), "the arguments of the call x of f"},
		"arguments that are not complete": {call("x", "f", `{"a":`), "the arguments of the call x of f"},
	} {
		t.Run(name, func(t *testing.T) {
			dst := []byte("kept")
			body, err := gemini.Hub{}.Encode(dst, &hub.Request{Items: []hub.Item{user("q"), c.item}}, target)
			if refusal(t, err, wire.CodeTranslateRequest, c.member); string(body) != "kept" {
				t.Errorf("body %s", body)
			}
		})
	}
}

func TestEncode_GivesTheSameBytesEachTime(t *testing.T) {
	tools := strings.TrimSuffix(strings.Repeat(`{"name":"f","parametersJsonSchema":{"type":"object","$defs":{"z":{},"a":{}},"properties":{"z":{"$ref":"#/$defs/z"},"b":{"const":1}}}},`, 30), ",")
	r := decode(t, question+`"tools":[{"functionDeclarations":[`+tools+`]}]}`)
	first := encode(t, r, target)
	for range 50 {
		if again := encode(t, r, target); again != first {
			t.Fatalf("%s\n%s", first, again)
		}
	}
	if !strings.Contains(first, tools) {
		t.Errorf("the tools are not as they were written: %s", first)
	}
}
