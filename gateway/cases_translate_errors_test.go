package gateway_test

import (
	"fmt"
	"strings"
	"testing"

	"relay/gateway/gatewaytest"
	"relay/store"
)

// TestTranslatedErrors_KeepTheirStatusAndTextInTheCallersShape is case B57: whatever
// the type of the body says, and in whichever shape it is.
func TestTranslatedErrors_KeepTheirStatusAndTextInTheCallersShape(t *testing.T) {
	r, up := newTongues(t)
	key := r.key("k", store.RelayKeySpec{})
	for _, c := range []struct {
		name, caller, to string
		script           gatewaytest.Script
		status           int
		begins           string
	}{
		{"JSON as text", "chat whole", "anthropic", typed(400, "text/plain", `{"type":"error","error":{"type":"invalid_request_error","message":"max_tokens: too odd"}}`)(kind{}), 400, `{"error":{"message":"max_tokens: too odd","type":"invalid_request_error"`},
		{"HTML", "chat whole", "anthropic", typed(502, "text/html", "<html><body>Bad gateway</body></html>")(kind{}), 502, `{"error":{"message":"Host anthropic answered with status 502: `},
		{"429 of Anthropic", "chat stream", "anthropic", typed(429, "application/json", `{"type":"error","error":{"type":"rate_limit_error","message":"too many"}}`)(kind{}), 429, `{"error":{"message":"too many","type":"rate_limit`},
		{"404 of Gemini", "messages whole", "gemini", typed(404, "application/json", `{"error":{"code":404,"message":"models/x is not found","status":"NOT_FOUND"}}`)(kind{}), 404, `{"type":"error","error":{"type":"not_found_error","message":"models/x is not found"`},
		{"404 of Gemini as a list", "messages stream", "gemini", typed(404, "application/json", `[{"error":{"code":404,"message":"models/x is not found","status":"NOT_FOUND"}}]`)(kind{}), 404, `{"type":"error","error":{"type":"not_found_error","message":"models/x is not found"`},
		{"404 of Ollama", "responses whole", "ollama", typed(404, "application/json", `{"error":"model 'x' not found"}`)(kind{}), 404, `{"error":{"message":"model 'x' not found"`},
		{"packed", "messages whole", "openai", packed(400, "application/json", `{"error":{"message":"packed well","type":"t"}}`), 400, `{"type":"error","error":{"type":"invalid_request_error","message":"packed well"`},
		{"400 of OpenAI", "gemini whole", "openai", typed(400, "application/json", `{"error":{"message":"no such thing","type":"t","code":"c"}}`)(kind{}), 400, `{"error":{"code":400,"message":"no such thing","status":"INVALID_ARGUMENT"`},
		{"400 of OpenAI", "ollama stream", "openai", typed(400, "application/json", `{"error":{"message":"no such thing","type":"t","code":"c"}}`)(kind{}), 400, `{"error":"no such thing"}`},
	} {
		up.Play(c.script)
		a := r.ask(kindsNamed(c.caller)[0].of("to-"+c.to), key)
		if a.Status != c.status || !strings.HasPrefix(a.Body, c.begins) {
			t.Errorf("%s, %s: got %d %s", c.name, c.caller, a.Status, a.Body)
		}
		mustBeSound(t, c.name, a)
		r.unbench()
	}
}

// mustBeSound fails the test unless an answer's header is true of its body: cases
// B16 and B18.
func mustBeSound(t *testing.T, name string, a gatewaytest.Answer) {
	t.Helper()
	if length := a.Header.Get("Content-Length"); length != "" && length != fmt.Sprint(len(a.Body)) || a.Err != nil || strings.Contains(a.Body, "\x1f\x8b") || a.Header.Get("Content-Encoding") != "" {
		t.Errorf("%s: %d bytes, %v, under %v", name, len(a.Body), a.Err, a.Header)
	}
	if types := a.Header.Values("Content-Type"); len(types) != 1 {
		t.Errorf("%s: its types are %q", name, types)
	}
}

// Of case B57: what Relay refuses by itself is told in the shape of the route,
// whatever the host speaks.
func TestTranslatedErrors_OfRelayAreInTheCallersShape(t *testing.T) {
	r, up := newTongues(t)
	up.Otherwise(wholeAnswers)
	key := r.key("k", store.RelayKeySpec{Limits: &store.Limits{RPM: int64p(1)}})
	r.want(r.call(key, `{"model":"to-openai",`+chatHi+`}`), 200, "hello")
	for _, p := range pairs() {
		check := func(name string, a gatewaytest.Answer, status int, code string) {
			want, begins, holds := toldIn(p.caller.shape, status, code)
			if a.Status != want || !strings.HasPrefix(a.Body, begins) || p.caller.shape != store.ShapeOllama && p.caller.shape != store.ShapeAnthropic && !strings.Contains(a.Body, code) || holds == "" {
				t.Errorf("%s, %s: got %d %s", p.name(), name, a.Status, a.Body)
			}
			mustBeSound(t, name, a)
		}
		check("no key", r.ask(p.asks(), "sk-wr-unknown"), 401, "unauthenticated")
		check("over a limit", r.ask(p.asks(), key), 429, "rate_limit_exceeded")
		check("no model", r.ask(p.caller.of("nothing"), key), 404, "model_not_found")
	}
}

// TestTranslatedErrors_WithinAStreamAreTheCallersOwn is case B25.
func TestTranslatedErrors_WithinAStreamAreTheCallersOwn(t *testing.T) {
	r, up := newTongues(t)
	key := r.key("k", store.RelayKeySpec{Limits: &store.Limits{Concurrency: int64p(1)}})
	errors := map[store.Shape]struct{ event, text string }{
		store.ShapeAnthropic: {"event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\",\"message\":\"Overloaded\"}}\n\n", "Overloaded"},
		store.ShapeResponses: {"event: error\ndata: {\"type\":\"error\",\"code\":\"insufficient_quota\",\"message\":\"You exceeded your current quota\",\"param\":null,\"sequence_number\":3}\n\n" +
			"event: response.failed\ndata: {\"type\":\"response.failed\",\"response\":{\"status\":\"failed\",\"error\":{\"code\":\"insufficient_quota\",\"message\":\"You exceeded your current quota\"}}}\n\n", "You exceeded your current quota"},
		store.ShapeGemini: {"data: {\"error\":{\"code\":503,\"message\":\"Overloaded\",\"status\":\"UNAVAILABLE\"}}\n\n", "Overloaded"},
		store.ShapeOllama: {"{\"error\":\"Overloaded\"}\n", "Overloaded"},
	}
	for _, p := range pairs() {
		failing := errors[p.upstream.shape]
		if !p.caller.streamed || failing.event == "" {
			continue
		}
		texts := p.upstream.answer(7, 3)
		up.Play(gatewaytest.Join(p.upstream.head(), gatewaytest.Chunk(texts[0], texts[1]), gatewaytest.Chunk(failing.event), gatewaytest.Hang()))
		before := len(up.Requests())
		a := r.ask(p.asks(), key)
		last := p.caller.lastEvent(a.Body)
		_, begins, _ := toldIn(p.caller.shape, 502, "")
		if p.caller.shape == "generate" {
			begins = `{"type":"error","error":{`
		}
		if a.Status != 200 || !strings.Contains(last, failing.text) || !strings.HasPrefix(last, begins[:min(len(begins), 10)]) || !holdsError(last) || strings.Contains(a.Body, p.caller.terminal) {
			t.Errorf("%s: got %d %s", p.name(), a.Status, a.Body)
		}
		<-up.Request(before).Gone()
		if e := r.events(before + 1)[before]; e.ErrorKind != "upstream_error" {
			t.Errorf("%s: recorded %+v", p.name(), e)
		}
		r.mustBeIdle(p.name())
		r.unbench()
	}
}
