package http1_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"strings"
	"sync"
	"testing"

	"relay/gateway/gatewaytest"
	"relay/gateway/http1"
)

// large is more than the buffers of a connection take.
var large = bytes.Repeat([]byte("0123456789abcdef"), 2<<20)

func TestLargeBody_ArrivesWholeAndItsConnectionIsKept(t *testing.T) {
	up := gatewaytest.New(t)
	up.Otherwise(gatewaytest.Raw(text("hello")))
	client, _ := counting(t, up.Addr())
	for i, size := range []int{0, 1, 4 << 10, 16<<10 - 1, 16 << 10, 64 << 10, 64<<10 + 1, 1 << 20, len(large)} {
		send(client, post(t, large[:size])).want(t, 200, "hello")
		if got := up.Request(i).Body; !bytes.Equal(got, large[:size]) {
			t.Errorf("of %d bytes %d have arrived, or others", size, len(got))
		}
	}
	if n := up.Connections(); n != 1 {
		t.Errorf("%d connections, want 1", n)
	}
}

// A server that has its answer need not read the rest of the request.
func TestEarlyAnswer_IsNotLost(t *testing.T) {
	long := strings.Repeat("too large ", 10_000)
	for name, c := range map[string]struct {
		end  gatewaytest.Script
		body string
	}{
		"nothing more is read":  {gatewaytest.Hang(), "too large"},
		"it is a long one":      {gatewaytest.Hang(), long},
		"the connection closes": {gatewaytest.Close(), "too large"},
	} {
		t.Run(name, func(t *testing.T) {
			up := gatewaytest.New(t)
			client, _ := counting(t, up.Addr())
			for range 5 {
				up.OnConnect(gatewaytest.Join(gatewaytest.ReadHead(), gatewaytest.Raw(raw(413, c.body, "Content-Length: "+itoa(len(c.body)))), c.end))
				send(client, post(t, large)).want(t, 413, c.body)
			}
			if len(up.Requests()) != 5 || up.Connections() != 5 {
				t.Errorf("%d requests on %d connections, want 5 on 5: none twice, none kept", len(up.Requests()), up.Connections())
			}
		})
	}
}

func TestEarlyAnswer_EndsTheWritingWhenItsBodyIsClosed(t *testing.T) {
	up := gatewaytest.New(t)
	up.OnConnect(gatewaytest.Join(gatewaytest.ReadHead(), gatewaytest.Raw(raw(200, "hel", "Content-Length: 5")), gatewaytest.Hang()))
	client, n := counting(t, up.Addr())
	body := bytes.Clone(large)
	var call http1.Call
	resp, err := client.Do(context.Background(), &call, post(t, body))
	if err != nil {
		t.Fatal(err)
	}
	if err := resp.Body.Close(); err != nil || n.open.Load() != 0 {
		t.Errorf("%v, %d connections are open", err, n.open.Load())
	}
	clear(body) // nobody reads it any more, says the race detector
}

// A server may answer before it reads anything, and close.
func TestEarlyAnswer_OfAServerThatReadsNothingIsNotLost(t *testing.T) {
	busy := raw(503, "busy", "Content-Length: 4", "Connection: close")
	for _, size := range []int{5, 32 << 10, 1 << 20} {
		up := gatewaytest.New(t)
		client, _ := counting(t, up.Addr())
		up.OnConnect(gatewaytest.Join(gatewaytest.Raw(busy), gatewaytest.Hang()))
		send(client, post(t, large[:size])).want(t, 503, "busy")
	}
}

// deaf is a connection that takes so many bytes and fails then.
type deaf struct {
	net.Conn
	left int
	last func() // happens at that moment; nil: nothing
}

var errDeaf = errors.New("the peer does not listen")

func (d *deaf) Write(p []byte) (int, error) {
	n := min(len(p), d.left)
	d.left -= n
	if n == len(p) {
		return n, nil
	}
	if d.last != nil {
		d.last()
	}
	return n, errDeaf
}

// dialling makes a client that gets one connection after the other.
func dialling(tb testing.TB, conns ...net.Conn) *http1.Client {
	var mu sync.Mutex
	return newClient(tb, "tape:1", func(o *http1.Options) {
		o.Dial = func(context.Context, string, string) (net.Conn, error) {
			mu.Lock()
			defer mu.Unlock()
			c := conns[0]
			conns = conns[1:]
			return c, nil
		}
	})
}

// sizes are those of bodies that are written in each way.
var sizes = []int{5, 32 << 10, 1 << 20}

func TestFailedWrite_SaysWhetherAnythingHasLeft(t *testing.T) {
	for _, size := range sizes {
		for _, left := range []int{0, 1, 50} {
			r := send(dialling(t, &deaf{Conn: play("", 1), left: left}), post(t, large[:size]))
			if !errors.Is(r.err, errDeaf) || http1.Unsent(r.err) != (left == 0) {
				t.Errorf("%d bytes of which %d leave: got %v", size, left, r)
			}
		}
	}
}

func TestFailedWrite_StillReadsAnAnswerThatIsThere(t *testing.T) {
	for _, size := range sizes {
		first := play(raw(429, "busy", "Content-Length: 4"), 1)
		first.open = true
		client := dialling(t, &deaf{Conn: first}, play(text("second"), 1))
		send(client, post(t, large[:size])).want(t, 429, "busy")
		<-first.closed
		ask(t, client).want(t, 200, "second")
		r := send(dialling(t, &deaf{Conn: play("nonsense\r\n\r\n", 1)}), post(t, large[:size]))
		if !errors.Is(r.err, http1.ErrMalformed) {
			t.Errorf("got %v", r)
		}
	}
}

func TestFailedWrite_DoesNotWaitForAnAnswerForEver(t *testing.T) {
	for _, size := range sizes {
		here, there := net.Pipe()
		r := send(dialling(t, &deaf{Conn: here, left: 1}), post(t, large[:size]))
		if !errors.Is(r.err, errDeaf) || http1.Unsent(r.err) {
			t.Errorf("got %v", r)
		}
		_ = there.Close()
	}
}

// A kept connection to which nothing can be written gives way to another,
// whatever comes on it in the end.
func TestFailedWrite_OnAKeptConnectionTakesAnother(t *testing.T) {
	for _, size := range sizes {
		first := play(text("first"), 1<<20)
		first.open = true
		conn := &deaf{Conn: first, left: 1 << 10}
		client := dialling(t, conn, play(text("second"), 1))
		ask(t, client).want(t, 200, "first")
		conn.left = 0
		if size < 1<<20 {
			conn.last = func() { first.text = []byte(raw(408, "", "Content-Length: 0")) }
		}
		send(client, post(t, large[:size])).want(t, 200, "second")
		<-first.closed
	}
}

func TestBody_ReadsInAnySteps(t *testing.T) {
	long := strings.Repeat("0123456789", 1<<10)
	var chunks strings.Builder
	for rest := long; rest != ""; {
		n := min(len(rest), 1+len(rest)%300)
		chunks.WriteString(hex(n) + "\r\n" + rest[:n] + "\r\n")
		rest = rest[n:]
	}
	for name, wire := range map[string]string{
		"length": text(long), "chunked": raw(200, chunks.String()+"0\r\n\r\n", "Transfer-Encoding: chunked"), "to the end": raw(200, long),
	} {
		for _, step := range []int{1, 3, 100, 4095, 4096, 8192, len(long), 2 * len(long)} {
			var call http1.Call
			resp, err := play(wire, 1000).on(t).Do(context.Background(), &call, post(t, nil))
			if err != nil {
				t.Fatal(err)
			}
			var got bytes.Buffer
			if _, err := io.CopyBuffer(&got, struct{ io.Reader }{resp.Body}, make([]byte, step)); err != nil || got.String() != long {
				t.Errorf("%s in steps of %d: %d bytes, %v", name, step, got.Len(), err)
			}
			if n, err := resp.Body.Read(make([]byte, 1)); n != 0 || !errors.Is(err, io.EOF) {
				t.Errorf("%s: behind its end it reads %d, %v", name, n, err)
			}
		}
	}
}

// Several chunks that have come together are read together, and what has come
// never waits for more.
func TestBody_GivesWhatHasComeAtOnce(t *testing.T) {
	more := make(chan struct{})
	up := gatewaytest.New(t, gatewaytest.Join(
		gatewaytest.Raw(raw(200, "5\r\nhello\r\n7\r\n wor", "Transfer-Encoding: chunked")), gatewaytest.Wait(more), gatewaytest.Raw("ld!\r\n0\r\n\r\n")))
	client, _ := counting(t, up.Addr())
	var call http1.Call
	resp, err := client.Do(context.Background(), &call, post(t, nil))
	if err != nil {
		t.Fatal(err)
	}
	buf := make([]byte, 100)
	if n, err := resp.Body.Read(buf); string(buf[:n]) != "hello wor" || err != nil {
		t.Errorf("got %q, %v", buf[:n], err)
	}
	close(more)
	if n, err := resp.Body.Read(buf); string(buf[:n]) != "ld!" || !errors.Is(err, io.EOF) {
		t.Errorf("got %q, %v: want the end with the last bytes", buf[:n], err)
	}
}
