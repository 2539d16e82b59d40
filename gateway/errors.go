package gateway

import (
	"cmp"
	"context"
	stdlog "log"
	"net"
	"net/http"
	"strconv"
	"time"

	"github.com/rs/zerolog"

	"relay/gateway/plan"
	"relay/gateway/wire"
	"relay/store"
)

// longWait is the wait above which SDKs are told not to retry by themselves:
// several of them would otherwise hang for all of it.
const longWait = 60 * time.Second

// hangs is the wait that looks like a hang to who sits before an agent. It is above
// that of a window of a minute.
const hangs = 2 * time.Minute

// fail settles the exchange and renders its error in the caller's shape. Once
// the answer has begun there is nobody to tell: the connection is cut.
func (x *exchange) fail(err error) {
	e, known := err.(*wire.Error) //nolint:errorlint // errors are not wrapped on the way here
	if !known {
		e = wire.NewError(wire.CodeInternalError, "Relay failed inside; the log has the details under "+x.id+".")
		x.s.opt.Log.Error().Str("request_id", x.id).Err(err).Msg("request failed")
	}
	x.errorKind = cmp.Or(x.errorKind, e.Code, "upstream_error")
	if x.began {
		x.cut = true
		return
	}
	x.status = x.codec.Status(e)
	x.leaveTrace()
	x.settle()
	_ = x.durable() // an error it is already
	x.writeError(e)
}

// leaveTrace takes a place for the usage event of a request that was refused
// before it got one. Nothing is held while a body comes.
func (x *exchange) leaveTrace() {
	if x.caller != nil && x.metered() && x.place == 0 && !x.settled {
		x.takePlace()
	}
}

func (x *exchange) writeError(e *wire.Error) {
	told := *e
	told.RequestID = x.id
	body := x.codec.AppendError(nil, &told)
	h := x.w.Header()
	h.Set("Content-Type", wire.ContentTypeJSON)
	h.Set("Content-Length", strconv.Itoa(len(body)))
	h.Set("X-Relay-Refused-By", refusedBy(e))
	if x.early = x.leavesBody(); x.early {
		x.refuseEarly(e)
	}
	if e.Status == http.StatusUnauthorized {
		h.Set("WWW-Authenticate", `Bearer realm="relay"`)
	}
	x.setRetryHeaders(h, e)
	x.refusalHeaders(h, e)
	x.began = true
	x.w.WriteHeader(x.status)
	_, _ = x.w.Write(body)
	if x.early {
		_ = x.rc.Flush()
	}
}

// refusedBy says who refused: what the error says, else what its status means.
func refusedBy(e *wire.Error) string {
	switch {
	case e.RefusedBy != "":
		return e.RefusedBy
	case e.Status == http.StatusUnauthorized, e.Code == wire.CodeIPRestricted:
		return "key"
	case e.Status == http.StatusForbidden && e.Code != wire.CodeOriginNotAllowed:
		return "policy"
	}
	return "relay"
}

// setRetryHeaders tells when to come back: whole seconds for everybody, exact
// milliseconds for waits that SDKs sit out, and for longer ones a word that
// they should not. Codex, which speaks the Responses shape, knows no such word and
// sits out whatever it is told: a wait of hours is told it in the text alone.
func (x *exchange) setRetryHeaders(h http.Header, e *wire.Error) {
	if e.RetryAfter > 0 && (e.RetryAfter <= hangs || x.call.shape != store.ShapeResponses) {
		h.Set("Retry-After", strconv.FormatInt(wire.RetrySeconds(e.RetryAfter), 10))
	}
	switch {
	case e.Code == wire.CodeBudgetExceeded || e.RetryAfter > longWait:
		h.Set("X-Should-Retry", "false")
	case e.RetryAfter > 0:
		h.Set("Retry-After-Ms", strconv.FormatInt(max(1, (e.RetryAfter+time.Millisecond-1).Milliseconds()), 10))
	}
}

// quoted shows text of a caller inside a message.
func quoted(s string) string { return plan.Quoted(s) }

func formatSize(n int64) string {
	for _, u := range []struct {
		size int64
		name string
	}{{1 << 30, "GiB"}, {1 << 20, "MiB"}, {1 << 10, "KiB"}} {
		if n >= u.size && n%u.size == 0 {
			return strconv.FormatInt(n/u.size, 10) + " " + u.name
		}
	}
	return strconv.FormatInt(n, 10) + " bytes"
}

func baseContext(base context.Context) func(net.Listener) context.Context {
	return func(net.Listener) context.Context { return base }
}

// serverLog passes on what net/http complains about, at debug level: most of
// it is callers that hang up.
func serverLog(log zerolog.Logger) *stdlog.Logger {
	return stdlog.New(debugWriter{log}, "", 0)
}

type debugWriter struct{ log zerolog.Logger }

func (w debugWriter) Write(p []byte) (int, error) {
	w.log.Debug().Bytes("detail", p[:min(len(p), 256)]).Msg("http server")
	return len(p), nil
}
