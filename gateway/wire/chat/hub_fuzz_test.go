package chat_test

import (
	"bytes"
	"testing"

	"relay/gateway/wire"
	"relay/gateway/wire/chat"
	"relay/gateway/wire/hub"
)

// Whatever a caller sends is refused, or goes up as a body that is one, and the
// same each time.
func FuzzHubDecode(f *testing.F) {
	for _, body := range []string{
		`{"model":"m","messages":[{"role":"system","content":"s"},{"role":"user","content":[{"type":"text","text":"a","cache_control":{}},{"type":"image_url","image_url":{"url":"data:image/png;base64,AA=="}}]}],"tools":[{"type":"function","function":{"name":"f","parameters":{}}}],"tool_choice":"required","stream":true,"stream_options":{"include_usage":true}}`,
		`{"model":"m","messages":[{"role":"assistant","content":null,"reasoning_content":"hm","reasoning_details":[{"type":"reasoning.text","text":"a","signature":"s","format":"openai/p","index":0},{"type":"reasoning.encrypted","data":"cmVsYXkxAA==","id":"i","format":"openai/p"}],"tool_calls":[{"id":"i","type":"custom","custom":{"name":"c","input":"x"}}]},{"role":"tool","tool_call_id":"i","content":[{"type":"input_audio","input_audio":{"data":"A","format":"wav"}}]}]}`,
		`{"model":"m","messages":[{"role":"user","content":"a"}],"response_format":{"type":"json_schema","json_schema":{"schema":{}}},"reasoning":{"max_tokens":5},"stop":["a"],"think":true,"service_tier":"flex","tools":[{"type":"custom","custom":{"name":"c","format":{"type":"grammar","grammar":{"definition":"d"}}}}],"tool_choice":{"type":"allowed_tools","allowed_tools":{"mode":"auto","tools":[{"type":"custom","custom":{"name":"c"}}]}}}`,
	} {
		f.Add([]byte(body))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		var r hub.Request
		if wire.Scan(body, &wire.Members{}) != nil || (chat.Hub{}).Decode(body, &r) != nil {
			return
		}
		before := bytes.Clone(body)
		if _, err := r.Check("openai", chat.Hub{}.Fates()); err != nil {
			return
		}
		to := hub.Target{Model: "up", Provider: "p", Streamed: r.Streamed}
		up, err := chat.Hub{}.Encode(nil, &r, to)
		if err != nil {
			return
		}
		if err := wire.Scan(up, &wire.Members{}); err != nil {
			t.Errorf("%s\ngoes up as %s: %v", body, up, err)
		}
		if again, _ := (chat.Hub{}).Encode(nil, &r, to); !bytes.Equal(again, up) || !bytes.Equal(before, body) {
			t.Errorf("%s\ngoes up as %s\nand as     %s", before, up, again)
		}
	})
}

// Whatever an upstream sends is refused, or told in JSON.
func FuzzHubEvent(f *testing.F) {
	for _, seed := range [][2]string{
		{deltaOf(`"reasoning":"h","content":"a"`), ended("stop")},
		{callOf(`"index":0,"id":"i","function":{"name":"f","arguments":"{"}`), callOf(`"index":1,"id":"j","function":{"name":"c","arguments":"{\"input\":\"x\"}"}`)},
		{deltaOf(`"reasoning_details":[{"type":"reasoning.text","text":"h","signature":"s","index":0}]`), deltaOf(`"content":[{"type":"thinking","thinking":[{"type":"text","text":"h"}]}]`)},
		{`{"choices":[{"message":{"content":"a","tool_calls":[{"id":"i","custom":{"name":"c","input":"x"}}]}}]}`, `[DONE]`},
	} {
		f.Add([]byte(seed[0]), []byte(seed[1]))
	}
	f.Fuzz(func(t *testing.T, first, second []byte) {
		r := &hub.Request{WantsUsage: true, Tools: []hub.Tool{{Kind: hub.ToolCustom, Name: hub.Text("c")}}}
		s := &stream{encoder: chat.Hub{}.Encoder(&hub.Reply{ID: "A", Request: r})}
		seq, decoder := hub.NewSequence(s, "A"), chat.Hub{}.Decoder(r, "p")
		for _, data := range [][]byte{first, second} {
			_ = decoder.Event(&wire.Event{HasData: true, Data: data}, seq)
		}
		seq.Finish(&wire.Usage{})
		for block := range bytes.SplitSeq(s.out, []byte("\n\n")) {
			data, found := bytes.CutPrefix(block, []byte("data: "))
			if found && !bytes.Equal(data, []byte("[DONE]")) && !wire.Valid(data) {
				t.Errorf("%s\n%s\nare told as %s", first, second, block)
			}
		}
		whole := &hub.Answer{}
		seq = hub.NewSequence(whole, "A")
		_ = chat.Hub{}.Decoder(r, "p").Answer(first, seq)
		seq.Finish(&wire.Usage{})
		if told := (chat.Hub{}).Encoder(&hub.Reply{ID: "A", Request: r}).AppendAnswer(nil, whole); !wire.Valid(told) {
			t.Errorf("%s\nis told as %s", first, told)
		}
	})
}

func FuzzReadVectors(f *testing.F) {
	f.Add([]byte(`{"data":[{"index":0,"embedding":[1.5,-2]}]}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		v, err := chat.EmbeddingsHub{}.ReadVectors(body)
		if err != nil || !wire.Valid(body) {
			return
		}
		for _, e := range []hub.Embeds{{}, {Base64: true}} {
			if told := (chat.EmbeddingsHub{}).AppendVectors(nil, v, &e, "m", 1); !wire.Valid(told) {
				t.Errorf("%s\nis told as %s", body, told)
			}
		}
	})
}
