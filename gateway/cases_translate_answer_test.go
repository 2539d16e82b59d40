package gateway_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"relay/gateway/gatewaytest"
	"relay/limiter"
	"relay/store"
	"time"
)

// TestTranslatedAnswer_ThatIsNoneIsNoSuccess is case B136: an error object has its own
// status in the caller's shape, what says nothing is a 502.
func TestTranslatedAnswer_ThatIsNoneIsNoSuccess(t *testing.T) {
	r, up := newTongues(t)
	key := r.key("k", store.RelayKeySpec{Limits: &store.Limits{Concurrency: int64p(1)}})
	calls := 0
	for _, p := range pairs() {
		for name, c := range map[string]struct {
			script gatewaytest.Script
			status int
			code   string
		}{
			"an error":         {gatewaytest.JSON(200, `{"error":{"message":"quota","code":429}}`), 429, ""},
			"an error, busy":   {gatewaytest.JSON(200, `{"error":{"message":"quota","code":503}}`), 503, ""},
			"nothing":          {gatewaytest.JSON(200, ""), 502, "upstream_invalid_response"},
			"204":              {gatewaytest.Head(204), 502, "upstream_invalid_response"},
			"HTML":             {typed(200, "text/html", "<html>hi</html>")(kind{}), 502, "upstream_invalid_response"},
			"a cut":            {gatewaytest.Join(gatewaytest.Head(200, "Content-Type: application/json", "Content-Length: 500"), gatewaytest.Raw(`{"cho`), gatewaytest.Close()), 502, "upstream_unavailable"},
			"a stream of HTML": {gatewaytest.Join(streamOf(p.upstream).head(), gatewaytest.Chunk("<html>hi</html>"), gatewaytest.LastChunk()), 502, ""},
			"an odd event":     {streamOf(p.upstream).streams(streamOf(p.upstream).first(`{"choices":[{`)), 502, ""},
			"no event at all":  {streamOf(p.upstream).streams(), 502, ""},
		} {
			up.Play(c.script)
			a := r.ask(p.asks(), key)
			want, begins, _ := toldIn(p.caller.shape, c.status, c.code)
			if c.code == "" {
				_, begins, _ = toldIn(p.caller.shape, 0, "")
				begins = begins[:9]
			}
			if a.Status != want && a.Status != c.status || !strings.HasPrefix(a.Body, begins) || c.status != 502 && !strings.Contains(a.Body, "quota") {
				t.Errorf("%s, %s: got %d %s", p.name(), name, a.Status, a.Body)
			}
			mustBeSound(t, p.name()+", "+name, a)
			calls++
			if e := r.events(calls)[calls-1]; e.Status != a.Status || e.ErrorKind == "" || e.CostNanos != nil {
				t.Errorf("%s, %s: recorded %+v", p.name(), name, e)
			}
			r.mustBeIdle(name)
			r.unbench()
		}
	}
}

// An upstream that answers whole although a stream was asked for has answered; one
// that streams though nobody asked has not.
func TestTranslatedAnswer_ThatComesWholeIsTheStreamThatWasAskedFor(t *testing.T) {
	r, up := newTongues(t)
	key := r.key("k", store.RelayKeySpec{})
	calls := 0
	for _, p := range pairs() {
		if !p.caller.streamed {
			up.Play(streamOf(p.upstream).says(7, 3)) // a stream that nobody has asked for
			a := r.ask(p.asks(), key)
			calls++
			if want, begins, _ := toldIn(p.caller.shape, 502, "upstream_invalid_response"); a.Status != want || !strings.HasPrefix(a.Body, begins) {
				t.Errorf("%s: got %d %s", p.name(), a.Status, a.Body)
			}
			r.unbench()
			continue
		}
		up.Play(gatewaytest.Join(gatewaytest.Head(200, "Content-Type: application/json", "Content-Type: text/plain", "X-Request-Id: up-1", "Set-Cookie: a=b", "Server: x"), gatewaytest.Raw(p.upstream.whole().answer(7, 3)[0]), gatewaytest.Close()))
		a := r.ask(p.asks(), key)
		calls++
		p.caller.mustHear(t, p.name(), a, "hello")
		mustEndOnce(t, p.caller, p.name(), a)
		if got := a.Header; got.Get("Content-Type") != p.caller.contentType || got.Get("X-Request-Id") != "up-1" || got.Get("Set-Cookie")+got.Get("Server") != "" || got.Get("Content-Length") != "" {
			t.Errorf("%s: under %v", p.name(), got)
		}
		if e := r.events(calls)[calls-1]; e.Tokens.Input != 7 || e.Tokens.Output != 3 || !e.Streamed || e.ErrorKind != "" {
			t.Errorf("%s: recorded %+v", p.name(), e)
		}
	}
}

// streamOf is the stream of the kind's shape.
func streamOf(k kind) kind {
	for _, other := range streamKinds() {
		if other.shape == k.shape {
			return other
		}
	}
	return k
}

// A silence before a whole answer that becomes a stream is filled, too.
func TestTranslatedAnswer_ThatIsSlowAndComesWholeIsFilledUpTo(t *testing.T) {
	r, up := newTongues(t, impatient(5*time.Millisecond))
	key := r.key("k", store.RelayKeySpec{})
	for _, p := range streamPairs() {
		if p.caller.alive == "" {
			continue
		}
		more := make(chan struct{})
		up.Play(gatewaytest.Join(gatewaytest.Head(200, "Content-Type: application/json"), gatewaytest.Raw(" "), gatewaytest.Wait(more), gatewaytest.Raw(p.upstream.whole().answer(7, 3)[0]), gatewaytest.Close()))
		_, answer := r.stream(p.asks(), key)
		heard := r.hearsAlive(answer, p.caller, 3)
		close(more)
		rest, err := readAll(answer.Body)
		p.caller.mustHear(t, p.name(), gatewaytest.Answer{Status: 200, Header: answer.Header, Body: p.caller.unfilled(heard + rest), Err: err}, "hello")
	}
}

// What a usage event tells of a translated call, and what the answer's header does.
func TestTranslatedAnswer_IsRecordedAndToldOf(t *testing.T) {
	reasons := map[store.Shape][]string{
		store.ShapeOpenAI: {"stop"}, store.ShapeAnthropic: {"end_turn"}, store.ShapeResponses: {"completed"}, store.ShapeGemini: {"STOP"}, store.ShapeOllama: {"stop"},
	}
	r, up := newTongues(t)
	key := r.key("k", store.RelayKeySpec{})
	for i, p := range pairs() {
		up.Play(p.upstream.saysAfter(7, 3, after(3*time.Millisecond)))
		a := r.ask(p.asks(), key, "X-Stainless-Lang: go")
		e := r.events(i + 1)[i]
		if e.ShapeIn != string(p.caller.shape) || e.ShapeOut != string(p.upstream.shape) || e.Streamed != p.caller.streamed || !slices.Contains(reasons[p.upstream.shape], e.FinishReason) ||
			e.RequestedModel != p.model() || e.Model != r.record(store.KindModel, p.model()) || e.Host != r.record(store.KindHost, hostNamed(p.upstream.shape)) || len(e.Attempts) != 1 || e.Attempts[0].Status != 200 || e.Status != 200 || e.UsageMissing || e.Pricing == "" {
			t.Errorf("%s: recorded %+v", p.name(), e)
		}
		if e.TTFTMS > e.DurationMS || !p.caller.streamed && e.TTFTMS < 3 {
			t.Errorf("%s: first after %d of %d ms", p.name(), e.TTFTMS, e.DurationMS)
		}
		for name, want := range map[string]string{
			"X-Relay-Host": hostNamed(p.upstream.shape), "X-Relay-Model": p.model(), "X-Relay-Attempts": "1", "X-Relay-Request-Id": e.RequestID,
			"X-Relay-Cost-Usd": map[bool]string{false: "0.000066"}[p.caller.streamed], "X-Relay-Dropped-Params": "", "Server": "", "X-Relay-Refused-By": "",
		} {
			if got := a.Header.Get(name); got != want {
				t.Errorf("%s: %s is %q, want %q", p.name(), name, got, want)
			}
		}
		mustBeSound(t, p.name(), a)
		sent := up.Requests()[i]
		if got := fmt.Sprint(sent.Header("Content-Length"), sent.Header("Content-Type")); got != fmt.Sprintf("[%d] [application/json]", len(sent.Body)) {
			t.Errorf("%s: went up as %s", p.name(), got)
		}
	}
}

// TestTranslatedCount_IsAnEstimateThatTakesNothing is case B134 for hosts that count
// nothing: agents ask dozens of times in a second.
func TestTranslatedCount_IsAnEstimateThatTakesNothing(t *testing.T) {
	r, up := newTongues(t)
	r.policy(sliding(limiter.MeterRequests, 10, time.Minute))
	key := r.key("k", store.RelayKeySpec{Limits: &store.Limits{RPM: int64p(10), TPM: int64p(1000)}})
	for _, to := range []string{"openai", "openai-responses", "gemini", "ollama"} {
		for range 50 {
			r.want(r.post("/v1/messages/count_tokens?beta=true", key, `{"model":"to-`+to+`","messages":[{"role":"user","content":"hello there"}]}`), 200, `{"input_tokens":`)
		}
	}
	if n := len(up.Requests()) + len(r.stored()); n != 0 {
		t.Errorf("%d requests and events came of it", n)
	}
	up.Otherwise(wholeAnswers)
	r.want(r.ask(kindsNamed("messages whole")[0].of("to-openai"), key), 200, "hello")
	if n := r.used(key, limiter.MeterTokens); n != 10 || len(r.events(1)) != 1 {
		t.Errorf("%d tokens are counted", n)
	}
}
