package http1_test

import (
	"errors"
	"strings"
	"testing"

	"relay/gateway/gatewaytest"
	"relay/gateway/http1"
)

// malformedAnswers break the rules of RFC 9112, or are larger than is read.
func malformedAnswers() map[string]string {
	chunked := func(body string) string { return raw(200, body, "Transfer-Encoding: chunked") }
	return map[string]string{
		"no HTTP":                   "SSH-2.0-x\r\n\r\n",
		"HTTP/0.9":                  "<html>\r\n\r\n",
		"HTTP/2":                    "HTTP/2.0 200 OK\r\nContent-Length: 0\r\n\r\n",
		"HTTP/1.2":                  "HTTP/1.2 200 OK\r\nContent-Length: 0\r\n\r\n",
		"HTTP/1.10":                 "HTTP/1.10 200 OK\r\nContent-Length: 0\r\n\r\n",
		"lower case":                "http/1.1 200 OK\r\nContent-Length: 0\r\n\r\n",
		"a blank line first":        "\r\n" + text("hello"),
		"two digits":                "HTTP/1.1 20 OK\r\nContent-Length: 0\r\n\r\n",
		"four digits":               "HTTP/1.1 2000 OK\r\nContent-Length: 0\r\n\r\n",
		"status 000":                "HTTP/1.1 000 OK\r\nContent-Length: 0\r\n\r\n",
		"status 099":                "HTTP/1.1 099 OK\r\nContent-Length: 0\r\n\r\n",
		"status -20":                "HTTP/1.1 -20 OK\r\nContent-Length: 0\r\n\r\n",
		"two blanks":                "HTTP/1.1  200 OK\r\nContent-Length: 0\r\n\r\n",
		"NUL in the reason":         "HTTP/1.1 200 O\x00K\r\nContent-Length: 0\r\n\r\n",
		"101":                       raw(101, "", "Upgrade: websocket", "Connection: Upgrade"),
		"too many interim answers":  strings.Repeat(raw(103, ""), 33) + text("hello"),
		"bare LF":                   "HTTP/1.1 200 OK\nContent-Length: 0\n\n\r\n\r\n",
		"bare LF within":            "HTTP/1.1 200 OK\r\nA: b\nContent-Length: 0\r\n\r\n",
		"bare CR":                   text("", "A: b\rC: d"),
		"CR before CRLF":            text("", "A: b\r"),
		"NUL in a value":            text("", "A: b\x00c"),
		"NUL in a long value":       text("", "A: 0123456789\x000123456789"),
		"DEL in a value":            text("", "A: 0123456789\x7f0123456789"),
		"escape in a value":         text("", "A: \x1b[2J"),
		"folded":                    text("", "A: b", " c"),
		"folded with a tab":         text("", "A: b", "\tc: d"),
		"folded first":              text("", " A: b"),
		"no name":                   text("", ": b"),
		"no colon":                  text("", "A"),
		"blank before the colon":    text("", "A : b"),
		"tab before the colon":      text("", "Content-Type\t: b"),
		"blank in a name":           text("", "A B: c"),
		"NUL in a name":             text("", "A\x00: c"),
		"not ASCII in a name":       text("", "É: c"),
		"parentheses in a name":     text("", "A(b): c"),
		"lengths that differ":       text("hello", "Content-Length: 6"),
		"a list of lengths":         raw(200, "hello", "Content-Length: 5, 5"),
		"a negative length":         raw(200, "hello", "Content-Length: -5"),
		"a signed length":           raw(200, "hello", "Content-Length: +5"),
		"a length in hexadecimal":   raw(200, "hello", "Content-Length: 0x5"),
		"an empty length":           raw(200, "hello", "Content-Length:"),
		"a huge length":             raw(200, "hello", "Content-Length: 9223372036854775808"),
		"length and chunked":        raw(200, "5\r\nhello\r\n0\r\n\r\n", "Transfer-Encoding: chunked", "Content-Length: 5"),
		"chunked and length":        raw(200, "5\r\nhello\r\n0\r\n\r\n", "Content-Length: 5", "Transfer-Encoding: chunked"),
		"gzip, chunked":             raw(200, "", "Transfer-Encoding: gzip, chunked"),
		"identity":                  raw(200, "hello", "Transfer-Encoding: identity"),
		"chunked, identity":         raw(200, "", "Transfer-Encoding: chunked, identity"),
		"chunked twice":             raw(200, "0\r\n\r\n", "Transfer-Encoding: chunked", "Transfer-Encoding: chunked"),
		"xchunked":                  raw(200, "0\r\n\r\n", "Transfer-Encoding: xchunked"),
		"an empty coding":           raw(200, "hello", "Transfer-Encoding:"),
		"chunked in HTTP/1.0":       "HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
		"a head that is too large":  text("", "A: "+strings.Repeat("x", 256<<10)),
		"a head without end":        "HTTP/1.1 200 OK\r\n" + strings.Repeat("A: b\r\n", 1<<16),
		"too many lines":            text("hello", strings.Fields(strings.Repeat("A:b ", 1000))...),
		"no chunk size":             chunked("\r\nhello\r\n0\r\n\r\n"),
		"a chunk size of letters":   chunked("xyz\r\nhello\r\n0\r\n\r\n"),
		"a signed chunk size":       chunked("+5\r\nhello\r\n0\r\n\r\n"),
		"a negative chunk size":     chunked("-5\r\nhello\r\n0\r\n\r\n"),
		"0x in a chunk size":        chunked("0x5\r\nhello\r\n0\r\n\r\n"),
		"a blank before a size":     chunked(" 5\r\nhello\r\n0\r\n\r\n"),
		"a huge chunk size":         chunked("8000000000000000\r\nhello"),
		"a longer chunk size":       chunked("00000000000000001ffffffffffffffff\r\nhello"),
		"a size with bare LF":       chunked("5\nhello\r\n0\r\n\r\n"),
		"data with bare LF":         chunked("5\r\nhello\n0\r\n\r\n"),
		"data without CRLF":         chunked("5\r\nhello0\r\n\r\n"),
		"data longer than its size": chunked("5\r\nhello world\r\n0\r\n\r\n"),
		"CR in an extension":        chunked("5;a\rb\r\nhello\r\n0\r\n\r\n"),
		"NUL in an extension":       chunked("5;a\x00b\r\nhello\r\n0\r\n\r\n"),
		"a word behind a size":      chunked("5 a\r\nhello\r\n0\r\n\r\n"),
		"a long extension":          chunked("5;" + strings.Repeat("a", 1<<10) + "\r\nhello\r\n0\r\n\r\n"),
		"extensions without end":    chunked(strings.Repeat("1;"+strings.Repeat("a", 500)+"\r\nx\r\n", 100) + "0\r\n\r\n"),
		"a trailer without colon":   chunked("5\r\nhello\r\n0\r\nnothing\r\n\r\n"),
		"a trailer with bare LF":    chunked("5\r\nhello\r\n0\r\nA: b\n\r\n"),
		"a long trailer line":       chunked("5\r\nhello\r\n0\r\nA: " + strings.Repeat("b", 1<<10) + "\r\n\r\n"),
		"a trailer without end":     chunked("5\r\nhello\r\n0\r\n" + strings.Repeat("A: bcdefgh\r\n", 10_000)),
	}
}

func TestAnswer_ThatBreaksTheRulesIsAnError(t *testing.T) {
	for name, wire := range malformedAnswers() {
		t.Run(name, func(t *testing.T) {
			for _, step := range []int{1 << 20, 5, 1} {
				c := play(wire, step)
				r := ask(t, c.on(t))
				if !errors.Is(r.err, http1.ErrMalformed) || http1.Unsent(r.err) {
					t.Fatalf("in steps of %d: got %v", step, r)
				}
				<-c.closed
			}
		})
	}
}

func TestAnswer_ThatBreaksTheRulesOnASocketClosesIt(t *testing.T) {
	up := gatewaytest.New(t)
	client := newClient(t, up.Addr())
	for name, wire := range malformedAnswers() {
		up.Play(gatewaytest.Join(gatewaytest.Raw(wire), gatewaytest.Hang()))
		if r := ask(t, client); !errors.Is(r.err, http1.ErrMalformed) {
			t.Errorf("%s: got %v", name, r)
		}
		<-up.Request(len(up.Requests()) - 1).Gone()
	}
	if got := len(up.Requests()); got != len(malformedAnswers()) || up.Connections() != got {
		t.Errorf("%d requests on %d connections, want %d", got, up.Connections(), len(malformedAnswers()))
	}
}
