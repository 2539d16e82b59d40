package gateway

import (
	"net/http"
	"strconv"
	"strings"
	"time"

	"relay/gateway/wire"
)

// retryAfter reads how long an upstream asks to wait: retry-after-ms, then
// seconds, then an HTTP date (RFC 9110, section 10.2.3). 0: nothing readable.
func retryAfter(h http.Header, now time.Time) time.Duration {
	if ms, ok := decimal(h.Get("Retry-After-Ms")); ok && ms > 0 {
		return clampWait(ms / 1000)
	}
	text := strings.TrimSpace(h.Get("Retry-After"))
	if seconds, ok := decimal(text); ok {
		return max(clampWait(seconds), leastRest)
	}
	if at, err := http.ParseTime(text); err == nil {
		return max(min(at.Sub(now), mostRest), leastRest)
	}
	return 0
}

// decimal reads a number of digits with at most one point. Signs, exponents and
// words that strconv would take are not what anybody means here.
func decimal(text string) (float64, bool) {
	for _, c := range text {
		if (c < '0' || c > '9') && c != '.' {
			return 0, false
		}
	}
	n, err := strconv.ParseFloat(text, 64)
	return n, err == nil
}

func clampWait(seconds float64) time.Duration {
	if !(seconds < mostRest.Seconds()) {
		return mostRest
	}
	return time.Duration(seconds * float64(time.Second))
}

// toldRetryAfter is the Retry-After with which a refusal goes on: the
// upstream's own where every client reads it, else whole seconds, rounded up.
// It is told in full, also where the key rests for less, and never less than a
// second. Empty: the upstream asks for no wait.
func toldRetryAfter(asked string, wait time.Duration) string {
	if n, err := strconv.ParseUint(asked, 10, 63); err == nil {
		return strconv.FormatUint(max(n, 1), 10)
	}
	if _, err := http.ParseTime(asked); err == nil {
		return asked
	}
	if seconds := wire.RetrySeconds(wait); seconds > 0 {
		return strconv.FormatInt(seconds, 10)
	}
	return ""
}
