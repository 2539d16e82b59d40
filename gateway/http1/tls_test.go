package http1_test

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"os"
	"strings"
	"sync"
	"testing"

	"relay/gateway/gatewaytest"
	"relay/gateway/http1"
)

// trusting makes a client speak TLS and trust the authority.
func trusting(a *gatewaytest.Authority) func(*http1.Options) {
	pool := x509.NewCertPool()
	if a != nil {
		if text, err := os.ReadFile(a.File); err == nil {
			pool.AppendCertsFromPEM(text)
		}
	}
	return func(o *http1.Options) { o.TLS = &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: pool} }
}

func TestTLS_AsksAndKeepsItsConnection(t *testing.T) {
	authority := gatewaytest.NewAuthority(t)
	up := gatewaytest.NewTLS(t, authority.Good())
	up.Otherwise(gatewaytest.Raw(text("hello")))
	client, _ := counting(t, up.Addr(), trusting(authority))
	for _, size := range []int{0, 5, 20 << 10, 64 << 10, 1 << 20} {
		for range 2 {
			send(client, post(t, large[:size])).want(t, 200, "hello")
			if got := up.Request(len(up.Requests()) - 1).Body; len(got) != size {
				t.Errorf("of %d bytes %d have arrived", size, len(got))
			}
		}
	}
	if n := up.Connections(); n != 1 {
		t.Errorf("%d connections, want 1", n)
	}
}

func TestTLS_ReadsAnswersOfAllForms(t *testing.T) {
	authority := gatewaytest.NewAuthority(t)
	for name, a := range answers() {
		t.Run(name, func(t *testing.T) {
			up := gatewaytest.NewTLS(t, authority.Good(), gatewaytest.Join(gatewaytest.Raw(a.wire), gatewaytest.Close()))
			client, _ := counting(t, up.Addr(), trusting(authority))
			ask(t, client).want(t, a.status, a.body)
		})
	}
}

func TestTLS_RefusesWhatItCannotTrust(t *testing.T) {
	authority, other := gatewaytest.NewAuthority(t), gatewaytest.NewAuthority(t)
	for name, c := range map[string]struct {
		certificate tls.Certificate
		trusted     *gatewaytest.Authority
		why         string
	}{
		"expired":           {authority.Expired(), authority, "expired"},
		"for another":       {authority.Stranger(), authority, "192.0.2.1"},
		"of somebody":       {authority.Good(), other, "unknown authority"},
		"nobody is trusted": {authority.Good(), nil, "unknown authority"},
	} {
		t.Run(name, func(t *testing.T) {
			up := gatewaytest.NewTLS(t, c.certificate)
			client, n := counting(t, up.Addr(), trusting(c.trusted))
			r := ask(t, client)
			var handshake *http1.HandshakeError
			if !errors.As(r.err, &handshake) || !http1.Unsent(r.err) || !strings.Contains(r.err.Error(), c.why) {
				t.Errorf("got %v", r)
			}
			if len(up.Requests()) != 0 || n.open.Load() != 0 {
				t.Errorf("%d requests, %d open connections", len(up.Requests()), n.open.Load())
			}
		})
	}
}

func TestTLS_WithAServerOfAnotherProtocolIsAnError(t *testing.T) {
	authority := gatewaytest.NewAuthority(t)
	for protocol, unsent := range map[string]bool{"spdy/3": true, "h2": false} { // who speaks h2 alone may let the handshake pass, to say so
		settings := "\x00\x00\x00\x04\x00\x00\x00\x00\x00"
		addr := listenTLS(t, &tls.Config{Certificates: []tls.Certificate{authority.Good()}, NextProtos: []string{protocol}}, func(c *tls.Conn) {
			_, _ = io.WriteString(c, settings)
		})
		client, _ := counting(t, addr, trusting(authority))
		if r := ask(t, client); r.err == nil || http1.Unsent(r.err) != unsent || unsent && !strings.Contains(r.err.Error(), "application protocol") {
			t.Errorf("%s: got %v", protocol, r)
		}
	}
}

func TestTLS_OffersHTTP1AloneNamesItsHostAndResumesSessions(t *testing.T) {
	authority := gatewaytest.NewAuthority(t)
	states := make(chan tls.ConnectionState, 3)
	addr := listenTLS(t, &tls.Config{Certificates: []tls.Certificate{authority.Good()}, NextProtos: []string{"h2", "http/1.1"}}, func(c *tls.Conn) {
		_, _ = c.Read(make([]byte, 1<<10))
		states <- c.ConnectionState()
		_, _ = io.WriteString(c, text("hello", "Connection: close"))
	})
	client, _ := counting(t, addr, trusting(authority), func(o *http1.Options) { o.TLS.ServerName = "127.0.0.1" })
	for i := range 3 {
		ask(t, client).want(t, 200, "hello")
		if s := <-states; s.NegotiatedProtocol != "http/1.1" || s.DidResume != (i > 0) {
			t.Errorf("connection %d: protocol %q, resumed %v", i, s.NegotiatedProtocol, s.DidResume)
		}
	}
}

// listenTLS plays on every connection, and ends with the test.
func listenTLS(t *testing.T, config *tls.Config, play func(*tls.Conn)) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var running sync.WaitGroup
	running.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			running.Go(func() {
				defer c.Close()
				secured := tls.Server(c, config)
				if secured.Handshake() == nil {
					play(secured)
				}
			})
		}
	})
	t.Cleanup(func() {
		_ = l.Close()
		running.Wait()
	})
	return l.Addr().String()
}
