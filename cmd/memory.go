package cmd

import (
	"cmp"
	"math"
	"runtime/debug"
	"runtime/metrics"
	"time"
)

const (
	bufferedAlways  = 256 << 20 // bytes of request bodies where no memory limit is set
	memoryBase      = 16 << 20  // bytes of a process that has nothing to do
	memoryOfRequest = 256 << 10 // bytes of a request in hand besides its body
)

// bufferedBytes is max_buffered_bytes, or what follows from GOMEMLIMIT.
func (c Config) bufferedBytes() int64 {
	if c.MaxBuffered > 0 {
		return int64(c.MaxBuffered)
	}
	if limit := debug.SetMemoryLimit(-1); limit < math.MaxInt64 {
		return limit / 4
	}
	return bufferedAlways
}

// memoryLimit is how many bytes the process takes at most by its settings: each
// body stands in memory as it came and as it is sent on. The Go runtime is told
// to stay below, or, collecting as seldom as gcPercent says, it would let large
// bodies lie about until they take four times as much.
func (c Config) memoryLimit() int64 {
	return memoryBase + 2*c.bufferedBytes() + int64(c.MaxInFlight)*memoryOfRequest + int64(c.Usage.Queue)
}

// tuneMemory sets what GOGC and GOMEMLIMIT leave open.
func (c *Config) tuneMemory(env Environment) {
	if env.get("GOGC") == "" {
		debug.SetGCPercent(gcPercent)
	}
	if env.get("GOMEMLIMIT") == "" {
		c.MaxBuffered = cmp.Or(c.MaxBuffered, bufferedAlways)
		debug.SetMemoryLimit(c.memoryLimit())
	}
}

const (
	trimInterval = 10 * time.Second
	trimAbove    = 64 << 20 // bytes that the heap has grown by
)

// trimMemory gives memory back to the system once the requests that needed it
// are over. The runtime itself would wait for its next collection, which in a
// process with nothing to do is minutes away.
func (p *process) trimMemory() {
	tick := time.NewTicker(trimInterval)
	defer tick.Stop()
	kept := heapBytes()
	for {
		select {
		case <-p.stop:
			return
		case <-tick.C:
		}
		if now := heapBytes(); now > kept+trimAbove && p.gateway.InFlight() == 0 {
			debug.FreeOSMemory()
			kept = heapBytes()
		} else {
			kept = min(kept, now)
		}
	}
}

// heapBytes is what the heap has of the system's memory, used or not.
func heapBytes() (n uint64) {
	parts := []metrics.Sample{
		{Name: "/memory/classes/heap/objects:bytes"}, {Name: "/memory/classes/heap/unused:bytes"}, {Name: "/memory/classes/heap/free:bytes"},
	}
	metrics.Read(parts)
	for _, part := range parts {
		n += part.Value.Uint64()
	}
	return n
}
