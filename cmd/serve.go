package cmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/netip"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"github.com/rs/zerolog"
	"github.com/spf13/cobra"

	"relay/admin"
	"relay/gateway"
	"relay/store"
	"relay/ui"
)

func (a *app) serveCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "serve",
		Short: "Run the gateway",
		Long:  "Runs the gateway until it is interrupted. Without any configuration it makes a data directory, a first key, and listens on loopback.",
		Args:  exactly(),
		RunE: func(c *cobra.Command, _ []string) error {
			cfg, err := a.config()
			if err != nil {
				return err
			}
			return a.serve(c.Context(), cfg)
		},
	}
	addConfigFlags(c)
	return c
}

// serve runs until ctx ends.
func (a *app) serve(ctx context.Context, cfg Config) error {
	log := newLogger(a.Stderr, cfg.Log)
	p, err := startProcess(cfg, a.Env, log)
	if err != nil {
		return err
	}
	first, err := p.firstRun()
	if err != nil {
		return errors.Join(err, p.Close())
	}
	a.announce(p, first)
	select {
	case <-ctx.Done():
		log.Info().Msg("stopping")
	case err = <-p.failed:
	}
	return errors.Join(err, p.Close())
}

// process is a running Relay. Close stops it.
type process struct {
	*engine
	gateway   *gateway.Server
	inference *http.Server
	control   *http.Server // nil when off
	socket    *admin.SocketServer
	token     store.Secret

	inferenceAddr, controlAddr net.Addr

	draining atomic.Bool
	cut      context.CancelCauseFunc // cuts what still runs
	failed   chan error              // a listener that ended by itself
	stop     chan struct{}           // closed when the process stops
	running  sync.WaitGroup
}

// startProcess opens the data directory, takes the listeners and serves. The
// file lock comes first, so that two processes never share a socket.
func startProcess(cfg Config, env Environment, log zerolog.Logger) (*process, error) {
	e, err := openEngine(cfg, env, log)
	if err != nil {
		return nil, err
	}
	p := &process{engine: e, failed: make(chan error, 3), stop: make(chan struct{})}
	if err := p.start(); err != nil {
		return nil, errors.Join(err, p.Close())
	}
	return p, nil
}

func (p *process) start() error {
	if err := admin.FirstBoot(p.db); err != nil {
		return err
	}
	var err error
	if p.token, err = admin.EnsureToken(p.cfg.DataDir); err != nil {
		return err
	}
	inference, err := listen(p.cfg.Inference.Listen, "inference.listen")
	if err != nil {
		return err
	}
	p.inferenceAddr = inference.Addr()
	metrics := newMetricsRegistry(p)
	p.gateway = gateway.New(p.gatewayOptions(metrics))
	p.compile(p.gateway.Swap)
	p.db.StartUsage(counterSource{p.engine})
	p.background(p.watchKeyFiles)
	if err := p.startControl(metrics); err != nil {
		return errors.Join(err, inference.Close())
	}
	base, cut := context.WithCancelCause(context.Background())
	p.cut = cut
	p.inference = p.gateway.HTTPServer(base)
	p.serveOn(p.inference, inference)
	return nil
}

// startControl serves the control API on its listener, unless that is off, and
// on the socket.
func (p *process) startControl(metrics *prometheus.Registry) error {
	handler := admin.New(admin.Options{
		DB: p.db, Warnings: p.Warnings, Live: p.gateway, Upstream: p.prober(), Counters: p.registry,
		Version: Version(), Metrics: promhttp.HandlerFor(metrics, promhttp.HandlerOpts{}), UI: ui.Handler(),
		Ready: p.ready, Token: p.token, AllowedHosts: p.cfg.Control.AllowedHosts, Log: p.log,
	})
	socket, err := admin.ServeSocket(socketPath(p.cfg), handler)
	if err != nil {
		return err
	}
	p.socket = socket
	if p.cfg.Control.Listen == "off" {
		return nil
	}
	l, err := listen(p.cfg.Control.Listen, "control.listen")
	if err != nil {
		return err
	}
	p.controlAddr = l.Addr()
	p.control = &http.Server{Handler: handler, ReadHeaderTimeout: 10 * time.Second, IdleTimeout: 120 * time.Second, MaxHeaderBytes: 64 << 10}
	p.serveOn(p.control, l)
	return nil
}

func (p *process) gatewayOptions(metrics *prometheus.Registry) gateway.Options {
	return gateway.Options{
		DB: p.db, Limiter: p.memory, Clock: p.clock, Log: p.log, Metrics: metrics, Version: Version(),
		BaseURL: "http://" + p.inferenceAddr.String(), Draining: p.draining.Load, Own: p.ownListeners,
		MaxRequestBytes: int64(p.cfg.MaxRequestBytes), MaxAttempts: p.cfg.MaxAttempts,
		ReadHeaderTimeout: p.cfg.Inference.ReadHeaderTimeout, BodyIdleTimeout: p.cfg.Inference.BodyIdleTimeout,
		BodyTimeout: p.cfg.Inference.BodyTimeout, StreamIdleTimeout: p.cfg.Stream.IdleTimeout,
		MaxIdlePerHost: p.cfg.Upstream.MaxIdlePerHost, DenyPrivate: p.cfg.Upstream.DenyPrivate,
		TrustedProxies: prefixes(p.cfg.TrustedProxies), ContinueUnrecorded: p.cfg.Usage.OnFull == "continue",
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

const keyFileInterval = 10 * time.Second

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

// listen takes an address; a busy one is told with the setting that changes it.
func listen(address, setting string) (net.Listener, error) {
	l, err := net.Listen("tcp", address)
	if err == nil {
		return l, nil
	}
	flag := "--" + strings.NewReplacer(".", "-", "_", "-").Replace(setting)
	if isBusy(err) {
		return nil, fmt.Errorf("address %s is in use by another process: stop that one (ss -ltnp shows it), or take another address with %s", address, flag)
	}
	return nil, fmt.Errorf("listen on %s (%s): %w", address, setting, err)
}

func prefixes(texts []string) []netip.Prefix {
	var out []netip.Prefix
	for _, text := range texts {
		if p, err := netip.ParsePrefix(text); err == nil {
			out = append(out, p)
		} else if addr, err := netip.ParseAddr(text); err == nil {
			out = append(out, netip.PrefixFrom(addr, addr.BitLen()))
		}
	}
	return out
}

func socketPath(cfg Config) string {
	if cfg.Socket != "" {
		return cfg.Socket
	}
	return filepath.Join(cfg.DataDir, "relay.sock")
}

// newMetricsRegistry holds the process's own metrics; the gateway adds its.
func newMetricsRegistry(p *process) *prometheus.Registry {
	r := prometheus.NewRegistry()
	build := prometheus.NewGauge(prometheus.GaugeOpts{Name: "relay_build_info", Help: "1, labelled with the version.", ConstLabels: prometheus.Labels{"version": Version()}})
	build.Set(1)
	gauge := func(name, help string, read func() float64) prometheus.Collector {
		return prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: help}, read)
	}
	r.MustRegister(
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}), build,
		gauge("relay_inflight_requests", "Requests being answered.", func() float64 { return float64(p.gateway.InFlight()) }),
		gauge("relay_usage_queue_bytes", "Bytes of the usage queue that are taken.", func() float64 { used, _ := p.db.QueuedUsage(); return float64(used) }),
		gauge("relay_usage_durable_through_seconds", "Unix time up to which usage is on disk.", func() float64 { return float64(p.db.DurableThrough().UnixMilli()) / 1000 }),
		gauge("relay_db_bytes", "Size of the database file.", func() float64 { return float64(p.db.Size()) }),
	)
	return r
}

// localHandler opens the data directory and returns the control API in
// process, for a command line that finds no server.
func localHandler(cfg Config, env Environment) (http.Handler, io.Closer, error) {
	e, err := openEngine(cfg, env, zerolog.Nop())
	if err != nil {
		return nil, nil, err
	}
	if err := admin.FirstBoot(e.db); err != nil {
		return nil, nil, errors.Join(err, e.db.Close())
	}
	e.compile(nil)
	handler := admin.New(admin.Options{
		DB: e.db, Warnings: e.Warnings, Counters: e.registry, Version: Version(),
		Upstream: &gateway.Prober{Version: Version(), DenyPrivate: cfg.Upstream.DenyPrivate},
	})
	return handler, e.db, nil
}
