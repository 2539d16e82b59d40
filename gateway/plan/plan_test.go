package plan_test

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"slices"
	"testing"
	"time"

	"relay/gateway/plan"
	"relay/limiter"
	"relay/store"
	"relay/store/storetest"
)

// world is a catalog under construction with the plan of its present state.
type world struct {
	t  *testing.T
	db *store.DB
}

func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{t: t, db: storetest.Open(t, func(o *store.Options) {
		o.Getenv = func(name string) string { return "value-of-" + name }
	})}
	put(w, "acme", store.OrganizationSpec{})
	put(w, "research", store.TeamSpec{OrganizationID: w.id(store.KindOrganization, "acme")})
	put(w, "bots", store.ProjectSpec{TeamID: w.id(store.KindTeam, "research")})
	put(w, "script", store.ServiceAccountSpec{ProjectID: w.id(store.KindProject, "bots")})
	put(w, "maker", store.ProviderSpec{})
	put(w, "up", store.HostSpec{BaseURL: "https://up.example/v1", Auth: "bearer", Shapes: []store.Shape{store.ShapeOpenAI}})
	put(w, "down", store.HostSpec{BaseURL: "https://down.example/v1", Auth: "bearer", Shapes: []store.Shape{store.ShapeOpenAI}})
	w.model("chat", "up", "down")
	w.model("embed", "up")
	put(w, "up-a", store.HostKeySpec{HostID: w.id(store.KindHost, "up"), Source: store.KeySource{Kind: "env", Env: "UP_A"}})
	put(w, "up-b", store.HostKeySpec{HostID: w.id(store.KindHost, "up"), Source: store.KeySource{Kind: "env", Env: "UP_B"}})
	put(w, "down-a", store.HostKeySpec{HostID: w.id(store.KindHost, "down"), Source: store.KeySource{Kind: "env", Env: "DOWN_A"}})
	return w
}

// put writes a record, in place of one of that name.
func put[S any](w *world, name string, spec S) *store.Record[S] {
	w.t.Helper()
	rec := &store.Record[S]{Metadata: store.Metadata{Name: name}, Spec: spec}
	_, err := w.db.Write(func(e *store.Edit) error {
		if former := e.Catalog().Of(rec.Kind()).FindByName(name); former != nil {
			rec.Metadata = *former.Meta()
		}
		return e.Put(rec)
	})
	if err != nil {
		w.t.Fatalf("put %s: %v", name, err)
	}
	return rec
}

func (w *world) id(kind store.Kind, name string) string {
	w.t.Helper()
	rec := w.db.Catalog().Of(kind).FindByName(name)
	if rec == nil {
		w.t.Fatalf("no %s %s", kind, name)
	}
	return rec.Meta().ID
}

func (w *world) model(name string, hosts ...string) {
	put(w, name, store.ModelSpec{ProviderID: w.id(store.KindProvider, "maker")})
	for i, host := range hosts {
		put(w, name+"-"+host, store.HostBindingSpec{ModelID: w.id(store.KindModel, name), HostID: w.id(store.KindHost, host), Priority: i})
	}
}

func (w *world) bind(policy, kind, account string) {
	ref := store.AccountRef(kind + ":" + w.id(store.Kind(kind), account))
	put(w, kind+"-"+account, store.PolicyBindingSpec{PolicyID: w.id(store.KindPolicy, policy), Account: ref})
}

// key makes a relay key of the service account script and returns its caller.
func (w *world) key(name string, spec store.RelayKeySpec) *plan.Caller {
	sum := sha256.Sum256([]byte(name))
	spec.KeyHash = hex.EncodeToString(sum[:])
	if spec.Principal.ID == "" {
		spec.Principal = store.Ref{Kind: store.KindServiceAccount, ID: w.id(store.KindServiceAccount, "script")}
	}
	put(w, name, spec)
	return w.caller(name)
}

func (w *world) caller(name string) *plan.Caller {
	return w.plan().Caller(sha256.Sum256([]byte(name)))
}

func (w *world) plan() *plan.Plan {
	return plan.Compile(plan.Input{Catalog: w.db.Catalog(), Registry: limiter.NewRegistry(), KeyValue: w.db.HostKeyValue})
}

func names(c *plan.Caller) []string {
	var out []string
	for _, m := range c.Access.Models() {
		out = append(out, m.Name)
	}
	return out
}

func keys(pool plan.Pool) []string {
	var out []string
	for _, c := range pool.Candidates {
		out = append(out, c.Key.Name)
	}
	return out
}

func equal[T any](t *testing.T, what string, got, want []T, same func(a, b T) bool) {
	t.Helper()
	if !slices.EqualFunc(got, want, same) {
		t.Errorf("%s: got %v, want %v", what, got, want)
	}
}

func wantStrings(t *testing.T, what string, got []string, want ...string) {
	t.Helper()
	equal(t, what, got, want, func(a, b string) bool { return a == b })
}

func ref(w *world, kind store.Kind, name string) store.ModelRef {
	switch kind {
	case store.KindProvider:
		return store.ModelRef(w.id(kind, name) + "/")
	case store.KindHost:
		return store.ModelRef("@" + w.id(kind, name))
	}
	return store.ModelRef(w.id(kind, name))
}

func TestCompile_RefusesAKeyWithoutPolicyAndCaps(t *testing.T) {
	w := newWorld(t)
	c := w.key("bare", store.RelayKeySpec{})
	if c.Refused == nil || c.Refused.Code != "no_policy" {
		t.Fatalf("got %+v, want no_policy", c.Refused)
	}
}

func TestCompile_LetsAKeyWithCapsOfItsOwnPassWithoutPolicy(t *testing.T) {
	w := newWorld(t)
	rpm := int64(2)
	c := w.key("capped", store.RelayKeySpec{Limits: &store.Limits{RPM: &rpm}})
	if c.Refused != nil {
		t.Fatalf("refused: %+v", c.Refused)
	}
	if len(c.Limits) != 1 || c.Limits[0].Source.Owner != "key capped" || c.Limits[0].Source.Scope != limiter.ScopeKey {
		t.Fatalf("limits: %+v", c.Limits)
	}
	wantStrings(t, "models", names(c), "chat", "embed")
}

func TestCompile_EachRungOnlyNarrows(t *testing.T) {
	w := newWorld(t)
	put(w, "wide", store.PolicySpec{Models: []store.ModelRef{ref(w, store.KindModel, "chat"), ref(w, store.KindModel, "embed")}, Deny: []store.ModelRef{ref(w, store.KindModel, "embed")}})
	put(w, "narrow", store.PolicySpec{Models: []store.ModelRef{ref(w, store.KindProvider, "maker")}})
	w.bind("wide", "organization", "acme")
	w.bind("narrow", "project", "bots")
	c := w.key("k", store.RelayKeySpec{})
	wantStrings(t, "models", names(c), "chat")

	w.key("k2", store.RelayKeySpec{Deny: []store.ModelRef{ref(w, store.KindHost, "up")}})
	p := w.plan()
	m, _, _ := p.Find("chat")
	route := p.Caller(sha256.Sum256([]byte("k2"))).Access.Route(m)
	wantStrings(t, "candidates of the key that denies host up", keys(route.Pools[0]), "down-a")
}

func TestCompile_OrdersCandidatesByBindingPriorityThenPool(t *testing.T) {
	w := newWorld(t)
	put(w, "p", store.PolicySpec{Pools: []store.Pool{{Name: "main", HostKeyIDs: []string{w.id(store.KindHostKey, "down-a"), w.id(store.KindHostKey, "up-b"), w.id(store.KindHostKey, "up-a")}}}})
	w.bind("p", "team", "research")
	w.key("k", store.RelayKeySpec{})
	p := w.plan()
	m, _, ok := p.Find("chat")
	if !ok {
		t.Fatal("chat not found")
	}
	route := p.Caller(sha256.Sum256([]byte("k"))).Access.Route(m)
	if len(route.Pools) != 1 {
		t.Fatalf("pools: %+v", route.Pools)
	}
	wantStrings(t, "candidates", keys(route.Pools[0]), "up-b", "up-a", "down-a")
}

func TestCompile_KeepsOnlyPoolKeysThatEveryHigherRungHas(t *testing.T) {
	w := newWorld(t)
	up := func(names ...string) []string {
		var ids []string
		for _, n := range names {
			ids = append(ids, w.id(store.KindHostKey, n))
		}
		return ids
	}
	put(w, "above", store.PolicySpec{Pools: []store.Pool{{Name: "a", HostKeyIDs: up("up-a", "down-a")}}})
	put(w, "below", store.PolicySpec{Pools: []store.Pool{{Name: "b", HostKeyIDs: up("up-a", "up-b")}}})
	w.bind("above", "organization", "acme")
	w.bind("below", "project", "bots")
	w.key("k", store.RelayKeySpec{})
	p := w.plan()
	m, _, _ := p.Find("chat")
	route := p.Caller(sha256.Sum256([]byte("k"))).Access.Route(m)
	wantStrings(t, "candidates", keys(route.Pools[0]), "up-a")
}

func TestCompile_WithoutPoolsUsesEveryEnabledKeyInTheOrderOfMaking(t *testing.T) {
	w := newWorld(t)
	put(w, "p", store.PolicySpec{})
	w.bind("p", "team", "research")
	w.key("k", store.RelayKeySpec{})
	p := w.plan()
	m, _, _ := p.Find("chat")
	route := p.Caller(sha256.Sum256([]byte("k"))).Access.Route(m)
	wantStrings(t, "candidates", keys(route.Pools[0]), "up-a", "up-b", "down-a")
}

func TestCompile_ADisabledPolicyRefusesAndNeverFallsThrough(t *testing.T) {
	w := newWorld(t)
	off := false
	put(w, "p", store.PolicySpec{Enabled: &off})
	w.bind("p", "team", "research")
	c := w.key("k", store.RelayKeySpec{})
	if c.Refused == nil || c.Refused.Code != "policy_disabled" {
		t.Fatalf("got %+v, want policy_disabled", c.Refused)
	}
}

func TestCompile_TwoKeysUnderOnePolicyShareItsCounter(t *testing.T) {
	w := newWorld(t)
	put(w, "rl", store.RateLimitSpec{Rules: []limiter.Rule{{Meter: limiter.MeterRequests, Amount: 60, Window: 60, Strategy: limiter.SlidingWindow}}})
	put(w, "p", store.PolicySpec{RateLimitID: w.id(store.KindRateLimit, "rl")})
	w.bind("p", "team", "research")
	w.bind("p", "project", "bots")
	w.key("alice", store.RelayKeySpec{})
	w.key("bob", store.RelayKeySpec{})
	p := w.plan()
	alice, bob := p.Caller(sha256.Sum256([]byte("alice"))), p.Caller(sha256.Sum256([]byte("bob")))
	if len(alice.Limits) != 1 || alice.Limits[0] != bob.Limits[0] {
		t.Fatalf("limits of alice %v and bob %v are not the same one", alice.Limits, bob.Limits)
	}
	if got := alice.Limits[0].Source.SharedBy; got != 2 {
		t.Errorf("shared by %d keys, want 2", got)
	}
}

func TestCompile_ALimitPerKeySeparatesCounters(t *testing.T) {
	w := newWorld(t)
	put(w, "rl", store.RateLimitSpec{Per: []string{"key"}, Rules: []limiter.Rule{{Meter: limiter.MeterRequests, Amount: 60, Window: 60, Strategy: limiter.SlidingWindow}}})
	put(w, "p", store.PolicySpec{RateLimitID: w.id(store.KindRateLimit, "rl")})
	w.bind("p", "team", "research")
	w.key("alice", store.RelayKeySpec{})
	w.key("bob", store.RelayKeySpec{})
	p := w.plan()
	alice, bob := p.Caller(sha256.Sum256([]byte("alice"))), p.Caller(sha256.Sum256([]byte("bob")))
	if alice.Limits[0].Counter == bob.Limits[0].Counter {
		t.Fatal("alice and bob share a counter")
	}
}

func TestCompile_ASwitchedOffRateLimitLetsPass(t *testing.T) {
	w := newWorld(t)
	off := false
	put(w, "rl", store.RateLimitSpec{Enabled: &off, Rules: []limiter.Rule{{Meter: limiter.MeterRequests, Amount: 1, Window: 60, Strategy: limiter.SlidingWindow}}})
	put(w, "p", store.PolicySpec{RateLimitID: w.id(store.KindRateLimit, "rl")})
	w.bind("p", "team", "research")
	c := w.key("k", store.RelayKeySpec{})
	if c.Refused != nil || len(c.Limits) != 0 {
		t.Fatalf("refused %+v, limits %v", c.Refused, c.Limits)
	}
}

func TestCompile_AHostKeyWhoseValueCannotBeReadIsAWarning(t *testing.T) {
	w := newWorld(t)
	p := plan.Compile(plan.Input{Catalog: w.db.Catalog(), Registry: limiter.NewRegistry(), KeyValue: func(k *store.HostKey) (store.Secret, error) {
		if k.Metadata.Name == "up-a" {
			return store.Secret{}, errors.New("environment variable UP_A is not set")
		}
		return store.NewSecret("x"), nil
	}})
	if !slices.ContainsFunc(p.Warnings, func(w store.Problem) bool { return w.Name == "up-a" }) {
		t.Fatalf("no warning of up-a in %v", p.Warnings)
	}
}

func TestFind_ReadsNamesAliasesProviderAndHostPins(t *testing.T) {
	w := newWorld(t)
	put(w, "chat", store.ModelSpec{ProviderID: w.id(store.KindProvider, "maker"), Aliases: []string{"fast", "chat-2*"}})
	p := w.plan()
	for name, want := range map[string]string{
		"chat": "chat", "CHAT": "chat", "fast": "chat", "chat-2026-01": "chat", "maker/chat": "chat",
		"chat@down": "chat@down", "maker/chat@up": "chat@up", "chat@nowhere": "", "other": "", "@up": "",
	} {
		got := ""
		if m, host, ok := p.Find(name); ok {
			got = m.Name
			if host != nil {
				got += "@" + host.Name()
			}
		}
		if got != want {
			t.Errorf("Find(%q) = %q, want %q", name, got, want)
		}
	}
}

func TestCost_PricesEachTokenOnce(t *testing.T) {
	w := newWorld(t)
	rate := func(meter, amount string) store.Rate {
		return store.Rate{Meter: meter, Unit: "per_million", Amount: amount}
	}
	pricing := put(w, "chat-up", store.PricingSpec{Currency: "USD", Rates: []store.Rate{
		rate("tokens.input", "3"), rate("tokens.output", "15"), rate("tokens.cache_creation", "3.75"), rate("tokens.cache_read", "0.30"),
		{Meter: "tokens.input", Unit: "per_million", Amount: "6", AboveTokens: 200000},
	}})
	put(w, "chat-up", store.HostBindingSpec{ModelID: w.id(store.KindModel, "chat"), HostID: w.id(store.KindHost, "up"), PricingID: pricing.Metadata.ID})
	m, _, _ := w.plan().Find("chat")
	priced := m.Bindings[0].Pricing
	for name, c := range map[string]struct {
		units plan.Units
		nanos int64
	}{
		"cache creation once":      {plan.Units{Input: 3, CacheCreation: 12304, Output: 550}, 54_399_000},
		"reasoning inside output":  {plan.Units{Output: 100, Reasoning: 60}, 1_500_000},
		"long context":             {plan.Units{Input: 200_001}, 1_200_006_000},
		"at the edge of long":      {plan.Units{Input: 200_000}, 600_000_000},
		"audio at the base price":  {plan.Units{Input: 1000, AudioInput: 970}, 3_000_000},
		"half a nano-dollar is up": {plan.Units{CacheRead: 5}, 1500},
	} {
		if got, _ := priced.Cost(c.units, time.Now(), nil); got != c.nanos {
			t.Errorf("%s: %d nano-dollars, want %d", name, got, c.nanos)
		}
	}
}

func TestCompile_AKeyWhoseTierPolicyDoesNotExistIsNotUsed(t *testing.T) {
	w := newWorld(t)
	put(w, "p", store.PolicySpec{})
	w.bind("p", "team", "research")
	w.key("k", store.RelayKeySpec{})
	var records []store.AnyRecord
	for _, kind := range store.Kinds() {
		for rec := range w.db.Catalog().Of(kind).Each() {
			if h, isHost := rec.(*store.Host); isHost && h.Metadata.Name == "up" {
				broken := *h
				broken.Spec.DefaultTierPolicyID = "01a22a10-c8bc-7cf5-9be5-5bedf22ebe24"
				rec = &broken
			}
			records = append(records, rec)
		}
	}
	p := plan.Compile(plan.Input{Catalog: store.NewCatalog(records...), Registry: limiter.NewRegistry(), KeyValue: w.db.HostKeyValue})
	m, _, _ := p.Find("chat")
	route := p.Caller(sha256.Sum256([]byte("k"))).Access.Route(m)
	wantStrings(t, "candidates", keys(route.Pools[0]), "down-a")
	if route.Dropped == nil || route.Dropped.Code != "limit_missing" {
		t.Errorf("dropped for %+v, want limit_missing", route.Dropped)
	}
}
