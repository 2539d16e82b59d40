package gateway_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"relay/gateway"
	"relay/gateway/gatewaytest"
	"relay/limiter"
	"relay/store"
)

func TestWholeAnswer_PassesByteForByte(t *testing.T) {
	r := newRig(t)
	up := gatewaytest.New(t, gatewaytest.Join(
		gatewaytest.Head(200, "Content-Type: application/json", fmt.Sprintf("Content-Length: %d", len(answerBody)),
			"X-Request-Id: up-1", "X-Ratelimit-Remaining-Requests: 7", "Set-Cookie: a=b", "Server: nasty", "Alt-Svc: h3"),
		gatewaytest.Raw(answerBody)))
	r.host("up", up, 1)
	key := r.key("laptop", store.RelayKeySpec{})
	body := `{"n":1, "model" : "chat","messages":[{"role":"user","content":"h\u00ed"}],"seed":9007199254740993}`

	a := r.call(key, body, "Cookie: c=d", "Origin-Trial: x", "X-Api-Key: sk-ant-stale", "X-Stainless-Lang: js")
	r.want(a, 200, "")
	if a.Body != answerBody {
		t.Errorf("body changed:\n%s\n%s", a.Body, answerBody)
	}
	for name, want := range map[string]string{
		"X-Request-Id": "up-1", "X-Ratelimit-Remaining-Requests": "7", "Set-Cookie": "", "Server": "", "Alt-Svc": "",
		"X-Relay-Host": "up", "X-Relay-Model": "chat", "X-Relay-Attempts": "1", "X-Relay-Cost-Usd": "0.0006",
	} {
		if got := a.Header.Get(name); got != want {
			t.Errorf("header %s is %q, want %q", name, got, want)
		}
	}
	sent := up.Request(0)
	if want := strings.Replace(body, `"chat"`, `"chat-2026"`, 1); string(sent.Body) != want {
		t.Errorf("upstream got %s, want %s", sent.Body, want)
	}
	if got := sent.Header("Authorization"); len(got) != 1 || got[0] != "Bearer secret-of-UP_1" {
		t.Errorf("upstream got Authorization %q", got)
	}
	for name, want := range map[string]int{"Cookie": 0, "X-Api-Key": 0, "Origin-Trial": 0, "X-Stainless-Lang": 1, "Relay-Hops": 1} {
		if got := sent.Header(name); len(got) != want {
			t.Errorf("upstream got %s %q, want %d", name, got, want)
		}
	}
}

func TestUsageEvent_HasTokensCostAndAccounts(t *testing.T) {
	r := newRig(t)
	r.host("up", gatewaytest.New(t, answer), 1)
	r.want(r.call(r.key("laptop", store.RelayKeySpec{}), chatBody), 200, "hello")
	e := r.events(1)[0]
	if e.Tokens.Input != 100 || e.Tokens.Output != 20 || e.CostNanos == nil || *e.CostNanos != 600_000 {
		t.Errorf("tokens %+v, cost %v", e.Tokens, e.CostNanos)
	}
	if e.Status != 200 || e.ErrorKind != "" || e.FinishReason != "stop" || e.UsageMissing || e.RequestedModel != "chat" {
		t.Errorf("event %+v", e)
	}
	c := r.db.Catalog()
	if e.Organization != c.Organizations.ByName("acme").Metadata.ID || e.Team == "" || e.Project == "" || e.Principal.ID == "" ||
		e.Credential.ID != c.RelayKeys.ByName("laptop").Metadata.ID || e.HostKey != c.HostKeys.ByName("up-1").Metadata.ID || len(e.Attempts) != 1 || len(e.Policies) != 1 {
		t.Errorf("event %+v", e)
	}
}

func TestStream_ShowsTheUsageChunkOnlyToCallersThatAsked(t *testing.T) {
	for options, chunks := range map[string]int{
		"":                       0,
		`"stream_options":{},`:   0,
		`"stream_options":null,`: 0,
		`"stream_options":{"include_usage":false,"x":1},`: 0,
		`"stream_options":{"include_usage":true},`:        1,
	} {
		t.Run(options, func(t *testing.T) {
			r := newRig(t)
			up := gatewaytest.New(t, stream)
			r.host("up", up, 1)
			a := r.call(r.key("laptop", store.RelayKeySpec{}), `{`+options+`"model":"chat","stream":true,"messages":[]}`)
			want := deltaEvent + finishEvent + strings.Repeat(usageEvent, chunks) + doneEvent
			if a.Status != 200 || a.Body != want || a.Err != nil {
				t.Errorf("got %d %q, want %q", a.Status, a.Body, want)
			}
			if body := string(up.Request(0).Body); !strings.Contains(body, `"include_usage":true`) || strings.Contains(options, `"x":1`) && !strings.Contains(body, `"x":1`) {
				t.Errorf("upstream got %s", body)
			}
			if e := r.events(1)[0]; e.Tokens.Input != 100 || e.Tokens.Output != 20 || !e.Streamed {
				t.Errorf("event %+v", e)
			}
		})
	}
}

func TestStream_PassesTheSameBytesHoweverTheyArrive(t *testing.T) {
	body := ": comment\n\n" + deltaEvent + "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"雨🙂ñ\"}}]}\r\n\r\n" + finishEvent
	for name, script := range map[string]gatewaytest.Script{
		"whole":            gatewaytest.Stream(body + usageEvent + doneEvent),
		"byte by byte":     gatewaytest.Join(gatewaytest.StreamHead(), bytewiseChunks(body+usageEvent+doneEvent), gatewaytest.LastChunk()),
		"without [DONE]":   gatewaytest.Stream(body + usageEvent),
		"[DONE] twice":     gatewaytest.Stream(body+usageEvent, doneEvent, doneEvent),
		"[DONE] no space":  gatewaytest.Stream(body+usageEvent, "data:[DONE]\n\n"),
		"no final newline": gatewaytest.Stream(body+usageEvent, "data: [DONE]"),
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			r.host("up", gatewaytest.New(t, script), 1)
			a := r.call(r.key("laptop", store.RelayKeySpec{}), streamBody)
			if want := body + doneEvent; a.Body != want || a.Err != nil {
				t.Errorf("got %q (%v), want %q", a.Body, a.Err, want)
			}
		})
	}
}

func bytewiseChunks(text string) gatewaytest.Script {
	return gatewaytest.Chunk(strings.Split(text, "")...)
}

func TestStream_SettlesBeforeItsTerminalEvent(t *testing.T) {
	r := newRig(t)
	up := gatewaytest.New(t)
	up.Otherwise(stream)
	r.host("up", up, 1)
	key := r.key("laptop", store.RelayKeySpec{Limits: &store.Limits{Concurrency: int64p(1)}})
	c := gatewaytest.Dial(t, r.addr)
	for range 200 {
		c.Send(request(key, streamBody))
		if a := c.Answer(); a.Status != 200 {
			t.Fatalf("a sequential caller was refused: %d %s", a.Status, a.Body)
		}
	}
}

func TestStream_CutByItsUpstreamEndsWithAnErrorEventAndNoTerminal(t *testing.T) {
	r := newRig(t)
	up := gatewaytest.New(t, gatewaytest.Join(gatewaytest.StreamHead(), gatewaytest.Chunk(deltaEvent), gatewaytest.Reset()))
	up.Otherwise(stream)
	r.host("up", up, 1)
	key := r.key("laptop", store.RelayKeySpec{Limits: &store.Limits{Concurrency: int64p(1)}})
	a := r.call(key, streamBody)
	if a.Status != 200 || !strings.HasPrefix(a.Body, deltaEvent+`data: {"error":{`) || strings.Contains(a.Body, "[DONE]") {
		t.Fatalf("got %d %q", a.Status, a.Body)
	}
	if e := r.events(1)[0]; e.ErrorKind != "truncated" {
		t.Errorf("error_kind %q, want truncated", e.ErrorKind)
	}
	r.want(r.call(key, streamBody), 200, "[DONE]")
}

func TestStream_ACallerThatLeavesStopsTheUpstreamAndFreesItsSlot(t *testing.T) {
	r := newRig(t)
	up := gatewaytest.New(t, gatewaytest.Join(gatewaytest.StreamHead(), gatewaytest.Chunk(deltaEvent), gatewaytest.Hang()))
	up.Otherwise(stream)
	r.host("up", up, 1)
	key := r.key("laptop", store.RelayKeySpec{Limits: &store.Limits{Concurrency: int64p(1)}})
	c := gatewaytest.Dial(t, r.addr)
	c.Send(request(key, streamBody))
	if _, err := gatewaytest.ReadUntil(c.Response().Body, "hel"); err != nil {
		t.Fatal(err)
	}
	r.want(r.call(key, streamBody), 429, "1 of 1 requests in flight")
	c.Reset()
	<-up.Request(0).Gone()
	if e := r.events(2)[1]; e.ErrorKind != "client_closed" && r.events(2)[0].ErrorKind != "client_closed" {
		t.Errorf("events %+v", r.events(2))
	}
	r.want(r.call(key, streamBody), 200, "[DONE]")
}

func TestWholeAnswer_ACallerThatLeavesStopsTheUpstreamAndFreesItsSlot(t *testing.T) {
	r := newRig(t)
	up := gatewaytest.New(t, gatewaytest.Hang())
	up.Otherwise(answer)
	r.host("up", up, 1)
	key := r.key("laptop", store.RelayKeySpec{Limits: &store.Limits{Concurrency: int64p(1)}})
	c := gatewaytest.Dial(t, r.addr)
	c.Send(request(key, chatBody))
	sent := up.Request(0)
	c.Reset()
	<-sent.Gone()
	if e := r.events(1)[0]; e.ErrorKind != "client_closed" || e.Tokens.Input != 0 {
		t.Errorf("event %+v", e)
	}
	r.want(r.call(key, chatBody), 200, "hello")
}

func TestStop_CutsStreamsWithAnErrorEvent(t *testing.T) {
	r := newRig(t)
	up := gatewaytest.New(t, gatewaytest.Join(gatewaytest.StreamHead(), gatewaytest.Chunk(deltaEvent), gatewaytest.Hang()))
	r.host("up", up, 1)
	c := gatewaytest.Dial(t, r.addr)
	c.Send(request(r.key("laptop", store.RelayKeySpec{}), streamBody))
	resp := c.Response()
	if _, err := gatewaytest.ReadUntil(resp.Body, "\n\n"); err != nil {
		t.Fatal(err)
	}
	r.stop(gateway.ErrStopping)
	if text, err := gatewaytest.ReadUntil(resp.Body, "\n\n"); err != nil || !strings.Contains(text, "Relay is stopping") {
		t.Errorf("got %q, %v", text, err)
	}
}

func TestUnpriced_IsNullAndNotZero(t *testing.T) {
	r := newRig(t)
	r.host("up", gatewaytest.New(t, answer), 1)
	b := r.db.Catalog().HostBindings.ByName("chat-up")
	spec := b.Spec
	spec.PricingID = ""
	put(r, "chat-up", spec)
	a := r.call(r.key("laptop", store.RelayKeySpec{}), chatBody)
	r.want(a, 200, "hello")
	if e := r.events(1)[0]; e.CostNanos != nil || a.Header.Get("X-Relay-Cost-Usd") != "" {
		t.Errorf("cost %v, header %q", e.CostNanos, a.Header.Get("X-Relay-Cost-Usd"))
	}
}

func TestTokensOfAnAnswer_CountAgainstLaterCalls(t *testing.T) {
	for name, script := range map[string]gatewaytest.Script{"whole": answer, "streamed": stream} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			up := gatewaytest.New(t)
			up.Otherwise(script)
			r.host("up", up, 1)
			key := r.key("laptop", store.RelayKeySpec{Limits: &store.Limits{TPM: int64p(100)}})
			body := map[string]string{"whole": chatBody, "streamed": streamBody}[name]
			r.want(r.call(key, body), http.StatusOK, "")
			r.want(r.call(key, body), http.StatusTooManyRequests, "120 of 100 tokens in 1m used; retry after 61 s.")
			r.advance(61e9)
			r.want(r.call(key, body), http.StatusOK, "")
		})
	}
}

func TestRefusedCall_ChangesNoCounterWhateverTheOrderOfRules(t *testing.T) {
	requests := limiter.Rule{Meter: limiter.MeterRequests, Amount: 2, Window: 60, Strategy: limiter.SlidingWindow}
	inFlight := limiter.Rule{Meter: limiter.MeterConcurrency, Amount: 1, Window: 60, Strategy: limiter.SlidingWindow}
	for name, rules := range map[string][]limiter.Rule{"requests first": {requests, inFlight}, "concurrency first": {inFlight, requests}} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			end := make(chan struct{})
			up := gatewaytest.New(t, gatewaytest.Join(gatewaytest.StreamHead(), gatewaytest.Chunk(deltaEvent), gatewaytest.Wait(end), gatewaytest.Chunk(finishEvent, doneEvent), gatewaytest.LastChunk()))
			up.Otherwise(answer)
			r.host("up", up, 1)
			key := r.key("laptop", store.RelayKeySpec{})
			rl := put(r, "rl", store.RateLimitSpec{Rules: rules})
			put(r, "open", store.PolicySpec{RateLimitID: rl.Metadata.ID})
			c := gatewaytest.Dial(t, r.addr)
			c.Send(request(key, streamBody))
			body := c.Response().Body
			if _, err := gatewaytest.ReadUntil(body, "hel"); err != nil {
				t.Fatal(err)
			}
			r.want(r.call(key, chatBody), 429, `Limit \"rl\" of policy open: 1 of 1 requests in flight; retry after 1 s.`)
			close(end)
			if _, err := gatewaytest.ReadUntil(body, "[DONE]"); err != nil {
				t.Fatal(err)
			}
			r.want(r.call(key, chatBody), 200, "hello")
			r.want(r.call(key, chatBody), 429, "2 of 2 requests in 1m used")
		})
	}
}
