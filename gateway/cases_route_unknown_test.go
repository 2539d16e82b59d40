package gateway_test

import (
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"relay/gateway"
	"relay/gateway/gatewaytest"
	"relay/limiter"
	"relay/store"
)

// shelf is what a host lists, and how often it was asked for that.
type shelf struct {
	mu    sync.Mutex
	names []string
	gate  <-chan struct{} // a list is held back until it is closed; nil: it is not
	asked atomic.Int64
}

func (s *shelf) put(names ...string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.names = names
}

// lists answers a call for the list of models, and every other call with what
// it is given.
func (s *shelf) lists(others gatewaytest.Script) gatewaytest.Script {
	return func(x *gatewaytest.Exchange) error {
		if x.Request.Line() != "GET /v1/models HTTP/1.1" {
			return others(x)
		}
		s.asked.Add(1)
		if s.gate != nil {
			if err := x.Wait(s.gate); err != nil {
				return err
			}
		}
		s.mu.Lock()
		var entries []string
		for _, name := range s.names {
			entries = append(entries, fmt.Sprintf(`{"id":%q,"object":"model"}`, name))
		}
		s.mu.Unlock()
		return gatewaytest.JSON(200, `{"object":"list","data":[`+strings.Join(entries, ",")+`]}`)(x)
	}
}

// newShelves is a trio whose hosts a and b forward what the catalog does not
// know.
func newShelves(t *testing.T, change ...func(*gateway.Options)) (*trio, map[string]*shelf) {
	t.Helper()
	x := newTrio(t, change...)
	shelves := map[string]*shelf{}
	for name, up := range x.up {
		shelves[name] = &shelf{}
		up.Otherwise(shelves[name].lists(answer))
		if name != "c" {
			edit(x.rig, name, func(h *store.Host) { h.Spec.UnknownModels = "forward" })
		}
	}
	shelves["a"].put("novel-1", "Shared", "chat-at-a")
	shelves["b"].put("other/Novel:2", "shared")
	shelves["c"].put("hidden")
	return x, shelves
}

func TestUnknownModels_AreSentUnderTheirNameToTheHostThatIsMeant(t *testing.T) {
	for name, want := range map[string]string{
		"anything@a": "a anything", "anything@b": "b anything", "a/any/thing": "a any/thing", "Any-Thing:1b@b": "b Any-Thing:1b",
		"novel-1": "a novel-1", "NOVEL-1": "a novel-1", "other/novel:2": "b other/Novel:2", "@cf/meta/x@a": "a @cf/meta/x", "a/@cf/meta/x": "a @cf/meta/x",
		// a host's own name for a model that the catalog knows is no unknown model
		"chat-at-a": "a chat-at-a",
	} {
		t.Run(name, func(t *testing.T) {
			x, _ := newShelves(t)
			a := x.call(x.key("laptop", store.RelayKeySpec{Limits: tight()}), bodyOf(name))
			x.want(a, 200, "hello")
			host, upstream, _ := strings.Cut(want, " ")
			if a.Header.Get("X-Relay-Host") != host || x.lastModel() != upstream {
				t.Errorf("%s was asked for %s, want %s", a.Header.Get("X-Relay-Host"), x.lastModel(), want)
			}
			e := x.events(1)[0]
			known := name == "chat-at-a"
			if e.RequestedModel != name || known != (e.Model == x.rig.record(store.KindModel, "chat")) || known == (e.CostNanos == nil) {
				t.Errorf("event %+v", e)
			}
			if !known && e.Model != upstream {
				t.Errorf("recorded as %s", e.Model)
			}
			x.idle(name)
		})
	}
}

func TestUnknownModels_AreNotFoundWhereNobodyIsMeant(t *testing.T) {
	x, _ := newShelves(t)
	key := x.key("laptop", store.RelayKeySpec{})
	for _, name := range []string{
		"nobody", "hidden", "hidden@c", "c/hidden", "anything@nowhere", "nowhere/anything",
		"@a", "a/", "a//x", "a/../x", "a/x/./y", "x?y@a", "x y@a", "x%2fy@a", "x#@a", "a/x@nowhere", "01a22a10-c8bc-7cf5-9be5-5bedf22ebe24@a",
	} {
		if a := x.call(key, bodyOf(name)); a.Status != 404 || !strings.Contains(a.Body, "model_not_found") {
			t.Errorf("%s: %d %s", name, a.Status, a.Body)
		}
	}
	x.want(x.call(key, bodyOf("shared")), 404, `More than one host lists a model \"shared\"; write \"shared@a\" or \"shared@b\".`)
	x.want(x.call(key, bodyOf("shared@b")), 200, "hello")
	x.want(x.call(key, bodyOf("shared"), "X-Relay-Host: a"), 200, "hello")
	for _, r := range x.up["c"].Requests() {
		t.Errorf("c saw %s", r.Line())
	}
}

func TestUnknownModels_NeedEveryRungToGrantThem(t *testing.T) {
	for name, c := range map[string]struct {
		models, deny []string
		allowed      string // of the four requests below
	}{
		"everything":            {nil, nil, "1111"},
		"the host":              {[]string{"@a"}, nil, "1101"},
		"that very name":        {[]string{"novel-1@a"}, nil, "1001"},
		"in any case":           {[]string{"Novel-1@a"}, nil, "1001"},
		"a catalogue model":     {[]string{"chat"}, nil, "0000"},
		"the other host":        {[]string{"@b"}, nil, "0010"},
		"but not the host":      {nil, []string{"@a"}, "0010"},
		"but not the name":      {nil, []string{"novel-1@a"}, "0110"},
		"but not the catalogue": {nil, []string{"chat"}, "1111"},
	} {
		t.Run(name, func(t *testing.T) {
			x, _ := newShelves(t)
			x.grant(c.models...)
			key := x.key("laptop", store.RelayKeySpec{Deny: x.refs(c.deny)})
			got := ""
			for _, model := range []string{"novel-1@a", "other-1@a", "novel-1@b", "novel-1"} {
				a := x.call(key, bodyOf(model))
				if a.Status != 200 && (a.Status != 404 || !strings.Contains(a.Body, "model_not_found")) {
					t.Errorf("%s: %d %s", model, a.Status, a.Body)
				}
				got += map[bool]string{true: "1", false: "0"}[a.Status == 200]
			}
			if got != c.allowed {
				t.Errorf("allowed %s, want %s", got, c.allowed)
			}
		})
	}
}

// A caller must not learn from a refusal what hosts it may not use list.
func TestUnknownModels_OfForbiddenHostsAreToldFromNothingByNothing(t *testing.T) {
	x, shelves := newShelves(t)
	x.grant("@b", "chat")
	key := x.key("laptop", store.RelayKeySpec{})
	unlike := func(name string) string {
		return strings.ReplaceAll(x.call(key, bodyOf(name)).Body, name, "NAME")
	}
	for _, pair := range [][2]string{{"novel-1", "novel-2"}, {"novel-1@a", "novel-1@z"}, {"a/novel-1", "z/novel-1"}} {
		if a, b := unlike(pair[0]), unlike(pair[1]); a != b {
			t.Errorf("told apart:\n%s\n%s", a, b)
		}
	}
	if n := shelves["a"].asked.Load(); n != 0 {
		t.Errorf("host a was asked %d times for a caller that may not use it", n)
	}
}

func TestUnknownModels_AHostsNameForABoundModelIsNoWayAroundItsLimits(t *testing.T) {
	off := false
	x, _ := newShelves(t)
	edit(x.rig, "chat", func(m *store.Model) { m.Spec.Limits = &store.Limits{RPM: int64p(1)}; m.Spec.Fallbacks = nil })
	key := x.key("laptop", store.RelayKeySpec{})
	x.want(x.call(key, bodyOf("CHAT-at-a@a")), 200, "hello")
	for _, name := range []string{"chat-at-a", "chat-at-a@a", "a/Chat-At-A", "chat"} {
		x.want(x.call(key, bodyOf(name)), 429, "Limit of model chat")
	}
	denied := x.key("denied", store.RelayKeySpec{Deny: x.refs([]string{"chat"})})
	x.want(x.call(denied, bodyOf("chat-at-a@a")), 403, "model_not_allowed")
	edit(x.rig, "chat-a", func(b *store.HostBinding) { b.Spec.Enabled = &off })
	x.want(x.call(key, bodyOf("chat-at-a@a")), 503, "no_host_binding")
	edit(x.rig, "chat", func(m *store.Model) { m.Spec.Enabled = &off })
	x.want(x.call(key, bodyOf("chat-at-a@a")), 403, "model_disabled")
}

func TestUnknownModels_CountUnderTheLimitsThatNameTheirHostOrThemselves(t *testing.T) {
	x, _ := newShelves(t)
	x.account()
	one := put(x.rig, "one", store.RateLimitSpec{Rules: oneRequest()})
	two := put(x.rig, "two", store.RateLimitSpec{Rules: []limiter.Rule{sliding(limiter.MeterRequests, 2, time.Minute)}})
	put(x.rig, "open", store.PolicySpec{RLBindings: []store.RLBinding{
		{Models: x.refs([]string{"novel-1@a"}), RateLimitID: one.Metadata.ID}, {Models: x.refs([]string{"@a"}), RateLimitID: two.Metadata.ID},
	}})
	key := x.key("laptop", store.RelayKeySpec{})
	x.want(x.call(key, bodyOf("Novel-1@a")), 200, "hello")
	x.want(x.call(key, bodyOf("novel-1@a")), 429, "1 of 1 requests")
	for i := range 2 {
		x.want(x.call(key, bodyOf(fmt.Sprintf("made-up-%d@a", i))), 200, "hello")
	}
	x.want(x.call(key, bodyOf("made-up-9@a")), 429, "2 of 2 requests")
	for _, model := range []string{"novel-1@a", "made-up-9@a"} {
		if e := x.explain("laptop", model); e.Refusal == nil || e.Refusal.Code != "rate_limit_exceeded" {
			t.Errorf("%s is explained by %+v", model, e.Refusal)
		}
	}
}

func TestUnknownModels_AreRefusedWhereABudgetWantsPrices(t *testing.T) {
	x, _ := newShelves(t)
	key := x.key("laptop", store.RelayKeySpec{Budgets: []store.Budget{{Amount: "1", Period: "day", Unpriced: "refuse"}}})
	x.want(x.call(key, bodyOf("novel-1@a")), 429, "budget_exceeded")
	if n := len(x.up["a"].Requests()); n != 0 {
		t.Errorf("host a saw %d requests", n)
	}
}

func TestUnknownModels_NamesMakeNoSeries(t *testing.T) {
	metrics := prometheus.NewRegistry()
	x, _ := newShelves(t, func(o *gateway.Options) { o.Metrics = metrics })
	key := x.key("laptop", store.RelayKeySpec{})
	for i := range 5 {
		x.want(x.call(key, bodyOf(fmt.Sprintf("made-up-%d@a", i))), 200, "hello")
	}
	families, err := metrics.Gather()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range families {
		for _, m := range f.GetMetric() {
			for _, l := range m.GetLabel() {
				if strings.Contains(l.GetValue(), "made-up") {
					t.Errorf("%s has the label %s", f.GetName(), l.GetValue())
				}
			}
		}
	}
}

func TestModelLists_AreReadOnceAndAgainForAMissOnceAMinute(t *testing.T) {
	x, shelves := newShelves(t)
	key := x.key("laptop", store.RelayKeySpec{})
	asked := func(want int64) {
		t.Helper()
		if a, b := shelves["a"].asked.Load(), shelves["b"].asked.Load(); a != want || b != want {
			t.Fatalf("asked %d and %d times, want %d", a, b, want)
		}
	}
	for range 3 {
		x.want(x.call(key, bodyOf("novel-1")), 200, "hello")
		x.want(x.call(key, bodyOf("nobody")), 404, "")
	}
	asked(1)
	shelves["b"].put("late")
	x.advance(59 * time.Second)
	x.want(x.call(key, bodyOf("late")), 404, "")
	asked(1)
	x.advance(2 * time.Second)
	x.want(x.call(key, bodyOf("late")), 200, "hello")
	asked(2)
	// A hit is answered by a list of up to an hour, and by an older one while a
	// new one is fetched.
	x.advance(58 * time.Minute)
	x.want(x.call(key, bodyOf("late")), 200, "hello")
	asked(2)
	x.advance(3 * time.Minute)
	shelves["b"].put()
	x.want(x.call(key, bodyOf("late")), 200, "hello")
	until(t, "both are asked again", func() bool { return shelves["a"].asked.Load() == 3 && shelves["b"].asked.Load() == 3 })
	until(t, "the list is read", func() bool { return x.call(key, bodyOf("late")).Status == 404 })
	asked(3)
	// An edit of the host forgets what the former one listed.
	edit(x.rig, "b", func(h *store.Host) { h.Spec.BaseURL = x.up["a"].URL() + "/v1" })
	x.want(x.call(key, bodyOf("novel-1")), 404, "More than one host lists")
}

func TestModelLists_AreAskedForByOneCallThatNobodyWaitsForLong(t *testing.T) {
	x, shelves := newShelves(t)
	gate := make(chan struct{})
	shelves["a"].gate = gate
	key := x.key("laptop", store.RelayKeySpec{})
	statuses := x.parallel(20, func() gatewaytest.Answer { return x.call(key, bodyOf("novel-1")) }, func(*atomic.Int64) {})
	if statuses[404] != 20 || shelves["a"].asked.Load() != 1 {
		t.Errorf("statuses %v, asked %d times", statuses, shelves["a"].asked.Load())
	}
	close(gate)
	until(t, "the list has come", func() bool { return x.call(key, bodyOf("novel-1")).Status == 200 })
	if n := shelves["a"].asked.Load(); n != 1 {
		t.Errorf("asked %d times", n)
	}
	x.idle("a slow list")
}

func TestModelLists_OfAHostThatFailsHoldNobodyUpAndBenchNoKey(t *testing.T) {
	x, shelves := newShelves(t)
	x.up["b"].Otherwise(gatewaytest.JSON(401, upstreamError))
	key := x.key("laptop", store.RelayKeySpec{})
	for range 5 {
		x.want(x.call(key, bodyOf("novel-1")), 200, "hello")
		x.want(x.call(key, bodyOf("nobody")), 404, "")
	}
	if n := len(x.up["b"].Requests()); n != 1 {
		t.Errorf("b was asked %d times", n)
	}
	if n := shelves["a"].asked.Load(); n != 1 {
		t.Errorf("a was asked %d times", n)
	}
	if s := x.server.KeyStates()[x.rig.record(store.KindHostKey, "b-1")]; s.State != "closed" {
		t.Errorf("the key of b is %+v", s)
	}
}

func TestModelLists_EndWithTheServer(t *testing.T) {
	x, shelves := newShelves(t)
	shelves["a"].gate = make(chan struct{})
	key := x.key("laptop", store.RelayKeySpec{})
	x.want(x.call(key, bodyOf("novel-1")), 404, "")
	x.server.Close() // waits for the call; goleak sees what would be left
	x.want(x.call(key, bodyOf("novel-1")), 404, "")
	if n := shelves["a"].asked.Load(); n != 1 {
		t.Errorf("asked %d times", n)
	}
}
