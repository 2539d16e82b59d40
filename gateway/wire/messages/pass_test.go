package messages_test

import (
	"strings"
	"testing"

	"relay/gateway/wire"
	"relay/gateway/wire/messages"
	"relay/gateway/wire/wiretest"
)

const stopData = `{"type":"message_stop"}`

func passed(u wire.Usage) wire.Tap {
	want := wire.Tap{Usage: u, Done: true}
	want.Finish(0, "end_turn")
	return want
}

func TestStream_PassesEveryByte(t *testing.T) {
	p := wiretest.Pass{Codec: messages.Codec{}, Stream: all, End: stopData, Want: passed(allUsage)}
	p.Check(t)
}

func TestStream_PassesLinesOfMegabytes(t *testing.T) {
	for _, size := range []int{64<<10 + 1, 1<<20 + 1, 5 << 20} {
		long := event(`{"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"` + strings.Repeat("a", size) + `"}}`)
		p := wiretest.Pass{Codec: messages.Codec{}, Stream: body + long + tail + stop, End: stopData, Want: passed(allUsage)}
		p.CheckLong(t)
	}
}

func TestStream_TakesOnlyWhatTheFirstPieceHoldsWhole(t *testing.T) {
	pad := strings.Repeat("a", 64<<10-4<<10-200)
	start := `{"type":"message_start","message":{"usage":` + startUsage + `,"content":["` + pad
	for cut := range 400 {
		long := event(start + strings.Repeat("b", cut) + `"],"stop_reason":"max_tokens","usage":{"input_tokens":60,"output_tokens":70}}}` + strings.Repeat(" ", 8<<10))
		_, tap := play(t, long+stop)
		u := tap.Usage
		if whole := u.Input == 60 && u.Output == 70 && tap.Reason == "max_tokens"; !whole && (u.Input != 50 || u.Output != 1) {
			t.Fatalf("cut at %d: reason %q, usage %+v", cut, tap.Reason, u)
		}
	}
}

func TestReadEvent_ReadsTheBeginningOfALongMessageDelta(t *testing.T) {
	long := event(`{"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":42},"x":"` + strings.Repeat("a", 128<<10) + `"}`)
	if _, tap := play(t, body+long+stop); tap.Usage.Output != 42 || tap.Reason != "end_turn" {
		t.Errorf("got %+v", tap)
	}
}
