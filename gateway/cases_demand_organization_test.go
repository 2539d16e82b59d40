package gateway_test

import (
	"testing"
	"time"

	"relay/gateway/gatewaytest"
	"relay/limiter"
	"relay/store"
)

// ceiling is a stand on which every rung below the organization has limits of
// its own, which let nine calls pass in an hour or a day.
func ceiling(t *testing.T, org *store.Limits) (r *rig, up *gatewaytest.Upstream, key string) {
	t.Helper()
	r, up = newStand(t)
	key = r.key("laptop", store.RelayKeySpec{Limits: &store.Limits{RPH: int64p(9), TPD: int64p(1e6)}})
	edit(r, "acme", func(o *store.Organization) { o.Spec.Limits = org })
	edit(r, "research", func(o *store.Team) { o.Spec.Limits = &store.Limits{RPH: int64p(9), TPD: int64p(1e6)} })
	edit(r, "bots", func(o *store.Project) { o.Spec.Limits = &store.Limits{RPH: int64p(9), Concurrency: int64p(9)} })
	rl := put(r, "rl", store.RateLimitSpec{Rules: []limiter.Rule{sliding(limiter.MeterRequests, 9, time.Hour), sliding(limiter.MeterOutput, 1e6, time.Hour)}})
	put(r, "team-policy", store.PolicySpec{RateLimitID: rl.Metadata.ID})
	put(r, "team-research", store.PolicyBindingSpec{PolicyID: r.record(store.KindPolicy, "team-policy"), Account: store.AccountRef("team:" + r.record(store.KindTeam, "research"))})
	for _, k := range shapes() {
		edit(r, k.model, func(m *store.Model) { m.Spec.Limits = &store.Limits{RPD: int64p(9), TPM: int64p(1e6)} })
	}
	return r, up, key
}

// refusesFirst checks that the organization's limit refuses what all other rungs
// have room for, and what each of them is full for too.
func (r *rig) refusesFirst(k kind, up *gatewaytest.Upstream, key string, full denial) {
	r.tb.Helper()
	all := r.held(key, k.model)
	below := ofRungs(all, limiter.ScopeTeam, limiter.ScopeProject, limiter.ScopeKey, limiter.ScopeModel)
	before, arrived := r.standing(all), len(up.Requests())
	for range 5 {
		r.denied(k, r.ask(k, key), full)
	}
	r.stays("refusals by the organization", all, before)
	requests := ofMeters(below, limiter.MeterRequests)
	if len(requests) != 5 {
		r.tb.Fatalf("requests are counted by %s", r.standing(requests))
	}
	for _, l := range requests { // each up to its amount
		for r.memory.Read(r.clock.Now(), l.Counter).Used < l.Amount {
			r.charge([]*limiter.Limit{l})()
		}
	}
	before = r.standing(all)
	full.wait = waitOf(24 * time.Hour) // of the model, the longest
	r.denied(k, r.ask(k, key), full)
	r.stays("a refusal by all rungs", all, before)
	r.wantArrived(up, arrived)
}

func TestOrganization_RefusesRequestsBeforeAllBelowIt(t *testing.T) {
	r, up, key := ceiling(t, &store.Limits{RPM: int64p(2)})
	full := denial{code: "org_rate_limit_exceeded", text: "Limit of organization acme: 2 of 2 requests in 1m used", scope: "organization", wait: waitOf(time.Minute)}
	r.eachKind(t, kinds(), func(t *testing.T, k kind) {
		r.answers(k, up, key, 2, 200, 100)
		r.refusesFirst(k, up, key, full)
	})
}

func TestOrganization_RefusesTokensBeforeAllBelowIt(t *testing.T) {
	r, up, key := ceiling(t, &store.Limits{TPM: int64p(500)})
	full := denial{code: "org_rate_limit_exceeded", text: "Limit of organization acme: 600 of 500 tokens in 1m used", scope: "organization", wait: waitOf(time.Minute)}
	r.eachKind(t, kinds(), func(t *testing.T, k kind) {
		r.answers(k, up, key, 2, 200, 100)
		r.refusesFirst(k, up, key, full)
	})
}

func TestOrganization_RefusesWhatIsInFlightBeforeAllBelowIt(t *testing.T) {
	r, up, key := ceiling(t, &store.Limits{Concurrency: int64p(2)})
	full := denial{code: "concurrency_limit_exceeded", text: "Limit of organization acme: 2 of 2 requests in flight", scope: "organization", wait: time.Second}
	r.eachKind(t, kinds(), func(t *testing.T, k kind) {
		first, second := r.hangs(k, up, key), r.hangs(k, up, key)
		r.refusesFirst(k, up, key, full)
		first()
		second()
		r.nextNoon()
		r.answers(k, up, key, 3, 5, 5)
		r.mustBeIdle(k.name)
	})
}

// It is the policy's limit then, whatever the policy is bound to.
func TestOrganization_APolicyBoundToItRefusesAsAPolicy(t *testing.T) {
	for _, c := range []struct {
		rule limiter.Rule
		full string
	}{
		{sliding(limiter.MeterRequests, 2, time.Minute), "2 of 2 requests in 1m used"},
		{sliding(limiter.MeterTokens, 500, time.Minute), "600 of 500 tokens in 1m used"},
		{sliding(limiter.MeterConcurrency, 2, time.Minute), "2 of 2 requests in flight"},
	} {
		t.Run(string(c.rule.Meter), func(t *testing.T) {
			r, up, key := ceiling(t, &store.Limits{RPM: int64p(100), Concurrency: int64p(100)})
			org := put(r, "org-rl", store.RateLimitSpec{Rules: []limiter.Rule{c.rule}})
			edit(r, "open", func(p *store.Policy) { p.Spec.RateLimitID = org.Metadata.ID })
			full := denial{text: `Limit "org-rl" of policy open: ` + c.full, scope: "policy", wait: waitOf(time.Minute)}
			r.eachKind(t, kinds(), func(t *testing.T, k kind) {
				if c.rule.Meter != limiter.MeterConcurrency {
					r.answers(k, up, key, 2, 200, 100)
					r.refusesFirst(k, up, key, full)
					return
				}
				first, second := r.hangs(k, up, key), r.hangs(k, up, key)
				full.wait = time.Second
				r.refusesFirst(k, up, key, full)
				first()
				second()
			})
		})
	}
}
