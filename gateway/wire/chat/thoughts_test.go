package chat_test

import (
	"encoding/json"
	"strings"
	"testing"

	"relay/gateway/wire/hub"
)

// A caller gets an answer with opaque parts and sends it back with the next turn,
// as clients do that keep the message that they were given.
func TestThoughts_OfAnyShapeSurviveTheirRoundThroughACaller(t *testing.T) {
	answer := hub.Answer{Items: []hub.Item{
		{Kind: hub.ItemReasoning, Text: hub.Text(`one\n`), Opaque: hub.Opaque{Shape: "anthropic", Provider: "p", Data: hub.Text("SIG==")}},
		{Kind: hub.ItemReasoning, Opaque: hub.Opaque{Shape: "anthropic", Provider: "p", Kind: hub.OpaqueRedacted, Data: hub.Text("RED==")}},
		{Kind: hub.ItemReasoning, Text: hub.Text("two"), Opaque: hub.Opaque{Shape: "anthropic", Provider: "p", Data: hub.Text("SIG2")}},
		{Role: hub.RoleAssistant, Parts: []hub.Part{{Text: hub.Text("said")}}},
		{Kind: hub.ItemCall, Call: hub.Call{ID: hub.Text("c1"), Name: hub.Text("f")}, Arguments: hub.Text("{}")},
		{Kind: hub.ItemCall, Call: hub.Call{ID: hub.Text("c2"), Name: hub.Text("g")}, Arguments: hub.Text("{}"), Opaque: hub.Opaque{Shape: "gemini", Provider: "q", Data: hub.Text("GS")}},
	}}
	want := lines(`thought "one\n" <anthropic/p 0  SIG==>`, `thought "" <anthropic/p 1  RED==>`, `thought "two" <anthropic/p 0  SIG2>`,
		`assistant text("said")`, `call c1 f {}`, `call c2 g {} <gemini/q 0 c2 GS>`)
	if got := items(decode(t, conversation(`[{"role":"user","content":"a"},`+messageOf(t, &answer)+`]`)).Items[1:]); got != want {
		t.Errorf("whole: got\n%s\nwant\n%s", got, want)
	}
	if got := items(decode(t, conversation(`[{"role":"user","content":"a"},`+accumulate(t, streamOf(&answer))+`]`)).Items[1:]); got != want {
		t.Errorf("streamed: got\n%s\nwant\n%s", got, want)
	}
}

func TestThoughts_ThatAreEncryptedComeWithTheirSummary(t *testing.T) {
	answer := hub.Answer{Items: []hub.Item{
		{Kind: hub.ItemReasoning, Text: hub.Text("sum"), Opaque: hub.Opaque{Shape: "openai_responses", Kind: hub.OpaqueEncrypted, ID: hub.Text("rs_1"), Data: hub.Text("ENC")}},
		{Kind: hub.ItemCall, Call: hub.Call{ID: hub.Text("c1"), Name: hub.Text("f")}, Arguments: hub.Text("{}")},
	}}
	want := lines(`thought "sum" <openai_responses/ 2 rs_1 ENC>`, `call c1 f {}`)
	if got := items(decode(t, conversation(`[`+messageOf(t, &answer)+`]`)).Items); got != want {
		t.Errorf("got\n%s", got)
	}
}

func TestThoughts_AreReadFromEveryMemberThatTellsThem(t *testing.T) {
	for members, want := range map[string]string{
		`"reasoning_content":"a"`:                 `thought "a"`,
		`"reasoning":"a"`:                         `thought "a"`,
		`"reasoning_content":"a","reasoning":"b"`: `thought "a"`,
		`"reasoning":{"effort":1}`:                ``,
		`"reasoning_details":[{"type":"reasoning.text","text":"a","signature":"s","format":"some-v1"},{"type":"reasoning.summary","summary":"b"}],"reasoning":"ab"`: lines(`thought "a"`, `thought "b"`),
		`"reasoning_details":[{"type":"reasoning.encrypted","data":"x","id":"c1","format":"gemini/p"}],"reasoning_content":"a"`:                                     lines(`thought "a"`),
		`"reasoning_details":"odd"`: ``,
	} {
		r := decode(t, conversation(`[{"role":"assistant","content":"b",`+members+`,"tool_calls":[{"id":"c1","function":{"name":"f"}}]}]`))
		call := `call c1 f {}`
		if strings.Contains(members, "gemini/p") {
			call += ` <gemini/p 0 c1 x>`
		}
		if got := items(r.Items); got != strings.TrimSpace(lines(want, `assistant text("b")`, call)) {
			t.Errorf("%s: got\n%s", members, got)
		}
	}
}

func TestThoughts_GoBackToTheirOwnHostInTheirOwnMembers(t *testing.T) {
	own := func(kind hub.OpaqueKind, provider, data string) hub.Opaque {
		return hub.Opaque{Shape: "openai", Provider: provider, Kind: kind, Data: hub.Quote(data)}
	}
	signed := `{"type":"reasoning.text","signature":"s","format":"x-v1","index":0}`
	encrypted := `{"type":"reasoning.encrypted","data":"d","id":"i","index":1}`
	asked := hub.Item{Role: hub.RoleUser, Parts: []hub.Part{{Text: hub.Text("a")}}}
	said := hub.Item{Role: hub.RoleAssistant, Parts: []hub.Part{{Text: hub.Text("b")}}}
	for name, test := range map[string]struct {
		thoughts []hub.Item
		want     string
	}{
		"details": {
			[]hub.Item{
				{Kind: hub.ItemReasoning, Text: hub.Text("t"), Opaque: own(hub.OpaqueSignature, "p", signed)},
				{Kind: hub.ItemReasoning, Text: hub.Text("left out"), Opaque: own(hub.OpaqueEncrypted, "p", encrypted)},
			},
			`,"reasoning_details":[{"text":"t","type":"reasoning.text","signature":"s","format":"x-v1","index":0},` + encrypted + `]`,
		},
		"a bare text": {
			[]hub.Item{{Kind: hub.ItemReasoning, Text: hub.Text("t"), Opaque: own(hub.OpaqueSignature, "p", "reasoning_content")}},
			`,"reasoning_content":"t"`,
		},
		"a bare text of the other name": {
			[]hub.Item{{Kind: hub.ItemReasoning, Text: hub.Text("t"), Opaque: own(hub.OpaqueSignature, "p", "reasoning")}},
			`,"reasoning":"t"`,
		},
		"of another provider": {
			[]hub.Item{{Kind: hub.ItemReasoning, Text: hub.Text("t"), Opaque: own(hub.OpaqueSignature, "q", "reasoning")}}, ``,
		},
		"of a provider that nobody knows": {
			[]hub.Item{{Kind: hub.ItemReasoning, Text: hub.Text("t"), Opaque: own(hub.OpaqueSignature, "", signed)}}, ``,
		},
		"of another shape": {
			[]hub.Item{{Kind: hub.ItemReasoning, Text: hub.Text("t"), Opaque: hub.Opaque{Shape: "anthropic", Provider: "p", Data: hub.Text("s")}}}, ``,
		},
		"what somebody has made up": {
			[]hub.Item{{Kind: hub.ItemReasoning, Text: hub.Text("t"), Opaque: own(hub.OpaqueSignature, "p", `{}],"model":"dear","x":[{}`)}}, ``,
		},
	} {
		r := &hub.Request{Items: append(append([]hub.Item{asked}, test.thoughts...), said)}
		got, _ := encode(t, r, hub.Target{Model: "up", Provider: "p"})
		equal(t, name, got, `{"model":"up","messages":[{"role":"user","content":"a"},{"role":"assistant","content":"b"`+test.want+`}]}`)
	}
}

func TestThoughts_ThatAreBareGoBackWithinTheTurnAlone(t *testing.T) {
	asked := hub.Item{Role: hub.RoleUser, Parts: []hub.Part{{Text: hub.Text("a")}}}
	think := hub.Item{Kind: hub.ItemReasoning, Text: hub.Text("t"), Opaque: hub.Opaque{Shape: "openai", Provider: "p", Data: hub.Text("reasoning_content")}}
	call := hub.Item{Kind: hub.ItemCall, Call: hub.Call{ID: hub.Text("i"), Name: hub.Text("f")}}
	result := hub.Item{Kind: hub.ItemResult, Call: call.Call}
	r := &hub.Request{Items: []hub.Item{asked, think, call, result, asked, think, call, result}}
	got, _ := encode(t, r, hub.Target{Model: "up", Provider: "p"})
	const called = `{"role":"assistant","content":null,"tool_calls":[{"id":"i","type":"function","function":{"name":"f","arguments":"{}"}}]`
	const answered = `{"role":"tool","tool_call_id":"i","content":""}`
	equal(t, "two turns", got, `{"model":"up","messages":[{"role":"user","content":"a"},`+called+`},`+answered+`,
		{"role":"user","content":"a"},`+called+`,"reasoning_content":"t"},`+answered+`]}`)
}

// accumulate joins the deltas of a stream into a message, as SDKs do, of which some
// keep the last of a member that they do not know.
func accumulate(tb testing.TB, stream string) string {
	tb.Helper()
	type call struct {
		ID       string `json:"id"`
		Type     string `json:"type"`
		Function struct {
			Name      string `json:"name"`
			Arguments string `json:"arguments"`
		} `json:"function"`
	}
	var message struct {
		Role             string            `json:"role"`
		Content          string            `json:"content"`
		ReasoningContent string            `json:"reasoning_content"`
		ReasoningDetails []json.RawMessage `json:"reasoning_details"`
		ToolCalls        []call            `json:"tool_calls"`
	}
	for block := range strings.SplitSeq(stream, "\n\n") {
		data, found := strings.CutPrefix(block, "data: ")
		if !found || data == "[DONE]" {
			continue
		}
		var chunk struct {
			Choices []struct {
				Delta struct {
					Role             string            `json:"role"`
					Content          string            `json:"content"`
					ReasoningContent string            `json:"reasoning_content"`
					ReasoningDetails []json.RawMessage `json:"reasoning_details"`
					ToolCalls        []struct {
						Index int `json:"index"`
						call
					} `json:"tool_calls"`
				} `json:"delta"`
			} `json:"choices"`
		}
		if err := json.Unmarshal([]byte(data), &chunk); err != nil {
			tb.Fatalf("%v in %s", err, data)
		}
		for _, c := range chunk.Choices {
			message.Role += c.Delta.Role
			message.Content += c.Delta.Content
			message.ReasoningContent += c.Delta.ReasoningContent
			if c.Delta.ReasoningDetails != nil {
				message.ReasoningDetails = c.Delta.ReasoningDetails
			}
			for _, piece := range c.Delta.ToolCalls {
				if piece.Index == len(message.ToolCalls) {
					message.ToolCalls = append(message.ToolCalls, piece.call)
				} else {
					message.ToolCalls[piece.Index].Function.Arguments += piece.Function.Arguments
				}
			}
		}
	}
	b, err := json.Marshal(message)
	if err != nil {
		tb.Fatal(err)
	}
	return string(b)
}
