package gateway_test

import (
	"strings"
	"testing"
	"time"

	"relay/gateway/gatewaytest"
	"relay/gateway/plan"
	"relay/limiter"
	"relay/store"
)

// foretold fails the test unless the explanation says what a call gets: the
// refusal, or the model and host that answer it. It returns the explanation.
func (x *trio) foretold(name, key, model string) plan.Explanation {
	x.tb.Helper()
	e := x.explain(name, model)
	wantModel, wantHost := firstToTake(e)
	x.sameAnswer(name, key, model)
	if !e.Allowed {
		return e
	}
	a := x.call(key, bodyOf(model))
	if got := a.Header.Get("X-Relay-Model") + " at " + a.Header.Get("X-Relay-Host"); got != wantModel+" at "+wantHost {
		x.tb.Errorf("%s: foretold %s at %s, answered by %s", model, wantModel, wantHost, got)
	}
	return e
}

func firstToTake(e plan.Explanation) (model, host string) {
	if e.Route == nil {
		return "", ""
	}
	taken := func(pools []plan.ExplainedPool) string {
		for _, pool := range pools {
			for _, k := range pool.Keys {
				if k.Takes {
					return k.Host
				}
			}
		}
		return ""
	}
	if host := taken(e.Route.Pools); host != "" {
		return e.Route.Model.Name, host
	}
	for _, leg := range e.Route.Fallbacks {
		if host := taken(leg.Pools); leg.Takes && host != "" {
			return leg.Model.Name, host
		}
	}
	return "", ""
}

func TestExplain_ForetellsFallbacksAndAliases(t *testing.T) {
	off := false
	for name, c := range map[string]struct {
		model  string
		key    store.RelayKeySpec
		change func(x *trio, key string)
		code   string // of the refusal; empty: answered
	}{
		"alias":           {model: "fast"},
		"alias at a host": {model: "fast@c"},
		"host and alias":  {model: "b/fast"},
		"alias through which alone it is granted": {model: "fast", change: func(x *trio, _ string) { x.grant("fast") }},
		"a target of it":                        {model: "chat", change: func(x *trio, _ string) { x.grant("fast") }, code: "model_not_allowed"},
		"alias that is not granted":             {model: "fast", change: func(x *trio, _ string) { x.grant("chat") }, code: "model_not_allowed"},
		"alias of which one target is denied":   {model: "fast", key: store.RelayKeySpec{}, change: func(x *trio, _ string) { put(x.rig, "open", store.PolicySpec{Deny: x.refs([]string{"chat"})}) }},
		"alias of which all targets are denied": {model: "fast", change: func(x *trio, _ string) { put(x.rig, "open", store.PolicySpec{Deny: x.refs([]string{"chat", "spare"})}) }, code: "model_not_allowed"},
		"alias of disabled targets": {model: "fast", change: func(x *trio, _ string) {
			for _, m := range []string{"chat", "spare"} {
				edit(x.rig, m, func(m *store.Model) { m.Spec.Enabled = &off })
			}
		}, code: "no_host_binding"},
		"alias of targets without a key": {model: "fast", change: func(x *trio, _ string) {
			for _, k := range []string{"a-1", "b-1", "c-1"} {
				edit(x.rig, k, func(k *store.HostKey) { k.Spec.Enabled = &off })
			}
		}, code: "no_keys"},
		"alias of unpriced targets": {model: "fast", key: store.RelayKeySpec{Budgets: []store.Budget{{Amount: "9", Period: "day", Unpriced: "refuse"}}}, change: func(x *trio, _ string) {
			for _, b := range []string{"chat-a", "chat-b", "spare-c"} {
				edit(x.rig, b, func(b *store.HostBinding) { b.Spec.PricingID = "" })
			}
		}, code: "budget_exceeded"},
		"alias of which one target is unpriced": {model: "fast", key: store.RelayKeySpec{Budgets: []store.Budget{{Amount: "9", Period: "day", Unpriced: "refuse"}}}, change: func(x *trio, _ string) {
			for _, b := range []string{"chat-a", "chat-b"} {
				edit(x.rig, b, func(b *store.HostBinding) { b.Spec.PricingID = "" })
			}
		}},
		"alias of which one target is over its limit": {model: "fast", change: func(x *trio, key string) {
			edit(x.rig, "chat", func(m *store.Model) { m.Spec.Limits = &store.Limits{RPM: int64p(1)} })
			x.call(key, bodyOf("fast"))
		}},
		"alias of targets over their limits": {model: "fast", change: func(x *trio, key string) {
			for _, m := range []string{"chat", "spare"} {
				edit(x.rig, m, func(m *store.Model) { m.Spec.Limits = &store.Limits{RPM: int64p(1)} })
				x.call(key, bodyOf("fast"))
				x.advance(time.Second)
			}
		}, code: "rate_limit_exceeded"},
		"alias over its own limit": {model: "fast", change: func(x *trio, key string) {
			edit(x.rig, "fast", func(m *store.Model) { m.Spec.Limits = &store.Limits{RPM: int64p(1)} })
			x.call(key, bodyOf("fast"))
		}, code: "rate_limit_exceeded"},
		"model whose keys rest": {model: "claude", change: func(x *trio, key string) { x.bench(key, "claude", "a", "b") }},
		"model whose keys and those of its fallback rest": {model: "claude", change: func(x *trio, key string) {
			x.bench(key, "claude", "a", "b", "c")
		}, code: "no_keys"},
		"model whose keys are at their limit":        {model: "claude", change: func(x *trio, _ string) { x.exhaust("a", "b") }},
		"model all of whose keys are at their limit": {model: "claude", change: func(x *trio, _ string) { x.exhaust("a", "b", "c") }, code: "rate_limit_exceeded"},
		"model whose fallback is not granted": {model: "claude", change: func(x *trio, key string) {
			x.bench(key, "claude", "a", "b")
			x.grant("claude")
		}, code: "no_keys"},
		"model at a host that its fallback is not at": {model: "claude@a", change: func(x *trio, key string) { x.bench(key, "claude", "a", "b") }, code: "no_keys"},
		"model whose binding is switched off": {model: "claude", change: func(x *trio, _ string) {
			for _, b := range []string{"claude-a", "claude-b"} {
				edit(x.rig, b, func(b *store.HostBinding) { b.Spec.Enabled = &off })
			}
		}},
		"host that does not serve it": {model: "chat@c", code: "no_host_binding"},
		"host that is not granted":    {model: "chat@b", change: func(x *trio, _ string) { x.grant("chat@a") }, code: "model_not_allowed"},
	} {
		t.Run(name, func(t *testing.T) {
			x := newAliases(t)
			x.account()
			key := x.key("laptop", c.key)
			if c.change != nil {
				c.change(x, key)
			}
			e := x.foretold("laptop", key, c.model)
			if c.code == "" && e.Refusal != nil || c.code != "" && (e.Refusal == nil || e.Refusal.Code != c.code) {
				t.Errorf("explained as %+v, want %q", e.Refusal, c.code)
			}
		})
	}
}

// bench lets the keys of the hosts rest.
func (x *trio) bench(key, model string, hosts ...string) {
	for _, host := range hosts {
		x.up[host].Otherwise(gatewaytest.JSON(429, upstreamError))
	}
	x.call(key, bodyOf(model))
	for _, up := range x.up {
		up.Otherwise(answer)
	}
}

// exhaust puts the keys of the hosts at their own limits.
func (x *trio) exhaust(hosts ...string) {
	for _, host := range hosts {
		x.tier(host, sliding(limiter.MeterRequests, 1, time.Minute))
	}
	for _, k := range x.server.Plan().HostKeys {
		for _, host := range hosts {
			if k.Host.Name() == host {
				x.fill(k.Limits)
				x.advance(time.Second)
			}
		}
	}
}

func TestExplain_ShowsFallbacksWithWhatGrantsAndLimitsThem(t *testing.T) {
	off := false
	x := newAliases(t)
	x.model("third", store.ModelSpec{Enabled: &off}, "a")
	edit(x.rig, "fast", func(m *store.Model) {
		two := 2
		m.Spec.Fallbacks = append(m.Spec.Fallbacks, store.Fallback{ModelID: x.rig.record(store.KindModel, "third"), Weight: &two})
	})
	x.grant("fast", "spare")
	x.key("laptop", store.RelayKeySpec{})
	e := x.explain("laptop", "fast")
	legs := e.Route.Fallbacks
	if !e.Route.Alias || len(e.Route.Pools) != 0 || len(legs) != 3 {
		t.Fatalf("route %+v", e.Route)
	}
	if l := legs[0]; l.Model.Name != "chat" || l.Of != "fast" || l.Through != "fast" || !l.Takes || len(l.Pools[0].Keys) != 2 || len(l.Limits) != 3 || l.Limits[0].Owner != "model chat" {
		t.Errorf("chat %+v", l)
	}
	if l := legs[1]; l.Model.Name != "spare" || l.Through != "" || !l.Takes {
		t.Errorf("spare %+v", l)
	}
	if l := legs[2]; l.Model.Name != "third" || l.Weight != 2 || l.Takes || l.Reason != "it is switched off" {
		t.Errorf("third %+v", l)
	}
	if !strings.Contains(strings.Join(e.Notes, "\n"), "drawn by weight") {
		t.Errorf("notes %q", e.Notes)
	}
	var said []string
	for _, r := range e.Rungs {
		for _, h := range r.Hosts {
			said = append(said, r.Rung+": "+h.Model+"@"+h.Host)
		}
	}
	if want := "organization: chat@a, organization: chat@b, organization: spare@c"; strings.Join(said, ", ") != want {
		t.Errorf("rungs %v, want %s", said, want)
	}
}

func TestExplain_ForetellsModelsThatTheCatalogueDoesNotKnow(t *testing.T) {
	x, _ := newShelves(t)
	key := x.key("laptop", store.RelayKeySpec{})
	// Lists that nobody has asked for yet are not known.
	e := x.explain("laptop", "novel-1")
	if e.Allowed || !strings.Contains(strings.Join(e.Notes, "\n"), "The model lists of a, b are not known yet") {
		t.Errorf("%+v", e)
	}
	x.want(x.call(key, bodyOf("nobody")), 404, "")
	for _, model := range []string{
		"novel-1", "NOVEL-1", "other/novel:2", "anything@a", "b/anything", "chat-at-a", "chat-at-b@b", "shared", "shared@b", "nobody", "nobody@c", "c/hidden", "x y@a",
	} {
		x.foretold("laptop", key, model)
	}
	e = x.explain("laptop", "anything@a")
	if e.Route.Model.ID != "" || e.Route.Model.Name != "anything" || e.Route.PinnedHost != "a" || e.Route.Pools[0].Keys[0].UpstreamName != "anything" {
		t.Errorf("route %+v", e.Route)
	}
	for _, grants := range [][]string{{"@a"}, {"novel-1@a"}, {"@b"}, {"chat"}} {
		x.grant(grants...)
		for _, model := range []string{"novel-1", "anything@a", "shared", "shared@b", "chat-at-a"} {
			x.foretold("laptop", key, model)
		}
	}
	e = x.explain("laptop", "anything@a")
	if !strings.Contains(strings.Join(e.Notes, "\n"), "Host a forwards models that the catalogue does not know, but the ladder grants neither") {
		t.Errorf("notes %q", e.Notes)
	}
}

func TestExplain_ShowsTheSelectionThatCounts(t *testing.T) {
	h := newHouse(t, "")
	h.key("laptop", store.RelayKeySpec{})
	e := h.explain("laptop", "chat")
	if e.Route.Pools[0].Selection != "affinity" || !strings.Contains(strings.Join(e.Notes, "\n"), "depends on the conversation") {
		t.Errorf("pool %+v, notes %q", e.Route.Pools[0], e.Notes)
	}
	put(h.rig, "open", store.PolicySpec{Pools: []store.Pool{{Name: "main", Selection: "weighted"}}})
	if e := h.explain("laptop", "chat"); e.Route.Pools[0].Selection != "weighted" || len(e.Notes) != 0 {
		t.Errorf("pool %+v, notes %q", e.Route.Pools[0], e.Notes)
	}
}

func TestEffective_ShowsAliasesSelectionsAndWhatIsForwarded(t *testing.T) {
	x, _ := newShelves(t)
	put(x.rig, "fast", store.ModelSpec{Fallbacks: x.to("chat", "spare")})
	x.grant("fast", "spare", "@a", "novel-1@b")
	team := store.AccountRef("team:" + x.rig.record(store.KindTeam, "research"))
	folded, err := plan.Effective(x.server.Plan(), team, plan.Observed{Counters: readings{x.rig}})
	if err != nil {
		t.Fatal(err)
	}
	if len(folded.Aliases) != 1 || folded.Aliases[0].Model.Name != "fast" {
		t.Fatalf("aliases %+v", folded.Aliases)
	}
	targets := folded.Aliases[0].Targets
	if len(targets) != 2 || targets[0].Model.Name != "chat" || !targets[0].Through || strings.Join(targets[0].Hosts, " ") != "a b" || targets[1].Through {
		t.Errorf("targets %+v", targets)
	}
	f := folded.Forwards
	if len(f) != 2 || f[0].Host != "a" || !f[0].Every || f[1].Host != "b" || f[1].Every || strings.Join(f[1].Models, " ") != "novel-1" {
		t.Errorf("forwards %+v", f)
	}
	if folded.Pools[0].Selection != "prioritized" {
		t.Errorf("pools %+v", folded.Pools)
	}
}
