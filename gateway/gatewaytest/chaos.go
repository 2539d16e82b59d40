package gatewaytest

import (
	"io"
	"net"
	"sync"
	"testing"
	"time"
)

// Weather is what a Chaos does to what passes it. The zero Weather does
// nothing.
type Weather struct {
	Delay    time.Duration // before each piece is passed on; with a small Piece it throttles
	Piece    int           // the longest piece, in bytes; 0: 32 KiB
	CutAfter int64         // bytes after which both ends see a reset; 0: none
}

// Chaos is a TCP proxy in front of an address that treats what comes back from
// there by its weather. What goes there passes as it is. All methods are safe
// for concurrent use.
type Chaos struct {
	listener *net.TCPListener
	target   string
	closing  chan struct{}
	running  sync.WaitGroup

	mu      sync.Mutex
	weather Weather
	calm    chan struct{} // closed while nothing is stalled
	conns   []*net.TCPConn
}

// NewChaos starts a proxy to host:port and ends it with the test.
func NewChaos(tb testing.TB, target string) *Chaos {
	tb.Helper()
	listener, err := net.ListenTCP("tcp", &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		tb.Fatalf("listen for the chaos proxy: %v", err)
	}
	c := &Chaos{listener: listener, target: target, closing: make(chan struct{}), calm: make(chan struct{})}
	close(c.calm)
	c.running.Go(c.accept)
	tb.Cleanup(c.close)
	return c
}

// Addr returns host:port, URL the same as a base URL without a path.
func (c *Chaos) Addr() string { return c.listener.Addr().String() }

// URL returns the proxy's base URL.
func (c *Chaos) URL() string { return "http://" + c.Addr() }

// Set changes the weather for connections that are made from now on.
func (c *Chaos) Set(w Weather) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.weather = w
}

// Stall holds back everything that comes from the target until the returned
// function is called.
func (c *Chaos) Stall() (resume func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	calm := make(chan struct{})
	c.calm = calm
	return sync.OnceFunc(func() { close(calm) })
}

// Cut resets every connection that is open.
func (c *Chaos) Cut() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, conn := range c.conns {
		_ = conn.SetLinger(0)
		_ = conn.Close()
	}
	c.conns = nil
}

func (c *Chaos) accept() {
	for {
		near, err := c.listener.AcceptTCP()
		if err != nil {
			return
		}
		c.running.Go(func() { c.join(near) })
	}
}

// join passes bytes both ways until either end is over.
func (c *Chaos) join(near *net.TCPConn) {
	defer near.Close()
	conn, err := net.DialTimeout("tcp", c.target, Patience)
	if err != nil {
		return
	}
	far := conn.(*net.TCPConn)
	defer far.Close()
	weather, open := c.keep(near, far)
	if !open {
		return
	}
	var up sync.WaitGroup
	up.Go(func() {
		_, _ = io.Copy(far, near)
		_ = far.CloseWrite()
		_ = near.CloseRead()
	})
	if c.pass(near, far, weather) {
		_ = near.SetLinger(0)
		_ = far.SetLinger(0)
	}
	_ = near.Close()
	_ = far.Close()
	up.Wait()
}

func (c *Chaos) keep(conns ...*net.TCPConn) (w Weather, open bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	select {
	case <-c.closing:
		return Weather{}, false
	default:
	}
	c.conns = append(c.conns, conns...)
	return c.weather, true
}

// pass treats what comes back, and reports whether it ends with a reset.
func (c *Chaos) pass(near, far *net.TCPConn, w Weather) (reset bool) {
	piece := make([]byte, 32<<10)
	if w.Piece > 0 {
		piece = piece[:min(w.Piece, len(piece))]
	}
	left := w.CutAfter
	for {
		n, err := far.Read(piece)
		if w.CutAfter > 0 && int64(n) >= left {
			_, _ = near.Write(piece[:left])
			return true
		}
		left -= int64(n)
		if !c.wait(w.Delay) {
			return false
		}
		if _, failed := near.Write(piece[:n]); failed != nil || err != nil {
			return false
		}
	}
}

// wait sits out a stall and then a while. It returns false once the proxy
// closes.
func (c *Chaos) wait(d time.Duration) bool {
	c.mu.Lock()
	calm := c.calm
	c.mu.Unlock()
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-calm:
	case <-c.closing:
		return false
	}
	select {
	case <-timer.C:
		return true
	case <-c.closing:
		return false
	}
}

func (c *Chaos) close() {
	close(c.closing)
	_ = c.listener.Close()
	c.Cut()
	c.running.Wait()
}
