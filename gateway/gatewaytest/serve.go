package gatewaytest

import (
	"bufio"
	"crypto/tls"
	"errors"
	"io"
	"net"
)

// buffer is how much of a connection is read ahead to see whether its peer has
// gone.
const buffer = 64 << 10

func (u *Upstream) accept() {
	defer u.running.Done()
	for {
		c, err := u.listener.AcceptTCP()
		if err != nil {
			return
		}
		number, open := u.keep(c)
		if !open {
			_ = c.Close()
			return
		}
		go u.serve(c, number)
	}
}

// keep registers a connection, unless the upstream is closing.
func (u *Upstream) keep(c *net.TCPConn) (number int, open bool) {
	u.mu.Lock()
	defer u.mu.Unlock()
	select {
	case <-u.closing:
		return 0, false
	default:
	}
	u.conns = append(u.conns, c)
	u.open++
	u.running.Add(1)
	return len(u.conns) - 1, true
}

func (u *Upstream) serve(c *net.TCPConn, number int) {
	defer u.running.Done()
	x := u.exchange(c, number)
	defer u.drop(x)
	if script, ok := u.nextOnConnect(); ok && !x.play(script, newRequest(number)) {
		return
	}
	for {
		r, err := readRequest(x.in, number)
		if err != nil {
			if !errors.Is(err, io.EOF) {
				u.countAborted()
			}
			return
		}
		if !x.play(u.take(r), r) {
			return
		}
	}
}

func (u *Upstream) drop(x *Exchange) {
	_ = x.conn.Close()
	u.mu.Lock()
	u.open--
	u.mu.Unlock()
}

func (u *Upstream) exchange(c *net.TCPConn, number int) *Exchange {
	x := &Exchange{u: u, conn: c, tcp: c, number: number}
	if u.tls != nil {
		x.conn = tls.Server(c, u.tls)
	}
	x.in = bufio.NewReaderSize(x.conn, buffer)
	return x
}

func (u *Upstream) nextOnConnect() (Script, bool) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if len(u.onConnect) == 0 {
		return nil, false
	}
	script := u.onConnect[0]
	u.onConnect = u.onConnect[1:]
	return script, true
}

// take records a request and returns its script, both at once: a test that
// has seen the request may play the next one.
func (u *Upstream) take(r *Request) Script {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.add(r)
	if len(u.queue) == 0 {
		return u.otherwise
	}
	script := u.queue[0]
	u.queue = u.queue[1:]
	return script
}

func (u *Upstream) record(r *Request) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.add(r)
}

func (u *Upstream) add(r *Request) {
	u.requests = append(u.requests, r)
	close(u.arrived)
	u.arrived = make(chan struct{})
}

func (u *Upstream) countAborted() {
	u.mu.Lock()
	defer u.mu.Unlock()
	select {
	case <-u.closing: // the test has ended, not the peer
	default:
		u.aborted++
	}
}
