package store

import (
	"net/netip"
	"strings"
)

// ForbiddenAddress tells why no upstream may be reached at addr, or returns "".
// Link-local, cloud metadata, unspecified, multicast and broadcast addresses
// are refused at write and, after DNS, at dial; IPv4 addresses also where an
// IPv6 address carries them.
func ForbiddenAddress(addr netip.Addr) string {
	addr = addr.Unmap().WithZone("")
	switch {
	case addr == metadataV6, addr == metadataV4:
		return "is the address of a cloud metadata service"
	case addr.IsUnspecified(), addr.Is4() && addr.As4()[0] == 0:
		return "is no address of a host"
	case addr.IsLinkLocalUnicast():
		return "is a link-local address, where cloud metadata services answer"
	case addr.IsMulticast():
		return "is a multicast address"
	case addr == broadcastV4:
		return "is the broadcast address"
	}
	if inner, ok := embeddedV4(addr); ok {
		return ForbiddenAddress(inner)
	}
	return ""
}

// PrivateAddress reports whether addr is a loopback address or of a range that
// the Internet does not route.
func PrivateAddress(addr netip.Addr) bool {
	addr = addr.Unmap().WithZone("")
	if inner, ok := embeddedV4(addr); ok {
		return PrivateAddress(inner)
	}
	return addr.IsLoopback() || addr.IsPrivate() || sharedV4.Contains(addr)
}

var (
	metadataV4  = netip.AddrFrom4([4]byte{100, 100, 100, 200})
	metadataV6  = netip.MustParseAddr("fd00:ec2::254")
	broadcastV4 = netip.AddrFrom4([4]byte{255, 255, 255, 255})
	sharedV4    = netip.MustParsePrefix("100.64.0.0/10") // RFC 6598
	nat64       = netip.MustParsePrefix("64:ff9b::/96")  // RFC 6052
	sixToFour   = netip.MustParsePrefix("2002::/16")     // RFC 3056
	compatible  = netip.MustParsePrefix("::/96")         // RFC 4291, deprecated
)

// embeddedV4 returns the IPv4 address inside a translated IPv6 address.
func embeddedV4(addr netip.Addr) (netip.Addr, bool) {
	if !addr.Is6() || addr.IsLoopback() || addr.IsUnspecified() {
		return netip.Addr{}, false
	}
	b := addr.As16()
	switch {
	case nat64.Contains(addr), compatible.Contains(addr):
		return netip.AddrFrom4([4]byte(b[12:16])), true
	case sixToFour.Contains(addr):
		return netip.AddrFrom4([4]byte(b[2:6])), true
	}
	return netip.Addr{}, false
}

// checkHostName returns what is wrong with the host part of an upstream's URL,
// or "". A literal address is checked at once, a name again after DNS.
func checkHostName(host string) string {
	host = strings.TrimSuffix(strings.ToLower(host), ".")
	if addr, err := netip.ParseAddr(host); err == nil {
		if why := ForbiddenAddress(addr); why != "" {
			return why + ": give the address of an upstream"
		}
		return ""
	}
	switch {
	case host == "metadata.google.internal", host == "instance-data.ec2.internal", host == "instance-data":
		return "is the name of a cloud metadata service: give the address of an upstream"
	case looksNumeric(host):
		return "must be a host name or an IP address in its usual form, such as 192.168.1.20"
	}
	return ""
}

// looksNumeric finds addresses such as 2852039166 or 0x7f.1, which some
// resolvers read as IPv4.
func looksNumeric(host string) bool {
	last := host[strings.LastIndex(host, ".")+1:]
	return isDigits(last) || strings.HasPrefix(last, "0x")
}

// publicName reports whether the host of a URL may be on the Internet.
func publicName(host string) bool {
	host = strings.TrimSuffix(strings.ToLower(host), ".")
	if addr, err := netip.ParseAddr(host); err == nil {
		return !PrivateAddress(addr)
	}
	if !strings.Contains(host, ".") {
		return false
	}
	for _, suffix := range []string{".localhost", ".local", ".internal", ".lan", ".home.arpa", ".test", ".svc", ".svc.cluster.local"} {
		if strings.HasSuffix(host, suffix) {
			return false
		}
	}
	return true
}
