package gateway

import (
	"net/http"
	"slices"
	"strings"
)

// origins are those whose pages may call the gateway from a browser
// (https://fetch.spec.whatwg.org/#http-cors-protocol). None: nothing is said
// about CORS at all.
type origins struct {
	any  bool     // "*" is listed
	list []string // scheme://host[:port] in lower case, or null
}

func newOrigins(texts []string) origins {
	var o origins
	for _, text := range texts {
		if text == "*" {
			o.any = true
		}
		o.list = append(o.list, strings.ToLower(strings.TrimSuffix(text, "/")))
	}
	return o
}

func (o *origins) lists(origin string) bool { return slices.Contains(o.list, strings.ToLower(origin)) }

// tell writes what a browser must know to hand the answer to its page, errors
// included. Keys go in headers, never in cookies, so that credentials mode is
// not offered and * may stand for every header.
func (o *origins) tell(w http.ResponseWriter, r *http.Request) {
	if len(o.list) == 0 {
		return
	}
	h := w.Header()
	if o.any {
		h["Access-Control-Allow-Origin"] = []string{"*"}
	} else {
		h["Vary"] = []string{"Origin"}
		given := r.Header["Origin"]
		if len(given) != 1 || !o.lists(given[0]) {
			return
		}
		h["Access-Control-Allow-Origin"] = given
	}
	h["Access-Control-Expose-Headers"] = []string{"*"}
}

// isPreflight reports whether a browser asks whether it may make a call.
func isPreflight(r *http.Request) bool {
	return r.Method == http.MethodOptions && len(r.Header["Origin"]) > 0 && len(r.Header["Access-Control-Request-Method"]) > 0
}

// preflight answers it. No credential is asked for, and nothing is counted.
func (s *Server) preflight(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	if s.door.refuse(r) != nil {
		s.notFound(w, r)
		return
	}
	if len(h["Access-Control-Allow-Origin"]) == 0 { // a page of this listener's own needs no leave
		w.WriteHeader(http.StatusNoContent)
		return
	}
	h["Vary"] = []string{"Origin, Access-Control-Request-Method, Access-Control-Request-Headers"}
	h["Access-Control-Allow-Methods"] = []string{"GET, HEAD, POST"}
	h["Access-Control-Max-Age"] = []string{"7200"} // seconds; no browser keeps it longer
	if asked := askable(r.Header["Access-Control-Request-Headers"]); asked != "" {
		h["Access-Control-Allow-Headers"] = []string{asked}
	}
	w.WriteHeader(http.StatusNoContent)
}

// askable are those of the headers a page asks for that it may send.
func askable(lines []string) string {
	var may []string
	for _, line := range lines {
		for name := range strings.SplitSeq(line, ",") {
			if name = strings.ToLower(strings.TrimSpace(name)); pageMaySend(name) {
				may = append(may, name)
			}
		}
	}
	return strings.Join(may, ", ")
}

// pageMaySend is the allow-list of what SDKs send from a browser. Headers in
// which proxies tell of a caller are not among them.
func pageMaySend(name string) bool {
	switch name {
	case "accept", "authorization", "cache-control", "content-encoding", "content-type", "idempotency-key", "http-referer",
		"pragma", "session-id", "traceparent", "tracestate", "user-agent":
		return true
	case "x-real-ip":
		return false
	}
	for _, prefix := range [...]string{"anthropic-", "openai-", "x-"} {
		if strings.HasPrefix(name, prefix) {
			return isToken(name) && !strings.HasPrefix(name, "x-forwarded-")
		}
	}
	return false
}

func isToken(name string) bool {
	for i := range len(name) {
		if c := name[i]; c != '-' && c != '_' && (c < '0' || c > '9') && (c < 'a' || c > 'z') {
			return false
		}
	}
	return true
}
