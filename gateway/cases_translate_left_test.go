package gateway_test

import (
	"testing"

	"relay/store"
)

// What a host can be told in general but not with the values of this request is named
// beside what it cannot be told at all, and not by the next request.
func TestTranslation_NamesWhatItLeavesOutForItsValues(t *testing.T) {
	r, up := newTongues(t)
	key := r.key("k", store.RelayKeySpec{})
	says := kindsNamed("messages whole")[0].says(1, 1)
	up.Play(says, says)
	const asks = `{"model":"to-anthropic","max_tokens":8000,"seed":7,"temperature":0.5,"stop":["a"," "],"messages":[{"role":"user","content":"hi"}]`
	for _, c := range []struct{ more, want string }{
		{`,"reasoning_effort":"low"}`, "seed, temperature, stop"},
		{`}`, "seed, stop"},
	} {
		a := r.call(key, asks+c.more)
		if got := a.Header.Get("X-Relay-Dropped-Params"); a.Status != 200 || got != c.want {
			t.Errorf("got %d, dropped %q, want %q: %s", a.Status, got, c.want, a.Body)
		}
	}
}
