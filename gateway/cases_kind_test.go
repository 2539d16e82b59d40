package gateway_test

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"
	"testing"
	"time"

	"relay/gateway"
	"relay/gateway/gatewaytest"
	"relay/limiter"
	"relay/store"
)

// kind is one way to call an endpoint. What holds for one must hold for all.
type kind struct {
	name, path, model string
	streamed          bool
	body              string // without its braces
	// answer is what an upstream says, with so many tokens: for a stream its
	// events, else one text.
	answer func(input, output int64) []string

	asks  string // the member that asks for a stream or for none, and a comma
	shape store.Shape
	flow  // of its stream
}

func kinds() []kind {
	const (
		chat   = `"model":"chat","messages":[{"role":"user","content":"hi"}]`
		claude = `"model":"claude","max_tokens":800,"messages":[{"role":"user","content":"hi"}]`
		lama   = `"model":"lama","messages":[{"role":"user","content":"hi"}]`
		input  = `"model":"chat","input":"hi"`
		gem    = `"contents":[{"role":"user","parts":[{"text":"hi"}]}]`
		on     = `"stream":true,`
		off    = `"stream":false,`
		models = "/v1beta/models/gem:"
	)
	return []kind{
		{"chat whole", "/v1/chat/completions", "chat", false, chat, chatAnswer, "", store.ShapeOpenAI, flow{}},
		{"chat stream", "/v1/chat/completions", "chat", true, chat, chatEvents, on, store.ShapeOpenAI, chatFlow()},
		{"messages whole", "/v1/messages", "claude", false, claude, messagesAnswer, "", store.ShapeAnthropic, flow{}},
		{"messages stream", "/v1/messages", "claude", true, claude, messagesEvents, on, store.ShapeAnthropic, messagesFlow()},
		{"embeddings", "/v1/embeddings", "chat", false, input, embeddingsAnswer, "", store.ShapeOpenAI, flow{}},
		{"responses whole", "/v1/responses", "chat", false, input, responsesAnswer, "", store.ShapeResponses, flow{}},
		{"responses stream", "/v1/responses", "chat", true, input, responsesEvents, on, store.ShapeResponses, responsesFlow()},
		{"gemini whole", models + "generateContent", "gem", false, gem, geminiAnswer, "", store.ShapeGemini, flow{}},
		{"gemini stream", models + "streamGenerateContent?alt=sse", "gem", true, gem, geminiEvents, "", store.ShapeGemini, geminiFlow()},
		{"gemini array", models + "streamGenerateContent", "gem", true, gem, geminiElements, "", store.ShapeGemini, arrayFlow()},
		{"ollama whole", "/api/chat", "lama", false, lama, ollamaAnswer, off, store.ShapeOllama, flow{}},
		{"ollama stream", "/api/chat", "lama", true, lama, ollamaLines, "", store.ShapeOllama, linesFlow()},
	}
}

// kindsNamed are those of the names.
func kindsNamed(names ...string) []kind {
	return slices.DeleteFunc(kinds(), func(k kind) bool { return !slices.Contains(names, k.name) })
}

// streamKinds are the kinds of calls that are streamed.
func streamKinds() []kind {
	return slices.DeleteFunc(kinds(), func(k kind) bool { return !k.streamed })
}

// talkingKinds are those whose shape has something to fill silences with.
func talkingKinds() []kind {
	return slices.DeleteFunc(streamKinds(), func(k kind) bool { return k.alive == "" })
}

// ticking is a stream in which keep-alives tell that time passes: of the kind,
// if it has any.
func (k kind) ticking() kind {
	if k.alive != "" {
		return k
	}
	return talkingKinds()[0]
}

// representatives are one kind for each way in which bytes pass, for tests that
// take seconds for each: whole, and streams of every framing and of both ways to
// fill silences. What is left out has the same path and another shape.
func representatives() []kind {
	return kindsNamed("chat whole", "chat stream", "messages stream", "responses stream", "gemini array", "ollama stream")
}

// streamRepresentatives are those that are streamed.
func streamRepresentatives() []kind {
	return slices.DeleteFunc(representatives(), func(k kind) bool { return !k.streamed })
}

// json is the body of a call.
func (k kind) json() string { return "{" + k.asks + k.body + "}" }

// whole is the call that is answered whole instead.
func (k kind) whole() kind {
	for _, other := range kinds() {
		if other.shape == k.shape && !other.streamed {
			return other
		}
	}
	return k
}

// streaming is the kind itself, or a stream of the first kind for one that waits
// for none.
func (k kind) streaming() kind {
	if k.streamed {
		return k
	}
	return streamKinds()[0]
}

// of is the same call for another model.
func (k kind) of(model string) kind {
	k.path = strings.Replace(k.path, "/"+k.model+":", "/"+model+":", 1)
	k.body = strings.Replace(k.body, `"model":"`+k.model+`"`, `"model":"`+model+`"`, 1)
	k.model = model
	return k
}

// at is the path without its query.
func (k kind) at() string {
	path, _, _ := strings.Cut(k.path, "?")
	return path
}

// namesInPath reports whether the path names the model.
func (k kind) namesInPath() bool { return k.shape == store.ShapeGemini }

// upstreamName is what the host of newStand calls the kind's model.
func (k kind) upstreamName() string {
	if k.shape == store.ShapeAnthropic {
		return k.model
	}
	return k.model + "-2026"
}

// asked is the model that a request of the kind has named to its upstream.
func (k kind) asked(sent *gatewaytest.Request) string {
	_, rest, _ := strings.Cut(string(sent.Body), `"model":"`)
	end := `"`
	if k.namesInPath() {
		_, rest, _ = strings.Cut(sent.Line(), "/models/")
		end = ":"
	}
	name, _, _ := strings.Cut(rest, end)
	return name
}

func (k kind) request(key string, headers ...string) string {
	return strings.Replace(request(key, k.json(), headers...), "/v1/chat/completions", k.path, 1)
}

// says is the upstream's answer, given at once.
func (k kind) says(input, output int64) gatewaytest.Script {
	return k.saysAfter(input, output, func(*gatewaytest.Exchange) error { return nil })
}

// saysAfter is the answer with a pause: after the first event of a stream, and
// before a whole answer.
func (k kind) saysAfter(input, output int64, pause gatewaytest.Script) gatewaytest.Script {
	texts := k.answer(input, output)
	if !k.streamed {
		return gatewaytest.Join(pause, gatewaytest.JSON(200, texts[0]))
	}
	return gatewaytest.Join(k.head(), gatewaytest.Chunk(texts[0]), pause, gatewaytest.Chunk(texts[1:]...), gatewaytest.LastChunk())
}

// head begins a stream of chunks with status 200.
func (k kind) head() gatewaytest.Script {
	return gatewaytest.Head(200, "Content-Type: "+k.contentType, "Transfer-Encoding: chunked")
}

// streams answers with chunks of the kind's stream.
func (k kind) streams(texts ...string) gatewaytest.Script {
	return gatewaytest.Join(k.head(), gatewaytest.Chunk(texts...), gatewaytest.LastChunk())
}

// typeOf is the content type of the answer.
func (k kind) typeOf() string {
	if k.streamed {
		return k.contentType
	}
	return "application/json"
}

// ask makes a call of the kind.
func (r *rig) ask(k kind, key string, headers ...string) gatewaytest.Answer {
	r.tb.Helper()
	return gatewaytest.Do(r.tb, r.addr, k.request(key, headers...))
}

// hosts are those of newStand.
func hosts() []string { return []string{"up", "anthropic", "gemini", "ollama"} }

// host is the one that the kind's model is bound to.
func (k kind) host() string {
	switch k.shape {
	case store.ShapeAnthropic, store.ShapeGemini, store.ShapeOllama:
		return string(k.shape)
	}
	return "up"
}

// keyOf is the provider key that the kind's host wants.
func (k kind) keyOf() string { return k.host() + "-1" }

// baseOf is the base URL of a host of newStand at an upstream.
func baseOf(host, url string) string {
	switch host {
	case "gemini":
		return url + "/v1beta"
	case "ollama":
		return url
	}
	return url + "/v1"
}

// moveHosts points the hosts of newStand at an upstream, and changes them.
func (r *rig) moveHosts(url string, change ...func(*store.HostSpec)) {
	r.tb.Helper()
	for _, host := range hosts() {
		edit(r, host, func(h *store.Host) {
			h.Spec.BaseURL = baseOf(host, url)
			for _, c := range change {
				c(&h.Spec)
			}
		})
	}
}

// newStand is a rig with a model for the shapes of all kinds, which one scripted
// upstream serves as a host of each.
func newStand(tb testing.TB, change ...func(*gateway.Options)) (*rig, *gatewaytest.Upstream) {
	tb.Helper()
	return standOf(tb, (*rig).stock, change...)
}

// standOf is a rig whose hosts, which stock makes, are one scripted upstream.
func standOf(tb testing.TB, stock func(*rig, *gatewaytest.Upstream), change ...func(*gateway.Options)) (*rig, *gatewaytest.Upstream) {
	tb.Helper()
	r := newUnrecordedRig(tb, func(o *gateway.Options) {
		for _, c := range change {
			c(o)
		}
	})
	r.startUsage()
	up := gatewaytest.New(tb)
	stock(r, up)
	return r, up
}

// stock makes the hosts of newStand.
func (r *rig) stock(up *gatewaytest.Upstream) {
	r.tb.Helper()
	r.host("up", up, 1)
	edit(r, "up", func(h *store.Host) { h.Spec.Shapes = []store.Shape{store.ShapeOpenAI, store.ShapeResponses} })
	r.claude(up)
	r.speaking(up, store.ShapeGemini, "x-goog-api-key", "gem")
	r.speaking(up, store.ShapeOllama, "bearer", "lama")
}

// speaking adds the host of a shape, which has its name, and binds a model to
// it.
func (r *rig) speaking(up *gatewaytest.Upstream, shape store.Shape, auth, model string) {
	r.tb.Helper()
	host := hostNamed(shape)
	m := put(r, model, store.ModelSpec{})
	h := put(r, host, store.HostSpec{BaseURL: baseOf(host, up.URL()), Auth: auth, Shapes: []store.Shape{shape}})
	put(r, model+"-"+host, store.HostBindingSpec{ModelID: m.Metadata.ID, HostID: h.Metadata.ID, UpstreamName: model + "-2026", PricingID: r.pricing()})
	put(r, host+"-1", store.HostKeySpec{HostID: h.Metadata.ID, Source: store.KeySource{Kind: "env", Env: strings.ToUpper(string(shape)) + "_1"}})
}

// hostNamed is the name of a host that speaks the shape alone.
func hostNamed(shape store.Shape) string { return strings.ReplaceAll(string(shape), "_", "-") }

// policy puts a rate limit with the rules on the policy that governs every key.
func (r *rig) policy(rules ...limiter.Rule) {
	r.tb.Helper()
	r.account()
	rl := put(r, "rl", store.RateLimitSpec{Rules: rules})
	put(r, "open", store.PolicySpec{RateLimitID: rl.Metadata.ID})
}

func sliding(meter limiter.Meter, amount int64, window time.Duration) limiter.Rule {
	return limiter.Rule{Meter: meter, Amount: amount, Window: int64(window / time.Second), Strategy: limiter.SlidingWindow}
}

// limits are those of every key, and of the models that it may use.
func (r *rig) limits() []*limiter.Limit {
	var all []*limiter.Limit
	for key := range r.db.Catalog().RelayKeys.All() {
		caller := r.server.Plan().Caller(sumOf(key))
		all = append(all, caller.Limits...)
		for _, m := range caller.Access.Models() {
			all = append(all, m.Limits...)
		}
	}
	return all
}

// counter is the one counter of the meter that the key runs under.
func (r *rig) counter(key string, meter limiter.Meter) *limiter.Counter {
	r.tb.Helper()
	var found []*limiter.Counter
	for _, l := range r.server.Plan().Caller(sha256.Sum256([]byte(key))).Limits {
		if l.Counter.Name().Meter == meter {
			found = append(found, l.Counter)
		}
	}
	if len(found) != 1 {
		r.tb.Fatalf("the key runs under %d counters of %s", len(found), meter)
	}
	return found[0]
}

// used is what that counter stands at.
func (r *rig) used(key string, meter limiter.Meter) int64 {
	r.tb.Helper()
	return r.memory.Read(r.clock.Now(), r.counter(key, meter)).Used
}

// sumOf is what the plan knows a relay key by.
func sumOf(key *store.RelayKey) (sum [32]byte) {
	_, _ = hex.Decode(sum[:], []byte(key.Spec.KeyHash))
	return sum
}
