package gateway_test

import (
	"testing"
	"time"

	"relay/gateway/gatewaytest"
	"relay/limiter"
	"relay/store"
)

// reliefOf is a model that the kind's goes on with.
func reliefOf(k kind) string { return "relief-" + k.model }

// answeredBy fails the test unless the call is answered by the model.
func (r *rig) answeredBy(k kind, a gatewaytest.Answer, model string) {
	r.tb.Helper()
	r.want(a, 200, "")
	if got := a.Header.Get("X-Relay-Model"); got != model {
		r.tb.Fatalf("%s: answered by %s, want %s", k.name, got, model)
	}
}

func TestFallback_PassesOverEveryTargetThatIsOverALimitOfItsOwn(t *testing.T) {
	r, up := newStand(t)
	for _, k := range shapes() {
		r.aside(k, "requests-"+k.model, &store.Limits{RPM: int64p(1)})
		r.aside(k, "tokens-"+k.model, &store.Limits{TPM: int64p(100)})
		r.aside(k, "flight-"+k.model, &store.Limits{Concurrency: int64p(1), RPM: int64p(100)})
		r.aside(k, reliefOf(k), &store.Limits{RPM: int64p(1)})
		r.aside(k, frontOf(k), nil, "requests-"+k.model, "tokens-"+k.model, "flight-"+k.model, reliefOf(k))
	}
	key := r.key("laptop", store.RelayKeySpec{Limits: &store.Limits{RPM: int64p(100)}})
	r.eachKind(t, kinds(), func(t *testing.T, k kind) {
		r.answers(k.of("requests-"+k.model), up, key, 1, 60, 41)
		r.answers(k.of("tokens-"+k.model), up, key, 1, 60, 41)
		end := r.hangs(k.of("flight-"+k.model), up, key)
		var over []*limiter.Limit
		for _, model := range []string{"requests-", "tokens-", "flight-"} {
			over = append(over, ofRungs(r.held(key, model+k.model), limiter.ScopeModel)...)
		}
		before, arrived := r.standing(over), len(up.Requests())
		up.Play(fails(), k.says(7, 3))
		r.answeredBy(k, r.ask(k.of(frontOf(k)), key), reliefOf(k))
		r.wantArrived(up, arrived+2)
		r.stays("models were passed over", over, before)
		up.Play(fails())
		r.want(r.ask(k.of(frontOf(k)), key), 502, "") // it says what the one host that was asked said
		r.wantArrived(up, arrived+3)
		r.stays("all were passed over", over, before)
		end()
		up.Play(fails(), k.says(7, 3))
		r.answeredBy(k, r.ask(k.of(frontOf(k)), key), "flight-"+k.model)
		if n := r.used(key, limiter.MeterRequests); n != 6 {
			t.Errorf("the key counts %d requests, want one for each of 6", n)
		}
	})
}

func TestFallback_WhereAllAreOverALimitTheSoonestIsTold(t *testing.T) {
	r, up := newStand(t)
	for _, k := range shapes() {
		r.aside(k, "day-"+k.model, &store.Limits{RPD: int64p(1)})
		r.aside(k, "hour-"+k.model, &store.Limits{RPH: int64p(1)})
		r.aside(k, "minute-"+k.model, &store.Limits{RPM: int64p(1)})
		m := func(name string) store.Fallback {
			return store.Fallback{ModelID: r.record(store.KindModel, name+k.model)}
		}
		for name, to := range map[string][]store.Fallback{
			"up-": {m("minute-"), m("hour-"), m("day-")}, "down-": {m("day-"), m("hour-"), m("minute-")}, "mid-": {m("hour-"), m("minute-"), m("day-")},
		} {
			put(r, name+k.model, store.ModelSpec{Fallbacks: to})
		}
	}
	key := r.key("laptop", store.RelayKeySpec{Limits: &store.Limits{Concurrency: int64p(1)}})
	r.eachKind(t, kinds(), func(t *testing.T, k kind) {
		for _, model := range []string{"day-", "hour-", "minute-"} {
			r.answers(k.of(model+k.model), up, key, 1, 7, 3)
		}
		soonest := denial{text: "Limit of model minute-" + k.model + ": 1 of 1 requests in 1m used", scope: "model", wait: waitOf(time.Minute)}
		arrived := len(up.Requests())
		for _, alias := range []string{"up-", "down-", "mid-"} {
			r.denied(k, r.ask(k.of(alias+k.model), key), soonest)
		}
		r.wantArrived(up, arrived)
		r.mustBeIdle("no model had room")
		up.Play(k.says(7, 3))
		r.sitsOut(k.of("down-"+k.model), key, soonest.wait)
	})
}

// The tier gives the first model's key no room for longer, or shorter, than the
// other's own limit.
func TestFallback_OfAFullKeyAndAFullModelTheSoonestIsTold(t *testing.T) {
	for window, keyFirst := range map[time.Duration]bool{time.Hour: false, 30 * time.Second: true} {
		t.Run(window.String(), func(t *testing.T) {
			r, up := newStand(t)
			tier := put(r, "tier-rl", store.RateLimitSpec{Rules: []limiter.Rule{sliding(limiter.MeterRequests, 1, window)}})
			for _, k := range shapes() {
				r.aside(k, reliefOf(k), &store.Limits{RPM: int64p(1)})
				r.aside(k, frontOf(k), nil, reliefOf(k))
				policy := put(r, "tier-"+k.host(), store.PolicySpec{RLBindings: []store.RLBinding{
					{Models: []store.ModelRef{store.ModelRef(r.record(store.KindModel, frontOf(k)))}, RateLimitID: tier.Metadata.ID},
				}})
				r.giveTo(k.host(), "tier-"+k.host())
				edit(r, k.host(), func(h *store.Host) { h.Spec.DefaultTierPolicyID = policy.Metadata.ID })
			}
			key := r.key("laptop", store.RelayKeySpec{})
			r.eachKind(t, kinds(), func(t *testing.T, k kind) {
				front := k.of(frontOf(k))
				r.answers(front, up, key, 1, 7, 3)
				up.Play(k.says(7, 3))
				r.answeredBy(k, r.ask(front, key), reliefOf(k))
				soonest := denial{text: "Limit of model " + reliefOf(k) + ": 1 of 1 requests in 1m used", scope: "model", wait: waitOf(time.Minute)}
				if keyFirst {
					soonest = denial{text: "The key for " + front.model + " at " + k.host() + " is at its own limit", wait: waitOf(window)}
				}
				r.denied(k, r.ask(front, key), soonest)
				up.Play(k.says(7, 3))
				r.sitsOut(front, key, soonest.wait)
			})
		})
	}
}

func TestFallback_ABudgetThatOnlyWarnsDoesSoAtTheTurnOfAnotherModelToo(t *testing.T) {
	x := newTrio(t)
	x.account()
	put(x.rig, "open", store.PolicySpec{Budgets: []store.Budget{{Amount: "0.000001", Period: "day", OnExceed: "warn", Per: []string{"model"}}}})
	key, k := x.key("laptop", store.RelayKeySpec{}), kindsNamed("chat whole")[0]
	x.up["c"].Otherwise(k.says(1000, 1000))
	r := x.rig
	r.want(r.ask(k.of("spare"), key), 200, "")
	for _, name := range []string{"a", "b"} {
		x.up[name].Otherwise(gatewaytest.JSON(503, `{"error":{"message":"no"}}`))
	}
	a := r.ask(k, key)
	r.want(a, 200, "")
	if got := a.Header.Get("X-Relay-Budget-Warning"); got != "the budget of policy open is used up" {
		t.Errorf("warned %q", got)
	}
}
