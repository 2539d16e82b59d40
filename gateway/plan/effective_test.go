package plan_test

import (
	"crypto/sha256"
	"slices"
	"testing"
	"time"

	"relay/gateway/plan"
	"relay/limiter"
	"relay/store"
)

func sum(name string) [32]byte { return sha256.Sum256([]byte(name)) }

func (w *world) effective(p *plan.Plan, account store.AccountRef, seen plan.Observed) plan.FoldedLadder {
	w.t.Helper()
	out, err := plan.Effective(p, account, seen)
	if err != nil {
		w.t.Fatal(err)
	}
	return out
}

func limitTexts(limits []plan.LimitState) []string {
	var out []string
	for _, l := range limits {
		out = append(out, l.Text)
	}
	return out
}

func TestEffective_TellsWhatEachRungContributesAndWhatComesOfIt(t *testing.T) {
	w := newWorld(t)
	ten := int64(10)
	rule := []limiter.Rule{{Meter: limiter.MeterRequests, Amount: 5, Window: 60, Strategy: limiter.SlidingWindow}}
	put(w, "research", store.TeamSpec{OrganizationID: w.id(store.KindOrganization, "acme"), Limits: &store.Limits{RPM: &ten, Concurrency: &ten}})
	put(w, "embed", store.ModelSpec{ProviderID: w.id(store.KindProvider, "maker"), Limits: &store.Limits{RPS: &ten}})
	put(w, "per-model", store.RateLimitSpec{Rules: rule})
	put(w, "wide", store.PolicySpec{Endpoints: []string{"chat", "embeddings"}, Pools: []store.Pool{{Name: "all"}}})
	put(w, "narrow", store.PolicySpec{
		Models: []store.ModelRef{ref(w, store.KindProvider, "maker")}, Deny: []store.ModelRef{ref(w, store.KindHost, "down")},
		Endpoints: []string{"chat", "messages"}, Budgets: []store.Budget{{Amount: "20", Period: "month"}},
		Pools:      []store.Pool{{Name: "main", HostIDs: []string{w.id(store.KindHost, "up")}, Selection: "round-robin"}},
		RLBindings: []store.RLBinding{{Models: []store.ModelRef{ref(w, store.KindModel, "chat")}, RateLimitID: w.id(store.KindRateLimit, "per-model")}},
	})
	w.bind("wide", "organization", "acme")
	w.bind("narrow", "project", "bots")

	asOf := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	out := w.effective(w.plan(), w.account(store.KindServiceAccount, "script"), plan.Observed{AsOf: asOf})
	if out.Account.Name != "script" || out.Live || !out.AsOf.Equal(asOf) || out.Refusal != nil || len(out.Rungs) != 4 {
		t.Fatalf("effective %+v", out)
	}
	wantStrings(t, "models", out.Models, "chat", "embed")
	wantStrings(t, "endpoints", out.Endpoints, "chat")
	wantStrings(t, "limits", limitTexts(out.Limits), "Limit of team research: 10 requests in 1m", "Limit of team research: 10 requests in flight", "Budget of policy narrow: $20.00 a month")
	if len(out.Pools) != 1 || out.Pools[0].Name != "main" || out.Pools[0].Policy.Name != "narrow" || len(out.Pools[0].Keys) != 2 || out.Pools[0].Keys[0].HostKey != "up-a" {
		t.Errorf("pools %+v", out.Pools)
	}
	var perModel []string
	for _, m := range out.ModelLimits {
		perModel = append(append(perModel, m.Model.Name), limitTexts(m.Limits)...)
	}
	wantStrings(t, "model limits", perModel, "chat", `Limit "per-model" of policy narrow: 5 requests in 1m`, "embed", "Limit of model embed: 10 requests in 1s")

	organization, team, project := out.Rungs[0], out.Rungs[1], out.Rungs[2]
	if organization.Policy.Name != "wide" || !slices.Equal(organization.Endpoints, []string{"chat", "embeddings"}) || len(organization.Limits) != 0 {
		t.Errorf("organization %+v", organization)
	}
	if team.Policy != nil || len(team.Limits) != 2 {
		t.Errorf("team %+v", team)
	}
	wantStrings(t, "models of the project", project.Models, "maker/")
	wantStrings(t, "deny of the project", project.Deny, "@down")
	if p := project.Pools[0]; p.Selection != "round-robin" || !slices.Equal(p.Hosts, []string{"up"}) {
		t.Errorf("pool of the project %+v", p)
	}
	if m := project.ModelLimits[0]; m.RateLimit.Name != "per-model" || !slices.Equal(m.Models, []string{"chat"}) {
		t.Errorf("model limits of the project %+v", m)
	}
}

func TestEffective_OfWhatIsRefusedListsNoModel(t *testing.T) {
	w := newWorld(t)
	out := w.effective(w.plan(), w.account(store.KindTeam, "research"), plan.Observed{})
	if codeOf(out.Refusal) != "no_policy" || len(out.Models) != 0 {
		t.Errorf("without a policy: %+v, models %v", out.Refusal, out.Models)
	}
	off := false
	put(w, "acme", store.OrganizationSpec{Enabled: &off})
	out = w.effective(w.plan(), w.account(store.KindTeam, "research"), plan.Observed{})
	if codeOf(out.Refusal) != "record_invalid" || len(out.Models) != 0 {
		t.Errorf("under an organization that is off: %+v", out.Refusal)
	}
}

// giveTo makes the policy one of the host's.
func (w *world) giveTo(host, policy string) {
	w.t.Helper()
	owned := *w.db.Catalog().Policies.ByName(policy)
	owned.Metadata.Owner = &store.Ref{Kind: store.KindHost, ID: w.id(store.KindHost, host)}
	if _, err := w.db.Write(func(e *store.Edit) error { return e.Put(&owned) }); err != nil {
		w.t.Fatal(err)
	}
}

func TestEffective_OfAHostTellsItsUpstreamLimits(t *testing.T) {
	w := newWorld(t)
	put(w, "tier", store.RateLimitSpec{Rules: []limiter.Rule{{Meter: limiter.MeterTokens, Amount: 1000, Window: 60, Strategy: limiter.SlidingWindow}}})
	put(w, "tier", store.PolicySpec{RateLimitID: w.id(store.KindRateLimit, "tier"), Deny: []store.ModelRef{ref(w, store.KindModel, "embed")}})
	w.giveTo("up", "tier")
	w.bind("tier", "host", "up")
	account := put(w, "billing", store.HostAccountSpec{HostID: w.id(store.KindHost, "up")})
	put(w, "up-b", store.HostKeySpec{HostID: w.id(store.KindHost, "up"), AccountID: account.Metadata.ID, Source: store.KeySource{Kind: "env", Env: "UP_B"}})

	c := newCounts()
	p := w.planOn(c)
	c.request(t, p.HostKeys[0].Limits, limiter.Usage{Output: 7})
	out := w.effective(p, w.account(store.KindHost, "up"), plan.Observed{Counters: c})
	wantStrings(t, "models", out.Models, "chat")
	wantStrings(t, "limits", limitTexts(out.Limits), `Limit "tier" of policy tier of host up: 1,000 tokens in 1m`)
	if out.Limits[0].Used != 7 || len(out.Pools[0].Keys) != 2 || len(out.Rungs) != 1 {
		t.Errorf("host %+v", out)
	}
	out = w.effective(p, w.account(store.KindHostAccount, "billing"), plan.Observed{Counters: c})
	if len(out.Rungs) != 2 || out.Rungs[1].Policy != nil || len(out.Pools[0].Keys) != 1 || out.Pools[0].Keys[0].HostKey != "up-b" || len(out.Limits) != 1 {
		t.Errorf("host account %+v", out)
	}
}

func TestLimitsOf_TellsCountersModelsAndOverlaps(t *testing.T) {
	w := newWorld(t)
	w.model("other", "up")
	rule := []limiter.Rule{{Meter: limiter.MeterRequests, Amount: 5, Window: 60, Strategy: limiter.SlidingWindow}}
	put(w, "tight", store.RateLimitSpec{Rules: rule})
	put(w, "loose", store.RateLimitSpec{Rules: rule, Per: []string{"key"}})
	chat, embed := ref(w, store.KindModel, "chat"), ref(w, store.KindModel, "embed")
	put(w, "p", store.PolicySpec{RLBindings: []store.RLBinding{
		{Models: []store.ModelRef{chat}, RateLimitID: w.id(store.KindRateLimit, "tight")},
		{Models: []store.ModelRef{chat, embed}, RateLimitID: w.id(store.KindRateLimit, "loose")},
	}})
	w.bind("p", "project", "bots")
	w.key("alice", store.RelayKeySpec{})
	w.key("bob", store.RelayKeySpec{})

	c := newCounts()
	p := w.planOn(c)
	m, _, _ := p.Find("chat")
	c.request(t, p.Caller(sum("bob")).ModelLimits[0][m].Limits, limiter.Usage{})
	out, err := plan.LimitsOf(p, w.id(store.KindPolicy, "p"), plan.Observed{Counters: c})
	if err != nil {
		t.Fatal(err)
	}
	wantStrings(t, "unthrottled", out.Unthrottled, "other")
	if len(out.Overlaps) != 1 || out.Overlaps[0].Model != "chat" || out.Overlaps[0].Counts != "tight" || !slices.Equal(out.Overlaps[0].Ignored, []string{"loose"}) {
		t.Errorf("overlaps %+v", out.Overlaps)
	}
	tight, loose := out.RateLimits[0], out.RateLimits[1]
	wantStrings(t, "models of tight", tight.Models, "chat")
	wantStrings(t, "models of loose", loose.Models, "embed")
	if r := tight.Rules[0]; tight.Default || r.Used != 1 || r.Amount != 5 || r.Algorithm != "sliding-window" || len(r.Counters) != 1 ||
		r.Counters[0].Subject != "team:research" || r.Counters[0].Model != "chat" || r.Counters[0].SharedBy != 2 || *r.ResetSeconds != 61 {
		t.Errorf("rule of tight %+v", r)
	}
	if r := loose.Rules[0]; len(r.Counters) != 2 || r.Counters[0].Per != "key=alice" || r.Counters[1].Per != "key=bob" {
		t.Errorf("rule of loose %+v", r)
	}
}

func TestLimitsOf_APolicyWideLimitCountsAllModelsTogether(t *testing.T) {
	w := newWorld(t)
	off := false
	rule := []limiter.Rule{{Meter: limiter.MeterConcurrency, Amount: 5, Window: 60, Strategy: limiter.SlidingWindow}}
	put(w, "rl", store.RateLimitSpec{Rules: rule})
	put(w, "p", store.PolicySpec{RateLimitID: w.id(store.KindRateLimit, "rl")})
	w.bind("p", "organization", "acme")
	w.key("alice", store.RelayKeySpec{})
	out, err := plan.LimitsOf(w.plan(), w.id(store.KindPolicy, "p"), plan.Observed{})
	if err != nil {
		t.Fatal(err)
	}
	l := out.RateLimits[0]
	wantStrings(t, "models", l.Models, "chat", "embed")
	if !l.Default || !l.Enabled || len(out.Unthrottled) != 0 || l.Rules[0].Counters[0].Subject != "organization:acme" || l.Rules[0].Algorithm != "gauge" {
		t.Errorf("rate limit %+v, unthrottled %v", l, out.Unthrottled)
	}
	put(w, "rl", store.RateLimitSpec{Rules: rule, Enabled: &off})
	if out, err = plan.LimitsOf(w.plan(), w.id(store.KindPolicy, "p"), plan.Observed{}); err != nil {
		t.Fatal(err)
	}
	wantStrings(t, "unthrottled once it is off", out.Unthrottled, "chat", "embed")
}
