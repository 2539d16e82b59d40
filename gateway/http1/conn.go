package http1

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"time"
)

// conn is a connection to the server. One call at a time uses it.
type conn struct {
	client  *Client
	link    *link
	out     net.Conn // the link's connection, or TLS on it
	in      reader
	reused  bool
	keepFor time.Duration // as the server says; 0: it does not
	until   time.Time     // when it has been idle for too long

	vector  [2][]byte     // of a write
	left    int64         // bytes of the message that may have left
	failed  error         // why not all have
	written chan struct{} // closed when a second goroutine has written; nil: there is none
}

func newConn(client *Client, c net.Conn) *conn {
	l := newLink(c)
	return &conn{client: client, link: l, out: c, in: reader{src: l}}
}

// handshake puts TLS on the connection. limit is how long that may take; 0: for
// ever.
func (c *conn) handshake(ctx context.Context, cfg *tls.Config, limit time.Duration) error {
	if limit > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, limit)
		defer cancel()
	}
	secured := tls.Client(c.link, cfg)
	if err := secured.HandshakeContext(ctx); err != nil {
		return &HandshakeError{err}
	}
	c.out, c.in.src = secured, secured
	return nil
}

// quiet reports whether nothing has come since the last answer: neither the end
// nor bytes that belong to no request.
func (c *conn) quiet() bool {
	c.link.dry = true
	n, err := c.in.src.Read(c.link.one[:])
	c.link.dry = false
	return n == 0 && errors.Is(err, errDry)
}

// interrupt makes everything fail that waits for the connection.
func (c *conn) interrupt() { _ = c.link.SetDeadline(time.Unix(1, 0)) }

// close ends an idle connection in good order.
func (c *conn) close() { _ = c.out.Close() }

// cut ends a connection without a word, since TLS would wait to say it.
func (c *conn) cut() { _ = c.link.Close() }

// Sizes of messages.
const (
	oneWrite    = 16 << 10 // up to which head and body are put together, that of a TLS record
	sentByOne   = 64 << 10 // up to which the buffers of a connection take it without the server reading it
	lateAnswers = time.Second
)

// send writes the message, a large one in a goroutine of its own. How far that
// came is known after settle.
func (c *conn) send(call *Call, m *message) {
	c.left, c.failed = 0, nil
	if len(m.body) <= sentByOne {
		c.write(m)
		return
	}
	written := make(chan struct{})
	c.written = written
	go func() {
		defer close(written)
		c.write(m)
		if c.failed != nil {
			c.hurry(call)
		}
	}()
}

// write writes head and body: with one system call, save large ones over TLS.
func (c *conn) write(m *message) {
	if len(m.head)+len(m.body) <= oneWrite {
		whole := append(m.head, m.body...)
		m.head = whole[:len(m.head)]
		n, err := c.out.Write(whole)
		c.left, c.failed = int64(n), err
		return
	}
	c.vector = [2][]byte{m.head, m.body}
	parts := net.Buffers(c.vector[:])
	c.left, c.failed = parts.WriteTo(c.out)
	c.vector = [2][]byte{}
}

// hurry bounds the wait for an answer after the message could not be written to
// its end: the server may have answered before it stopped reading.
func (c *conn) hurry(call *Call) {
	call.mu.Lock()
	defer call.mu.Unlock()
	if call.cause == nil {
		_ = c.link.SetReadDeadline(time.Now().Add(lateAnswers))
	}
}

// finish ends the call. The connection is kept if that is asked for and nothing
// speaks against it. It returns the cause of a cancelled call.
func (c *conn) finish(call *Call, keep bool) error {
	call.end()
	return c.letGo(call, keep)
}

// letGo ends the call's hold on the connection, which is cut unless it is kept.
func (c *conn) letGo(call *Call, keep bool) error {
	cause := call.detach()
	keep = keep && cause == nil && c.in.buffered() == 0 && c.in.err == nil && c.wrote()
	c.client.giveBack(c.in.buf)
	c.in = reader{src: c.in.src}
	if keep {
		c.reused = true
		c.until = time.Now().Add(c.client.idleFor(c.keepFor))
		keep = c.client.idle.put(c)
	}
	if !keep {
		c.cut()
		c.settle()
	}
	return cause
}

// lastWrite is how long a connection waits at the end of an answer for the
// goroutine that writes, which as a rule has only to say that it is done.
const lastWrite = 50 * time.Millisecond

// wrote reports whether the whole message has been written.
func (c *conn) wrote() bool {
	if c.written != nil {
		timer := time.NewTimer(lastWrite)
		defer timer.Stop()
		select {
		case <-c.written:
			c.written = nil
		case <-timer.C:
			return false
		}
	}
	return c.failed == nil
}

// settle waits for the goroutine that writes, which a cut ends.
func (c *conn) settle() {
	if c.written != nil {
		<-c.written
		c.written = nil
	}
}
