package gateway

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"os"
	"reflect"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"relay/gateway/plan"
	"relay/store"
)

// upstream is one host as attempts use it: its transport, its URLs and what is
// known of its health. It outlives plans as long as the host's record says the
// same.
type upstream struct {
	spec      store.HostSpec
	transport *http.Transport
	base      *url.URL
	urls      [len(suffixes)]*url.URL // by path
	health    atomic.Pointer[plan.HostState]
}

// upstreams keeps one upstream a host record.
type upstreams struct {
	mu     sync.Mutex
	byID   map[string]*upstream
	dialer dialRules
	idle   int
}

// of returns the upstreams of the plan's hosts in their order and closes the
// idle connections of those that no host uses any more.
func (u *upstreams) of(hosts []*plan.Host) []*upstream {
	u.mu.Lock()
	defer u.mu.Unlock()
	next := make(map[string]*upstream, len(hosts))
	list := make([]*upstream, len(hosts))
	for i, h := range hosts {
		id := h.Record.Metadata.ID
		up := u.byID[id]
		if up == nil || !reflect.DeepEqual(up.spec, h.Record.Spec) {
			up = newUpstream(h.Record.Spec, u.dialer, u.idle)
		}
		next[id], list[i] = up, up
	}
	for id, former := range u.byID {
		if next[id] != former {
			former.transport.CloseIdleConnections()
		}
	}
	u.byID = next
	return list
}

func (u *upstreams) close() {
	u.mu.Lock()
	defer u.mu.Unlock()
	for _, up := range u.byID {
		up.transport.CloseIdleConnections()
	}
}

// newUpstream makes a host's transport. A certificate file that cannot be read
// leaves a transport that trusts nothing: calls fail as unreachable, and say
// so.
func newUpstream(spec store.HostSpec, rules dialRules, idle int) *upstream {
	connect := 10 * time.Second
	if t := spec.Timeouts; t != nil && t.Connect != nil {
		connect = time.Duration(*t.Connect)
	}
	rules.allowPrivate = spec.AllowPrivate
	dialer := &net.Dialer{Timeout: connect, KeepAlive: 30 * time.Second, ControlContext: rules.control}
	tr := &http.Transport{
		DialContext:         dialer.DialContext,
		TLSHandshakeTimeout: connect,
		TLSClientConfig:     tlsConfig(spec.TLS),
		DisableCompression:  true,
		MaxIdleConns:        0,
		MaxIdleConnsPerHost: idle,
		IdleConnTimeout:     60 * time.Second,
		ForceAttemptHTTP2:   strings.HasPrefix(spec.BaseURL, "https:"),
		ReadBufferSize:      8 << 10,
		WriteBufferSize:     8 << 10,

		MaxResponseHeaderBytes: 256 << 10,
	}
	if spec.ProxyURL != "" {
		if proxy, err := url.Parse(spec.ProxyURL); err == nil {
			tr.Proxy = http.ProxyURL(proxy)
		}
	}
	base, err := url.Parse(strings.TrimSuffix(spec.BaseURL, "/"))
	if err != nil {
		base = &url.URL{}
	}
	up := &upstream{spec: spec, transport: tr, base: base}
	for p, suffix := range suffixes {
		up.urls[p] = up.url(suffix)
	}
	up.health.Store(&plan.HostState{Health: "unknown"})
	return up
}

func tlsConfig(spec *store.HostTLS) *tls.Config {
	cfg := &tls.Config{MinVersion: tls.VersionTLS12}
	if spec == nil {
		return cfg
	}
	cfg.InsecureSkipVerify = spec.InsecureSkipVerify // the administrator asks for it on this host
	if spec.CAFile != "" {
		cfg.RootCAs = x509.NewCertPool()
		if pem, err := os.ReadFile(spec.CAFile); err == nil {
			cfg.RootCAs.AppendCertsFromPEM(pem)
		}
	}
	return cfg
}

// path is an upstream path, as an index of suffixes.
type path uint8

const (
	pathChat path = iota
	pathEmbeddings
	pathMessages
)

// suffixes are the shapes' own paths, behind a base URL that holds the version
// segment.
var suffixes = [...]string{pathChat: "/chat/completions", pathEmbeddings: "/embeddings", pathMessages: "/messages"}

const modelsSuffix = "/models"

// url returns the address of a shape's suffix. A host that speaks Ollama has
// its root as base and the other shapes under /v1.
func (u *upstream) url(suffix string) *url.URL {
	at := *u.base
	for _, s := range u.spec.Shapes {
		if s == store.ShapeOllama {
			at.Path += "/v1"
			break
		}
	}
	at.Path += suffix
	return &at
}

// reached and missed note the host's health; any HTTP answer is healthy.
func (u *upstream) reached(now time.Time) {
	before := u.health.Load()
	if before.Health == "healthy" && now.Sub(before.LastSuccess) < time.Second {
		return
	}
	next := plan.HostState{Health: "healthy", LastSuccess: now, LastTransition: before.LastTransition}
	if before.Health != "healthy" {
		next.LastTransition = now
	}
	u.health.Store(&next)
}

func (u *upstream) missed(now time.Time, err string) {
	before := u.health.Load()
	next := *before
	next.Health, next.LastError, next.ConsecutiveFailures = "unreachable", err, before.ConsecutiveFailures+1
	if before.Health != "unreachable" {
		next.LastTransition = now
	}
	u.health.Store(&next)
}

// dialRules say which addresses may be dialled, looked at after name
// resolution, so that no spelling and no DNS answer leads around them.
type dialRules struct {
	denyPrivate  bool
	allowPrivate bool
	own          func() []netip.AddrPort // Relay's own listeners
}

var errAddressRefused = errors.New("address not allowed")

func (d dialRules) control(_ context.Context, _, address string, _ syscall.RawConn) error {
	addr, err := netip.ParseAddrPort(address)
	if err != nil {
		return fmt.Errorf("%w: %s", errAddressRefused, address)
	}
	if reason := d.refuse(netip.AddrPortFrom(addr.Addr().Unmap(), addr.Port())); reason != "" {
		return fmt.Errorf("%w: %s", errAddressRefused, reason)
	}
	return nil
}

// neverDialled are link-local and metadata addresses, and those that mean
// "this network", many or nobody.
var neverDialled = []netip.Prefix{
	netip.MustParsePrefix("169.254.0.0/16"), netip.MustParsePrefix("fe80::/10"),
	netip.MustParsePrefix("fd00:ec2::254/128"), netip.MustParsePrefix("100.100.100.200/32"),
	netip.MustParsePrefix("0.0.0.0/8"), netip.MustParsePrefix("::/128"),
	netip.MustParsePrefix("224.0.0.0/4"), netip.MustParsePrefix("ff00::/8"),
	netip.MustParsePrefix("255.255.255.255/32"),
}

var sharedSpace = netip.MustParsePrefix("100.64.0.0/10")

func (d dialRules) refuse(at netip.AddrPort) string {
	addr := at.Addr().WithZone("")
	for _, p := range neverDialled {
		if p.Contains(addr) {
			return "link-local, metadata, multicast and unspecified addresses are never dialled"
		}
	}
	if d.denyPrivate && !d.allowPrivate && (addr.IsLoopback() || addr.IsPrivate() || sharedSpace.Contains(addr)) {
		return "upstream.deny_private is set and the host does not allow private addresses (allowPrivate)"
	}
	if d.own == nil {
		return ""
	}
	for _, own := range d.own() {
		if own.Port() == at.Port() && (own.Addr().Unmap() == addr || own.Addr().IsUnspecified() && addr.IsLoopback()) {
			return "it is a listener of this Relay"
		}
	}
	return ""
}
