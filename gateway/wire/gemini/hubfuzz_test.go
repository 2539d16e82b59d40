package gemini_test

import (
	"strings"
	"testing"

	"relay/gateway/wire"
	"relay/gateway/wire/gemini"
	"relay/gateway/wire/hub"
)

// bodies are what fuzzing of requests starts from.
var bodies = []string{
	`{"systemInstruction":{"parts":[{"text":"s"}]},"contents":[{"parts":[{"text":"q"},{"inlineData":{"mimeType":"image/png","data":"QUJD"}}]},{"role":"model","parts":[{"text":"Hm","thought":true,"thoughtSignature":"U0lH"},{"text":"a"},{"functionCall":{"name":"f","args":{"a":1}},"thoughtSignature":"R1M="}]},{"role":"user","parts":[{"functionResponse":{"name":"f","response":{"output":"ok"},"parts":[{"inlineData":{"mimeType":"image/png","data":"QQ=="}}]}}]}]}`,
	`{"contents":{"parts":{"text":"q"}},"generationConfig":{"temperature":1,"maxOutputTokens":5,"stopSequences":["a"],"responseMimeType":"application/json","responseSchema":{"type":"OBJECT","properties":{"a":{"type":"ARRAY","items":{"type":"STRING","nullable":true},"minItems":"1"}},"anyOf":[{}]},"thinkingConfig":{"thinkingBudget":-1,"includeThoughts":true}}}`,
	`{"contents":[{"parts":[{"text":"q"}]}],"tools":[{"functionDeclarations":[{"name":"f","description":"d","parameters":{"type":"OBJECT"}},{"name":"g","parametersJsonSchema":true}]},{"googleSearch":{}}],"toolConfig":{"functionCallingConfig":{"mode":"ANY","allowedFunctionNames":["f","g"]}},"safetySettings":[{}],"labels":{"a":"b"}}`,
	`{"contents":[{"role":"model","parts":[{"text":"Hm","thought":true},{"functionCall":{"id":"c","name":"f"},"thoughtSignature":"` + seal(claude) + `"}]}]}`,
}

// FuzzHubDecode holds that whatever a caller says is refused, or can be said to a
// host, whose body can be read again.
func FuzzHubDecode(f *testing.F) {
	for _, body := range bodies {
		f.Add([]byte(body))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		var m wire.Members
		if wire.Scan(body, &m) != nil {
			return
		}
		var r hub.Request
		if (gemini.Hub{}).Decode(body, &r) != nil {
			return
		}
		if _, err := r.Check("gemini", gemini.Hub{}.Fates()); err != nil {
			return
		}
		up, err := gemini.Hub{}.Encode(nil, &r, target)
		if err != nil {
			return
		}
		if err := wire.Scan(up, &m); err != nil {
			t.Fatalf("%s\n%s\n%v", body, up, err)
		}
		var again hub.Request
		if err := (gemini.Hub{}).Decode(up, &again); err != nil {
			if !strings.Contains(string(up), `"contents":[]`) {
				t.Fatalf("%s\n%s\n%v", body, up, err)
			}
			return
		}
		if twice, err := (gemini.Hub{}).Encode(nil, &again, target); err != nil || wire.Scan(twice, &m) != nil {
			t.Fatalf("%s\n%s\n%v", up, twice, err)
		}
	})
}

// FuzzHubDecoder holds that whatever a host says can be told to a caller, in a
// stream of either kind and as a whole.
func FuzzHubDecoder(f *testing.F) {
	f.Add([]byte(chunkOf(`{"text": "Hm","thought": true},{"text": "a","thoughtSignature": "U0lH"}`, "")), []byte(chunkOf(`{"functionCall": {"name": "f","args": {"a": "\ud83d"}},"thoughtSignature": "U0lH"},{"inlineData": {"mimeType": "image/png","data": "QUJD"}}`, "STOP")))
	f.Add([]byte(`{"promptFeedback":{"blockReason":"OTHER"}}`), []byte("[{},{}]"))
	f.Fuzz(func(t *testing.T, first, second []byte) {
		reply := &hub.Reply{Request: thoughtful, ID: "ID", Model: "m"}
		events, array := &streamed{enc: gemini.Hub{}.Encoder(reply)}, &streamed{enc: gemini.HubArray{}.Encoder(reply)}
		var a hub.Answer
		for _, to := range []hub.Sink{events, array, &a} {
			s := hub.NewSequence(to, "ID")
			d := gemini.Hub{}.Decoder(thoughtful, "google")
			for _, data := range [][]byte{first, second} {
				if d.Event(&wire.Event{HasData: true, Data: data}, s) != nil {
					return
				}
			}
			s.Finish(&wire.Usage{Input: 1, Present: true})
		}
		splitEvents(t, string(events.body), 1<<20, func(e *wire.Event) {
			if e.HasData && !wire.Valid(e.Data) {
				t.Fatalf("%q", e.Data)
			}
		})
		body := gemini.Hub{}.Encoder(reply).AppendAnswer(nil, &a)
		if !wire.Valid(array.body) || !wire.Valid(body) {
			t.Fatalf("%q\n%q", array.body, body)
		}
	})
}

func FuzzHubEmbeds(f *testing.F) {
	f.Add([]byte(`{"requests":[{"content":{"parts":[{"text":"a"}]},"taskType":"X","title":"t","outputDimensionality":2}]}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		var m wire.Members
		var e hub.Embeds
		if wire.Scan(body, &m) != nil || (gemini.EmbeddingsHub{}).DecodeEmbeds(body, &e) != nil {
			return
		}
		up, _, err := gemini.EmbeddingsHub{}.EncodeEmbeds(nil, &e, target)
		if err != nil || wire.Scan(up, &m) != nil {
			t.Fatalf("%s\n%s", body, up)
		}
	})
}
