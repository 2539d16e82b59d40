package gateway_test

import (
	"compress/gzip"
	"fmt"
	"slices"
	"strings"
	"testing"

	"relay/gateway/gatewaytest"
)

// spellings are the ways to end lines.
func lineEnds() map[string]func(string) string {
	return map[string]func(string) string{
		"LF":   func(s string) string { return s },
		"CRLF": func(s string) string { return strings.ReplaceAll(s, "\n", "\r\n") },
		"CR":   func(s string) string { return strings.ReplaceAll(s, "\n", "\r") },
	}
}

// read is a stream's events as a client reads them: name and data.
func readEvents(stream string) (events []string) {
	stream = strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(stream)
	for block := range strings.SplitSeq(stream, "\n\n") {
		name, data := "", ""
		for line := range strings.SplitSeq(block, "\n") {
			if value, found := strings.CutPrefix(line, "event:"); found {
				name = strings.TrimSpace(value)
			}
			if value, found := strings.CutPrefix(line, "data:"); found {
				data += strings.TrimPrefix(value, " ")
			}
		}
		if data != "" {
			events = append(events, name+" "+data)
		}
	}
	return events
}

// wholeEvents are the events that a client has read once it has read so much.
func wholeEvents(prefix string) []string {
	text := strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(prefix)
	return readEvents(text[:strings.LastIndex(text, "\n\n")+1])
}

// short is a stream of the kind with few bytes, usage in a chunk of its own.
func (k kind) short() string {
	if k.model == "claude" {
		return "event: message_start\ndata: {\"message\":{\"usage\":{\"input_tokens\":7}}}\n\n" +
			": c\n\nevent: content_block_delta\ndata: {\"d\":\"é\"}\n\n" +
			"event: message_delta\ndata: {\"delta\":{\"stop_reason\":\"end_turn\"},\"usage\":{\"output_tokens\":3}}\n\n" +
			"event: message_stop\ndata: {\"type\":\"message_stop\"}\n\n"
	}
	return gatewaytest.Data(`{"choices":[{"index":0,"delta":{"content":"é"}}]}`) + ": c\n\n" +
		gatewaytest.Data(`{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}`) +
		gatewaytest.Data(`{"choices":[],"usage":{"prompt_tokens":7,"completion_tokens":3}}`) + doneEvent
}

func isUsageChunk(event string) bool { return strings.Contains(event, `"choices":[]`) }

// sentChunked sends texts as chunks.
func sentChunked(texts ...string) gatewaytest.Script {
	return gatewaytest.Join(gatewaytest.StreamHead(), gatewaytest.Chunk(texts...), gatewaytest.LastChunk())
}

func TestStreamBytes_AreTheUpstreamsHoweverTheyCome(t *testing.T) {
	for _, k := range streamKinds() {
		r, up, key := faultStand(t)
		for ends, spell := range lineEnds() {
			whole := spell(k.short())
			want := slices.DeleteFunc(readEvents(whole), isUsageChunk)
			check := func(how string, a gatewaytest.Answer) {
				t.Helper()
				if got := readEvents(a.Body); !slices.Equal(got, want) || a.Err != nil || !strings.Contains(a.Body, spell(": c\n\n")) {
					t.Errorf("%s, %s, %s: got %q (%v)\nwant events %q", k.name, ends, how, a.Body, a.Err, want)
				}
			}
			up.Play(sentChunked(strings.Split(whole, "")...))
			check("byte by byte", r.ask(k, key))
			up.Play(gatewaytest.Join(gatewaytest.Head(200, "Content-Type: text/event-stream; charset=utf-8"), gatewaytest.Bytewise(whole), gatewaytest.Close()))
			check("byte by byte to its close", r.ask(k, key))
			packed := gatewaytest.Gzip(whole)
			up.Play(gatewaytest.Join(gatewaytest.Head(200, "Content-Type: text/event-stream", "Content-Encoding: gzip", "Transfer-Encoding: chunked"), gatewaytest.Chunk(strings.Split(packed, "")...), gatewaytest.LastChunk()))
			check("packed", r.ask(k, key))
			for i := 1; i < len(whole); i++ {
				up.Play(sentChunked(whole[:i], whole[i:]))
				check(fmt.Sprint("in two at ", i), r.ask(k, key))
			}
			if ends == "LF" && k.model == "claude" {
				up.Play(sentChunked(whole))
				if a := r.ask(k, key); a.Body != whole {
					t.Errorf("%s: got %q, want %q", k.name, a.Body, whole)
				}
			}
		}
		for _, e := range r.events(1) {
			if e.Tokens.Input != 7 || e.Tokens.Output != 3 || e.ErrorKind != "" {
				t.Fatalf("%s: event %+v", k.name, e)
			}
		}
	}
}

// A stream that is cut at any byte gives its caller the events that were whole
// and then an error, and never a clean end.
func TestStreamBytes_CutAnywhereEndInAnError(t *testing.T) {
	for _, k := range streamKinds() {
		r, up, key := faultStand(t)
		for ends, spell := range lineEnds() {
			whole := spell(k.short())
			all := readEvents(whole)
			first := len(spell(k.short()[:strings.Index(k.short(), "\n\n")+2]))
			for i := 1; i < len(whole); i++ {
				up.Play(gatewaytest.Join(gatewaytest.StreamHead(), gatewaytest.Chunk(whole[:i]), gatewaytest.Close()))
				a := r.ask(k, key)
				before := wholeEvents(whole[:i])
				got := readEvents(a.Body)
				switch {
				case len(before) == 0:
					if a.Status != 502 || !strings.Contains(a.Body, "broke its stream off before its first event") {
						t.Errorf("%s, %s, cut at %d of %d: got %d %q", k.name, ends, i, first, a.Status, a.Body)
					}
					continue
				case len(before) == len(all): // the terminal event was whole
					if want := slices.DeleteFunc(before, isUsageChunk); !slices.Equal(got, want) {
						t.Errorf("%s, %s, cut at %d: got %q, want %q", k.name, ends, i, got, want)
					}
					continue
				}
				want := slices.DeleteFunc(before, isUsageChunk)
				if a.Status != 200 || len(got) != len(want)+1 || !slices.Equal(got[:len(want)], want) || !strings.Contains(got[len(want)], `"error"`) || a.Err != nil {
					t.Errorf("%s, %s, cut at %d: got %q (%v), want %q and an error", k.name, ends, i, a.Body, a.Err, want)
				}
			}
		}
		r.mustBeIdle("cuts")
	}
}

// One that comes to a clean end at any byte is whole only when its shape says
// so: chat once every choice has told why it ended, messages at message_stop.
func TestStreamBytes_EndedAnywhereAreWholeOnlyAsTheirShapeSays(t *testing.T) {
	for _, k := range streamKinds() {
		r, up, key := faultStand(t)
		for ends, spell := range lineEnds() {
			whole := spell(k.short())
			for i := 1; i < len(whole); i++ {
				up.Play(sentChunked(whole[:i]))
				a := r.ask(k, key)
				finished := strings.Contains(whole[:i], `"finish_reason":"stop"}]}`) || strings.Contains(whole[:i], `{"type":"message_stop"}`)
				ended := strings.HasSuffix(a.Body, doneEvent) || strings.Contains(a.Body, `{"type":"message_stop"}`)
				failed := strings.Contains(a.Body, `"error"`)
				if finished != ended || finished == failed || strings.Count(a.Body, "[DONE]") > 1 {
					t.Errorf("%s, %s, ended at %d of %d: got %d %q", k.name, ends, i, len(whole), a.Status, a.Body)
				}
				for _, event := range readEvents(a.Body) {
					if _, data, _ := strings.Cut(event, " "); a.Status == 200 && data != "[DONE]" && !strings.HasSuffix(data, "}") {
						t.Errorf("%s, %s, ended at %d: a client reads %q", k.name, ends, i, data)
					}
				}
			}
		}
		r.mustBeIdle("ends")
	}
}

// Lines of any length pass, up to the longest event that is taken; over it the
// stream fails and says so.
func TestStreamBytes_LongLinesPass(t *testing.T) {
	for _, k := range streamKinds() {
		r, up, key := faultStand(t)
		for _, size := range []int{64<<10 - 1, 64<<10 + 1, 1<<20 + 1, 5 << 20, 16<<20 - 100} {
			for name, spell := range lineEnds() {
				if size > 1<<20+1 && name != "LF" || size > 5<<20 && k.model != "chat" {
					continue // long ones cost much and tell little more
				}
				long := `{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"`
				long += strings.Repeat("a", size-len(long)-6) + `"}}]}}]}`
				event := "event: content_block_delta\ndata: " + long + "\n\n"
				if k.model == "chat" {
					event = gatewaytest.Data(long)
				}
				texts := k.answer(7, 3)
				up.Play(sentChunked(spell(texts[0]), spell(event), spell(strings.Join(texts[1:], ""))))
				a := r.ask(k, key)
				got := readEvents(a.Body)
				want := slices.DeleteFunc(readEvents(texts[0]+event+strings.Join(texts[1:], "")), isUsageChunk)
				if !slices.Equal(got, want) || a.Err != nil || k.model == "claude" && name == "LF" && a.Body != texts[0]+event+strings.Join(texts[1:], "") {
					t.Errorf("%s, %s, %d bytes: %d events of %d, %d bytes, %v", k.name, name, size, len(got), len(want), len(a.Body), a.Err)
				}
			}
		}
		for _, e := range r.events(1) {
			if e.Tokens.Input != 7 || e.Tokens.Output != 3 || e.ErrorKind != "" {
				t.Fatalf("%s: event %+v", k.name, e)
			}
		}
	}
}

func TestStreamBytes_AnEventOver16MiBEndsTheStreamWithAnError(t *testing.T) {
	for _, k := range streamKinds() {
		r, up, key := faultStand(t)
		up.Play(gatewaytest.Join(gatewaytest.Head(200, "Content-Type: text/event-stream"), gatewaytest.Raw(k.answer(7, 3)[0]+`data: {"choices":[{"delta":{"content":"`), gatewaytest.Fill(40<<20, "x"), gatewaytest.Hang()))
		a := r.ask(k, key)
		if a.Status != 200 || a.Err != nil || strings.Contains(a.Body[len(a.Body)-1000:], "[DONE]") || len(a.Body) > 17<<20 {
			t.Errorf("%s: got %d, %d bytes, %v", k.name, a.Status, len(a.Body), a.Err)
		}
		wantShape(t, "too long", k, lastEvent(a.Body), "upstream_invalid_response")
		<-up.Request(0).Gone()
		if e := r.events(1)[0]; e.ErrorKind != "truncated" {
			t.Errorf("%s: event %+v", k.name, e)
		}
		r.mustBeIdle("an event without end")
	}
}

func TestStreamBytes_PackedBombsAreCut(t *testing.T) {
	for _, k := range kinds() {
		r, up, key := faultStand(t)
		contentType := "application/json"
		bomb := "[" + strings.Repeat(" ", 3<<20) + "]"
		if k.streamed {
			contentType = "text/event-stream"
			bomb = k.answer(7, 3)[0] + strings.Repeat(":\n\n", 1<<20)
		}
		packed := gatewaytest.Gzip(bomb)
		up.Play(gatewaytest.Join(gatewaytest.Head(200, "Content-Type: "+contentType, "Content-Encoding: gzip", fmt.Sprintf("Content-Length: %d", len(packed))), gatewaytest.Raw(packed)))
		a := r.ask(k, key)
		if k.streamed {
			wantShape(t, "bomb", k, lastEvent(a.Body), "upstream_invalid_response")
			if !strings.Contains(a.Body, "packed more into its stream than Relay unpacks") {
				t.Errorf("%s: got %.300q", k.name, a.Body[max(0, len(a.Body)-300):])
			}
		} else if a.Status != 502 || !strings.Contains(a.Body, "packed more into its answer than Relay unpacks") {
			t.Errorf("%s: got %d %.300q", k.name, a.Status, a.Body)
		}
		if len(a.Body) > 2<<20 {
			t.Errorf("%s: %d bytes came of %d packed ones", k.name, len(a.Body), len(packed))
		}
		r.mustBeIdle("a bomb")
	}
}

// A packed answer is held to the size that any other is, however little packing
// has won.
func TestStreamBytes_NoWholeAnswerIsOver64MiB(t *testing.T) {
	for _, k := range kinds()[:1] { // all kinds are read by one function
		r, up, key := faultStand(t)
		much := 64<<20 + 1
		up.Play(
			gatewaytest.Join(gatewaytest.Head(200, "Content-Type: application/json", fmt.Sprintf("Content-Length: %d", much)), gatewaytest.Fill(much, " "), gatewaytest.Close()),
			gatewaytest.Join(gatewaytest.Head(200, "Content-Type: application/json"), gatewaytest.Fill(much+1<<20, " "), gatewaytest.Close()),
			gatewaytest.Join(gatewaytest.Head(200, "Content-Type: application/json", "Content-Encoding: gzip"), stored(much), gatewaytest.Close()))
		for _, how := range []string{"of known length", "to its close", "packed"} {
			if a := r.ask(k, key); a.Status != 502 || !strings.Contains(a.Body, "than Relay unpacks") && !strings.Contains(a.Body, "more than 64 MiB") {
				t.Errorf("%s, %s: got %d %.300q", k.name, how, a.Status, a.Body)
			}
			r.mustBeIdle(how)
		}
		up.Play(k.says(7, 3))
		r.want(r.ask(k, key), 200, "")
	}
}

// stored sends so many spaces as gzip that has packed nothing.
func stored(n int) gatewaytest.Script {
	return func(x *gatewaytest.Exchange) error {
		w, err := gzip.NewWriterLevel(x, gzip.NoCompression)
		if err != nil {
			return err
		}
		block := []byte(strings.Repeat(" ", 64<<10))
		for left := n; left > 0; left -= len(block) {
			if _, err := w.Write(block[:min(left, len(block))]); err != nil {
				return err
			}
		}
		return w.Close()
	}
}
