package gateway_test

import (
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"relay/gateway/gatewaytest"
	"relay/limiter"
	"relay/store"
)

func TestOutage_LimitsOfProviderKeysRefuseLikewise(t *testing.T) {
	r, up, l := newOutage(t)
	r.upstreamRungs(sliding(limiter.MeterRequests, 100, time.Minute), sliding(limiter.MeterConcurrency, 1, time.Minute))
	key := r.key("front", store.RelayKeySpec{})
	for _, k := range kinds() {
		r.answers(k, up, key, 1, 7, 3)
		before, arrived := r.standing(r.held(key, k.model)), len(up.Requests())
		l.away.Store(true)
		r.unchecked(k, r.ask(k, key), "The limits of the provider keys")
		r.wantArrived(up, arrived)
		r.stays("keys that nobody could check", r.held(key, k.model), before)
		l.away.Store(false)
		r.answers(k, up, key, 1, 7, 3)
	}
	for id, state := range r.server.KeyStates() {
		if state.State != "closed" {
			t.Errorf("key %s is %+v", id, state)
		}
	}
	r.mustBeIdle("the outage")
	r.settledEach(3*len(kinds()), map[string]int{"": 2 * len(kinds()), "limiter_unavailable": len(kinds())})
}

// A key of a provider that nothing limits goes on.
func TestOutage_AProviderKeyWithoutLimitsTakesTheCallsOfThoseWith(t *testing.T) {
	r, up, l := newOutage(t)
	r.upstreamRungs(sliding(limiter.MeterRequests, 100, time.Minute))
	for _, host := range hosts() {
		r.remove(store.KindPolicyBinding, "bound-"+host)
		put(r, host+"-2", store.HostKeySpec{HostID: r.record(store.KindHost, host), Source: store.KeySource{Kind: "env", Env: "FREE"}})
	}
	key := r.key("front", store.RelayKeySpec{})
	for _, k := range kinds() {
		l.away.Store(false)
		r.answers(k, up, key, 1, 7, 3)
		l.away.Store(true)
		arrived := len(up.Requests())
		r.answers(k, up, key, 1, 7, 3)
		if sent := up.Request(arrived); !strings.Contains(sent.Head, "secret-of-FREE") {
			t.Errorf("%s: the upstream got %s", k.name, sent.Head)
		}
	}
}

// The limiter goes while the first model fails, or is away for all targets.
func TestOutage_LimitsOfFallbacksPassThemOver(t *testing.T) {
	r, up, l := newOutage(t)
	for _, k := range shapes() {
		r.aside(k, "limited-"+k.model, &store.Limits{RPM: int64p(100), Concurrency: int64p(1)})
		r.aside(k, reliefOf(k), nil)
		r.aside(k, frontOf(k), nil, "limited-"+k.model, reliefOf(k))
		r.aside(k, "dead-end-"+k.model, nil, "limited-"+k.model)
		put(r, "any-"+k.model, store.ModelSpec{Fallbacks: []store.Fallback{{ModelID: r.record(store.KindModel, "limited-"+k.model)}}})
	}
	key := r.key("front", store.RelayKeySpec{})
	goes := func(*gatewaytest.Exchange) error {
		l.away.Store(true)
		return nil
	}
	for _, k := range kinds() {
		l.away.Store(false)
		up.Play(gatewaytest.Join(goes, fails()), k.says(7, 3))
		r.answeredBy(k, r.ask(k.of(frontOf(k)), key), reliefOf(k))
		l.away.Store(false)
		up.Play(gatewaytest.Join(goes, fails()))
		r.want(r.ask(k.of("dead-end-"+k.model), key), 502, "")
		r.unchecked(k, r.ask(k.of("any-"+k.model), key), `The limits of model "limited-`+k.model+`"`)
		l.away.Store(false)
		up.Play(k.says(7, 3))
		r.answeredBy(k, r.ask(k.of("any-"+k.model), key), "limited-"+k.model)
		r.mustBeIdle(k.name)
	}
}

// What is in flight ends as it would have; what comes while the limiter comes and
// goes is answered or refused, and leaves nothing behind.
func TestOutage_LeaksNoGaugeAndLosesNoCommit(t *testing.T) {
	for _, k := range kinds() {
		t.Run(k.name, func(t *testing.T) {
			r, up, l := newOutage(t)
			key := r.key("front", store.RelayKeySpec{Limits: &store.Limits{Concurrency: int64p(200), RPM: int64p(1000), TPM: int64p(1e6)}})
			end := r.hangs(k, up, key)
			l.away.Store(true)
			r.unchecked(k, r.ask(k, key), "The limits of this key")
			end()
			up.Otherwise(k.says(7, 3))
			const calls = 60
			statuses := r.parallel(calls, func() gatewaytest.Answer { return r.ask(k, key) }, func(done *atomic.Int64) {
				until(t, "all have come to an end", func() bool {
					l.away.Store(!l.away.Load())
					return done.Load() == calls
				})
			})
			l.away.Store(false)
			passed := statuses[200]
			if passed+statuses[503] != calls {
				t.Errorf("statuses %v", statuses)
			}
			until(t, "all are over", func() bool { return r.server.InFlight() == 0 })
			r.mustBeIdle("the outage")
			if n, tokens := r.used(key, limiter.MeterRequests), r.used(key, limiter.MeterTokens); n != int64(passed+1) || tokens != 10*n {
				t.Errorf("%d requests and %d tokens are counted, and %d calls were answered", n, tokens, passed+1)
			}
			r.settledEach(calls+2, map[string]int{"": passed + 1, "limiter_unavailable": calls - passed + 1})
		})
	}
}
