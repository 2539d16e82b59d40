package cmd_test

import (
	"math"
	"net"
	"runtime/debug"
	"testing"

	"relay/cmd"
)

func TestCapacity_BodiesTakeAQuarterOfTheMemoryLimitUnlessToldOtherwise(t *testing.T) {
	former := debug.SetMemoryLimit(-1)
	t.Cleanup(func() { debug.SetMemoryLimit(former) })
	cfg := cmd.DefaultConfig()
	for limit, want := range map[int64]int64{math.MaxInt64: 256 << 20, 4 << 30: 1 << 30, 64 << 20: 16 << 20} {
		debug.SetMemoryLimit(limit)
		if got := cmd.BufferedBytes(cfg); got != want {
			t.Errorf("of %d bytes bodies may take %d, want %d", limit, got, want)
		}
	}
	cfg.MaxBuffered = 32 << 20
	if got := cmd.BufferedBytes(cfg); got != 32<<20 {
		t.Errorf("told 32MiB, bodies may take %d", got)
	}
}

// Whatever the limit, 200 files are left for other things, and one for each
// request in hand that calls an upstream.
func TestCapacity_ConnectionsLeaveFilesForTheRest(t *testing.T) {
	cfg := cmd.DefaultConfig()
	for files, want := range map[uint64]int{0: 0, math.MaxUint64: 0, 20_000: 18_776, 4096: 2872, 2048: 924, 1024: 412, 256: 28, 100: 1} {
		if got := cmd.Connections(cfg, files); got != want {
			t.Errorf("of %d files callers may have %d, want %d", files, got, want)
		}
	}
	cfg.MaxConnections = 50
	if got := cmd.Connections(cfg, 20_000); got != 50 {
		t.Errorf("told 50, callers may have %d", got)
	}
}

func TestCapacity_OnlyLoopbackAddressesAreTakenForThat(t *testing.T) {
	for text, want := range map[string]bool{
		"127.0.0.1:8080": true, "127.9.9.9:1": true, "[::1]:8080": true, "0.0.0.0:8080": false, "[::]:8080": false, "10.0.0.1:8080": false, "169.254.1.1:80": false,
	} {
		addr, err := net.ResolveTCPAddr("tcp", text)
		if err != nil {
			t.Fatal(err)
		}
		if got := cmd.OnLoopback(addr); got != want {
			t.Errorf("%s: %v", text, got)
		}
	}
}
