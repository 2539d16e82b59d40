//go:build unix

package http1_test

import (
	"context"
	"net"
	"sync/atomic"
	"syscall"
	"testing"

	"relay/gateway/gatewaytest"
	"relay/gateway/http1"
)

// last is the last connection of a client.
type last struct{ conn atomic.Pointer[net.TCPConn] }

func (l *last) dial(ctx context.Context, network, addr string) (net.Conn, error) {
	c, err := new(net.Dialer).DialContext(ctx, network, addr)
	if err != nil {
		return nil, err
	}
	l.conn.Store(c.(*net.TCPConn))
	return c, nil
}

// arrived waits until something has come on the connection, the end included.
func (l *last) arrived(t *testing.T) {
	t.Helper()
	raw, err := l.conn.Load().SyscallConn()
	if err != nil {
		t.Fatal(err)
	}
	eventually(t, "something comes", func() (come bool) {
		err := raw.Control(func(fd uintptr) {
			_, _, err := syscall.Recvfrom(int(fd), make([]byte, 1), syscall.MSG_PEEK)
			come = err != syscall.EAGAIN && err != syscall.EINTR
		})
		return come || err != nil
	})
}

// ends are what a server does to a connection between two requests: it may close
// it at any time, and say something before it does.
func ends() map[string]gatewaytest.Script {
	return map[string]gatewaytest.Script{
		"closed":             gatewaytest.Close(),
		"reset":              gatewaytest.Reset(),
		"a late byte":        gatewaytest.Raw("x"),
		"a late answer":      gatewaytest.Raw(text("another's")),
		"408 and closed":     gatewaytest.Join(gatewaytest.Raw(raw(408, "", "Connection: close")), gatewaytest.Close()),
		"a byte, then reset": gatewaytest.Join(gatewaytest.Raw("x"), gatewaytest.Reset()),
	}
}

func TestStaleConnection_IsReplacedUnnoticed(t *testing.T) {
	authority := gatewaytest.NewAuthority(t)
	for name, end := range ends() {
		for scheme, up := range map[string]*gatewaytest.Upstream{"http": gatewaytest.New(t), "https": gatewaytest.NewTLS(t, authority.Good())} {
			t.Run(name+" "+scheme, func(t *testing.T) {
				l := new(last)
				client := newClient(t, up.Addr(), trusting(authority), func(o *http1.Options) {
					o.Dial = l.dial
					if scheme == "http" {
						o.TLS = nil
					}
				})
				for range 10 {
					read := make(chan struct{})
					up.Play(gatewaytest.Join(gatewaytest.Raw(text("first")), gatewaytest.Wait(read), end), gatewaytest.Raw(text("second", "Connection: close")))
					ask(t, client).want(t, 200, "first")
					close(read)
					l.arrived(t)
					ask(t, client).want(t, 200, "second")
				}
				if len(up.Requests()) != 20 || up.Connections() != 20 {
					t.Errorf("%d requests on %d connections, want 20 on 20", len(up.Requests()), up.Connections())
				}
			})
		}
	}
}

// plain hides what a connection is, so that the system cannot be asked about it.
type plain struct{ net.Conn }

func TestStaleConnection_OfAKindThatCannotBeAskedIsReplacedToo(t *testing.T) {
	up := gatewaytest.New(t)
	l := new(last)
	client := newClient(t, up.Addr(), func(o *http1.Options) {
		o.Dial = func(ctx context.Context, network, addr string) (net.Conn, error) {
			c, err := l.dial(ctx, network, addr)
			return plain{c}, err
		}
	})
	read := make(chan struct{})
	up.Play(gatewaytest.Raw(text("first")), gatewaytest.Join(gatewaytest.Raw(text("second")), gatewaytest.Wait(read), gatewaytest.Close()), gatewaytest.Raw(text("third")))
	ask(t, client).want(t, 200, "first")
	ask(t, client).want(t, 200, "second")
	close(read)
	l.arrived(t)
	ask(t, client).want(t, 200, "third")
	if len(up.Requests()) != 3 || up.Connections() != 2 {
		t.Errorf("%d requests on %d connections, want 3 on 2", len(up.Requests()), up.Connections())
	}
}
