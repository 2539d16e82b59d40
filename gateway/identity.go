package gateway

import (
	"net/http"
	"strings"
	"unicode"
	"unicode/utf8"

	"relay/gateway/plan"
	"relay/gateway/wire"
)

// mostIdentity is how much of an end user's or a session's name is kept, in
// bytes.
const mostIdentity = 128

// sessionHeaders name the conversation that a request belongs to, the one that
// counts first. Agents send different ones.
var sessionHeaders = [...]string{"Session-Id", "X-Session-Id", "X-Session-Affinity", "X-Claude-Code-Session-Id"}

// session is what the caller calls its conversation, or "".
func (x *exchange) session() string {
	for _, name := range sessionHeaders {
		if values := x.r.Header[name]; len(values) > 0 && values[0] != "" {
			return values[0]
		}
	}
	return ""
}

// identify notes for whom the request is made, where the caller is trusted to
// say so, and in which conversation.
func (x *exchange) identify() {
	x.event.Session = identity(x.session())
	if !x.caller.TrustUser {
		return
	}
	if header := x.caller.UserHeader; header != "" {
		x.event.User = identity(x.r.Header.Get(header))
	}
	if x.event.User == "" {
		x.event.User = identity(string(x.endUser()))
	}
}

// endUser is the end user that the body names, or nothing. It is part of the
// body.
func (x *exchange) endUser() []byte {
	for _, at := range [...]wire.Range{x.members.User, x.members.SafetyIdentifier} {
		if name, ok := wire.Text(x.body, at, nil); ok && len(name) > 0 {
			return name
		}
	}
	if x.members.Metadata.Present() {
		at, _ := wire.Member(x.body, x.members.Metadata, "user_id")
		name, _ := wire.Text(x.body, at, nil)
		return name
	}
	return nil
}

// identity cuts a name that a caller has made up to what is kept of it, without
// control characters.
func identity(name string) string {
	if len(name) > mostIdentity {
		end := mostIdentity
		for end > 0 && !utf8.RuneStart(name[end]) {
			end--
		}
		name = name[:end]
	}
	if utf8.ValidString(name) && strings.IndexFunc(name, unicode.IsControl) < 0 {
		return name
	}
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || r == utf8.RuneError {
			return -1
		}
		return r
	}, name)
}

// enterAccount lets the caller run in the project that the request names in place
// of the one that its credential has.
func (x *exchange) enterAccount() error {
	named := x.r.Header["X-Relay-Account"]
	if len(named) == 0 || named[0] == "" {
		return nil
	}
	caller, refused := x.gen.plan.In(x.caller, named[0])
	if refused != nil {
		return refusedByPlan(refused)
	}
	x.caller = caller
	return nil
}

// anonymous returns the caller of a request that carries no credential at all,
// which is service account local where inference.auth is open; else nil.
func anonymous(p *plan.Plan, h http.Header) *plan.Caller {
	if p.Local == nil {
		return nil
	}
	for _, name := range credentialHeaders {
		for _, value := range h[name] {
			if carries(name, value) {
				return nil
			}
		}
	}
	return p.Local
}

// carries reports whether a credential header has anything in it. SDKs that are
// given no key send an empty one.
func carries(header, value string) bool {
	if token, ok := bearer(value); ok && header == "Authorization" {
		return token != ""
	}
	return strings.TrimSpace(value) != ""
}

// proxyHeaders are what proxies add: RFC 7239, RFC 9110 section 7.6.3, and what
// was usual before.
var proxyHeaders = [...]string{"X-Forwarded-For", "Forwarded", "X-Forwarded-Host", "X-Forwarded-Proto", "X-Real-Ip", "Via"}

// forwarded reports whether a proxy has passed the request on. Behind one on
// this machine everybody has a loopback address.
func forwarded(h http.Header) bool {
	for _, name := range proxyHeaders {
		if len(h[name]) > 0 {
			return true
		}
	}
	return false
}

// unauthenticatedHere is what a caller without a valid key is told. Clients of
// Ollama cannot be given one, so they are told of the switch.
func (x *exchange) unauthenticatedHere(e error) error {
	told, plain := e.(*wire.Error) //nolint:errorlint // errors are not wrapped on the way here
	if !plain || told.Code != wire.CodeUnauthenticated || !forOllama(x.r) {
		return e
	}
	also := *told
	also.Message += " A client that can send no key, such as Ollama's, is served under service account local with inference.auth: open in the configuration (loopback listeners only)."
	return &also
}

// forOllama reports whether a request looks like one of Ollama's own clients.
func forOllama(r *http.Request) bool {
	return strings.HasPrefix(r.URL.Path, "/api/") || strings.Contains(strings.ToLower(r.UserAgent()), "ollama")
}
