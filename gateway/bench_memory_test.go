package gateway_test

import (
	"io"
	"net"
	"os"
	"runtime/debug"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"relay/gateway/gatewaytest"
	"relay/store"
)

// resident is the process's memory as the kernel counts it, in bytes; 0 where it
// does not tell.
func resident() int64 {
	text, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return 0
	}
	pages, _ := strconv.ParseInt(strings.Fields(string(text))[1], 10, 64)
	return pages * int64(os.Getpagesize())
}

// memoryRig is a gateway in front of a bare upstream whose answers have so many
// bytes.
func memoryRig(b *testing.B, size int64) (*rig, string) {
	r := newRig(b)
	r.host("up", gatewaytest.New(b), 1)
	r.through(newBare(b, size).listener.Addr().String())
	key := r.key("laptop", store.RelayKeySpec{})
	c := r.callBare(key)
	readOpening(b, c)
	r.hangUp([]net.Conn{c})
	debug.FreeOSMemory()
	return r, key
}

// BenchmarkMemoryIdleStreams tells what 1,000 streams take that wait for their
// next event. Both ends of both connections are in the process.
func BenchmarkMemoryIdleStreams(b *testing.B) {
	const streams = 1000
	for range b.N {
		r, key := memoryRig(b, 0)
		before, beforeRSS := inUse(), resident()
		var open []net.Conn
		for range streams {
			c := r.callBare(key)
			readOpening(b, c)
			open = append(open, c)
		}
		held := inUse() - before
		b.ReportMetric(float64(held)/streams/1024, "KiB/stream")
		b.ReportMetric(float64(resident()-beforeRSS)/streams/1024, "RSS-KiB/stream")
		r.hangUp(open)
	}
}

// BenchmarkMemorySlowReaders tells by how much the process grows while 200
// streams of 20 MB go to callers that read 1 MB a second.
func BenchmarkMemorySlowReaders(b *testing.B) {
	const streams, size, rate = 200, 20 << 20, 1 << 20
	for range b.N {
		r, key := memoryRig(b, size)
		before := resident()
		var peak, read atomic.Int64
		var reading sync.WaitGroup
		done := make(chan struct{})
		for range streams {
			c := r.callBare(key)
			reading.Go(func() { read.Add(readSlowly(c, rate)) })
		}
		go func() {
			reading.Wait()
			close(done)
		}()
		tick := time.NewTicker(50 * time.Millisecond)
		for running := true; running; {
			select {
			case <-tick.C:
				peak.Store(max(peak.Load(), resident()-before))
			case <-done:
				running = false
			}
		}
		tick.Stop()
		if read.Load() < streams*size {
			b.Fatalf("%d bytes came, want %d", read.Load(), streams*size)
		}
		debug.FreeOSMemory()
		b.ReportMetric(float64(peak.Load())/(1<<20), "peak-MiB")
		b.ReportMetric(float64(resident()-before)/(1<<20), "after-MiB")
	}
}

// readSlowly reads an answer to its end, so many bytes a second.
func readSlowly(c net.Conn, rate int) (n int64) {
	piece := make([]byte, 8<<10)
	pace := time.NewTicker(time.Second * time.Duration(len(piece)) / time.Duration(rate))
	defer pace.Stop()
	for {
		got, err := io.ReadFull(c, piece[:1])
		if err == nil {
			var more int
			more, err = c.Read(piece[1:])
			got += more
		}
		n += int64(got)
		if err != nil || strings.Contains(string(piece[:got]), "[DONE]") {
			return n
		}
		<-pace.C
	}
}

// BenchmarkMemoryTinyEvents tells by how much the process grows over 10 M events
// of 10 bytes in one stream, and what one of them costs.
func BenchmarkMemoryTinyEvents(b *testing.B) {
	const events = 10_000_000
	for range b.N {
		r := newRig(b)
		up := gatewaytest.New(b, gatewaytest.Join(gatewaytest.Head(200, "Content-Type: text/event-stream"), gatewaytest.Raw(deltaEvent), gatewaytest.Fill(events, "data: {}\n\n"), gatewaytest.Raw(finishEvent+usageEvent+doneEvent), gatewaytest.Close()))
		r.host("up", up, 1)
		key := r.key("laptop", store.RelayKeySpec{})
		debug.FreeOSMemory()
		before, start, peak := resident(), time.Now(), int64(0)
		c := r.callBare(key)
		piece := make([]byte, 64<<10)
		for seen, rounds := int64(0), 0; ; rounds++ {
			n, err := c.Read(piece)
			seen += int64(n)
			if rounds%500 == 0 {
				peak = max(peak, resident()-before)
			}
			if err != nil || strings.HasSuffix(string(piece[:n]), "0\r\n\r\n") {
				if seen < events*10 {
					b.Fatalf("%d bytes came, want %d: %v", seen, events*10, err)
				}
				break
			}
		}
		b.ReportMetric(float64(peak)/(1<<20), "peak-MiB")
		b.ReportMetric(float64(time.Since(start).Nanoseconds())/events, "ns/event")
	}
}

// BenchmarkCancel tells how long an upstream goes on after its caller has gone,
// at worst of 200 streams.
func BenchmarkCancel(b *testing.B) {
	r := newRig(b)
	up := gatewaytest.New(b)
	r.host("up", up, 1)
	key := r.key("laptop", store.RelayKeySpec{})
	worst := time.Duration(0)
	for i := range max(b.N, 200) {
		up.Play(gatewaytest.Join(gatewaytest.StreamHead(), gatewaytest.Chunk(deltaEvent), gatewaytest.Hang()))
		c := r.callBare(key)
		readOpening(b, c)
		start := time.Now()
		_ = c.Close()
		<-up.Request(i).Gone()
		worst = max(worst, time.Since(start))
	}
	b.ReportMetric(float64(worst.Microseconds())/1000, "worst-ms")
}
