package ollama_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"relay/gateway/wire"
	"relay/gateway/wire/hub"
	"relay/gateway/wire/ollama"
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

// decoded reads a caller's body as the gateway does.
func decoded(tb testing.TB, c hub.Caller, body string) *hub.Request {
	tb.Helper()
	r, err := tryDecode(c, body)
	if err != nil {
		tb.Fatalf("%v: %s", err, body)
	}
	return r
}

func tryDecode(c hub.Caller, body string) (*hub.Request, error) {
	var m wire.Members
	if err := wire.Scan([]byte(body), &m); err != nil {
		return nil, err
	}
	var r hub.Request
	return &r, c.Decode([]byte(body), &r)
}

var target = hub.Target{Model: "up:7b"}

// encoded writes the body that goes up, as the gateway does.
func encoded(tb testing.TB, r *hub.Request) string {
	tb.Helper()
	if _, err := r.Check("ollama", ollama.Hub{}.Fates()); err != nil {
		tb.Fatal(err)
	}
	body, err := ollama.Hub{}.Encode(nil, r, target)
	if err != nil {
		tb.Fatal(err)
	}
	if err := wire.Scan(body, &wire.Members{}); err != nil {
		tb.Fatalf("%v: %s", err, body)
	}
	return string(body)
}

// wantParam fails the test where an error is not the refusal of a member.
func wantParam(tb testing.TB, err error, param string) {
	tb.Helper()
	var e *wire.Error
	if !errors.As(err, &e) || e.Param != param || e.Status != 400 {
		tb.Errorf("%v is not the refusal of %s", err, param)
	}
}

func TestFates_DecideOnEveryParameter(t *testing.T) {
	for p, fate := range (ollama.Hub{}).Fates() {
		if fate == hub.Undecided && p != int(hub.NumMembers) {
			t.Errorf("%s is undecided", hub.Param(p))
		}
	}
}

func TestHubs_AreOfTheShapeOllama(t *testing.T) {
	for _, shape := range []string{ollama.Hub{}.Shape(), ollama.GenerateHub{}.Shape(), ollama.EmbeddingsHub{}.Shape()} {
		if shape != "ollama" {
			t.Error(shape)
		}
	}
}
