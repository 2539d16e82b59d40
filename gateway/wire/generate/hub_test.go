package generate_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"relay/gateway/wire"
	"relay/gateway/wire/generate"
	"relay/gateway/wire/hub"
)

// read returns what JSON says, numbers as they are written.
func read(tb testing.TB, document string) any {
	tb.Helper()
	d := json.NewDecoder(strings.NewReader(document))
	d.UseNumber()
	var said any
	if err := d.Decode(&said); err != nil {
		tb.Fatalf("%v in %s", err, document)
	}
	return said
}

// saysSame fails the test where two documents say different things.
func saysSame(tb testing.TB, got, want string) {
	tb.Helper()
	if diff := cmp.Diff(read(tb, want), read(tb, got)); diff != "" {
		tb.Errorf("%s\n(-want +got)\n%s", got, diff)
	}
}

// same fails the test where two values differ. Absent and empty are the same.
func same(tb testing.TB, got, want any) {
	tb.Helper()
	empty := cmp.FilterValues(func(a, b []byte) bool { return len(a) == 0 && len(b) == 0 }, cmp.Ignore())
	texts := cmp.FilterValues(func(a, b hub.Text) bool { return len(a) == 0 && len(b) == 0 }, cmp.Ignore())
	show := cmp.Transformer("text", func(t hub.Text) string { return string(t) })
	if diff := cmp.Diff(want, got, empty, texts, show); diff != "" {
		tb.Errorf("(-want +got)\n%s", diff)
	}
}

// decoded reads a body as the gateway does.
func decoded(tb testing.TB, body string) *hub.Request {
	tb.Helper()
	r, err := tryDecode(body)
	if err != nil {
		tb.Fatalf("%v: %s", err, body)
	}
	return r
}

func tryDecode(body string) (*hub.Request, error) {
	if err := wire.Scan([]byte(body), &wire.Members{}); err != nil {
		return nil, err
	}
	var r hub.Request
	return &r, generate.Hub{}.Decode([]byte(body), &r)
}

// wantRefusal fails the test where an error is not the refusal of a member.
func wantRefusal(tb testing.TB, err error, code, param string) {
	tb.Helper()
	var e *wire.Error
	if !errors.As(err, &e) || e.Code != code || e.Param != param || e.Status != 400 {
		tb.Errorf("%v is not %s of %s", err, code, param)
	}
}
