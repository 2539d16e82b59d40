package gatewaytest

import (
	"bufio"
	"errors"
	"net"
	"time"
)

// Why a script does not go on.
var (
	errGone    = errors.New("the peer has gone")
	errClosing = errors.New("the test has ended")
	errEnded   = errors.New("the script has ended the connection")
)

// Exchange is one request and the script that answers it. It belongs to the
// goroutine that plays the script.
type Exchange struct {
	Request *Request

	u       *Upstream
	conn    *net.TCPConn
	in      *bufio.Reader
	number  int
	watched chan struct{} // closed when the watch is over
}

// play runs a script and reports whether the connection stays open.
func (x *Exchange) play(script Script, r *Request) (open bool) {
	x.Request = r
	x.watch()
	err := script(x)
	x.unwatch()
	if err != nil && !errors.Is(err, errEnded) && !errors.Is(err, errClosing) {
		x.u.countAborted()
	}
	close(r.ended)
	return err == nil
}

// watch reads ahead, so that Gone tells when the peer hangs up.
func (x *Exchange) watch() {
	x.watched = make(chan struct{})
	go func() {
		defer close(x.watched)
		for {
			_, err := x.in.Peek(x.in.Buffered() + 1)
			var network net.Error
			switch {
			case err == nil:
				continue
			case errors.Is(err, bufio.ErrBufferFull), errors.Is(err, net.ErrClosed),
				errors.As(err, &network) && network.Timeout():
			default:
				x.Request.hangUp()
			}
			return
		}
	}()
}

func (x *Exchange) unwatch() {
	_ = x.conn.SetReadDeadline(time.Unix(1, 0))
	<-x.watched
	_ = x.conn.SetReadDeadline(time.Time{})
}

// Write sends bytes as they are. It fails once the peer has gone.
func (x *Exchange) Write(b []byte) (int, error) {
	select {
	case <-x.Request.gone:
		return 0, errGone
	default:
		return x.conn.Write(b)
	}
}

// Wait waits until ch has something or is closed.
func (x *Exchange) Wait(ch <-chan struct{}) error {
	select {
	case <-ch:
		return nil
	case <-x.Request.gone:
		return errGone
	case <-x.u.closing:
		return errClosing
	}
}

// reset makes the peer see a reset connection.
func (x *Exchange) reset() error {
	_ = x.conn.SetLinger(0)
	_ = x.conn.Close()
	return errEnded
}

// readHead reads the head of a request, and leaves its body where it is.
func (x *Exchange) readHead() error {
	x.unwatch()
	defer x.watch()
	head, err := readHead(x.in)
	if err != nil {
		return errGone
	}
	x.Request.Head = head
	x.u.record(x.Request)
	return nil
}
