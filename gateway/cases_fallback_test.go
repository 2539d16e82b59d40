package gateway_test

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"relay/gateway"
	"relay/gateway/gatewaytest"
	"relay/limiter"
	"relay/store"
)

// trio is a rig with three hosts of one key each: a and b serve models chat and
// claude, c serves spare, with which both go on.
type trio struct {
	*rig
	up map[string]*gatewaytest.Upstream
}

func newTrio(t *testing.T, change ...func(*gateway.Options)) *trio {
	t.Helper()
	r := newUnrecordedRig(t, func(o *gateway.Options) {
		for _, c := range change {
			c(o)
		}
	})
	r.startUsage()
	x := &trio{r, map[string]*gatewaytest.Upstream{}}
	for _, name := range []string{"a", "b", "c"} {
		x.addHost(t, name)
	}
	x.model("spare", store.ModelSpec{Limits: tight()}, "c")
	for _, name := range []string{"chat", "claude"} {
		x.model(name, store.ModelSpec{Limits: tight(), Fallbacks: x.to("spare")}, "a", "b")
	}
	return x
}

// newTrioOf is a trio whose hosts speak the kind's shape.
func newTrioOf(t *testing.T, k kind) *trio {
	t.Helper()
	x := newTrio(t)
	switch k.shape {
	case store.ShapeOpenAI, store.ShapeAnthropic:
		return x
	case store.ShapeGemini, store.ShapeOllama:
		x.model(k.model, store.ModelSpec{Limits: tight(), Fallbacks: x.to("spare")}, "a", "b")
	}
	for name, up := range x.up {
		edit(x.rig, name, func(h *store.Host) {
			h.Spec.Shapes, h.Spec.BaseURL = []store.Shape{k.shape}, baseOf(k.host(), up.URL())
		})
	}
	return x
}

// tight allows one request at a time, and enough of the rest.
func tight() *store.Limits {
	return &store.Limits{RPM: int64p(100), TPM: int64p(100_000), Concurrency: int64p(1)}
}

// addHost adds a host of one key, under a tier that allows one request at a
// time.
func (x *trio) addHost(t *testing.T, name string) {
	t.Helper()
	x.up[name] = gatewaytest.New(t)
	h := put(x.rig, name, store.HostSpec{BaseURL: x.up[name].URL() + "/v1", Auth: "bearer", Shapes: []store.Shape{store.ShapeOpenAI, store.ShapeAnthropic}})
	put(x.rig, name+"-1", store.HostKeySpec{HostID: h.Metadata.ID, Source: store.KeySource{Kind: "env", Env: strings.ToUpper(name)}})
	x.tier(name, sliding(limiter.MeterConcurrency, 1, time.Minute))
}

// tier puts the key of the host under limits of its own.
func (x *trio) tier(host string, rules ...limiter.Rule) {
	rl := put(x.rig, "tier-"+host, store.RateLimitSpec{Rules: rules})
	tier := put(x.rig, "tier-"+host, store.PolicySpec{RateLimitID: rl.Metadata.ID})
	x.giveTo(host, "tier-"+host)
	edit(x.rig, host, func(h *store.Host) { h.Spec.DefaultTierPolicyID = tier.Metadata.ID })
}

// model makes a model that the hosts serve in this order, under names of their
// own, at the price of the model.
func (x *trio) model(name string, spec store.ModelSpec, hosts ...string) {
	m := put(x.rig, name, spec)
	amount := map[string]string{"spare": "1000"}[name]
	if amount == "" {
		amount = "3000"
	}
	for i, host := range hosts {
		label := labelOf(name) + "-" + host
		price := put(x.rig, label, store.PricingSpec{Currency: "USD", Rates: []store.Rate{
			{Meter: "tokens.input", Unit: "per_million", Amount: amount}, {Meter: "tokens.output", Unit: "per_million", Amount: amount},
		}})
		put(x.rig, label, store.HostBindingSpec{
			ModelID: m.Metadata.ID, HostID: x.record(store.KindHost, host), UpstreamName: name + "-at-" + host, PricingID: price.Metadata.ID, Priority: i,
		})
	}
}

// labelOf makes a name that every record may have.
func labelOf(model string) string { return strings.NewReplacer("/", "-", ":", "-").Replace(model) }

func (x *trio) to(models ...string) []store.Fallback {
	var all []store.Fallback
	for _, name := range models {
		all = append(all, store.Fallback{ModelID: x.rig.record(store.KindModel, name)})
	}
	return all
}

// arrived is how many requests each host has seen, as a=1 b=1 c=1.
func (x *trio) arrived() string {
	var all []string
	for _, name := range []string{"a", "b", "c"} {
		all = append(all, name+"="+strconv.Itoa(len(x.up[name].Requests())))
	}
	return strings.Join(all, " ")
}

// of is what the limits of a model count on the meter.
func (x *trio) of(model string, meter limiter.Meter) int64 {
	x.tb.Helper()
	m, _, _ := x.server.Plan().Find(model)
	for _, l := range m.Limits {
		if l.Counter.Name().Meter == meter {
			return x.memory.Read(x.clock.Now(), l.Counter).Used
		}
	}
	x.tb.Fatalf("model %s has no limit of %s", model, meter)
	return 0
}

// idle fails the test unless every gauge is at 0, and no ticket holds one.
func (x *trio) idle(after string) {
	x.tb.Helper()
	until(x.tb, "the requests are over", func() bool { return x.server.InFlight() == 0 })
	x.mustBeIdle(after)
}

// failing is one way in which the hosts of a model end without an answer.
type failing struct {
	name  string
	class string // of its attempts in the usage event
	// script plays it; nil: change makes it happen without one.
	script func(kind) gatewaytest.Script
	change func(*trio)
	sends  int // requests that arrive at each host
}

func alike(s gatewaytest.Script) func(kind) gatewaytest.Script {
	return func(kind) gatewaytest.Script { return s }
}

func refuses(status int, body string, headers ...string) func(kind) gatewaytest.Script {
	lines := append([]string{"Content-Type: application/json", "Content-Length: " + strconv.Itoa(len(body))}, headers...)
	return alike(gatewaytest.Join(gatewaytest.Head(status, lines...), gatewaytest.Raw(body)))
}

// failings are the failure classes after which another key, and then another
// model, may be tried.
func failings() []failing {
	return []failing{
		{name: "401", class: "auth", script: refuses(401, upstreamError), sends: 1},
		{name: "402", class: "auth", script: refuses(402, upstreamError), sends: 1},
		{name: "403 about the key", class: "auth", script: refuses(403, `{"error":{"message":"your account is suspended"}}`), sends: 1},
		{name: "429 without money", class: "quota", script: refuses(429, `{"error":{"message":"x","code":"insufficient_quota"}}`), sends: 1},
		{name: "429", class: "rate_limit", script: refuses(429, upstreamError, "Retry-After: 20"), sends: 1},
		{name: "503 with Retry-After", class: "overloaded", script: refuses(503, upstreamError, "Retry-After: 20"), sends: 1},
		{name: "529 with Retry-After", class: "overloaded", script: refuses(529, upstreamError, "Retry-After: 20"), sends: 1},
		{name: "500", class: "server_error", script: refuses(500, upstreamError), sends: 1},
		{name: "reset before headers", class: "network", script: alike(gatewaytest.Reset()), sends: 1},
		{name: "200 with an error", class: "rate_limit", script: func(k kind) gatewaytest.Script {
			const failed = `{"error":{"message":"slow down","type":"rate_limit_error","code":429}}`
			if k.streamed {
				return k.streams(k.failingFirst(failed))
			}
			return gatewaytest.JSON(200, failed)
		}, sends: 1},
		{name: "unreachable", class: "unreachable", change: func(x *trio) {
			for _, host := range []string{"a", "b"} {
				at := closedPort(x.tb)
				edit(x.rig, host, func(h *store.Host) { h.Spec.BaseURL = "http://" + at + "/v1" })
			}
		}},
		{name: "own tier limit", change: func(x *trio) {
			for _, host := range []string{"a", "b"} {
				x.tier(host, sliding(limiter.MeterConcurrency, 1, time.Minute), sliding(limiter.MeterRequests, 1, time.Minute))
				for _, k := range x.server.Plan().HostKeys {
					if k.Host.Name() == host {
						x.fill(k.Limits)
					}
				}
			}
		}},
	}
}

// fill charges the limits with a request.
func (x *trio) fill(limits []*limiter.Limit) {
	x.tb.Helper()
	var ticket limiter.Ticket
	ticket.Add(limits)
	if refusal, err := x.memory.Reserve(x.tb.Context(), x.clock.Now(), &ticket); err != nil || refusal.Refused() {
		x.tb.Fatalf("%v, %+v", err, refusal)
	}
	x.memory.Release(x.tb.Context(), x.clock.Now(), &ticket)
}

// closedPort is an address at which nobody listens as long as the test runs: the
// port is taken, so that nobody else is given it.
func closedPort(tb testing.TB) string {
	tb.Helper()
	socket, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM, 0)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = syscall.Close(socket) })
	if err := syscall.Bind(socket, &syscall.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}}); err != nil {
		tb.Fatal(err)
	}
	taken, err := syscall.Getsockname(socket)
	if err != nil {
		tb.Fatal(err)
	}
	return fmt.Sprint("127.0.0.1:", taken.(*syscall.SockaddrInet4).Port)
}

func TestFallback_GoesOnWithTheNextModelAfterEveryFailureOfAllItsKeys(t *testing.T) {
	for _, f := range failings() {
		for _, k := range kinds() {
			t.Run(f.name+"/"+k.name, func(t *testing.T) {
				x := newTrioOf(t, k)
				key := x.key("laptop", store.RelayKeySpec{Limits: tight()})
				if f.change != nil {
					f.change(x)
				} else {
					x.up["a"].Otherwise(f.script(k))
					x.up["b"].Otherwise(f.script(k))
				}
				x.up["c"].Otherwise(k.says(890, 10))
				a := x.ask(k, key)
				x.want(a, 200, "")
				if got := x.arrived(); got != "a="+strconv.Itoa(f.sends)+" b="+strconv.Itoa(f.sends)+" c=1" {
					t.Fatalf("the hosts saw %s", got)
				}
				x.answeredBySpare(k, a, f)
				x.chargedOnce(key, k)
				x.idle(f.name)
			})
		}
	}
}

// answeredBySpare checks what the caller and the usage event tell of the model
// that has answered.
func (x *trio) answeredBySpare(k kind, a gatewaytest.Answer, f failing) {
	x.tb.Helper()
	if a.Header.Get("X-Relay-Model") != "spare" || a.Header.Get("X-Relay-Host") != "c" {
		x.tb.Errorf("answered by %s at %s", a.Header.Get("X-Relay-Model"), a.Header.Get("X-Relay-Host"))
	}
	if sent := x.up["c"].Request(0); k.asked(sent) != "spare-at-c" {
		x.tb.Errorf("the upstream got %s %s", sent.Line(), sent.Body)
	}
	e := x.events(1)[0]
	asked := e.RequestedModel
	spare, first := x.record(store.KindModel, "spare"), x.record(store.KindModel, asked)
	if e.Model != spare || e.Host != x.record(store.KindHost, "c") || e.ErrorKind != "" {
		x.tb.Errorf("event %+v", e)
	}
	// 900 tokens at 1,000 dollars a million, whatever the model that was asked for costs
	if e.CostNanos == nil || *e.CostNanos != 900_000_000 || e.Pricing != x.record(store.KindPricing, "spare-c") {
		x.tb.Errorf("cost %v by %s", e.CostNanos, e.Pricing)
	}
	last := e.Attempts[len(e.Attempts)-1]
	if last.Model != spare || last.Status != 200 || last.ErrorKind != "" {
		x.tb.Errorf("last attempt %+v", last)
	}
	for _, tried := range e.Attempts[:len(e.Attempts)-1] {
		if tried.Model != first || tried.ErrorKind != f.class {
			x.tb.Errorf("attempt %+v, want class %s", tried, f.class)
		}
	}
}

// chargedOnce checks that the caller was charged once, and each model for
// itself.
func (x *trio) chargedOnce(key string, k kind) {
	x.tb.Helper()
	if n := x.used(key, limiter.MeterRequests); n != 1 {
		x.tb.Errorf("the key counts %d requests", n)
	}
	for _, model := range []string{"spare", k.model} {
		if n := x.of(model, limiter.MeterRequests); n != 1 {
			x.tb.Errorf("model %s counts %d requests", model, n)
		}
		if n := x.of(model, limiter.MeterTokens); n != 900 {
			x.tb.Errorf("model %s counts %d tokens", model, n)
		}
	}
}

func TestFallback_NeverComesAfterTheRequestsOwnFault(t *testing.T) {
	for _, k := range kinds() {
		for _, status := range []int{400, 404, 409, 413, 422} {
			x := newTrioOf(t, k)
			x.up["a"].Otherwise(gatewaytest.JSON(status, upstreamError))
			a := x.ask(k, x.key("laptop", store.RelayKeySpec{}))
			if a.Status != status || a.Body != upstreamError {
				t.Errorf("%s: %d %s", k.name, a.Status, a.Body)
			}
			if got := x.arrived(); got != "a=1 b=0 c=0" {
				t.Errorf("%s, %d: the hosts saw %s", k.name, status, got)
			}
			if e := x.events(1)[0]; e.Model != x.record(store.KindModel, k.model) {
				t.Errorf("%s: event %+v", k.name, e)
			}
			x.idle("a fault of the request")
		}
	}
}

func TestFallback_NeverComesAfterALimitOrABudgetOfTheCaller(t *testing.T) {
	for name, c := range map[string]struct {
		caps   store.RelayKeySpec
		change func(*trio)
	}{
		"requests": {caps: store.RelayKeySpec{Limits: &store.Limits{RPM: int64p(1)}}},
		"tokens":   {caps: store.RelayKeySpec{Limits: &store.Limits{TPM: int64p(100)}}},
		"budget":   {caps: store.RelayKeySpec{Budgets: []store.Budget{{Amount: "0.5", Period: "day"}}}},
		"of the organization": {change: func(x *trio) {
			edit(x.rig, "acme", func(o *store.Organization) { o.Spec.Limits = &store.Limits{RPM: int64p(1)} })
		}},
		"of the policy": {change: func(x *trio) { x.policy(sliding(limiter.MeterRequests, 1, time.Minute)) }},
	} {
		t.Run(name, func(t *testing.T) {
			for _, k := range kinds() {
				x := newTrioOf(t, k)
				key := x.key("laptop", c.caps)
				if c.change != nil {
					c.change(x)
				}
				x.up["a"].Otherwise(k.says(890, 10))
				x.want(x.ask(k, key), 200, "")
				x.advance(time.Second)
				if a := x.ask(k, key); a.Status != 429 || a.Header.Get("X-Relay-Refused-By") == "upstream:a" {
					t.Errorf("%s: %d %s", k.name, a.Status, a.Body)
				}
				if got := x.arrived(); got != "a=1 b=0 c=0" {
					t.Errorf("%s: the hosts saw %s", k.name, got)
				}
				x.idle(name)
			}
		})
	}
}

func TestFallback_IsRefusedByAHeader(t *testing.T) {
	for _, k := range kinds() {
		x := newTrioOf(t, k)
		x.up["a"].Otherwise(gatewaytest.JSON(500, upstreamError))
		x.up["b"].Otherwise(gatewaytest.JSON(500, upstreamError))
		x.up["c"].Otherwise(k.says(890, 10))
		key := x.key("laptop", store.RelayKeySpec{})
		a := x.ask(k, key, "X-Relay-No-Fallback: 1")
		if a.Status != 502 || x.arrived() != "a=1 b=1 c=0" {
			t.Errorf("%s: %d %s, the hosts saw %s", k.name, a.Status, a.Body, x.arrived())
		}
		x.want(x.ask(k, key, "X-Relay-No-Fallback: 0"), 200, "")
		x.idle("no fallback")
	}
}

func TestFallback_EndsWithTheMostTellingRefusalOverAllModels(t *testing.T) {
	for _, k := range kinds() {
		x := newTrioOf(t, k)
		x.up["a"].Otherwise(gatewaytest.JSON(500, upstreamError))
		x.up["b"].Otherwise(gatewaytest.JSON(401, upstreamError))
		x.up["c"].Otherwise(gatewaytest.JSON(429, `{"error":{"message":"the last word"}}`))
		key := x.key("laptop", store.RelayKeySpec{Limits: tight()})
		a := x.ask(k, key)
		if a.Status != 429 || !strings.Contains(a.Body, "the last word") || a.Header.Get("X-Relay-Refused-By") != "upstream:c" {
			t.Errorf("%s: %d %s by %s", k.name, a.Status, a.Body, a.Header.Get("X-Relay-Refused-By"))
		}
		e := x.events(1)[0]
		if e.Model != x.record(store.KindModel, k.model) || len(e.Attempts) != 3 || e.Attempts[2].Model != x.record(store.KindModel, "spare") {
			t.Errorf("%s: event %+v", k.name, e)
		}
		x.idle("all models failed")
	}
}

func TestFallback_ACallerThatLeavesEndsIt(t *testing.T) {
	for _, k := range kinds() {
		x := newTrioOf(t, k)
		x.up["a"].Otherwise(gatewaytest.JSON(500, upstreamError))
		x.up["b"].Otherwise(gatewaytest.JSON(500, upstreamError))
		x.up["c"].Otherwise(gatewaytest.Hang())
		key := x.key("laptop", store.RelayKeySpec{Limits: tight()})
		c := gatewaytest.Dial(t, x.addr)
		c.Send(k.request(key))
		x.up["c"].Request(0)
		if n := x.of("spare", limiter.MeterConcurrency); n != 1 {
			t.Errorf("%s: %d in flight at the fallback", k.name, n)
		}
		if n := x.of(k.model, limiter.MeterConcurrency); n != 1 {
			t.Errorf("%s: %d in flight at the model that was asked for", k.name, n)
		}
		c.Reset()
		x.idle("the caller has left")
		if e := x.events(1)[0]; e.ErrorKind != "client_closed" {
			t.Errorf("%s: event %+v", k.name, e)
		}
	}
}

func TestFallback_AStreamThatHasBegunIsNeverGoneOnWith(t *testing.T) {
	x := newTrio(t)
	x.up["a"].Otherwise(gatewaytest.Join(gatewaytest.StreamHead(), gatewaytest.Chunk(deltaEvent), gatewaytest.Reset()))
	a := x.call(x.key("laptop", store.RelayKeySpec{Limits: tight()}), streamBody)
	if x.arrived() != "a=1 b=0 c=0" || !strings.Contains(a.Body, `"error"`) || strings.Contains(a.Body, "[DONE]") {
		t.Errorf("the hosts saw %s; answered %s", x.arrived(), a.Body)
	}
	x.idle("a broken stream")
}

func TestFallback_MakesNoMoreAttemptsThanTheSettingSays(t *testing.T) {
	x := newTrio(t, func(o *gateway.Options) { o.MaxAttempts = 2 })
	for _, up := range x.up {
		up.Otherwise(gatewaytest.JSON(500, upstreamError))
	}
	x.want(x.call(x.key("laptop", store.RelayKeySpec{}), chatBody), 502, "")
	if x.arrived() != "a=1 b=1 c=0" {
		t.Errorf("the hosts saw %s", x.arrived())
	}
	x.idle("two attempts")
}

func TestFallback_TakesThreeKeysOfEachModel(t *testing.T) {
	x := newTrio(t, func(o *gateway.Options) { o.MaxAttempts = 100 })
	for _, up := range x.up {
		up.Otherwise(gatewaytest.JSON(500, upstreamError))
	}
	for i := range 4 {
		for _, host := range []string{"a", "c"} {
			put(x.rig, host+"-more-"+strconv.Itoa(i), store.HostKeySpec{HostID: x.rig.record(store.KindHost, host), Source: store.KeySource{Kind: "env", Env: strings.ToUpper(host) + strconv.Itoa(i)}})
		}
	}
	x.want(x.call(x.key("laptop", store.RelayKeySpec{}), chatBody), 502, "")
	if x.arrived() != "a=3 b=0 c=3" {
		t.Errorf("the hosts saw %s", x.arrived())
	}
}

func TestFallback_AKeyThatServesBothModelsMayBeTriedForEach(t *testing.T) {
	x := newTrio(t)
	x.model("other", store.ModelSpec{}, "a")
	edit(x.rig, "chat", func(m *store.Model) { m.Spec.Fallbacks = x.to("other") })
	x.up["a"].Play(gatewaytest.JSON(429, upstreamError), answer)
	x.up["b"].Otherwise(gatewaytest.JSON(429, upstreamError))
	a := x.call(x.key("laptop", store.RelayKeySpec{}), chatBody)
	if a.Status != 200 || a.Header.Get("X-Relay-Model") != "other" {
		t.Errorf("%d %s", a.Status, a.Body)
	}
	bodies := []string{string(x.up["a"].Request(0).Body), string(x.up["a"].Request(1).Body)}
	if !strings.Contains(bodies[0], `"chat-at-a"`) || !strings.Contains(bodies[1], `"other-at-a"`) {
		t.Errorf("bodies %v", bodies)
	}
}

func TestFallback_WaitsForTheDiskWithWhatTheNextModelHasReserved(t *testing.T) {
	var stamps []uint64
	x := newTrio(t, func(o *gateway.Options) {
		o.Keeping = gateway.Keeping{Patience: time.Second, Await: func(_ context.Context, stamp uint64) error {
			stamps = append(stamps, stamp)
			return nil
		}}
	})
	x.up["a"].Otherwise(gatewaytest.JSON(500, upstreamError))
	x.up["b"].Otherwise(gatewaytest.JSON(500, upstreamError))
	x.up["c"].Otherwise(answer)
	x.want(x.call(x.key("laptop", store.RelayKeySpec{Limits: tight()}), chatBody), 200, "hello")
	if len(stamps) != 3 || stamps[0] == 0 || stamps[1] != stamps[0] || stamps[2] <= stamps[1] {
		t.Errorf("waited for %v", stamps)
	}
	x.idle("kept")
}

func TestFallback_IsNotSentWhenTheDiskDoesNotTakeIt(t *testing.T) {
	waits := 0
	x := newTrio(t, func(o *gateway.Options) {
		o.Keeping = gateway.Keeping{Patience: time.Second, Await: func(context.Context, uint64) error {
			if waits++; waits == 3 {
				return context.DeadlineExceeded
			}
			return nil
		}}
	})
	x.up["a"].Otherwise(gatewaytest.JSON(500, upstreamError))
	x.up["b"].Otherwise(gatewaytest.JSON(500, upstreamError))
	x.want(x.call(x.key("laptop", store.RelayKeySpec{Limits: tight()}), chatBody), 503, "limiter_unavailable")
	if x.arrived() != "a=1 b=1 c=0" {
		t.Errorf("the hosts saw %s", x.arrived())
	}
	x.idle("the disk does not take it")
}
