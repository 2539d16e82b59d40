package http1

import (
	"cmp"
	"context"
	"sync"
)

// Call is one request under way and what can end it. The zero value is ready; it
// serves one Do. Cancel and Cause may be called from any goroutine.
type Call struct {
	mu      sync.Mutex
	cause   error                   // of its end; nil: it has not been cancelled
	release context.CancelCauseFunc // of its context; nil: it has none
	conn    *conn                   // that it uses; nil: none
	unwatch func() bool
}

// Cancel ends the call at once: what waits for it fails, and Cause tells why. A
// nil cause is context.Canceled. The first call counts; after the end of the
// answer there is nothing to cancel.
func (c *Call) Cancel(cause error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.cause != nil {
		return
	}
	c.cause = cmp.Or(cause, context.Canceled)
	if c.release != nil {
		c.release(c.cause)
	}
	if c.conn != nil {
		c.conn.interrupt()
	}
}

// Cause returns why the call was cancelled; nil: it was not.
func (c *Call) Cause() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.cause
}

// Context returns a context that ends with parent, and when the call is
// cancelled. It is for work that takes a context.
func (c *Call) Context(parent context.Context) context.Context {
	ctx, release := context.WithCancelCause(parent)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.cause != nil {
		release(c.cause)
	}
	c.release = release
	return ctx
}

// leave lets go of the context.
func (c *Call) leave() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.release(nil)
	c.release = nil
}

// watch cancels the call when ctx ends.
func (c *Call) watch(ctx context.Context) {
	if ctx.Done() != nil {
		c.unwatch = context.AfterFunc(ctx, func() { c.Cancel(context.Cause(ctx)) })
	}
}

// attach makes a cancel interrupt the connection. It fails on a cancelled call.
func (c *Call) attach(to *conn) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.cause == nil {
		c.conn = to
	}
	return c.cause
}

// detach returns the cause of a cancelled call. Of any other it ends the hold on
// its connection: no cancel touches that from now on.
func (c *Call) detach() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.conn = nil
	return c.cause
}

// end lets the call go.
func (c *Call) end() {
	if c.unwatch != nil {
		c.unwatch()
	}
}
