package gateway_test

import (
	"testing"

	"relay/gateway"
	"relay/limiter"
	"relay/store"
)

// freeFallback is a stand on which the models of calls that cost nothing go on
// with others, which let one call pass.
func freeFallback(t *testing.T, s small, change ...func(*gateway.Options)) (*front, string) {
	t.Helper()
	f := newSmall(t, change...)
	k := kindOf(s.model)
	f.aside(k, reliefOf(k), &store.Limits{RPM: int64p(1), TPM: int64p(1), Concurrency: int64p(1)})
	edit(f.rig, s.model, func(m *store.Model) {
		m.Spec.Fallbacks = []store.Fallback{{ModelID: f.record(store.KindModel, reliefOf(k))}}
	})
	f.account()
	f.perUser([]string{"model"}, oneRequest()...)
	f.standalone("relief", 1, store.Match{All: []store.Match{leaf("team", "eq", "research"), leaf("model", "regex", "^relief-")}})
	return f, f.rig.key("agent", store.RelayKeySpec{})
}

func TestFallback_OfACallThatCostsNothingTakesNothingOfAnyLimit(t *testing.T) {
	for _, s := range unmetered() {
		t.Run(s.name, func(t *testing.T) {
			f, key := freeFallback(t, s)
			relief := reliefOf(kindOf(s.model))
			for range 3 {
				f.up.Play(fails(), s.says())
				a := f.do(s, key)
				f.want(a, 200, s.answer[0])
				if got := a.Header.Get("X-Relay-Model"); got != relief {
					t.Fatalf("answered by %s", got)
				}
			}
			for _, l := range ofMeters(f.held(key, relief), limiter.MeterRequests, limiter.MeterConcurrency) {
				if reading := f.memory.Read(f.clock.Now(), l.Counter); reading.Used != 0 || reading.InFlight != 0 {
					t.Errorf("%s of %s reads %d, held by %d", reading.Name.Meter, l.Source.Owner, reading.Used, reading.InFlight)
				}
			}
			f.mustBeFree("calls that cost nothing")
		})
	}
}

// They are under no limit that there would be anything to tell of.
func TestLimitHeaders_OfCallsThatCostNothingAreTheUpstreamsOrNone(t *testing.T) {
	for _, s := range unmetered() {
		t.Run(s.name, func(t *testing.T) {
			f, key := freeFallback(t, s)
			k := kindOf(s.model)
			k.answer = func(int64, int64) []string { return s.answer }
			for _, mode := range modes() {
				f.server.ShowLimits(mode)
				want := without(upstreamHeaders(), append(answerHeaders(), rejectionHeaders()...)...)
				if mode == gateway.LimitHeadersAll {
					want = without(nil, append(answerHeaders(), rejectionHeaders()...)...)
				}
				f.up.Play(k.saysOfItsOwn(200, "", 0, 0), fails(), k.saysOfItsOwn(200, "", 0, 0))
				for range 2 {
					a := f.do(s, key)
					f.want(a, 200, s.answer[0])
					f.tells(k, a, want)
				}
			}
		})
	}
}

func TestOutage_CallsThatCostNothingGoOn(t *testing.T) {
	for _, s := range unmetered() {
		t.Run(s.name, func(t *testing.T) {
			l := &absent{}
			f, _ := freeFallback(t, s, l.inFront)
			key := f.rig.key("limited", store.RelayKeySpec{Limits: &store.Limits{RPM: int64p(9)}})
			l.away.Store(true)
			f.up.Play(s.says(), fails(), s.says())
			for range 2 {
				f.want(f.do(s, key), 200, s.answer[0])
			}
			for _, path := range lookups() {
				f.want(f.get(path, key), 200, "")
			}
			k := kindOf(s.model)
			f.unchecked(k, f.ask(k, key), "The limits of this key")
		})
	}
}
