package gateway_test

import (
	"strings"
	"testing"

	"relay/gateway/gatewaytest"
	"relay/store"
)

// arguing is a stream of the host whose call has arguments of so many bytes.
func (k kind) arguing(size int) []string {
	long := strings.Repeat("a", size)
	switch k.shape {
	case store.ShapeAnthropic:
		return []string{
			messagesEvents(7, 3)[0],
			"event: content_block_start\ndata: {\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"tool_use\",\"id\":\"c1\",\"name\":\"f\",\"input\":{}}}\n\n",
			"event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"input_json_delta\",\"partial_json\":\"{\\\"a\\\":\\\"" + long + "\\\"}\"}}\n\n",
			"event: content_block_stop\ndata: {\"type\":\"content_block_stop\",\"index\":0}\n\n",
			messagesEvents(7, 3)[2], messageStop,
		}
	case store.ShapeGemini:
		return []string{gatewaytest.Data(`{"candidates":[{"content":{"parts":[{"functionCall":{"name":"f","args":{"a":"` + long + `"}}}],"role":"model"},"finishReason":"STOP","index":0}],"usageMetadata":{"promptTokenCount":7,"candidatesTokenCount":3}}`)}
	case store.ShapeOllama:
		return []string{`{"model":"m","message":{"role":"assistant","content":"","tool_calls":[{"function":{"name":"f","arguments":{"a":"` + long + `"}}}]},"done":false}` + "\n", ollamaLines(7, 3)[2]}
	}
	return []string{
		gatewaytest.Data(`{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"c1","type":"function","function":{"name":"f","arguments":"{\"a\":\"` + long + `\"}"}}]}}]}`),
		gatewaytest.Data(`{"choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}],"usage":{"prompt_tokens":7,"completion_tokens":3}}`), doneEvent,
	}
}

// Of case B20: a line of any length is translated whole.
func TestTranslatedEvents_MayBeLong(t *testing.T) {
	r, up := newTongues(t)
	key := r.key("k", store.RelayKeySpec{})
	calls := 0
	for _, p := range pairs() {
		if !p.caller.streamed || p.upstream.shape == store.ShapeResponses {
			continue
		}
		for _, size := range []int{64<<10 + 1, 1<<20 + 1, 5 << 20} {
			if size > 64<<10+1 && p.caller.name != "chat stream" && p.caller.name != "messages stream" {
				continue // longer ones cost much and tell little more
			}
			up.Play(p.upstream.streams(p.upstream.arguing(size)...))
			a := r.ask(p.asks(), key)
			if whole := strings.Contains(a.Body, strings.Repeat("a", size)); !whole || a.Err != nil || holdsError(a.Body) || p.caller.terminal != "" && !strings.Contains(p.caller.lastEvent(a.Body), p.caller.terminal) {
				t.Errorf("%s, %d: whole: %v in %d bytes, %v: …%s", p.name(), size, whole, len(a.Body), a.Err, a.Body[max(0, len(a.Body)-300):])
			}
			p.caller.mustParse(t, p.name(), a.Body)
			calls++
			if e := r.events(calls)[calls-1]; e.Tokens.Input != 7 || e.Tokens.Output != 3 || e.ErrorKind != "" {
				t.Errorf("%s, %d: recorded %+v", p.name(), size, e)
			}
		}
	}
}

// An image that a model draws is one event of megabytes.
func TestTranslatedEvents_HoldImages(t *testing.T) {
	r, up := newTongues(t)
	key := r.key("k", store.RelayKeySpec{})
	image := strings.Repeat("iVBORw0K", 5<<17) // 5 MiB
	events := []string{
		gatewaytest.Data(`{"candidates":[{"content":{"parts":[{"text":"see"},{"inlineData":{"mimeType":"image/png","data":"` + image + `"}}],"role":"model"},"finishReason":"STOP"}],"usageMetadata":{"promptTokenCount":7,"candidatesTokenCount":3}}`),
	}
	for _, k := range callersOf(store.ShapeGemini) {
		up.Play(gatewaytest.Stream(events...))
		a := r.ask(k, key)
		text, reason := k.heard(a.Body)
		holds := strings.Contains(a.Body, image)
		if text != "see" || reason == "" || a.Err != nil || holds != (k.shape == "generate" || k.shape == store.ShapeResponses) {
			t.Errorf("%s: %q, %q, with the image: %v, %d bytes, %v", k.name, text, reason, holds, len(a.Body), a.Err)
		}
	}
}

// Over 16 MiB an event ends the stream, and its caller is told so.
func TestTranslatedEvents_Over16MiBEndTheStreamWithAnError(t *testing.T) {
	for i, p := range streamPairs() {
		if i%4 != 0 {
			continue // all are cut by one function, and each takes a second
		}
		r, up := newTongues(t)
		key := r.key("k", store.RelayKeySpec{Limits: &store.Limits{Concurrency: int64p(1)}})
		u := p.upstream
		up.Play(gatewaytest.Join(gatewaytest.Head(200, "Content-Type: "+u.contentType), gatewaytest.Raw(u.answer(7, 3)[0], u.answer(7, 3)[1], u.before+`{"choices":[{"delta":{"content":"`), gatewaytest.Fill(40<<20, "x"), gatewaytest.Hang()))
		a := r.ask(p.asks(), key)
		if a.Status != 200 || len(a.Body) > 10<<10 || !strings.Contains(a.Body, "sent an event of more than 16 MiB") || p.caller.terminal != "" && strings.Contains(a.Body, p.caller.terminal) {
			t.Errorf("%s: got %d, %d bytes, %v: %.900s", p.name(), a.Status, len(a.Body), a.Err, a.Body)
		}
		p.caller.mustParse(t, p.name(), a.Body)
		<-up.Request(0).Gone()
		if e := r.events(1)[0]; e.ErrorKind != "truncated" {
			t.Errorf("%s: recorded %+v", p.name(), e)
		}
		r.mustBeIdle(p.name())
	}
}
