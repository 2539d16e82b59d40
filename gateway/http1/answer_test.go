package http1_test

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"reflect"
	"strings"
	"testing"

	"relay/gateway/gatewaytest"
	"relay/gateway/http1"
)

// answers are whole ones, and what they are read as.
func answers() map[string]struct {
	wire   string
	status int
	body   string
} {
	long := strings.Repeat("0123456789abcdef", 1<<10)
	type answer = struct {
		wire   string
		status int
		body   string
	}
	return map[string]answer{
		"length":                   {text("hello"), 200, "hello"},
		"length 0":                 {text(""), 200, ""},
		"the same length twice":    {text("hello", "Content-Length: 5"), 200, "hello"},
		"chunked":                  {raw(200, "5\r\nhello\r\n6\r\n world\r\n0\r\n\r\n", "Transfer-Encoding: chunked"), 200, "hello world"},
		"chunked in odd case":      {raw(200, "0A\r\n0123456789\r\n000\r\n\r\n", "TRANSFER-ENCODING: Chunked"), 200, "0123456789"},
		"extensions":               {raw(200, "5;a=b;c=\"d\"\r\nhello\r\n5 ; x\r\nworld\r\n0;y\r\n\r\n", "Transfer-Encoding: chunked"), 200, "helloworld"},
		"a padded size":            {raw(200, "5  \r\nhello\r\n0\r\n\r\n", "Transfer-Encoding: chunked"), 200, "hello"},
		"trailers":                 {raw(200, "5\r\nhello\r\n0\r\nA: b\r\nC: d\r\n\r\n", "Transfer-Encoding: chunked"), 200, "hello"},
		"a chunk over the buffer":  {raw(200, fmt.Sprintf("%x\r\n%s\r\n0\r\n\r\n", len(long), long), "Transfer-Encoding: chunked"), 200, long},
		"length over the buffer":   {text(long), 200, long},
		"to the end":               {raw(200, "hello"), 200, "hello"},
		"to the end and empty":     {raw(200, ""), 200, ""},
		"HTTP/1.0":                 {"HTTP/1.0 200 OK\r\n\r\nhello", 200, "hello"},
		"no reason":                {"HTTP/1.1 429 \r\nContent-Length: 2\r\n\r\nno", 429, "no"},
		"no reason and no blank":   {"HTTP/1.1 503\r\nContent-Length: 2\r\n\r\nno", 503, "no"},
		"an odd status":            {raw(999, "no", "Content-Length: 2"), 999, "no"},
		"204":                      {raw(204, ""), 204, ""},
		"304 with a length":        {raw(304, "", "Content-Length: 500"), 304, ""},
		"interim answers":          {raw(100, "") + raw(103, "", "Link: </x>") + raw(102, "") + text("hello"), 200, "hello"},
		"as many as are allowed":   {strings.Repeat(raw(103, ""), 32) + text("hello"), 200, "hello"},
		"a head over the buffer":   {text("hello", "X-Long: "+long), 200, "hello"},
		"a head of some KiB":       {text("hello", "X-Long: "+long[:8<<10]), 200, "hello"},
		"a head at its bound":      {atBound(), 200, "hello"},
		"as many lines as allowed": {text("hello", strings.Fields(strings.Repeat("A:b ", 999))...), 200, "hello"},
	}
}

// atBound is an answer whose head has exactly 256 KiB.
func atBound() string {
	empty := text("hello", "X-Long: ")
	return text("hello", "X-Long: "+strings.Repeat("x", 256<<10-(len(empty)-len("hello"))))
}

func TestAnswer_IsReadTheSameHoweverItArrives(t *testing.T) {
	for name, a := range answers() {
		t.Run(name, func(t *testing.T) {
			for _, step := range []int{1, 2, 3, 7, 4095, 4096, 4097, 1 << 20} {
				ask(t, play(a.wire, step).on(t)).want(t, a.status, a.body)
			}
		})
	}
}

func TestAnswer_IsReadFromASocketByteByByte(t *testing.T) {
	for name, a := range answers() {
		if len(a.wire) < 1<<10 {
			t.Run(name, func(t *testing.T) {
				up := gatewaytest.New(t, gatewaytest.Join(gatewaytest.Bytewise(a.wire), gatewaytest.Close()))
				ask(t, newClient(t, up.Addr())).want(t, a.status, a.body)
			})
		}
	}
}

// An answer that has a delimiter is an error wherever it is cut, in its head or
// its body; any other one is as long as what has come.
func TestAnswer_CutAnywhereIsNoWholeOne(t *testing.T) {
	for name, a := range answers() {
		if len(a.wire) > 10<<10 {
			continue
		}
		t.Run(name, func(t *testing.T) {
			head := strings.LastIndex(a.wire, "\r\n\r\n") // of a final answer, or the end of a chunked body
			for n := range len(a.wire) {
				r := ask(t, play(a.wire[:n], 1<<20).on(t))
				toClose := strings.Contains(name, "to the end") || name == "HTTP/1.0"
				if toClose && n >= head+4 {
					r.want(t, a.status, a.wire[head+4:n])
				} else if !errors.Is(r.err, io.ErrUnexpectedEOF) {
					t.Fatalf("cut at %d of %q: %+v", n, a.wire, r)
				}
				if r.err != nil && http1.Unsent(r.err) {
					t.Fatalf("cut at %d: %v is called unsent", n, r.err)
				}
			}
		})
	}
}

func TestAnswer_CutOnASocketIsNoWholeOne(t *testing.T) {
	for _, name := range []string{"length", "chunked", "trailers", "interim answers"} {
		a := answers()[name]
		up := gatewaytest.New(t)
		client := newClient(t, up.Addr())
		for n := 1; n < len(a.wire); n++ {
			for _, end := range []gatewaytest.Script{gatewaytest.Close(), gatewaytest.Reset()} {
				up.Play(gatewaytest.CutAt(n, gatewaytest.Raw(a.wire), end))
				if r := ask(t, client); r.err == nil || http1.Unsent(r.err) {
					t.Fatalf("%s cut at %d: %+v", name, n, r)
				}
			}
		}
		if got, want := len(up.Requests()), 2*(len(a.wire)-1); got != want {
			t.Errorf("%s: the server saw %d requests, want %d: none twice", name, got, want)
		}
	}
}

func TestAnswer_HasCanonicalNamesAndTrimmedValues(t *testing.T) {
	r := ask(t, play(text("", "x-request-ID:  a b \t", "set-cookie: c", "SET-COOKIE: d", "X_odd.name!: é", "empty:"), 1<<20).on(t))
	want := http.Header{
		"X-Request-Id": {"a b"}, "Set-Cookie": {"c", "d"}, "X_odd.name!": {"é"}, "Empty": {""}, "Content-Length": {"0"},
	}
	if !reflect.DeepEqual(r.Header, want) {
		t.Errorf("got %q, want %q", r.Header, want)
	}
	if r.Status != "200 OK" || r.Proto != "HTTP/1.1" || r.ProtoMajor != 1 || r.ProtoMinor != 1 {
		t.Errorf("got %v", r.Response)
	}
}

func TestDelimited_TellsBodiesThatEndWithTheirConnection(t *testing.T) {
	for name, want := range map[string]bool{"length": true, "length 0": true, "chunked": true, "204": true, "to the end": false, "HTTP/1.0": false} {
		r := ask(t, play(answers()[name].wire, 1<<20).on(t))
		if http1.Delimited(r.Response) != want {
			t.Errorf("%s: %v, want %v", name, !want, want)
		}
	}
}

func TestAnswer_ToHEADHasNoBody(t *testing.T) {
	up := gatewaytest.New(t)
	up.Otherwise(gatewaytest.Raw(raw(200, "", "Content-Length: 500")))
	client := newClient(t, up.Addr())
	for range 2 {
		r := send(client, &http1.Request{Start: start(t, http.MethodHead)})
		r.want(t, 200, "")
		if r.ContentLength != 500 {
			t.Errorf("length %d, want what the header says", r.ContentLength)
		}
	}
	if n := up.Connections(); n != 1 {
		t.Errorf("%d connections, want the same for both", n)
	}
}
