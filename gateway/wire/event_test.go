package wire_test

import (
	"strings"
	"testing"

	"relay/gateway/wire"
)

func TestEvent_HoldsItsBytesAsTheyCame(t *testing.T) {
	for _, stream := range []string{
		"data: a\r\n\r\n", "event: x\ndata: a\ndata: b\n\n", ": c\n", "data: a", "data: " + strings.Repeat("long ", 40_000) + "\n\n",
	} {
		var s wire.Splitter
		raw := ""
		take := func() {
			for e := (wire.Event{}); s.Next(&e); raw += string(e.Raw) {
				if string(e.Raw) != string(s.Bytes(e.At)) {
					t.Errorf("an event holds %q and stands at %q", e.Raw, s.Bytes(e.At))
				}
			}
		}
		for rest := stream; len(rest) > 0; take() {
			n := copy(s.Space(), rest)
			s.Filled(n)
			rest = rest[n:]
		}
		s.End()
		take()
		if raw != stream {
			t.Errorf("%.40q became %.40q", stream, raw)
		}
	}
}

func TestKeep_LeavesOutTheEndOfAnEvent(t *testing.T) {
	var s wire.Splitter
	s.Filled(copy(s.Space(), ": before\ndata: a\ndata: b\n\n"))
	var e wire.Event
	for !e.HasData {
		if !s.Next(&e) {
			t.Fatal("no event")
		}
	}
	e.Keep(len("data: a\n"), "\n")
	if got := string(s.Bytes(e.At)) + e.Missing; got != "data: a\n\n" || string(e.Raw) != "data: a\n" {
		t.Errorf("got %q, raw %q", got, e.Raw)
	}
}

func TestDropCut_LeavesOutOnlyTheRestOfAStreamThatIsNoJSON(t *testing.T) {
	for stream, dropped := range map[string]bool{
		"data: {\"a\":": true, "data: {\"a\":\n": true, "data: x": true, "data: {}": false, "data: {\"a\":\n\n": false, "event: x": false, ": c": false,
	} {
		var s wire.Splitter
		var e wire.Event
		s.Filled(copy(s.Space(), stream))
		s.End()
		if !s.Next(&e) || e.DropCut() != dropped || (len(e.Raw)+len(e.Missing) == 0) != dropped {
			t.Errorf("%q: left %q and %q", stream, e.Raw, e.Missing)
		}
	}
}

func TestDropCut_LeavesTheEndOfALongEventWhereItsBeginningHasGone(t *testing.T) {
	var s wire.Splitter
	var last wire.Event
	take := func() {
		for e := (wire.Event{}); s.Next(&e); {
			last = e
		}
	}
	for rest := "data: {" + strings.Repeat("long ", 40_000); len(rest) > 0; take() {
		n := copy(s.Space(), rest)
		s.Filled(n)
		rest = rest[n:]
	}
	s.End()
	take()
	if last.Part != wire.PartLast || last.DropCut() || last.Missing == "" {
		t.Errorf("part %d, missing %q", last.Part, last.Missing)
	}
}

func TestEventFailure_ReadsWhateverAnErrorEventSays(t *testing.T) {
	for data, want := range map[string]wire.Failure{
		`{"type":"error","error":{"type":"overloaded_error","message":"m"}}`: {Status: 529, Type: "overloaded_error", Message: "m"},
		`{"detail":"it broke"}`: {Status: 500, Message: `{"detail":"it broke"}`},
		"it broke\n":            {Status: 500, Message: "it broke"},
		"":                      {Status: 500},
	} {
		if got := wire.EventFailure([]byte(data)); got != want {
			t.Errorf("%s: got %+v", data, got)
		}
	}
}

func TestAppend_WritesValuesAndNullForNone(t *testing.T) {
	dst := wire.AppendText([]byte("{"), `"a":`, "x\"\n")
	dst = wire.AppendTextOrNull(dst, `,"b":`, "y")
	dst = wire.AppendTextOrNull(dst, `,"c":`, "")
	dst = wire.AppendNumber(dst, `,"d":`, 0)
	dst = wire.AppendNumberOrNull(dst, `,"e":`, -7)
	dst = wire.AppendNumberOrNull(dst, `,"f":`, 0)
	if got, want := string(dst), `{"a":"x\"\n","b":"y","c":null,"d":0,"e":-7,"f":null`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
