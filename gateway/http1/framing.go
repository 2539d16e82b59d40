package http1

import (
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// Kinds of bodies.
type kind uint8

const (
	bodyNone kind = iota
	bodyLength
	bodyChunked
	bodyToClose // ends with the connection
)

// framing says where an answer ends and what becomes of its connection.
type framing struct {
	kind   kind
	length int64 // -1: not known
	keep   bool
	idle   time.Duration // for how long the server keeps it; 0: it does not say
}

// framing applies RFC 9112, section 6.3. What that leaves to taste is refused.
// toHead is whether the request's method was HEAD.
func (h *head) framing(toHead bool) (framing, error) {
	length, err := contentLength(h.fields["Content-Length"])
	if err != nil {
		return framing{}, err
	}
	coding := h.fields["Transfer-Encoding"]
	switch {
	case len(coding) > 1, len(coding) == 1 && !strings.EqualFold(coding[0], "chunked"):
		return framing{}, malformed("a transfer encoding other than chunked")
	case len(coding) > 0 && length >= 0:
		return framing{}, malformed("both Content-Length and Transfer-Encoding")
	case len(coding) > 0 && h.minor == 0:
		return framing{}, malformed("a transfer encoding in HTTP/1.0")
	}
	f := framing{length: length, idle: keptFor(h.fields["Keep-Alive"])}
	f.keep = h.keeps() && f.idle >= 0
	switch {
	case toHead:
	case h.status == http.StatusNotModified:
		f.length = 0
	case h.status == http.StatusNoContent:
		f.length, f.keep = 0, f.keep && length <= 0 && len(coding) == 0
	case len(coding) > 0:
		f.kind = bodyChunked
	case length >= 0:
		f.kind = bodyLength
	default:
		f.kind, f.keep = bodyToClose, false
	}
	if f.kind == bodyLength && length == 0 {
		f.kind = bodyNone
	}
	return f, nil
}

// contentLength reads the lines of a Content-Length, which must be one number;
// -1: there is none.
func contentLength(lines []string) (int64, error) {
	if len(lines) == 0 {
		return -1, nil
	}
	for _, line := range lines {
		if line != lines[0] {
			return 0, malformed("lengths that differ")
		}
	}
	n, err := strconv.ParseUint(lines[0], 10, 64)
	if err != nil || n > math.MaxInt64 {
		return 0, malformed("a length that is no number")
	}
	return int64(n), nil
}

// keeps applies RFC 9112, section 9.3.
func (h *head) keeps() bool {
	connection := h.fields["Connection"]
	return !hasToken(connection, "close") && (h.minor > 0 || hasToken(connection, "keep-alive"))
}

// keptFor reads the time-out of a Keep-Alive field (RFC 2068, section 19.7.1.1)
// and takes something off, since the server counts from earlier on. 0: it has
// none; negative: the connection is not kept.
func keptFor(lines []string) time.Duration {
	for _, line := range lines {
		for parameter := range strings.SplitSeq(line, ",") {
			name, value, _ := strings.Cut(parameter, "=")
			if !strings.EqualFold(trim(name), "timeout") {
				continue
			}
			n, err := strconv.ParseUint(strings.Trim(trim(value), `"`), 10, 32)
			switch told := time.Duration(n) * time.Second; {
			case err != nil:
			case told == 0:
				return -1
			default:
				return told - min(time.Second, told/2)
			}
		}
	}
	return 0
}
