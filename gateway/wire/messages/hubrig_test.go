package messages_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"relay/gateway/wire"
	"relay/gateway/wire/hub"
	"relay/gateway/wire/messages"

	"github.com/google/go-cmp/cmp"
)

// understood decodes a body as a caller of the shape sends it.
func understood(t testing.TB, body string) *hub.Request {
	t.Helper()
	r := &hub.Request{}
	if err := wire.Scan([]byte(body), &wire.Members{}); err != nil {
		t.Fatalf("%s: %v", body, err)
	}
	if err := (messages.Hub{}).Decode([]byte(body), r); err != nil {
		t.Fatalf("%s: %v", body, err)
	}
	return r
}

// asked decodes a body with the messages and further members.
func asked(t testing.TB, messages string, more ...string) *hub.Request {
	t.Helper()
	members := append([]string{`{"model":"m","max_tokens":9000,"messages":` + messages}, more...)
	return understood(t, strings.Join(members, ",")+"}")
}

const hi = `[{"role":"user","content":"hi"}]`

// to is the host of most tests.
var to = hub.Target{Model: "claude-sonnet-4-5", Provider: "acme", Streamed: true}

// sent returns the body that goes up to a host of the shape.
func sent(t testing.TB, r *hub.Request, to hub.Target) map[string]any {
	t.Helper()
	if _, err := r.Check("anthropic", messages.Hub{}.Fates()); err != nil {
		t.Fatal(err)
	}
	body, err := messages.Hub{}.Encode(nil, r, to)
	if err != nil {
		t.Fatal(err)
	}
	var told map[string]any
	if err := json.Unmarshal(body, &told); err != nil {
		t.Fatalf("%s: %v", body, err)
	}
	return told
}

// refused returns why a request does not go up.
func refused(t *testing.T, r *hub.Request) *wire.Error {
	t.Helper()
	_, err := r.Check("anthropic", messages.Hub{}.Fates())
	if err == nil {
		_, err = messages.Hub{}.Encode(nil, r, to)
	}
	return refusal(t, err)
}

func refusal(t *testing.T, err error) *wire.Error {
	t.Helper()
	var refusal *wire.Error
	if !errors.As(err, &refusal) {
		t.Fatalf("it is not refused: %v", err)
	}
	return refusal
}

// same compares a value with JSON.
func sameJSON(t testing.TB, what string, got any, want string) {
	t.Helper()
	var expected any
	if want != "" {
		if err := json.Unmarshal([]byte(want), &expected); err != nil {
			t.Fatalf("%s: %v", want, err)
		}
	}
	if diff := cmp.Diff(expected, got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

// streamed reads the data of a stream into events.
func streamed(t testing.TB, d hub.Decoder, to hub.Sink, stream string) {
	t.Helper()
	for _, block := range strings.Split(stream, "\n\n") {
		if name, data, ok := strings.Cut(block, "\ndata: "); ok {
			if err := d.Event(&wire.Event{Type: []byte(name), HasData: true, Data: []byte(data)}, to); err != nil {
				t.Fatalf("%s: %v", block, err)
			}
		}
	}
}

// heard reads a stream of an upstream into a whole answer.
func heard(t testing.TB, r *hub.Request, stream string) *hub.Answer {
	t.Helper()
	a := &hub.Answer{}
	s := hub.NewSequence(a, "1")
	streamed(t, messages.Hub{}.Decoder(r, "acme"), s, stream)
	s.Finish(nil)
	return a
}

// read reads a whole answer of an upstream.
func read(t testing.TB, r *hub.Request, body string) *hub.Answer {
	t.Helper()
	a := &hub.Answer{}
	s := hub.NewSequence(a, "1")
	if err := (messages.Hub{}).Decoder(r, "acme").Answer([]byte(body), s); err != nil {
		t.Fatalf("%s: %v", body, err)
	}
	s.Finish(nil)
	return a
}

// caller is the sink of a stream to a caller.
type caller struct {
	enc hub.Encoder
	out []byte
}

func (c *caller) Event(e hub.Event) { c.out = c.enc.Append(c.out, e) }

var reply = &hub.Reply{Request: &hub.Request{}, ID: "1", Model: "asked/for", Created: 1}

// told returns what a caller gets of events: a stream, and a whole answer.
func told(t testing.TB, u *wire.Usage, events ...hub.Event) (stream, whole string) {
	t.Helper()
	c, a := &caller{enc: messages.Hub{}.Encoder(reply)}, &hub.Answer{}
	for _, sink := range []hub.Sink{c, a} {
		s := hub.NewSequence(sink, "1")
		for _, e := range events {
			s.Event(e)
		}
		s.Finish(u)
	}
	return string(c.out), string(messages.Hub{}.Encoder(reply).AppendAnswer(nil, a))
}
