package http1_test

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"relay/gateway/gatewaytest"
	"relay/gateway/http1"
)

func TestConnection_IsKeptWhenBothSidesKeepIt(t *testing.T) {
	for name, c := range map[string]struct {
		wire string
		kept bool
	}{
		"HTTP/1.1":                {text("hello"), true},
		"chunked":                 {raw(200, "5\r\nhello\r\n0\r\n\r\n", "Transfer-Encoding: chunked"), true},
		"with trailers":           {raw(200, "5\r\nhello\r\n0\r\nA: b\r\n\r\n", "Transfer-Encoding: chunked"), true},
		"an error":                {raw(500, "hello", "Content-Length: 5"), true},
		"closing":                 {text("hello", "Connection: close"), false},
		"closing among others":    {text("hello", "Connection: x, CLOSE ,y"), false},
		"closing in another line": {text("hello", "Connection: keep-alive", "Connection: close"), false},
		"HTTP/1.0":                {"HTTP/1.0 200 OK\r\nContent-Length: 5\r\n\r\nhello", false},
		"HTTP/1.0 keeping":        {"HTTP/1.0 200 OK\r\nConnection: Keep-Alive\r\nContent-Length: 5\r\n\r\nhello", true},
		"kept for long":           {text("hello", "Keep-Alive: timeout=60, max=100"), true},
		"kept for no time":        {text("hello", "Keep-Alive: timeout=0"), false},
		"bytes too many":          {text("hello") + "x", false},
		"two answers":             {text("hello") + text("world"), false},
		"chunked and bytes":       {raw(200, "5\r\nhello\r\n0\r\n\r\nx", "Transfer-Encoding: chunked"), false},
	} {
		t.Run(name, func(t *testing.T) {
			up := gatewaytest.New(t)
			up.Otherwise(gatewaytest.Raw(c.wire))
			client := newClient(t, up.Addr())
			for range 3 {
				if r := ask(t, client); r.err != nil || r.body != "hello" {
					t.Fatalf("got %v", r)
				}
			}
			if want := map[bool]int{true: 1, false: 3}[c.kept]; up.Connections() != want || len(up.Requests()) != 3 {
				t.Errorf("%d requests on %d connections, want 3 on %d", len(up.Requests()), up.Connections(), want)
			}
		})
	}
}

func TestConnection_WithoutABodyIsKeptOnlyWhenThereCanBeNone(t *testing.T) {
	for name, c := range map[string]struct {
		wire string
		kept bool
	}{
		"204":                 {raw(204, ""), true},
		"304":                 {raw(304, "", "Content-Length: 5"), true},
		"length 0":            {text(""), true},
		"204 with a body":     {raw(204, "hello", "Content-Length: 5"), false},
		"204 that is chunked": {raw(204, "0\r\n\r\n", "Transfer-Encoding: chunked"), false},
		"204 with a length":   {raw(204, "", "Content-Length: 5"), false},
	} {
		t.Run(name, func(t *testing.T) {
			up := gatewaytest.New(t)
			up.Otherwise(gatewaytest.Raw(c.wire))
			client := newClient(t, up.Addr())
			for range 2 {
				if r := ask(t, client); r.err != nil || r.body != "" {
					t.Fatalf("got %v", r)
				}
			}
			if want := map[bool]int{true: 1, false: 2}[c.kept]; up.Connections() != want {
				t.Errorf("%d connections, want %d", up.Connections(), want)
			}
		})
	}
}

func TestConnection_ThatDiesWithTheRequestIsAnErrorAndNothingIsSentAgain(t *testing.T) {
	up := gatewaytest.New(t, gatewaytest.Raw(text("first")), gatewaytest.Reset(), gatewaytest.Raw(text("third")))
	client := newClient(t, up.Addr())
	ask(t, client).want(t, 200, "first")
	if r := ask(t, client); r.err == nil || http1.Unsent(r.err) {
		t.Errorf("got %v", r)
	}
	ask(t, client).want(t, 200, "third")
	if n := len(up.Requests()); n != 3 {
		t.Errorf("the server saw %d requests, want 3", n)
	}
}

func TestClose_OfABodyKeepsTheConnectionOnlyWhenTheRestHasCome(t *testing.T) {
	rest := make(chan struct{})
	t.Cleanup(func() { close(rest) })
	for name, c := range map[string]struct {
		script gatewaytest.Script
		kept   bool
	}{
		"length":            {gatewaytest.Raw(text("hello world")), true},
		"chunked":           {gatewaytest.Raw(raw(200, "6\r\nhello \r\n5\r\nworld\r\n0\r\n\r\n", "Transfer-Encoding: chunked")), true},
		"a missing end":     {gatewaytest.Join(gatewaytest.Raw(raw(200, "6\r\nhello \r\n5\r\nworld\r\n", "Transfer-Encoding: chunked")), gatewaytest.Wait(rest)), false},
		"a missing rest":    {gatewaytest.Join(gatewaytest.Raw(raw(200, "hello", "Content-Length: 11")), gatewaytest.Wait(rest)), false},
		"to the end":        {gatewaytest.Join(gatewaytest.Raw(raw(200, "hello")), gatewaytest.Close()), false},
		"more than is held": {gatewaytest.Raw(text(strings.Repeat("hello world", 1<<10))), false},
	} {
		t.Run(name, func(t *testing.T) {
			up := gatewaytest.New(t, c.script, gatewaytest.Raw(text("next")))
			client := newClient(t, up.Addr())
			var call http1.Call
			resp, err := client.Do(context.Background(), &call, post(t, nil))
			if err != nil {
				t.Fatal(err)
			}
			if b, err := io.ReadAll(io.LimitReader(resp.Body, 3)); string(b) != "hel" {
				t.Fatalf("got %q, %v", b, err)
			}
			for range 2 {
				if err := resp.Body.Close(); err != nil {
					t.Error(err)
				}
			}
			if n, err := resp.Body.Read(make([]byte, 1)); n != 0 || err == nil || errors.Is(err, io.EOF) {
				t.Errorf("a closed body reads %d, %v", n, err)
			}
			ask(t, client).want(t, 200, "next")
			if want := map[bool]int{true: 1, false: 2}[c.kept]; up.Connections() != want {
				t.Errorf("%d connections, want %d", up.Connections(), want)
			}
		})
	}
}

func TestIdle_KeepsAsManyAsItIsToldAndTakesTheLastFirst(t *testing.T) {
	up := gatewaytest.New(t)
	client, n := counting(t, up.Addr(), func(o *http1.Options) { o.MaxIdle = 2 })
	together(t, up, client, 3)
	eventually(t, "the third connection is closed", func() bool { return n.open.Load() == 2 })
	up.Otherwise(gatewaytest.Raw(text("hello")))
	for range 10 {
		ask(t, client).want(t, 200, "hello")
	}
	last := up.Requests()[len(up.Requests())-1]
	for _, r := range up.Requests()[3:] {
		if r.Conn != last.Conn {
			t.Errorf("connection %d, then %d: want the same all the time", r.Conn, last.Conn)
		}
	}
}

func TestIdle_EndsConnectionsThatWaitTooLong(t *testing.T) {
	up := gatewaytest.New(t)
	client, n := counting(t, up.Addr(), func(o *http1.Options) { o.IdleTimeout = 30 * time.Millisecond })
	for range 3 {
		together(t, up, client, 4)
		eventually(t, "all are closed", func() bool { return n.open.Load() == 0 })
	}
}

func TestIdle_EndsThoseEarlierThatTheServerKeepsForLess(t *testing.T) {
	up, answer := gatewaytest.New(t), make(chan struct{})
	client, n := counting(t, up.Addr())
	up.Play(gatewaytest.Join(gatewaytest.Wait(answer), gatewaytest.Raw(text("hello", "Keep-Alive: max=5, timeout=1"))))
	done := make(chan reply)
	go func() { done <- ask(t, client) }()
	up.Request(0)
	up.Play(gatewaytest.Raw(text("hello")), gatewaytest.Raw(text("again")))
	ask(t, client).want(t, 200, "hello")
	close(answer)
	(<-done).want(t, 200, "hello")
	if n.open.Load() != 2 {
		t.Errorf("%d connections are kept, want 2", n.open.Load())
	}
	eventually(t, "one is closed", func() bool { return n.open.Load() == 1 })
	ask(t, client).want(t, 200, "again")
	if up.Connections() != 2 {
		t.Errorf("%d connections, want the other to be used", up.Connections())
	}
}

func TestClose_OfAClientEndsWhatIsIdleAndLaterWhatIsNot(t *testing.T) {
	answer := make(chan struct{})
	up := gatewaytest.New(t, gatewaytest.Join(gatewaytest.Wait(answer), gatewaytest.Raw(text("first"))))
	client, n := counting(t, up.Addr())
	done := make(chan reply)
	go func() { done <- ask(t, client) }()
	up.Request(0)
	up.Play(gatewaytest.Raw(text("second")), gatewaytest.Raw(text("third")))
	ask(t, client).want(t, 200, "second")
	if n.open.Load() != 2 {
		t.Fatalf("%d connections, want 2", n.open.Load())
	}
	client.Close()
	eventually(t, "the idle one is closed", func() bool { return n.open.Load() == 1 })
	close(answer)
	(<-done).want(t, 200, "first")
	ask(t, client).want(t, 200, "third")
	eventually(t, "so are the others", func() bool { return n.open.Load() == 0 })
}

func TestConnection_WhoseEndComesWithTheAnswerIsClosedAtOnce(t *testing.T) {
	c := play(text("hello"), 1<<20)
	c.glued = true
	ask(t, c.on(t)).want(t, 200, "hello")
	<-c.closed
}
