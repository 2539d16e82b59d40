package gateway_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"relay/gateway"
	"relay/gateway/gatewaytest"
	"relay/store"
)

// packs answers packed whenever the request allows it, and tells what it was
// asked for.
func packs(contentType, body string) gatewaytest.Script {
	return func(x *gatewaytest.Exchange) error {
		asked := strings.Join(x.Request.Header("Accept-Encoding"), ",")
		if !strings.Contains(asked, "gzip") && !strings.Contains(asked, "br") {
			return gatewaytest.Join(gatewaytest.Head(200, "Content-Type: "+contentType, fmt.Sprintf("Content-Length: %d", len(body))), gatewaytest.Raw(body))(x)
		}
		return packed(200, contentType, body)(x)
	}
}

func packed(status int, contentType, body string) gatewaytest.Script {
	small := gatewaytest.Gzip(body)
	return gatewaytest.Join(gatewaytest.Head(status, "Content-Type: "+contentType, "Content-Encoding: gzip", fmt.Sprintf("Content-Length: %d", len(small))), gatewaytest.Raw(small))
}

func TestPacking_TheCallersWishIsNotPassedOn(t *testing.T) {
	for _, k := range kinds() {
		r, up, key := faultStand(t)
		contentType, body := k.typeOf(), strings.Join(k.answer(7, 3), "")
		want := k.sent()
		for name, script := range map[string]gatewaytest.Script{"when asked": packs(contentType, body), "unasked": packed(200, contentType, body)} {
			up.Play(script)
			a := r.ask(k, key, "Accept-Encoding: gzip, br")
			if a.Status != 200 || a.Body != want || a.Header.Get("Content-Encoding") != "" {
				t.Errorf("%s, %s: got %d %q %v", k.name, name, a.Status, a.Body, a.Header)
			}
		}
		up.Play(packed(400, "application/json", upstreamError))
		a := r.ask(k, key, "Accept-Encoding: gzip")
		if a.Status != 400 || a.Body != upstreamError || a.Header.Get("Content-Encoding") != "" || a.Header.Get("Content-Length") != fmt.Sprint(len(upstreamError)) {
			t.Errorf("%s: got %d %q %v", k.name, a.Status, a.Body, a.Header)
		}
		for _, sent := range up.Requests() {
			if got := sent.Header("Accept-Encoding"); !slices.Equal(got, []string{"identity"}) {
				t.Errorf("%s: the upstream was asked for %q", k.name, got)
			}
		}
		for _, e := range r.events(3)[:2] {
			if e.Tokens.Input+e.Tokens.Output != 10 {
				t.Errorf("%s: event %+v", k.name, e)
			}
		}
	}
}

func TestComments_PassAsComments(t *testing.T) {
	for _, k := range streamKinds() {
		comments := strings.Repeat(k.filler, 3)
		if k.contentType == "text/event-stream" {
			comments = strings.Repeat(": PROCESSING\n\n", 3) + ":\n\n"
		}
		r, up, key := faultStand(t)
		texts := k.answer(7, 3)
		up.Play(k.streams(comments, texts[0], comments, strings.Join(texts[1:], "")))
		want := comments + strings.Replace(k.sent(), texts[0], texts[0]+comments, 1)
		if a := r.ask(k, key); a.Body != want || a.Err != nil {
			t.Errorf("%s: got %q, want %q", k.name, a.Body, want)
		}
	}
}

// Usage stands where the upstream puts it, and the last report counts.
func TestUsage_IsReadWhereverAChunkTellsIt(t *testing.T) {
	usage := func(in, out int) string {
		return fmt.Sprintf(`"usage":{"prompt_tokens":%d,"completion_tokens":%d}`, in, out)
	}
	chunk := func(members string) string { return gatewaytest.Data("{" + members + "}") }
	delta := `"choices":[{"index":0,"delta":{"content":"hel"},"finish_reason":null}]`
	finish := `"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]`
	r, up, key := faultStand(t)
	for name, events := range map[string][]string{
		"with the reason":    {chunk(delta), chunk(finish + "," + usage(7, 3)), doneEvent},
		"behind the reason":  {chunk(delta), chunk(finish), chunk(`"choices":[{"index":0,"delta":{}}],` + usage(7, 3)), doneEvent},
		"growing":            {chunk(delta + "," + usage(7, 1)), chunk(delta + "," + usage(7, 2)), chunk(finish + "," + usage(7, 3)), doneEvent},
		"null until the end": {chunk(delta + `,"usage":null`), chunk(finish + `,"usage":null`), chunk(`"choices":[],` + usage(7, 3)), doneEvent},
		"a vendor's member":  {chunk(delta), chunk(finish + `,"x_groq":{` + usage(7, 3) + "}"), doneEvent},
	} {
		for _, asks := range []bool{false, true} {
			before := len(up.Requests())
			up.Play(gatewaytest.Stream(events...))
			body := `{"stream":true,` + kinds()[0].body + `}`
			want := strings.Join(events, "")
			if asks {
				body = `{"stream":true,"stream_options":{"include_usage":true},` + kinds()[0].body + `}`
			} else {
				want = strings.Replace(want, chunk(`"choices":[],`+usage(7, 3)), "", 1)
			}
			if a := r.call(key, body); a.Body != want || a.Err != nil {
				t.Errorf("%s, asked %v: got %q, want %q", name, asks, a.Body, want)
			}
			if e := r.events(before + 1)[before]; e.Tokens.Input != 7 || e.Tokens.Output != 3 || e.UsageMissing {
				t.Errorf("%s, asked %v: event %+v", name, asks, e)
			}
		}
	}
}

func TestUsage_OfMessagesIsThatOfTheirTwoEnds(t *testing.T) {
	start := "event: message_start\ndata: {\"type\":\"message_start\",\"message\":{\"id\":\"m1\",\"usage\":{\"input_tokens\":50,\"cache_creation_input_tokens\":2000,\"cache_read_input_tokens\":0,\"output_tokens\":1}}}\n\n"
	delta := "event: message_delta\ndata: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"end_turn\"},\"usage\":{\"output_tokens\":42}}\n\n"
	r, up, key := faultStand(t)
	up.Play(sentChunked(start, messageText, delta, messageStop))
	k := kindsNamed("messages stream")[0]
	if a := r.ask(k, key); a.Body != start+messageText+delta+messageStop {
		t.Errorf("got %q", a.Body)
	}
	if e := r.events(1)[0]; e.Tokens.Input != 50 || e.Tokens.CacheCreation != 2000 || e.Tokens.Output != 42 {
		t.Errorf("event %+v", e)
	}
}

func TestChunks_WithoutChoicesPassBetweenOthers(t *testing.T) {
	r, up, key := faultStand(t)
	odd := gatewaytest.Data(`{"choices":[]}`) + gatewaytest.Data(`{"choices":null}`) + gatewaytest.Data(`{}`) + gatewaytest.Data(`{"choices":[{"index":0,"delta":null}]}`)
	up.Play(sentChunked(deltaEvent, odd, deltaEvent, finishEvent+usageEvent+doneEvent))
	if a := r.call(key, streamBody); a.Body != deltaEvent+odd+deltaEvent+finishEvent+doneEvent || a.Err != nil {
		t.Errorf("got %q, %v", a.Body, a.Err)
	}
}

// A stream shows one terminal event, the last, however the upstream ended its
// own.
func TestDone_IsToldOnceAndLast(t *testing.T) {
	r, up, key := faultStand(t)
	for name, end := range map[string][]string{
		"its own event": {finishEvent, doneEvent}, "no space": {finishEvent, "data:[DONE]\n\n"}, "none": {finishEvent}, "twice": {finishEvent, doneEvent, doneEvent},
		"in one packet": {finishEvent + doneEvent}, "twice in one packet": {finishEvent + doneEvent + doneEvent}, "glued to the chunk": {strings.TrimSuffix(finishEvent, "\n") + doneEvent},
		"no line end": {finishEvent, "data: [DONE]"}, "with usage before": {finishEvent, usageEvent, doneEvent}, "with usage glued": {finishEvent, strings.TrimSuffix(usageEvent, "\n") + doneEvent},
	} {
		up.Play(sentChunked(append([]string{deltaEvent}, end...)...))
		a := r.call(key, streamBody)
		if a.Body != deltaEvent+finishEvent+doneEvent || a.Err != nil {
			t.Errorf("%s: got %q, %v", name, a.Body, a.Err)
		}
		up.Play(sentChunked(deltaEvent, finishEvent, doneEvent))
		if a := r.call(key, streamBody); a.Body != deltaEvent+finishEvent+doneEvent {
			t.Errorf("after %s: got %q", name, a.Body)
		}
	}
}

// Every event is with the caller before the upstream says the next, however
// small it is and however long it may be to that.
func TestEvents_AreNotKeptBack(t *testing.T) {
	for _, k := range streamKinds() {
		for name, small := range map[string]bool{"chunked": false, "packed": true} {
			r, up, key := faultStand(t)
			heard := make(chan struct{})
			texts := k.answer(7, 3)
			var parts []gatewaytest.Script
			if small {
				parts = append(parts, gatewaytest.Head(200, "Content-Type: "+k.contentType, "Content-Encoding: gzip"))
			} else {
				parts = append(parts, k.head())
			}
			squeeze := gatewaytest.Packer()
			for range 20 {
				if small {
					parts = append(parts, gatewaytest.Raw(squeeze(texts[1])), gatewaytest.Wait(heard))
				} else {
					parts = append(parts, gatewaytest.Chunk(texts[1]), gatewaytest.Wait(heard))
				}
			}
			up.Play(gatewaytest.Join(append(parts, gatewaytest.Close())...))
			_, answer := r.stream(k, key, "Accept-Encoding: gzip")
			for i := range 20 {
				if text := r.hears(answer, texts[1], 1); text != texts[1] {
					t.Fatalf("%s, %s: event %d is %q", k.name, name, i, text)
				}
				heard <- struct{}{}
			}
			if _, err := readAll(answer.Body); err != nil {
				t.Error(err)
			}
		}
	}
}

// An answer may take longer than any write may wait.
func TestWholeAnswer_MayTakeItsTime(t *testing.T) {
	for _, k := range kinds() {
		if k.streamed {
			continue
		}
		r, up := newStand(t, func(o *gateway.Options) {
			o.BodyIdleTimeout, o.BodyTimeout, o.ReadHeaderTimeout = 20*time.Millisecond, 20*time.Millisecond, 20*time.Millisecond
		})
		r.server.SetPatience(10*time.Millisecond, 10*time.Millisecond)
		clock := streamKinds()[0]
		wait := make(chan struct{})
		up.Play(gatewaytest.Join(gatewaytest.Wait(wait), k.says(7, 3)))
		key := r.key("laptop", store.RelayKeySpec{})
		c := gatewaytest.Dial(t, r.addr)
		c.Send(k.request(key))
		up.Request(0)
		r.ownIdle(30*time.Millisecond, "up")
		for range 3 { // streams that are cut tell how long it has been
			up.Play(gatewaytest.Join(clock.opening(), gatewaytest.Hang()))
			r.ask(clock, key)
		}
		close(wait)
		if a := c.Answer(); a.Status != 200 || a.Body != k.answer(7, 3)[0] || a.Err != nil {
			t.Errorf("%s: got %d %q, %v", k.name, a.Status, a.Body, a.Err)
		}
	}
}
