package gateway_test

import (
	"strings"
	"testing"
	"time"

	"relay/limiter"
	"relay/store"
)

// asking are limits of the policy of every key that ask for the model, and whether
// they count the one that is asked for too, by a counter of its own.
func asking() map[string]struct {
	spec    store.RateLimitSpec
	ofFirst bool
} {
	relief := &store.Match{Dim: "model", Op: "regex", Value: "^relief-"}
	return map[string]struct {
		spec    store.RateLimitSpec
		ofFirst bool
	}{
		"split by model":                      {store.RateLimitSpec{Per: []string{"model"}}, true},
		"split by key and model":              {store.RateLimitSpec{Per: []string{"key", "model"}}, true},
		"of the fallback's model":             {store.RateLimitSpec{Match: relief}, false},
		"of the fallback's, split by model":   {store.RateLimitSpec{Match: relief, Per: []string{"model"}}, false},
		"of either, which the split tells by": {store.RateLimitSpec{Match: &store.Match{Dim: "model", Op: "regex", Value: "-"}, Per: []string{"model"}}, true},
		"bound to each model":                 {store.RateLimitSpec{}, true},
		"bound to each, of the fallback's":    {store.RateLimitSpec{Match: relief}, false},
	}
}

// onModels binds the policy's limit to models in place of all.
func (r *rig) onModels() {
	r.tb.Helper()
	var all []store.ModelRef
	for m := range r.db.Catalog().Models.All() {
		all = append(all, store.ModelRef(m.Metadata.ID))
	}
	edit(r, "open", func(p *store.Policy) {
		p.Spec.RLBindings, p.Spec.RateLimitID = []store.RLBinding{{Models: all, RateLimitID: p.Spec.RateLimitID}}, ""
	})
}

func TestFallback_APolicysLimitThatAsksForTheModelCountsAtItsTurnAndOnce(t *testing.T) {
	for name, c := range asking() {
		t.Run(name, func(t *testing.T) {
			r, up := newStand(t)
			for _, k := range shapes() {
				r.aside(k, reliefOf(k), nil)
				r.aside(k, frontOf(k), nil, reliefOf(k))
			}
			r.policy(sliding(limiter.MeterRequests, 3, time.Minute), sliding(limiter.MeterTokens, 1e6, time.Minute))
			edit(r, "rl", func(rl *store.RateLimit) { rl.Spec.Per, rl.Spec.Match = c.spec.Per, c.spec.Match })
			if strings.HasPrefix(name, "bound") {
				r.onModels()
			}
			key := r.key("laptop", store.RelayKeySpec{})
			r.eachKind(t, kinds(), func(t *testing.T, k kind) {
				front, other := k.of(frontOf(k)), k.of(reliefOf(k))
				counts := func(model string, requests, tokens int64) {
					t.Helper()
					if n, m := r.reads(key, model, "policy open", limiter.MeterRequests), r.reads(key, model, "policy open", limiter.MeterTokens); n != requests || m != tokens {
						t.Fatalf("%s counts %d requests and %d tokens, want %d and %d", model, n, m, requests, tokens)
					}
				}
				turns := func(requests, tokens int64) {
					t.Helper()
					up.Play(fails(), k.says(7, 3))
					r.answeredBy(k, r.ask(front, key), other.model)
					counts(other.model, requests, tokens)
				}
				turns(1, 10)
				r.answers(other, up, key, 1, 7, 3)
				counts(other.model, 2, 20)
				turns(3, 30)
				full := denial{text: `Limit "rl" of policy open: 3 of 3 requests in 1m used`, scope: "policy", wait: waitOf(time.Minute)}
				r.denied(k, r.ask(other, key), full)
				arrived := len(up.Requests())
				up.Play(fails())
				r.want(r.ask(front, key), 502, "") // and nothing reaches the other model
				r.wantArrived(up, arrived+1)
				counts(other.model, 3, 30)
				if c.ofFirst {
					counts(front.model, 3, 20)
					r.denied(k, r.ask(front, key), full)
				} else {
					counts(front.model, -1, -1)
				}
			})
		})
	}
}

func TestFallback_ALimitThatCountsBothModelsAlikeCountsACallOnce(t *testing.T) {
	for name, spec := range map[string]store.RateLimitSpec{
		"split by endpoint": {Per: []string{"endpoint"}},
		"split by user":     {Per: []string{"user"}},
		"of either model":   {Match: &store.Match{Dim: "model", Op: "regex", Value: "-"}},
		"of what was asked": {Match: &store.Match{Dim: "model_name", Op: "regex", Value: "^front-"}},
		"but for the night": {Suspend: []store.Suspend{{Start: "22:00", End: "06:00"}}},
	} {
		t.Run(name, func(t *testing.T) {
			r, up := newStand(t)
			for _, k := range shapes() {
				r.aside(k, reliefOf(k), nil)
				r.aside(k, frontOf(k), nil, reliefOf(k))
			}
			r.policy(sliding(limiter.MeterRequests, 3, time.Minute))
			edit(r, "rl", func(rl *store.RateLimit) {
				rl.Spec.Per, rl.Spec.Match, rl.Spec.Suspend = spec.Per, spec.Match, spec.Suspend
			})
			key, maria := r.key("laptop", trusting()), userHeader+": maria"
			r.eachKind(t, kinds(), func(t *testing.T, k kind) {
				front := k.of(frontOf(k))
				for range 3 {
					up.Play(fails(), k.says(7, 3))
					r.answeredBy(k, r.ask(front, key, maria), reliefOf(k))
				}
				r.denied(k, r.ask(front, key, maria), denial{text: `Limit "rl" of policy open: 3 of 3 requests in 1m used`, scope: "policy", wait: waitOf(time.Minute)})
			})
		})
	}
}
