package gateway_test

import (
	"testing"

	"relay/store"
)

func TestTranslation_IsExplained(t *testing.T) {
	r, up := newTongues(t)
	key := r.key("k", store.RelayKeySpec{})
	put(r, "second", store.HostBindingSpec{ModelID: r.record(store.KindModel, "to-gemini"), HostID: r.record(store.KindHost, "openai"), UpstreamName: "other"})
	chat, messages := kindsNamed("chat whole")[0], kindsNamed("messages whole")[0]
	for _, c := range []struct {
		model, host, translated string
		says                    kind
	}{
		{"to-openai", "openai", "", chat},
		{"to-anthropic", "anthropic", "anthropic", messages},
		{"to-gemini", "openai", "", chat}, // which takes the call as it is
	} {
		up.Play(c.says.says(7, 3))
		e := r.explain("k", c.model)
		first := e.Route.Pools[0].Keys[0]
		if !e.Allowed || !first.Takes || first.Host != c.host || string(first.Translated) != c.translated {
			t.Errorf("%s: explained as %s translated into %q", c.model, first.Host, first.Translated)
		}
		a := r.call(key, `{"model":"`+c.model+`","messages":[{"role":"user","content":"hi"}]}`)
		if a.Status != 200 || a.Header.Get("X-Relay-Host") != c.host {
			t.Errorf("%s: explained as %s, answered %d by %s", c.model, c.host, a.Status, a.Header.Get("X-Relay-Host"))
		}
	}
}
