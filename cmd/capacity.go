package cmd

import (
	"math"
	"net"
)

// filesElsewhere are kept for the database, the log, control and the rest.
const filesElsewhere = 200

// connections is max_connections, or what so many open files leave for callers
// once everything else has its own: each request in hand may have another file
// open to an upstream. 0 files: nobody knows how many there may be, and
// connections are not bounded.
func (c Config) connections(files uint64) int {
	if c.MaxConnections > 0 || files == 0 || files > math.MaxInt32 {
		return c.MaxConnections
	}
	free := max(int(files)-filesElsewhere, 2)
	return free - min(c.MaxInFlight, free/2)
}

// onLoopback reports whether an address can be reached from this machine only.
func onLoopback(addr net.Addr) bool {
	tcp, ok := addr.(*net.TCPAddr)
	return ok && tcp.IP.IsLoopback()
}
