package gateway_test

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
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
}

func kinds() []kind {
	chat := `"model":"chat","messages":[{"role":"user","content":"hi"}]`
	claude := `"model":"claude","max_tokens":800,"messages":[{"role":"user","content":"hi"}]`
	return []kind{
		{"chat whole", "/v1/chat/completions", "chat", false, chat, chatAnswer},
		{"chat stream", "/v1/chat/completions", "chat", true, chat, chatEvents},
		{"messages whole", "/v1/messages", "claude", false, claude, messagesAnswer},
		{"messages stream", "/v1/messages", "claude", true, claude, messagesEvents},
		{"embeddings", "/v1/embeddings", "chat", false, `"model":"chat","input":"hi"`, embeddingsAnswer},
	}
}

func chatAnswer(input, output int64) []string {
	return []string{fmt.Sprintf(`{"id":"c1","object":"chat.completion","model":"m","choices":[{"index":0,"message":{"role":"assistant","content":"hello"},"finish_reason":"stop"}],"usage":{"prompt_tokens":%d,"completion_tokens":%d,"total_tokens":%d}}`, input, output, input+output)}
}

func chatEvents(input, output int64) []string {
	usage := fmt.Sprintf(`{"choices":[],"usage":{"prompt_tokens":%d,"completion_tokens":%d,"total_tokens":%d}}`, input, output, input+output)
	return []string{deltaEvent, finishEvent, gatewaytest.Data(usage), doneEvent}
}

func messagesAnswer(input, output int64) []string {
	return []string{fmt.Sprintf(`{"id":"m1","type":"message","role":"assistant","model":"m","content":[{"type":"text","text":"hello"}],"stop_reason":"end_turn","usage":{"input_tokens":%d,"output_tokens":%d}}`, input, output)}
}

func messagesEvents(input, output int64) []string {
	return []string{
		fmt.Sprintf("event: message_start\ndata: {\"type\":\"message_start\",\"message\":{\"id\":\"m1\",\"usage\":{\"input_tokens\":%d,\"output_tokens\":1}}}\n\n", input),
		messageText,
		fmt.Sprintf("event: message_delta\ndata: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"end_turn\"},\"usage\":{\"output_tokens\":%d}}\n\n", output),
		messageStop,
	}
}

// embeddingsAnswer has no output to tell apart.
func embeddingsAnswer(input, output int64) []string {
	return []string{fmt.Sprintf(`{"object":"list","data":[{"object":"embedding","index":0,"embedding":[0.5]}],"model":"m","usage":{"prompt_tokens":%d,"total_tokens":%d}}`, input+output, input+output)}
}

// json is the body of a call.
func (k kind) json() string {
	if k.streamed {
		return `{"stream":true,` + k.body + `}`
	}
	return "{" + k.body + "}"
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
	return gatewaytest.Join(gatewaytest.StreamHead(), gatewaytest.Chunk(texts[0]), pause, gatewaytest.Chunk(texts[1:]...), gatewaytest.LastChunk())
}

// ask makes a call of the kind.
func (r *rig) ask(k kind, key string, headers ...string) gatewaytest.Answer {
	r.tb.Helper()
	return gatewaytest.Do(r.tb, r.addr, k.request(key, headers...))
}

// newStand is a rig whose models chat and claude one scripted upstream serves.
func newStand(tb testing.TB, change ...func(*gateway.Options)) (*rig, *gatewaytest.Upstream) {
	tb.Helper()
	r := newUnrecordedRig(tb, func(o *gateway.Options) {
		for _, c := range change {
			c(o)
		}
	})
	r.startUsage()
	up := gatewaytest.New(tb)
	r.host("up", up, 1)
	r.claude(up)
	return r, up
}

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
