package gateway_test

import (
	"testing"
	"time"

	"relay/gateway/gatewaytest"
	"relay/store"
)

// shorthand is one field of a record's own limits, which lets four calls of 300
// tokens pass in its window.
type shorthand struct {
	field  string
	limits *store.Limits
	window time.Duration
	full   string // how its refusal tells that
}

func shorthands() []shorthand {
	const day = 24 * time.Hour
	return []shorthand{
		{"rps", &store.Limits{RPS: int64p(4)}, time.Second, "4 of 4 requests in 1s used"},
		{"rpm", &store.Limits{RPM: int64p(4)}, time.Minute, "4 of 4 requests in 1m used"},
		{"rph", &store.Limits{RPH: int64p(4)}, time.Hour, "4 of 4 requests in 1h used"},
		{"rpd", &store.Limits{RPD: int64p(4)}, day, "4 of 4 requests in 1d used"},
		{"tpm", &store.Limits{TPM: int64p(1000)}, time.Minute, "1,200 of 1,000 tokens in 1m used"},
		{"tpd", &store.Limits{TPD: int64p(1000)}, day, "1,200 of 1,000 tokens in 1d used"},
	}
}

func TestShorthand_OfAKeyLetsExactlySoManyPassInAWindow(t *testing.T) {
	for _, s := range shorthands() {
		t.Run(s.field, func(t *testing.T) {
			r, up := newStand(t)
			key := r.key("laptop", store.RelayKeySpec{Limits: s.limits})
			other := r.key("desktop", store.RelayKeySpec{Limits: s.limits})
			full := denial{text: "Limit of key laptop: " + s.full, scope: "key", wait: waitOf(s.window)}
			r.eachKind(t, kinds(), func(t *testing.T, k kind) {
				arrived := len(up.Requests())
				r.answers(k, up, key, 4, 200, 100)
				r.denied(k, r.ask(k, key), full)
				r.wantArrived(up, arrived+4)
				r.answers(k, up, other, 4, 200, 100) // which has limits of its own
				up.Play(k.says(200, 100))
				r.sitsOut(k, key, full.wait)
			})
		})
	}
}

func TestShorthand_OfAKeyLetsExactlySoManyBeInFlight(t *testing.T) {
	r, up := newStand(t)
	limits := &store.Limits{Concurrency: int64p(4)}
	key, other := r.key("laptop", store.RelayKeySpec{Limits: limits}), r.key("desktop", store.RelayKeySpec{Limits: limits})
	full := denial{text: "Limit of key laptop: 4 of 4 requests in flight", scope: "key", wait: time.Second}
	r.eachKind(t, kinds(), func(t *testing.T, k kind) {
		var ends []func()
		for range 4 {
			ends = append(ends, r.hangs(k, up, key))
		}
		arrived := len(up.Requests())
		r.denied(k, r.ask(k, key), full)
		r.advance(time.Hour)
		r.denied(k, r.ask(k, key), full) // time alone frees nothing
		r.wantArrived(up, arrived)
		r.answers(k, up, other, 1, 5, 5)
		ends[2]()
		ends[2] = r.hangs(k, up, key)
		r.denied(k, r.ask(k, key), full)
		for _, end := range ends {
			end()
		}
		r.answers(k, up, key, 1, 5, 5)
		r.mustBeIdle(k.name)
	})
}

// frontOf is a model that fails and goes on with the kind's.
func frontOf(k kind) string { return "front-" + k.model }

// lead makes ways to the model of every kind, which has the limits: an alias, a
// wildcard and another model's fallback.
func (r *rig) lead(limits *store.Limits) {
	r.tb.Helper()
	for _, k := range shapes() {
		edit(r, k.model, func(m *store.Model) {
			m.Spec.Limits, m.Spec.Aliases = limits, []string{"quick-" + k.model, "fast-" + k.model + "-*"}
		})
		r.aside(k, frontOf(k), nil, k.model)
	}
}

// ways are those of lead, and before which of them the upstream fails.
func ways(k kind) []way {
	return []way{{k, nil}, {k.of("quick-" + k.model), nil}, {k.of("fast-" + k.model + "-9"), nil}, {k.of(frontOf(k)), []gatewaytest.Script{fails()}}}
}

type way struct {
	kind
	before []gatewaytest.Script
}

func TestShorthand_OfAModelIsSharedByEveryKeyWhicheverNameLedToIt(t *testing.T) {
	for _, s := range shorthands() {
		t.Run(s.field, func(t *testing.T) {
			r, up := newStand(t)
			r.lead(s.limits)
			keys := r.teams()
			both := [2]string{keys["bots-1"], keys["ops-1"]}
			r.eachKind(t, kinds(), func(t *testing.T, k kind) {
				full := denial{text: "Limit of model " + k.model + ": " + s.full, scope: "model", wait: waitOf(s.window)}
				for i, w := range ways(k) {
					up.Play(w.before...)
					r.answers(w.kind, up, both[i%2], 1, 200, 100)
				}
				arrived := len(up.Requests())
				for _, key := range both {
					for _, w := range ways(k)[:3] {
						r.denied(k, r.ask(w.kind, key), full)
					}
				}
				r.wantArrived(up, arrived)
				up.Play(fails())
				r.want(r.ask(k.of(frontOf(k)), both[0]), 502, "")
				r.wantArrived(up, arrived+1)
				up.Play(k.says(200, 100))
				r.sitsOut(k, both[1], full.wait)
			})
		})
	}
}

func TestShorthand_OfAModelIsSharedByWhatIsInFlightWhicheverNameLedToIt(t *testing.T) {
	r, up := newStand(t)
	r.lead(&store.Limits{Concurrency: int64p(4)})
	keys := r.teams()
	both := [2]string{keys["bots-1"], keys["ops-1"]}
	r.eachKind(t, kinds(), func(t *testing.T, k kind) {
		full := denial{text: "Limit of model " + k.model + ": 4 of 4 requests in flight", scope: "model", wait: time.Second}
		var ends []func()
		for i, w := range ways(k) {
			ends = append(ends, r.hangs(w.kind, up, both[i%2], w.before...))
		}
		for _, key := range both {
			for _, w := range ways(k)[:3] {
				r.denied(k, r.ask(w.kind, key), full)
			}
		}
		up.Play(fails())
		r.want(r.ask(k.of(frontOf(k)), both[1]), 502, "")
		ends[3]() // what a fallback has taken comes back
		ends[3] = r.hangs(k, up, both[0])
		r.denied(k, r.ask(k, both[1]), full)
		for _, end := range ends {
			end()
		}
		r.answers(k, up, both[1], 1, 5, 5)
		r.mustBeIdle(k.name)
	})
}
