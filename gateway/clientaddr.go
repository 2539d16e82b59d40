package gateway

import (
	"net/http"
	"net/netip"
	"strings"
)

// ClientAddr returns the address that a request comes from: the connection's
// peer, or, when the peer is a trusted proxy, the right-most X-Forwarded-For
// entry that is not one. It is the zero address when the peer has none. The
// control listener asks it, too, so that both sides believe the same proxies.
func (s *Server) ClientAddr(r *http.Request) netip.Addr {
	peer, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil {
		return netip.Addr{}
	}
	addr := peer.Addr().Unmap()
	if !contains(s.opt.TrustedProxies, addr) {
		return addr
	}
	hops := strings.Split(strings.Join(r.Header["X-Forwarded-For"], ","), ",")
	for i := len(hops) - 1; i >= 0; i-- {
		hop, err := netip.ParseAddr(strings.TrimSpace(hops[i]))
		if err != nil {
			return addr
		}
		addr = hop.Unmap()
		if !contains(s.opt.TrustedProxies, addr) {
			return addr
		}
	}
	return addr
}

func contains(prefixes []netip.Prefix, addr netip.Addr) bool {
	for _, p := range prefixes {
		if p.Contains(addr) {
			return true
		}
	}
	return false
}
