package gateway_test

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync"
	"testing"

	"relay/gateway/gatewaytest"
	"relay/store"
)

// bare is an upstream that holds nothing for a connection but the connection,
// so that what a stream takes is what the gateway takes. Each gets a head and
// an event, and then as many bytes of events as it can hold of size.
type bare struct {
	listener net.Listener
	size     int64
	mu       sync.Mutex
	conns    []net.Conn
	serving  sync.WaitGroup
}

func newBare(tb testing.TB, size int64) *bare {
	tb.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		tb.Fatal(err)
	}
	u := &bare{listener: l, size: size}
	u.serving.Go(u.accept)
	tb.Cleanup(func() {
		_ = l.Close()
		u.mu.Lock()
		for _, c := range u.conns {
			_ = c.Close()
		}
		u.mu.Unlock()
		u.serving.Wait()
	})
	return u
}

func (u *bare) accept() {
	for {
		c, err := u.listener.Accept()
		if err != nil {
			return
		}
		u.mu.Lock()
		u.conns = append(u.conns, c)
		u.mu.Unlock()
		u.serving.Go(func() { u.serve(c) })
	}
}

// serve ends once the last byte is written, and the connection goes on.
func (u *bare) serve(c net.Conn) {
	if _, err := readRequestOf(c); err != nil {
		return
	}
	_, err := io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n"+deltaEvent)
	event := gatewaytest.Data(`{"choices":[{"index":0,"delta":{"content":"` + strings.Repeat("words ", 40) + `"},"finish_reason":null}]}`)
	block := []byte(strings.Repeat(event, max(1, 32<<10/len(event))))
	for left := u.size; left > 0 && err == nil; left -= int64(len(block)) {
		_, err = c.Write(block)
	}
	if u.size > 0 {
		_, _ = io.WriteString(c, finishEvent+usageEvent+doneEvent)
		_ = c.Close()
	}
}

// readRequestOf reads a request without keeping a buffer.
func readRequestOf(c net.Conn) (string, error) {
	var head strings.Builder
	one := make([]byte, 4096)
	for {
		n, err := c.Read(one)
		head.Write(one[:n])
		if _, body, found := strings.Cut(head.String(), "\r\n\r\n"); found && strings.HasSuffix(body, "}") || err != nil {
			return head.String(), err
		}
	}
}

// through points the host up at an address.
func (r *rig) through(addr string) {
	r.tb.Helper()
	edit(r, "up", func(h *store.Host) { h.Spec.BaseURL = "http://" + addr + "/v1" })
}

// inUse is the memory that is held: heap after a collection, and stacks.
func inUse() int64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return int64(m.HeapInuse + m.StackInuse)
}

// callBare begins a stream on a connection that is read by hand.
func (r *rig) callBare(key string) net.Conn {
	r.tb.Helper()
	return r.sendBare(request(key, streamBody))
}

// sendBare sends a request on a connection of which nothing is kept.
func (r *rig) sendBare(request string) net.Conn {
	r.tb.Helper()
	c, err := net.Dial("tcp", r.addr)
	if err != nil {
		r.tb.Fatal(err)
	}
	r.tb.Cleanup(func() { _ = c.Close() })
	if _, err := io.WriteString(c, request); err != nil {
		r.tb.Fatal(err)
	}
	return c
}

// hangUp ends the calls and waits until they are over.
func (r *rig) hangUp(calls []net.Conn) {
	r.tb.Helper()
	for _, c := range calls {
		_ = c.Close()
	}
	until(r.tb, "every call is over", func() bool { return r.server.InFlight() == 0 })
}

// readOpening reads up to the end of the first event.
func readOpening(tb testing.TB, c net.Conn) {
	tb.Helper()
	var said strings.Builder
	buf := make([]byte, 512)
	for !strings.Contains(said.String(), "hel") {
		n, err := c.Read(buf)
		said.Write(buf[:n])
		if err != nil {
			tb.Fatalf("after %q: %v", said.String(), err)
		}
	}
}

func TestMemory_OfAnIdleStreamIsSmall(t *testing.T) {
	const streams, most = 200, 64 << 10 // both ends of both connections included
	r := newRig(t)
	r.host("up", gatewaytest.New(t), 1)
	r.through(newBare(t, 0).listener.Addr().String())
	key := r.key("laptop", store.RelayKeySpec{})
	open := []net.Conn{r.callBare(key)}
	readOpening(t, open[0])
	before := inUse()
	for range streams {
		c := r.callBare(key)
		readOpening(t, c)
		open = append(open, c)
	}
	if each := (inUse() - before) / streams; each > most {
		t.Errorf("an idle stream takes %d KiB, want at most %d", each>>10, most>>10)
	}
	r.hangUp(open)
}

func TestMemory_OfStreamsToSlowReadersIsBounded(t *testing.T) {
	const streams, size = 20, 4 << 20
	r := newRig(t)
	r.host("up", gatewaytest.New(t), 1)
	r.through(newBare(t, size).listener.Addr().String())
	key := r.key("laptop", store.RelayKeySpec{})
	before, peak := inUse(), int64(0)
	var readers []io.Reader
	for range streams {
		readers = append(readers, r.callBare(key))
	}
	piece := make([]byte, 16<<10)
	for round := 0; len(readers) > 0; round++ {
		for i := 0; i < len(readers); {
			n, err := readers[i].Read(piece)
			if strings.Contains(string(piece[:n]), "[DONE]") || err != nil {
				readers = append(readers[:i], readers[i+1:]...)
				continue
			}
			i++
		}
		if round%50 == 0 {
			peak = max(peak, inUse()-before)
		}
	}
	if most := int64(streams*256<<10 + 8<<20); peak > most {
		t.Errorf("%d streams took %d KiB at the peak, want at most %d", streams, peak>>10, most>>10)
	}
	for _, e := range r.events(streams) {
		if e.ErrorKind != "" || e.Tokens.Output != 20 {
			t.Fatalf("event %+v", e)
		}
	}
}

// What a stream allocates it allocates at its ends: its events cost no memory.
func TestMemory_IsNotAllocatedForAnEvent(t *testing.T) {
	r := newRig(t)
	r.host("up", gatewaytest.New(t), 1)
	key := r.key("laptop", store.RelayKeySpec{})
	allocated := func(size int64) uint64 {
		r.through(newBare(t, size).listener.Addr().String())
		var before, after runtime.MemStats
		for range 2 { // the first fills the pools
			req := httptest.NewRequest(http.MethodPost, "/v1/chat/completions", strings.NewReader(streamBody))
			req.Header.Set("Authorization", "Bearer "+key)
			runtime.ReadMemStats(&before)
			r.server.ServeHTTP(&discard{header: http.Header{}}, req)
			runtime.ReadMemStats(&after)
		}
		return after.Mallocs - before.Mallocs
	}
	const events = 30_000 // of 330 bytes
	few, many := allocated(1<<10), allocated(events*330)
	if many > few+events/50 { // net/http, which is left out here, makes two of each write
		t.Errorf("%d events cost %d allocations, one costs %d", events, many, few)
	}
	for _, e := range r.events(4) {
		if e.ErrorKind != "" || e.Tokens.Output != 20 {
			t.Errorf("event %+v", e)
		}
	}
}

func TestMemory_OfManyTinyEventsStaysFlat(t *testing.T) {
	const events = 300_000
	for _, k := range streamRepresentatives() { // the rest is cut as these are
		r, up, key := faultStand(t)
		tiny := k.event("{}")
		up.Play(gatewaytest.Join(gatewaytest.Head(200, "Content-Type: "+k.contentType), gatewaytest.Raw(k.answer(7, 3)[0]), gatewaytest.Fill(events, tiny), gatewaytest.Raw(k.answer(7, 3)[1:]...), gatewaytest.Close()))
		in, seen, first, last := bufio.NewReader(r.sendBare(k.request(key, "Connection: close"))), 0, int64(0), int64(0)
		for {
			line, err := in.ReadSlice('\n')
			if err != nil {
				break
			}
			if len(line) > len("data: {}\n") || !strings.Contains(string(line), "{}") {
				continue
			}
			switch seen++; seen {
			case events / 10:
				first = inUse()
			case events - events/10:
				last = inUse()
			}
		}
		if grown := last - first; seen != events || grown > 1<<20 {
			t.Errorf("%s: %d of %d events, over which %d KiB were added", k.name, seen, events, grown>>10)
		}
		if e := r.events(1)[0]; e.ErrorKind != "" || e.Tokens.Output != 3 {
			t.Errorf("%s: event %+v", k.name, e)
		}
	}
}
