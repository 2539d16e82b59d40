package gateway_test

import (
	"testing"
	"time"

	"relay/gateway/gatewaytest"
	"relay/gateway/plan"
	"relay/limiter"
	"relay/store"
)

// newAligned is a stand on which the shorthands of keys and models start over
// with the clock.
func newAligned(t *testing.T) (*rig, *gatewaytest.Upstream) {
	t.Helper()
	r, up := newStand(t)
	r.switches.Store(&plan.Switches{AlignKeys: true})
	return r, up
}

// startsOver checks a window that the clock is so long before the end of, in
// which two calls pass: it is full until then, and empty after it.
func (r *rig) startsOver(k kind, up *gatewaytest.Upstream, key string, left, window time.Duration, full denial) {
	r.tb.Helper()
	r.advance(window - left)
	r.answers(k, up, key, 2, 200, 100)
	full.wait = left
	r.denied(k, r.ask(k, key), full)
	up.Play(k.says(200, 100))
	r.sitsOut(k, key, left)
	r.answers(k, up, key, 1, 200, 100) // twice as many as the amount, right beside one another
	full.wait = window
	r.denied(k, r.ask(k, key), full)
}

func TestAligned_RequestsOfAKeyStartOverWithTheMinute(t *testing.T) {
	r, up := newAligned(t)
	key := r.key("laptop", store.RelayKeySpec{Limits: &store.Limits{RPM: int64p(2)}})
	full := denial{text: "Limit of key laptop: 2 of 2 requests in 1m used", scope: "key"}
	r.eachKind(t, kinds(), func(t *testing.T, k kind) {
		r.startsOver(k, up, key, 10*time.Second+time.Nanosecond, time.Minute, full)
	})
}

func TestAligned_TokensOfAKeyStartOverWithTheMinute(t *testing.T) {
	r, up := newAligned(t)
	key := r.key("laptop", store.RelayKeySpec{Limits: &store.Limits{TPM: int64p(500)}})
	full := denial{text: "Limit of key laptop: 600 of 500 tokens in 1m used", scope: "key"}
	r.eachKind(t, kinds(), func(t *testing.T, k kind) {
		r.startsOver(k, up, key, 10*time.Second+time.Nanosecond, time.Minute, full)
	})
}

func TestAligned_RequestsOfAModelStartOverAtMidnightUTC(t *testing.T) {
	r, up := newAligned(t)
	for _, k := range shapes() {
		edit(r, k.model, func(m *store.Model) { m.Spec.Limits = &store.Limits{RPD: int64p(2)} })
	}
	key := r.key("laptop", store.RelayKeySpec{})
	r.eachKind(t, kinds(), func(t *testing.T, k kind) {
		full := denial{text: "Limit of model " + k.model + ": 2 of 2 requests in 1d used", scope: "model"}
		r.advance(12 * time.Hour)
		r.startsOver(k, up, key, time.Second, 24*time.Hour, full)
	})
}

// Neither a policy's own windows nor what is in flight have anything to do with
// the clock on the wall.
func TestAligned_APolicysSlidingLimitGoesOnSliding(t *testing.T) {
	r, up := newAligned(t)
	r.policy(sliding(limiter.MeterRequests, 2, time.Minute))
	key := r.key("laptop", store.RelayKeySpec{Limits: &store.Limits{RPM: int64p(100), Concurrency: int64p(1)}})
	full := denial{text: `Limit "rl" of policy open: 2 of 2 requests in 1m used`, scope: "policy", wait: waitOf(time.Minute)}
	r.eachKind(t, kinds(), func(t *testing.T, k kind) {
		r.advance(50 * time.Second)
		end := r.hangs(k, up, key)
		r.denied(k, r.ask(k, key), denial{text: "Limit of key laptop: 1 of 1 requests in flight", scope: "key", wait: time.Second})
		end()
		r.answers(k, up, key, 1, 5, 5)
		r.denied(k, r.ask(k, key), full)
		r.advance(10 * time.Second) // to the next minute
		rest := full
		rest.wait -= 10 * time.Second
		r.denied(k, r.ask(k, key), rest)
		up.Play(k.says(5, 5))
		r.sitsOut(k, key, rest.wait)
	})
}
