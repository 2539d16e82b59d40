package http1_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"relay/gateway/http1"
)

// FuzzAnswer reads what a server might send. It must end, give the same however
// the bytes arrive, and where net/http accepts an answer, too, be the same one.
func FuzzAnswer(f *testing.F) {
	for _, a := range answers() {
		if len(a.wire) < 1<<10 {
			f.Add([]byte(a.wire))
		}
	}
	for _, wire := range malformedAnswers() {
		if len(wire) < 1<<10 {
			f.Add([]byte(wire))
		}
	}
	f.Fuzz(func(t *testing.T, wire []byte) {
		whole, pieces := ask(t, play(string(wire), 1<<20).on(t)), ask(t, play(string(wire), 1).on(t))
		if whole.String() != pieces.String() && !bothFail(whole, pieces) {
			t.Fatalf("read at once: %v\nread byte by byte: %v", whole, pieces)
		}
		if whole.Response != nil && whole.err == nil {
			compare(t, whole, wire)
		}
	})
}

// bothFail leaves out how much of a broken body is read before it is known to
// be broken.
func bothFail(a, b reply) bool { return a.err != nil && b.err != nil }

// compare checks an answer against net/http's reading.
func compare(t *testing.T, got reply, wire []byte) {
	in := bufio.NewReader(bytes.NewReader(wire))
	for {
		want, err := http.ReadResponse(in, &http.Request{Method: http.MethodPost})
		if err != nil {
			return
		}
		if want.StatusCode/100 == 1 && want.StatusCode != http.StatusSwitchingProtocols {
			continue
		}
		body, err := io.ReadAll(want.Body)
		if err != nil {
			return
		}
		if lengths := got.Header["Content-Length"]; len(lengths) > 1 {
			got.Header["Content-Length"] = lengths[:1] // as net/http does with the same one twice
		}
		want.Header["Transfer-Encoding"], got.Header["Transfer-Encoding"] = nil, nil // net/http takes these out
		want.Header["Trailer"], got.Header["Trailer"] = nil, nil
		if got.StatusCode != want.StatusCode || got.body != string(body) || !maps.EqualFunc(got.Header, want.Header, slices.Equal) {
			t.Fatalf("got %v\nnet/http: %d %q %q", got, want.StatusCode, want.Header, body)
		}
		return
	}
}

// FuzzFields checks that no field of a request becomes two, or another.
func FuzzFields(f *testing.F) {
	f.Add("X-A", "b")
	for _, field := range unfit() {
		f.Add(field.Name, field.Value)
	}
	f.Fuzz(func(t *testing.T, name, value string) {
		head, err := http1.Start(http.MethodPost, "/", "up.test", http1.Field{Name: name, Value: value})
		if err != nil {
			return
		}
		r, err := http.ReadRequest(bufio.NewReader(io.MultiReader(bytes.NewReader(head), strings.NewReader("\r\n"))))
		if err != nil {
			t.Fatalf("net/http does not read %q: %v", head, err)
		}
		want := http.Header{http.CanonicalHeaderKey(name): {strings.Trim(value, " \t")}}
		if !maps.EqualFunc(r.Header, want, slices.Equal) || r.ContentLength != 0 || r.Host != "up.test" {
			t.Fatalf("%q is read as %q, want %q", head, r.Header, want)
		}
	})
}

func TestDo_OnATapeThatEndsIsAnErrorThatSaysSo(t *testing.T) {
	var call http1.Call
	if _, err := play("", 1).on(t).Do(context.Background(), &call, post(t, nil)); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("got %v", err)
	}
}
