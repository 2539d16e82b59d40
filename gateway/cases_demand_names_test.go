package gateway_test

import (
	"strings"
	"testing"
	"time"

	"relay/gateway/gatewaytest"
	"relay/limiter"
	"relay/store"
)

// names are those that lead to the kind's model on the stand of newNamed.
func (k kind) names() []way {
	var all []way
	for _, name := range []string{
		k.model, "quick-" + k.model, "fast-" + k.model + "-2026", "fast-" + k.model + "-", "maker/" + k.model, k.model + "@" + k.host(), k.host() + "/" + k.model,
		strings.ToUpper(k.model), "QUICK-" + k.model, "Maker/" + strings.ToUpper(k.model), "Fast-" + k.model + "-X@" + k.host(),
	} {
		all = append(all, way{k.of(name), nil})
	}
	return append(all, way{k.of(frontOf(k)), []gatewaytest.Script{fails()}})
}

// newNamed is a stand on which every model has many names.
func newNamed(t *testing.T, limits *store.Limits) (*rig, *gatewaytest.Upstream) {
	t.Helper()
	r, up := newStand(t)
	r.lead(limits)
	maker := put(r, "maker", store.ProviderSpec{})
	for _, k := range shapes() {
		edit(r, k.model, func(m *store.Model) { m.Spec.ProviderID = maker.Metadata.ID })
	}
	return r, up
}

func TestNames_OfOneModelFillOneBucket(t *testing.T) {
	amount := int64(len(kinds()[0].names()))
	r, up := newNamed(t, &store.Limits{RPM: &amount, TPM: int64p(1e6)})
	r.policy(sliding(limiter.MeterRequests, amount, time.Minute), sliding(limiter.MeterTokens, 1e6, time.Minute))
	edit(r, "rl", func(rl *store.RateLimit) { rl.Spec.Per = []string{"model"} })
	key := r.key("laptop", store.RelayKeySpec{})
	r.eachKind(t, kinds(), func(t *testing.T, k kind) {
		for i, w := range k.names() {
			up.Play(w.before...)
			r.answers(w.kind, up, key, 1, 7, 3)
			for _, owner := range []string{"model " + k.model, "policy open"} {
				n, m := r.reads(key, k.model, owner, limiter.MeterRequests), r.reads(key, k.model, owner, limiter.MeterTokens)
				if n != int64(i+1) || m != 10*n {
					t.Fatalf("after %s the limit of %s counts %d requests and %d tokens, want %d", w.model, owner, n, m, i+1)
				}
			}
		}
		arrived := len(up.Requests())
		for _, w := range k.names()[:amount-1] {
			a := r.ask(w.kind, key)
			r.want(a, 429, inJSON(`Limit "rl" of policy open: 12 of 12 requests in 1m used; retry after 61 s.`))
		}
		r.wantArrived(up, arrived)
	})
}

func TestNames_OfOneModelAreToldApartByAMatchOnTheNameThatWasAskedFor(t *testing.T) {
	r, up := newNamed(t, nil)
	only := func(name string, amount int64, m *store.Match) {
		put(r, name, store.RateLimitSpec{Standalone: true, Match: m, Rules: []limiter.Rule{sliding(limiter.MeterRequests, amount, time.Minute)}})
	}
	only("aliases", 2, &store.Match{Dim: "model_name", Op: "regex", Value: "^(quick|fast)-"})
	only("pinned", 1, &store.Match{Dim: "model_name", Op: "regex", Value: "@[a-z]+$"})
	key := r.key("laptop", store.RelayKeySpec{})
	r.eachKind(t, kinds(), func(t *testing.T, k kind) {
		aliases := denial{text: `Limit "aliases": 2 of 2 requests in 1m used`, scope: "standalone", wait: waitOf(time.Minute)}
		pinned := denial{text: `Limit "pinned": 1 of 1 requests in 1m used`, scope: "standalone", wait: waitOf(time.Minute)}
		counted := map[string]*denial{}
		for _, w := range k.names() {
			switch name := w.model; {
			case strings.HasSuffix(name, "@"+k.host()):
				counted[name] = &pinned
			case strings.HasPrefix(name, "quick-"), strings.HasPrefix(name, "fast-"): // in this case alone
				counted[name] = &aliases
			}
		}
		passed := map[*denial]int{}
		for range 3 {
			for _, w := range k.names() {
				full := counted[w.model]
				if full == &aliases && passed[full] == 2 || full == &pinned && passed[full] == 1 {
					r.denied(k, r.ask(w.kind, key), *full)
					continue
				}
				up.Play(w.before...)
				r.answers(w.kind, up, key, 1, 7, 3)
				passed[full]++
			}
		}
		if passed[&aliases] != 2 || passed[&pinned] != 1 || passed[nil] != 3*7 {
			t.Errorf("%d, %d and %d calls passed", passed[&aliases], passed[&pinned], passed[nil])
		}
	})
}
