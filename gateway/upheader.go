package gateway

import (
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"relay/gateway/http1"
	"relay/gateway/plan"
	"relay/gateway/wire"
	"relay/store"
)

// hostFields are the header lines that all requests of a kind to a host have:
// given ones and, over them, the host's own. The key comes with each request.
func hostFields(spec store.HostSpec, given http.Header) []http1.Field {
	for name, value := range spec.Headers {
		given.Set(name, value)
	}
	for _, name := range []string{"Idempotency-Key", "X-Idempotency-Key", keyHeader(spec.Auth)} {
		given.Del(name)
	}
	var fields []http1.Field
	for name, values := range given {
		if name != "User-Agent" || values[0] != "" {
			fields = append(fields, http1.Field{Name: name, Value: values[0]})
		}
	}
	slices.SortFunc(fields, func(a, b http1.Field) int { return strings.Compare(a.Name, b.Name) })
	return fields
}

// attemptFields are the lines of every attempt.
func attemptFields(spec store.HostSpec) []http1.Field {
	return hostFields(spec, http.Header{"Content-Type": {wire.ContentTypeJSON}, "Accept-Encoding": {"identity"}})
}

// setByHost are the names that a host's configuration decides, in canonical form.
func setByHost(spec store.HostSpec) []string {
	var names []string
	for name := range spec.Headers {
		names = append(names, http.CanonicalHeaderKey(name))
	}
	if name := keyHeader(spec.Auth); name != "" {
		names = append(names, name)
	}
	return names
}

// keyHeader is the header that carries the key, in canonical form; empty: none.
func keyHeader(auth string) string {
	switch auth {
	case "x-api-key", "x-goog-api-key":
		return http.CanonicalHeaderKey(auth)
	case "bearer":
		return "Authorization"
	}
	name, _ := strings.CutPrefix(auth, "header:")
	if name == auth {
		return ""
	}
	return http.CanonicalHeaderKey(name)
}

// appendKey adds the key in the host's style.
func appendKey(fields []http1.Field, spec *store.HostSpec, name string, k *plan.HostKey) []http1.Field {
	switch {
	case k.Anonymous || name == "":
		return fields
	case spec.Auth == "bearer":
		return append(fields, http1.Field{Name: name, Value: "Bearer " + k.Value.Reveal()})
	}
	return append(fields, http1.Field{Name: name, Value: k.Value.Reveal()})
}

// appendFields adds what an attempt says beyond the host's own lines: what the
// allow-list lets through of the caller's header, and the key.
func (a *attempt) appendFields(fields []http1.Field) []http1.Field {
	in := a.x.r.Header
	versioned, foreign := a.x.spoken.shape != store.ShapeAnthropic, a.x.foreign()
	for name, values := range in {
		if !goesUp(name) || a.up.sets(name) || hasToken(in["Connection"], name) || foreign && ofOneShape(name) {
			continue
		}
		versioned = versioned || name == "Anthropic-Version"
		for _, value := range values {
			fields = append(fields, http1.Field{Name: name, Value: value})
		}
	}
	if !versioned && !a.up.sets("Anthropic-Version") {
		fields = append(fields, http1.Field{Name: "Anthropic-Version", Value: anthropicVersion})
	}
	if suffixes[a.x.spoken.path].form {
		fields = append(fields, http1.Field{Name: "Content-Type", Value: in.Get("Content-Type")})
	}
	if !a.up.sets("User-Agent") {
		fields = append(fields, http1.Field{Name: "User-Agent", Value: userAgent(in.Get("User-Agent"), a.x.s.opt.Version)})
	}
	if !a.up.sets("Relay-Hops") {
		fields = append(fields, http1.Field{Name: "Relay-Hops", Value: hopText(hops(in) + 1)})
	}
	if a.x.proxied {
		return a.appendOwn(fields)
	}
	return appendKey(fields, &a.up.spec, a.up.keyHeader, a.c.Key)
}

// anthropicVersion is sent for callers that name none: later versions refuse
// sampling parameters.
const anthropicVersion = "2023-06-01"

// dialAddress is host:port of a base URL.
func dialAddress(base *url.URL) string {
	port := base.Port()
	if port == "" {
		port = defaultPort(base.Scheme)
	}
	return net.JoinHostPort(base.Hostname(), port)
}

// hostHeader is what the Host header says: no zone and no default port.
func hostHeader(base *url.URL) string {
	host, _, _ := strings.Cut(base.Hostname(), "%")
	port := base.Port()
	if port != "" && port != defaultPort(base.Scheme) {
		return net.JoinHostPort(host, port)
	}
	if strings.Contains(host, ":") {
		return "[" + host + "]"
	}
	return host
}

func defaultPort(scheme string) string {
	if scheme == "https" {
		return "443"
	}
	return "80"
}
