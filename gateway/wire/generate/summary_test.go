package generate_test

import (
	"testing"

	"relay/gateway/wire/generate"
	"relay/gateway/wire/hub"
)

func TestDecode_ReadsASummaryBesideNoThoughtsAndLeavesTheBodyAsItIs(t *testing.T) {
	const said = `{"model":"m","input":[{"type":"reasoning","content":"","summary":[{"type":"text","text":"a"},{"type":"text","text":"b"}]},{"role":"user","content":"q"}]}`
	body := []byte(said)
	var r hub.Request
	if err := (generate.Hub{}).Decode(body, &r); err != nil {
		t.Fatal(err)
	}
	if got := r.Items[0].Text; string(got) != `a\n\nb` || string(body) != said {
		t.Errorf("the thought is %s, the body %s", got, body)
	}
}
