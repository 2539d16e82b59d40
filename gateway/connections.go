package gateway

import (
	"container/list"
	"context"
	"errors"
	"net"
	"net/http"
	"sync"
	"syscall"
)

const (
	surplusConnections = 64 // over max_connections, that are told so
	droppedAtOnce      = 16 // idle connections that make room when files run out
)

// connections keeps the number of callers' connections under a bound. A new one
// over it takes the place of the one that has been idle longest, so that callers
// who keep connections for later never shut others out. Where none is idle, it
// gets one answer, that there is too much to do, or none.
type connections struct {
	most int

	mu   sync.Mutex
	open map[net.Conn]*connection
	idle list.List // of *connection, the one idle longest first
}

// connection is what is known of one.
type connection struct {
	net     net.Conn
	place   *list.Element // among the idle ones; nil: not idle
	surplus bool
}

// connectionKey finds the *connection in a request's context.
type connectionKey struct{}

func newConnections(most int) *connections {
	if most <= 0 {
		return nil
	}
	return &connections{most: most, open: map[net.Conn]*connection{}}
}

// watch makes the server keep to the bound.
func (c *connections) watch(s *http.Server) {
	if c != nil {
		s.ConnContext, s.ConnState = c.add, c.change
	}
}

// add takes a new connection in. It is http.Server.ConnContext.
func (c *connections) add(ctx context.Context, n net.Conn) context.Context {
	added := &connection{net: n}
	closing := c.admit(added)
	if closing != nil {
		_ = closing.Close()
	}
	return context.WithValue(ctx, connectionKey{}, added)
}

// admit returns the connection that must be closed, if any.
func (c *connections) admit(added *connection) (closing net.Conn) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.open[added.net] = added
	if len(c.open) <= c.most {
		return nil
	}
	if longest := c.longestIdle(); longest != nil {
		return longest
	}
	added.surplus = true
	if len(c.open) > c.most+surplusConnections {
		return added.net
	}
	return nil
}

// longestIdle takes a connection out, for it to be closed.
func (c *connections) longestIdle() net.Conn {
	first := c.idle.Front()
	if first == nil {
		return nil
	}
	found := c.idle.Remove(first).(*connection)
	delete(c.open, found.net)
	return found.net
}

// change follows the states of a connection. It is http.Server.ConnState.
func (c *connections) change(n net.Conn, state http.ConnState) {
	c.mu.Lock()
	defer c.mu.Unlock()
	known := c.open[n]
	if known == nil {
		return
	}
	if known.place != nil {
		c.idle.Remove(known.place)
		known.place = nil
	}
	switch state {
	case http.StateIdle:
		known.place = c.idle.PushBack(known)
	case http.StateClosed, http.StateHijacked:
		delete(c.open, n)
	}
}

// dropIdle closes connections that have been idle longest.
func (c *connections) dropIdle(count int) {
	for range count {
		c.mu.Lock()
		longest := c.longestIdle()
		c.mu.Unlock()
		if longest == nil {
			return
		}
		_ = longest.Close()
	}
}

// isSurplus reports whether the request came on a connection over the bound.
func isSurplus(ctx context.Context) bool {
	c, ok := ctx.Value(connectionKey{}).(*connection)
	return ok && c.surplus
}

// Listener wraps the listener that HTTPServer's server is to serve: when the
// process has no file left for another connection, idle ones make room. The
// server itself tries again after a moment.
func (s *Server) Listener(l net.Listener) net.Listener {
	if s.connections == nil {
		return l
	}
	return &roomyListener{l, s.connections}
}

type roomyListener struct {
	net.Listener
	connections *connections
}

func (l *roomyListener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if errors.Is(err, syscall.EMFILE) || errors.Is(err, syscall.ENFILE) {
		l.connections.dropIdle(droppedAtOnce)
	}
	return c, err
}
