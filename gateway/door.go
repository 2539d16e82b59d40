package gateway

import (
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"relay/gateway/wire"
)

// mostHeaders is how many header lines a request may have. Clients send up to
// about 40. Their size is bounded by MaxHeaderBytes, at which net/http answers
// by itself, with 431 and a line of text.
const mostHeaders = 128

// door is what a request must pass before anything is done for it. It does not
// look at credentials, and nothing that is decided later looks at what it
// looks at.
type door struct {
	loopback bool     // the listener is on a loopback address
	hosts    []string // names besides loopback ones, in lower case
	origins  origins
}

func newDoor(opt *Options) door {
	d := door{loopback: opt.Loopback, origins: newOrigins(opt.CORSOrigins)}
	for _, name := range opt.Hosts {
		d.hosts = append(d.hosts, strings.ToLower(name))
	}
	return d
}

// refuse says why the request does not pass, or nil.
func (d *door) refuse(r *http.Request) error {
	switch {
	case headerLines(r.Header) > mostHeaders:
		return wire.NewError(wire.CodeHeadersTooLarge, "The request has more than "+strconv.Itoa(mostHeaders)+" header lines.")
	case d.loopback && !d.knows(r.Host):
		return wire.NewError(wire.CodeMisdirectedHost, "This gateway listens on a loopback address and does not answer to the name "+quoted(r.Host)+". Call it 127.0.0.1 or localhost, or make the name its domain, or add it to inference.allowed_hosts.")
	case d.foreign(r):
		return wire.NewError(wire.CodeOriginNotAllowed, "Pages of "+originText(r.Header)+" may not call this gateway. Its operator allows them with inference.cors_origins.")
	}
	return nil
}

func headerLines(h http.Header) (n int) {
	for _, lines := range h {
		n += len(lines)
	}
	return n
}

// knows reports whether Host is a loopback name, whatever its port, or one of
// the configured names. A page whose own name has been bound to a loopback
// address does not get past this (DNS rebinding).
func (d *door) knows(hostport string) bool {
	host, ok := hostName(hostport)
	switch {
	case !ok:
		return false
	case host == "localhost" || strings.HasSuffix(host, ".localhost"): // RFC 6761, section 6.3
		return true
	case slices.Contains(d.hosts, host):
		return true
	}
	addr, err := netip.ParseAddr(host)
	return err == nil && addr.Unmap().IsLoopback()
}

// hostName takes the port off, which must be a number, and the final dot.
func hostName(hostport string) (name string, ok bool) {
	if name, port, err := net.SplitHostPort(hostport); err == nil {
		if _, err := strconv.ParseUint(port, 10, 16); err != nil && port != "" {
			return "", false
		}
		hostport = name
	} else if inner, bracketed := strings.CutPrefix(hostport, "["); bracketed {
		hostport = strings.TrimSuffix(inner, "]")
	}
	return strings.ToLower(strings.TrimSuffix(hostport, ".")), true
}

// foreign reports whether a browser sends the request for a page of another
// origin which is not listed. What is no browser sends neither header.
func (d *door) foreign(r *http.Request) bool {
	site, given := r.Header["Sec-Fetch-Site"], r.Header["Origin"]
	if site == nil && given == nil || d.origins.any {
		return false
	}
	switch len(given) {
	case 0:
		return slices.Contains(site, "cross-site")
	case 1:
		return !d.origins.lists(given[0]) && !ownOrigin(r, given[0])
	}
	return true
}

// ownOrigin reports whether the page comes from this very listener: its browser
// says so, or its origin is what the request calls the gateway.
func ownOrigin(r *http.Request, origin string) bool {
	if site := r.Header["Sec-Fetch-Site"]; len(site) == 1 && site[0] == "same-origin" {
		return true
	}
	u, err := url.Parse(origin)
	return err == nil && u.Host != "" && strings.EqualFold(u.Host, r.Host)
}

func originText(h http.Header) string {
	if given := h["Origin"]; len(given) > 0 {
		return quoted(given[0])
	}
	return "other sites"
}

// upgrades reports whether the request wants a WebSocket. Other upgrades are
// offers (h2c is one that some clients make every time), which a server is free
// to ignore (RFC 9110, section 7.8).
func upgrades(h http.Header) bool { return hasToken(h["Upgrade"], "websocket") }
