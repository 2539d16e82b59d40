package cmd

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"maps"
	"net"
	"net/http"
	"net/netip"
	"sync"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"github.com/rs/zerolog"

	"relay/admin"
	"relay/gateway"
	"relay/gateway/plan"
	"relay/store"
	"relay/ui"
)

// process is a running Relay. Close stops it.
type process struct {
	*engine
	gateway   *gateway.Server
	inference *http.Server
	control   *http.Server // nil when off
	socket    *admin.SocketServer
	token     store.Secret

	certificate *certificate // of the control listener; nil: it has none

	inferenceAddr, controlAddr net.Addr

	draining atomic.Bool
	cut      context.CancelCauseFunc // cuts what still runs
	failed   chan error              // a listener that ended by itself
	stop     chan struct{}           // closed when the process stops
	life     context.Context         // ends with it
	end      context.CancelFunc
	running  sync.WaitGroup

	backupFault atomic.Pointer[store.Problem] // why the last backup failed
}

// startProcess opens the data directory, takes the listeners and serves. The
// file lock comes first, so that two processes never share a socket.
func startProcess(cfg Config, env Environment, log zerolog.Logger) (*process, error) {
	e, err := openEngine(cfg, env, log)
	if err != nil {
		return nil, err
	}
	p := &process{engine: e, failed: make(chan error, 3), stop: make(chan struct{})}
	p.life, p.end = context.WithCancel(context.Background())
	if err := p.start(env); err != nil {
		return nil, errors.Join(err, p.Close())
	}
	return p, nil
}

func (p *process) start(env Environment) error {
	if err := p.checkStoredLimits(); err != nil {
		return err
	}
	if err := p.checkFirstConfigDir(env); err != nil {
		return err
	}
	if err := p.seedSystemLimits(env); err != nil {
		return err
	}
	if err := errors.Join(admin.FirstBoot(p.db), admin.EnsureSystemLimits(p.db, p.log), admin.EnsureRoles(p.db), admin.EnsureNamed(p.db, p.cfg.Auth.OIDC.provider()), p.ship()); err != nil {
		return err
	}
	if err := p.applyConfigDir(p.life, p.cfg.ConfigDir, env); err != nil {
		return err
	}
	if p.cfg.Inference.open() {
		if err := admin.EnsureLocal(p.db); err != nil {
			return err
		}
	}
	var err error
	if p.token, err = p.adminToken(); err != nil {
		return err
	}
	inference, err := listen(p.cfg.Inference.Listen, "inference.listen")
	if err != nil {
		return err
	}
	p.inferenceAddr = inference.Addr()
	metrics := newMetricsRegistry(p)
	p.gateway = gateway.New(p.gatewayOptions(metrics))
	p.compile(p.swap)
	p.db.StartUsage(counterSource{p.engine})
	p.background(p.watchKeyFiles)
	p.background(p.sweepCounters)
	p.background(p.trimMemory)
	p.background(p.scheduleBackups)
	p.background(p.pruneAudit)
	if err := p.startControl(metrics); err != nil {
		return errors.Join(err, inference.Close())
	}
	base, cut := context.WithCancelCause(context.Background())
	p.cut = cut
	p.inference = p.gateway.HTTPServer(base)
	p.serveOn(p.inference, p.gateway.Listener(inference))
	p.discover(env)
	return nil
}

// swap puts a plan into use, and what settings say beside it.
func (p *process) swap(next *plan.Plan) {
	p.gateway.ShowLimits(limitHeaders(p.cfg.limits(next.Catalog()).Headers))
	p.gateway.Swap(next)
}

// adminToken opens the control API over TCP: that of the environment, else the
// one in the data directory, which first boot makes.
func (p *process) adminToken() (store.Secret, error) {
	own, err := admin.EnsureToken(p.cfg.DataDir)
	if err != nil || p.cfg.AdminToken.IsZero() {
		return own, err
	}
	return p.cfg.AdminToken, nil
}

// startControl serves the control API on its listener, unless that is off, and
// on the socket.
func (p *process) startControl(metrics *prometheus.Registry) error {
	listener, err := p.listenControl()
	if err != nil {
		return err
	}
	hosts := p.cfg.Control.AllowedHosts
	if listener != nil && p.cfg.Control.TLS.given() {
		cert, err := loadCertificate(p.cfg.Control.TLS.CertFile, p.cfg.Control.TLS.KeyFile)
		if err != nil {
			return errors.Join(err, listener.Close())
		}
		p.certificate = cert
		listener, hosts = tls.NewListener(listener, cert.config()), append(cert.names(), hosts...)
	}
	handler := admin.New(admin.Options{
		DB: p.db, Warnings: p.Warnings, Live: p.gateway, Upstream: p.prober(), Counters: counterReader{p.engine}, Resets: counterResetter{p.engine}, Catalogue: p.catalogue, Plan: p.plan.Load,
		Admission: &admin.Admission{Limiter: p.memory, Clock: p.clock, ClientAddr: p.gateway.ClientAddr}, Version: Version(), Metrics: promhttp.HandlerFor(metrics, promhttp.HandlerOpts{}), UI: ui.Handler(),
		Ready: p.ready, Stopping: p.stop, Token: p.token, InferenceURL: p.inferenceURL(), ControlURL: p.browserURL(), AllowedHosts: hosts, Log: p.log,
		BehindProxy: p.cfg.Control.BehindProxy, Public: p.cfg.Control.public(),
		Authz: p.cfg.Authz, SessionIdle: p.cfg.Auth.SessionIdle, SessionMax: p.cfg.Auth.SessionMax, OIDC: p.cfg.Auth.OIDC.provider(),
	})
	socket, err := admin.ServeSocket(p.cfg.Socket, handler)
	if err != nil {
		if listener != nil {
			listener.Close()
		}
		return err
	}
	p.socket = socket
	if listener == nil {
		return nil
	}
	p.control = &http.Server{Handler: handler, ReadHeaderTimeout: 10 * time.Second, IdleTimeout: 120 * time.Second, MaxHeaderBytes: 64 << 10}
	p.serveOn(p.control, listener)
	return nil
}

// listenControl returns nil when the listener is off.
func (p *process) listenControl() (net.Listener, error) {
	if p.cfg.Control.Listen == "off" {
		return nil, nil
	}
	l, err := listen(p.cfg.Control.Listen, "control.listen")
	if err == nil {
		p.controlAddr = l.Addr()
	}
	return l, err
}

func (p *process) gatewayOptions(metrics *prometheus.Registry) gateway.Options {
	return gateway.Options{
		DB: p.db, Limiter: p.memory, Readings: p.memory, Clock: p.clock, Log: p.log, Metrics: metrics, Version: Version(),
		BaseURL: "http://" + p.inferenceAddr.String(), Draining: p.draining.Load, Own: p.ownListeners,
		Loopback: onLoopback(p.inferenceAddr), Hosts: p.cfg.callerHosts(), CORSOrigins: p.cfg.Inference.CORSOrigins,
		MaxInFlight: p.cfg.MaxInFlight, MaxBufferedBytes: p.cfg.bufferedBytes(), MaxConnections: p.cfg.connections(openFiles()),
		MaxRequestBytes: int64(p.cfg.MaxRequestBytes), MaxAttempts: p.cfg.MaxAttempts,
		ReadHeaderTimeout: p.cfg.Inference.ReadHeaderTimeout, BodyIdleTimeout: p.cfg.Inference.BodyIdleTimeout,
		BodyTimeout: p.cfg.Inference.BodyTimeout, StreamKeepAlive: p.cfg.Stream.KeepAlive, StreamIdleTimeout: p.cfg.Stream.IdleTimeout,
		MaxIdlePerHost: p.cfg.Upstream.MaxIdlePerHost, DenyPrivate: p.cfg.Upstream.DenyPrivate,
		TrustedProxies: networks(p.cfg.TrustedProxies), ContinueUnrecorded: p.cfg.Usage.OnFull == "continue",
		Media:       gateway.Media{MaxUploadBytes: int64(p.cfg.Media.MaxUploadBytes), MaxAudioSeconds: int64(p.cfg.Media.MaxAudioSeconds), MaxSpeechChars: int64(p.cfg.Media.MaxSpeechChars)},
		StrictUsage: p.cfg.Usage.patience(), Keeping: p.keeping(),
	}
}

func (p *process) prober() *gateway.Prober {
	return &gateway.Prober{Version: Version(), DenyPrivate: p.cfg.Upstream.DenyPrivate, Own: p.ownListeners}
}

// ownListeners are never dialled as hosts.
func (p *process) ownListeners() []netip.AddrPort {
	var own []netip.AddrPort
	for _, addr := range []net.Addr{p.inferenceAddr, p.controlAddr} {
		if tcp, ok := addr.(*net.TCPAddr); ok {
			own = append(own, tcp.AddrPort())
		}
	}
	return own
}

// ready says why the process takes no traffic, or nil.
func (p *process) ready() error {
	if p.draining.Load() {
		return errors.New("relay is stopping")
	}
	return nil
}

func (p *process) serveOn(s *http.Server, l net.Listener) {
	p.background(func() {
		if err := s.Serve(l); !errors.Is(err, http.ErrServerClosed) {
			p.failed <- fmt.Errorf("serve %s: %w", l.Addr(), err)
		}
	})
}

func (p *process) background(run func()) {
	p.running.Add(1)
	go func() {
		defer p.running.Done()
		run()
	}()
}

const (
	keyFileInterval = 10 * time.Second
	sweepInterval   = time.Minute
)

// sweepCounters forgets counters that nothing holds and that have aged out.
func (p *process) sweepCounters() {
	tick := time.NewTicker(sweepInterval)
	defer tick.Stop()
	for {
		select {
		case <-p.stop:
			return
		case <-tick.C:
			p.registry.Sweep(p.gateway.Plan().Generation, p.clock.Now())
		}
	}
}

// watchKeyFiles compiles anew when a file that holds a host key has changed.
func (p *process) watchKeyFiles() {
	tick := time.NewTicker(keyFileInterval)
	defer tick.Stop()
	seen := p.keyFiles()
	for {
		select {
		case <-p.stop:
			return
		case <-tick.C:
		}
		if now := p.keyFiles(); !maps.Equal(now, seen) {
			seen = now
			p.recompile()
		}
	}
}

// Close stops gracefully: no new connections, then up to shutdown_timeout for
// what runs, then the rest is cut; usage and counters are written last.
func (p *process) Close() error {
	p.draining.Store(true)
	close(p.stop)
	p.end()
	ctx, cancel := context.WithTimeout(context.Background(), p.cfg.ShutdownTimeout)
	defer cancel()
	var errs []error
	if p.inference != nil {
		errs = append(errs, p.drain(ctx))
	}
	if p.control != nil {
		errs = append(errs, ignoreDeadline(p.control.Shutdown(ctx)))
	}
	if p.socket != nil {
		errs = append(errs, ignoreDeadline(p.socket.Close(ctx)))
	}
	p.running.Wait()
	if p.gateway != nil {
		p.gateway.Close()
	}
	return errors.Join(append(errs, p.db.Close())...)
}

// cutTimeout is how long cut streams have to write their last event.
const cutTimeout = 2 * time.Second

// drain waits for requests and streams and cuts those that are left at the end.
func (p *process) drain(ctx context.Context) error {
	if p.inference.Shutdown(ctx) == nil {
		return nil
	}
	p.log.Warn().Int("in_flight", p.gateway.InFlight()).Msg("shutdown_timeout is over: requests are cut")
	p.cut(gateway.ErrStopping)
	ctx, cancel := context.WithTimeout(context.Background(), cutTimeout)
	defer cancel()
	if p.inference.Shutdown(ctx) == nil {
		return nil
	}
	return p.inference.Close()
}

func ignoreDeadline(err error) error {
	if errors.Is(err, context.DeadlineExceeded) {
		return nil
	}
	return err
}
