package gateway

import (
	"context"
	"math/rand/v2"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gorilla/mux"

	"relay/gateway/plan"
	"relay/limiter"
	"relay/store"
)

// Server answers the inference side. Swap gives it a plan before it serves;
// later swaps take effect for requests that begin after them.
type Server struct {
	opt       Options
	limiter   limiter.Limiter
	clock     *limiter.Clock
	current   atomic.Pointer[generation]
	breakers  *breakers
	upstreams *upstreams
	rotas     rotas
	lists     *modelLists
	metrics   *metrics
	exchanges sync.Pool
	picks     atomic.Int64 // keys picked so far, the clock of least-recently-used
	inFlight  atomic.Int64
	drains    drains
	streaming liveStreams

	limitHeaders atomic.Uint32 // a LimitHeaders

	door        door
	load        *load
	unpackers   unpackers
	connections *connections // nil: as many as come

	writeTimeout   time.Duration // of one write to a caller
	refusalTimeout time.Duration // of the body of a refused answer
	endpoints      map[string]*endpoint
	tongues        map[store.Shape]*tongue
	fallback       http.Handler
}

// New makes a server without a plan.
func New(opt Options) *Server {
	s := &Server{opt: opt, limiter: opt.Limiter, clock: opt.Clock, breakers: newBreakers(), metrics: newMetrics(opt.Metrics)}
	if s.opt.Random == nil {
		s.opt.Random = rand.Int64N
	}
	s.lists = newModelLists(Prober{Version: opt.Version, DenyPrivate: opt.DenyPrivate, Own: opt.Own})
	s.upstreams = &upstreams{dialer: dialRules{denyPrivate: opt.DenyPrivate, own: opt.Own}, idle: opt.MaxIdlePerHost}
	s.exchanges.New = func() any { return &exchange{s: s} }
	s.door, s.load, s.unpackers, s.connections = newDoor(&opt), newLoad(&opt), newUnpackers(), newConnections(opt.MaxConnections)
	s.writeTimeout, s.refusalTimeout = writeTimeout, refusalTimeout
	s.endpoints, s.tongues = endpoints(), tongues()
	s.ShowLimits(opt.LimitHeaders)
	s.fallback = s.routes()
	opt.DB.OnTokenRevoked(s.streaming.cutToken)
	return s
}

// routes are the paths that are not exact.
func (s *Server) routes() http.Handler {
	r := mux.NewRouter().SkipClean(true).UseEncodedPath()
	behind := s.behindModels()
	for _, prefix := range spellings() {
		r.HandleFunc(prefix+"/models/{id:.+}", behind)
	}
	for _, vendor := range vendors {
		r.HandleFunc(vendor+"/v1beta/models/{id:.+}", behind)
		r.HandleFunc(vendor+"/api/blobs/{digest}", s.handle(managing("")))
	}
	r.HandleFunc("/livez", s.live).Methods(http.MethodGet, http.MethodHead)
	r.HandleFunc("/readyz", s.ready).Methods(http.MethodGet, http.MethodHead)
	r.HandleFunc("/healthz", s.ready).Methods(http.MethodGet, http.MethodHead)
	r.HandleFunc("/openapi.json", s.openAPI()).Methods(http.MethodGet, http.MethodHead)
	r.HandleFunc("/", s.root).Methods(http.MethodGet, http.MethodHead)
	r.NotFoundHandler = http.HandlerFunc(s.notFound)
	r.MethodNotAllowedHandler = http.HandlerFunc(s.wrongMethod)
	return r
}

// Swap puts a plan into use. State of keys and hosts that both plans have is
// kept.
func (s *Server) Swap(p *plan.Plan) {
	keys := s.breakers.of(withProxy(p))
	s.lists.keep(p.Hosts)
	s.current.Store(&generation{plan: p, hosts: s.upstreams.of(p.Hosts), keys: keys, turns: s.rotas.of(p.Turns, keys), tokens: s.newTokens()})
	s.streaming.review(p)
}

// withProxy are all keys that a request may be tried on, by their index.
func withProxy(p *plan.Plan) []*plan.HostKey {
	if p.Proxy == nil {
		return p.HostKeys
	}
	return slices.Concat(p.HostKeys, p.Proxy.Keys)
}

// Plan returns the plan in use.
func (s *Server) Plan() *plan.Plan { return s.current.Load().plan }

// ServeHTTP answers one request.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.door.origins.tell(w, r)
	if isPreflight(r) {
		s.preflight(w, r)
		return
	}
	if e, ok := s.endpoints[r.URL.Path]; ok && r.URL.RawPath == "" { // as written, not as some escape reads
		s.serve(w, r, e)
		return
	}
	s.fallback.ServeHTTP(w, r)
}

// HTTPServer returns a server for a listener, with the time-outs that protect
// it. There is no write time-out: streams have deadlines of their own.
func (s *Server) HTTPServer(base context.Context) *http.Server {
	context.AfterFunc(base, s.drains.cut)
	hs := &http.Server{
		Handler:           s,
		ReadHeaderTimeout: s.opt.ReadHeaderTimeout,
		IdleTimeout:       120 * time.Second,
		MaxHeaderBytes:    64 << 10,
		BaseContext:       baseContext(base),
		ErrorLog:          serverLog(s.opt.Log),
	}
	s.connections.watch(hs)
	return hs
}

// Close ends what runs beside requests and gives up idle upstream connections.
func (s *Server) Close() {
	s.lists.close()
	s.upstreams.close()
}

// InFlight returns the number of requests being answered.
func (s *Server) InFlight() int { return int(s.inFlight.Load()) }

// KeyStates reports each key's breaker by host-key id.
func (s *Server) KeyStates() map[string]plan.KeyState {
	gen, now := s.current.Load(), s.now()
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
