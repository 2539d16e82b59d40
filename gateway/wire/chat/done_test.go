package chat_test

import (
	"strings"
	"testing"

	"relay/gateway/wire"
	"relay/gateway/wire/chat"
	"relay/gateway/wire/wiretest"
)

func TestReadEvent_TakesADoneOffTheChunkThatItIsGluedTo(t *testing.T) {
	chunk := strings.TrimSpace(finish)
	for _, end := range []string{
		chunk + "\ndata: [DONE]\n\n", chunk + "\ndata:[DONE]\n\n", chunk + "[DONE]\n\n", chunk + " [DONE] \n\n", chunk + "data: [DONE]\n\n",
		chunk + "\ndata: [DONE]\ndata: [DONE]\n\n", chunk + "\ndata: [DONE]\n\ndata: [DONE]\n\n", chunk + "\ndata: [DONE]", chunk + "\n\ndata: [DONE]",
		chunk + "\nid: 7\ndata: [DONE]\n\n",
	} {
		for name, stream := range wiretest.Spellings(delta + end) {
			for i := range len(stream) + 1 {
				var tap wire.Tap
				o := wiretest.Play(t, chat.Codec{}, &tap, stream[:i], stream[i:])
				if o.Broken || !tap.Done || tap.Reason != "stop" || o.After != "data: [DONE]\n\n" {
					t.Fatalf("%q as %s, cut at %d: ended with %q, tap %+v", end, name, i, o.After, tap)
				}
				if strings.Contains(o.Before, "[DONE]") || !strings.Contains(o.Before, strings.TrimPrefix(chunk, "data: ")) || !endsInBlankLine(o.Before) {
					t.Fatalf("%q as %s, cut at %d: sent %q before the end", end, name, i, o.Before)
				}
			}
		}
	}
}

// endsInBlankLine reports whether the last event of a stream has ended.
func endsInBlankLine(stream string) bool {
	return strings.HasSuffix(strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(stream), "\n\n")
}

func TestReadEvent_DropsTheUsageThatADoneIsGluedTo(t *testing.T) {
	var tap wire.Tap
	o := wiretest.Play(t, chat.Codec{}, &tap, delta+strings.TrimSuffix(usage, "\n")+done)
	if o.Before != delta || o.After != done || tap.Usage.Output != 7 {
		t.Errorf("sent %q and %q, usage %+v", o.Before, o.After, tap.Usage)
	}
}

func TestReadEvent_TakesADoneOffALongChunk(t *testing.T) {
	chunk := `data: {"choices":[{"index":0,"delta":{"content":"` + strings.Repeat("long ", 20_000) + `"},"finish_reason":"stop"}]}`
	var tap wire.Tap
	o := wiretest.Play(t, chat.Codec{}, &tap, chunk+"\n"+done)
	if o.Before != chunk+"\n\n" || o.After != done || tap.Reason != "stop" {
		t.Errorf("sent %d bytes and %q, reason %q", len(o.Before), o.After, tap.Reason)
	}
}

func TestReadEvent_LeavesADoneInTextAlone(t *testing.T) {
	for _, event := range []string{
		`data: {"choices":[{"delta":{"content":"[DONE]"}}]}` + "\n\n",
		"data: it is [DONE]\n\n", "data: {}\ndata: [DONE]\ndata: {}\n\n", "data: [DONE]]\n\n", "data: [1]\n\n", "data: ]\n\n",
	} {
		var tap wire.Tap
		if o := wiretest.Play(t, chat.Codec{}, &tap, event); tap.Done || o.Before != event {
			t.Errorf("%q became %q, done %v", event, o.Before, tap.Done)
		}
	}
}

func TestReadEvent_DropsTheRestThatAStreamBreaksOffIn(t *testing.T) {
	for i := range len(finish) - len("\n\n") {
		var tap wire.Tap
		o := wiretest.Play(t, chat.Codec{}, &tap, delta+finish[:i])
		if !o.Broken || tap.Reason != "" || strings.Contains(o.Before[len(delta):], "{") {
			t.Errorf("broken off after %q: sent %q, reason %q", finish[:i], o.Before[len(delta):], tap.Reason)
		}
	}
	var tap wire.Tap
	if o := wiretest.Play(t, chat.Codec{}, &tap, delta+strings.TrimSpace(finish)); o.Broken || o.Before != delta+finish || o.After != done {
		t.Errorf("sent %q and %q", o.Before, o.After)
	}
}

func FuzzReadEvent(f *testing.F) {
	for _, seed := range []string{
		delta + finish + usage + done, delta + strings.TrimSuffix(finish, "\n") + done, "event: error\ndata: {\"error\":\"x\"}\n\n", ": c\n\ndata: {}[DONE]",
	} {
		for _, stream := range wiretest.Spellings(seed) {
			f.Add(stream)
		}
	}
	f.Fuzz(func(t *testing.T, stream string) { wiretest.Compare(t, chat.Codec{}, stream) })
}
