package plan_test

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"relay/gateway/plan"
	"relay/limiter"
	"relay/store"
)

func perMinute(n int64) []limiter.Rule {
	return []limiter.Rule{{Meter: limiter.MeterRequests, Amount: n, Window: 60, Strategy: limiter.SlidingWindow}}
}

// limited puts team research under a policy with the rate limit.
func (w *world) limited(spec store.RateLimitSpec) {
	w.t.Helper()
	spec.Rules = perMinute(60)
	put(w, "rl", spec)
	put(w, "p", store.PolicySpec{RateLimitID: w.id(store.KindRateLimit, "rl")})
	if w.db.Catalog().PolicyBindings.ByName("team-research") == nil {
		w.bind("p", "team", "research")
	}
}

// asked are the facts of a request of the key for a model.
func (w *world) asked(p *plan.Plan, key, model string) *plan.Facts {
	m, _, ok := p.Find(model)
	if !ok {
		w.t.Fatalf("no model %s", model)
	}
	return &plan.Facts{Caller: p.Caller(sha256.Sum256([]byte(key))), Model: m, Asked: model, Endpoint: store.EndpointChat, Now: instant(noon)}
}

func instant(at time.Time) limiter.Instant {
	return limiter.Instant{V: at.UnixNano(), Wall: at.UnixNano()}
}

// counters name what counts the request.
func counters(f *plan.Facts) []string {
	var out []string
	add := func(limits []*limiter.Limit) {
		for _, l := range limits {
			out = append(out, l.Counter.Name().String())
		}
	}
	add(f.Caller.Limits)
	for _, s := range f.Caller.Selective {
		add(s.Limits(f))
	}
	return out
}

func TestMatch_CountsWhatItSelects(t *testing.T) {
	leaf := func(dim, op string, value any) *store.Match { return &store.Match{Dim: dim, Op: op, Value: value} }
	for _, c := range []struct {
		name  string
		match *store.Match
		want  bool
	}{
		{"model by name", leaf("model", "eq", "chat"), true},
		{"model by another case", leaf("model", "eq", "CHAT"), true},
		{"another model", leaf("model", "eq", "embed"), false},
		{"not another model", leaf("model", "ne", "embed"), true},
		{"not this model", leaf("model", "ne", "chat"), false},
		{"one of several", leaf("model", "in", []string{"embed", "chat"}), true},
		{"none of several", leaf("model", "in", []string{"embed", "other"}), false},
		{"regular expression", leaf("model", "regex", "^ch.t$"), true},
		{"regular expression on what was asked", leaf("model_name", "regex", "^fast$"), true},
		{"the model's own name was not asked for", leaf("model_name", "eq", "chat"), false},
		{"maker", leaf("provider", "eq", "maker"), true},
		{"endpoint", leaf("endpoint", "eq", "chat"), true},
		{"another endpoint", leaf("endpoint", "eq", "embeddings"), false},
		{"team", leaf("team", "eq", "research"), true},
		{"another team", leaf("team", "ne", "research"), false},
		{"project", leaf("project", "in", []string{"bots"}), true},
		{"key", leaf("key", "regex", "^lap"), true},
		{"user", leaf("user", "eq", "maria"), true},
		{"member of a service account", leaf("member", "ne", "x"), false},
		{"no member", &store.Match{Not: leaf("member", "ne", "x")}, true},
		{"all", &store.Match{All: []store.Match{*leaf("team", "eq", "research"), *leaf("model", "eq", "chat")}}, true},
		{"all but one", &store.Match{All: []store.Match{*leaf("team", "eq", "research"), *leaf("model", "eq", "embed")}}, false},
		{"all, decided before there is a request", &store.Match{All: []store.Match{*leaf("team", "eq", "sales"), *leaf("model", "eq", "chat")}}, false},
		{"any", &store.Match{Any: []store.Match{*leaf("team", "eq", "sales"), *leaf("model", "eq", "chat")}}, true},
		{"any, decided before", &store.Match{Any: []store.Match{*leaf("team", "eq", "research"), *leaf("model", "eq", "embed")}}, true},
		{"none of any", &store.Match{Any: []store.Match{*leaf("team", "eq", "sales"), *leaf("model", "eq", "embed")}}, false},
		{"not any", &store.Match{Not: &store.Match{Any: []store.Match{*leaf("team", "eq", "sales"), *leaf("model", "eq", "embed")}}}, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t)
			put(w, "chat", store.ModelSpec{ProviderID: w.id(store.KindProvider, "maker"), Aliases: []string{"fast"}})
			w.limited(store.RateLimitSpec{Match: c.match})
			w.key("laptop", store.RelayKeySpec{})
			f := w.asked(w.plan(), "laptop", "fast")
			f.User = "maria"
			if got := len(counters(f)) == 1; got != c.want {
				t.Errorf("counted by %v, want %v", counters(f), c.want)
			}
		})
	}
}

func TestMatch_ALeafOnWhatTheRequestLacksIsFalse(t *testing.T) {
	for _, op := range []string{"eq", "ne", "in", "regex"} {
		w := newWorld(t)
		var value any = ".*"
		if op == "in" {
			value = []string{".*"}
		}
		w.limited(store.RateLimitSpec{Match: &store.Match{Dim: "user", Op: op, Value: value}})
		w.key("laptop", store.RelayKeySpec{})
		if f := w.asked(w.plan(), "laptop", "chat"); len(counters(f)) != 0 {
			t.Errorf("%s: a request without a user is counted by %v", op, counters(f))
		}
	}
}

func TestPer_SplitsByEachDimension(t *testing.T) {
	w := newWorld(t)
	put(w, "sales", store.ProjectSpec{TeamID: w.id(store.KindTeam, "research")})
	put(w, "robot", store.ServiceAccountSpec{ProjectID: w.id(store.KindProject, "sales")})
	w.key("laptop", store.RelayKeySpec{})
	w.key("desktop", store.RelayKeySpec{Principal: store.Ref{Kind: store.KindServiceAccount, ID: w.id(store.KindServiceAccount, "robot")}})
	for per, differs := range map[string]func(p *plan.Plan, f *plan.Facts){
		"key":      func(p *plan.Plan, f *plan.Facts) { f.Caller = p.Caller(sha256.Sum256([]byte("desktop"))) },
		"project":  func(p *plan.Plan, f *plan.Facts) { f.Caller = p.Caller(sha256.Sum256([]byte("desktop"))) },
		"model":    func(p *plan.Plan, f *plan.Facts) { f.Model, _, _ = p.Find("embed") },
		"endpoint": func(_ *plan.Plan, f *plan.Facts) { f.Endpoint = store.EndpointMessages },
		"user":     func(_ *plan.Plan, f *plan.Facts) { f.User = "jose maria, jr" },
	} {
		for _, also := range []string{"", "user", "model"} {
			dims := []string{per}
			if also != "" && also != per {
				dims = append(dims, also)
			}
			w.limited(store.RateLimitSpec{Per: dims})
			p := w.plan()
			one, other := w.asked(p, "laptop", "chat"), w.asked(p, "laptop", "chat")
			one.User, other.User = "maria", "maria"
			differs(p, other)
			a, b := counters(one), counters(other)
			if len(a) != 1 || len(b) != 1 || a[0] == b[0] {
				t.Errorf("per %v: %v and %v are to be two counters", dims, a, b)
			}
			if again := counters(one); again[0] != a[0] {
				t.Errorf("per %v: the same request is counted by %v, then by %v", dims, a, again)
			}
		}
	}
}

func TestPer_DoesNotLimitWhatLacksADimension(t *testing.T) {
	w := newWorld(t)
	w.key("laptop", store.RelayKeySpec{})
	for _, dims := range [][]string{{"member"}, {"user"}, {"key", "user"}, {"member", "model"}} {
		w.limited(store.RateLimitSpec{Per: dims})
		if f := w.asked(w.plan(), "laptop", "chat"); len(counters(f)) != 0 {
			t.Errorf("per %v: counted by %v", dims, counters(f))
		}
	}
}

func TestPer_CountsAliasesAndWildcardNamesAsTheirModel(t *testing.T) {
	w := newWorld(t)
	put(w, "chat", store.ModelSpec{ProviderID: w.id(store.KindProvider, "maker"), Aliases: []string{"fast", "chat-2*"}})
	w.limited(store.RateLimitSpec{Per: []string{"model"}})
	w.key("laptop", store.RelayKeySpec{})
	p := w.plan()
	want := counters(w.asked(p, "laptop", "chat"))
	for _, name := range []string{"fast", "chat-2026-01", "chat-2", "CHAT", "maker/chat", "chat@up"} {
		if got := counters(w.asked(p, "laptop", name)); len(got) != 1 || got[0] != want[0] {
			t.Errorf("%s is counted by %v, want %v", name, got, want)
		}
	}
}

func TestPer_UserTellsTenThousandApartAndTheOthersShare(t *testing.T) {
	w := newWorld(t)
	w.limited(store.RateLimitSpec{Per: []string{"user"}})
	w.key("laptop", store.RelayKeySpec{})
	registry := limiter.NewRegistry()
	p := plan.Compile(plan.Input{Catalog: w.db.Catalog(), Registry: registry, KeyValue: w.db.HostKeyValue})
	memory, f := limiter.NewMemory(registry), w.asked(p, "laptop", "chat")
	seen := map[string]bool{}
	for i := range 10_000 {
		f.User = fmt.Sprintf("user-%d", i)
		limits := f.Caller.Selective[0].Limits(f)
		var ticket limiter.Ticket
		ticket.Add(limits)
		if r, err := memory.Reserve(t.Context(), f.Now, &ticket); err != nil || r.Refused() {
			t.Fatalf("%s is refused: %v, %v", f.User, r, err)
		}
		memory.Commit(t.Context(), f.Now, limiter.Usage{}, &ticket, nil)
		seen[limits[0].Counter.Name().Per] = true
	}
	if len(seen) != 10_000 {
		t.Fatalf("%d counters for 10,000 users", len(seen))
	}
	f.User = "the 10,001st"
	first := f.Caller.Selective[0].Limits(f)[0].Counter
	f.User = "the 10,002nd"
	if second := f.Caller.Selective[0].Limits(f)[0].Counter; first != second || strings.Contains(first.Name().Per, "=") {
		t.Errorf("further users are counted by %s and %s, want one counter that they share", first.Name(), second.Name())
	}
}

func TestPer_SplitsBudgetsOfEveryPeriodAlike(t *testing.T) {
	w := newWorld(t)
	put(w, "p", store.PolicySpec{Budgets: []store.Budget{
		{Amount: "1", Period: "day", Per: []string{"user"}}, {Amount: "5", Period: "month", Per: []string{"user"}}, {Amount: "9", Period: "week"},
	}})
	w.bind("p", "team", "research")
	w.key("laptop", store.RelayKeySpec{})
	f := w.asked(w.plan(), "laptop", "chat")
	wantStrings(t, "without a user", periods(counters(f)), "week")
	f.User = "maria"
	wantStrings(t, "with one", periods(counters(f)), "week", "day", "month")
	f.User = "jose"
	wantStrings(t, "with another", periods(counters(f)), "week", "day", "month")
}

func periods(names []string) []string {
	var out []string
	for _, text := range names {
		name, _ := limiter.ParseName(text)
		out = append(out, name.Period)
	}
	return out
}

func TestStandalone_AppliesToWhateverItMatches(t *testing.T) {
	w := newWorld(t)
	put(w, "p", store.PolicySpec{})
	w.bind("p", "team", "research")
	put(w, "b-research", store.RateLimitSpec{Rules: perMinute(2), Standalone: true, Match: &store.Match{Dim: "team", Op: "eq", Value: "research"}})
	put(w, "a-chat", store.RateLimitSpec{Rules: perMinute(1), Standalone: true, Match: &store.Match{Dim: "model", Op: "regex", Value: "^chat"}})
	put(w, "sales", store.RateLimitSpec{Rules: perMinute(1), Standalone: true, Match: &store.Match{Dim: "team", Op: "eq", Value: "sales"}})
	put(w, "all", store.RateLimitSpec{Rules: perMinute(9), Standalone: true})
	w.key("laptop", store.RelayKeySpec{})
	p := w.plan()
	for model, want := range map[string][]string{"chat": {"all", "b-research", "a-chat"}, "embed": {"all", "b-research"}} {
		f := w.asked(p, "laptop", model)
		var got []string
		for _, text := range counters(f) {
			name, _ := limiter.ParseName(text)
			got = append(got, w.db.Catalog().RateLimits.Get(name.Limit).Metadata.Name)
		}
		wantStrings(t, model, got, want...)
	}
}

func TestTurns_CountAnotherModelWhereTheLimitTellsThemApart(t *testing.T) {
	chat := &store.Match{Dim: "model", Op: "eq", Value: "chat"}
	for _, c := range []struct {
		name string
		spec store.RateLimitSpec
		want int
	}{
		{"split by model", store.RateLimitSpec{Per: []string{"model"}}, 1},
		{"of the other model", store.RateLimitSpec{Match: &store.Match{Dim: "model", Op: "eq", Value: "embed"}}, 1},
		{"of the first model", store.RateLimitSpec{Match: chat}, 0},
		{"of the maker of both", store.RateLimitSpec{Match: &store.Match{Dim: "provider", Op: "eq", Value: "maker"}}, 0},
		{"split by user", store.RateLimitSpec{Per: []string{"user"}}, 0},
		{"of the name that was asked for", store.RateLimitSpec{Match: &store.Match{Dim: "model_name", Op: "eq", Value: "chat"}}, 0},
	} {
		w := newWorld(t)
		w.limited(c.spec)
		w.key("laptop", store.RelayKeySpec{})
		p := w.plan()
		admitted, now := w.asked(p, "laptop", "chat"), w.asked(p, "laptop", "embed")
		admitted.User, now.User, now.Asked = "maria", "maria", "chat"
		if got := admitted.Caller.Selective[0].Turns(admitted, now); len(got) != c.want {
			t.Errorf("%s: the fallback's turn reserves %d limits, want %d", c.name, len(got), c.want)
		}
	}
}

// A file that somebody has edited by hand holds what no write lets in.
func TestSelective_ThatCannotBeReadRefuses(t *testing.T) {
	for name, spec := range map[string]store.RateLimitSpec{
		"regular expression": {Match: &store.Match{Dim: "model", Op: "regex", Value: "("}},
		"dimension":          {Match: &store.Match{Dim: "weather", Op: "eq", Value: "fine"}},
		"value":              {Match: &store.Match{Any: []store.Match{{Dim: "model", Op: "eq", Value: 7.0}}}},
		"zone":               {Suspend: []store.Suspend{{Timezone: "Mars/Base", Start: "10:00", End: "12:00"}}},
		"time of day":        {Suspend: []store.Suspend{{Start: "ten", End: "12:00"}}},
		"day":                {Suspend: []store.Suspend{{Days: []string{"someday"}, Start: "10:00", End: "12:00"}}},
	} {
		w := newWorld(t)
		w.limited(store.RateLimitSpec{})
		w.key("laptop", store.RelayKeySpec{})
		spec.Rules = perMinute(60)
		p := w.with(func(rec store.AnyRecord) {
			if rl, is := rec.(*store.RateLimit); is && rl.Metadata.Name == "rl" {
				rl.Spec = spec
			}
		})
		if c := p.Caller(sha256.Sum256([]byte("laptop"))); c.Refused == nil || c.Refused.Code != "limit_missing" || len(p.Warnings) == 0 {
			t.Errorf("%s: refused %+v, warnings %v", name, c.Refused, p.Warnings)
		}
	}
}

// with compiles the catalog after a change to copies of its records.
func (w *world) with(change func(store.AnyRecord)) *plan.Plan {
	var records []store.AnyRecord
	for _, kind := range store.Kinds() {
		for rec := range w.db.Catalog().Of(kind).Each() {
			if rl, is := rec.(*store.RateLimit); is {
				other := *rl
				rec = &other
			}
			change(rec)
			records = append(records, rec)
		}
	}
	return plan.Compile(plan.Input{Catalog: store.NewCatalog(records...), Registry: limiter.NewRegistry(), KeyValue: w.db.HostKeyValue})
}

func TestLimitsOf_TellsOfEachEndUser(t *testing.T) {
	w := newWorld(t)
	w.limited(store.RateLimitSpec{Per: []string{"key", "user"}})
	w.key("laptop", store.RelayKeySpec{})
	c := newCounts()
	p := w.planOn(c)
	f := w.asked(p, "laptop", "chat")
	for user, times := range map[string]int{"maria": 3, "jose, jr = x": 1} {
		f.User = user
		for range times {
			c.request(t, f.Caller.Selective[0].Limits(f), limiter.Usage{})
		}
	}
	out, err := plan.LimitsOf(p, w.id(store.KindPolicy, "p"), plan.Observed{Counters: c})
	if err != nil {
		t.Fatal(err)
	}
	rule := out.RateLimits[0].Rules[0]
	var got []string
	for _, counter := range rule.Counters {
		got = append(got, fmt.Sprint(counter.Per, " ", counter.Used))
	}
	wantStrings(t, "counters", got, "key=laptop,user 0", "key=laptop,user=jose, jr = x 1", "key=laptop,user=maria 3")
	if rule.Used != 3 {
		t.Errorf("the rule stands at %d, want what the counter that stands highest does", rule.Used)
	}
}

func TestExplain_TakesLimitsThatAskForTheRequestIntoAccount(t *testing.T) {
	w := newWorld(t)
	w.limited(store.RateLimitSpec{Per: []string{"user"}, Match: &store.Match{Dim: "model", Op: "eq", Value: "chat"}})
	put(w, "night", store.RateLimitSpec{Rules: perMinute(5), Standalone: true, Suspend: []store.Suspend{{Start: "11:00", End: "13:00"}}})
	w.key("laptop", store.RelayKeySpec{})
	p, key := w.plan(), w.id(store.KindRelayKey, "laptop")
	for _, c := range []struct {
		model, user string
		at          time.Time
		want        []string
	}{
		{"chat", "maria", noon, []string{"rl"}},
		{"chat", "", noon, nil},
		{"embed", "maria", noon, nil},
		{"embed", "maria", noon.Add(time.Hour), []string{"night"}},
		{"chat", "maria", noon.Add(time.Hour), []string{"rl", "night"}},
	} {
		e := w.explain(p, plan.Question{KeyID: key, Model: c.model, User: c.user, Endpoint: store.EndpointChat, Observed: plan.Observed{Now: c.at}})
		var got []string
		for _, l := range e.Limits {
			got = append(got, l.Name)
		}
		wantStrings(t, fmt.Sprint(c.model, " ", c.user, " ", c.at), got, c.want...)
	}
	put(w, "rl", store.RateLimitSpec{Charge: "reserve", Rules: []limiter.Rule{{Meter: limiter.MeterTokens, Amount: 60, Window: 60, Strategy: limiter.SlidingWindow}}})
	e := w.ask("laptop", "chat")
	if !slices.ContainsFunc(e.Notes, func(note string) bool { return strings.Contains(note, "judged without a booking") }) || !e.Limits[0].Reserves {
		t.Errorf("notes %q, limits %+v: want to be told of bookings", e.Notes, e.Limits)
	}
	folded, err := plan.Effective(p, w.account(store.KindTeam, "research"), plan.Observed{Now: noon})
	if err != nil || len(folded.Limits) != 2 || !folded.Limits[0].Conditional || !folded.Limits[1].Conditional {
		t.Errorf("effective limits %+v, %v: want both, conditional", folded.Limits, err)
	}
	wantStrings(t, "split by", folded.Limits[0].Per, "user")
}
