package gateway

import (
	"context"
	"errors"
	"net"
	"net/url"
	"reflect"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"relay/gateway/http1"
	"relay/gateway/plan"
	"relay/store"
)

// upstream is one host as attempts use it: what sends to it, its URLs and what
// is known of its health. It outlives plans as long as the host's record says
// the same.
type upstream struct {
	spec      store.HostSpec
	sender    sender
	base      *url.URL
	targets   [len(suffixes)]target // by path
	fields    []http1.Field         // of every attempt
	byHost    []string              // names of fields that callers do not set
	keyHeader string
	health    atomic.Pointer[plan.HostState]
	warned    sync.Map // by model: that its requests hold what the host ignores
}

// upstreams keeps one upstream a host record.
type upstreams struct {
	mu     sync.Mutex
	byID   map[string]*upstream
	dialer dialRules
	idle   int
}

// of returns the upstreams of the plan's hosts in their order and closes the
// connections of those that no host uses any more, once they are idle.
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
			former.sender.close()
		}
	}
	u.byID = next
	return list
}

func (u *upstreams) close() {
	u.mu.Lock()
	defer u.mu.Unlock()
	for _, up := range u.byID {
		up.sender.close()
	}
}

// newUpstream makes a host's upstream. Where its start cannot be written, nothing
// is ever sent.
func newUpstream(spec store.HostSpec, rules dialRules, idle int) *upstream {
	base, err := url.Parse(strings.TrimSuffix(spec.BaseURL, "/"))
	if err != nil {
		base = &url.URL{}
	}
	up := &upstream{
		spec: spec, sender: newSender(spec, base, rules, idle), base: base,
		fields: attemptFields(spec), byHost: setByHost(spec), keyHeader: keyHeader(spec.Auth),
	}
	for p := range suffixes {
		up.targets[p] = up.target(path(p))
	}
	up.health.Store(&plan.HostState{Health: "unknown"})
	return up
}

// start writes the beginning of a request's head.
func (u *upstream) start(method string, at *url.URL, fields []http1.Field) []byte {
	start, err := http1.Start(method, at.RequestURI(), hostHeader(u.base), fields...)
	if err != nil {
		return nil
	}
	return start
}

// sets reports whether the host's configuration decides a field.
func (u *upstream) sets(name string) bool { return slices.Contains(u.byHost, name) }

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

// dialReason says why a host was not reached, without its URL.
func dialReason(err error) string {
	var dns *net.DNSError
	var op *net.OpError
	var handshake *http1.HandshakeError
	var unfit *http1.FieldError
	switch {
	case errors.Is(err, errAddressRefused):
		return "its address is not allowed"
	case errors.As(err, &unfit):
		return "its address, one of its headers or its key holds a character that cannot be sent"
	case errors.As(err, &dns):
		return "its name does not resolve"
	case errors.As(err, &op) && op.Op == "dial" && op.Timeout():
		return "the connection timed out"
	case errors.As(err, &op) && op.Op == "dial":
		return "the connection was refused or reset"
	case errors.As(err, &handshake) && errors.Is(err, context.DeadlineExceeded):
		return "its TLS handshake timed out"
	case errors.As(err, &handshake), strings.Contains(err.Error(), "tls:"), strings.Contains(err.Error(), "x509:"):
		return "its TLS certificate or handshake is not accepted"
	}
	return "the connection failed"
}
