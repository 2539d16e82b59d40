package chat_test

import (
	"fmt"
	"strings"
	"testing"

	"relay/gateway/wire"
	"relay/gateway/wire/chat"
	"relay/gateway/wire/hub"
)

// delivered reads a stream's chunks into an answer and writes it down: its items,
// and why it has ended.
func delivered(tb testing.TB, r *hub.Request, chunks ...string) string {
	tb.Helper()
	a := &hub.Answer{}
	seq := hub.NewSequence(a, "A")
	decoder := chat.Hub{}.Decoder(r, "p")
	for _, c := range chunks {
		if err := decoder.Event(&wire.Event{HasData: true, Data: []byte(c)}, seq); err != nil {
			tb.Fatalf("%v in %s", err, c)
		}
	}
	seq.Finish(&wire.Usage{})
	return told(a)
}

func told(a *hub.Answer) string {
	reasons := [...]string{"unknown", "stop", "stop sequence", "length", "calls", "filter", "refusal", "pause"}
	return strings.TrimSpace(items(a.Items) + "\n" + reasons[a.Reason])
}

// delta is a chunk with the members of a delta.
func deltaOf(members string) string {
	return `{"id":"x","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{` + members + `},"logprobs":null,"finish_reason":null}],"usage":null}`
}

func ended(reason string) string {
	return `{"choices":[{"delta":{},"finish_reason":"` + reason + `","index":0}]}`
}

func callOf(member string) string { return deltaOf(`"tool_calls":[{` + member + `}]`) }

func TestEvent_ReadsStreamsAsServersWriteThem(t *testing.T) {
	for name, test := range map[string]struct {
		chunks []string
		want   string
	}{
		"OpenAI's": {
			[]string{
				deltaOf(`"role":"assistant","content":"","refusal":null`), deltaOf(`"content":"a\n"`), deltaOf(`"content":"b"`), ended("stop"),
				`{"choices":[],"usage":{"prompt_tokens":1}}`, "[DONE]",
			},
			lines(`assistant text("a\nb")`, "stop"),
		},
		"Ollama's, with a role in every delta": {
			[]string{deltaOf(`"role":"assistant","content":"a"`), deltaOf(`"role":"assistant","content":" b"`), ended("stop")},
			lines(`assistant text("a b")`, "stop"),
		},
		"Azure's, with a chunk of filters": {
			[]string{`{"choices":[],"prompt_filter_results":[]}`, deltaOf(`"content":"a"`), `{"choices":[{"index":0,"finish_reason":"length"}]}`},
			lines(`assistant text("a")`, "length"),
		},
		"Mistral's, with parts": {
			[]string{
				deltaOf(`"content":[{"type":"thinking","thinking":[{"type":"text","text":"h"}]}]`),
				deltaOf(`"content":[{"type":"thinking","thinking":[{"type":"text","text":"m"}]}]`),
				deltaOf(`"content":[{"type":"text","text":"a"}]`), deltaOf(`"content":"b"`), ended("model_length"),
			},
			lines(`thought "hm"`, `assistant text("ab")`, "length"),
		},
		"a refusal": {
			[]string{deltaOf(`"refusal":"n"`), deltaOf(`"refusal":"o"`), ended("stop")}, lines(`assistant refusal("no")`, "refusal"),
		},
		"several choices, of which the first counts": {
			[]string{`{"choices":[{"index":1,"delta":{"content":"x"},"finish_reason":"length"},{"index":0,"delta":{"content":"a"}}]}`, deltaOf(`"content":"b"`)},
			lines(`assistant text("ab")`, "stop"),
		},
		"a call in pieces": {
			[]string{
				callOf(`"index":0,"id":"i","type":"function","function":{"name":"f","arguments":""}`), callOf(`"index":0,"function":{"arguments":"{\"a\""}`),
				callOf(`"index":0,"function":{"arguments":":1}"}`), ended("tool_calls"),
			},
			lines(`call i f {"a":1}`, "calls"),
		},
		"interleaved calls": {
			[]string{
				deltaOf(`"content":"a"`),
				callOf(`"index":0,"id":"i","function":{"name":"f","arguments":"{"}`), callOf(`"index":1,"id":"j","function":{"name":"g","arguments":"{"}`),
				callOf(`"index":1,"function":{"arguments":"\"b\":2"}`), callOf(`"index":0,"function":{"arguments":"\"a\":1"}`),
				deltaOf(`"tool_calls":[{"index":0,"function":{"arguments":"}"}},{"index":1,"function":{"arguments":"}"}}]`), ended("tool_calls"),
			},
			lines(`assistant text("a")`, `call i f {"a":1}`, `call j g {"b":2}`, "calls"),
		},
		"text and whole calls in one chunk, that ends with stop": {
			[]string{`{"choices":[{"index":0,"finish_reason":"stop","delta":{"tool_calls":[{"index":0,"id":"i","function":{"name":"f","arguments":"{}"}},{"index":1,"id":"j","function":{"name":"g","arguments":"{}"}}],"content":"a"}}]}`},
			lines(`assistant text("a")`, `call i f {}`, `call j g {}`, "calls"),
		},
		"calls without an index": {
			[]string{
				callOf(`"id":"i","function":{"name":"f","arguments":"{"}`), callOf(`"function":{"arguments":"}"}`),
				callOf(`"id":"j","function":{"name":"g","arguments":"{}"}`), callOf(`"function":{"name":"h"}`), ended("tool_calls"),
			},
			lines(`call i f {}`, `call j g {}`, `call call_A_3 h {}`, "calls"),
		},
		"one index for all calls": {
			[]string{
				callOf(`"index":0,"id":"i","function":{"name":"f","arguments":"{}"}`), callOf(`"index":0,"id":"j","function":{"name":"f","arguments":"{}"}`),
				callOf(`"index":0,"function":{"arguments":""}`), ended("stop"),
			},
			lines(`call i f {}`, `call j f {}`, "calls"),
		},
		"another id in every piece": {
			[]string{
				callOf(`"index":0,"id":"i","function":{"name":"f"}`), callOf(`"index":0,"id":"j","function":{"name":null,"arguments":"{\"a\":"}`),
				callOf(`"index":0,"id":"k","function":{"arguments":"1}"}`), ended("tool_calls"),
			},
			lines(`call i f {"a":1}`, "calls"),
		},
		"id and name in every piece": {
			[]string{callOf(`"index":0,"id":"i","function":{"name":"f","arguments":"{"}`), callOf(`"index":0,"id":"i","function":{"name":"f","arguments":"}"}`), ended("tool_calls")},
			lines(`call i f {}`, "calls"),
		},
		"an id before the name": {
			[]string{callOf(`"index":0,"id":"i"`), callOf(`"index":0,"function":{"name":"f"}`), callOf(`"index":0,"function":{"arguments":"{}"}`), callOf(`"index":1,"id":"never"`)},
			lines(`call i f {}`, "calls"),
		},
		"arguments as an object, and null": {
			[]string{callOf(`"index":0,"id":"i","function":{"name":"f","arguments":{"a": [1]}}`), callOf(`"index":1,"id":"j","function":{"name":"g","arguments":null}`), ended("tool_calls")},
			lines(`call i f {"a": [1]}`, `call j g {}`, "calls"),
		},
		"a custom call": {
			[]string{callOf(`"index":0,"id":"i","type":"custom","custom":{"name":"c","input":""}`), callOf(`"index":0,"custom":{"input":"raw "}`), callOf(`"index":0,"custom":{"input":"{}"}`), ended("tool_calls")},
			lines(`call i c raw {} custom`, "calls"),
		},
		"the older function_call": {
			[]string{deltaOf(`"function_call":{"name":"f","arguments":""}`), deltaOf(`"function_call":{"arguments":"{\"a\""}`), deltaOf(`"function_call":{"arguments":":1}"}`), ended("function_call")},
			lines(`call call_A_1 f {"a":1}`, "calls"),
		},
		"a call that is cut off": {
			[]string{callOf(`"index":0,"id":"i","function":{"name":"f","arguments":"{\"a\":"}`), ended("tool_calls")},
			lines(`call i f {"a": cut`, "length"),
		},
	} {
		if got := delivered(t, &hub.Request{}, test.chunks...); got != test.want {
			t.Errorf("%s: got\n%s\nwant\n%s", name, got, test.want)
		}
	}
}

func TestEvent_KnowsWhyAnAnswerEnds(t *testing.T) {
	for word, want := range map[string]string{
		"stop": "stop", "length": "length", "content_filter": "filter", "tool_calls": "calls", "max_tokens": "length",
		"insufficient_system_resource": "length", "something else": "stop", "": "stop",
	} {
		if got := delivered(t, &hub.Request{}, ended(word)); got != want {
			t.Errorf("%s: %s", word, got)
		}
	}
}

// Each piece of a thought is passed on as it comes, whatever its member.
func TestEvent_ReadsThoughtsFromEveryMember(t *testing.T) {
	for name, test := range map[string]struct {
		chunks []string
		want   string
	}{
		"reasoning_content": {
			[]string{deltaOf(`"role":"assistant","content":"","reasoning_content":"h"`), deltaOf(`"content":null,"reasoning_content":"m"`), deltaOf(`"content":"a","reasoning_content":null`), ended("stop")},
			lines(`thought "hm" <openai/p 0  reasoning_content>`, `assistant text("a")`, "stop"),
		},
		"reasoning beside empty members": {
			[]string{deltaOf(`"reasoning":"h","content":"","tool_calls":[],"refusal":null`), deltaOf(`"reasoning":"m","content":[],"tool_calls":[ ]`), ended("stop")},
			lines(`thought "hm" <openai/p 0  reasoning>`, "stop"),
		},
		"reasoning": {
			[]string{deltaOf(`"reasoning":"h"`), deltaOf(`"reasoning":"m"`), ended("stop")},
			lines(`thought "hm" <openai/p 0  reasoning>`, "stop"),
		},
		"both, which say the same": {
			[]string{deltaOf(`"reasoning":"h","reasoning_content":"h"`), deltaOf(`"content":"a"`)},
			lines(`thought "h" <openai/p 0  reasoning_content>`, `assistant text("a")`, "stop"),
		},
		"thoughts and text in turn": {
			[]string{deltaOf(`"reasoning":"h","content":"a"`), deltaOf(`"reasoning":"m"`), callOf(`"index":0,"id":"i","function":{"name":"f","arguments":"{}"}`)},
			lines(`thought "h" <openai/p 0  reasoning>`, `assistant text("a")`, `thought "m" <openai/p 0  reasoning>`, `call i f {}`, "calls"),
		},
		"details, with the same text beside them": {
			[]string{
				deltaOf(`"reasoning":"h","reasoning_details":[{"type":"reasoning.text","text":"h","format":"x-v1","index":0}]`),
				deltaOf(`"reasoning":"m","reasoning_details":[{"type":"reasoning.text","text":"m","index":0}]`),
				deltaOf(`"reasoning_details":[{"type":"reasoning.text","text":"","signature":"s","index":0}]`),
				deltaOf(`"reasoning":"!","reasoning_details":[{"type":"reasoning.summary","summary":"!","index":1},{"type":"reasoning.encrypted","data":"d","index":1}]`),
				deltaOf(`"content":"a"`), ended("stop"),
			},
			lines(`thought "hm" <openai/p 0  {\"type\":\"reasoning.text\",\"text\":\"\",\"signature\":\"s\",\"index\":0}>`,
				`thought "!" <openai/p 2  {\"type\":\"reasoning.encrypted\",\"data\":\"d\",\"index\":1}>`, `assistant text("a")`, "stop"),
		},
		"a bare text, of which the detail is encrypted": {
			[]string{deltaOf(`"reasoning":"sum"`), deltaOf(`"reasoning_details":[{"type":"reasoning.encrypted","data":"d","index":3}]`), deltaOf(`"content":"a"`)},
			lines(`thought "sum" <openai/p 2  {\"type\":\"reasoning.encrypted\",\"data\":\"d\",\"index\":3}>`, `assistant text("a")`, "stop"),
		},
		"encrypted details alone": {
			[]string{deltaOf(`"reasoning_details":[{"type":"reasoning.encrypted","data":"c","id":"i"},{"type":"reasoning.encrypted","data":"d","id":"j"}]`), ended("stop")},
			lines(`thought "" <openai/p 2  {\"type\":\"reasoning.encrypted\",\"data\":\"c\",\"id\":\"i\"}>`,
				`thought "" <openai/p 2  {\"type\":\"reasoning.encrypted\",\"data\":\"d\",\"id\":\"j\"}>`, "stop"),
		},
	} {
		got := delivered(t, &hub.Request{}, test.chunks...)
		if got = strings.ReplaceAll(got, `"`, `'`); got != strings.ReplaceAll(strings.ReplaceAll(test.want, `\"`, `"`), `"`, `'`) {
			t.Errorf("%s: got\n%s\nwant\n%s", name, got, test.want)
		}
	}
}

func TestEvent_PassesEachPieceOnAtOnce(t *testing.T) {
	s := &stream{encoder: chat.Hub{}.Encoder(reply(false))}
	seq := hub.NewSequence(s, "01")
	decoder := chat.Hub{}.Decoder(&hub.Request{}, "p")
	for _, member := range []string{"reasoning", "reasoning_content", "content"} {
		s.out = nil
		if err := decoder.Event(&wire.Event{HasData: true, Data: []byte(deltaOf(`"` + member + `":"x"`))}, seq); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(s.out), `content":"x"`) {
			t.Errorf("%s is told as %s", member, s.out)
		}
	}
}

func TestEvent_ReadsCustomToolsThatWentUpAsFunctions(t *testing.T) {
	r := &hub.Request{Tools: []hub.Tool{{Kind: hub.ToolCustom, Name: hub.Text("patch"), Namespace: hub.Text("edit")}}}
	first := callOf(`"index":0,"id":"i","function":{"name":"edit__patch","arguments":""}`)
	other := callOf(`"index":1,"id":"j","function":{"name":"g","arguments":"{}"}`)
	for name, test := range map[string]struct {
		chunks []string
		want   string
	}{
		"in pieces": {
			[]string{first, callOf(`"index":0,"function":{"arguments":"{\"input\":\"a\\n"}`), other, callOf(`"index":0,"function":{"arguments":"{}b\"}"}`), ended("tool_calls")},
			lines(`call i edit__patch a`+"\n"+`{}b custom`, `call j g {}`, "calls"),
		},
		"without a reason": {
			[]string{first, callOf(`"index":0,"function":{"arguments":"{\"input\":\"a\"}"}`), "[DONE]", "[DONE]"},
			lines(`call i edit__patch a custom`, "calls"),
		},
		"other arguments": {
			[]string{first, callOf(`"index":0,"function":{"arguments":"{\"x\":1}"}`), ended("stop")}, lines(`call i edit__patch {"x":1} custom`, "calls"),
		},
		"none": {[]string{first, ended("stop")}, lines(`call i edit__patch  custom`, "calls")},
		"cut off": {
			[]string{first, callOf(`"index":0,"function":{"arguments":"{\"input\":\"a"}`), ended("tool_calls")}, lines(`call i edit__patch  custom cut`, "length"),
		},
		"cut off at once": {[]string{first, ended("length")}, lines(`call i edit__patch  custom cut`, "length")},
	} {
		if got := delivered(t, r, test.chunks...); got != test.want {
			t.Errorf("%s: got\n%s\nwant\n%s", name, got, test.want)
		}
	}
	a := &hub.Answer{}
	seq := hub.NewSequence(a, "A")
	whole := `{"choices":[{"message":{"tool_calls":[{"id":"i","function":{"name":"edit__patch","arguments":"{\"input\":\"a\"}"}}]}}]}`
	if err := (chat.Hub{}).Decoder(r, "").Answer([]byte(whole), seq); err != nil {
		t.Fatal(err)
	}
	seq.Finish(nil)
	if got := told(a); got != lines(`call i edit__patch a custom`, "calls") {
		t.Errorf("whole: %s", got)
	}
	if !a.Items[0].Call.Namespace.Is("edit") {
		t.Errorf("%+v", a.Items[0].Call)
	}
}

func TestAnswer_ReadsWholeAnswers(t *testing.T) {
	for message, want := range map[string]string{
		`"content":"a","finish_reason":"x"`: lines(`assistant text("a")`, "stop"),
		`"reasoning_details":[{"type":"reasoning.text","text":"hm","signature":"s"}],"reasoning":"hm","content":"a"`: lines(
			`thought "hm" <openai/p 0  {"type":"reasoning.text","text":"hm","signature":"s"}>`, `assistant text("a")`, "stop"),
		`"tool_calls":[{"id":"c","function":{"name":"f","arguments":"{}"}},{"id":"c","function":{"name":"f","arguments":"{}"}},{"function":{"name":"g","arguments":{}}}],"content":null`: lines(
			`call c f {}`, `call c f {}`, `call call_A_3 g {}`, "calls"),
	} {
		a := &hub.Answer{}
		seq := hub.NewSequence(a, "A")
		body := `{"object":"chat.completion","choices":[{"index":0,"message":{"role":"assistant",` + message + `},"finish_reason":"stop"}]}`
		if err := (chat.Hub{}).Decoder(&hub.Request{}, "p").Answer([]byte(body), seq); err != nil {
			t.Errorf("%s: %v", body, err)
		}
		seq.Finish(nil)
		got := strings.ReplaceAll(told(a), `\"`, `"`)
		if got != want {
			t.Errorf("%s: got\n%s\nwant\n%s", message, got, want)
		}
	}
}

func TestDecoder_SaysWhatIsWrongWithAnAnswer(t *testing.T) {
	seq := hub.NewSequence(&hub.Answer{}, "A")
	for body, want := range map[string]string{
		`{"choices":[]}`: "holds no choice", `{}`: "holds no choice", `{"choices":[{"index":1}]}`: "holds no choice", `{"choices":`: "holds what is not JSON", ``: "holds what is not JSON",
	} {
		if err := (chat.Hub{}).Decoder(&hub.Request{}, "").Answer([]byte(body), seq); err == nil || err.Error() != want {
			t.Errorf("%q: %v", body, err)
		}
	}
	decoder := chat.Hub{}.Decoder(&hub.Request{}, "")
	if err := decoder.Event(&wire.Event{HasData: true, Data: []byte("ping")}, seq); err == nil || err.Error() != "holds what is not JSON" {
		t.Errorf("%v", err)
	}
	var err error
	for i := 0; err == nil && i < 5000; i++ {
		err = decoder.Event(&wire.Event{HasData: true, Data: []byte(callOf(fmt.Sprintf(`"index":%d,"id":"i%d","function":{"name":"f","arguments":"{}"}`, i, i)))}, seq)
	}
	if err == nil || err.Error() != "holds more than 4096 tool calls" {
		t.Errorf("%v", err)
	}
}

// Texts and arguments come in pieces of any size to the same end.
func TestEvent_ReadsTheSameWhateverThePieces(t *testing.T) {
	text, arguments := `é\n\"x\" 😀`, `{\"a\":[1,\"\\n\"]}`
	want := delivered(t, &hub.Request{}, deltaOf(`"reasoning":"`+text+`"`), deltaOf(`"content":"`+text+`"`),
		callOf(`"index":0,"id":"i","function":{"name":"f","arguments":"`+arguments+`"}`), ended("tool_calls"))
	var chunks []string
	each := func(s hub.Text, member string) {
		for _, r := range s.String() {
			chunks = append(chunks, deltaOf(fmt.Sprintf(member, hub.Quote(string(r)).Append(nil))))
		}
	}
	each(hub.Text(text), `"reasoning":%s`)
	each(hub.Text(text), `"content":%s`)
	chunks = append(chunks, callOf(`"index":0,"id":"i","function":{"name":"f"}`))
	each(hub.Text(arguments), `"tool_calls":[{"index":0,"function":{"arguments":%s}}]`)
	if got := delivered(t, &hub.Request{}, append(chunks, ended("tool_calls"))...); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
