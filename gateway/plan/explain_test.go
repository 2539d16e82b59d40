package plan_test

import (
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"relay/gateway/plan"
	"relay/limiter"
	"relay/store"
)

// counts is a limiter whose clock stands at noon.
type counts struct {
	registry *limiter.Registry
	memory   *limiter.Memory
	now      limiter.Instant
}

func newCounts() *counts {
	registry, noon := limiter.NewRegistry(), time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC).UnixNano()
	return &counts{registry, limiter.NewMemory(registry), limiter.Instant{V: noon, Wall: noon}}
}

func (c *counts) Read(counter *limiter.Counter) limiter.Reading { return c.memory.Read(c.now, counter) }

func (c *counts) Judge(limits []*limiter.Limit) limiter.Refusal { return c.memory.Judge(c.now, limits) }

// request admits one request under the limits and ends it with the usage.
func (c *counts) request(t *testing.T, limits []*limiter.Limit, u limiter.Usage) {
	t.Helper()
	var ticket limiter.Ticket
	ticket.Add(limits)
	if r, _ := c.memory.Reserve(t.Context(), c.now, &ticket); r.Refused() {
		t.Fatalf("refused: %+v", r)
	}
	c.memory.Commit(t.Context(), c.now, u, &ticket, nil)
}

// planOn compiles the present catalog on the counters.
func (w *world) planOn(c *counts) *plan.Plan {
	return plan.Compile(plan.Input{Catalog: w.db.Catalog(), Registry: c.registry, KeyValue: w.db.HostKeyValue})
}

// ask explains a chat call for the model with the key, without counters.
func (w *world) ask(key, model string) plan.Explanation {
	w.t.Helper()
	return w.explain(w.plan(), plan.Question{KeyID: w.id(store.KindRelayKey, key), Model: model})
}

func (w *world) explain(p *plan.Plan, q plan.Question) plan.Explanation {
	w.t.Helper()
	if q.Endpoint == "" {
		q.Endpoint = store.EndpointChat
	}
	e, err := plan.Explain(p, q)
	if err != nil {
		w.t.Fatal(err)
	}
	return e
}

func (w *world) account(kind store.Kind, name string) store.AccountRef {
	return store.AccountRef(string(kind) + ":" + w.id(kind, name))
}

// verdicts writes what each rung says in one line.
func verdicts(e plan.Explanation) []string {
	var out []string
	for _, r := range e.Rungs {
		out = append(out, r.Rung+" "+r.Verdict+": "+r.Reason)
	}
	return out
}

func TestExplain_TellsWhatEachRungSays(t *testing.T) {
	off := false
	for name, c := range map[string]struct {
		make func(w *world) store.RelayKeySpec
		want []string
		code string
	}{
		"one grants, others are silent": {func(w *world) store.RelayKeySpec {
			put(w, "open", store.PolicySpec{})
			w.bind("open", "organization", "acme")
			return store.RelayKeySpec{}
		}, []string{
			"organization allows: policy open grants every model", "team silent: no policy is bound to it",
			"project silent: no policy is bound to it", "principal silent: no policy is bound to it",
			"key silent: it narrows neither models nor endpoints",
		}, ""},
		"a host is denied below, and the model above": {func(w *world) store.RelayKeySpec {
			put(w, "wide", store.PolicySpec{Models: []store.ModelRef{ref(w, store.KindModel, "embed")}})
			put(w, "narrow", store.PolicySpec{Models: []store.ModelRef{ref(w, store.KindModel, "chat")}, Deny: []store.ModelRef{ref(w, store.KindHost, "up")}})
			w.bind("wide", "organization", "acme")
			w.bind("narrow", "team", "research")
			return store.RelayKeySpec{}
		}, []string{
			"organization refuses: chat is not among the models of policy wide", "team narrows: policy narrow denies @up",
			"project silent: no policy is bound to it", "principal silent: no policy is bound to it",
			"key silent: it narrows neither models nor endpoints",
		}, "model_not_allowed"},
		"granted on one host": {func(w *world) store.RelayKeySpec {
			put(w, "pinned", store.PolicySpec{Models: []store.ModelRef{store.ModelRef(w.id(store.KindModel, "chat") + "@" + w.id(store.KindHost, "up"))}})
			w.bind("pinned", "project", "bots")
			return store.RelayKeySpec{Deny: []store.ModelRef{ref(w, store.KindModel, "embed")}}
		}, []string{
			"organization silent: no policy is bound to it", "team silent: no policy is bound to it",
			"project narrows: policy pinned grants chat on other hosts than down", "principal silent: no policy is bound to it",
			"key allows: key k grants every model",
		}, ""},
		"switched off, and an endpoint": {func(w *world) store.RelayKeySpec {
			put(w, "off", store.PolicySpec{Enabled: &off})
			put(w, "talk", store.PolicySpec{Endpoints: []string{"messages", "embeddings"}})
			w.bind("off", "organization", "acme")
			w.bind("talk", "service-account", "script")
			return store.RelayKeySpec{}
		}, []string{
			"organization refuses: Policy off, which governs this key, is switched off. Ask your gateway administrator.",
			"team silent: no policy is bound to it", "project silent: no policy is bound to it",
			"principal refuses: policy talk allows only the endpoints messages, embeddings",
			"key silent: it narrows neither models nor endpoints",
		}, "policy_disabled"},
		"a capability that all calls of the endpoint are of": {func(w *world) store.RelayKeySpec {
			put(w, "strict", store.PolicySpec{Capabilities: store.Capabilities{"chat": false}})
			w.bind("strict", "team", "research")
			return store.RelayKeySpec{}
		}, []string{
			"organization silent: no policy is bound to it",
			"team refuses: Policy strict does not allow generated answers (capability chat). Call another endpoint, or ask your gateway administrator.",
			"project silent: no policy is bound to it", "principal silent: no policy is bound to it",
			"key silent: it narrows neither models nor endpoints",
		}, "capability_not_allowed"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.key("k", c.make(w))
			e := w.ask("k", "chat")
			wantStrings(t, "verdicts", verdicts(e), c.want...)
			if code := codeOf(e.Refusal); code != c.code || e.Allowed != (c.code == "") {
				t.Errorf("allowed %v, refusal %+v; want %q", e.Allowed, e.Refusal, c.code)
			}
		})
	}
}

func codeOf(r *plan.WouldRefuse) string {
	if r == nil {
		return ""
	}
	return r.Code
}

func TestExplain_ListsKeysInOrderAndWhyOthersAreLeftOut(t *testing.T) {
	w := newWorld(t)
	off := false
	pricing := put(w, "chat-up", store.PricingSpec{Currency: "USD", Rates: []store.Rate{
		{Meter: "tokens.input", Unit: "per_million", Amount: "0.40"}, {Meter: "tokens.output", Unit: "per_thousand", Amount: "0.0016"},
	}})
	put(w, "chat-up", store.HostBindingSpec{ModelID: w.id(store.KindModel, "chat"), HostID: w.id(store.KindHost, "up"), UpstreamName: "chat-2026", PricingID: pricing.Metadata.ID})
	put(w, "up-b", store.HostKeySpec{HostID: w.id(store.KindHost, "up"), Source: store.KeySource{Kind: "env", Env: "UP_B"}, Enabled: &off})
	put(w, "up-c", store.HostKeySpec{HostID: w.id(store.KindHost, "up"), Source: store.KeySource{Kind: "env", Env: "UP_C"}})
	put(w, "bare", store.HostSpec{BaseURL: "https://bare.example/v1", Auth: "bearer"})
	put(w, "chat-bare", store.HostBindingSpec{ModelID: w.id(store.KindModel, "chat"), HostID: w.id(store.KindHost, "bare")})
	put(w, "p", store.PolicySpec{Pools: []store.Pool{{Name: "main", HostKeyIDs: []string{w.id(store.KindHostKey, "down-a"), w.id(store.KindHostKey, "up-a")}}}})
	w.bind("p", "team", "research")
	w.key("k", store.RelayKeySpec{})

	route := w.ask("k", "chat").Route
	if len(route.Pools) != 1 || route.Pools[0].Name != "main" || route.Pools[0].Policy.Name != "p" || route.Pools[0].Selection != "prioritized" {
		t.Fatalf("pools %+v", route.Pools)
	}
	first := route.Pools[0].Keys[0]
	if first.HostKey != "up-a" || first.UpstreamName != "chat-2026" || !first.Takes || first.Price == nil ||
		first.Price.InputPerMillion != "0.40" || first.Price.OutputPerMillion != "1.60" || first.Price.Pricing != "chat-up" {
		t.Errorf("first key %+v, price %+v", first, first.Price)
	}
	if second := route.Pools[0].Keys[1]; second.HostKey != "down-a" || second.Price != nil {
		t.Errorf("second key %+v", second)
	}
	var passed []string
	for _, k := range route.PassedOver {
		passed = append(passed, k.Host+"/"+k.HostKey+": "+k.Reason)
	}
	slices.Sort(passed)
	wantStrings(t, "passed over", passed,
		"bare/: host bare has no key: relay connect bare",
		"up/up-b: it is switched off",
		"up/up-c: it is in no pool of policy p, which is bound to team research")

	pinned := w.ask("k", "chat@down").Route
	if pinned.PinnedHost != "down" || pinned.Pools[0].Keys[0].Takes || pinned.Pools[0].Keys[0].Reason != "the request names host down" {
		t.Errorf("pinned %+v", pinned)
	}
}

func TestExplain_ListsLimitsInTheOrderInWhichARefusalNamesThem(t *testing.T) {
	w := newWorld(t)
	two, five := int64(2), int64(5)
	put(w, "acme", store.OrganizationSpec{Limits: &store.Limits{TPD: &five}})
	put(w, "chat", store.ModelSpec{ProviderID: w.id(store.KindProvider, "maker"), Limits: &store.Limits{RPM: &five}})
	put(w, "chat-rl", store.RateLimitSpec{Rules: []limiter.Rule{{Meter: limiter.MeterRequests, Amount: 60, Window: 60, Strategy: limiter.SlidingWindow}}})
	put(w, "chat", store.PolicySpec{RateLimitID: w.id(store.KindRateLimit, "chat-rl"), Budgets: []store.Budget{{Amount: "20", Period: "day", OnExceed: "warn"}}})
	w.bind("chat", "team", "research")
	w.key("bob", store.RelayKeySpec{})
	w.key("alice", store.RelayKeySpec{Limits: &store.Limits{RPM: &two, Concurrency: &two}})

	c := newCounts()
	p := w.planOn(c)
	q := plan.Question{KeyID: w.id(store.KindRelayKey, "alice"), Model: "chat", Observed: plan.Observed{Counters: c}}
	texts := func(e plan.Explanation) (out []string) {
		for _, l := range e.Limits {
			out = append(out, l.Text)
		}
		return out
	}
	want := []string{
		"Limit of organization acme: 5 tokens in 1d, shared by 2 keys",
		`Limit "chat-rl" of policy chat: 60 requests in 1m, shared by 2 keys`,
		"Budget of policy chat: $20.00 a day (warns only)",
		"Limit of key alice: 2 requests in 1m",
		"Limit of key alice: 2 requests in flight",
		"Limit of model chat: 5 requests in 1m",
	}
	wantStrings(t, "limits", texts(w.explain(p, q)), want...)

	c.request(t, p.Caller(sum("alice")).Limits, limiter.Usage{Input: 3})
	c.request(t, p.Caller(sum("alice")).Limits, limiter.Usage{Input: 4})
	e := w.explain(p, q)
	if e.Refusal == nil || e.Refusal.By != "limit" || e.Refusal.Code != "org_rate_limit_exceeded" || !strings.HasPrefix(e.Refusal.Message, "Limit of organization acme: 7 of 5 tokens in 1d used, shared by 2 keys; retry after ") {
		t.Errorf("refusal %+v", e.Refusal)
	}
	if l := e.Limits[0]; !l.Refuses || l.Used != 7 || l.Room != 0 || *l.ResetSeconds == 0 || l.RetryAfterSeconds != e.Refusal.RetryAfterSeconds || l.Algorithm != "ring" {
		t.Errorf("the limit of the organization: %+v", l)
	}
	if l := e.Limits[1]; l.Refuses || l.Used != 2 || l.Room != 58 || l.SharedBy != 2 || l.ID != w.id(store.KindRateLimit, "chat-rl") {
		t.Errorf("the limit of the policy: %+v", l)
	}
	if l := e.Limits[3]; !l.Refuses || l.RetryAfterSeconds != 61 {
		t.Errorf("the limit of the key: %+v", l)
	}
	if l := e.Limits[4]; l.Refuses || l.Used != 0 || l.ResetSeconds != nil {
		t.Errorf("the leases of the key: %+v", l)
	}
}

func TestExplain_AnAccountWithoutKeysIsHeldToWhatItsKeysWouldBe(t *testing.T) {
	w := newWorld(t)
	per := []limiter.Rule{{Meter: limiter.MeterRequests, Amount: 3, Window: 60, Strategy: limiter.SlidingWindow}}
	put(w, "rl", store.RateLimitSpec{Rules: per})
	put(w, "each", store.RateLimitSpec{Rules: per, Per: []string{"key"}})
	put(w, "above", store.PolicySpec{RateLimitID: w.id(store.KindRateLimit, "rl")})
	put(w, "below", store.PolicySpec{RateLimitID: w.id(store.KindRateLimit, "each")})
	w.bind("above", "team", "research")
	w.bind("below", "project", "bots")

	c := newCounts()
	p := w.planOn(c)
	before := c.registry.Len()
	q := plan.Question{Account: w.account(store.KindProject, "bots"), Model: "chat", Observed: plan.Observed{Counters: c}}
	e := w.explain(p, q)
	if !e.Allowed || e.Account.Name != "bots" || e.Credential != nil || len(e.Rungs) != 3 || len(e.Notes) != 1 {
		t.Fatalf("explanation %+v", e)
	}
	if len(e.Limits) != 2 || !slices.Equal(e.Limits[1].Per, []string{"key"}) || e.Limits[1].Used != 0 {
		t.Errorf("limits %+v", e.Limits)
	}
	if c.registry.Len() != before {
		t.Errorf("the question made %d counters", c.registry.Len()-before)
	}

	w.key("alice", store.RelayKeySpec{})
	p = w.planOn(c)
	for range 3 {
		c.request(t, p.Caller(sum("alice")).Limits, limiter.Usage{})
	}
	e = w.explain(p, q)
	if e.Refusal == nil || e.Refusal.Message != `Limit "rl" of policy above: 3 of 3 requests in 1m used; retry after 61 s.` {
		t.Errorf("refusal %+v", e.Refusal)
	}
	if e.Limits[1].Refuses {
		t.Errorf("the limit per key is full for a key that has sent nothing: %+v", e.Limits[1])
	}
}

func TestExplain_SaysWhatIsMissing(t *testing.T) {
	w := newWorld(t)
	p := w.plan()
	bare := w.explain(p, plan.Question{Account: w.account(store.KindTeam, "research"), Model: "chat"})
	if codeOf(bare.Refusal) != "no_policy" || bare.Refusal.By != "policy" || !strings.Contains(bare.Refusal.Message, "No policy governs a key of team research") {
		t.Errorf("refusal %+v", bare.Refusal)
	}
	for name, q := range map[string]plan.Question{
		"key":      {KeyID: "01a22a1d-8cee-7c0a-8825-7ff16cbadb43"},
		"account":  {Account: "team:01a22a1d-8cee-7c0a-8825-7ff16cbadb43"},
		"member":   {Account: "member:ann@bots"},
		"upstream": {Account: w.account(store.KindHost, "up")},
		"nonsense": {Account: "flock:geese"},
	} {
		if _, err := plan.Explain(p, q); store.CodeOf(err) == "" {
			t.Errorf("%s: error %v", name, err)
		}
	}
	put(w, "open", store.PolicySpec{})
	w.bind("open", "team", "research")
	unknown := w.explain(w.plan(), plan.Question{Account: w.account(store.KindTeam, "research"), Model: "chta"})
	if unknown.Route != nil || codeOf(unknown.Refusal) != "model_not_found" || !strings.Contains(unknown.Refusal.Message, "may use chat, embed") {
		t.Errorf("unknown model: %+v", unknown.Refusal)
	}
}

func TestExplain_LeavesThePlanAsItIs(t *testing.T) {
	w := newWorld(t)
	put(w, "rl", store.RateLimitSpec{Rules: []limiter.Rule{{Meter: limiter.MeterRequests, Amount: 1000, Window: 60, Strategy: limiter.SlidingWindow}}})
	put(w, "p", store.PolicySpec{RateLimitID: w.id(store.KindRateLimit, "rl"), Pools: []store.Pool{{Name: "main"}}})
	w.bind("p", "team", "research")
	w.key("alice", store.RelayKeySpec{})
	c := newCounts()
	p := w.planOn(c)
	turns, warnings, counters := len(p.Turns), len(p.Warnings), c.registry.Len()
	seen, key, team := plan.Observed{Counters: c}, w.id(store.KindRelayKey, "alice"), w.account(store.KindTeam, "research")
	var asking sync.WaitGroup
	for range 4 {
		asking.Go(func() {
			for range 20 {
				w.explain(p, plan.Question{KeyID: key, Model: "chat", Observed: seen})
				w.explain(p, plan.Question{Account: team, Model: "embed", Observed: seen})
				w.effective(p, team, seen)
				c.request(t, p.Caller(sum("alice")).Limits, limiter.Usage{Input: 1})
			}
		})
	}
	asking.Wait()
	if len(p.Turns) != turns || len(p.Warnings) != warnings || c.registry.Len() != counters {
		t.Errorf("%d turns, %d warnings, %d counters; were %d, %d, %d", len(p.Turns), len(p.Warnings), c.registry.Len(), turns, warnings, counters)
	}
	if l := w.explain(p, plan.Question{KeyID: key, Model: "chat", Observed: seen}).Limits[0]; l.Used != 80 {
		t.Errorf("limit %+v, want the 80 requests that were made", l)
	}
}
