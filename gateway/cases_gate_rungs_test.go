package gateway_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"relay/gateway/wire"
	"relay/store"
)

// bindTeam puts a policy on the team that keys run under, below the organization's.
func (r *rig) bindTeam(name string, spec store.PolicySpec) {
	r.tb.Helper()
	p := put(r, name, spec)
	put(r, "team-research", store.PolicyBindingSpec{PolicyID: p.Metadata.ID, Account: store.AccountRef("team:" + r.record(store.KindTeam, "research"))})
}

func TestGates_OfSeveralRungsOnlyNarrow(t *testing.T) {
	r, _ := newGates(t)
	key := r.key("k", store.RelayKeySpec{})
	tools, vision := toolCalls()[0], mediaCalls()[0]
	plain := chatCall("", "", chatText)

	put(r, "open", store.PolicySpec{Capabilities: store.Capabilities{"tools": true, "vision": false}, BlockedParams: []string{"seed"}})
	r.bindTeam("narrow", store.PolicySpec{Capabilities: store.Capabilities{"tools": false, "vision": true}, BlockedParams: []string{"top_p", "seed"}})
	r.mustPassGate(plain, key)
	r.mustRefuseByPolicy(tools, key, 403, "capability_not_allowed", "Policy narrow does not allow tools (capability tools).")
	r.mustRefuseByPolicy(vision, key, 403, "capability_not_allowed", "Policy open does not allow images, videos and documents (capability vision).")
	r.mustRefuseByPolicy(inChat(`"top_p":1`), key, 400, "blocked_param", "Policy narrow blocks the parameter top_p.", `"param":"top_p"`)
	r.mustRefuseByPolicy(inChat(`"seed":1`), key, 400, "blocked_param", "Policy open blocks the parameter seed.")
	r.mustRefuseByPolicy(inConfig(`"topP":1`), key, 400, "blocked_param", `Policy narrow blocks the parameter top_p, which \"topP\" is.`)

	put(r, "open", store.PolicySpec{})
	r.bindTeam("narrow", store.PolicySpec{Capabilities: store.Capabilities{"tools": true}})
	r.mustPassGate(tools, key)
	r.mustPassGate(vision, key)
	r.mustPassGate(inChat(`"seed":1`), key)
}

// gateKinds are all ways to call, the canonical shape included, and calls of each
// endpoint that has no shape of its own.
func gateKinds() []gated {
	var all []gated
	for _, k := range slices.Concat(kinds(), generateKinds()) {
		body := k.json()
		all = append(all, gated{path: k.path, body: body[1 : len(body)-1]})
	}
	return append(all, plainCalls()...)
}

func TestMaxInputTokens_HoldsToTheTokenOnEveryEndpoint(t *testing.T) {
	r, up := newGates(t)
	key := r.key("k", store.RelayKeySpec{})
	put(r, "open", store.PolicySpec{})
	for _, g := range gateKinds() {
		size := wire.EstimateTokens([]byte("{" + g.body + "}"))
		if g.isForm() {
			size = 2
		}
		r.bindTeam("narrow", store.PolicySpec{MaxInputTokens: &size})
		r.mustPassGate(g, key)
		came, less, most := len(up.Requests()), size-1, int64(1<<40)
		put(r, "open", store.PolicySpec{MaxInputTokens: &less})
		if g.isForm() {
			r.mustPassGate(g, key)
		} else {
			r.mustRefuseByPolicy(g, key, 400, "input_too_large", fmt.Sprintf("some %d tokens, and policy open allows %d (maxInputTokens). Send less", size, less))
			if n := len(up.Requests()); n != came {
				t.Errorf("%s: the upstream saw the request", g.path)
			}
		}
		put(r, "open", store.PolicySpec{MaxInputTokens: &most})
		r.mustPassGate(g, key)
	}
}

func TestGates_RefuseBeforeAnythingIsReserved(t *testing.T) {
	r, up := newGates(t)
	key := r.key("k", store.RelayKeySpec{Limits: &store.Limits{RPM: int64p(1)}, Budgets: []store.Budget{{Amount: "1", Period: "day"}}})
	size := int64(40)
	put(r, "open", store.PolicySpec{Capabilities: store.Capabilities{"tools": false}, BlockedParams: []string{"seed"}, MaxInputTokens: &size})
	long := chatCall("", "", `{"type":"text","text":"`+strings.Repeat("many words ", 50)+`"}`)
	for range 2 {
		r.mustRefuseByPolicy(toolCalls()[0], key, 403, "capability_not_allowed")
		r.mustRefuseByPolicy(inChat(`"seed":1`), key, 400, "blocked_param")
		r.mustRefuseByPolicy(long, key, 400, "input_too_large")
	}
	r.mustPassGate(chatCall("", "", chatText), key)
	if a := r.callGated(chatCall("", "", chatText), key); a.Status != 429 {
		t.Errorf("the second call got %d %s", a.Status, a.Body)
	}
	if n := len(up.Requests()); n != 1 {
		t.Errorf("the upstream saw %d requests", n)
	}
	kinds := map[string]int{}
	for _, e := range r.events(8) {
		kinds[e.ErrorKind]++
		if e.ErrorKind == "capability_not_allowed" && (e.Status != 403 || e.RequestedModel != "chat" || len(e.Attempts) != 0) {
			t.Errorf("recorded as %+v", e)
		}
	}
	if kinds["capability_not_allowed"] != 2 || kinds["blocked_param"] != 2 || kinds["input_too_large"] != 2 {
		t.Errorf("recorded %v", kinds)
	}
}

// What the ladder says of the model comes first.
func TestGates_ComeAfterTheRoute(t *testing.T) {
	r, _ := newGates(t)
	key := r.key("k", store.RelayKeySpec{})
	put(r, "open", store.PolicySpec{BlockedParams: []string{"seed"}})
	r.want(r.call(key, `{"model":"none","seed":1}`), 404, "model_not_found")
}

func TestGates_HoldInProxyMode(t *testing.T) {
	r, up := newGates(t)
	r.proxying(true)
	key := r.key("k", store.RelayKeySpec{})
	size := int64(5)
	for _, c := range []struct {
		spec   store.PolicySpec
		g      gated
		status int
		code   string
	}{
		{store.PolicySpec{Capabilities: store.Capabilities{"tools": false}}, toolCalls()[0], 403, "capability_not_allowed"},
		{store.PolicySpec{BlockedParams: []string{"seed"}}, inChat(`"seed":1`), 400, "blocked_param"},
		{store.PolicySpec{MaxInputTokens: &size}, chatCall("", "", chatText), 400, "input_too_large"},
	} {
		put(r, "open", c.spec)
		lines := slices.DeleteFunc(proxied(key), func(line string) bool { return strings.HasPrefix(line, "Authorization") })
		r.mustRefuseByPolicy(c.g.with(lines...), "own-upstream-credential", c.status, c.code)
		if n := len(up.Requests()); n != 0 {
			t.Fatalf("the upstream saw %d requests", n)
		}
	}
	put(r, "open", store.PolicySpec{Capabilities: store.Capabilities{"vision": false}})
	r.mustPassGate(toolCalls()[0].with("X-Relay-Proxy: 1"), "own-upstream-credential") // a stranger is under no policy
	if n := len(up.Requests()); n != 1 {
		t.Errorf("the upstream saw %d requests of a stranger", n)
	}
}

func TestGates_AreExplained(t *testing.T) {
	r, _ := newGates(t)
	key := r.key("k", store.RelayKeySpec{})
	size := int64(5000)
	put(r, "open", store.PolicySpec{Capabilities: store.Capabilities{"tools": false, "vision": true}, BlockedParams: []string{"seed"}, MaxInputTokens: &size})
	e := r.explain("k", "chat")
	for _, want := range []string{
		"Requests for tools are refused: policy open has capabilities.tools: false.",
		"Requests with the parameter seed, in any spelling, are refused: policy open blocks it.",
		"Requests of more than 5000 tokens of input, by estimate, are refused: policy open has maxInputTokens.",
	} {
		if !slices.Contains(e.Notes, want) {
			t.Errorf("%q is not among %q", want, e.Notes)
		}
	}
	if !e.Allowed || len(e.Notes) != 3 {
		t.Errorf("explained as %+v", e)
	}
	put(r, "open", store.PolicySpec{Capabilities: store.Capabilities{"chat": false}})
	e, a := r.explain("k", "chat"), r.call(key, chatBody)
	if e.Refusal == nil || a.Status != 403 || !strings.Contains(a.Body, e.Refusal.Message) || e.Refusal.By != a.Header.Get("X-Relay-Refused-By") {
		t.Errorf("explained as %+v, answered %d %s", e.Refusal, a.Status, a.Body)
	}
}
