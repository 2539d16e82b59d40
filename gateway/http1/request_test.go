package http1_test

import (
	"errors"
	"net/http"
	"strings"
	"testing"

	"relay/gateway/gatewaytest"
	"relay/gateway/http1"
)

func TestRequest_IsWrittenAsItIsGiven(t *testing.T) {
	up := gatewaytest.New(t)
	up.Otherwise(gatewaytest.Raw(raw(204, "")))
	client := newClient(t, up.Addr())
	begin, err := http1.Start(http.MethodPost, "/v1/x?y=%20z", "up.test:8080", http1.Field{Name: "Accept-Encoding", Value: "identity"})
	if err != nil {
		t.Fatal(err)
	}
	r := &http1.Request{Start: begin, Body: []byte("hello"), Fields: []http1.Field{{Name: "X-A", Value: " b\tc "}, {Name: "x-a", Value: ""}, {Name: "X-É"[:2], Value: "é"}}}
	send(client, r).want(t, 204, "")
	want := "POST /v1/x?y=%20z HTTP/1.1\r\nHost: up.test:8080\r\nAccept-Encoding: identity\r\nX-A: b\tc\r\nx-a: \r\nX-: é\r\nContent-Length: 5\r\n\r\n"
	if got := up.Request(0); got.Head != want || string(got.Body) != "hello" {
		t.Errorf("got %q %q, want %q", got.Head, got.Body, want)
	}
	for i, c := range []struct {
		method string
		body   string
		length string
	}{{"GET", "", ""}, {"HEAD", "", ""}, {"POST", "", "0"}, {"PUT", "", "0"}, {"DELETE", "", "0"}, {"GET", "x", "1"}} {
		send(client, &http1.Request{Start: start(t, c.method), Body: []byte(c.body)})
		if got := strings.Join(up.Request(i+1).Header("Content-Length"), ","); got != c.length {
			t.Errorf("%s with %q: Content-Length %q, want %q", c.method, c.body, got, c.length)
		}
	}
}

// unfit are fields that would be read as something else than one field.
func unfit() map[string]http1.Field {
	return map[string]http1.Field{
		"CR": {Name: "A", Value: "b\rc"}, "LF": {Name: "A", Value: "b\nc"}, "CRLF": {Name: "A", Value: "b\r\nEvil: c"},
		"LF at the end": {Name: "A", Value: "b\n"}, "NUL": {Name: "A", Value: "b\x00"}, "escape": {Name: "A", Value: "\x1b"},
		"DEL": {Name: "A", Value: "\x7f"}, "no name": {Name: "", Value: "b"}, "a blank": {Name: "A B", Value: "c"},
		"a colon": {Name: "A:", Value: "b"}, "CRLF in the name": {Name: "A\r\nB", Value: "c"}, "NUL in the name": {Name: "A\x00", Value: "c"},
		"not ASCII": {Name: "É", Value: "c"}, "a length": {Name: "content-length", Value: "7"}, "a coding": {Name: "Transfer-Encoding", Value: "chunked"},
		"a host": {Name: "HOST", Value: "c"}, "a connection": {Name: "Connection", Value: "close"}, "an upgrade": {Name: "Upgrade", Value: "h2c"},
		"an expectation": {Name: "Expect", Value: "100-continue"}, "TE": {Name: "TE", Value: "trailers"}, "a trailer": {Name: "Trailer", Value: "A"},
	}
}

func TestRequest_WithAFieldThatCannotBeSentIsRefused(t *testing.T) {
	up := gatewaytest.New(t)
	client := newClient(t, up.Addr())
	for name, f := range unfit() {
		r := send(client, &http1.Request{Start: start(t, http.MethodPost), Fields: []http1.Field{{Name: "Fine", Value: "x"}, f}})
		var refused *http1.FieldError
		if !errors.As(r.err, &refused) || refused.Name != f.Name || !http1.Unsent(r.err) || strings.Contains(r.err.Error(), "Evil") {
			t.Errorf("%s: got %v", name, r)
		}
		if b, err := http1.Start(http.MethodPost, "/", "up.test", f); !errors.As(err, &refused) || b != nil {
			t.Errorf("%s at the start: got %q, %v", name, b, err)
		}
	}
	if n := up.Connections(); n != 0 {
		t.Errorf("%d connections, want none", n)
	}
}

func TestStart_RefusesLinesThatWouldBeReadOtherwise(t *testing.T) {
	for _, c := range [][3]string{
		{"", "/", "up.test"}, {"PO ST", "/", "up.test"}, {"POST\r\n", "/", "up.test"},
		{"POST", "", "up.test"}, {"POST", "v1", "up.test"}, {"POST", "http://x/", "up.test"}, {"POST", "/a b", "up.test"}, {"POST", "/\r\nA: b", "up.test"}, {"POST", "/é", "up.test"}, {"POST", "/\x7f", "up.test"},
		{"POST", "/", ""}, {"POST", "/", "up test"}, {"POST", "/", "up.test\r\nA: b"}, {"POST", "/", "é"},
	} {
		var refused *http1.FieldError
		if b, err := http1.Start(c[0], c[1], c[2]); !errors.As(err, &refused) {
			t.Errorf("%q: got %q, %v", c, b, err)
		}
	}
	r := send(newClient(t, "127.0.0.1:1"), &http1.Request{})
	var refused *http1.FieldError
	if !errors.As(r.err, &refused) || !http1.Unsent(r.err) {
		t.Errorf("without a start: got %v", r)
	}
}
