package gateway

import (
	"io"
	"net/http"
	"time"

	"relay/gateway/wire"
)

// bodyState is how far a request's body has been read.
type bodyState uint8

const (
	bodyUnread bodyState = iota
	bodyBegun
	bodyWhole
)

// Bounds of reading on after a refusal.
const (
	lingerTime  = 5 * time.Second
	lingerShort = 256 << 10 // bytes, where Relay has too much to do already
)

// leavesBody reports whether some of the request's body has not been read.
func (x *exchange) leavesBody() bool {
	return x.bodyRead != bodyWhole && x.r.Body != nil && x.r.Body != http.NoBody && x.r.ProtoMajor == 1
}

// refuseEarly readies the answer to a request whose body has not been read: it
// goes out at once, whether or not the body ever comes, and it is the last one
// on its connection.
func (x *exchange) refuseEarly(e *wire.Error) {
	x.w.Header()["Connection"] = []string{"close"}
	if x.awaitsContinue() {
		return // net/http answers before it reads
	}
	switch e.Code {
	case wire.CodeRequestTimeout:
	case wire.CodeOverloaded:
		x.linger = lingerShort
	default:
		x.linger = 2 * x.s.opt.MaxRequestBytes
	}
}

// awaitsContinue reports whether the caller keeps its body back until it is
// asked for it.
func (x *exchange) awaitsContinue() bool {
	return x.bodyRead == bodyUnread && len(x.r.Header["Expect"]) > 0
}

// lingering reads on what a caller still sends after it has been refused, for a
// while: one that writes its whole request before it reads would else find its
// connection reset and the answer lost (RFC 9112, section 9.6). After it, or
// without it, net/http finds a read deadline that is over, so that it does not
// wait for the rest.
func lingering(rc *http.ResponseController, body io.Reader, most int64) {
	now := time.Now()
	if most > 0 {
		_ = rc.SetReadDeadline(now.Add(lingerTime))
		_, _ = io.CopyN(io.Discard, body, most)
	}
	_ = rc.SetReadDeadline(now)
}
