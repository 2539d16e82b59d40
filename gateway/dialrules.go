package gateway

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"syscall"

	"relay/store"
)

// dialRules say which addresses may be dialled, looked at after name
// resolution, so that no spelling and no DNS answer leads around them.
type dialRules struct {
	denyPrivate  bool
	allowPrivate bool
	own          func() []netip.AddrPort // Relay's own listeners
	resolver     *net.Resolver           // nil: the system's
}

var errAddressRefused = errors.New("address not allowed")

// control is a net.Dialer's ControlContext.
func (d dialRules) control(_ context.Context, _, address string, _ syscall.RawConn) error {
	at, err := netip.ParseAddrPort(address)
	if err != nil {
		return fmt.Errorf("%w: %s", errAddressRefused, address)
	}
	if reason := d.refuse(at.Addr().Unmap().WithZone(""), at.Port()); reason != "" {
		return fmt.Errorf("%w: %s", errAddressRefused, reason)
	}
	return nil
}

func (d dialRules) refuse(addr netip.Addr, port uint16) string {
	if why := forbidden(addr); why != "" {
		return addr.String() + " " + why
	}
	if d.denyPrivate && !d.allowPrivate && private(addr) {
		return "upstream.deny_private is set and the host does not allow private addresses (allowPrivate)"
	}
	if d.own == nil {
		return ""
	}
	for _, own := range d.own() {
		if own.Port() == port && listensAt(own.Addr().Unmap(), addr) {
			return "it is a listener of this Relay"
		}
	}
	return ""
}

// listensAt reports whether a listener on own answers at addr. One on an
// unspecified address answers at all addresses of the machine.
func listensAt(own, addr netip.Addr) bool {
	if own == addr {
		return true
	}
	return own.IsUnspecified() && (addr.IsLoopback() || isOfMachine(addr))
}

func isOfMachine(addr netip.Addr) bool {
	networks, err := net.InterfaceAddrs()
	if err != nil {
		return true // what cannot be told from a loop is one
	}
	for _, network := range networks {
		if prefix, err := netip.ParsePrefix(network.String()); err == nil && prefix.Addr().Unmap().WithZone("") == addr {
			return true
		}
	}
	return false
}

// forbidden tells why an address is never dialled, or an IPv4 address inside it:
// what the catalogue refuses, and the forms and metadata services that only an
// answer of DNS brings.
func forbidden(addr netip.Addr) string {
	if why := store.ForbiddenAddress(addr); why != "" {
		return why
	}
	for _, service := range metadataServices {
		if service == addr {
			return "is the address of a cloud metadata service"
		}
	}
	for _, inner := range carried(addr) {
		if why := forbidden(inner); why != "" {
			return why
		}
	}
	return ""
}

func private(addr netip.Addr) bool {
	if store.PrivateAddress(addr) {
		return true
	}
	for _, inner := range carried(addr) {
		if store.PrivateAddress(inner) {
			return true
		}
	}
	return false
}

var (
	// metadataServices are those outside link-local space: of Azure, of Oracle's
	// first generation and of Google over IPv6.
	metadataServices = []netip.Addr{
		netip.MustParseAddr("168.63.129.16"), netip.MustParseAddr("192.0.0.192"), netip.MustParseAddr("fd20:ce::254"),
	}
	localNAT64 = netip.MustParsePrefix("64:ff9b:1::/48")  // RFC 8215
	translated = netip.MustParsePrefix("::ffff:0:0:0/96") // RFC 2765
	teredo     = netip.MustParsePrefix("2001::/32")       // RFC 4380
	isatap     = [...]byte{0x5e, 0xfe}                    // RFC 5214, behind 0000 or 0200
)

// carried returns the IPv4 addresses that translators and tunnels may read out
// of an IPv6 one.
func carried(addr netip.Addr) []netip.Addr {
	if !addr.Is6() {
		return nil
	}
	b := addr.As16()
	tail := netip.AddrFrom4([4]byte(b[12:]))
	switch {
	case localNAT64.Contains(addr):
		return []netip.Addr{tail, netip.AddrFrom4([4]byte{b[6], b[7], b[9], b[10]})}
	case teredo.Contains(addr):
		return []netip.Addr{netip.AddrFrom4([4]byte(b[4:8])), netip.AddrFrom4([4]byte{^b[12], ^b[13], ^b[14], ^b[15]})}
	case translated.Contains(addr), b[8]&^2 == 0 && b[9] == 0 && [2]byte(b[10:12]) == isatap:
		return []netip.Addr{tail}
	}
	return nil
}
