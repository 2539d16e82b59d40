package admin

import (
	"encoding/json"
	"errors"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
)

// guard is what every request to the listener passes, outermost first.
func (s *server) guard(next http.Handler) http.Handler {
	return secured(s.recovered(s.knownHost(next)))
}

// guardAPI is what requests under /api pass besides, outermost first.
func (s *server) guardAPI(next http.Handler) http.Handler {
	return private(s.admitted(s.sameOrigin(s.recognised(checkedQuery(checkedBody(escapedNames(next)))))))
}

// secured keeps browsers from running, sniffing or framing what is answered. Who
// has pages to show sets a policy of its own.
func secured(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Content-Type-Options", "nosniff")
		w.Header().Set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'")
		w.Header().Set("Referrer-Policy", "no-referrer")
		w.Header().Set("Cross-Origin-Resource-Policy", "same-origin")
		next.ServeHTTP(w, r)
	})
}

func private(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Cache-Control", "no-store")
		next.ServeHTTP(w, r)
	})
}

func (s *server) recovered(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer func() {
			cause := recover()
			if err, ok := cause.(error); ok && errors.Is(err, http.ErrAbortHandler) {
				panic(cause)
			}
			if cause != nil {
				writeProblem(w, s.panicked(cause))
			}
		}()
		next.ServeHTTP(w, r)
	})
}

// knownHost refuses names that are neither loopback nor configured, so that a
// page whose name was re-bound to this address cannot speak to it. /livez
// tells nothing and stays open to probes.
func (s *server) knownHost(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/livez" && !trusted(r) && !s.hostAllowed(r.Host) {
			writeProblem(w, problem(http.StatusMisdirectedRequest,
				"this server does not answer under that name; add it to control.allowed_hosts"))
			return
		}
		next.ServeHTTP(w, r)
	})
}

func (s *server) hostAllowed(hostport string) bool {
	host := hostport
	if name, _, err := net.SplitHostPort(hostport); err == nil {
		host = name
	}
	host = strings.ToLower(strings.TrimSuffix(strings.Trim(host, "[]"), "."))
	if host == "localhost" {
		return true
	}
	if addr, err := netip.ParseAddr(host); err == nil && addr.Unmap().IsLoopback() {
		return true
	}
	for _, allowed := range s.AllowedHosts {
		if host == strings.ToLower(allowed) {
			return true
		}
	}
	return false
}

// sameOrigin refuses writes that a browser makes for another site.
func (s *server) sameOrigin(next http.Handler) http.Handler {
	protection := http.NewCrossOriginProtection()
	protection.SetDenyHandler(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		writeProblem(w, problem(http.StatusForbidden, "a page of another origin may not change anything here"))
	}))
	return protection.Handler(next)
}

// checkedQuery refuses query strings that readers understand in different ways.
func checkedQuery(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, err := url.ParseQuery(r.URL.RawQuery); err != nil {
			writeProblem(w, problem(http.StatusBadRequest, "the query string is not well formed"))
			return
		}
		next.ServeHTTP(w, r)
	})
}

// writeProblem answers with a problem outside of huma's operations.
func writeProblem(w http.ResponseWriter, p *Problem) {
	w.Header().Set("Content-Type", p.ContentType(""))
	w.WriteHeader(p.Status)
	_ = json.NewEncoder(w).Encode(p) // the caller is gone when this fails
}
