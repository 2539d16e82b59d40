package gateway_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"relay/gateway/gatewaytest"
	"relay/limiter"
	"relay/store"
)

// claude binds model claude to a host that speaks Anthropic's shape.
func (r *rig) claude(up *gatewaytest.Upstream) {
	m := put(r, "claude", store.ModelSpec{})
	h := put(r, "anthropic", store.HostSpec{BaseURL: up.URL() + "/v1", Auth: "x-api-key", Shapes: []store.Shape{store.ShapeAnthropic}})
	put(r, "claude-anthropic", store.HostBindingSpec{ModelID: m.Metadata.ID, HostID: h.Metadata.ID, PricingID: r.pricing()})
	put(r, "anthropic-1", store.HostKeySpec{HostID: h.Metadata.ID, Source: store.KeySource{Kind: "env", Env: "ANT_1"}})
}

// post sends a body to a path.
func (r *rig) post(path, key, body string, headers ...string) gatewaytest.Answer {
	r.tb.Helper()
	text := strings.Replace(request(key, body, headers...), "/v1/chat/completions", path, 1)
	return gatewaytest.Do(r.tb, r.addr, text)
}

func (r *rig) get(path, key string, headers ...string) gatewaytest.Answer {
	r.tb.Helper()
	text := "GET " + path + " HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer " + key + "\r\n"
	for _, h := range headers {
		text += h + "\r\n"
	}
	return gatewaytest.Do(r.tb, r.addr, text+"\r\n")
}

const (
	messageBody   = `{"model":"claude","max_tokens":10,"messages":[{"role":"user","content":"hi"}]}`
	messageAnswer = `{"id":"m1","type":"message","role":"assistant","model":"claude","content":[{"type":"text","text":"hello"}],"stop_reason":"end_turn","usage":{"input_tokens":3,"cache_creation_input_tokens":12304,"cache_read_input_tokens":0,"output_tokens":550}}`
	messageStart  = "event: message_start\ndata: {\"type\":\"message_start\",\"message\":{\"id\":\"m1\",\"usage\":{\"input_tokens\":50,\"cache_creation_input_tokens\":2000,\"cache_read_input_tokens\":0,\"output_tokens\":1}}}\n\n"
	messageText   = "event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"text_delta\",\"text\":\"hello\"}}\n\n"
	messageDelta  = "event: message_delta\ndata: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"end_turn\"},\"usage\":{\"output_tokens\":42}}\n\n"
	messageStop   = "event: message_stop\ndata: {\"type\":\"message_stop\"}\n\n"
)

func TestMessages_PassWholeAndStreamedWithTheirUsage(t *testing.T) {
	r := newRig(t)
	stream := messageStart + "event: ping\ndata: {\"type\": \"ping\"}\n\n" + messageText + messageDelta + messageStop
	up := gatewaytest.New(t, gatewaytest.JSON(200, messageAnswer), gatewaytest.Stream(stream))
	r.claude(up)
	key := r.key("laptop", store.RelayKeySpec{})

	a := r.post("/v1/messages?beta=true", key, messageBody, "anthropic-beta: a,b")
	if a.Status != 200 || a.Body != messageAnswer {
		t.Fatalf("got %d %s", a.Status, a.Body)
	}
	sent := up.Request(0)
	if sent.Line() != "POST /v1/messages HTTP/1.1" || sent.Header("x-api-key")[0] != "secret-of-ANT_1" || len(sent.Header("Authorization")) != 0 ||
		sent.Header("anthropic-version")[0] != "2023-06-01" || sent.Header("anthropic-beta")[0] != "a,b" {
		t.Errorf("upstream got %s", sent.Head)
	}
	a = r.post("/v1/messages", key, strings.Replace(messageBody, "{", `{"stream":true,`, 1), "anthropic-version: 2026-10-21")
	if a.Status != 200 || a.Body != stream {
		t.Fatalf("got %d %q\nwant %q", a.Status, a.Body, stream)
	}
	if got := up.Request(1).Header("anthropic-version")[0]; got != "2026-10-21" {
		t.Errorf("anthropic-version %q was not passed on", got)
	}
	events := r.events(2)
	if e := events[0]; e.Tokens.Input != 3 || e.Tokens.CacheCreation != 12304 || e.Tokens.Output != 550 || e.Endpoint != "messages" || e.ShapeIn != "anthropic" {
		t.Errorf("whole: %+v", e)
	}
	if e := events[1]; e.Tokens.Input != 50 || e.Tokens.CacheCreation != 2000 || e.Tokens.Output != 42 {
		t.Errorf("streamed: %+v", e)
	}
}

func TestMessages_AreToldErrorsInTheirShape(t *testing.T) {
	r := newRig(t)
	r.claude(gatewaytest.New(t, gatewaytest.JSON(200, messageAnswer)))
	key := r.key("laptop", store.RelayKeySpec{Limits: &store.Limits{RPM: int64p(1)}})
	r.want(r.post("/v1/messages", "sk-wr-unknown", messageBody), 401, `{"type":"error","error":{"type":"authentication_error"`)
	r.want(r.post("/v1/messages", key, `{"model":"none"}`), 404, `"type":"not_found_error"`)
	r.want(r.post("/v1/messages", key, `{`), 400, `"type":"invalid_request_error"`)
	r.want(r.post("/v1/messages", key, messageBody), 200, "hello")
	a := r.post("/v1/messages", key, messageBody)
	r.want(a, 429, `"type":"rate_limit_error","message":"Limit of key laptop: 1 of 1 requests in 1m used; retry after 61 s."`)
	if !strings.Contains(a.Body, `"request_id":"`+a.Header.Get("X-Relay-Request-Id")+`"`) {
		t.Errorf("no request id in %s", a.Body)
	}
	r.want(r.post("/v1/messages/batches", key, "{}"), 404, `"type":"error"`)
}

func TestMessages_BrokenOffEndWithAnErrorEvent(t *testing.T) {
	r := newRig(t)
	r.claude(gatewaytest.New(t,
		gatewaytest.Join(gatewaytest.StreamHead(), gatewaytest.Chunk(messageStart, messageText), gatewaytest.Reset()),
		gatewaytest.Stream(messageStart, messageText, messageDelta)))
	key := r.key("laptop", store.RelayKeySpec{})
	body := strings.Replace(messageBody, "{", `{"stream":true,`, 1)
	for _, name := range []string{"reset", "clean end without message_stop"} {
		a := r.post("/v1/messages", key, body)
		if !strings.Contains(a.Body, "event: error\ndata: {\"type\":\"error\"") || strings.Contains(a.Body, "message_stop") {
			t.Errorf("%s: %q", name, a.Body)
		}
	}
	for _, e := range r.events(2) {
		if e.ErrorKind != "truncated" || e.Tokens.Input != 50 {
			t.Errorf("event %+v", e)
		}
	}
}

func TestTokensAndSlots_HoldOnEveryShapeStreamedOrNot(t *testing.T) {
	for _, c := range []struct{ name, path, body, script string }{
		{"chat whole", "/v1/chat/completions", chatBody, answerBody},
		{"chat stream", "/v1/chat/completions", streamBody, deltaEvent + finishEvent + usageEvent + doneEvent},
		{"messages whole", "/v1/messages", messageBody, messageAnswer},
		{"messages stream", "/v1/messages", strings.Replace(messageBody, "{", `{"stream":true,`, 1), messageStart + messageText + messageDelta + messageStop},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := newRig(t)
			release := make(chan struct{})
			script := gatewaytest.Join(gatewaytest.Wait(release), gatewaytest.JSON(200, c.script))
			if strings.HasSuffix(c.name, "stream") {
				first, rest, _ := strings.Cut(c.script, "\n\n")
				script = gatewaytest.Join(gatewaytest.StreamHead(), gatewaytest.Chunk(first+"\n\n"), gatewaytest.Wait(release), gatewaytest.Chunk(rest), gatewaytest.LastChunk())
			}
			up := gatewaytest.New(t, script)
			r.host("up", up, 1)
			r.claude(up)
			key := r.key("laptop", store.RelayKeySpec{Limits: &store.Limits{TPM: int64p(100), Concurrency: int64p(1)}})
			c1 := gatewaytest.Dial(t, r.addr)
			c1.Send(strings.Replace(request(key, c.body), "/v1/chat/completions", c.path, 1))
			up.Request(0)
			r.want(r.post(c.path, key, c.body), 429, "1 of 1 requests in flight")
			close(release)
			if a := c1.Answer(); a.Status != 200 {
				t.Fatalf("got %d %s", a.Status, a.Body)
			}
			r.want(r.post(c.path, key, c.body), 429, "of 100 tokens in 1m used")
		})
	}
}

func TestEmbeddings_PassAndAreMetered(t *testing.T) {
	r := newRig(t)
	const embedding = `{"object":"list","data":[{"object":"embedding","index":0,"embedding":"AACAPw=="}],"model":"m","usage":{"prompt_tokens":8,"total_tokens":8}}`
	up := gatewaytest.New(t, gatewaytest.JSON(200, embedding))
	r.host("up", up, 1)
	key := r.key("laptop", store.RelayKeySpec{})
	a := r.post("/v1/embeddings", key, `{"model":"chat","input":"x","encoding_format":"base64"}`)
	if a.Status != 200 || a.Body != embedding || up.Request(0).Line() != "POST /v1/embeddings HTTP/1.1" {
		t.Fatalf("got %d %s", a.Status, a.Body)
	}
	if e := r.events(1)[0]; e.Tokens.Input != 8 || e.Endpoint != "embeddings" || e.UsageMissing {
		t.Errorf("event %+v", e)
	}
}

func TestEndpoints_AreServedInTheSpellingsPeopleSend(t *testing.T) {
	r := newRig(t)
	up := gatewaytest.New(t)
	up.Otherwise(answer)
	r.host("up", up, 1)
	key := r.key("laptop", store.RelayKeySpec{})
	for _, path := range []string{"/v1/chat/completions", "/chat/completions", "/v1/v1/chat/completions", "/openai/v1/chat/completions", "/openai/chat/completions", "/anthropic/v1/chat/completions", "/v1/chat/completions?x=y"} {
		r.want(r.post(path, key, chatBody), 200, "hello")
	}
	for _, path := range []string{"/v1/models", "/models", "/openai/v1/models", "/v1/models/chat", "/models/chat"} {
		r.want(r.get(path, key), 200, `"id":"chat"`)
	}
	for _, path := range []string{"//v1/chat/completions", "/v1/../v1/chat/completions", "/v1/chat/completions/", "/v1%2fchat/completions", "/V1/chat/completions", "/v1/chat;x/completions"} {
		if a := r.post(path, key, chatBody); a.Status != 404 {
			t.Errorf("%s: %d", path, a.Status)
		}
	}
	head := gatewaytest.Do(t, r.addr, "HEAD / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
	if head.Status != 200 {
		t.Errorf("HEAD /: %d", head.Status)
	}
}

func TestModels_TakeAnthropicsFormForItsClients(t *testing.T) {
	r := newRig(t)
	r.claude(gatewaytest.New(t))
	key := r.key("laptop", store.RelayKeySpec{})
	r.want(r.get("/v1/models", key, "anthropic-version: 2023-06-01"), 200, `"has_more":false,"first_id":"claude","last_id":"claude"`)
	r.want(r.get("/v1/models/claude", key, "anthropic-version: 2023-06-01"), 200, `{"type":"model","id":"claude"`)
	r.want(r.get("/v1/models", key), 200, `"object":"list"`)
}

func TestOwnUsage_TellsTheCallerWhatIsLeft(t *testing.T) {
	r := newRig(t)
	r.host("up", gatewaytest.New(t, answer), 1)
	rl := put(r, "rl", store.RateLimitSpec{Rules: []limiter.Rule{{Meter: limiter.MeterRequests, Amount: 10, Window: 60, Strategy: limiter.SlidingWindow}}})
	key := r.key("laptop", store.RelayKeySpec{Limits: &store.Limits{TPM: int64p(1000), Concurrency: int64p(2)}, Budgets: []store.Budget{{Amount: "1", Period: "day"}}})
	r.key("phone", store.RelayKeySpec{})
	put(r, "open", store.PolicySpec{RateLimitID: rl.Metadata.ID})
	r.want(r.call(key, chatBody), 200, "hello")
	a := r.get("/v1/usage", key)
	var got struct {
		Models []string
		Limits []struct {
			Owner, Meter            string
			Amount, Used, Remaining int64
			Reset_seconds           *int64
			Shared_by               int
		}
		Budgets []struct {
			Owner, Period, Amount_usd, Spent_usd, Remaining_usd string
			Reset_seconds                                       *int64
		}
	}
	if err := json.Unmarshal([]byte(a.Body), &got); err != nil || a.Status != 200 {
		t.Fatalf("%d %s: %v", a.Status, a.Body, err)
	}
	lines := fmt.Sprint(got.Models)
	for _, l := range got.Limits {
		lines += fmt.Sprintf("; %s %s %d of %d, %d left", l.Owner, l.Meter, l.Used, l.Amount, l.Remaining)
	}
	for _, b := range got.Budgets {
		lines += fmt.Sprintf("; %s %s %s of %s, %s left, %d s", b.Owner, b.Period, b.Spent_usd, b.Amount_usd, b.Remaining_usd, *b.Reset_seconds)
	}
	const want = "[chat]; policy open requests 1 of 10, 9 left; key laptop tokens 120 of 1000, 880 left; key laptop concurrency 0 of 2, 2 left; key laptop day 0.0006 of 1.00, 0.9994 left, 43200 s"
	if lines != want {
		t.Errorf("got  %s\nwant %s", lines, want)
	}
}
