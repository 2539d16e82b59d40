package gateway_test

import (
	"fmt"
	"strings"
	"testing"

	"relay/gateway"
	"relay/gateway/gatewaytest"
	"relay/store"
)

// pair is a caller and an upstream of different shapes.
type pair struct {
	caller, upstream kind
}

func (p pair) name() string { return p.caller.name + " to " + string(p.upstream.shape) }

// model is bound to a host that speaks the upstream's shape alone.
func (p pair) model() string { return "to-" + hostNamed(p.upstream.shape) }

// asks is the caller's call for that model.
func (p pair) asks() kind { return p.caller.of(p.model()) }

// generateKinds are the calls in the canonical shape, which no host speaks.
func generateKinds() []kind {
	const body = `"model":"chat","input":"hi"`
	f := eventsFlow("generation.completed")
	f.label = "event: item.delta\n"
	return []kind{
		{"generate whole", "/v1/generate", "chat", false, body, nil, "", "generate", flow{}},
		{"generate stream", "/v1/generate", "chat", true, body, nil, `"stream":true,`, "generate", f},
	}
}

// pairs are all pairs of a caller and a shape that hosts speak, streamed and whole.
func pairs() []pair {
	var all []pair
	for _, caller := range append(kinds(), generateKinds()...) {
		for _, upstream := range kinds() {
			same := caller.shape == upstream.shape || caller.streamed != upstream.streamed
			if same || caller.name == "embeddings" || upstream.name == "embeddings" || upstream.name == "gemini array" {
				continue
			}
			all = append(all, pair{caller, upstream})
		}
	}
	return all
}

// streamPairs are those that are streamed, one caller of each framing.
func streamPairs() []pair {
	var all []pair
	for _, p := range pairs() {
		if p.caller.streamed && (p.caller.shape != store.ShapeResponses || p.upstream.shape == store.ShapeAnthropic) {
			all = append(all, p)
		}
	}
	return all
}

// newTongues is a rig with a host of each shape and a model on it alone.
func newTongues(tb testing.TB, change ...func(*gateway.Options)) (*rig, *gatewaytest.Upstream) {
	tb.Helper()
	return standOf(tb, (*rig).tongues, change...)
}

// tongues makes the hosts of newTongues.
func (r *rig) tongues(up *gatewaytest.Upstream) {
	r.tb.Helper()
	for _, shape := range []store.Shape{store.ShapeOpenAI, store.ShapeResponses, store.ShapeAnthropic, store.ShapeGemini, store.ShapeOllama} {
		r.speaking(up, shape, "bearer", "to-"+hostNamed(shape))
	}
}

func TestTranslation_ServesEveryCallerByEveryUpstream(t *testing.T) {
	r, up := newTongues(t)
	key := r.key("k", store.RelayKeySpec{})
	for i, p := range pairs() {
		t.Run(p.name(), func(t *testing.T) {
			up.Play(p.upstream.says(100, 20))
			a := r.ask(p.asks(), key)
			if a.Status != 200 || !strings.Contains(strings.ReplaceAll(a.Body, "helhello", ""), "hel") {
				t.Fatalf("the caller got %d %s", a.Status, a.Body)
			}
			if got := a.Header.Get("Content-Type"); !strings.HasPrefix(got, p.caller.typeOf()) {
				t.Errorf("the answer is %s, not %s", got, p.caller.typeOf())
			}
			p.caller.mustParse(t, "an answer", a.Body)
			if p.caller.terminal != "" && strings.Count(a.Body, p.caller.terminal) == 0 {
				t.Errorf("the stream has no end: %s", a.Body)
			}
			e := r.events(i + 1)[i]
			if e.Tokens.Input != 100 || e.Tokens.Output != 20 || e.CostNanos == nil || *e.CostNanos != 600_000 || e.Status != 200 || e.ErrorKind != "" {
				t.Errorf("recorded %+v, cost %v, %d %s", e.Tokens, e.CostNanos, e.Status, e.ErrorKind)
			}
			if e.ShapeIn != string(p.caller.shape) || e.ShapeOut != string(p.upstream.shape) {
				t.Errorf("recorded as %s to %s", e.ShapeIn, e.ShapeOut)
			}
		})
	}
}

func TestTranslation_TellsAnUpstreamsRefusalInTheCallersShape(t *testing.T) {
	r, up := newTongues(t)
	key := r.key("k", store.RelayKeySpec{})
	for _, p := range pairs() {
		t.Run(p.name(), func(t *testing.T) {
			_, begins, _ := toldIn(p.upstream.shape, 400, "x")
			body := begins + `prompt is too odd"` + strings.Repeat("}", strings.Count(begins, "{"))
			up.Play(gatewaytest.JSON(400, body))
			a := r.ask(p.asks(), key)
			_, begins, _ = toldIn(p.caller.shape, 400, "x")
			if a.Status != 400 || !strings.HasPrefix(a.Body, begins) || !strings.Contains(a.Body, "prompt is too odd") {
				t.Errorf("%s became %d %s", body, a.Status, a.Body)
			}
			if got := a.Header.Get("X-Relay-Refused-By"); got != "upstream:"+hostNamed(p.upstream.shape) {
				t.Errorf("refused by %q", got)
			}
		})
	}
}

func TestTranslation_TellsTextThatIsNoJSONInTheCallersShape(t *testing.T) {
	r, up := newTongues(t)
	key := r.key("k", store.RelayKeySpec{})
	for _, p := range pairs() {
		t.Run(p.name(), func(t *testing.T) {
			up.Play(gatewaytest.Join(gatewaytest.Head(502, "Content-Type: text/html", "Content-Length: 19"), gatewaytest.Raw("<html>broken</html>")))
			a := r.ask(p.asks(), key)
			want, begins, _ := toldIn(p.caller.shape, 502, "upstream_unavailable")
			if a.Status != want || !strings.HasPrefix(a.Body, begins) || !strings.Contains(a.Body, "broken") {
				t.Errorf("got %d %s", a.Status, a.Body)
			}
			r.unbench()
		})
	}
}

func TestTranslation_EndsABrokenStreamWithAnErrorOfTheCallersShape(t *testing.T) {
	r, up := newTongues(t)
	key := r.key("k", store.RelayKeySpec{})
	for _, p := range streamPairs() {
		for _, broken := range []struct {
			name   string
			script gatewaytest.Script
		}{
			{"a cut", gatewaytest.Join(p.upstream.opening(), gatewaytest.LastChunk())},
			{"an error", gatewaytest.Join(p.upstream.opening(), gatewaytest.Chunk(p.upstream.answer(7, 3)[1], p.upstream.failing(`{"error":{"message":"melted","type":"server_error"}}`)), gatewaytest.LastChunk())},
			{"no JSON", gatewaytest.Join(p.upstream.opening(), gatewaytest.Chunk(p.upstream.answer(7, 3)[1], p.upstream.event(`{"choices":[{`)), gatewaytest.Hang())},
		} {
			t.Run(p.name()+" "+broken.name, func(t *testing.T) {
				up.Play(broken.script)
				a := r.ask(p.asks(), key)
				last := p.caller.lastEvent(a.Body)
				if p.caller.terminal != "" && strings.Contains(a.Body, p.caller.terminal) || !holdsError(last) && a.Status == 200 {
					t.Errorf("the stream ends as if it were whole: %d %s", a.Status, a.Body)
				}
				r.unbench()
			})
		}
	}
}

// unbench closes every breaker.
func (r *rig) unbench() {
	for key := range r.db.Catalog().HostKeys.All() {
		r.server.ResetKey(key.Metadata.ID)
	}
}

func TestTranslation_NeverShowsAnAnswerWithoutContentAsSuccess(t *testing.T) {
	r, up := newTongues(t)
	key := r.key("k", store.RelayKeySpec{})
	empty := map[store.Shape]string{
		store.ShapeOpenAI: `{"id":"c","object":"chat.completion","choices":null}`, store.ShapeGemini: `{}`,
	}
	for _, p := range pairs() {
		if body := empty[p.upstream.shape]; body != "" && !p.caller.streamed {
			t.Run(p.name(), func(t *testing.T) {
				up.Play(gatewaytest.JSON(200, body))
				want, begins, _ := toldIn(p.caller.shape, 502, "upstream_invalid_response")
				if a := r.ask(p.asks(), key); a.Status != want || !strings.HasPrefix(a.Body, begins) {
					t.Errorf("got %d %s", a.Status, a.Body)
				}
				r.unbench()
			})
		}
	}
}

func TestTranslation_NamesWhatItLeavesOut(t *testing.T) {
	r, up := newTongues(t)
	key := r.key("k", store.RelayKeySpec{})
	up.Play(kindsNamed("messages whole")[0].says(1, 1))
	a := r.call(key, `{"model":"to-anthropic","seed":7,"store":true,"frequency_penalty":0.5,"brand_new":1,"messages":[{"role":"user","content":"hi"}]}`)
	if got := a.Header.Get("X-Relay-Dropped-Params"); a.Status != 200 || got != "seed, frequency_penalty, store, brand_new" {
		t.Errorf("got %d, dropped %q: %s", a.Status, got, a.Body)
	}
	if sent := string(up.Requests()[0].Body); strings.Contains(sent, "seed") || strings.Contains(sent, "brand_new") {
		t.Errorf("sent %s", sent)
	}
}

func TestTranslation_RefusesWhatWouldChangeTheMeaning(t *testing.T) {
	r, up := newTongues(t)
	key := r.key("k", store.RelayKeySpec{})
	a := r.call(key, `{"model":"to-anthropic","n":2,"messages":[{"role":"user","content":"hi"}]}`)
	r.want(a, 400, `"code":"unsupported_param","param":"n"`)
	if len(up.Requests()) != 0 {
		t.Error("the upstream has seen the request")
	}
	if e := r.events(1)[0]; e.Status != 400 || e.ErrorKind != "unsupported_param" || e.Tokens.Input != 0 || len(e.Attempts) != 0 {
		t.Errorf("recorded %+v", e)
	}
}

func TestTranslation_TakesTheFirstShapeThatCanExpressTheRequest(t *testing.T) {
	r, up := newTongues(t)
	key := r.key("k", store.RelayKeySpec{})
	edit(r, "openai", func(h *store.Host) {
		h.Spec.Shapes = []store.Shape{store.ShapeOllama, store.ShapeGemini, store.ShapeOpenAI}
	})
	up.Play(kindsNamed("chat whole")[0].says(1, 1))
	messages := kindsNamed("messages whole")[0].of("to-openai")
	messages.body += `,"tools":[{"name":"f","input_schema":{"type":"object"}}],"tool_choice":{"type":"any"},"messages":[{"role":"user","content":[{"type":"image","source":{"type":"url","url":"https://x.test/a.png"}}]}]`
	messages.body = strings.Replace(messages.body, `"messages":[{"role":"user","content":"hi"}],`, "", 1)
	messages.body = strings.Replace(messages.body, `"messages":[{"role":"user","content":"hi"}]`, `"temperature":1`, 1)
	a := r.ask(messages, key)
	if a.Status != 200 {
		t.Fatalf("got %d %s", a.Status, a.Body)
	}
	if line := up.Requests()[0].Line(); !strings.Contains(line, "/chat/completions") {
		t.Errorf("sent to %s", line)
	}
}

func TestTranslation_SendsNothingOfTheCallersShapeInHeaders(t *testing.T) {
	r, up := newTongues(t)
	key := r.key("k", store.RelayKeySpec{})
	up.Play(kindsNamed("chat whole")[0].says(1, 1), kindsNamed("messages whole")[0].says(1, 1))
	r.ask(kindsNamed("messages whole")[0].of("to-openai"), key, "anthropic-version: 2026-10-21", "anthropic-beta: x")
	r.call(key, strings.Replace(chatBody, `"chat"`, `"to-anthropic"`, 1), "openai-beta: x", "anthropic-version: 2026-10-21")
	toOpenAI, toAnthropic := up.Requests()[0], up.Requests()[1]
	if got := append(toOpenAI.Header("Anthropic-Version"), toOpenAI.Header("Anthropic-Beta")...); len(got) > 0 {
		t.Errorf("sent %v", got)
	}
	if got := toAnthropic.Header("Anthropic-Version"); len(got) != 1 || got[0] != "2023-06-01" || len(toAnthropic.Header("Openai-Beta")) > 0 {
		t.Errorf("sent %v and %v", got, toAnthropic.Header("Openai-Beta"))
	}
}

func TestTranslation_RunnerOptionsReachOllama(t *testing.T) {
	for _, call := range []struct{ name, body, header string }{
		{"options", `{"model":"both","options":{"num_ctx":16384},"messages":[{"role":"user","content":"hi"}]}`, "X-A: b"},
		{"num_ctx", `{"model":"both","num_ctx":16384,"messages":[{"role":"user","content":"hi"}]}`, "X-A: b"},
		{"header", `{"model":"both","messages":[{"role":"user","content":"hi"}]}`, `X-Relay-Ollama-Options: {"num_ctx":16384}`},
	} {
		t.Run(call.name, func(t *testing.T) {
			r, up := newTongues(t)
			edit(r, "ollama", func(h *store.Host) { h.Spec.Shapes = []store.Shape{store.ShapeOpenAI, store.ShapeOllama} })
			key := r.key("k", store.RelayKeySpec{})
			up.Play(kindsNamed("ollama whole")[0].says(16000, 384))
			a := r.call(key, strings.Replace(call.body, `"both"`, `"to-ollama"`, 1), call.header)
			if a.Status != 200 {
				t.Fatalf("got %d %s", a.Status, a.Body)
			}
			sent := up.Requests()[0]
			if !strings.Contains(sent.Line(), "/api/chat") || !strings.Contains(string(sent.Body), `"num_ctx":16384`) {
				t.Errorf("sent %s %s", sent.Line(), sent.Body)
			}
			if !r.events(1)[0].Truncated {
				t.Error("an answer that fills the context is not flagged")
			}
		})
	}
}

func TestTranslation_EmbeddingsPassBetweenShapes(t *testing.T) {
	answers := map[store.Shape]string{
		store.ShapeOpenAI: `{"object":"list","data":[{"object":"embedding","index":0,"embedding":[0.5,-1]}],"model":"m","usage":{"prompt_tokens":3,"total_tokens":3}}`,
		store.ShapeOllama: `{"model":"m","embeddings":[[0.5,-1]],"prompt_eval_count":3}`,
		store.ShapeGemini: `{"embeddings":[{"values":[0.5,-1]}]}`,
	}
	calls := []struct{ name, path, body, want string }{
		{"openai", "/v1/embeddings", `{"model":"MODEL","input":"hi"}`, `"embedding":[0.5,-1]`},
		{"openai base64", "/v1/embeddings", `{"model":"MODEL","input":["hi"],"encoding_format":"base64"}`, `"embedding":"AAAAPwAAgL8="`},
		{"ollama", "/api/embed", `{"model":"MODEL","input":["hi"]}`, `"embeddings":[[0.5,-1]]`},
		{"ollama, former path", "/api/embeddings", `{"model":"MODEL","prompt":"hi"}`, `"embedding":[0.5,-1]`},
		{"gemini", "/v1beta/models/MODEL:embedContent", `{"content":{"parts":[{"text":"hi"}]}}`, `"embedding":{"values":[0.5,-1]}`},
		{"gemini batch", "/v1beta/models/MODEL:batchEmbedContents", `{"requests":[{"model":"models/MODEL","content":{"parts":[{"text":"hi"}]}}]}`, `"embeddings":[{"values":[0.5,-1]}]`},
	}
	r, up := newTongues(t)
	key := r.key("k", store.RelayKeySpec{})
	for _, call := range calls {
		for shape, answer := range answers {
			if strings.HasPrefix(call.name, string(shape)) {
				continue
			}
			t.Run(fmt.Sprint(call.name, " to ", shape), func(t *testing.T) {
				up.Play(gatewaytest.JSON(200, answer))
				model := "to-" + hostNamed(shape)
				text := strings.Replace(request(key, strings.ReplaceAll(call.body, "MODEL", model)), "/v1/chat/completions", strings.Replace(call.path, "MODEL", model, 1), 1)
				r.want(gatewaytest.Do(t, r.addr, text), 200, call.want)
			})
		}
	}
	for shape, answer := range answers {
		if shape == store.ShapeOpenAI {
			continue
		}
		up.Play(gatewaytest.JSON(200, answer))
		text := strings.Replace(request(key, `{"model":"to-`+string(shape)+`","input":"hi","user":"u"}`), "/chat/completions", "/embeddings", 1)
		if a := gatewaytest.Do(t, r.addr, text); a.Status != 200 || a.Header.Get("X-Relay-Dropped-Params") != "user" {
			t.Errorf("%s: got %d %s, dropped %q", shape, a.Status, a.Body, a.Header.Get("X-Relay-Dropped-Params"))
		}
	}
	refused := strings.Replace(request(key, `{"model":"to-anthropic","input":"hi"}`), "/chat/completions", "/embeddings", 1)
	r.want(gatewaytest.Do(t, r.addr, refused), 400, "embeddings_unsupported_host")
}

func TestTranslation_TellsACallerOfTheCanonicalShapeWhatItTook(t *testing.T) {
	r, up := newTongues(t)
	key := r.key("k", store.RelayKeySpec{})
	up.Play(kindsNamed("messages whole")[0].says(100, 20))
	a := r.ask(generateKinds()[0].of("to-anthropic"), key, "X-Relay-Usage: full")
	r.want(a, 200, `"relay_usage":{"request_id":"`)
	r.want(a, 200, `"cost_usd":0.0006,"attempts":1,"host":"anthropic"`)
}

func TestTranslation_PassesToAnotherHostWhereOneCannotExpressTheRequest(t *testing.T) {
	r, up := newTongues(t)
	key := r.key("k", store.RelayKeySpec{})
	put(r, "second", store.HostBindingSpec{ModelID: r.record(store.KindModel, "to-anthropic"), HostID: r.record(store.KindHost, "gemini"), UpstreamName: "other", Priority: 9})
	up.Play(kindsNamed("gemini whole")[0].says(1, 1))
	a := r.call(key, `{"model":"to-anthropic","messages":[{"role":"user","content":[{"type":"text","text":"hear"},{"type":"input_audio","input_audio":{"data":"aGk=","format":"wav"}}]}]}`)
	if got := a.Header.Get("X-Relay-Host"); a.Status != 200 || got != "gemini" {
		t.Errorf("got %d from %q: %s", a.Status, got, a.Body)
	}
}
