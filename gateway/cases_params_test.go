package gateway_test

import (
	"encoding/json"
	"strings"
	"testing"

	"relay/gateway/gatewaytest"
	"relay/gateway/plan"
	"relay/store"
)

// params puts what a binding says of members on one of newTongues or newStand.
func (r *rig) params(binding string, p store.BindingParams) {
	r.tb.Helper()
	edit(r, binding, func(b *store.HostBinding) { b.Spec.Params = &p })
}

func defaults(parts ...string) map[string]json.RawMessage {
	all := map[string]json.RawMessage{}
	for i := 0; i < len(parts); i += 2 {
		all[parts[i]] = json.RawMessage(parts[i+1])
	}
	return all
}

// at returns the JSON at a path in a body; empty where there is none.
func at(t *testing.T, body []byte, path string) string {
	t.Helper()
	for name := range strings.SplitSeq(path, ".") {
		var members map[string]json.RawMessage
		if err := json.Unmarshal(body, &members); err != nil {
			t.Fatalf("%s is no object: %v", body, err)
		}
		if body = members[name]; body == nil {
			return ""
		}
	}
	return string(body)
}

// sampled are paths in the bodies of a shape: of a parameter that is dropped, of one
// that is added, and of one that is renamed.
func sampled(shape store.Shape) (dropped, added, renamed, parent string) {
	switch shape {
	case store.ShapeGemini:
		return "generationConfig.temperature", "generationConfig.topK", "generationConfig.maxOutputTokens", "generationConfig."
	case store.ShapeOllama:
		return "options.temperature", "options.num_ctx", "options.num_predict", "options."
	case store.ShapeResponses:
		return "temperature", "top_logprobs", "max_output_tokens", ""
	case store.ShapeOpenAI, store.ShapeAnthropic:
		return "temperature", "top_k", "max_tokens", ""
	}
	return "sampling.temperature", "sampling.top_k", "sampling.max_tokens", "sampling."
}

// sampling is a call with the parameters that are dropped and renamed.
func (k kind) sampling() kind {
	dropped, _, renamed, parent := sampled(k.shape)
	name := func(path string) string { return strings.TrimPrefix(path, parent) }
	members := `"` + name(dropped) + `":0.5,"` + name(renamed) + `":900`
	if parent != "" {
		members = `"` + strings.TrimSuffix(parent, ".") + `":{` + members + `}`
	}
	k.body = strings.Replace(k.body, `"max_tokens":800,`, "", 1) + "," + members
	return k
}

// samePairs are the calls that go up in their own shape.
func samePairs() []pair {
	var all []pair
	for _, k := range kinds() {
		if k.name != "embeddings" {
			all = append(all, pair{k, k})
		}
	}
	return all
}

func TestParams_AdaptWhatGoesUpInEveryShape(t *testing.T) {
	r, up := newTongues(t)
	key := r.key("k", store.RelayKeySpec{})
	for i, p := range append(samePairs(), pairs()...) {
		t.Run(p.name(), func(t *testing.T) {
			r.tb = t
			dropped, added, renamed, parent := sampled(p.upstream.shape)
			r.params(p.model()+"-"+hostNamed(p.upstream.shape), store.BindingParams{
				Drop: []string{dropped}, Rename: map[string]string{renamed: parent + "bound"}, Defaults: defaults(added, "7"),
			})
			up.Play(p.upstream.says(7, 3))
			a := r.ask(p.asks().sampling(), key)
			if a.Status != 200 || !strings.Contains(a.Header.Get("X-Relay-Dropped-Params"), dropped) {
				t.Fatalf("got %d, dropped %q: %s", a.Status, a.Header.Get("X-Relay-Dropped-Params"), a.Body)
			}
			body := up.Request(i).Body
			if got := []string{at(t, body, dropped), at(t, body, renamed), at(t, body, parent+"bound"), at(t, body, added)}; strings.Join(got, "|") != "||900|7" {
				t.Errorf("%q went up in %s", got, body)
			}
		})
	}
}

// What goes up in the caller's shape is the caller's bytes, but for what is adapted.
func TestParams_KeepEveryOtherByte(t *testing.T) {
	r, up := newStand(t)
	key := r.key("k", store.RelayKeySpec{})
	r.params("chat-up", store.BindingParams{
		Drop: []string{"top_k", "vendor.b"}, Rename: map[string]string{"max_tokens": "max_completion_tokens", "reasoning_effort": "reasoning.effort"},
		Defaults: defaults("temperature", "0.20", "vendor.mode", `"fast"`, "provider.order", `["x"]`),
	})
	const rest = `"seed" : 9007199254740993, "x":"h\u00ed\/",  "n":1e0`
	for _, c := range []struct{ sent, want, dropped string }{
		{`{ "top_k":1, "model":"chat", ` + rest + ` }`, `{ "model":"chat-2026", ` + rest + `,"provider":{"order":["x"]},"temperature":0.20,"vendor":{"mode":"fast"} }`, "top_k"},
		{
			`{"model":"chat","max_tokens":5,"vendor":{"b":1,"a":2},"temperature":1,` + rest + `,"top\u005fk":1,"topK":2}`,
			`{"model":"chat-2026","max_completion_tokens":5,"vendor":{"a":2,"mode":"fast"},"temperature":1,` + rest + `,"provider":{"order":["x"]}}`, "top_k, vendor.b",
		},
		{
			`{"max_tokens":5,"max_completion_tokens":6,"model":"chat","provider":{"order":1},"temperature":null,"vendor":[],` + rest + `,"reasoning_effort":"low","top_k":null}`,
			`{"max_completion_tokens":6,"model":"chat-2026","provider":{"order":1},"temperature":0.20,"vendor":[],` + rest + `,"reasoning":{"effort":"low"}}`, "",
		},
	} {
		up.Play(answer)
		a := r.call(key, c.sent)
		requests := up.Requests()
		if got := string(requests[len(requests)-1].Body); got != c.want || a.Status != 200 {
			t.Errorf("%d, the upstream got\n%s, not\n%s", a.Status, got, c.want)
		}
		if got := a.Header.Get("X-Relay-Dropped-Params"); got != c.dropped {
			t.Errorf("dropped %q, not %q", got, c.dropped)
		}
	}
}

// Relay asks for usage, unless the host does not take that.
func TestParams_StopRelayFromAskingForUsage(t *testing.T) {
	r, up := newTongues(t)
	key := r.key("k", store.RelayKeySpec{})
	r.params("to-openai-openai", store.BindingParams{Drop: []string{"stream_options"}})
	up.Otherwise(gatewaytest.Stream(deltaEvent, finishEvent, doneEvent))
	chatStream, messagesStream := kindsNamed("chat stream")[0].of("to-openai"), kindsNamed("messages stream")[0].of("to-openai")
	asks := chatStream
	asks.body += `,"stream_options":{"include_usage":true}`
	for i, c := range []struct {
		k       kind
		dropped string
	}{{chatStream, ""}, {messagesStream, ""}, {asks, "stream_options"}} {
		a := r.ask(c.k, key)
		if a.Status != 200 || a.Header.Get("X-Relay-Dropped-Params") != c.dropped {
			t.Errorf("%s: got %d, dropped %q: %s", c.k.name, a.Status, a.Header.Get("X-Relay-Dropped-Params"), a.Body)
		}
		if body := string(up.Request(i).Body); strings.Contains(body, "stream_options") || !strings.Contains(body, `"stream":true`) {
			t.Errorf("the upstream got %s", body)
		}
	}
	for _, e := range r.events(3) {
		if !e.UsageMissing || e.Status != 200 || e.ErrorKind != "" {
			t.Errorf("recorded %+v", e)
		}
	}
}

// The stream of a host that is not told of n holds one choice.
func TestParams_ThatDropNLeaveAWholeStream(t *testing.T) {
	r, up := newStand(t)
	key := r.key("k", store.RelayKeySpec{})
	r.params("chat-up", store.BindingParams{Drop: []string{"n"}})
	up.Play(stream)
	a := r.call(key, strings.Replace(streamBody, "{", `{"n":3,`, 1))
	if e := r.events(1)[0]; a.Status != 200 || e.ErrorKind != "" || e.Tokens.Output != 20 || strings.Contains(string(up.Request(0).Body), `"n":`) {
		t.Errorf("got %d %s, recorded %q, sent %s", a.Status, a.Body, e.ErrorKind, up.Request(0).Body)
	}
}

// Relay's own members stay whatever they are called.
func TestParams_CannotTouchModelAndStream(t *testing.T) {
	r, up := newStand(t)
	key := r.key("k", store.RelayKeySpec{})
	r.params("chat-up", store.BindingParams{Drop: []string{"Model", "_stream"}, Rename: map[string]string{"user": "MODEL"}, Defaults: defaults("Stream", "true", "a..b", "1")})
	up.Play(answer)
	body := strings.Replace(chatBody, "{", `{"stream":false,"user":"u",`, 1)
	r.want(r.call(key, body), 200, "hello")
	if got := string(up.Request(0).Body); got != strings.Replace(body, `"chat"`, `"chat-2026"`, 1) {
		t.Errorf("the upstream got %s", got)
	}
	warned := 0
	for _, w := range r.server.Plan().Warnings {
		if w.Kind == store.KindHostBinding && strings.HasPrefix(w.Field, "spec.params.") {
			warned++
		}
	}
	if warned != 5 {
		t.Errorf("%d warnings: %v", warned, r.server.Plan().Warnings)
	}
}

// In proxy mode bodies are left alone.
func TestParams_LeaveProxyModeAlone(t *testing.T) {
	r, up := newStand(t)
	r.proxying(false)
	key := r.key("k", store.RelayKeySpec{})
	r.params("chat-up", store.BindingParams{Drop: []string{"seed"}, Defaults: defaults("top_p", "1"), Refuse: []string{"messages"}})
	up.Play(answer)
	body := strings.Replace(chatBody, "{", `{"seed":1,`, 1)
	a := r.call("", body, proxied(key)...)
	if a.Status != 200 || string(up.Request(0).Body) != body || a.Header.Get("X-Relay-Dropped-Params") != "" {
		t.Errorf("got %d %s, sent %s", a.Status, a.Body, up.Request(0).Body)
	}
}

// What costs nothing takes less, and gets nothing more.
func TestParams_OfCallsThatCountAreDroppedOnly(t *testing.T) {
	r, up := newStand(t)
	key := r.key("k", store.RelayKeySpec{})
	r.params("claude-anthropic", store.BindingParams{Drop: []string{"thinking"}, Defaults: defaults("temperature", "1")})
	up.Play(gatewaytest.JSON(200, `{"input_tokens":14}`))
	r.want(r.post("/v1/messages/count_tokens", key, `{"thinking":{"type":"adaptive"},"model":"claude","messages":[]}`), 200, `14`)
	if got := string(up.Request(0).Body); got != `{"model":"claude","messages":[]}` {
		t.Errorf("the upstream got %s", got)
	}
}

func TestParams_OfEmbeddingsGoUpInEitherShape(t *testing.T) {
	r, up := newTongues(t)
	key := r.key("k", store.RelayKeySpec{})
	r.params("to-openai-openai", store.BindingParams{Drop: []string{"dimensions"}, Defaults: defaults("input_type", `"query"`)})
	const vectors = `{"data":[{"index":0,"embedding":[0.5]}],"usage":{"prompt_tokens":8}}`
	up.Play(gatewaytest.JSON(200, vectors), gatewaytest.JSON(200, vectors))
	r.want(r.post("/v1/embeddings", key, `{"model":"to-openai","input":"hi","dimensions":9}`), 200, "0.5")
	a := r.post("/api/embed", key, `{"model":"to-openai","input":"hi","dimensions":9}`)
	r.want(a, 200, "0.5")
	for i, want := range []string{
		`{"model":"to-openai-2026","input":"hi","input_type":"query"}`,
		`{"model":"to-openai-2026","input":["hi"],"encoding_format":"float","input_type":"query"}`,
	} {
		if got := string(up.Request(i).Body); got != want {
			t.Errorf("the upstream got %s, not %s", got, want)
		}
	}
	if got := a.Header.Get("X-Relay-Dropped-Params"); got != "dimensions" {
		t.Errorf("dropped %q", got)
	}
}

func TestParams_OfFormsAreFields(t *testing.T) {
	r, up := newStand(t)
	key := r.key("k", store.RelayKeySpec{})
	r.params("chat-up", store.BindingParams{
		Drop: []string{"prompt"}, Refuse: []string{"chunking_strategy"}, Rename: map[string]string{"timestamp_granularities": "granularities", "old": "new"},
		Defaults: defaults("language", `"de"`, "temperature", "0", "deep.er", "1"),
	})
	up.Otherwise(gatewaytest.JSON(200, `{"text":"hello"}`))
	send := func(parts ...string) gatewaytest.Answer {
		return r.callGated(gated{path: "/v1/audio/transcriptions", body: form(parts...)}, key)
	}
	a := send("Prompt", "x", "model", "chat", "timestamp_granularities[]", "word", "timestamp_granularities[]", "segment", "file file", noise, "old", "1", "new", "2", "prompt", "y")
	r.want(a, 200, "hello")
	want := form("model", "chat-2026", "granularities[]", "word", "granularities[]", "segment", "file file", noise, "new", "2", "language", "de", "temperature", "0")
	if got := string(up.Request(0).Body); got != want || a.Header.Get("X-Relay-Dropped-Params") != "prompt" {
		t.Errorf("dropped %q, the upstream got\n%q, not\n%q", a.Header.Get("X-Relay-Dropped-Params"), got, want)
	}
	r.want(send("model", "chat", "language", "", "chunking_strategy", "auto", "file file", noise), 400, "Host up does not take chunking_strategy for model")
	r.want(send("model", "chat", "language", "en", "Temperature", "1", "file file", noise), 200, "hello")
	if got, want := string(up.Request(1).Body), form("model", "chat-2026", "language", "en", "Temperature", "1", "file file", noise); got != want {
		t.Errorf("the upstream got %q, not %q", got, want)
	}
}

// The context that a runner fills is that which has been asked of it.
func TestParams_TellOfTheContextThatIsAskedFor(t *testing.T) {
	r, up := newStand(t)
	key := r.key("k", store.RelayKeySpec{})
	r.params("lama-ollama", store.BindingParams{Defaults: defaults("options.num_ctx", "10")})
	k := kindsNamed("ollama whole")[0]
	up.Play(k.says(7, 3))
	r.want(r.ask(k, key), 200, "hello")
	if got, e := at(t, up.Request(0).Body, "options.num_ctx"), r.events(1)[0]; got != "10" || !e.Truncated {
		t.Errorf("asked for %q, recorded as whole", got)
	}
}

func TestParams_AreOfNoBindingThatSaysNothing(t *testing.T) {
	r, _ := newStand(t)
	r.params("chat-up", store.BindingParams{})
	for _, host := range []string{"chat", "claude"} {
		m, _, _ := r.server.Plan().Find(host)
		for _, b := range m.Bindings {
			if b.Params != (*plan.Params)(nil) {
				t.Errorf("%s has %+v", host, b.Params)
			}
		}
	}
}
