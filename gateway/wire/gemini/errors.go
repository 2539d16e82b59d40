package gemini

import "relay/gateway/wire"

// AppendErrorEvent writes {"error":{…}} as an event. Its lines end in CRLF, as
// Google's do: the Go client, which cuts a stream at LF LF before it looks for
// CRLF CRLF, reads the events of either kind that stand before it.
func (c Codec) AppendErrorEvent(dst []byte, e *wire.Error) []byte {
	dst = append(dst, "data: "...)
	dst = c.AppendError(dst, e)
	return append(dst, "\r\n\r\n"...)
}

// AppendError writes {"error":{"code","message","status","details"}}
// (https://google.aip.dev/193): code is the HTTP status, status the name of a
// google.rpc.Code. Relay's own code is the reason of a google.rpc.ErrorInfo, the
// wait that of a google.rpc.RetryInfo.
func (c Codec) AppendError(dst []byte, e *wire.Error) []byte {
	dst = wire.AppendNumber(dst, `{"error":{"code":`, int64(c.Status(e)))
	dst = wire.AppendText(dst, `,"message":`, e.Message)
	dst = wire.AppendText(dst, `,"status":`, statusName(e))
	dst = appendDetails(dst, e)
	return append(dst, "}}"...)
}

const anyType = `{"@type":"type.googleapis.com/google.rpc.`

// appendDetails writes what is known beside code, message and status.
func appendDetails(dst []byte, e *wire.Error) []byte {
	before := `,"details":[`
	if e.Code != "" && !isRPCStatus(e.Code) {
		dst = appendReason(append(dst, before...), e)
		before = ","
	}
	if wait := wire.RetrySeconds(e.RetryAfter); wait > 0 {
		dst = append(append(dst, before...), anyType...)
		dst = wire.AppendNumber(dst, `RetryInfo","retryDelay":"`, wait)
		dst = append(dst, `s"}`...)
		before = ","
	}
	if before == "," {
		dst = append(dst, ']')
	}
	return dst
}

// appendReason writes an ErrorInfo, and as its metadata the limit that refused.
func appendReason(dst []byte, e *wire.Error) []byte {
	dst = append(dst, anyType...)
	dst = wire.AppendText(dst, `ErrorInfo","reason":`, e.Code)
	dst = append(dst, `,"domain":"relay"`...)
	if e.RateLimit != nil {
		dst = appendRateLimit(dst, e.RateLimit)
	}
	return append(dst, '}')
}

// appendRateLimit writes the limit as metadata, whose values are all text. What
// is not known is left out.
func appendRateLimit(dst []byte, r *wire.RateLimit) []byte {
	dst = wire.AppendText(dst, `,"metadata":{"name":`, r.Name)
	dst = wire.AppendText(dst, `,"meter":`, r.Meter)
	dst = wire.AppendText(dst, `,"scope":`, r.Scope)
	dst = appendCount(dst, `,"amount":"`, r.Amount)
	dst = appendCount(dst, `,"used":"`, r.Used)
	if r.Window > 0 {
		dst = appendCount(dst, `,"window":"`, r.Window)
	}
	if r.SharedBy > 0 {
		dst = appendCount(dst, `,"shared_by":"`, int64(r.SharedBy))
	}
	return append(dst, '}')
}

func appendCount(dst []byte, before string, n int64) []byte {
	return append(wire.AppendNumber(dst, before, n), '"')
}
