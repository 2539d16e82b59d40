package gateway_test

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"relay/gateway"
	"relay/gateway/gatewaytest"
	"relay/limiter"
	"relay/store"
)

// slotPath is one way to the end of a call. Callers go it one by one, each
// under a cap of one call in flight.
type slotPath struct {
	number int // in the list of all ways
	name   string
	model  string                          // empty: the kind's
	key    string                          // by name; empty: the caller's own
	header string                          // of the request
	script func(k kind) gatewaytest.Script // of the upstream; nil: it answers well
	caller func(s *slotStand, c *slotCall) // nil: it reads the answer
	want   string                          // what the answer holds; empty: anything
	stream bool                            // only streams go it
	whole  bool                            // only whole answers go it
	costly bool                            // to be gone seldom where many are

	foreign bool // only calls go it that are translated
}

// slotCall is one call on such a way.
type slotCall struct {
	kind   kind
	key    string
	text   string // of the request
	client *gatewaytest.Client
	said   string // what came back
}

// read reads all that comes.
func (c *slotCall) read() { c.said, _ = c.client.Rest() }

// slotStand is a gateway with hosts of every temper. The path that a call goes
// stands in its body, by which the upstream knows what to do.
type slotStand struct {
	*rig
	up, busy *gatewaytest.Upstream
	front    *httptest.Server
	keys     []string
	ended    sync.Map // callers' addresses whose connections are over
	editing  sync.Mutex
	others   map[string]string // keys with a fault, by name
	paths    map[string]slotPath
}

func newSlotStand(t *testing.T, callers int) *slotStand {
	t.Helper()
	r := newUnrecordedRig(t, func(o *gateway.Options) {
		o.StreamKeepAlive, o.BodyIdleTimeout, o.MaxInFlight = 20*time.Millisecond, 500*time.Millisecond, 1000 // a slow machine needs its time
	})
	r.startUsage()
	r.server.SetPatience(500*time.Millisecond, time.Second)
	s := &slotStand{rig: r, up: gatewaytest.New(t), busy: gatewaytest.New(t), paths: map[string]slotPath{}}
	s.hosts(t)
	r.policy(sliding(limiter.MeterConcurrency, 1000, time.Minute))
	for i := range callers {
		s.keys = append(s.keys, r.key(fmt.Sprint("caller-", i), store.RelayKeySpec{Limits: &store.Limits{Concurrency: int64p(1)}}))
	}
	s.others = map[string]string{
		"spent":  r.key("spent", store.RelayKeySpec{Limits: &store.Limits{Concurrency: int64p(1000), RPM: int64p(1)}}),
		"narrow": r.key("narrow", store.RelayKeySpec{Models: []store.ModelRef{"slow"}, Limits: &store.Limits{Concurrency: int64p(1)}}),
	}
	for _, p := range slotPaths() {
		s.paths[p.name] = p
	}
	s.up.Otherwise(s.play)
	s.busy.Otherwise(refusal(429))
	s.front = httptest.NewUnstartedServer(http.HandlerFunc(s.serve))
	s.front.Config.ConnState = func(c net.Conn, state http.ConnState) {
		if state == http.StateClosed {
			s.ended.Store(c.RemoteAddr().String(), true)
		}
	}
	s.front.Start()
	t.Cleanup(s.front.Close)
	return s
}

// hosts binds the models of the ways, each for all shapes. No host wants a key,
// so that no breaker stands between one call and the next, and each has a gauge.
func (s *slotStand) hosts(t *testing.T) {
	t.Helper()
	short := store.Duration(30 * time.Millisecond)
	tier := put(s.rig, "tier-rl", store.RateLimitSpec{Rules: []limiter.Rule{sliding(limiter.MeterConcurrency, 1000, time.Minute)}})
	full := put(s.rig, "full-rl", store.RateLimitSpec{Rules: []limiter.Rule{sliding(limiter.MeterConcurrency, 1000, time.Minute), sliding(limiter.MeterRequests, 1, time.Hour)}})
	all := []store.Shape{store.ShapeOpenAI, store.ShapeResponses, store.ShapeAnthropic, store.ShapeGemini, store.ShapeOllama}
	for name, h := range map[string]struct {
		shapes   []store.Shape
		base     string
		tier     string
		timeouts *store.HostTimeouts
		drain    time.Duration
	}{
		"good": {base: s.up.URL()}, "busy": {base: s.busy.URL()}, "busier": {base: s.busy.URL()}, "busiest": {base: s.busy.URL()},
		"full": {base: s.up.URL(), tier: full.Metadata.ID}, "slow": {base: s.up.URL(), timeouts: &store.HostTimeouts{Header: &short}}, "silent": {base: s.up.URL(), timeouts: &store.HostTimeouts{Idle: &short}},
		"gone": {base: "http://127.0.0.1:1"}, "nameless": {base: "https://nothing.invalid"}, "untrusted": {base: gatewaytest.NewTLS(t, gatewaytest.NewAuthority(t).Good()).URL()},
		"draining": {base: s.up.URL(), drain: 20 * time.Millisecond}, "foreign": {base: s.up.URL() + "/v1", shapes: []store.Shape{store.ShapeAnthropic}},
	} {
		if h.tier == "" {
			h.tier = tier.Metadata.ID
		}
		if h.shapes == nil {
			h.shapes = all
		}
		put(s.rig, name, store.HostSpec{BaseURL: h.base, Auth: "none", Shapes: h.shapes, Timeouts: h.timeouts, DrainOnDisconnect: store.Duration(h.drain)})
		put(s.rig, "tier-"+name, store.PolicySpec{RateLimitID: h.tier})
		s.giveTo(name, "tier-"+name)
		edit(s.rig, name, func(h *store.Host) { h.Spec.DefaultTierPolicyID = s.record(store.KindPolicy, "tier-"+name) })
	}
	for model, hosts := range map[string][]string{
		"chat": {"good"}, "claude": {"good"}, "gem": {"good"}, "lama": {"good"}, "pair": {"busy", "good"}, "worn": {"busy", "busier", "busiest"}, "full": {"full"},
		"slow": {"slow"}, "silent": {"silent"}, "gone": {"gone"}, "nameless": {"nameless"}, "untrusted": {"untrusted"}, "draining": {"draining"}, "foreign": {"foreign"},
	} {
		m := put(s.rig, model, store.ModelSpec{Limits: &store.Limits{Concurrency: int64p(1000)}})
		for i, host := range hosts {
			put(s.rig, model+"-"+host, store.HostBindingSpec{ModelID: m.Metadata.ID, HostID: s.record(store.KindHost, host), PricingID: s.pricing(), Priority: i})
		}
	}
}

// serve is the gateway's handler with a writer that breaks where a request asks
// for it.
func (s *slotStand) serve(w http.ResponseWriter, r *http.Request) {
	switch r.Header.Get("X-Frail") {
	case "headers":
		w = &frail{w, 1, 1 << 20}
	case "writes":
		w = &frail{w, 1 << 20, 0}
	case "abort":
		w = aborting{w}
	}
	s.server.ServeHTTP(w, r)
}

// aborting is a writer that gives the connection up as handlers of net/http do.
type aborting struct{ http.ResponseWriter }

func (a aborting) Unwrap() http.ResponseWriter { return a.ResponseWriter }
func (a aborting) Write([]byte) (int, error)   { panic(http.ErrAbortHandler) }

// play answers a request as its path says.
func (s *slotStand) play(x *gatewaytest.Exchange) error {
	if strings.Contains(string(x.Request.Body), `"model":"foreign"`) { // the rest has been translated
		k := kindsNamed("messages stream")[0]
		return gatewaytest.Join(k.opening(), gatewaytest.Chunk(k.answer(7, 3)[1], k.event(`{"type":"content_block_delta",`)), gatewaytest.Hang())(x)
	}
	_, rest, _ := strings.Cut(string(x.Request.Body), `"slot":"`)
	name, rest, _ := strings.Cut(rest, "/")
	kindName, _, _ := strings.Cut(rest, `"`)
	for _, k := range kinds() {
		if k.name == kindName {
			if script := s.paths[name].script; script != nil {
				return script(k)(x)
			}
			return k.says(7, 3)(x)
		}
	}
	return errors.New("a request of no kind")
}

// goOn makes a call on the path and returns what came back.
func (s *slotStand) goOn(p slotPath, k kind, caller int) string {
	key, asked := s.keys[caller], k
	if p.key != "" {
		key = s.others[p.key]
	}
	if p.model != "" {
		asked = k.of(p.model)
	}
	asked.body += `,"slot":"` + p.name + "/" + k.name + `"`
	headers := []string{"Connection: close"}
	if p.header != "" {
		headers = append(headers, p.header)
	}
	c := &slotCall{kind: k, key: key, text: asked.request(key, headers...), client: gatewaytest.Dial(s.tb, strings.TrimPrefix(s.front.URL, "http://"))}
	if p.caller != nil {
		p.caller(s, c)
	} else {
		c.client.Send(c.text)
		c.read()
	}
	c.client.Close()
	until(s.tb, "the end of "+p.name+" is seen", func() bool {
		_, ended := s.ended.LoadAndDelete(c.client.Addr())
		return ended
	})
	return c.said
}

// takes reports whether a call of the kind can go the path.
func (p *slotPath) takes(k kind) bool {
	return (k.streamed || !p.stream) && (!k.streamed || !p.whole) && (!p.foreign || k.shape != store.ShapeAnthropic)
}

// slots is what must be as before once everything is over.
type slots struct{ goroutines int }

// rest closes what is kept for later and counts what is left.
func (s *slotStand) rest() slots {
	s.tb.Helper()
	until(s.tb, "every call is over", func() bool { return s.server.InFlight() == 0 && s.server.Drains() == 0 })
	s.server.Close()
	s.front.CloseClientConnections()
	until(s.tb, "the upstreams' connections are closed", func() bool { return s.up.Open()+s.busy.Open() == 0 })
	return slots{runtime.NumGoroutine()}
}

// mustRest fails the test unless everything is back to where it was.
func (s *slotStand) mustRest(before slots) {
	s.tb.Helper()
	s.rest()
	s.mustBeIdle("all")
	until(s.tb, "the goroutines are back", func() bool { return runtime.NumGoroutine() <= before.goroutines+2 })
}
