package gateway

import (
	"errors"
	"net/http"
	"runtime/debug"
	"strconv"
	"time"

	"github.com/google/uuid"

	"relay/gateway/wire"
	"relay/gateway/wire/messages"
)

func (s *Server) handle(e *endpoint) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) { s.serve(w, r, e) }
}

// serve runs an endpoint and renders its error. Whatever happens, panics
// included, the exchange is finished.
func (s *Server) serve(w http.ResponseWriter, r *http.Request, e *endpoint) {
	x := s.exchanges.Get().(*exchange)
	x.begin(w, r, s.current.Load(), e)
	s.inFlight.Add(1)
	defer func() {
		abort := x.recovered(recover()) || !x.began // net/http would call it an empty 200
		x.letGo()
		rc, early, most := x.rc, x.early, x.linger
		x.finish()
		s.exchanges.Put(x)
		s.inFlight.Add(-1)
		if early {
			lingering(&rc, r.Body, most)
		}
		if abort {
			panic(http.ErrAbortHandler) // cuts the connection, so that a broken body is not taken for a whole one
		}
	}()
	err := x.checkRequest(e)
	if err == nil {
		err = e.serve(x)
	}
	if err != nil {
		x.fail(err)
	}
}

// checkRequest is step 1: who may call from where, upgrades, method and loops.
func (x *exchange) checkRequest(e *endpoint) error {
	if err := x.s.door.refuse(x.r); err != nil {
		return err
	}
	switch {
	case x.s.connections != nil && isSurplus(x.r.Context()):
		x.w.Header()["Connection"] = []string{"close"}
		x.s.load.noConnection.Inc()
		return overloaded("Relay has as many connections as it takes (max_connections). Try again in a second, and keep connections for more than one request.")
	case upgrades(x.r.Header):
		x.w.Header()["Upgrade"] = []string{"HTTP/1.1"} // RFC 9110, section 15.5.22
		return wire.NewError(wire.CodeUpgradeNotSupported, "WebSockets are not served here. Send plain HTTP requests; answers are streamed as server-sent events.")
	case !e.takes(x.r.Method):
		x.w.Header()["Allow"] = []string{e.allow()}
		return wire.NewError(wire.CodeMethodNotAllowed, "This path takes "+e.allow()+", not "+quoted(x.r.Method)+".")
	case hops(x.r.Header) >= maxHops:
		return wire.NewError(wire.CodeLoopDetected, "This request has passed "+strconv.Itoa(maxHops)+" relays: a host of one of them points back at another.")
	}
	return nil
}

// begin readies a pooled exchange for a request.
func (x *exchange) begin(w http.ResponseWriter, r *http.Request, gen *generation, e *endpoint) {
	x.w, x.r, x.gen = w, r, gen
	x.rc = *http.NewResponseController(w)
	x.start = time.Now()
	x.call, x.codec, x.spoken, x.reader = e, e.codec, e, e.codec
	if e.listing && r.Header.Get("Anthropic-Version") != "" {
		x.codec = messages.Codec{} // its clients call the same paths
	}
	if e.method != http.MethodPost && r.ContentLength != 0 {
		_ = x.rc.SetReadDeadline(x.start.Add(x.s.opt.BodyIdleTimeout)) // nobody else waits for a body that is not read
	}
	x.id = requestID(r.Header.Get("X-Request-Id"))
	x.values = newFieldValues()
	w.Header()["X-Relay-Request-Id"] = x.values.one(x.id)
}

// recovered turns a panic into an answer or a cut connection, and says whether
// to cut it.
func (x *exchange) recovered(p any) (abort bool) {
	if p == nil {
		return x.cut
	}
	if err, ok := p.(error); ok && errors.Is(err, http.ErrAbortHandler) {
		return true
	}
	x.body, x.composed = nil, nil // an attempt that has not ended may be sending them
	id := uuid.NewString()
	x.s.opt.Log.Error().Str("error_id", id).Str("request_id", x.id).Interface("panic", p).Bytes("stack", debug.Stack()).Msg("request panicked")
	x.errorKind = wire.CodeInternalError
	if x.began {
		return true
	}
	x.fail(wire.NewError(wire.CodeInternalError, "Relay failed inside; the log has the details under "+id+"."))
	return x.cut
}

// requestID keeps a caller's own id when it is printable and short.
func requestID(given string) string {
	if len(given) >= 1 && len(given) <= 128 && printable(given) {
		return given
	}
	return uuid.Must(uuid.NewV7()).String()
}

func printable(s string) bool {
	for i := range len(s) {
		if s[i] <= ' ' || s[i] > '~' {
			return false
		}
	}
	return true
}
