package gateway_test

import (
	"strings"
	"testing"

	"relay/gateway/gatewaytest"
	"relay/store"
)

// alsoAt binds a model to another host, of less priority.
func (r *rig) alsoAt(model, host string) {
	r.tb.Helper()
	put(r, model+"-also-"+host, store.HostBindingSpec{ModelID: r.record(store.KindModel, model), HostID: r.record(store.KindHost, host), UpstreamName: model + "-2026", PricingID: r.pricing(), Priority: 9})
}

// others binds each model of newTongues also to a host of another shape, whose turn
// comes later: messages where the first is chat, else chat.
func (r *rig) others() {
	r.tb.Helper()
	for _, host := range []string{"openai-responses", "anthropic", "gemini", "ollama"} {
		r.alsoAt("to-"+host, "openai")
	}
	r.alsoAt("to-openai", "anthropic")
}

// other is the kind in which the second host of the pair's model answers.
func (p pair) other() kind {
	k := kindsNamed("chat stream")[0]
	if p.upstream.shape == store.ShapeOpenAI {
		k = kindsNamed("messages stream")[0]
	}
	if !p.caller.streamed {
		return k.whole()
	}
	return k
}

// TestTranslatedFailover_GoesOnWithAKeyOfAnotherShape is case B71, and its kin: what
// the first host says before anything has gone to the caller is not told, whatever
// either host speaks.
func TestTranslatedFailover_GoesOnWithAKeyOfAnotherShape(t *testing.T) {
	r, up := newTongues(t)
	r.others()
	key := r.key("k", store.RelayKeySpec{Limits: &store.Limits{Concurrency: int64p(1)}})
	calls := 0
	for name, fails := range map[string]func(u kind) gatewaytest.Script{
		"529": alike(gatewaytest.JSON(529, `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`)),
		"429": alike(gatewaytest.JSON(429, upstreamError)), "401": alike(gatewaytest.JSON(401, upstreamError)), "503": alike(gatewaytest.JSON(503, upstreamError)),
		"a reset": alike(gatewaytest.Reset()),
		"an error as the first event": func(u kind) gatewaytest.Script {
			return u.streaming().streams(u.streaming().failingFirst(`{"error":{"type":"overloaded_error","message":"Overloaded","code":503}}`))
		},
		"an error with 200": alike(gatewaytest.JSON(200, `{"error":{"message":"quota","code":429}}`)),
	} {
		for _, p := range pairs() {
			if !p.upstream.streamed && name == "an error as the first event" {
				continue
			}
			up.Play(fails(p.upstream), p.other().says(7, 3))
			a := r.ask(p.asks(), key)
			if a.Status != 200 || a.Header.Get("X-Relay-Attempts") != "2" || a.Header.Get("X-Relay-Host") != hostNamed(p.other().shape) || !strings.Contains(a.Body, "hel") || strings.Contains(a.Body, "verloaded") {
				t.Fatalf("%s, %s: got %d %v %s", p.name(), name, a.Status, a.Header, a.Body)
			}
			p.caller.mustParse(t, name, a.Body)
			if got := a.Header.Get("Content-Type"); !strings.HasPrefix(got, p.caller.typeOf()) {
				t.Errorf("%s, %s: the answer is %s", p.name(), name, got)
			}
			calls++
			e := r.events(calls)[calls-1]
			if len(e.Attempts) != 2 || e.ShapeIn != string(p.caller.shape) || e.ShapeOut != string(p.other().shape) || e.Tokens.Output != 3 || e.CostNanos == nil || *e.CostNanos != 66_000 || e.ErrorKind != "" {
				t.Errorf("%s, %s: recorded %+v", p.name(), name, e)
			}
			r.mustBeIdle(name)
			r.unbench()
		}
	}
}

// Of case B71: once a piece of the answer has come, its stream is the caller's.
func TestTranslatedFailover_IsOverOnceTheAnswerHasBegun(t *testing.T) {
	r, up := newTongues(t)
	r.others()
	key := r.key("k", store.RelayKeySpec{})
	calls := 0
	for _, p := range pairs() {
		if !p.caller.streamed {
			continue
		}
		texts := p.upstream.answer(7, 3)
		up.Play(p.upstream.streams(texts[0] + texts[1] + p.upstream.failing(`{"error":{"message":"melted","code":503}}`))) // in one piece
		a := r.ask(p.asks(), key)
		if calls++; a.Status != 200 || a.Header.Get("X-Relay-Attempts") != "1" || !strings.Contains(a.Body, "hel") || !strings.Contains(p.caller.lastEvent(a.Body), "melted") || len(up.Requests()) != calls {
			t.Fatalf("%s: got %d %v %s", p.name(), a.Status, a.Header, a.Body)
		}
		r.unbench()
	}
}

func TestTranslatedFailover_TheCallerMayForbidIt(t *testing.T) {
	r, up := newTongues(t)
	r.others()
	key := r.key("k", store.RelayKeySpec{})
	for i, p := range pairs() {
		up.Play(gatewaytest.Reset())
		a := r.ask(p.asks(), key, "X-Relay-No-Retry: 1")
		want, begins, _ := toldIn(p.caller.shape, 502, "upstream_unavailable")
		if a.Status != want || !strings.HasPrefix(a.Body, begins) || len(up.Requests()) != i+1 {
			t.Fatalf("%s: got %d %s after %d requests", p.name(), a.Status, a.Body, len(up.Requests()))
		}
		r.unbench()
	}
}

// A model's fallback may be on a host of any shape.
func TestTranslatedFallback_GoesOnWithAModelOfAnotherShape(t *testing.T) {
	r, up := newTongues(t)
	key := r.key("k", store.RelayKeySpec{Limits: &store.Limits{Concurrency: int64p(1)}})
	calls := 0
	for _, p := range pairs() {
		spare := p.other()
		edit(r, p.model(), func(m *store.Model) {
			m.Spec.Fallbacks = []store.Fallback{{ModelID: r.record(store.KindModel, "to-"+hostNamed(spare.shape))}}
		})
		up.Play(gatewaytest.JSON(503, upstreamError), spare.says(7, 3))
		a := r.ask(p.asks(), key)
		if a.Status != 200 || a.Header.Get("X-Relay-Model") != "to-"+hostNamed(spare.shape) || !strings.Contains(a.Body, "hel") || spare.shape != p.caller.shape && strings.Contains(a.Body, `:"m"`) {
			t.Errorf("%s: got %d %v %s", p.name(), a.Status, a.Header, a.Body)
		}
		calls++
		if e := r.events(calls)[calls-1]; len(e.Attempts) != 2 || e.ShapeOut != string(spare.shape) || e.RequestedModel != p.model() || e.Model != r.record(store.KindModel, "to-"+hostNamed(spare.shape)) || e.Tokens.Output != 3 {
			t.Errorf("%s: recorded %+v", p.name(), e)
		}
		r.mustBeIdle(p.name())
		r.unbench()
		edit(r, p.model(), func(m *store.Model) { m.Spec.Fallbacks = nil })
	}
}
