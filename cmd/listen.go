package cmd

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"strings"
	"syscall"
)

// listen takes an address; a busy one is told with the setting that changes it.
func listen(address, setting string) (net.Listener, error) {
	l, err := net.Listen("tcp", address)
	if err == nil {
		return l, nil
	}
	flag := "--" + strings.NewReplacer(".", "-", "_", "-").Replace(setting)
	if isBusy(err) {
		return nil, fmt.Errorf("address %s is in use by another process: stop that one (ss -ltnp shows it), or take another address with %s", address, flag)
	}
	return nil, fmt.Errorf("listen on %s (%s): %w", address, setting, err)
}

// networks reads addresses and networks that the configuration has checked.
func networks(texts []string) []netip.Prefix {
	var out []netip.Prefix
	for _, text := range texts {
		if network, err := parseNetwork(text); err == nil {
			out = append(out, network)
		}
	}
	return out
}

func isBusy(err error) bool { return errors.Is(err, syscall.EADDRINUSE) }
