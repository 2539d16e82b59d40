package gateway_test

import (
	"fmt"
	"net/http"
	"runtime"
	"runtime/metrics"
	"strings"
	"sync/atomic"
	"testing"

	"relay/gateway"
	"relay/gateway/gatewaytest"
)

func mostBuffered(n int64) func(*gateway.Options) {
	return func(o *gateway.Options) { o.MaxBufferedBytes = n }
}

// liveHeap is how many bytes the heap holds that something still refers to.
func liveHeap() uint64 {
	runtime.GC()
	sample := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}

// TestOverload_BodiesNeverTakeMoreThanTheirShareOfMemory is O4, scaled down: of
// bodies of 1 MiB only as many are in memory as the budget holds, however many
// callers send one at a time. Twice the budget is Relay's (P10), once the
// upstream's, which keeps what it has got.
func TestOverload_BodiesNeverTakeMoreThanTheirShareOfMemory(t *testing.T) {
	const clients, size, most = 64, 1 << 20, 8 << 20
	for _, k := range representatives() { // the rest passes the same way, and each takes seconds
		body := k.padded(size - 1)
		f := newFront(t, mostBuffered(most), mostInHand(1024))
		greedy, polite := f.neighbours()
		release := make(chan struct{})
		f.up.Otherwise(k.saysAfter(5, 5, gatewaytest.Wait(release)))
		base := liveHeap()
		var turn atomic.Int64
		statuses := f.parallel(clients, func() gatewaytest.Answer {
			key := greedy
			if turn.Add(1)%2 == 0 {
				key = polite
			}
			text := strings.Replace(f.head("POST", k.path), f.key, key, 1)
			c := gatewaytest.Dial(t, f.addr)
			defer c.Close()
			c.Send(text + fmt.Sprintf("Content-Length: %d\r\n\r\n", len(body)))
			c.Send(body)
			return c.Answer()
		}, func(done *atomic.Int64) {
			fit := most / size
			if k.streamed { // a stream that has begun needs its body no more
				until(t, "all have been answered or begun", func() bool { return int(done.Load())+len(f.up.Requests()) == clients })
			} else {
				until(t, "the others are turned away", func() bool { return int(done.Load()) == clients-fit })
				f.up.Request(fit - 1)
			}
			if n := f.metric("relay_buffered_bytes", ""); n > most {
				t.Errorf("%s: %v bytes are counted", k.name, n)
			}
			bound := base + 2*most + uint64(len(f.up.Requests()))*size + clients*256<<10 + 4<<20
			if now := liveHeap(); now > bound {
				t.Errorf("%s: the heap went from %d to %d MiB, want at most %d", k.name, base>>20, now>>20, bound>>20)
			}
			close(release)
		})
		overloaded := statuses[http.StatusServiceUnavailable] + statuses[529]
		if statuses[http.StatusOK] == 0 || statuses[http.StatusOK]+overloaded != clients || f.shed("memory") != float64(overloaded) {
			t.Errorf("%s: statuses %v, %v counted", k.name, statuses, f.shed("memory"))
		}
		f.mustBeFree("large bodies")
	}
}

func TestOverload_ABodyThatDoesNotFitIsRefusedBeforeItIsAskedFor(t *testing.T) {
	for _, k := range kinds() {
		f := newFront(t, mostBuffered(100_000))
		greedy, polite := f.neighbours()
		var slow []*gatewaytest.Client
		for i, key := range []string{greedy, polite} {
			c := gatewaytest.Dial(t, f.addr)
			c.Send(strings.Replace(f.head("POST", k.path), f.key, key, 1) + "Content-Length: 49000\r\n\r\n{")
			slow = append(slow, c)
			until(t, "the body is begun", func() bool { return f.metric("relay_buffered_bytes", "") == float64((i+1)*49_000) })
		}
		c := gatewaytest.Dial(t, f.addr)
		c.Send(f.head("POST", k.path, "Content-Length: 3000", "Expect: 100-continue") + "\r\n")
		f.mustShed(c.Answer(), k.path, "max_buffered_bytes, 100000 bytes; half of it for one account")
		if strings.Contains(c.Received(), "100 Continue") {
			t.Errorf("%s: the body was asked for", k.name)
		}
		f.mustRecord("a body too many", k.overloaded(), "overloaded")

		packed := gatewaytest.Gzip(k.dense(60_000))
		f.mustShed(f.send(k, packed[:1500]+strings.Repeat("x", 500), "Content-Encoding: gzip"), k.path, "max_buffered_bytes")
		chunked := gatewaytest.Do(t, f.addr, f.head("POST", k.path, "Transfer-Encoding: chunked")+"\r\n"+inChunks(k.padded(3000), 100))
		f.mustShed(chunked, k.path, "max_buffered_bytes")
		for _, c := range slow {
			c.Close()
		}
		f.mustBeFree("bodies that were not finished")
		f.up.Otherwise(k.says(5, 5))
		f.want(f.ask(k, f.key), 200, "")
	}
}

func TestOverload_ABodyLargerThanAllMemoryForBodiesIsTooLarge(t *testing.T) {
	for _, k := range kinds() {
		f := newFront(t, mostBuffered(64<<10))
		f.up.Otherwise(k.says(5, 5))
		f.mustRefuse("by its length", f.send(k, k.padded(64<<10)), k.path, 413, "request_too_large")
		a := gatewaytest.Do(t, f.addr, f.head("POST", k.path, "Transfer-Encoding: chunked")+"\r\n"+inChunks(k.padded(64<<10), 1000))
		f.mustRefuse("by its bytes", a, k.path, 413, "request_too_large")
		if !strings.Contains(a.Body, "over 64 KiB, the limit max_buffered_bytes of this gateway") {
			t.Errorf("%s: %s", k.name, a.Body)
		}
		f.want(f.send(k, k.padded(64<<10-1)), 200, "")
		f.want(gatewaytest.Do(t, f.addr, f.head("POST", k.path, "Transfer-Encoding: chunked")+"\r\n"+inChunks(k.padded(64<<10-1), 1000)), 200, "")
		f.mustBeFree("large bodies")
	}
}

// One account that sends large bodies slowly keeps nobody else out.
func TestOverload_AGreedyAccountLeavesHalfOfTheMemoryToOthers(t *testing.T) {
	for _, k := range kinds() {
		f := newFront(t, mostBuffered(100_000))
		f.up.Otherwise(k.says(5, 5))
		greedy, polite := f.neighbours()
		head := strings.Replace(f.head("POST", k.path), f.key, greedy, 1)
		var slow []*gatewaytest.Client
		for range 2 {
			c := gatewaytest.Dial(t, f.addr)
			c.Send(head + "Content-Length: 25000\r\n\r\n{")
			slow = append(slow, c)
		}
		until(t, "the half is used", func() bool { return f.metric("relay_buffered_bytes", "") == 50_000 })
		f.mustShed(gatewaytest.Do(t, f.addr, head+"Content-Length: 1000\r\n\r\n"), k.path, "half of it for one account")
		f.want(gatewaytest.Do(t, f.addr, strings.Replace(head, greedy, polite, 1)+fmt.Sprintf("Content-Length: %d\r\n\r\n%s", 49_000, k.padded(49_000))), 200, "")
		for _, c := range slow {
			c.Reset()
		}
		f.mustBeFree("half-sent bodies")
	}
}

// Every ending gives the bytes and the place in hand back.
func TestOverload_EveryEndingGivesBackWhatItHeld(t *testing.T) {
	for _, k := range kinds() {
		f := newFront(t, mostBuffered(4<<20), mostInHand(2))
		f.withoutKeys(hosts()...)
		for _, e := range endings() {
			f.up.Otherwise(e.script(k))
			if e.caller == nil {
				f.send(k, k.padded(400_000))
			} else {
				e.caller(f.rig, k, f.key)
			}
			f.mustBeFree(e.name)
		}
		f.up.Otherwise(k.says(5, 5))
		f.want(f.ask(k, f.key), 200, "")
	}
}
