// Package gatewaytest holds the two ends that tests of the gateway need and
// that net/http is too polite for: an upstream that plays scripts over raw TCP,
// and a client that sends exact bytes.
//
// Scripts wait for channels, never for time. What blocks too long fails its
// test after Patience instead of hanging it.
package gatewaytest

import (
	"crypto/tls"
	"net"
	"sync"
	"testing"
	"time"
)

// Patience is how long a test waits for what must happen soon.
const Patience = 20 * time.Second

// Upstream accepts connections on a loopback port and plays one script for each
// request, in the order in which requests arrive. All methods are safe for
// concurrent use.
type Upstream struct {
	tb       testing.TB
	listener *net.TCPListener
	tls      *tls.Config // nil: plain
	closing  chan struct{}
	running  sync.WaitGroup

	mu        sync.Mutex
	arrived   chan struct{} // closed and replaced at each request
	conns     []*net.TCPConn
	requests  []*Request
	queue     []Script
	otherwise Script
	onConnect []Script
	aborted   int
	open      int // connections
}

// New starts an upstream that plays the scripts, and ends it with the test,
// after all of its goroutines.
func New(tb testing.TB, scripts ...Script) *Upstream {
	tb.Helper()
	return start(tb, nil, scripts)
}

// NewTLS is New with TLS over the connections.
func NewTLS(tb testing.TB, certificate tls.Certificate, scripts ...Script) *Upstream {
	tb.Helper()
	return start(tb, &tls.Config{Certificates: []tls.Certificate{certificate}, MinVersion: tls.VersionTLS12}, scripts)
}

func start(tb testing.TB, config *tls.Config, scripts []Script) *Upstream {
	tb.Helper()
	listener, err := net.ListenTCP("tcp", &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		tb.Fatalf("listen for the scripted upstream: %v", err)
	}
	u := &Upstream{
		tb: tb, listener: listener, tls: config, queue: scripts,
		closing: make(chan struct{}), arrived: make(chan struct{}),
		otherwise: JSON(500, `{"error":{"message":"the scripted upstream has no script left","type":"server_error"}}`),
	}
	u.running.Add(1)
	go u.accept()
	tb.Cleanup(u.close)
	return u
}

// Addr returns host:port, URL the same as a base URL without a path.
func (u *Upstream) Addr() string { return u.listener.Addr().String() }

func (u *Upstream) URL() string {
	if u.tls != nil {
		return "https://" + u.Addr()
	}
	return "http://" + u.Addr()
}

// Play adds scripts to those that wait for a request.
func (u *Upstream) Play(scripts ...Script) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.queue = append(u.queue, scripts...)
}

// Otherwise sets what is played when no script waits. At first that is a 500
// that says so.
func (u *Upstream) Otherwise(s Script) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.otherwise = s
}

// OnConnect adds scripts that are played for the next connections, one each,
// before anything is read from them. A Reset here may fail the peer's dial.
func (u *Upstream) OnConnect(scripts ...Script) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.onConnect = append(u.onConnect, scripts...)
}

// Requests returns what has been read so far, in order of arrival.
func (u *Upstream) Requests() []*Request {
	u.mu.Lock()
	defer u.mu.Unlock()
	return append([]*Request(nil), u.requests...)
}

// Request waits for the request with the index, the first being 0.
func (u *Upstream) Request(index int) *Request {
	u.tb.Helper()
	timer := time.NewTimer(Patience)
	defer timer.Stop()
	for {
		u.mu.Lock()
		arrived := u.arrived
		if index < len(u.requests) {
			r := u.requests[index]
			u.mu.Unlock()
			return r
		}
		u.mu.Unlock()
		select {
		case <-arrived:
		case <-timer.C:
			u.tb.Fatalf("request %d did not reach the upstream", index)
		}
	}
}

// Connections returns how many connections have been accepted.
func (u *Upstream) Connections() int {
	u.mu.Lock()
	defer u.mu.Unlock()
	return len(u.conns)
}

// Open returns how many connections are open now.
func (u *Upstream) Open() int {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.open
}

// Aborted returns how many scripts and half-sent requests were cut short
// because the peer had gone.
func (u *Upstream) Aborted() int {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.aborted
}

func (u *Upstream) close() {
	close(u.closing)
	_ = u.listener.Close()
	u.mu.Lock()
	for _, c := range u.conns {
		_ = c.Close()
	}
	u.mu.Unlock()
	u.running.Wait()
}
