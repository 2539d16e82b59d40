package foreign

import (
	"net/netip"
	"time"
)

func unix(seconds float64) time.Time { return time.Unix(int64(seconds), 0).UTC() }

// readNetworks reads the addresses that a token may come from. One that is no
// address leaves the token switched off, since leaving it out would let others in.
func (a *oneAPI) readNetworks(c *caller, row *object) {
	for _, text := range append(words(row.text("subnet"), ","), words(row.text("allow_ips"), ",")...) {
		prefix, err := netip.ParsePrefix(text)
		if addr, addrErr := netip.ParseAddr(text); addrErr == nil {
			prefix, err = netip.PrefixFrom(addr, addr.BitLen()), nil
		}
		if err != nil {
			a.report.add(Unsupported, c.subject, "may come from addresses that cannot be read: it is switched off")
			c.off = true
			continue
		}
		c.networks = append(c.networks, prefix.Masked().String())
	}
}
