package gateway_test

import (
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"relay/gateway"
	"relay/gateway/gatewaytest"
	"relay/limiter"
	"relay/store"
)

// newAliases is a trio in which fast stands for chat and then spare.
func newAliases(t *testing.T, change ...func(*gateway.Options)) *trio {
	t.Helper()
	x := newTrio(t, change...)
	edit(x.rig, "chat", func(m *store.Model) { m.Spec.Fallbacks = nil })
	put(x.rig, "fast", store.ModelSpec{Limits: tight(), Fallbacks: x.to("chat", "spare")})
	for _, up := range x.up {
		up.Otherwise(answer)
	}
	return x
}

// grant makes the policy of every key grant these models and hosts only.
func (x *trio) grant(refs ...string) {
	x.account()
	put(x.rig, "open", store.PolicySpec{Models: x.refs(refs)})
}

func (x *trio) refs(names []string) []store.ModelRef {
	var all []store.ModelRef
	for _, name := range names {
		model, host, pinned := strings.Cut(name, "@")
		if m := x.db.Catalog().Models.ByName(model); m != nil {
			model = m.Metadata.ID
		}
		if pinned {
			model += "@" + x.rig.record(store.KindHost, host)
		}
		all = append(all, store.ModelRef(model))
	}
	return all
}

func bodyOf(model string) string { return strings.Replace(chatBody, "chat", model, 1) }

func TestAlias_GrantsWhatItPointsToThroughItselfOnly(t *testing.T) {
	x := newAliases(t)
	x.grant("fast")
	key := x.key("laptop", store.RelayKeySpec{})
	a := x.call(key, bodyOf("fast"))
	if a.Status != 200 || a.Header.Get("X-Relay-Model") != "chat" {
		t.Fatalf("%d %s", a.Status, a.Body)
	}
	e := x.events(1)[0]
	if e.Model != x.rig.record(store.KindModel, "chat") || e.RequestedModel != "fast" {
		t.Errorf("event %+v", e)
	}
	for _, direct := range []string{"chat", "spare", "chat@a", "a/chat"} {
		x.want(x.call(key, bodyOf(direct)), 403, "model_not_allowed")
	}
	list := x.get("/v1/models", key).Body
	if !strings.Contains(list, `"fast"`) || strings.Contains(list, `"chat"`) || strings.Contains(list, `"spare"`) {
		t.Errorf("listed: %s", list)
	}
	x.want(x.get("/v1/models/fast", key), 200, `"fast"`)
	x.want(x.get("/v1/models/chat", key), 404, "")
}

func TestAlias_IsNarrowedByWhatIsDeniedOfIt(t *testing.T) {
	for name, c := range map[string]struct {
		models, deny []string
		host         string // that answers; empty: refused
	}{
		"nothing":               {[]string{"fast"}, nil, "a"},
		"a host":                {[]string{"fast"}, []string{"@a"}, "b"},
		"the first model":       {[]string{"fast"}, []string{"chat"}, "c"},
		"a model on a host":     {[]string{"fast"}, []string{"chat@a"}, "b"},
		"both models":           {[]string{"fast"}, []string{"chat", "spare"}, ""},
		"the alias":             {[]string{"fast", "chat"}, []string{"fast"}, ""},
		"the alias on a host":   {[]string{"fast"}, []string{"fast@a"}, "b"},
		"granted on one host":   {[]string{"fast@c"}, nil, "c"},
		"a target alone":        {[]string{"chat"}, nil, ""},
		"everything on a host":  {[]string{"@b"}, nil, "b"},
		"another host's models": {[]string{"@c", "chat@b"}, nil, "c"},
	} {
		t.Run(name, func(t *testing.T) {
			x := newAliases(t)
			x.grant(c.models...)
			a := x.call(x.key("laptop", store.RelayKeySpec{Deny: x.refs(c.deny)}), bodyOf("fast"))
			if c.host == "" {
				x.want(a, 403, "model_not_allowed")
			} else if a.Header.Get("X-Relay-Host") != c.host {
				t.Errorf("answered by %q: %d %s", a.Header.Get("X-Relay-Host"), a.Status, a.Body)
			}
			x.idle(name)
		})
	}
}

func TestAlias_EachRungMustGrantIt(t *testing.T) {
	x := newAliases(t)
	x.grant("fast")
	put(x.rig, "narrow", store.PolicySpec{Models: x.refs([]string{"chat"})})
	team := store.AccountRef("team:" + x.rig.record(store.KindTeam, "research"))
	put(x.rig, "team-research", store.PolicyBindingSpec{PolicyID: x.rig.record(store.KindPolicy, "narrow"), Account: team})
	key := x.key("laptop", store.RelayKeySpec{})
	x.want(x.call(key, bodyOf("fast")), 403, "model_not_allowed")
	x.want(x.call(key, bodyOf("chat")), 403, "model_not_allowed")
	put(x.rig, "narrow", store.PolicySpec{Models: x.refs([]string{"fast", "chat"})})
	x.want(x.call(key, bodyOf("fast")), 200, "hello")
}

// To switch off the one binding of a model with fallbacks must not make an
// alias of it, which would grant them.
func TestAlias_IsNoModelWhoseBindingsAreSwitchedOff(t *testing.T) {
	off := false
	x := newTrio(t)
	x.up["c"].Otherwise(answer)
	x.grant("chat")
	key := x.key("laptop", store.RelayKeySpec{})
	for _, host := range []string{"a", "b"} {
		edit(x.rig, "chat-"+host, func(b *store.HostBinding) { b.Spec.Enabled = &off })
	}
	x.want(x.call(key, chatBody), 503, "no_host_binding")
	x.grant("chat", "spare")
	x.want(x.call(key, chatBody), 200, "hello")
}

func TestAlias_PassesOverDisabledTargetsAndThoseWithoutAKey(t *testing.T) {
	off := false
	x := newAliases(t)
	key := x.key("laptop", store.RelayKeySpec{})
	answeredBy := func(host string) {
		t.Helper()
		if a := x.call(key, bodyOf("fast")); a.Header.Get("X-Relay-Host") != host {
			t.Errorf("answered by %q, want %q: %d %s", a.Header.Get("X-Relay-Host"), host, a.Status, a.Body)
		}
	}
	answeredBy("a")
	edit(x.rig, "chat", func(m *store.Model) { m.Spec.Enabled = &off })
	answeredBy("c")
	edit(x.rig, "chat", func(m *store.Model) { m.Spec.Enabled = nil })
	for _, host := range []string{"a", "b"} {
		edit(x.rig, host+"-1", func(k *store.HostKey) { k.Spec.Enabled = &off })
	}
	answeredBy("c")
	edit(x.rig, "c-1", func(k *store.HostKey) { k.Spec.Enabled = &off })
	x.want(x.call(key, bodyOf("fast")), 503, "no_keys")
	edit(x.rig, "chat", func(m *store.Model) { m.Spec.Enabled = &off })
	edit(x.rig, "spare", func(m *store.Model) { m.Spec.Enabled = &off })
	x.want(x.call(key, bodyOf("fast")), 503, "no_host_binding")
	edit(x.rig, "fast", func(m *store.Model) { m.Spec.Enabled = &off })
	x.want(x.call(key, bodyOf("fast")), 403, "model_disabled")
}

func TestAlias_PassesOverATargetThatIsOverItsOwnModelLimit(t *testing.T) {
	for _, k := range kinds()[:2] {
		x := newAliases(t)
		for _, up := range x.up {
			up.Otherwise(k.says(890, 10))
		}
		for _, model := range []string{"chat", "spare"} {
			edit(x.rig, model, func(m *store.Model) { m.Spec.Limits = &store.Limits{RPM: int64p(1), Concurrency: int64p(1)} })
		}
		key := x.key("laptop", store.RelayKeySpec{Limits: tight()})
		k.body = strings.Replace(k.body, "chat", "fast", 1)
		for _, host := range []string{"a", "c"} {
			if a := x.ask(k, key); a.Header.Get("X-Relay-Host") != host {
				t.Errorf("answered by %q, want %q: %d %s", a.Header.Get("X-Relay-Host"), host, a.Status, a.Body)
			}
		}
		a := x.ask(k, key)
		x.want(a, 429, `Limit of model chat: 1 of 1 requests in 1m used`)
		if a.Header.Get("X-Relay-Refused-By") != "limit" || a.Header.Get("Retry-After") == "" {
			t.Errorf("headers %v", a.Header)
		}
		// One that was refused for want of a target has reached no upstream.
		if n := x.used(key, limiter.MeterConcurrency); n != 0 {
			t.Errorf("%d in flight", n)
		}
		if got := x.arrived(); got != "a=1 b=0 c=1" {
			t.Errorf("the hosts saw %s", got)
		}
		x.idle("all targets are over their limit")
		x.advance(2 * time.Minute)
		x.want(x.ask(k, key), 200, "")
	}
}

// A request that its fallback had no room for is given back its token, since
// nothing has been sent for that model.
func TestFallback_AModelThatNothingWasSentForGetsItsRequestBack(t *testing.T) {
	x := newAliases(t)
	bucket := put(x.rig, "bucket", store.RateLimitSpec{Rules: []limiter.Rule{tokenBucket(5)}})
	x.account()
	put(x.rig, "open", store.PolicySpec{RLBindings: []store.RLBinding{{Models: x.refs([]string{"chat", "spare"}), RateLimitID: bucket.Metadata.ID}}})
	for _, host := range []string{"a", "b"} {
		at := closedPort(t)
		edit(x.rig, host, func(h *store.Host) { h.Spec.BaseURL = "http://" + at + "/v1" })
	}
	key := x.key("laptop", store.RelayKeySpec{})
	x.want(x.call(key, bodyOf("fast")), 200, "hello")
	caller := x.server.Plan().Caller(sumOf(x.db.Catalog().RelayKeys.ByName("laptop")))
	for model, want := range map[string]int64{"chat": 0, "spare": 1} {
		m, _, _ := x.server.Plan().Find(model)
		l := caller.ModelLimits[0].Of(m).Limits[0]
		if used := x.memory.Read(x.clock.Now(), l.Counter).Used; used != want {
			t.Errorf("model %s counts %d requests, want %d", model, used, want)
		}
	}
}

func TestAlias_TheFirstPickIsWeighted(t *testing.T) {
	var draws []int64
	total := int64(10)
	x := newAliases(t, func(o *gateway.Options) {
		o.Random = func(n int64) int64 {
			if n != total {
				t.Errorf("drawn from %d, want %d", n, total)
			}
			draw := draws[0]
			draws = draws[1:]
			return draw
		}
	})
	nine := 9
	edit(x.rig, "fast", func(m *store.Model) { m.Spec.Fallbacks[0].Weight = &nine })
	key := x.key("laptop", store.RelayKeySpec{})
	for draw, host := range map[int64]string{0: "a", 8: "a", 9: "c"} {
		draws = []int64{draw}
		if a := x.call(key, bodyOf("fast")); a.Header.Get("X-Relay-Host") != host {
			t.Errorf("draw %d: answered by %q, want %q", draw, a.Header.Get("X-Relay-Host"), host)
		}
	}
	// The rest follow in order: spare first, and chat after it.
	x.up["c"].Otherwise(gatewaytest.JSON(500, upstreamError))
	draws = []int64{9}
	a := x.call(key, bodyOf("fast"))
	if a.Header.Get("X-Relay-Host") != "a" || a.Header.Get("X-Relay-Attempts") != "2" {
		t.Errorf("answered by %q after %s attempts", a.Header.Get("X-Relay-Host"), a.Header.Get("X-Relay-Attempts"))
	}
	// A target that cannot take the request is not drawn.
	total, draws = 9, []int64{8}
	if a := x.call(key, bodyOf("fast"), "X-Relay-Host: a"); a.Header.Get("X-Relay-Host") != "a" || len(draws) != 0 {
		t.Errorf("answered by %q", a.Header.Get("X-Relay-Host"))
	}
}

func TestAlias_StandsForOtherAliasesToo(t *testing.T) {
	x := newAliases(t)
	put(x.rig, "general", store.ModelSpec{Fallbacks: x.to("fast", "claude")})
	x.grant("general")
	key := x.key("laptop", store.RelayKeySpec{})
	a := x.call(key, bodyOf("general"))
	if a.Header.Get("X-Relay-Model") != "chat" {
		t.Errorf("%d %s", a.Status, a.Body)
	}
	for _, up := range x.up {
		up.Otherwise(gatewaytest.JSON(500, upstreamError))
	}
	x.want(x.call(key, bodyOf("general")), 502, "")
	var tried []string
	for _, at := range x.events(2)[1].Attempts {
		tried = append(tried, x.db.Catalog().Models.Get(at.Model).Metadata.Name)
	}
	// claude and chat share their hosts, whose keys are tried for each of them
	if want := []string{"chat", "chat", "spare", "claude", "claude"}; !slices.Equal(tried, want) {
		t.Errorf("tried %v, want %v", tried, want)
	}
	x.want(x.call(key, bodyOf("fast")), 403, "model_not_allowed")
}

// Only what claude itself grants may follow it: an alias grants what it points
// to, not what that goes on with.
func TestAlias_DoesNotGrantWhatItsTargetsGoOnWith(t *testing.T) {
	x := newAliases(t)
	edit(x.rig, "fast", func(m *store.Model) { m.Spec.Fallbacks = x.to("claude") })
	x.grant("fast")
	for _, host := range []string{"a", "b"} {
		x.up[host].Otherwise(gatewaytest.JSON(500, upstreamError))
	}
	key := x.key("laptop", store.RelayKeySpec{})
	x.want(x.call(key, bodyOf("fast")), 502, "")
	x.grant("fast", "spare")
	if a := x.call(key, bodyOf("fast")); a.Header.Get("X-Relay-Model") != "spare" {
		t.Errorf("%d %s", a.Status, a.Body)
	}
}

func TestAlias_UnpricedTargetsArePassedOverWhereABudgetSaysSo(t *testing.T) {
	x := newAliases(t)
	unpriced := func(bindings ...string) {
		for _, name := range bindings {
			edit(x.rig, name, func(b *store.HostBinding) { b.Spec.PricingID = "" })
		}
	}
	unpriced("chat-a", "chat-b")
	key := x.key("laptop", store.RelayKeySpec{Budgets: []store.Budget{{Amount: "100", Period: "day", Unpriced: "refuse"}}})
	if a := x.call(key, bodyOf("fast")); a.Status != 200 || a.Header.Get("X-Relay-Model") != "spare" {
		t.Errorf("%d %s", a.Status, a.Body)
	}
	x.want(x.call(key, bodyOf("chat")), 429, "budget_exceeded")
	unpriced("spare-c")
	x.want(x.call(key, bodyOf("fast")), 429, "budget_exceeded")
	if got := x.arrived(); got != "a=0 b=0 c=1" {
		t.Errorf("the hosts saw %s", got)
	}
}

func TestFallback_AnUnpricedModelIsPassedOverWhereABudgetSaysSo(t *testing.T) {
	x := newTrio(t)
	edit(x.rig, "spare-c", func(b *store.HostBinding) { b.Spec.PricingID = "" })
	for _, host := range []string{"a", "b"} {
		x.up[host].Otherwise(gatewaytest.JSON(500, upstreamError))
	}
	x.up["c"].Otherwise(answer)
	strict := x.key("strict", store.RelayKeySpec{Budgets: []store.Budget{{Amount: "100", Period: "day", Unpriced: "refuse"}}})
	x.want(x.call(strict, chatBody), 502, "upstream_unavailable")
	lax := x.key("lax", store.RelayKeySpec{Budgets: []store.Budget{{Amount: "100", Period: "day"}}})
	x.want(x.call(lax, chatBody), 200, "hello")
	x.idle("an unpriced fallback")
}

func TestAlias_NoFallbackLeavesItTheFirstPick(t *testing.T) {
	x := newAliases(t)
	key := x.key("laptop", store.RelayKeySpec{})
	x.want(x.call(key, bodyOf("fast"), "X-Relay-No-Fallback: 1"), 200, "hello")
	for _, host := range []string{"a", "b"} {
		x.up[host].Otherwise(gatewaytest.JSON(500, upstreamError))
	}
	x.want(x.call(key, bodyOf("fast"), "X-Relay-No-Fallback: 1"), 502, "")
	if got := x.arrived(); got != "a=2 b=1 c=0" {
		t.Errorf("the hosts saw %s", got)
	}
}

func TestFallback_APinHoldsForEveryModel(t *testing.T) {
	x := newAliases(t)
	key := x.key("laptop", store.RelayKeySpec{})
	for _, c := range []struct{ model, header, host string }{
		{"fast@b", "", "b"}, {"fast@c", "", "c"}, {"fast", "c", "c"}, {"b/fast", "c", "b"}, {"fast@b", "c", "b"}, {"chat", "b", "b"},
	} {
		var headers []string
		if c.header != "" {
			headers = []string{"X-Relay-Host: " + c.header}
		}
		if a := x.call(key, bodyOf(c.model), headers...); a.Header.Get("X-Relay-Host") != c.host {
			t.Errorf("%+v: answered by %q: %d %s", c, a.Header.Get("X-Relay-Host"), a.Status, a.Body)
		}
	}
	x.up["b"].Otherwise(gatewaytest.JSON(500, upstreamError))
	x.want(x.call(key, bodyOf("fast@b")), 502, "")
}

func TestFallback_HundredsAtOnceLeaveNothingBehind(t *testing.T) {
	x := newTrio(t)
	for name := range x.up {
		x.tier(name, sliding(limiter.MeterConcurrency, 100, time.Minute))
	}
	for _, model := range []string{"chat", "spare"} {
		edit(x.rig, model, func(m *store.Model) { m.Spec.Limits = &store.Limits{Concurrency: int64p(5), RPM: int64p(10_000)} })
	}
	x.up["a"].Otherwise(gatewaytest.JSON(429, upstreamError))
	x.up["b"].Otherwise(gatewaytest.Reset())
	x.up["c"].Otherwise(stream)
	key := x.key("laptop", store.RelayKeySpec{Limits: &store.Limits{Concurrency: int64p(100)}})
	statuses := x.parallel(200, func() gatewaytest.Answer { return x.call(key, streamBody) }, func(*atomic.Int64) {})
	if statuses[200] == 0 || statuses[200]+statuses[429]+statuses[503] != 200 {
		t.Errorf("statuses %v", statuses)
	}
	x.idle(fmt.Sprint(statuses))
}
