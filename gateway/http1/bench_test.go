package http1_test

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"

	"relay/gateway/http1"
)

// replay answers every request of 2 KB on a connection with the same bytes.
func replay(b *testing.B, wire string) string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go serveReplay(c, []byte(wire))
		}
	}()
	b.Cleanup(func() {
		_ = l.Close()
		<-done
	})
	return l.Addr().String()
}

func serveReplay(c net.Conn, wire []byte) {
	defer c.Close()
	in := bufio.NewReader(c)
	for {
		head, err := in.ReadSlice('\n')
		if err != nil {
			return
		}
		if len(bytes.TrimSpace(head)) > 0 {
			continue
		}
		if _, err := in.Discard(len(benchBody)); err != nil {
			return
		}
		if _, err := c.Write(wire); err != nil {
			return
		}
	}
}

var benchBody = bytes.Repeat([]byte("x"), 2<<10)

// benchAnswer has the head of a provider's answer and 1 KB of body.
var benchAnswer = text(strings.Repeat("y", 1<<10), "Date: Mon, 02 Mar 2026 12:00:00 GMT", "Content-Type: application/json", "openai-processing-ms: 312",
	"openai-version: 2020-10-01", "x-request-id: req_0123456789abcdef", "x-ratelimit-limit-requests: 10000", "x-ratelimit-limit-tokens: 2000000",
	"x-ratelimit-remaining-requests: 9999", "x-ratelimit-remaining-tokens: 1999000", "x-ratelimit-reset-requests: 6ms", "Server: up")

func BenchmarkClient(b *testing.B) {
	addr := replay(b, benchAnswer)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	b.Run("http1", func(b *testing.B) {
		client := newClient(b, addr)
		head := start(b, http.MethodPost)
		fields := []http1.Field{{Name: "Authorization", Value: "Bearer sk-0123456789"}, {Name: "Content-Type", Value: "application/json"}}
		buf := make([]byte, 4<<10)
		b.ReportAllocs()
		for b.Loop() {
			var call http1.Call
			resp, err := client.Do(ctx, &call, &http1.Request{Start: head, Fields: fields, Body: benchBody})
			drain(b, resp, err, buf)
		}
	})
	b.Run("net-http", func(b *testing.B) {
		tr := &http.Transport{MaxIdleConnsPerHost: 64, DisableCompression: true, ReadBufferSize: 8 << 10, WriteBufferSize: 8 << 10}
		b.Cleanup(tr.CloseIdleConnections)
		buf := make([]byte, 4<<10)
		b.ReportAllocs()
		for b.Loop() {
			req, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://"+addr+"/v1/chat/completions", io.NopCloser(bytes.NewReader(benchBody)))
			if err != nil {
				b.Fatal(err)
			}
			req.ContentLength = int64(len(benchBody))
			req.Header = http.Header{"Authorization": {"Bearer sk-0123456789"}, "Content-Type": {"application/json"}}
			resp, err := tr.RoundTrip(req)
			drain(b, resp, err, buf)
		}
	})
}

func drain(b *testing.B, resp *http.Response, err error, buf []byte) {
	for err == nil {
		_, err = resp.Body.Read(buf)
	}
	if err != io.EOF {
		b.Fatal(err)
	}
	_ = resp.Body.Close()
}

func BenchmarkAnswer(b *testing.B) {
	client := newClient(b, "tape:1", func(o *http1.Options) {
		o.Dial = func(context.Context, string, string) (net.Conn, error) {
			return &endless{text: []byte(benchAnswer)}, nil
		}
	})
	head := start(b, http.MethodPost)
	buf := make([]byte, 4<<10)
	b.ReportAllocs()
	for b.Loop() {
		var call http1.Call
		resp, err := client.Do(context.Background(), &call, &http1.Request{Start: head, Body: benchBody})
		drain(b, resp, err, buf)
	}
}

// endless answers every request from memory.
type endless struct {
	tape
	text []byte
	sent bool
}

func (e *endless) Write(p []byte) (int, error) {
	e.sent = true
	return len(p), nil
}

func (e *endless) Read(p []byte) (int, error) {
	if !e.sent {
		return 0, timeout{}
	}
	e.sent = false
	return copy(p, e.text), nil
}

func (e *endless) Close() error { return nil }

type timeout struct{ error }

func (timeout) Timeout() bool { return true }
