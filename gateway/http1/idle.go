package http1

import (
	"sync"
	"time"
)

// idle are the connections of a client that wait for a request, the last used
// on top. One timer ends those that have waited too long.
type idle struct {
	most int

	mu     sync.Mutex
	conns  []*conn
	closed bool // connections are not kept any more
	timer  *time.Timer
	next   time.Time // when the timer fires; zero: it does not
}

// take returns the connection that was used last, or nil.
func (i *idle) take() *conn {
	i.mu.Lock()
	defer i.mu.Unlock()
	n := len(i.conns)
	if n == 0 {
		return nil
	}
	c := i.conns[n-1]
	i.conns[n-1] = nil
	i.conns = i.conns[:n-1]
	return c
}

// put keeps a connection and reports whether there was room.
func (i *idle) put(c *conn) bool {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.closed || len(i.conns) >= i.most {
		return false
	}
	i.conns = append(i.conns, c)
	i.arm(c.until)
	return true
}

// arm makes the timer fire at the time or before.
func (i *idle) arm(at time.Time) {
	if !i.next.IsZero() && !at.Before(i.next) {
		return
	}
	i.next = at
	if wait := time.Until(at); i.timer == nil {
		i.timer = time.AfterFunc(wait, i.sweep)
	} else {
		i.timer.Reset(wait)
	}
}

// sweep closes the connections whose time is over.
func (i *idle) sweep() {
	for _, c := range i.expired(time.Now()) {
		c.close()
	}
}

func (i *idle) expired(now time.Time) (over []*conn) {
	i.mu.Lock()
	defer i.mu.Unlock()
	kept := i.conns[:0]
	i.next = time.Time{}
	for _, c := range i.conns {
		if now.Before(c.until) {
			kept = append(kept, c)
			i.arm(c.until)
		} else {
			over = append(over, c)
		}
	}
	clear(i.conns[len(kept):])
	i.conns = kept
	return over
}

// close closes all of them, now and later on.
func (i *idle) close() {
	i.mu.Lock()
	conns := i.conns
	i.conns, i.closed = nil, true
	if i.timer != nil {
		i.timer.Stop()
	}
	i.mu.Unlock()
	for _, c := range conns {
		c.close()
	}
}
