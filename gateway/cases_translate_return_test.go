package gateway_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/tidwall/gjson"

	"relay/gateway/gatewaytest"
	"relay/gateway/wire/hub"
	"relay/store"
)

// dialogue is a conversation in one shape, kept as clients keep it: what an answer says
// goes into the next request as it came.
type dialogue struct {
	shape   store.Shape
	path    string
	members string // of the body beside the conversation
	list    string // the member that holds it
	said    []string
}

// dialogues are new conversations in every shape that has a place for opaque parts.
func dialogues() []*dialogue {
	const prompt, parameters = "Add.", `{"type":"object"}`
	return []*dialogue{
		{store.ShapeAnthropic, "/v1/messages", `"max_tokens":9000,"thinking":{"type":"enabled","budget_tokens":2000},"tools":[{"name":"f","input_schema":` + parameters + `}]`, "messages", []string{`{"role":"user","content":"` + prompt + `"}`}},
		{store.ShapeResponses, "/v1/responses", `"tools":[{"type":"function","name":"f","parameters":` + parameters + `}]`, "input", []string{`{"role":"user","content":"` + prompt + `"}`}},
		{store.ShapeGemini, "/v1beta/models/MODEL:generateContent", `"generationConfig":{"thinkingConfig":{"includeThoughts":true}},"tools":[{"functionDeclarations":[{"name":"f"}]}]`, "contents", []string{`{"role":"user","parts":[{"text":"` + prompt + `"}]}`}},
		{store.ShapeOpenAI, "/v1/chat/completions", `"tools":[{"type":"function","function":{"name":"f","parameters":` + parameters + `}}]`, "messages", []string{`{"role":"user","content":"` + prompt + `"}`}},
	}
}

// body is the next request. It is written with white space, as some clients do.
func (c *dialogue) body(model string) string {
	named := `"model": "` + model + `", `
	if c.shape == store.ShapeGemini {
		named = ""
	}
	return fmt.Sprintf("{ %s%s, %q: [%s] }", named, c.members, c.list, strings.Join(c.said, ", "))
}

// ask sends the next request to the model of the host of a shape and returns the
// answer.
func (c *dialogue) ask(r *rig, key string, host store.Shape) gatewaytest.Answer {
	r.tb.Helper()
	model := "to-" + hostNamed(host)
	a := r.post(strings.Replace(c.path, "MODEL", model, 1), key, c.body(model))
	if a.Status != 200 {
		r.tb.Fatalf("%s at %s: got %d %s for %s", c.path, host, a.Status, a.Body, c.body(model))
	}
	return a
}

// keep adds an answer to the conversation.
func (c *dialogue) keep(a gatewaytest.Answer) {
	answer := gjson.Parse(a.Body)
	switch c.shape {
	case store.ShapeAnthropic:
		c.said = append(c.said, `{"role":"assistant","content":`+answer.Get("content").Raw+`}`)
	case store.ShapeResponses:
		for _, item := range answer.Get("output").Array() {
			c.said = append(c.said, item.Raw)
		}
	case store.ShapeGemini:
		c.said = append(c.said, answer.Get("candidates.0.content").Raw)
	case store.ShapeOpenAI:
		c.said = append(c.said, answer.Get("choices.0.message").Raw)
	}
}

// result adds the result of the one call of an answer, and returns the call's id.
func (c *dialogue) result(a gatewaytest.Answer) (id string) {
	at := map[store.Shape][2]string{
		store.ShapeAnthropic: {`content.#(type=="tool_use").id`, `{"role":"user","content":[{"type":"tool_result","tool_use_id":"%s","content":"42"}]}`},
		store.ShapeResponses: {`output.#(type=="function_call").call_id`, `{"type":"function_call_output","call_id":"%s","output":"42"}`},
		store.ShapeGemini:    {`candidates.0.content.parts.#(functionCall.name=="f").functionCall.id`, `{"role":"user","parts":[{"functionResponse":{"id":"%s","name":"f","response":{"output":"42"}}}]}`},
		store.ShapeOpenAI:    {`choices.0.message.tool_calls.0.id`, `{"role":"tool","tool_call_id":"%s","content":"42"}`},
	}[c.shape]
	id = gjson.Get(a.Body, at[0]).Str
	c.said = append(c.said, fmt.Sprintf(at[1], id))
	return id
}

func (c *dialogue) say(text string) {
	if c.shape == store.ShapeGemini {
		c.said = append(c.said, `{"role":"user","parts":[{"text":"`+text+`"}]}`)
		return
	}
	c.said = append(c.said, `{"role":"user","content":"`+text+`"}`)
}

// called is how a call of another host's stands in what goes up to a host of the
// caller's own shape.
func (c *dialogue) called(id string) (at, want string) {
	call := `"id":"` + id + `","name":"f"`
	switch c.shape {
	case store.ShapeAnthropic:
		return "messages.1", `{"role":"assistant","content":[{"type":"tool_use",` + call + `,"input":{"a":1}}]}`
	case store.ShapeResponses:
		return "input.1", `{"type":"function_call","call_id":"` + id + `","name":"f","arguments":"{\"a\":1}"}`
	case store.ShapeGemini:
		return "contents.1", `{"role":"model","parts":[{"functionCall":{` + call + `,"args":{"a":1}},"thoughtSignature":"skip_thought_signature_validator"}]}`
	}
	return "messages.1", `{"role":"assistant","content":null,"tool_calls":[{"id":"` + id + `","type":"function","function":{"name":"f","arguments":"{\"a\":1}"}}]}`
}

// thinker is a host that thinks and then calls a tool.
type thinker struct {
	answer string
	at     string // where what belongs to the thought goes up again
	want   string // as JSON
}

// secret is what they think.
const secret = "a secret thought"

func thinkers() map[store.Shape]thinker {
	const call = `"name":"f","arguments":"{\"a\":1}"`
	return map[store.Shape]thinker{
		store.ShapeAnthropic: {
			`{"type":"message","role":"assistant","content":[{"type":"thinking","thinking":"` + secret + `","signature":"SIG+/=="},{"type":"tool_use","id":"toolu_1","name":"f","input":{"a":1}}],"stop_reason":"tool_use","usage":{"input_tokens":1,"output_tokens":1}}`,
			"messages.1.content.0", `{"type":"thinking","thinking":"` + secret + `","signature":"SIG+/=="}`,
		},
		store.ShapeResponses: {
			`{"object":"response","status":"completed","output":[{"type":"reasoning","id":"rs_1","summary":[{"type":"summary_text","text":"` + secret + `"}],"encrypted_content":"ENC+/=="},{"type":"function_call","id":"fc_1","call_id":"call_1",` + call + `}],"usage":{"input_tokens":1,"output_tokens":1}}`,
			"input.1", `{"type":"reasoning","id":"rs_1","summary":[{"type":"summary_text","text":"` + secret + `"}],"encrypted_content":"ENC+/=="}`,
		},
		store.ShapeGemini: {
			`{"candidates":[{"content":{"role":"model","parts":[{"text":"` + secret + `","thought":true},{"functionCall":{"name":"f","args":{"a":1}},"thoughtSignature":"GS+/=="}]},"finishReason":"STOP"}],"usageMetadata":{"promptTokenCount":1,"candidatesTokenCount":1}}`,
			"contents.1.parts.0.thoughtSignature", `"GS+/=="`,
		},
		store.ShapeOpenAI: {`{"object":"chat.completion","choices":[{"index":0,"message":{"role":"assistant","content":null,"reasoning_content":"` + secret + `","tool_calls":[{"id":"call_1","type":"function","function":{` + call + `}}]},"finish_reason":"tool_calls"}],"usage":{"prompt_tokens":1,"completion_tokens":1}}`, "", ""},
		store.ShapeOllama: {`{"model":"m","message":{"role":"assistant","content":"","thinking":"` + secret + `","tool_calls":[{"function":{"name":"f","arguments":{"a":1}}}]},"done":true,"done_reason":"stop","prompt_eval_count":1,"eval_count":1}`, "", ""},
	}
}

// TestReturn_AConversationComesBackToTheShapeOfItsCaller begins a conversation at a
// host of another shape, goes on at one of the caller's own, which must not get what
// only the first can read, and ends at the first, which must.
func TestReturn_AConversationComesBackToTheShapeOfItsCaller(t *testing.T) {
	r, up := newTongues(t)
	key := r.key("k", store.RelayKeySpec{})
	for shape, first := range thinkers() {
		for _, c := range dialogues() {
			if c.shape == shape {
				continue
			}
			t.Run(fmt.Sprint(c.shape, " after ", shape), func(t *testing.T) {
				up.Play(gatewaytest.JSON(200, first.answer))
				a := c.ask(r, key, shape)
				c.keep(a)
				id := c.result(a)

				up.Play(wholeAnswers)
				a = c.ask(r, key, c.shape)
				sent := lastBody(up)
				if at, want := c.called(id); sent.Get(at).Raw != want {
					t.Errorf("the call goes up as %s, not %s", sent.Get(at).Raw, want)
				}
				for _, foreign := range []string{secret, "cmVsYXkx", "reasoning_details", "SIG+/", "ENC+/", "GS+/"} {
					if strings.Contains(sent.Raw, foreign) {
						t.Errorf("%s is in %s", foreign, sent.Raw)
					}
				}
				if !strings.Contains(sent.Raw, "42") || sent.Get("thinking").Exists() || !sent.Get("tools.0").Exists() {
					t.Errorf("sent %s", sent.Raw)
				}

				c.keep(a)
				c.say("Go on.")
				up.Play(wholeAnswers)
				c.ask(r, key, shape)
				if got := lastBody(up).Get(first.at).Raw; first.at != "" && got != first.want {
					t.Errorf("back at the first %s is %s, want %s", first.at, got, first.want)
				}
			})
		}
	}
}

// TestReturn_ABodyWithoutWhatRelayHasWrittenPassesAsItIs: its own host's opaque parts
// are none of Relay's business.
func TestReturn_ABodyWithoutWhatRelayHasWrittenPassesAsItIs(t *testing.T) {
	r, up := newTongues(t)
	key := r.key("k", store.RelayKeySpec{})
	for _, c := range dialogues() {
		t.Run(string(c.shape), func(t *testing.T) {
			up.Play(gatewaytest.JSON(200, thinkers()[c.shape].answer), wholeAnswers)
			a := c.ask(r, key, c.shape)
			if a.Body != thinkers()[c.shape].answer {
				t.Errorf("the answer became %s", a.Body)
			}
			c.keep(a)
			c.result(a)
			c.ask(r, key, c.shape)
			model := "to-" + hostNamed(c.shape)
			if got, want := lastBody(up).Raw, c.body(model+"-2026"); got != want {
				t.Errorf("sent %s, want %s", got, want)
			}
		})
	}
}

// sealed is a conversation of a shape that another host has taken part in.
func sealed(r *rig, up *gatewaytest.Upstream, key string, shape store.Shape) *dialogue {
	r.tb.Helper()
	other := store.ShapeAnthropic
	if shape == other {
		other = store.ShapeResponses
	}
	for _, c := range dialogues() {
		if c.shape == shape {
			up.Play(gatewaytest.JSON(200, thinkers()[other].answer))
			a := c.ask(r, key, other)
			c.keep(a)
			c.result(a)
			return c
		}
	}
	r.tb.Fatalf("nobody talks in %s", shape)
	return nil
}

func TestReturn_IsStreamed(t *testing.T) {
	r, up := newTongues(t)
	key := r.key("k", store.RelayKeySpec{})
	for _, k := range kindsNamed("messages stream", "responses stream", "gemini stream", "gemini array", "chat stream") {
		t.Run(k.name, func(t *testing.T) {
			c := sealed(r, up, key, k.shape)
			model := "to-" + hostNamed(k.shape)
			k.body = strings.Trim(c.body(model), "{} ")
			spoken := k
			if k.name == "gemini array" {
				spoken = kindsNamed("gemini stream")[0]
			}
			up.Play(spoken.says(100, 20))
			a := r.ask(k.of(model), key)
			if a.Status != 200 || k.terminal != "" && !strings.Contains(a.Body, k.terminal) || hub.HoldsSeal([]byte(lastBody(up).Raw)) {
				t.Errorf("got %d %s for %s", a.Status, a.Body, lastBody(up).Raw)
			}
			k.mustParse(t, "an answer", a.Body)
		})
	}
}

// TestReturn_KeepsTheOwnPartsOfItsHost goes from a host to another and back, and once
// more: what the first has made is there each time, byte for byte.
func TestReturn_KeepsTheOwnPartsOfItsHost(t *testing.T) {
	r, up := newTongues(t)
	key := r.key("k", store.RelayKeySpec{})
	for _, c := range dialogues() {
		t.Run(string(c.shape), func(t *testing.T) {
			own := thinkers()[c.shape]
			other := store.ShapeAnthropic
			if c.shape == other {
				other = store.ShapeGemini
			}
			for _, step := range []struct {
				host store.Shape
				made int
			}{{c.shape, 0}, {other, 0}, {c.shape, 1}, {other, 0}, {c.shape, 2}} {
				up.Play(gatewaytest.JSON(200, thinkers()[step.host].answer))
				a := c.ask(r, key, step.host)
				if sent := lastBody(up).Raw; own.want != "" && strings.Count(sent, own.want) != step.made {
					t.Errorf("%d of %s in %s, want %d", strings.Count(sent, own.want), own.want, sent, step.made)
				}
				c.keep(a)
				c.result(a)
			}
		})
	}
}

// TestReturn_IsACallInTheOwnShape: headers of the shape go up, members that only the
// shape knows as they are, and a refusal comes down in its own words.
func TestReturn_IsACallInTheOwnShape(t *testing.T) {
	r, up := newTongues(t)
	key := r.key("k", store.RelayKeySpec{})
	c := sealed(r, up, key, store.ShapeAnthropic)
	const refusal = `{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 200001 tokens > 200000 maximum"},"request_id":"req_1"}`
	up.Play(gatewaytest.JSON(400, refusal))
	c.members += `,"context_management": {"edits": []}, "service_tier":"standard_only"`
	k := kind{path: c.path, body: strings.Trim(c.body("to-anthropic"), "{} ")}
	a := r.ask(k, key, "anthropic-beta: interleaved-thinking-2025-05-14", "anthropic-version: 2023-06-01")
	if a.Status != 400 || a.Body != refusal {
		t.Errorf("got %d %s", a.Status, a.Body)
	}
	all := up.Requests()
	if got := all[len(all)-1].Header("Anthropic-Beta"); len(got) != 1 || got[0] != "interleaved-thinking-2025-05-14" {
		t.Errorf("sent the beta %q", got)
	}
	if sent := lastBody(up); sent.Get("context_management").Raw != `{"edits": []}` || sent.Get("service_tier").Str != "standard_only" {
		t.Errorf("sent %s", sent.Raw)
	}
}

func TestReturn_TellsWhyARequestCannotGoBack(t *testing.T) {
	r, up := newTongues(t)
	key := r.key("k", store.RelayKeySpec{})
	c := sealed(r, up, key, store.ShapeOpenAI)
	before := len(up.Requests())
	c.members += `,"n":2`
	r.want(r.post(c.path, key, c.body("to-openai")), 400, "The conversation holds thoughts of another host, so that Relay writes it anew, which cannot be done with n.")
	if n := len(up.Requests()); n != before {
		t.Error("the upstream has seen the request")
	}
}

func TestReturn_LeavesBodiesInProxyModeAlone(t *testing.T) {
	r, up := newTongues(t)
	key := r.key("k", store.RelayKeySpec{})
	c := sealed(r, up, key, store.ShapeAnthropic)
	r.proxying(false)
	up.Play(wholeAnswers)
	body := c.body("to-anthropic")
	k := kind{path: c.path, body: strings.Trim(body, "{}")}
	a := r.ask(k, "", proxied(key)...)
	if got := lastBody(up).Raw; a.Status != 200 || got != body {
		t.Errorf("got %d %s, sent %s", a.Status, a.Body, got)
	}
}

// TestReturn_TokensAreEstimatedWhereAHostWouldRefuseToCount: a host holds signatures
// against what they sign when it counts, too.
func TestReturn_TokensAreEstimatedWhereAHostWouldRefuseToCount(t *testing.T) {
	r, up := newTongues(t)
	key := r.key("k", store.RelayKeySpec{})
	for shape, count := range map[store.Shape][2]string{
		store.ShapeAnthropic: {"/v1/messages/count_tokens", "input_tokens"},
		store.ShapeGemini:    {"/v1beta/models/to-gemini:countTokens", "totalTokens"},
	} {
		c := sealed(r, up, key, shape)
		before := len(up.Requests())
		a := r.post(count[0], key, c.body("to-"+hostNamed(shape)))
		if n := gjson.Get(a.Body, count[1]).Int(); a.Status != 200 || n < 50 || n > 500 || len(up.Requests()) != before {
			t.Errorf("%s: got %d %s after %d requests", shape, a.Status, a.Body, len(up.Requests())-before)
		}
	}
}

// TestReturn_OfACallWithAnIdThatTheShapeRefuses is of a host without thoughts whose
// ids Anthropic does not take.
func TestReturn_OfACallWithAnIdThatTheShapeRefuses(t *testing.T) {
	r, up := newTongues(t)
	key := r.key("k", store.RelayKeySpec{})
	c := dialogues()[0]
	c.members = strings.Replace(c.members, `"thinking":{"type":"enabled","budget_tokens":2000},`, "", 1)
	up.Play(gatewaytest.JSON(200, `{"object":"chat.completion","choices":[{"index":0,"message":{"role":"assistant","content":null,"tool_calls":[{"id":"functions.f:0","type":"function","function":{"name":"f","arguments":"{}"}}]},"finish_reason":"tool_calls"}]}`), wholeAnswers)
	a := c.ask(r, key, store.ShapeOpenAI)
	c.keep(a)
	if id := c.result(a); id != "functions.f:0" {
		t.Errorf("the call has the id %s", id)
	}
	c.ask(r, key, store.ShapeAnthropic)
	sent := lastBody(up)
	if id := sent.Get("messages.1.content.0.id").Str; id == "" || strings.ContainsAny(id, ".:") || id != sent.Get("messages.2.content.0.tool_use_id").Str {
		t.Errorf("sent %s", sent.Raw)
	}
}
