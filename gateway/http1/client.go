package http1

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"net"
	"net/http"
	"sync"
	"time"
)

// Options are what a Client works with.
type Options struct {
	Dial             func(ctx context.Context, network, addr string) (net.Conn, error)
	Addr             string        // host:port
	TLS              *tls.Config   // nil: plain HTTP. Unless it names a server, the certificate must be for Addr's host
	HandshakeTimeout time.Duration // of TLS; 0: none
	MaxIdle          int           // connections that are kept
	IdleTimeout      time.Duration // for which one is kept, unless the server says less
}

// Client sends requests to one address. It is safe for concurrent use.
type Client struct {
	opt   Options
	idle  idle
	reads sync.Pool // of *[readBuffer]byte
	sends sync.Pool // of *message
}

// message is a request as it is written.
type message struct {
	head   []byte
	body   []byte
	toHead bool // the method is HEAD
}

// New makes a client without connections.
func New(opt Options) *Client {
	if opt.TLS != nil {
		opt.TLS = prepared(opt.TLS, opt.Addr)
	}
	c := &Client{opt: opt, idle: idle{most: opt.MaxIdle}}
	c.reads.New = func() any { return new([readBuffer]byte) }
	c.sends.New = func() any { return &message{head: make([]byte, 0, 4<<10)} }
	return c
}

// sessions is how many TLS sessions a client keeps to resume.
const sessions = 32

func prepared(given *tls.Config, addr string) *tls.Config {
	cfg := given.Clone()
	cfg.NextProtos = []string{"http/1.1"}
	cfg.DynamicRecordSizingDisabled = true // a request is read whole before it is answered
	if cfg.ClientSessionCache == nil {
		cfg.ClientSessionCache = tls.NewLRUClientSessionCache(sessions)
	}
	if host, _, err := net.SplitHostPort(addr); err == nil {
		cfg.ServerName = cmp.Or(cfg.ServerName, host)
	}
	return cfg
}

// Close closes idle connections, and those in use once their answer has ended.
// Requests may still be made, each on a connection of its own.
func (c *Client) Close() { c.idle.close() }

// Do sends a request and returns the answer once its head is there. The answer's
// body must be read to its end or closed. ctx and the call end everything at any
// time; their cause is then the error. Of every error Unsent tells whether the
// server can have seen the request. A status of 3xx, 4xx or 5xx is no error.
func (c *Client) Do(ctx context.Context, call *Call, r *Request) (*http.Response, error) {
	if ctx.Err() != nil {
		return nil, AsUnsent(context.Cause(ctx))
	}
	m := c.sends.Get().(*message)
	head, err := r.appendHead(m.head[:0])
	if err != nil {
		return nil, AsUnsent(err)
	}
	m.head, m.body, m.toHead = head, r.Body, r.toHead()
	call.watch(ctx)
	for {
		conn, err := c.connect(ctx, call)
		if err != nil {
			call.end()
			return nil, AsUnsent(err)
		}
		resp, err := conn.roundTrip(call, m)
		switch {
		case err == nil:
			return resp, nil
		case !errors.Is(err, errStale):
			call.end()
			return nil, err
		}
	}
}

// connect returns an idle connection of which the server has not been heard, or
// a new one.
func (c *Client) connect(ctx context.Context, call *Call) (*conn, error) {
	now := time.Now()
	for {
		conn := c.idle.take()
		if conn == nil {
			return c.dial(ctx, call)
		}
		if now.Before(conn.until) && conn.quiet() {
			return conn, c.attach(conn, call)
		}
		conn.close()
	}
}

func (c *Client) attach(conn *conn, call *Call) error {
	err := call.attach(conn)
	if err != nil {
		conn.cut()
	}
	return err
}

func (c *Client) dial(ctx context.Context, call *Call) (*conn, error) {
	ctx = call.Context(ctx)
	defer call.leave()
	dialled, err := c.opt.Dial(ctx, "tcp", c.opt.Addr)
	if err != nil {
		return nil, cmp.Or(context.Cause(ctx), err)
	}
	conn := newConn(c, dialled)
	if c.opt.TLS != nil {
		if err := conn.handshake(ctx, c.opt.TLS, c.opt.HandshakeTimeout); err != nil {
			conn.cut()
			return nil, cmp.Or(context.Cause(ctx), err)
		}
	}
	return conn, c.attach(conn, call)
}

// idleFor is how long a connection may wait; told is what the server says, 0 for
// nothing.
func (c *Client) idleFor(told time.Duration) time.Duration {
	if told > 0 {
		return min(told, c.opt.IdleTimeout)
	}
	return c.opt.IdleTimeout
}

// forget gives a written message's memory to others.
func (c *Client) forget(m *message) {
	m.body = nil
	c.sends.Put(m)
}

func (c *Client) borrow() []byte { return c.reads.Get().(*[readBuffer]byte)[:] }

func (c *Client) giveBack(buf []byte) {
	if buf != nil {
		c.reads.Put((*[readBuffer]byte)(buf))
	}
}
