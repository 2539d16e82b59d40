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
	conn    net.Conn     // tcp, or TLS over it
	tcp     *net.TCPConn // for resets
	in      *bufio.Reader
	number  int
	watched chan struct{} // closed when the watch is over
	cut     *cut          // nil: nothing is cut
}

// cut lets so many bytes through and then ends the connection its own way.
type cut struct {
	left int
	end  Script
}

// play runs a script and reports whether the connection stays open.
func (x *Exchange) play(script Script, r *Request) (open bool) {
	x.Request, x.cut = r, nil
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
	}
	if x.cut == nil || len(b) < x.cut.left {
		n, err := x.write(b)
		if x.cut != nil {
			x.cut.left -= n
		}
		return n, err
	}
	n, err := x.write(b[:x.cut.left])
	if err == nil {
		err = x.cut.end(x)
	}
	return n, err
}

// write notes a peer that has gone when the write is the first to see it.
func (x *Exchange) write(b []byte) (int, error) {
	n, err := x.conn.Write(b)
	if err != nil && !errors.Is(err, net.ErrClosed) {
		x.Request.hangUp()
	}
	return n, err
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
	_ = x.tcp.SetLinger(0)
	_ = x.tcp.Close()
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
