package gemini_test

import (
	"strings"
	"testing"

	"relay/gateway/wire"
	"relay/gateway/wire/hub"

	"github.com/google/go-cmp/cmp"
)

func seal(o hub.Opaque) string { return string(o.Seal()) }

var claude = hub.Opaque{Shape: "anthropic", Provider: "anthropic", Data: hub.Text("SIG==")}

func TestDecode_ReadsTheConversation(t *testing.T) {
	redacted := hub.Opaque{Shape: "anthropic", Provider: "anthropic", Kind: hub.OpaqueRedacted, Data: hub.Text("RED==")}
	for name, c := range map[string]struct{ body, want string }{
		"system and user":    {`{"systemInstruction":{"role":"user","parts":[{"text":"Be brief."},{"text":"Be \"kind\"."}]},"contents":[{"role":"user","parts":[{"text":"Hi"}]}]}`, "system [Be brief.] [Be \"kind\".]\nuser [Hi]\n"},
		"the other spelling": {`{"contents":{"parts":{"text":"Hi"}},"system_instruction":{"parts":[{"text":"Be brief."}]}}`, "system [Be brief.]\nuser [Hi]\n"},
		"no system":          {`{"systemInstruction":{"parts":[{"text":" "}]},"contents":[{"parts":[{"text":"Hi"}]}]}`, "user [Hi]\n"},
		"turns":              {`{"contents":[{"role":"user","parts":[{"text":"a"},{"text":"b"}]},{"role":"user","parts":[{"text":"c"}]},{"role":"model","parts":[{"text":"d"}]}]}`, "user [a] [b]\nuser [c]\nmodel [d]\n"},
		"an answer in pieces": {`{"contents":[{"parts":[{"text":"q"}]},{"role":"model","parts":[{"text":"Hel"}]},{"role":"model","parts":[{"text":"lo"},{"text":"","thoughtSignature":"U0lH"}]},{"role":"model","parts":[{"text":"!"}]}]}`,
			"user [q]\nmodel [Hello] [ <gemini/ 0  U0lH>] [!]\n"},
		"thoughts in pieces": {`{"contents":[{"parts":[{"text":"q"}]},{"role":"model","parts":[{"text":"Hm","thought":true}]},{"role":"model","parts":[{"text":"m.","thought":true,"thoughtSignature":"U0lH"},{"text":"More.","thought":true},{"text":"Yes"}]}]}`,
			"user [q]\nthink Hmm. <gemini/ 0  U0lH>\nthink More.\nmodel [Yes]\n"},
		"calls and results": {`{"contents":[{"parts":[{"text":"q"}]},{"role":"model","parts":[{"functionCall":{"id":"c1","name":"f","args":{"b": 12345678901234567890, "a":"<x>"}},"thoughtSignature":"U0lH"},{"function_call":{"id":"c2","name":"g"}}]},{"role":"user","parts":[{"functionResponse":{"id":"c2","name":"g","response":{"output":"fine"}}},{"functionResponse":{"id":"c1","name":"f","response":{"error":"no"}}},{"text":"so?"}]}]}`,
			"user [q]\ncall c1 f({\"b\": 12345678901234567890, \"a\":\"<x>\"}) <gemini/ 0 c1 U0lH>\ncall c2 g({})\nresult c2 g: [fine]\nresult c1 f failed: [no]\nuser [so?]\n"},
		"calls without ids": {`{"contents":[{"parts":[{"text":"q"}]},{"role":"model","parts":[{"functionCall":{"name":"f"}},{"functionCall":{"name":"g"}},{"functionCall":{"name":"f"}}]},{"role":"function","parts":[{"functionResponse":{"name":"f","response":{"result":{"n":1}}}},{"functionResponse":{"name":"f","response":{"x":1,"y":2}}},{"functionResponse":{"name":"g","response":{}}}]}]}`,
			"user [q]\ncall call_1 f({})\ncall call_2 g({})\ncall call_3 f({})\nresult call_1 f: [{\"n\":1}]\nresult call_3 f: [{\"x\":1,\"y\":2}]\nresult call_2 g: [{}]\n"},
		"the AI SDK's results": {`{"contents":[{"parts":[{"text":"q"}]},{"role":"model","parts":[{"functionCall":{"id":"a","name":"f","args":{}}},{"functionCall":{"id":"b","name":"f","args":{}}}]},{"role":"user","parts":[{"functionResponse":{"id":"a","name":"f","response":{"name":"f","content":"rain"}}},{"functionResponse":{"id":"b","name":"f","response":{"name":"f","content":{"sky":"grey"}}}}]}]}`,
			"user [q]\ncall a f({})\ncall b f({})\nresult a f: [rain]\nresult b f: [{\"sky\":\"grey\"}]\n"},
		"media": {`{"contents":[{"parts":[{"inlineData":{"mimeType":"image/png","data":"QUJD"}},{"inline_data":{"mime_type":"application/pdf","data":"QU-_","display_name":"a.pdf"}},{"inlineData":{"mimeType":"audio/mp3","data":"AA=="}},{"fileData":{"mimeType":"image/jpeg","fileUri":"https://example.com/a.jpg"}},{"file_data":{"file_uri":"https://generativelanguage.googleapis.com/v1beta/files/x"}},{"fileData":{"mimeType":"image/png","fileUri":"gs://b/c"}}]}]}`,
			"user image[image/png QUJD] file[application/pdf QU+/ a.pdf] audio[audio/mp3 AA==] image[image/jpeg https://example.com/a.jpg] file[ id:https://generativelanguage.googleapis.com/v1beta/files/x] image[image/png id:gs://b/c]\n"},
		"media in a result": {`{"contents":[{"role":"model","parts":[{"functionCall":{"id":"a","name":"f"}}]},{"parts":[{"functionResponse":{"id":"a","name":"f","response":{"output":"see"},"parts":[{"inlineData":{"mimeType":"image/png","data":"QUJD"}}]}}]}]}`,
			"call a f({})\nresult a f: [see] image[image/png QUJD]\n"},
		"thoughts of pictures": {`{"contents":[{"role":"model","parts":[{"inlineData":{"mimeType":"image/png","data":"QUJD"},"thought":true},{"text":"a"}]}]}`, "model [a]\n"},
		"a seal on a thought":  {`{"contents":[{"role":"model","parts":[{"text":"Hm.","thought":true},{"text":"","thought":true,"thoughtSignature":"` + seal(claude) + `"},{"text":"a"}]}]}`, "think Hm. <anthropic/anthropic 0  SIG==>\nmodel [a]\n"},
		"a seal on a call":     {`{"contents":[{"role":"model","parts":[{"text":"Hm.","thought":true},{"text":"a"},{"functionCall":{"id":"c","name":"f"},"thoughtSignature":"` + seal(claude) + `"}]}]}`, "think Hm. <anthropic/anthropic 0  SIG==>\nmodel [a]\ncall c f({})\n"},
		"a seal on a call, thoughts lost": {`{"contents":[{"parts":[{"text":"q"}]},{"role":"model","parts":[{"text":"a"},{"functionCall":{"id":"c","name":"f"},"thoughtSignature":"` + seal(claude) + `"},{"functionCall":{"id":"d","name":"f"},"thoughtSignature":"` + seal(redacted) + `"}]},{"parts":[{"functionResponse":{"name":"f"}},{"functionResponse":{"name":"f"}}]}]}`,
			"user [q]\nthink  <anthropic/anthropic 0  SIG==>\nmodel [a]\ncall c f({})\nthink  <anthropic/anthropic 1  RED==>\ncall d f({})\nresult c f:\nresult d f:\n"},
		"a seal behind a text": {`{"contents":[{"role":"model","parts":[{"text":"Hm.","thought":true},{"text":"a"},{"text":"","thoughtSignature":"` + seal(claude) + `"}]}]}`, "think Hm. <anthropic/anthropic 0  SIG==>\nmodel [a]\n"},
		"two seals":            {`{"contents":[{"role":"model","parts":[{"text":"Hm.","thought":true},{"text":"","thoughtSignature":"` + seal(claude) + `"},{"functionCall":{"id":"c","name":"f"},"thoughtSignature":"` + seal(redacted) + `"}]}]}`, "think Hm. <anthropic/anthropic 0  SIG==>\nthink  <anthropic/anthropic 1  RED==>\ncall c f({})\n"},
		"one seal twice":       {`{"contents":[{"role":"model","parts":[{"text":"Hm.","thought":true,"thoughtSignature":"` + seal(claude) + `"},{"functionCall":{"id":"c","name":"f"},"thoughtSignature":"` + seal(claude) + `"}]}]}`, "think Hm. <anthropic/anthropic 0  SIG==>\ncall c f({})\n"},
		"a signature alone":    {`{"contents":[{"role":"model","parts":[{"text":"a"},{"thoughtSignature":"U0lH"}]}]}`, "model [a] [ <gemini/ 0  U0lH>]\n"},
		"signatures of a user": {`{"contents":[{"parts":[{"text":"a","thoughtSignature":"` + seal(claude) + `"},{"text":"b","thought":true}]}]}`, "user [a]\n"},
		"nulls":                {`{"systemInstruction":null,"tools":null,"toolConfig":null,"generationConfig":null,"contents":[{"role":null,"parts":[{"text":"a","functionCall":null,"inlineData":null,"thoughtSignature":null},{}]}]}`, "user [a]\n"},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, told(decode(t, c.body).Items)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestDecode_RefusesWhatItCannotRead(t *testing.T) {
	content := func(part string) string { return `{"contents":[{"parts":[{"text":"a"},` + part + `]}]}` }
	for body, member := range map[string]string{
		`{}`:                                    "contents",
		`{"contents":[]}`:                       "contents",
		`{"contents":"Hi"}`:                     "contents",
		`{"contents":[{"role":"system"}]}`:      "contents[0].role",
		content(`"b"`):                          "contents[0].parts[1]",
		content(`{"text":1}`):                   "contents[0].parts[1].text",
		content(`{"functionCall":{"args":{}}}`): "contents[0].parts[1].functionCall.name",
		content(`{"functionCall":{"name":"f","args":"{}"}}`):                                                   "contents[0].parts[1].functionCall.args",
		content(`{"functionResponse":{"name":"f"}}`):                                                           "contents[0].parts[1].functionResponse",
		content(`{"inlineData":{"data":"QUJD"}}`):                                                              "contents[0].parts[1].inlineData.mimeType",
		content(`{"inlineData":{"mimeType":"image/png"}}`):                                                     "contents[0].parts[1].inlineData.data",
		content(`{"fileData":{}}`):                                                                             "contents[0].parts[1]",
		`{"contents":[{}],"systemInstruction":{"parts":[{"inlineData":{}}]}}`:                                  "systemInstruction.parts",
		`{"contents":[{}],"tools":[{"functionDeclarations":[{"description":"d"}]}]}`:                           "tools[].functionDeclarations[0].name",
		`{"contents":[{}],"toolConfig":{"functionCallingConfig":{"mode":"SOME"}}}`:                             "toolConfig.functionCallingConfig.mode",
		`{"contents":[{}],"generationConfig":{"temperature":"hot"}}`:                                           "generationConfig.temperature",
		`{"contents":[{}],"generationConfig":{"stopSequences":[1]}}`:                                           "generationConfig.stopSequences",
		`{"contents":[{}],"generationConfig":{"thinkingConfig":{"thinkingBudget":1.5}}}`:                       "generationConfig.thinkingConfig.thinkingBudget",
		`{"contents":[{}],"generationConfig":{"thinkingConfig":{"thinkingLevel":"EXTREME"}}}`:                  "generationConfig.thinkingConfig.thinkingLevel",
		`{"contents":[{}],"generationConfig":{"responseMimeType":"text/html"}}`:                                "generationConfig.responseMimeType",
		`{"contents":[{}],"toolConfig":{"functionCallingConfig":{"mode":"ANY","allowedFunctionNames":["f"]}}}`: "toolConfig.functionCallingConfig.allowedFunctionNames",
	} {
		_, err := tryDecode(body)
		t.Run(member, func(t *testing.T) { refusal(t, err, wire.CodeTranslateRequest, member) })
	}
}

func TestDecode_RefusesWhatHasNoWordsElsewhere(t *testing.T) {
	content := func(part string) string { return `{"contents":[{"parts":[` + part + `]}]}` }
	for body, member := range map[string]string{
		content(`{"executableCode":{"language":"PYTHON","code":"1"}}`):                                "contents[0].parts[0].executableCode",
		content(`{"code_execution_result":{"outcome":"OUTCOME_OK"}}`):                                 "contents[0].parts[0].code_execution_result",
		content(`{"toolCall":{"id":"x"}}`):                                                            "contents[0].parts[0].toolCall",
		content(`{"inlineData":{"mimeType":"video/mp4","data":"QUJD"}}`):                              "contents[0].parts[0].inlineData",
		content(`{"fileData":{"mimeType":"video/mp4","fileUri":"https://example.com/a"}}`):            "contents[0].parts[0].fileData",
		content(`{"fileData":{"mimeType":"audio/mp3","fileUri":"https://example.com/a"}}`):            "contents[0].parts[0].fileData",
		`{"contents":[{}],"generationConfig":{"responseMimeType":"text/x.enum","responseSchema":{}}}`: "generationConfig.responseMimeType",
	} {
		_, err := tryDecode(body)
		t.Run(member, func(t *testing.T) { refusal(t, err, wire.CodeUnsupportedParam, member) })
	}
}

func TestDecode_FindsTheCallOfAResultWithoutIdBehindThousands(t *testing.T) {
	calls := strings.TrimSuffix(strings.Repeat(`{"functionCall":{"name":"f"}},`, 3000), ",")
	body := `{"contents":[{"role":"model","parts":[` + calls + `,{"functionCall":{"name":"g"}}]},{"parts":[{"functionResponse":{"name":"g"}},{"functionResponse":{"name":"f"}}]}]}`
	items := decode(t, body).Items
	for i, id := range []string{"call_3001", "call_1"} {
		if got := items[3001+i].Call.ID; string(got) != id {
			t.Errorf("result %d is that of %s, want %s", i, got, id)
		}
	}
}

func TestDecode_RefusesAResultWithoutIdAndName(t *testing.T) {
	_, err := tryDecode(`{"contents":[{"role":"model","parts":[{"functionCall":{"name":"f"}}]},{"parts":[{"functionResponse":{"response":{}}}]}]}`)
	refusal(t, err, wire.CodeTranslateRequest, "contents[1].parts[0].functionResponse")
}
