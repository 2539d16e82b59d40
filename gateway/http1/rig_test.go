package http1_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"runtime"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"relay/gateway/gatewaytest"
	"relay/gateway/http1"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// newClient makes a client of addr and closes it with the test.
func newClient(tb testing.TB, addr string, change ...func(*http1.Options)) *http1.Client {
	tb.Helper()
	opt := http1.Options{Dial: new(net.Dialer).DialContext, Addr: addr, HandshakeTimeout: gatewaytest.Patience, MaxIdle: 8, IdleTimeout: time.Hour}
	for _, c := range change {
		c(&opt)
	}
	client := http1.New(opt)
	tb.Cleanup(client.Close)
	return client
}

// start is the beginning of a head.
func start(tb testing.TB, method string) []byte {
	tb.Helper()
	b, err := http1.Start(method, "/v1/chat/completions", "up.test")
	if err != nil {
		tb.Fatal(err)
	}
	return b
}

func post(tb testing.TB, body []byte) *http1.Request {
	return &http1.Request{Start: start(tb, http.MethodPost), Body: body}
}

// reply is what came of a request.
type reply struct {
	*http.Response
	body string
	err  error // of Do, or of reading the body
}

// ask sends a small request and reads the answer to its end.
func ask(tb testing.TB, client *http1.Client) reply { return send(client, post(tb, []byte("hello"))) }

func send(client *http1.Client, r *http1.Request) reply {
	ctx, cancel := context.WithTimeoutCause(context.Background(), gatewaytest.Patience, errImpatient)
	defer cancel()
	var call http1.Call
	resp, err := client.Do(ctx, &call, r)
	if err != nil {
		return reply{err: err}
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	return reply{resp, string(body), err}
}

var errImpatient = context.DeadlineExceeded

func (r reply) String() string {
	if r.Response == nil {
		return fmt.Sprintf("no answer: %v (unsent: %v)", r.err, http1.Unsent(r.err))
	}
	return fmt.Sprintf("%d %q %q: %v", r.StatusCode, r.Header, r.body, r.err)
}

// want fails the test unless the answer is whole and says so.
func (r reply) want(tb testing.TB, status int, body string) {
	tb.Helper()
	if r.err != nil || r.StatusCode != status || r.body != body {
		tb.Fatalf("got %v, want %d %q", r, status, body)
	}
}

// text is an answer of known length.
func text(body string, lines ...string) string {
	return raw(200, body, append(lines, "Content-Length: "+itoa(len(body)))...)
}

func raw(status int, body string, lines ...string) string {
	var b bytes.Buffer
	b.WriteString("HTTP/1.1 " + itoa(status) + " " + http.StatusText(status) + "\r\n")
	for _, line := range lines {
		b.WriteString(line + "\r\n")
	}
	return b.String() + "\r\n" + body
}

func itoa(n int) string { return strconv.Itoa(n) }
func hex(n int) string  { return strconv.FormatInt(int64(n), 16) }

// eventually polls until the condition holds.
func eventually(tb testing.TB, what string, holds func() bool) {
	tb.Helper()
	for end := time.Now().Add(gatewaytest.Patience); !holds(); runtime.Gosched() {
		if time.Now().After(end) {
			tb.Fatalf("%s: has not come to pass", what)
		}
	}
}

// tape is a connection that plays bytes, at most so many at a time, takes every
// write and tells when it is closed.
type tape struct {
	net.Conn
	text   []byte
	step   int
	open   bool // nothing more comes, and no end either
	glued  bool // the end comes with the last bytes
	closed chan struct{}
}

func play(text string, step int) *tape {
	return &tape{text: []byte(text), step: step, closed: make(chan struct{})}
}

func (t *tape) Read(p []byte) (int, error) {
	if len(t.text) == 0 && t.open {
		return 0, os.ErrDeadlineExceeded
	}
	if len(t.text) == 0 {
		return 0, io.EOF
	}
	n := copy(p, t.text[:min(t.step, len(t.text))])
	t.text = t.text[n:]
	if t.glued && len(t.text) == 0 {
		return n, io.EOF
	}
	return n, nil
}

func (t *tape) Write(p []byte) (int, error)     { return len(p), nil }
func (t *tape) SetDeadline(time.Time) error     { return nil }
func (t *tape) SetReadDeadline(time.Time) error { return nil }
func (t *tape) Close() error {
	close(t.closed)
	return nil
}

// on makes a client of the tape alone.
func (t *tape) on(tb testing.TB) *http1.Client {
	return newClient(tb, "tape:1", func(o *http1.Options) {
		o.Dial = func(context.Context, string, string) (net.Conn, error) { return t, nil }
	})
}

// counter counts the connections that a client has open.
type counter struct{ open atomic.Int32 }

func (n *counter) dial(ctx context.Context, network, addr string) (net.Conn, error) {
	c, err := new(net.Dialer).DialContext(ctx, network, addr)
	if err != nil {
		return nil, err
	}
	n.open.Add(1)
	return &counted{TCPConn: c.(*net.TCPConn), n: n}, nil
}

type counted struct {
	*net.TCPConn
	n    *counter
	once sync.Once
}

func (c *counted) Close() error {
	c.once.Do(func() { c.n.open.Add(-1) })
	return c.TCPConn.Close()
}

// counting makes a client that counts.
func counting(tb testing.TB, addr string, change ...func(*http1.Options)) (*http1.Client, *counter) {
	tb.Helper()
	n := new(counter)
	client := newClient(tb, addr, append(change, func(o *http1.Options) { o.Dial = n.dial })...)
	tb.Cleanup(func() {
		client.Close()
		eventually(tb, "all connections are closed in the end", func() bool { return n.open.Load() == 0 })
	})
	return client, n
}

// together makes requests of which none is answered before the last has come.
func together(tb testing.TB, up *gatewaytest.Upstream, client *http1.Client, count int) {
	tb.Helper()
	before, all := len(up.Requests()), make(chan struct{})
	for range count {
		up.Play(gatewaytest.Join(gatewaytest.Wait(all), gatewaytest.Raw(text("together"))))
	}
	replies := make(chan reply, count)
	for range count {
		go func() { replies <- ask(tb, client) }()
	}
	up.Request(before + count - 1)
	close(all)
	for range count {
		(<-replies).want(tb, 200, "together")
	}
}
