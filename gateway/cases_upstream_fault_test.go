package gateway_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"relay/gateway/gatewaytest"
	"relay/limiter"
	"relay/store"
)

// fault is what an upstream may do wrong, and what its caller is to see.
type fault struct {
	name   string
	script func(k kind) gatewaytest.Script
	status int
	code   string // of the error; empty: the upstream's own body is forwarded
	text   string // that the body must hold
	kind   string // error_kind of the usage event; empty: the code
	begun  bool   // only streams meet it, after their first event
}

// says plays the same to every kind of call.
func says(parts ...gatewaytest.Script) func(kind) gatewaytest.Script {
	return func(kind) gatewaytest.Script { return gatewaytest.Join(parts...) }
}

func typed(status int, contentType, body string) func(kind) gatewaytest.Script {
	return says(gatewaytest.Head(status, "Content-Type: "+contentType, fmt.Sprintf("Content-Length: %d", len(body))), gatewaytest.Raw(body))
}

// unavailable are the faults before an answer, or instead of one.
func unavailable() []fault {
	const gone, invalid = "upstream_unavailable", "upstream_invalid_response"
	object := `{"error":{"message":"said by upstream","type":"t","code":`
	all := []fault{
		{name: "reset before the head", script: says(gatewaytest.Reset()), status: 502, code: gone, text: "Host "},
		{name: "closed before the head", script: says(gatewaytest.Close()), status: 502, code: gone},
		{name: "cut within the head", script: says(gatewaytest.Raw("HTTP/1.1 200 OK\r\nContent-Le"), gatewaytest.Reset()), status: 502, code: gone},
		{name: "no HTTP", script: says(gatewaytest.Raw("SSH-2.0-OpenSSH_9.9\r\n\r\n"), gatewaytest.Close()), status: 502},
		{name: "status 101", script: says(gatewaytest.Head(101, "Upgrade: websocket", "Connection: Upgrade"), gatewaytest.Close()), status: 502},
		{name: "status 000", script: says(gatewaytest.Head(0, "Content-Length: 0"), gatewaytest.Close()), status: 502},
		{name: "status 999", script: says(gatewaytest.Head(999, "Content-Length: 0"), gatewaytest.Close()), status: 502},
		{name: "status 204 with a body", script: says(gatewaytest.Head(204, "Content-Length: 2"), gatewaytest.Raw("{}"), gatewaytest.Close()), status: 502, code: invalid},
		{name: "no end of 1xx", script: says(gatewaytest.Early(100_000), gatewaytest.Close()), status: 502},
		{name: "11 MiB of headers", script: says(gatewaytest.ManyHeaders(200, 11, 1<<20, "Content-Length: 0")), status: 502},
		{name: "10,000 headers", script: says(gatewaytest.ManyHeaders(200, 10_000, 20, "Content-Length: 0")), status: 502},
		{name: "NUL in a value", script: says(gatewaytest.Head(200, "X-Request-Id: a\x00b", "Content-Length: 0")), status: 502},
		{name: "CR in a value", script: says(gatewaytest.Head(200, "X-Request-Id: a\rX-Injected: 1", "Content-Length: 0")), status: 502},
		{name: "empty", script: typed(200, "application/json", ""), status: 502, code: invalid},
		{name: "HTML", script: typed(200, "text/html", "<html>Sign in</html>"), status: 502, code: invalid},
		{name: "no JSON", script: typed(200, "application/json", `{"choices":[{`), status: 502, code: invalid},
		{name: "JSON of another kind", script: typed(200, "application/json", `"ok"`), status: 502, code: invalid},
		{name: "brotli unasked", script: says(gatewaytest.Head(200, "Content-Encoding: br", "Content-Length: 2"), gatewaytest.Raw("{}")), status: 502, code: invalid},
		{name: "zstd unasked", script: says(gatewaytest.Head(200, "Content-Encoding: zstd", "Content-Length: 2"), gatewaytest.Raw("{}")), status: 502, code: invalid},
		{name: "gzip that is none", script: says(gatewaytest.Head(200, "Content-Encoding: gzip", "Content-Length: 20"), gatewaytest.Raw("{}                  ")), status: 502, code: invalid},
		{name: "short body", script: says(gatewaytest.Head(200, "Content-Type: application/json", "Content-Length: 500"), gatewaytest.Raw(`{"id":"c1",`), gatewaytest.Close()), status: 502, code: gone},
		{name: "200 that is busy", script: typed(200, "application/json", object+`503}}`), status: 503, text: "said by upstream", kind: "upstream_error"},
		{name: "200 that is over its quota", script: typed(200, "application/json", object+`429}}`), status: 429, text: "said by upstream", kind: "upstream_error"},
		{name: "200 that says no more", script: typed(200, "application/json", `{"error":"it broke"}`), status: 500, text: "it broke", kind: "upstream_error"},
		{name: "200 that refuses the key", script: typed(200, "application/json", object+`401}}`), status: 502, code: "upstream_auth"},
	}
	for _, status := range []int{500, 501, 502, 503, 504, 529, 599} {
		all = append(all, fault{name: fmt.Sprint("status ", status), script: typed(status, "application/json", object+`"c"}}`), status: 502, code: gone, text: fmt.Sprintf("answered with status %d: said by upstream", status)})
	}
	all = append(all, fault{name: "an HTML page with 502", script: typed(502, "text/html", "<html>"+strings.Repeat("sorry ", 1000)), status: 502, code: gone, text: "sorry"})
	return all
}

// refusals are answers that tell of the request or of the key.
func refusals() []fault {
	object := `{"error":{"message":"said by upstream","type":"t","code":"c"}}`
	var all []fault
	for _, status := range []int{400, 404, 405, 409, 413, 415, 422, 429} {
		all = append(all, fault{name: fmt.Sprint("status ", status), script: typed(status, "application/json", object), status: status, text: object, kind: "upstream_error"})
	}
	for _, c := range []struct {
		status int
		said   string
		auth   bool
	}{
		{401, "no", true}, {402, "pay", true}, {403, "Your account is suspended", true}, {403, "invalid api key", true},
		{403, "You do not have access to model gpt-9", false}, {403, "Content blocked by our safety system", false},
	} {
		body := `{"error":{"message":"` + c.said + `"}}`
		f := fault{name: fmt.Sprintf("%d %s", c.status, c.said), script: typed(c.status, "application/json", body), status: c.status, text: body, kind: "upstream_error"}
		if c.auth {
			f.status, f.code, f.text, f.kind = 502, "upstream_auth", "does not accept the provider key", ""
		}
		all = append(all, f)
	}
	return append(all, fault{name: "no JSON with 422", script: typed(422, "text/plain", "no such tool"), status: 422, text: "no such tool", kind: "upstream_error"})
}

// broken are faults after a stream's first event.
func broken() []fault {
	cut := fault{status: 200, code: "upstream_unavailable", text: "broke its stream off", kind: "truncated", begun: true}
	of := func(name string, script func(kind) gatewaytest.Script) fault {
		f := cut
		f.name, f.script = name, script
		return f
	}
	then := func(parts ...gatewaytest.Script) func(kind) gatewaytest.Script {
		return func(k kind) gatewaytest.Script {
			return gatewaytest.Join(append([]gatewaytest.Script{k.opening()}, parts...)...)
		}
	}
	return []fault{
		of("reset", then(gatewaytest.Reset())),
		of("closed within the chunks", then(gatewaytest.Close())),
		of("cut within a chunk", func(k kind) gatewaytest.Script {
			return gatewaytest.Join(k.opening(), gatewaytest.Raw("400\r\n"+k.part()), gatewaytest.Reset())
		}),
		of("a chunk of no size", then(gatewaytest.Raw("zz\r\n"), gatewaytest.Close())),
		of("the last chunk too early", then(gatewaytest.LastChunk())),
		of("short body", func(k kind) gatewaytest.Script {
			return gatewaytest.Join(gatewaytest.Head(200, "Content-Type: "+k.contentType, "Content-Length: 5000"), gatewaytest.Raw(k.answer(7, 3)[0]), gatewaytest.Close())
		}),
		of("delimited by its close", func(k kind) gatewaytest.Script {
			return gatewaytest.Join(gatewaytest.Head(200, "Content-Type: "+k.contentType), gatewaytest.Raw(k.answer(7, 3)[0]), gatewaytest.Close())
		}),
		{
			name: "error event", script: func(k kind) gatewaytest.Script {
				return gatewaytest.Join(k.opening(), gatewaytest.Chunk(k.failing(`{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`)), gatewaytest.Hang())
			},
			status: 200, text: `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`, kind: "upstream_error", begun: true,
		},
		{
			name: "error without a name", script: func(k kind) gatewaytest.Script {
				return gatewaytest.Join(k.opening(), gatewaytest.Chunk(k.event(`{"error":{"message":"Overloaded","code":503}}`)), gatewaytest.Hang())
			},
			status: 200, text: `{"error":{"message":"Overloaded","code":503}}`, kind: "upstream_error", begun: true,
		},
	}
}

// faultStand serves every kind from hosts that want no key, so that no breaker
// stands between one fault and the next, and whose gauges all allow one.
func faultStand(t *testing.T) (*rig, *gatewaytest.Upstream, string) {
	r, up := newStand(t)
	r.policy(sliding(limiter.MeterConcurrency, 1, time.Minute))
	key := r.key("laptop", store.RelayKeySpec{Limits: &store.Limits{Concurrency: int64p(1)}})
	r.withoutKeys(hosts()...)
	for _, host := range hosts() {
		r.remove(store.KindHostKey, host+"-1")
	}
	return r, up, key
}

// remove deletes records.
func (r *rig) remove(kind store.Kind, names ...string) {
	r.tb.Helper()
	for _, name := range names {
		if _, err := r.db.Write(func(e *store.Edit) error { return e.Delete(kind, r.record(kind, name)) }); err != nil {
			r.tb.Fatalf("delete %s: %v", name, err)
		}
	}
}

func TestUpstreamFaults_HaveOneAnswerOnEveryRoute(t *testing.T) {
	for _, k := range kinds() {
		t.Run(k.name, func(t *testing.T) {
			r, up, key := faultStand(t)
			for _, f := range append(append(unavailable(), refusals()...), broken()...) {
				if f.begun && !k.streamed {
					continue
				}
				up.Otherwise(f.script(k))
				before := len(r.events(0))
				a := r.ask(k, key)
				f.check(t, k, a)
				until(t, f.name+" is over", func() bool { return r.server.InFlight() == 0 })
				r.mustBeIdle(f.name)
				f.checkEvent(t, k, r.events(before + 1)[before])
			}
			up.Otherwise(k.says(7, 3))
			r.want(r.ask(k, key), 200, "")
		})
	}
}

// check holds an answer against what the fault is to give.
func (f *fault) check(t *testing.T, k kind, a gatewaytest.Answer) {
	t.Helper()
	if a.Status != f.status || !strings.Contains(a.Body, f.text) || a.Err != nil {
		t.Errorf("%s: got %d %q (%v), want %d with %q", f.name, a.Status, a.Body, a.Err, f.status, f.text)
	}
	if f.status != 200 && !strings.HasPrefix(a.Header.Get("X-Relay-Refused-By"), "upstream:") && f.code != "upstream_auth" {
		t.Errorf("%s: X-Relay-Refused-By %q", f.name, a.Header.Get("X-Relay-Refused-By"))
	}
	if a.Header.Get("X-Injected") != "" || strings.Contains(a.Header.Get("X-Request-Id"), "a") {
		t.Errorf("%s: headers %v", f.name, a.Header)
	}
	if f.code != "" {
		wantShape(t, f.name, k, k.lastEvent(a.Body), f.code)
	}
	if a.Status == 200 {
		k.mustParse(t, f.name, a.Body)
	}
	if f.begun && (!strings.HasPrefix(a.Body, k.answer(7, 3)[0]) || strings.Contains(a.Body, "[DONE]") || strings.Contains(a.Body, k.terminal)) {
		t.Errorf("%s: the stream is %q", f.name, a.Body)
	}
}

// checkEvent holds the usage event against what the fault is to leave.
func (f *fault) checkEvent(t *testing.T, k kind, e store.Event) {
	t.Helper()
	want := f.kind
	if want == "" {
		want = f.code
	}
	if e.Status != f.status || want != "" && e.ErrorKind != want || e.ErrorKind == "" || len(e.Attempts) != 1 {
		t.Errorf("%s: event %+v, want status %d and %q", f.name, e, f.status, want)
	}
	seen := int64(0)
	if f.begun && k.tellsInput {
		seen = 7 // its first event tells the input
	}
	if e.Tokens.Input != seen || f.begun != (e.Host != "") || !f.begun && e.CostNanos != nil {
		t.Errorf("%s: event %+v, want %d tokens of input", f.name, e, seen)
	}
}
