package cmd

import "net"

// BufferedBytes, Connections and OnLoopback are what a process works out of its
// configuration and its surroundings.
func BufferedBytes(c Config) int64           { return c.bufferedBytes() }
func Connections(c Config, files uint64) int { return c.connections(files) }
func OnLoopback(addr net.Addr) bool          { return onLoopback(addr) }
