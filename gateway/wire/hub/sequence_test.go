package hub_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"relay/gateway/wire"
	"relay/gateway/wire/hub"
)

// log is a sink that writes events down.
type log []string

func (l *log) Event(e hub.Event) {
	of := [...]string{"text", "refusal", "image", "file", "audio", "reasoning", "call"}[e.Of]
	var line string
	switch e.Kind {
	case hub.EventStart:
		line = "start"
	case hub.EventPart:
		line = fmt.Sprintf("%d %s %s %s%s", e.Part, of, e.Call.ID, e.Call.Name, e.Media.Data)
	case hub.EventDelta:
		line = fmt.Sprintf("%d +%s", e.Part, string(e.Text))
	case hub.EventOpaque:
		line = fmt.Sprintf("%d opaque %s", e.Part, e.Opaque.Data)
	case hub.EventPartEnd:
		line = fmt.Sprintf("%d end", e.Part)
		if e.Cut {
			line += " cut"
		}
	case hub.EventFinish:
		line = fmt.Sprintf("finish %d %s", e.Reason, e.StopSeq)
		if e.Usage != nil {
			line += fmt.Sprint(" ", e.Usage.Output)
		}
	}
	*l = append(*l, strings.TrimSpace(line))
}

func sequence(events ...hub.Event) []string {
	var l log
	s := hub.NewSequence(&l, "A")
	for _, e := range events {
		s.Event(e)
	}
	s.Finish(nil)
	return l
}

func text(s string) hub.Event { return hub.Event{Kind: hub.EventDelta, Text: hub.Text(s)} }

func thought(s string) hub.Event {
	return hub.Event{Kind: hub.EventDelta, Of: hub.PartReasoning, Text: hub.Text(s)}
}

func begin(n int, id, name string) hub.Event {
	return hub.Event{Kind: hub.EventPart, Of: hub.PartCall, Part: n, Call: hub.Call{ID: hub.Text(id), Name: hub.Text(name)}}
}

func custom(n int) hub.Event {
	return hub.Event{Kind: hub.EventPart, Of: hub.PartCall, Part: n, Call: hub.Call{ID: hub.Text("c"), Name: hub.Text("free"), Custom: true}}
}

func arguments(n int, s string) hub.Event {
	return hub.Event{Kind: hub.EventDelta, Of: hub.PartCall, Part: n, Text: hub.Text(s)}
}

func end(n int) hub.Event { return hub.Event{Kind: hub.EventPartEnd, Of: hub.PartCall, Part: n} }

func opaque(of hub.PartKind, n int, data string) hub.Event {
	return hub.Event{Kind: hub.EventOpaque, Of: of, Part: n, Opaque: hub.Opaque{Shape: "s", Data: hub.Text(data)}}
}

func finish(r hub.Reason) hub.Event { return hub.Event{Kind: hub.EventFinish, Reason: r} }

func image(n int, data string) hub.Event {
	return hub.Event{Kind: hub.EventPart, Of: hub.PartImage, Part: n, Media: hub.Part{Data: hub.Text(data)}}
}

func TestSequence_OpensOnePartAtATime(t *testing.T) {
	for name, test := range map[string]struct {
		events []hub.Event
		want   []string
	}{
		"nothing at all": {nil, []string{"start", "finish 1"}},
		"text": {
			[]hub.Event{text("a"), text("b"), finish(hub.ReasonStop)},
			[]string{"start", "0 text", "0 +a", "0 +b", "0 end", "finish 1"},
		},
		"deltas without text": {
			[]hub.Event{text(""), thought(""), arguments(0, ""), finish(hub.ReasonLength)},
			[]string{"start", "finish 3"},
		},
		"thoughts, text, thoughts again": {
			[]hub.Event{thought("t"), opaque(hub.PartReasoning, 0, "sig"), text("a"), thought("u")},
			[]string{"start", "0 reasoning", "0 +t", "0 opaque sig", "0 end", "1 text", "1 +a", "1 end", "2 reasoning", "2 +u", "2 end", "finish 1"},
		},
		"an opaque part alone": {
			[]hub.Event{opaque(hub.PartReasoning, 7, "red")},
			[]string{"start", "0 reasoning", "0 opaque red", "0 end", "finish 1"},
		},
		"a call in pieces": {
			[]hub.Event{begin(0, "i", "f"), arguments(0, `{\"a\"`), arguments(0, `:1}`), finish(hub.ReasonStop)},
			[]string{"start", "0 call i f", `0 +{\"a\"`, "0 +:1}", "0 end", "finish 4"},
		},
		"a call without arguments": {
			[]hub.Event{begin(0, "i", "f"), finish(hub.ReasonCalls)},
			[]string{"start", "0 call i f", "0 +{}", "0 end", "finish 4"},
		},
		"calls without ids": {
			[]hub.Event{begin(0, "", "f"), end(0), begin(1, "", "g"), end(1)},
			[]string{"start", "0 call call_A_1 f", "0 +{}", "0 end", "1 call call_A_2 g", "1 +{}", "1 end", "finish 4"},
		},
		"interleaved calls": {
			[]hub.Event{
				begin(0, "i", "f"), arguments(0, "{"), begin(1, "j", "g"), arguments(1, `{\"b\"`), arguments(0, "}"),
				arguments(1, `:2}`), finish(hub.ReasonCalls),
			},
			[]string{"start", "0 call i f", "0 +{", "0 +}", "0 end", "1 call j g", `1 +{\"b\":2}`, "1 end", "finish 4"},
		},
		"an end lets those go on that wait": {
			[]hub.Event{begin(0, "i", "f"), begin(1, "j", "g"), arguments(1, "{"), end(0), arguments(1, "}"), end(1), text("a")},
			[]string{"start", "0 call i f", "0 +{}", "0 end", "1 call j g", "1 +{", "1 +}", "1 end", "2 text", "2 +a", "2 end", "finish 4"},
		},
		"what waits may end first": {
			[]hub.Event{begin(0, "i", "f"), begin(1, "j", "g"), end(1), text("a"), opaque(hub.PartCall, 1, "sig"), end(0), text("b")},
			[]string{"start", "0 call i f", "0 +{}", "0 end", "1 call j g", "1 opaque sig", "1 +{}", "1 end", "2 text", "2 +a", "2 +b", "2 end", "finish 4"},
		},
		"a late and empty rest of a call": {
			[]hub.Event{begin(0, "i", "f"), arguments(0, "{}"), text("a"), arguments(0, " "), opaque(hub.PartCall, 0, "s"), finish(hub.ReasonCalls)},
			[]string{"start", "0 call i f", "0 +{}", "0 end", "1 text", "1 +a", "1 end", "finish 4"},
		},
		"a text of a custom call that looks whole": {
			[]hub.Event{custom(0), arguments(0, "1"), text("a"), arguments(0, "2")},
			[]string{"start", "0 call c free", "0 +1", "0 +2", "0 end", "1 text", "1 +a", "1 end", "finish 4"},
		},
		"a custom call without text": {
			[]hub.Event{custom(0), end(0)},
			[]string{"start", "0 call c free", "0 end", "finish 4"},
		},
		"images": {
			[]hub.Event{text("a"), image(0, "x"), image(1, "y"), begin(0, "i", "f"), image(2, "z")},
			[]string{"start", "0 text", "0 +a", "0 end", "1 image  x", "1 end", "2 image  y", "2 end", "3 call i f", "3 +{}", "3 end", "4 image  z", "4 end", "finish 4"},
		},
	} {
		if got := sequence(test.events...); !slices.Equal(got, test.want) {
			t.Errorf("%s:\ngot  %q\nwant %q", name, got, test.want)
		}
	}
}

func TestSequence_NeverEndsACutCallAsAWholeOne(t *testing.T) {
	cut := end(0)
	cut.Cut = true
	for name, events := range map[string][]hub.Event{
		"arguments break off":        {begin(0, "i", "f"), arguments(0, `{\"a\":`), finish(hub.ReasonCalls)},
		"no arguments at the limit":  {begin(0, "i", "f"), finish(hub.ReasonLength)},
		"its decoder says so":        {begin(0, "i", "f"), cut, finish(hub.ReasonStop)},
		"a custom call, as its says": {custom(0), arguments(0, "some"), cut, finish(hub.ReasonStop)},
		"behind another":             {begin(1, "h", "e"), arguments(1, "{}"), begin(0, "i", "f"), arguments(0, "{"), finish(hub.ReasonStop)},
	} {
		got := sequence(events...)
		if n := len(got); !strings.HasSuffix(got[n-2], "end cut") || got[n-1] != "finish 3" {
			t.Errorf("%s: %q", name, got)
		}
	}
}

func TestSequence_TellsTheReasonAndTheUsage(t *testing.T) {
	var l log
	s := hub.NewSequence(&l, "A")
	s.Event(hub.Event{Kind: hub.EventFinish, Reason: hub.ReasonStopSequence, StopSeq: hub.Text("END")})
	s.Finish(&wire.Usage{Output: 7})
	if got := l[len(l)-1]; got != "finish 2 END 7" {
		t.Errorf("ends with %q", got)
	}
	for from, want := range map[hub.Reason]string{hub.ReasonUnknown: "finish 1", hub.ReasonFilter: "finish 5", hub.ReasonPause: "finish 7"} {
		if got := sequence(finish(from)); got[len(got)-1] != want {
			t.Errorf("%d ends with %q", from, got)
		}
	}
}

func TestSequence_KeepsBackSixteenMegabytesAndNoMore(t *testing.T) {
	for name, piece := range map[string]func(n int) hub.Event{
		"of one call that waits":   func(int) hub.Event { return arguments(1, strings.Repeat("x", 1<<20)) },
		"of the call that is open": func(int) hub.Event { return arguments(0, strings.Repeat("x", 1<<20)) },
		"of opaque parts":          func(int) hub.Event { return opaque(hub.PartCall, 1, strings.Repeat("x", 1<<20)) },
		"of many calls":            func(n int) hub.Event { return begin(n+2, "k", "h") },
		"of images":                func(n int) hub.Event { return image(n, strings.Repeat("x", 1<<20)) },
	} {
		var l log
		s := hub.NewSequence(&l, "A")
		s.Event(begin(0, "i", "f"))
		s.Event(begin(1, "j", "g"))
		n := 0
		for ; n < 10_000 && s.Err() == nil; n++ {
			s.Event(piece(n))
		}
		told := len(l)
		s.Event(arguments(0, "more"))
		if s.Err() == nil || len(l) != told || n < 15 {
			t.Errorf("%s: %v after %d pieces", name, s.Err(), n)
		}
	}
}

func TestSequence_KeepsCopiesOfWhatWaits(t *testing.T) {
	var l log
	s := hub.NewSequence(&l, "A")
	buffer := []byte("jgxs")
	s.Event(begin(0, "i", "f"))
	call := hub.Call{ID: buffer[0:1], Name: buffer[1:2]}
	s.Event(hub.Event{Kind: hub.EventPart, Of: hub.PartCall, Part: 1, Call: call})
	s.Event(hub.Event{Kind: hub.EventDelta, Of: hub.PartCall, Part: 1, Text: buffer[2:3]})
	s.Event(hub.Event{Kind: hub.EventOpaque, Of: hub.PartCall, Part: 1, Opaque: hub.Opaque{Shape: "s", Data: buffer[3:4]}})
	s.Event(hub.Event{Kind: hub.EventPart, Of: hub.PartAudio, Media: hub.Part{Data: buffer[2:3]}})
	copy(buffer, "----")
	s.Finish(nil)
	want := []string{"start", "0 call i f", "0 +{}", "0 end", "1 call j g", "1 +x", "1 opaque s", "1 end cut", "2 audio  x", "2 end", "finish 3"}
	if !slices.Equal(l, want) {
		t.Errorf("got %q", l)
	}
}
