package chat_test

import (
	"strings"
	"testing"

	"relay/gateway/wire/chat"
	"relay/gateway/wire/hub"
)

// unsigned is the detail of a thought to which nothing belongs.
const unsigned = `"reasoning_details":[{"type":"reasoning.text","text":"hm","signature":"cmVsYXkxAAAAMAAA","format":"relay/","index":0}]`

func TestReturns_KnowsEveryMessageThatHoldsThoughtsOfAnotherHost(t *testing.T) {
	for name, thought := range map[string]hub.Item{
		"signed":    {Text: hub.Text("hm"), Opaque: hub.Opaque{Shape: "anthropic", Provider: "p", Data: hub.Text("S")}},
		"redacted":  {Opaque: hub.Opaque{Shape: "anthropic", Kind: hub.OpaqueRedacted, Data: hub.Text("S")}},
		"encrypted": {Text: hub.Text("hm"), Opaque: hub.Opaque{Shape: "openai_responses", Kind: hub.OpaqueEncrypted, Data: hub.Text("S")}},
		"own":       {Text: hub.Text("hm"), Opaque: hub.Opaque{Shape: "openai", Provider: "p", Data: hub.Text("reasoning")}},
		"unsigned":  {Text: hub.Text("hm")},
	} {
		thought.Kind = hub.ItemReasoning
		answer := hub.Answer{Items: []hub.Item{thought, {Role: hub.RoleAssistant, Parts: []hub.Part{{Text: hub.Text("said")}}}}}
		whole := conversation(`[` + messageOf(t, &answer) + `]`)
		for _, body := range []string{whole, conversation(`[` + accumulate(t, streamOf(&answer)) + `]`), strings.ReplaceAll(whole, `/`, `\/`), strings.ReplaceAll(whole, `":"`, "\" : \"")} {
			if !(chat.Hub{}).Returns([]byte(body)) {
				t.Errorf("%s is not known in %s", name, body)
			}
		}
	}
}

func TestReturns_LeavesWhatOtherVendorsHaveTold(t *testing.T) {
	for _, message := range []string{
		`{"role":"assistant","content":"b","reasoning_content":"hm"}`,
		`{"role":"assistant","content":"b","reasoning_details":[]}`,
		`{"role":"assistant","content":"b","reasoning_details":[{"type":"reasoning.encrypted","data":"x","format":"anthropic-claude-v1"}],"model":"anthropic/claude"}`,
		`{"role":"assistant","content":"b","reasoning_details":[{"type":"reasoning.text","text":"of a/b","format":null}],"format":"image/png"}`,
		`{"role":"user","content":"\"reasoning_details\":[{\"format\":\"anthropic/p\"}]"}`,
		`{"role":"assistant","content":"b","format":"anthropic/p"}`,
	} {
		if (chat.Hub{}).Returns([]byte(conversation(`[` + message + `]`))) {
			t.Errorf("%s is taken for Relay's", message)
		}
	}
}

func TestThoughts_ToWhichNothingBelongsAreReadAsSuch(t *testing.T) {
	r := decode(t, conversation(`[{"role":"assistant","content":"b","reasoning_content":"hm",`+unsigned+`}]`))
	if got, want := items(r.Items), lines(`thought "hm"`, `assistant text("b")`); got != want || len(r.Unknown) > 0 {
		t.Errorf("got\n%s\nand %v", got, r.Unknown)
	}
}

// BenchmarkReturns asks it of bodies of 80 kB, as it is asked of every request: one
// without details, and one with those of another vendor.
func BenchmarkReturns(b *testing.B) {
	turn := `{"role":"tool","tool_call_id":"c1","content":"package main\\n\\nfunc main() { reasoning(\\\"format\\\") }\\n"},`
	long := strings.Repeat(turn, 80_000/len(turn)) + `{"role":"user","content":"hi"}]`
	for name, text := range map[string]string{
		"without": conversation(`[` + long),
		"foreign": conversation(`[{"role":"assistant","content":"b","reasoning_details":[{"type":"reasoning.encrypted","data":"x","format":"vendor-v1"}]},` + long),
	} {
		b.Run(name, func(b *testing.B) {
			body := []byte(text)
			b.SetBytes(int64(len(body)))
			b.ReportAllocs()
			for b.Loop() {
				if (chat.Hub{}).Returns(body) {
					b.Fatal("it holds a detail of Relay's")
				}
			}
		})
	}
}
