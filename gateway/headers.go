package gateway

import (
	"net/http"
	"strconv"
	"strings"
)

const (
	maxHops    = 3
	maxProduct = 128 // bytes of the caller's User-Agent that are passed on
)

// goesUp is the allow-list of a caller's headers, in canonical form.
func goesUp(name string) bool {
	switch name {
	case "Accept", "Anthropic-Version", "Anthropic-Beta", "Openai-Beta", "Traceparent", "Tracestate",
		"Session-Id", "X-Session-Id", "X-Session-Affinity", "X-Claude-Code-Session-Id":
		return true
	}
	return strings.HasPrefix(name, "X-Stainless-")
}

// ofOneShape tells of the headers that go up those which mean nothing to a host
// that speaks another shape than the caller.
func ofOneShape(name string) bool {
	switch name {
	case "Accept", "Anthropic-Version", "Anthropic-Beta", "Openai-Beta":
		return true
	}
	return false
}

// goesDown is the allow-list of an upstream's headers, in canonical form.
func goesDown(name string) bool {
	switch name {
	case "Content-Type", "Request-Id", "X-Request-Id", "Openai-Processing-Ms", "Openai-Version":
		return true
	}
	return strings.HasPrefix(name, "X-Ratelimit-") || strings.HasPrefix(name, "Anthropic-Ratelimit-")
}

// copyDown copies what may go to the caller.
func copyDown(to, from http.Header) {
	for name, values := range from {
		if goesDown(name) && !hasToken(from["Connection"], name) { // hop-by-hop (RFC 9110, section 7.6.1)
			to[name] = values
		}
	}
}

// fieldValues makes values of a header, one a field, out of one piece of memory.
type fieldValues struct{ room []string }

func newFieldValues() fieldValues { return fieldValues{make([]string, 0, 8)} }

func (v *fieldValues) one(value string) []string {
	v.room = append(v.room, value)
	n := len(v.room)
	return v.room[n-1 : n : n]
}

// hasToken looks for a token, in any case, in the comma-separated lists of a
// header.
func hasToken(lines []string, token string) bool {
	for _, line := range lines {
		for element := range strings.SplitSeq(line, ",") {
			if strings.EqualFold(strings.TrimSpace(element), token) {
				return true
			}
		}
	}
	return false
}

func userAgent(product, version string) string {
	own := "relay/" + version
	if product == "" {
		return own
	}
	return product[:min(len(product), maxProduct)] + " " + own
}

// hops reads how many relays a request has passed; what is no small number
// counts as too many.
func hops(h http.Header) int {
	text := h.Get("Relay-Hops")
	if text == "" {
		return 0
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 || n > maxHops {
		return maxHops
	}
	return n
}

func hopText(n int) string { return [...]string{"0", "1", "2", "3"}[min(n, maxHops)] }
