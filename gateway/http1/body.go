package http1

import (
	"errors"
	"io"
	"sync"
)

// errBodyClosed is what reading a closed body says.
var errBodyClosed = errors.New("read of a closed answer body")

// body is an answer's body. At its end the connection is given back or closed,
// whether or not the body is closed then. Read and Close may be called from
// different goroutines; Close waits for a Read that has not been cancelled.
type body struct {
	mu     sync.Mutex
	conn   *conn
	call   *Call
	kind   kind
	left   int64 // of a body of known length
	chunks chunks
	keep   bool
	err    error // why there is no more
}

// Read reads what has come, or waits for more. The end comes with the last bytes
// where it is known by then.
func (b *body) Read(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.err != nil || len(p) == 0 {
		return 0, b.err
	}
	n, err := b.read(p)
	if err != nil {
		b.finish(err)
	}
	return n, b.err
}

func (b *body) read(p []byte) (int, error) {
	in := &b.conn.in
	switch b.kind {
	case bodyChunked:
		return b.chunks.read(p, in)
	case bodyToClose:
		return in.read(p)
	}
	n, err := in.read(p[:min(int64(len(p)), b.left)])
	if b.left -= int64(n); b.left == 0 {
		return n, io.EOF
	}
	return n, in.early(err)
}

// finish ends the body: with io.EOF whole, with anything else not.
func (b *body) finish(err error) {
	whole := errors.Is(err, io.EOF)
	if cause := b.conn.finish(b.call, whole && b.keep); cause != nil && !whole {
		err = cause
	}
	b.err = err
}

// Close gives the connection back when all that is missing has come already, and
// closes it otherwise.
func (b *body) Close() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.err != nil {
		return nil
	}
	b.conn.in.dry = true
	var scratch [512]byte
	for {
		if _, err := b.read(scratch[:]); err != nil {
			b.finish(err)
			b.err = errBodyClosed
			return nil
		}
	}
}
