package gateway_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"relay/limiter"
	"relay/store"
)

// one allows one call at a time, and enough of the rest.
func one() *store.Limits {
	return &store.Limits{RPS: int64p(900), RPM: int64p(9000), TPM: int64p(1e6), TPD: int64p(1e6), Concurrency: int64p(1)}
}

// rungsOfOne puts such limits on every rung of the caller's side.
func (r *rig) rungsOfOne() (key string) {
	r.tb.Helper()
	key = r.key("laptop", store.RelayKeySpec{Limits: one()})
	edit(r, "acme", func(o *store.Organization) { o.Spec.Limits = one() })
	edit(r, "research", func(o *store.Team) { o.Spec.Limits = one() })
	edit(r, "bots", func(o *store.Project) { o.Spec.Limits = one() })
	edit(r, "script", func(o *store.ServiceAccount) { o.Spec.Limits = one() })
	for _, k := range shapes() {
		edit(r, k.model, func(m *store.Model) { m.Spec.Limits = one() })
	}
	return key
}

// subsets are all choices of some of so many.
func subsets(of int) (all [][]int) {
	for bits := 1; bits < 1<<of; bits++ {
		var chosen []int
		for i := range of {
			if bits&(1<<i) != 0 {
				chosen = append(chosen, i)
			}
		}
		all = append(all, chosen)
	}
	return all
}

func TestConcurrency_ARefusalByAnyRungsLeavesEveryCounterOfAllAsItWas(t *testing.T) {
	rungs := []struct{ owner, scope, code string }{
		{"organization acme", "organization", "concurrency_limit_exceeded"}, {"team research", "team", ""}, {"project bots", "project", ""},
		{"service-account script", "principal", ""}, {"key laptop", "key", ""}, {"model ", "model", ""},
	}
	r, up := newStand(t)
	key := r.rungsOfOne()
	r.eachKind(t, kinds(), func(t *testing.T, k kind) {
		r.answers(k, up, key, 2, 7, 3)
		all := r.held(key, k.model)
		gauges := ofMeters(all, limiter.MeterConcurrency)
		if len(gauges) != len(rungs) || len(all) != 5*len(rungs) {
			t.Fatalf("the call is under %s", r.standing(all))
		}
		idle, arrived := r.standing(all), len(up.Requests())
		for _, full := range subsets(len(rungs)) {
			slices.Reverse(full) // the lowest is full first
			var ends []func()
			for _, i := range full {
				ends = append(ends, r.charge(gauges[i:i+1]))
			}
			before, widest := r.standing(all), rungs[full[len(full)-1]]
			if widest.scope == "model" {
				widest.owner += k.model
			}
			r.denied(k, r.ask(k, key), denial{code: widest.code, text: "Limit of " + widest.owner + ": 1 of 1 requests in flight", scope: widest.scope, wait: time.Second})
			r.stays("a refusal by "+widest.owner, all, before)
			for _, end := range ends {
				end()
			}
		}
		r.stays("all refusals", all, idle)
		r.wantArrived(up, arrived)
		r.answers(k, up, key, 1, 7, 3)
	})
}

// upstreamRungs puts the rules on the host, the host account and the key of every
// shape.
func (r *rig) upstreamRungs(rules ...limiter.Rule) {
	r.tb.Helper()
	records := []store.AnyRecord{named("upstream-rl", store.RateLimitSpec{Rules: rules})}
	for _, host := range hosts() {
		key := *r.db.Catalog().HostKeys.ByName(host + "-1")
		key.Spec.AccountID, key.Spec.TierPolicyID = "account-"+host, "tier-"+host
		records = append(records, named("account-"+host, store.HostAccountSpec{HostID: host}), &key,
			named("bound-"+host, store.PolicyBindingSpec{PolicyID: "host-" + host, Account: store.AccountRef("host:" + host)}),
			named("bound-account-"+host, store.PolicyBindingSpec{PolicyID: "account-" + host, Account: store.AccountRef("host-account:account-" + host)}))
		for _, rung := range []string{"host", "account", "tier"} {
			policy := named(rung+"-"+host, store.PolicySpec{RateLimitID: "upstream-rl"})
			policy.Metadata.Owner = &store.Ref{Kind: store.KindHost, ID: r.record(store.KindHost, host)}
			records = append(records, policy)
		}
	}
	r.putAll(records...)
}

// A call that no upstream has seen gives back what strategies give back. The
// windows of the caller's side are no such ones.
func TestConcurrency_ARefusalByAnyUpstreamRungsLeavesTheOthersAsTheyWere(t *testing.T) {
	r, up := newStand(t)
	perMinute := func(strategy limiter.Strategy) limiter.Rule {
		return limiter.Rule{Meter: limiter.MeterRequests, Amount: 900, Window: 60, Strategy: strategy}
	}
	tokens, single := sliding(limiter.MeterTokens, 1e6, time.Minute), sliding(limiter.MeterConcurrency, 1, time.Minute)
	r.policy(perMinute(limiter.TokenBucket), perMinute(limiter.LeakyBucket), perMinute(limiter.SessionWindow), tokens, single)
	r.upstreamRungs(perMinute(limiter.SlidingWindow), perMinute(limiter.TokenBucket), tokens, single)
	key := r.key("laptop", store.RelayKeySpec{Limits: &store.Limits{RPM: int64p(900)}})
	r.eachKind(t, kinds(), func(t *testing.T, k kind) {
		r.answers(k, up, key, 2, 7, 3)
		all := r.held(key, k.model)
		windows := ofRungs(all, limiter.ScopeKey)
		others := slices.DeleteFunc(slices.Clone(all), func(l *limiter.Limit) bool { return slices.Contains(windows, l) })
		gauges := ofMeters(ofOwnersAt(k.host(), all), limiter.MeterConcurrency)
		if len(gauges) != 3 || len(windows) != 1 || len(others) != 5+4*3*len(hosts()) {
			t.Fatalf("the call is under %s", r.standing(all))
		}
		full := denial{text: "The key for " + k.model + " at " + k.host() + " is at its own limit", wait: time.Second}
		idle, arrived := r.standing(others), len(up.Requests())
		for i, chosen := range subsets(len(gauges)) {
			var ends []func()
			for _, i := range chosen {
				ends = append(ends, r.charge(gauges[i:i+1]))
			}
			before := r.standing(others)
			r.denied(k, r.ask(k, key), full)
			r.stays("a refusal upstream", others, before)
			if n := r.memory.Read(r.clock.Now(), windows[0].Counter).Used; n != int64(3+i) {
				t.Errorf("%d requests are counted in the window, want %d", n, 3+i)
			}
			for _, end := range ends {
				end()
			}
		}
		r.stays("all refusals", others, idle)
		r.wantArrived(up, arrived)
		r.answers(k, up, key, 1, 7, 3)
	})
}

// ofOwnersAt are the limits of the host, its account and its key.
func ofOwnersAt(host string, limits []*limiter.Limit) []*limiter.Limit {
	return slices.DeleteFunc(slices.Clone(limits), func(l *limiter.Limit) bool {
		return l.Source.Scope != limiter.ScopeUpstream || !strings.Contains(l.Source.Owner, "-"+host+" of ")
	})
}
