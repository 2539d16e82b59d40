package responses_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"relay/gateway/wire"
	"relay/gateway/wire/hub"
	"relay/gateway/wire/responses"
)

func TestFates_DecideEveryParameter(t *testing.T) {
	fates := responses.Hub{}.Fates()
	for p := range hub.NumParams {
		if p != hub.NumMembers && p.String() != "" && fates[p] == hub.Undecided {
			t.Errorf("%s is undecided", p)
		}
	}
}

// decoded reads a caller's body that must be accepted.
func decoded(t *testing.T, body string) *hub.Request {
	t.Helper()
	r, err := decode(body)
	if err != nil {
		t.Fatalf("%s: %v", body, err)
	}
	return r
}

func decode(body string) (*hub.Request, error) {
	var m wire.Members
	if err := wire.Scan([]byte(body), &m); err != nil {
		return nil, err
	}
	r := &hub.Request{}
	return r, responses.Hub{}.Decode([]byte(body), r)
}

// encoded writes a request for a host, after it has been checked.
func encoded(t *testing.T, r *hub.Request, to hub.Target) string {
	t.Helper()
	codec := responses.Hub{}
	if _, err := r.Check(codec.Shape(), codec.Fates()); err != nil {
		t.Fatal(err)
	}
	body, err := codec.Encode(nil, r, to)
	if err != nil {
		t.Fatal(err)
	}
	var m wire.Members
	if err := wire.Scan(body, &m); err != nil {
		t.Fatalf("%v: %s", err, body)
	}
	return string(body)
}

// same compares JSON by what it says.
func same(t *testing.T, got, want string) {
	t.Helper()
	if diff := cmp.Diff(parsed(t, want), parsed(t, got)); diff != "" {
		t.Errorf("%s\n%s", got, diff)
	}
}

func parsed(t *testing.T, document string) (v any) {
	t.Helper()
	d := json.NewDecoder(strings.NewReader(document))
	d.UseNumber()
	if err := d.Decode(&v); err != nil {
		t.Fatalf("%s: %v", document, err)
	}
	return v
}

// refused returns what stands in the way of an error that refuses.
func refused(t *testing.T, err error) (code, param string) {
	t.Helper()
	var e *wire.Error
	if !errors.As(err, &e) || e.Status != 400 || e.Message == "" {
		t.Fatalf("error is %v", err)
	}
	return e.Code, e.Param
}

// played reads a stream as its caller's events, through a sequence.
func played(t *testing.T, r *hub.Request, stream string) *hub.Answer {
	t.Helper()
	a := &hub.Answer{}
	s := hub.NewSequence(a, "ID")
	d := responses.Hub{}.Decoder(r, "openai")
	for _, e := range eventsOf(stream) {
		if err := d.Event(&e, s); err != nil {
			t.Fatalf("%s: %v", e.Data, err)
		}
	}
	s.Finish(&wire.Usage{})
	return a
}

// eventsOf cuts a stream in which data is one line.
func eventsOf(stream string) (events []wire.Event) {
	for block := range strings.SplitSeq(strings.TrimSuffix(stream, "\n\n"), "\n\n") {
		e := wire.Event{}
		for line := range strings.SplitSeq(block, "\n") {
			if name, ok := strings.CutPrefix(line, "event: "); ok {
				e.Type = []byte(name)
			} else if data, ok := strings.CutPrefix(line, "data: "); ok {
				e.HasData, e.Data = true, []byte(data)
			}
		}
		events = append(events, e)
	}
	return events
}

// whole reads a whole response.
func whole(t *testing.T, body string) *hub.Answer {
	t.Helper()
	a := &hub.Answer{}
	s := hub.NewSequence(a, "ID")
	if err := (responses.Hub{}).Decoder(&hub.Request{}, "openai").Answer([]byte(body), s); err != nil {
		t.Fatalf("%s: %v", body, err)
	}
	s.Finish(&wire.Usage{})
	return a
}
