package gateway_test

import (
	"strings"
	"testing"

	"relay/gateway/gatewaytest"
	"relay/store"
)

// A host that cannot be reached gives way to another's key, and is told apart
// from a key that is bad.
func TestUnreachable_TheHostIsToBlameAndNotItsKeys(t *testing.T) {
	closed := closedPort(t)
	authority := gatewaytest.NewAuthority(t)
	trust := &store.HostTLS{CAFile: authority.File}
	for name, c := range map[string]struct {
		base   func() string
		tls    *store.HostTLS
		reason string
	}{
		"name does not resolve":  {func() string { return "https://nothing.invalid" }, nil, "its name does not resolve"},
		"refused":                {func() string { return "http://" + closed }, nil, "the connection was refused or reset"},
		"TLS of nobody's trust":  {func() string { return gatewaytest.NewTLS(t, authority.Good()).URL() }, nil, "its TLS certificate or handshake is not accepted"},
		"TLS expired":            {func() string { return gatewaytest.NewTLS(t, authority.Expired()).URL() }, trust, "its TLS certificate or handshake is not accepted"},
		"TLS of another address": {func() string { return gatewaytest.NewTLS(t, authority.Stranger()).URL() }, trust, "its TLS certificate or handshake is not accepted"},
		"no TLS there":           {func() string { return strings.Replace(plain(t).URL(), "http:", "https:", 1) }, trust, "its TLS certificate or handshake is not accepted"},
	} {
		t.Run(name, func(t *testing.T) {
			r, up := newStand(t)
			r.three()
			base := c.base()
			for _, host := range hosts() {
				edit(r, host, func(h *store.Host) { h.Spec.BaseURL, h.Spec.TLS = baseOf(host, base), c.tls })
			}
			key := r.key("laptop", store.RelayKeySpec{Limits: &store.Limits{Concurrency: int64p(1)}})
			for _, k := range kindsNamed("chat stream", "messages whole", "gemini array", "ollama stream") {
				a := r.ask(k, key)
				if a.Status != 502 || !strings.Contains(a.Body, " at "+address(base)+" cannot be reached: "+c.reason) {
					t.Errorf("%s: got %d %s", k.name, a.Status, a.Body)
				}
				wantShape(t, name, k, a.Body, "upstream_unreachable")
				if strings.Contains(a.Body, "secret-of") || strings.Contains(a.Body, "/v1") {
					t.Errorf("%s: the answer tells too much: %s", k.name, a.Body)
				}
				if e := r.events(0); e[len(e)-1].ErrorKind != "upstream_unreachable" || e[len(e)-1].Status != 502 {
					t.Errorf("%s: event %+v", k.name, e[len(e)-1])
				}
				r.mustBeIdle(name)
			}
			for id, state := range r.server.KeyStates() {
				if state.State != "closed" {
					t.Errorf("key %s is %+v", id, state)
				}
			}
			for _, host := range hosts() {
				if state := r.server.HostStates()[r.record(store.KindHost, host)]; state.Health != "unreachable" || state.LastError == "" {
					t.Errorf("host %s is %+v", host, state)
				}
			}
			r.host("other", up, 1)
			up.Otherwise(kinds()[1].says(7, 3))
			r.want(r.ask(kinds()[1], key), 200, "[DONE]")
			if n := len(up.Requests()); n != 1 {
				t.Errorf("%d requests reached the other host", n)
			}
		})
	}
}

// address is host:port of a base URL.
func address(base string) string {
	scheme, host, _ := strings.Cut(base, "://")
	if !strings.Contains(host, ":") {
		host += map[string]string{"http": ":80", "https": ":443"}[scheme]
	}
	return host
}

// plain is an upstream that answers whatever comes as a plain server does that
// is spoken to in TLS.
func plain(t *testing.T) *gatewaytest.Upstream {
	up := gatewaytest.New(t)
	for range 48 {
		up.OnConnect(gatewaytest.Join(gatewaytest.Raw("HTTP/1.0 400 Bad Request\r\n\r\nClient sent an HTTPS request to an HTTP server.\n"), gatewaytest.Close()))
	}
	return up
}

func TestTLS_OfATrustedAuthorityServes(t *testing.T) {
	authority := gatewaytest.NewAuthority(t)
	for _, k := range kinds() {
		r, _ := newStand(t)
		secure := gatewaytest.NewTLS(t, authority.Good())
		secure.Otherwise(k.says(7, 3))
		for _, host := range hosts() {
			edit(r, host, func(h *store.Host) {
				h.Spec.BaseURL, h.Spec.TLS = baseOf(host, secure.URL()), &store.HostTLS{CAFile: authority.File}
			})
		}
		key := r.key("laptop", store.RelayKeySpec{})
		for range 3 {
			r.want(r.ask(k, key), 200, "")
		}
		if n := secure.Connections(); n != 1 {
			t.Errorf("%s: %d connections, want one that is kept", k.name, n)
		}
	}
}

// Redirects are told and never followed, with which the key would go along.
func TestRedirect_IsNeverFollowed(t *testing.T) {
	for _, k := range kinds() {
		trap := gatewaytest.New(t)
		r, up, key := faultStand(t)
		for _, status := range []int{301, 302, 303, 307, 308} {
			before := len(up.Requests())
			for _, to := range []string{trap.URL() + "/v1/chat/completions", "http://169.254.169.254/latest", "/v1/other", "https://192.0.2.1/"} {
				up.Play(gatewaytest.Head(status, "Location: "+to, "Content-Length: 0"))
				a := r.ask(k, key)
				if a.Status != 502 || a.Header.Get("Location") != "" || strings.Contains(a.Body, to) {
					t.Errorf("%s, %d to %s: got %d %s %v", k.name, status, to, a.Status, a.Body, a.Header)
				}
				wantShape(t, to, k, a.Body, "upstream_redirect")
			}
			if n := len(up.Requests()) - before; n != 4 {
				t.Errorf("%s: %d requests, want 4", k.name, n)
			}
		}
		if trap.Connections() != 0 {
			t.Errorf("%s: the redirect was followed", k.name)
		}
	}
}
