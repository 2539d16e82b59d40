package store

import (
	"maps"
	"net/url"
	"slices"
	"strings"
)

func (f *faults) provider(s *ProviderSpec) {
	f.webURL("spec.homepageURL", s.HomepageURL)
	f.webURL("spec.docsURL", s.DocsURL)
	f.addIf("spec.icon", checkLine(s.Icon, maxAnnotation))
}

func (f *faults) webURL(field, text string) {
	if text == "" {
		return
	}
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.User != nil {
		f.add(field, "must be an http:// or https:// URL without credentials")
	}
}

func (f *faults) host(s *HostSpec) {
	base, message := checkBaseURL(s.BaseURL)
	f.addIf("spec.baseURL", message)
	f.auth(s)
	if base != nil && base.Scheme == "http" && s.Auth != "none" && !s.Insecure && publicName(base.Hostname()) {
		f.add("spec.baseURL", "sends the key unencrypted over the Internet: use https, or set insecure to true if the network is trusted")
	}
	f.known("spec.shapes", texts(s.Shapes), texts(Shapes()))
	f.headers(s)
	f.proxyURL(s.ProxyURL)
	if s.TLS != nil {
		f.addIf("spec.tls.caFile", checkLine(s.TLS.CAFile, maxDescription))
	}
}

func (f *faults) auth(s *HostSpec) {
	switch s.Auth {
	case "bearer", "x-api-key", "x-goog-api-key", "none":
		return
	}
	name, custom := strings.CutPrefix(s.Auth, "header:")
	switch {
	case !custom:
		f.add("spec.auth", "must be one of bearer, x-api-key, x-goog-api-key, none, or header:NAME such as header:api-key")
	case !isToken(name):
		f.add("spec.auth", "must name a valid header after header:, such as header:api-key")
	case isConnectionHeader(name):
		f.add("spec.auth", "must not name %s, which Relay writes itself", name)
	}
}

func (f *faults) headers(s *HostSpec) {
	names := slices.Sorted(maps.Keys(s.Headers))
	for _, name := range names {
		f.header("spec.headers."+name, name, s)
	}
	seen := map[string]bool{}
	for _, name := range names {
		if seen[strings.ToLower(name)] {
			f.add("spec.headers."+name, "is given twice in different case: keep one")
		}
		seen[strings.ToLower(name)] = true
	}
}

func (f *faults) header(field, name string, s *HostSpec) {
	switch {
	case !isToken(name):
		f.add(field, "must have a valid header name: letters, digits and dashes")
	case isCredentialHeader(name) || strings.EqualFold("header:"+name, s.Auth):
		f.add(field, "must not carry a credential, since headers are not secret: make a host key and set auth")
	case isConnectionHeader(name):
		f.add(field, "must not be set: Relay writes it itself")
	case strings.ContainsFunc(s.Headers[name], isHeaderControl):
		f.add(field, "must have a value without control characters")
	case len(s.Headers[name]) > maxDescription:
		f.add(field, "must have a value of at most %s", byteCount(maxDescription))
	}
}

func (f *faults) proxyURL(text string) {
	if text == "" {
		return
	}
	u, err := url.Parse(text)
	switch {
	case err != nil || !slices.Contains([]string{"http", "https", "socks5", "socks5h"}, u.Scheme) || u.Hostname() == "":
		f.add("spec.proxyURL", "must be a URL such as http://proxy.example:3128, with http, https, socks5 or socks5h")
	case u.User != nil:
		f.add("spec.proxyURL", "must not hold a user name or password, since hosts are not secret")
	case !validPort(u):
		f.add("spec.proxyURL", "must have a port between 1 and 65535, or none")
	default:
		if why := checkHostName(u.Hostname()); why != "" {
			f.add("spec.proxyURL", "%s %s", u.Hostname(), why)
		}
	}
}
