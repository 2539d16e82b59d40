package gateway_test

import (
	"context"
	"net"
	"net/http"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"

	"relay/gateway"
	"relay/gateway/gatewaytest"
)

func mostConnections(n int) func(*gateway.Options) {
	return func(o *gateway.Options) { o.MaxConnections = n }
}

const rootProbe = "GET / HTTP/1.1\r\nHost: a\r\n\r\n"

// resting is a connection that has had an answer and waits for later.
func (f *front) resting() *gatewaytest.Client {
	f.tb.Helper()
	c := gatewaytest.Dial(f.tb, f.addr)
	c.Send(rootProbe)
	f.want(c.Answer(), 200, "Relay")
	return c
}

// endedSilently reports whether the peer has closed the connection without a word.
func endedSilently(c *gatewaytest.Client) bool {
	said, clean := c.Rest()
	return said == "" && clean
}

// mustRest waits until so many connections are known to be idle. Callers have
// their answers a moment before.
func (f *front) mustRest(n int) {
	f.tb.Helper()
	until(f.tb, "connections rest", func() bool { return f.server.Resting() == n })
}

// TestConnections_ThatRestMakeRoomForNewOnes is O6 at a small scale.
func TestConnections_ThatRestMakeRoomForNewOnes(t *testing.T) {
	f := newFront(t, mostConnections(4))
	var resting []*gatewaytest.Client
	for i := range 4 {
		resting = append(resting, f.resting())
		f.mustRest(i + 1)
	}
	resting[0].Send(rootProbe) // the one used last stays longest
	f.want(resting[0].Answer(), 200, "Relay")
	f.mustRest(4)
	for _, gone := range []int{1, 2, 3, 0} {
		newest := f.resting()
		if !endedSilently(resting[gone]) {
			t.Errorf("connection %d was told something", gone)
		}
		f.mustRest(4)
		newest.Send(rootProbe)
		f.want(newest.Answer(), 200, "Relay")
		f.mustRest(4)
	}
	for range 100 {
		f.resting()
		f.mustRest(4)
	}
	if n := f.shed("connections"); n != 0 {
		t.Errorf("%v callers were turned away", n)
	}
}

func TestConnections_OverTheBoundAreToldSoWhileNoneRests(t *testing.T) {
	for _, k := range allRoutes() {
		f := newFront(t, mostConnections(3))
		busy := kinds()[0]
		release := make(chan struct{})
		f.up.Otherwise(busy.saysAfter(5, 5, gatewaytest.Wait(release)))
		var calls []*pending
		for range 3 {
			_, call := f.begin(busy, f.key)
			calls = append(calls, call)
		}
		f.up.Request(2)
		if k.path == "/" { // outside of everything: it costs nothing
			a := f.knock(k, "Host: a\r\n")
			f.want(a, 200, "Relay")
		} else {
			c := gatewaytest.Dial(t, f.addr)
			if k.model == "GET" {
				c.Send(f.head("GET", k.path) + "\r\n")
			} else {
				c.Send(k.request(f.key))
			}
			f.mustShed(c.Answer(), k.path, "max_connections")
			if !strings.Contains(c.Received(), "\r\nConnection: close\r\n") || !endedSilently(c) {
				t.Errorf("%s: %q", k.name, c.Received())
			}
			if n := f.shed("connections"); n != 1 {
				t.Errorf("%s: %v are counted", k.name, n)
			}
		}
		close(release)
		for _, call := range calls {
			call.end()
		}
		f.mustBeFree("too many connections")
		f.resting()
	}
}

// So many more get an answer; the rest is closed at once, so that files are left
// for other things.
func TestConnections_FarOverTheBoundAreClosed(t *testing.T) {
	f := newFront(t, mostConnections(2))
	var waiting []*gatewaytest.Client
	for range 2 + 64 {
		c := gatewaytest.Dial(t, f.addr)
		c.Send("GET")
		waiting = append(waiting, c)
	}
	for range 10 {
		c := gatewaytest.Dial(t, f.addr)
		if !endedSilently(c) {
			t.Error("it was told something")
		}
	}
	for _, c := range waiting[:2] {
		c.Send(strings.TrimPrefix(rootProbe, "GET"))
		f.want(c.Answer(), 200, "Relay")
	}
	for _, c := range waiting {
		c.Close()
	}
	until(t, "there is room again", func() bool {
		c := gatewaytest.Dial(t, f.addr)
		defer c.Close()
		if c.TrySend("GET /v1/models HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer "+f.key+"\r\nConnection: close\r\n\r\n") != nil {
			return false
		}
		said, _ := c.Rest()
		return strings.HasPrefix(said, "HTTP/1.1 200 OK")
	})
}

// fileless is a listener that finds no file left for a while.
type fileless struct {
	net.Listener
	left atomic.Int64
}

func (l *fileless) Accept() (net.Conn, error) {
	if l.left.Add(-1) >= 0 {
		return nil, &net.OpError{Op: "accept", Net: "tcp", Err: os.NewSyscallError("accept4", syscall.EMFILE)}
	}
	return l.Listener.Accept()
}

func TestConnections_WithoutFilesTheServiceGoesOn(t *testing.T) {
	f := newFront(t, mostConnections(100))
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	short := &fileless{Listener: l}
	hs := f.server.HTTPServer(context.Background())
	var serving sync.WaitGroup
	serving.Go(func() { _ = hs.Serve(f.server.Listener(short)) })
	t.Cleanup(func() {
		_ = hs.Close()
		serving.Wait()
	})
	f.addr = l.Addr().String()
	var resting []*gatewaytest.Client
	for i := range 20 {
		resting = append(resting, f.resting())
		f.mustRest(i + 1)
	}
	short.left.Store(2) // for the times after the one that waits already
	f.resting()
	f.resting()
	if n := short.left.Load(); n >= 0 {
		t.Fatalf("%d failures are left", n)
	}
	for _, c := range resting[:16] {
		if !endedSilently(c) {
			t.Error("it was told something")
		}
	}
	if err := resting[0].TrySend(rootProbe); err == nil {
		if said, _ := resting[0].Rest(); said != "" {
			t.Errorf("a closed connection answers %q", said)
		}
	}
	k := kinds()[0]
	f.up.Otherwise(k.says(5, 5))
	f.want(f.ask(k, f.key), http.StatusOK, "hello")
}
