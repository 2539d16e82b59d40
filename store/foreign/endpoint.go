package foreign

import (
	"cmp"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"strings"

	"relay/store"
)

// ofCatalogue returns the endpoint of a host of the catalogue.
func (b *builder) ofCatalogue(name string) (endpoint, bool) {
	h, found := b.data.Host(name)
	if !found {
		return endpoint{}, false
	}
	return endpoint{host: h.Name, shipped: true, base: h.URL, auth: h.Auth, shapes: h.Shapes}, true
}

// at moves an endpoint to another base URL. Where the catalogue has a host at
// that URL with the same auth, it is that host. The error says why no host can
// be there, without repeating what stands in the URL beside host and path.
func (b *builder) at(e endpoint, base string) (endpoint, error) {
	base, _ = store.NormalizeBaseURL(base)
	for _, h := range b.data.Hosts {
		if sameURL(h.URL, base) && h.Auth == e.auth {
			e.host, e.shipped, e.base, e.shapes = h.Name, true, h.URL, h.Shapes
			return e, nil
		}
	}
	e.base, e.shipped = base, false
	e.host = hostWish(base)
	return e, e.check()
}

// check validates the host that the endpoint would be.
func (e endpoint) check() error {
	probe := &store.Host{Metadata: store.Metadata{Name: "probe"}, Spec: store.HostSpec{BaseURL: e.base, Auth: e.auth, Shapes: e.shapes, Headers: e.headers, Insecure: true}}
	if problems := store.Validate(probe); len(problems) > 0 {
		return fmt.Errorf("its %s %s", strings.TrimPrefix(problems[0].Field, "spec."), problems[0].Message)
	}
	return nil
}

// sameURL compares base URLs; a path that is missing may be the version, and
// localhost is 127.0.0.1.
func sameURL(shipped, given string) bool {
	given = strings.Replace(given, "//localhost", "//127.0.0.1", 1)
	if given == shipped {
		return true
	}
	u, err := url.Parse(given)
	return err == nil && strings.Trim(u.Path, "/") == "" && u.RawQuery == "" && strings.TrimSuffix(given, "/")+"/v1" == shipped
}

// withPath puts a path behind a URL that has none, or does not end in it.
func withPath(base, path string) string {
	base = strings.TrimRight(base, "/")
	if strings.HasSuffix(base, path) {
		return base
	}
	return base + path
}

// root returns scheme and host of a URL.
func root(base string) string {
	u, err := url.Parse(base)
	if err != nil || u.Host == "" {
		return base
	}
	return u.Scheme + "://" + u.Host
}

// hostWish is a name for a host at a URL: the labels of its name that tell, and
// its port.
func hostWish(base string) string {
	u, err := url.Parse(base)
	if err != nil {
		return "host"
	}
	name := strings.TrimPrefix(strings.TrimPrefix(u.Hostname(), "api."), "www.")
	if resource, azure := strings.CutSuffix(name, ".openai.azure.com"); azure {
		return "azure " + resource
	}
	return cmp.Or(strings.TrimSpace(name+" "+u.Port()), "host")
}

// unencrypted reports whether a key goes to a public address over plain http,
// which Relay does only when told so.
func unencrypted(e endpoint) bool {
	u, err := url.Parse(e.base)
	if err != nil || u.Scheme != "http" || e.auth == "none" {
		return false
	}
	if addr, err := netip.ParseAddr(u.Hostname()); err == nil {
		return !addr.IsPrivate() && !addr.IsLoopback()
	}
	return net.ParseIP(u.Hostname()) == nil && strings.Contains(u.Hostname(), ".")
}
