//go:build unix

package http1

import (
	"errors"
	"io"
	"syscall"
)

const canTry = true

// tryRead reads from a socket, none of which waits on Unix.
func (l *link) tryRead(fd uintptr) bool {
	for {
		l.n, l.err = syscall.Read(int(fd), l.p)
		if !errors.Is(l.err, syscall.EINTR) {
			break
		}
	}
	switch {
	case errors.Is(l.err, syscall.EAGAIN):
		l.err = errDry
	case l.err == nil && l.n == 0:
		l.err = io.EOF
	}
	l.n = max(l.n, 0)
	return true
}
