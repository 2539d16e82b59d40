package gateway_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/tidwall/gjson"

	"relay/gateway/gatewaytest"
	"relay/store"
)

// callersOf are the calls that are streamed to hosts of the shape from callers of all
// others.
func callersOf(shape store.Shape) (all []kind) {
	for _, p := range pairs() {
		if p.caller.streamed && p.upstream.shape == shape {
			all = append(all, p.asks())
		}
	}
	return all
}

// Of cases B28, B29 and B31: usage stands wherever a server puts it, chunks may
// hold no choice, and the end is told in many ways or not at all.
func TestTranslatedEnds_OfChatAreReadHoweverTheyAreTold(t *testing.T) {
	const usage = `"usage":{"prompt_tokens":7,"completion_tokens":3}`
	chunk := func(members string) string { return gatewaytest.Data("{" + members + "}") }
	growing := func(n int) string {
		return chunk(fmt.Sprintf(`"choices":[{"index":0,"delta":{"content":"x"}}],"usage":{"prompt_tokens":7,"completion_tokens":%d}`, n))
	}
	finish := `"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]`
	odd := chunk(`"choices":[]`) + chunk(`"choices":null`) + chunk("") + chunk(`"choices":[{"index":0,"delta":null}]`) + chunk(`"choices":[{"index":0,"delta":{}}]`)
	counted := chunk(finish + "," + usage)
	r, up := newTongues(t)
	key := r.key("k", store.RelayKeySpec{})
	calls := 0
	for _, k := range callersOf(store.ShapeOpenAI) {
		for name, c := range map[string]struct {
			events []string
			want   string
		}{
			"with the reason":       {[]string{deltaEvent, counted, doneEvent}, "hel"},
			"behind the reason":     {[]string{deltaEvent, finishEvent, chunk(`"choices":[{"index":0,"delta":{}}],` + usage), doneEvent}, "hel"},
			"in every chunk":        {[]string{growing(1), growing(2), counted, doneEvent}, "xx"},
			"chunks without choice": {[]string{deltaEvent, odd, deltaEvent, counted, doneEvent}, "helhel"},
			"[DONE] without blank":  {[]string{deltaEvent, counted, "data:[DONE]\n\n"}, "hel"},
			"no [DONE]":             {[]string{deltaEvent, counted}, "hel"},
			"[DONE] twice":          {[]string{deltaEvent, counted, doneEvent, doneEvent}, "hel"},
			"[DONE] beside":         {[]string{deltaEvent, counted + doneEvent}, "hel"},
			"[DONE] glued":          {[]string{deltaEvent, strings.TrimSuffix(counted, "\n") + doneEvent}, "hel"},
			"[DONE] without end":    {[]string{deltaEvent, counted, "data: [DONE]"}, "hel"},
			"all at once":           {[]string{deltaEvent + counted + doneEvent}, "hel"},
		} {
			up.Play(sentChunked(c.events...))
			a := r.ask(k, key)
			k.mustHear(t, name, a, c.want)
			mustEndOnce(t, k, name, a)
			calls++
			if e := r.events(calls)[calls-1]; e.Tokens.Input != 7 || e.Tokens.Output != 3 || e.UsageMissing || e.FinishReason != "stop" {
				t.Errorf("%s, %s: recorded %+v %s", k.name, name, e.Tokens, e.FinishReason)
			}
		}
	}
}

// mustEndOnce fails the test unless the terminal event of the shape stands once, and
// last.
func mustEndOnce(t *testing.T, k kind, name string, a gatewaytest.Answer) {
	t.Helper()
	if k.terminal == "" {
		return
	}
	events := k.read(a.Body)
	n := 0
	for _, event := range events {
		if strings.Contains(event, k.terminal) {
			n++
		}
	}
	if last := k.lastEvent(a.Body); n != 1 || !strings.Contains(events[len(events)-1]+last, k.terminal) {
		t.Errorf("%s, %s: %d ends in %s", k.name, name, n, a.Body)
	}
}

// Of case B31: a stream of chat that comes of another shape is one of chat.
func TestTranslatedEnds_OfOthersAreDoneInChat(t *testing.T) {
	r, up := newTongues(t)
	key := r.key("k", store.RelayKeySpec{})
	for _, p := range pairs() {
		if p.caller.name != "chat stream" {
			continue
		}
		for _, wants := range []bool{false, true} {
			up.Play(p.upstream.says(7, 3))
			k := p.asks()
			if wants {
				k.asks += `"stream_options":{"include_usage":true},`
			}
			a := r.ask(k, key)
			if !strings.HasSuffix(a.Body, "\n\n"+doneEvent) || strings.Count(a.Body, "[DONE]") != 1 {
				t.Errorf("%s: got %s", p.name(), a.Body)
			}
			counts := 0
			for _, event := range readEvents(a.Body) {
				data := strings.TrimSpace(event)
				if data != "[DONE]" && !gjson.Get(data, "choices").IsArray() {
					t.Errorf("%s: no choices in %s", p.name(), event)
				}
				if isUsageChunk(event) {
					counts++
					if u := gjson.Get(data, "usage"); u.Get("prompt_tokens").Int() != 7 || u.Get("completion_tokens").Int() != 3 || u.Get("total_tokens").Int() != 10 {
						t.Errorf("%s: the usage is %s", p.name(), u)
					}
				}
			}
			if want := map[bool]int{false: 0, true: 1}[wants]; counts != want {
				t.Errorf("%s: %d chunks of usage, want %d", p.name(), counts, want)
			}
		}
	}
}

// Of cases B26 and B34: the host is asked for usage whether or not the caller is to
// see it, and a caller of messages sees it in the end.
func TestTranslatedEnds_TellMessagesTheirUsage(t *testing.T) {
	r, up := newTongues(t)
	key := r.key("k", store.RelayKeySpec{})
	up.Play(kindsNamed("chat stream")[0].says(1234, 20))
	a := r.ask(kindsNamed("messages stream")[0].of("to-openai"), key)
	if got := lastBody(up).Get("stream_options.include_usage").Raw; got != "true" {
		t.Errorf("include_usage is %q in %s", got, lastBody(up))
	}
	var start, delta gjson.Result
	for _, event := range readEvents(a.Body) {
		switch name, data, _ := strings.Cut(event, " "); name {
		case "message_start":
			start = gjson.Get(data, "message.usage")
		case "message_delta":
			delta = gjson.Get(data, "usage")
		}
	}
	if !start.IsObject() || delta.Get("input_tokens").Int() != 1234 || delta.Get("output_tokens").Int() != 20 {
		t.Errorf("usage is %s and %s", start, delta)
	}
}

// Of cases B16 and B18: a whole answer that comes packed is told unpacked, and its
// length is true.
func TestTranslatedEnds_OfPackedAnswersAreUnpacked(t *testing.T) {
	r, up := newTongues(t)
	key := r.key("k", store.RelayKeySpec{})
	for i, p := range pairs() {
		body := p.upstream.whole().answer(7, 3)[0]
		up.Play(packed(200, "application/json", body))
		a := r.ask(p.asks(), key, "Accept-Encoding: gzip, br")
		if a.Status != 200 || !strings.Contains(a.Body, "hello") || !p.caller.streamed && a.Header.Get("Content-Length") == "" {
			t.Errorf("%s: got %d %s under %v", p.name(), a.Status, a.Body, a.Header)
		}
		mustBeSound(t, p.name(), a)
		if e := r.events(i + 1)[i]; e.Tokens.Input != 7 || e.Tokens.Output != 3 {
			t.Errorf("%s: recorded %+v", p.name(), e.Tokens)
		}
	}
}
