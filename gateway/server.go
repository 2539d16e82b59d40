package gateway

import (
	"context"
	"errors"
	"net/http"
	"net/netip"
	"runtime/debug"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/google/uuid"
	"github.com/gorilla/mux"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/rs/zerolog"

	"relay/gateway/plan"
	"relay/gateway/wire"
	"relay/gateway/wire/chat"
	"relay/limiter"
	"relay/store"
)

// Options are what a Server works with. Sizes are bytes.
type Options struct {
	DB       *store.DB
	Limiter  limiter.Limiter
	Clock    *limiter.Clock
	Readings Readings // what counters stand at, for callers that ask
	Log      zerolog.Logger
	Metrics  prometheus.Registerer
	Version  string
	BaseURL  string                  // shown in hints: http://127.0.0.1:8080
	Draining func() bool             // true once the process is stopping; nil: never
	Own      func() []netip.AddrPort // Relay's listeners, never dialled

	MaxRequestBytes   int64
	MaxAttempts       int
	ReadHeaderTimeout time.Duration
	BodyIdleTimeout   time.Duration
	BodyTimeout       time.Duration
	StreamIdleTimeout time.Duration
	MaxIdlePerHost    int
	DenyPrivate       bool
	TrustedProxies    []netip.Prefix

	LimitHeaders LimitHeaders

	// ContinueUnrecorded admits requests when the usage queue is full.
	ContinueUnrecorded bool

	// StrictUsage is how long an answer waits for its usage event to be on disk
	// before it is cut. 0: it does not wait.
	StrictUsage time.Duration
}

// Readings tells what a counter stands at. limiter.Memory implements it.
type Readings interface {
	Read(now limiter.Instant, c *limiter.Counter) limiter.Reading
}

// Server answers the inference side. Swap gives it a plan before it serves;
// later swaps take effect for requests that begin after them.
type Server struct {
	opt       Options
	limiter   limiter.Limiter
	clock     *limiter.Clock
	current   atomic.Pointer[generation]
	breakers  *breakers
	upstreams *upstreams
	metrics   *metrics
	exchanges sync.Pool
	picks     atomic.Int64 // keys picked so far, the clock of least-recently-used
	inFlight  atomic.Int64
	endpoints map[string]endpoint
	fallback  http.Handler
}

// New makes a server without a plan.
func New(opt Options) *Server {
	s := &Server{opt: opt, limiter: opt.Limiter, clock: opt.Clock, breakers: newBreakers(), metrics: newMetrics(opt.Metrics)}
	s.upstreams = &upstreams{dialer: dialRules{denyPrivate: opt.DenyPrivate, own: opt.Own}, idle: opt.MaxIdlePerHost}
	s.exchanges.New = func() any { return &exchange{s: s} }
	s.endpoints = endpoints()
	s.fallback = s.routes()
	return s
}

// routes are the paths that are not exact.
func (s *Server) routes() http.Handler {
	r := mux.NewRouter().SkipClean(true).UseEncodedPath()
	show := s.handle(endpoint{method: http.MethodGet, shape: store.ShapeOpenAI, codec: chat.Codec{}, serve: (*exchange).showModel})
	for _, prefix := range spellings() {
		r.HandleFunc(prefix+"/models/{id:.+}", show)
	}
	r.HandleFunc("/livez", s.live).Methods(http.MethodGet, http.MethodHead)
	r.HandleFunc("/readyz", s.ready).Methods(http.MethodGet, http.MethodHead)
	r.HandleFunc("/healthz", s.ready).Methods(http.MethodGet, http.MethodHead)
	r.HandleFunc("/", s.root).Methods(http.MethodGet, http.MethodHead)
	r.NotFoundHandler = http.HandlerFunc(s.notFound)
	r.MethodNotAllowedHandler = r.NotFoundHandler
	return r
}

// Swap puts a plan into use. State of keys and hosts that both plans have is
// kept.
func (s *Server) Swap(p *plan.Plan) {
	s.current.Store(&generation{
		plan: p, hosts: s.upstreams.of(p.Hosts), keys: s.breakers.of(p.HostKeys),
		turns: make([]atomic.Uint32, p.Pools),
	})
}

// Plan returns the plan in use.
func (s *Server) Plan() *plan.Plan { return s.current.Load().plan }

// ServeHTTP answers one request.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if e, ok := s.endpoints[r.URL.Path]; ok && r.URL.RawPath == "" { // as written, not as some escape reads
		s.serve(w, r, e)
		return
	}
	s.fallback.ServeHTTP(w, r)
}

// serve runs an endpoint and renders its error. Whatever happens, panics
// included, the exchange is finished.
func (s *Server) serve(w http.ResponseWriter, r *http.Request, e endpoint) {
	x := s.exchanges.Get().(*exchange)
	x.begin(w, r, s.current.Load(), e)
	s.inFlight.Add(1)
	defer func() {
		s.inFlight.Add(-1)
		abort := x.recovered(recover())
		x.finish()
		s.exchanges.Put(x)
		if abort {
			panic(http.ErrAbortHandler) // cuts the connection, so that a broken body is not taken for a whole one
		}
	}()
	err := x.checkRequest(e)
	if err == nil {
		err = e.serve(x)
	}
	if err != nil {
		x.fail(err)
	}
}

// checkRequest is step 1: method, upgrades and loops.
func (x *exchange) checkRequest(e endpoint) error {
	switch {
	case e.method != "" && x.r.Method != e.method:
		x.w.Header().Set("Allow", e.method)
		return wire.NewError(wire.CodeMethodNotAllowed, x.r.URL.Path+" takes "+e.method+", not "+quoted(x.r.Method)+".")
	case x.r.Header.Get("Upgrade") != "":
		return wire.NewError(wire.CodeUpgradeNotSupported, "Upgrades, WebSockets among them, are not served here.")
	case hops(x.r.Header) >= maxHops:
		return wire.NewError(wire.CodeLoopDetected, "This request has passed "+strconv.Itoa(maxHops)+" relays: a host of one of them points back at another.")
	}
	return nil
}

// begin readies a pooled exchange for a request.
func (x *exchange) begin(w http.ResponseWriter, r *http.Request, gen *generation, e endpoint) {
	x.w, x.r, x.gen = w, r, gen
	x.rc = http.NewResponseController(w)
	x.start = time.Now()
	x.endpoint, x.codec, x.shape, x.path = e.name, e.codec, e.shape, e.path
	x.id = requestID(r.Header.Get("X-Request-Id"))
	w.Header()["X-Relay-Request-Id"] = []string{x.id}
}

// recovered turns a panic into an answer or a cut connection, and says whether
// to cut it.
func (x *exchange) recovered(p any) (abort bool) {
	if p == nil {
		return x.cut
	}
	if err, ok := p.(error); ok && errors.Is(err, http.ErrAbortHandler) {
		return true
	}
	id := uuid.NewString()
	x.s.opt.Log.Error().Str("error_id", id).Str("request_id", x.id).Interface("panic", p).Bytes("stack", debug.Stack()).Msg("request panicked")
	x.errorKind = wire.CodeInternalError
	if x.began {
		return true
	}
	x.fail(wire.NewError(wire.CodeInternalError, "Relay failed inside; the log has the details under "+id+"."))
	return x.cut
}

// requestID keeps a caller's own id when it is printable and short.
func requestID(given string) string {
	if len(given) >= 1 && len(given) <= 128 && printable(given) {
		return given
	}
	return uuid.Must(uuid.NewV7()).String()
}

func printable(s string) bool {
	for i := range len(s) {
		if s[i] <= ' ' || s[i] > '~' {
			return false
		}
	}
	return true
}

// HTTPServer returns a server for a listener, with the time-outs that protect
// it. There is no write time-out: streams have deadlines of their own.
func (s *Server) HTTPServer(base context.Context) *http.Server {
	return &http.Server{
		Handler:           s,
		ReadHeaderTimeout: s.opt.ReadHeaderTimeout,
		IdleTimeout:       120 * time.Second,
		MaxHeaderBytes:    64 << 10,
		BaseContext:       baseContext(base),
		ErrorLog:          serverLog(s.opt.Log),
	}
}

// Close gives up idle upstream connections.
func (s *Server) Close() { s.upstreams.close() }

// InFlight returns the number of requests being answered.
func (s *Server) InFlight() int { return int(s.inFlight.Load()) }

// KeyStates reports each key's breaker by host-key id.
func (s *Server) KeyStates() map[string]plan.KeyState {
	gen, now := s.current.Load(), time.Now()
	states := make(map[string]plan.KeyState, len(gen.keys))
	for i, k := range gen.plan.HostKeys {
		states[k.ID] = gen.keys[i].describe(now)
	}
	return states
}

// HostStates reports each host's health by host id.
func (s *Server) HostStates() map[string]plan.HostState {
	gen := s.current.Load()
	states := make(map[string]plan.HostState, len(gen.hosts))
	for i, h := range gen.plan.Hosts {
		states[h.Record.Metadata.ID] = *gen.hosts[i].health.Load()
	}
	return states
}
