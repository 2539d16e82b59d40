package http1

import (
	"net"
	"os"
	"syscall"
	"time"
)

// link is a connection below TLS that can be asked for what has come while
// nobody read. A server that has nothing to answer to sends nothing, other than
// the end or what TLS says about itself.
type link struct {
	net.Conn
	raw syscall.RawConn // nil where there is none
	dry bool            // Read does not wait

	try func(fd uintptr) bool // method value, made once
	p   []byte                // arguments and results of try
	n   int
	one [1]byte // what is read to see whether there is anything
	err error
}

func newLink(c net.Conn) *link {
	l := &link{Conn: c}
	if sc, ok := c.(syscall.Conn); ok && canTry {
		if raw, err := sc.SyscallConn(); err == nil {
			l.raw, l.try = raw, l.tryRead
		}
	}
	return l
}

// Read reads as usual, or, while the link is dry, what has come; errDry: nothing.
func (l *link) Read(p []byte) (int, error) {
	switch {
	case !l.dry:
		return l.Conn.Read(p)
	case l.raw == nil:
		return l.readSoon(p)
	}
	l.p = p
	err := l.raw.Read(l.try)
	l.p = nil
	if err != nil {
		return 0, err
	}
	return l.n, l.err
}

// soon is how long a read waits where the system cannot be asked.
const soon = time.Millisecond

func (l *link) readSoon(p []byte) (int, error) {
	if err := l.Conn.SetReadDeadline(time.Now().Add(soon)); err != nil {
		return 0, err
	}
	n, err := l.Conn.Read(p)
	if n == 0 && os.IsTimeout(err) {
		err = errDry
	}
	_ = l.Conn.SetReadDeadline(time.Time{}) // fails on a closed connection only, which the next read shows
	return n, err
}
