package gateway_test

import (
	"compress/gzip"
	"fmt"
	"slices"
	"strings"
	"testing"

	"relay/gateway/gatewaytest"
	"relay/store"
)

func isUsageChunk(event string) bool { return strings.Contains(event, `"choices":[]`) }

// sentChunked sends texts as chunks.
func sentChunked(texts ...string) gatewaytest.Script {
	return gatewaytest.Join(gatewaytest.StreamHead(), gatewaytest.Chunk(texts...), gatewaytest.LastChunk())
}

func TestStreamBytes_AreTheUpstreamsHoweverTheyCome(t *testing.T) {
	for _, k := range streamKinds() {
		r, up, key := faultStand(t)
		for ends, spell := range k.spellings() {
			whole := spell(k.short())
			want := slices.DeleteFunc(k.read(whole), isUsageChunk)
			check := func(how string, a gatewaytest.Answer) {
				t.Helper()
				if got := k.read(a.Body); !slices.Equal(got, want) || a.Err != nil || !strings.Contains(a.Body, spell(k.filler)) {
					t.Errorf("%s, %s, %s: got %q (%v)\nwant events %q", k.name, ends, how, a.Body, a.Err, want)
				}
				if k.shape != store.ShapeOpenAI && a.Body != whole {
					t.Errorf("%s, %s, %s: got %q, want %q", k.name, ends, how, a.Body, whole)
				}
			}
			up.Play(k.streams(strings.Split(whole, "")...))
			check("byte by byte", r.ask(k, key))
			up.Play(gatewaytest.Join(gatewaytest.Head(200, "Content-Type: "+k.contentType+"; charset=utf-8"), gatewaytest.Bytewise(whole), gatewaytest.Close()))
			check("byte by byte to its close", r.ask(k, key))
			packed := gatewaytest.Gzip(whole)
			up.Play(gatewaytest.Join(gatewaytest.Head(200, "Content-Type: "+k.contentType, "Content-Encoding: gzip", "Transfer-Encoding: chunked"), gatewaytest.Chunk(strings.Split(packed, "")...), gatewaytest.LastChunk()))
			check("packed", r.ask(k, key))
			for i := 1; i < len(whole); i++ {
				up.Play(k.streams(whole[:i], whole[i:]))
				check(fmt.Sprint("in two at ", i), r.ask(k, key))
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
		for ends, spell := range k.spellings() {
			whole := spell(k.short())
			all := k.read(whole)
			for i := 1; i < len(whole); i++ {
				up.Play(gatewaytest.Join(k.head(), gatewaytest.Chunk(whole[:i]), gatewaytest.Close()))
				a := r.ask(k, key)
				before := k.read(whole[:i])
				got := k.read(a.Body)
				switch {
				case len(before) == 0:
					if a.Status != 502 || !strings.Contains(a.Body, "broke its stream off before its first event") {
						t.Errorf("%s, %s, cut at %d of %d: got %d %q", k.name, ends, i, len(whole), a.Status, a.Body)
					}
					continue
				case len(before) == len(all) && k.endsItself(): // the terminal event was whole
					if want := slices.DeleteFunc(before, isUsageChunk); !slices.Equal(got, want) {
						t.Errorf("%s, %s, cut at %d: got %q, want %q", k.name, ends, i, got, want)
					}
					continue
				}
				want := slices.DeleteFunc(before, isUsageChunk)
				k.mustParse(t, fmt.Sprintf("%s, cut at %d", ends, i), a.Body)
				got = slices.DeleteFunc(got, func(event string) bool { return event == " ]" })
				if a.Status != 200 || len(got) != len(want)+1 || !slices.Equal(got[:len(want)], want) || !strings.Contains(got[len(want)], `"error"`) || a.Err != nil {
					t.Errorf("%s, %s, cut at %d: got %q (%v), want %q and an error", k.name, ends, i, a.Body, a.Err, want)
				}
			}
		}
		r.mustBeIdle("cuts")
	}
}

// endsItself reports whether the stream's last event says that the stream is
// over, and not that an answer within it is.
func (k kind) endsItself() bool { return k.name != "gemini stream" }

// One that comes to a clean end at any byte is whole only when its shape says
// so: chat and Gemini once every choice has told why it ended, the others at their
// last event, of which only the line end may be missing. An array is given its
// bracket.
func TestStreamBytes_EndedAnywhereAreWholeOnlyAsTheirShapeSays(t *testing.T) {
	for _, k := range streamKinds() {
		r, up, key := faultStand(t)
		for ends, spell := range k.spellings() {
			whole := spell(k.short())
			said := strings.LastIndex(whole, "}") + 1 // all of the last event but its line ends
			if k.shape == store.ShapeOpenAI {
				said = strings.Index(whole, `"finish_reason":"stop"}]}`) + len(`"finish_reason":"stop"}]}`)
			}
			for i := 1; i < len(whole); i++ {
				up.Play(k.streams(whole[:i]))
				a := r.ask(k, key)
				finished := i >= said
				ended := strings.HasSuffix(a.Body, doneEvent) || k.shape != store.ShapeOpenAI && strings.Contains(a.Body, whole[strings.LastIndex(whole[:said], "\n")+1:said]) && !holdsError(a.Body)
				failed := strings.Contains(a.Body, `"error"`)
				if finished != ended || finished == failed || strings.Count(a.Body, "[DONE]") > 1 {
					t.Errorf("%s, %s, ended at %d of %d: got %d %q", k.name, ends, i, len(whole), a.Status, a.Body)
				}
				k.mustParse(t, fmt.Sprintf("%s, ended at %d", ends, i), a.Body)
				for _, event := range k.read(a.Body) {
					if _, data, _ := strings.Cut(event, " "); a.Status == 200 && data != "[DONE]" && data != "]" && !strings.HasSuffix(data, "}") {
						t.Errorf("%s, %s, ended at %d: a client reads %q", k.name, ends, i, data)
					}
				}
			}
		}
		r.mustBeIdle("ends")
	}
}

// Lines of any length pass, up to the longest event that is taken; over it the
// stream fails and says so. The kinds that are left out are cut as these are.
func TestStreamBytes_LongLinesPass(t *testing.T) {
	for _, k := range streamRepresentatives() {
		r, up, key := faultStand(t)
		for _, size := range []int{64<<10 - 1, 64<<10 + 1, 1<<20 + 1, 5 << 20, 16<<20 - 100} {
			for name, spell := range k.spellings() {
				if size > 1<<20+1 && name != "LF" || size > 5<<20 && k.model != "chat" {
					continue // long ones cost much and tell little more
				}
				long := `{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"`
				long += strings.Repeat("a", size-len(long)-6) + `"}}]}}]}`
				event := k.label + k.event(long)
				texts := k.answer(7, 3)
				up.Play(k.streams(spell(texts[0]), spell(event), spell(strings.Join(texts[1:], ""))))
				a := r.ask(k, key)
				got := k.read(a.Body)
				whole := texts[0] + event + strings.Join(texts[1:], "")
				want := slices.DeleteFunc(k.read(whole), isUsageChunk)
				if !slices.Equal(got, want) || a.Err != nil || k.shape != store.ShapeOpenAI && name == "LF" && a.Body != whole {
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

// The kinds that are left out are cut as these are.
func TestStreamBytes_AnEventOver16MiBEndsTheStreamWithAnError(t *testing.T) {
	for _, k := range streamRepresentatives() {
		r, up, key := faultStand(t)
		up.Play(gatewaytest.Join(gatewaytest.Head(200, "Content-Type: "+k.contentType), gatewaytest.Raw(k.answer(7, 3)[0]+k.before+`{"choices":[{"delta":{"content":"`), gatewaytest.Fill(40<<20, "x"), gatewaytest.Hang()))
		a := r.ask(k, key)
		if a.Status != 200 || strings.Contains(a.Body[len(a.Body)-1000:], k.terminal) || len(a.Body) > 17<<20 {
			t.Errorf("%s: got %d, %d bytes, %v", k.name, a.Status, len(a.Body), a.Err)
		}
		k.mustEndIn(t, "too long", a, "upstream_invalid_response")
		<-up.Request(0).Gone()
		if e := r.events(1)[0]; e.ErrorKind != "truncated" {
			t.Errorf("%s: event %+v", k.name, e)
		}
		r.mustBeIdle("an event without end")
	}
}

func TestStreamBytes_TheLastLineEndIsWholeThoughItsLFHasNotCome(t *testing.T) {
	for _, k := range kindsNamed("messages stream", "responses stream") { // which end with the upstream's own event
		r, up, key := faultStand(t)
		whole := k.spellings()["CRLF"](k.short())
		up.Play(gatewaytest.Join(gatewaytest.Head(200, "Content-Type: "+k.contentType), gatewaytest.Raw(whole[:len(whole)-1]), gatewaytest.Hang()))
		if a := r.ask(k, key); a.Body != whole || a.Err != nil {
			t.Errorf("%s: got %q (%v), want %q", k.name, a.Body, a.Err, whole)
		}
	}
}

func TestStreamBytes_PackedBombsAreCut(t *testing.T) {
	for _, k := range representatives() {
		r, up, key := faultStand(t)
		bomb := "[" + strings.Repeat(" ", 3<<20) + "]"
		if k.streamed {
			bomb = k.answer(7, 3)[0] + strings.Repeat(k.filler, 3<<20/len(k.filler))
		}
		packed := gatewaytest.Gzip(bomb)
		up.Play(gatewaytest.Join(gatewaytest.Head(200, "Content-Type: "+k.typeOf(), "Content-Encoding: gzip", fmt.Sprintf("Content-Length: %d", len(packed))), gatewaytest.Raw(packed)))
		a := r.ask(k, key)
		if k.streamed {
			k.mustEndIn(t, "bomb", a, "upstream_invalid_response")
			if a.Err == nil && !strings.Contains(a.Body, "packed more into its stream than Relay unpacks") {
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
