package gateway_test

import (
	"strings"
	"testing"

	"relay/gateway/gatewaytest"
	"relay/store"
)

func TestRefusedParams_PassTheHostOver(t *testing.T) {
	r := newRig(t)
	picky, broad := gatewaytest.New(t), gatewaytest.New(t)
	picky.Otherwise(answer)
	broad.Otherwise(answer)
	r.host("picky", picky, 5) // more than a request tries
	r.host("broad", broad, 1)
	r.params("chat-picky", store.BindingParams{Refuse: []string{"logit_bias", "options.mirostat"}})
	key := r.key("k", store.RelayKeySpec{})
	for members, host := range map[string]string{
		``: "picky", `"logit_bias":null,`: "picky", `"logit_bias":{},`: "broad", `"Logit\u005fBias":{},`: "broad", `"options":{"mirostat":1},`: "broad", `"options":{"x":1},`: "picky",
	} {
		a := r.call(key, strings.Replace(chatBody, "{", "{"+members, 1))
		if a.Status != 200 || a.Header.Get("X-Relay-Host") != host || a.Header.Get("X-Relay-Attempts") != "1" {
			t.Errorf("%s: %d by %s after %s attempts: %s", members, a.Status, a.Header.Get("X-Relay-Host"), a.Header.Get("X-Relay-Attempts"), a.Body)
		}
	}
}

// Where no other host takes the request, the refusal names member and host.
func TestRefusedParams_AreToldInEveryShape(t *testing.T) {
	r, up := newTongues(t)
	key := r.key("k", store.RelayKeySpec{Limits: &store.Limits{Concurrency: int64p(1)}})
	for _, p := range append(samePairs(), pairs()...) {
		t.Run(p.name(), func(t *testing.T) {
			refused, _, _, _ := sampled(p.upstream.shape)
			r.params(p.model()+"-"+hostNamed(p.upstream.shape), store.BindingParams{Refuse: []string{refused}})
			a := r.ask(p.asks().sampling(), key)
			told, begins, _ := toldIn(p.caller.shape, 400, "unsupported_param")
			if a.Status != told || !strings.HasPrefix(a.Body, begins) || !strings.Contains(a.Body, "Host "+hostNamed(p.upstream.shape)+" does not take "+refused+" for model ") {
				t.Errorf("got %d %s", a.Status, a.Body)
			}
			if got := a.Header.Get("X-Relay-Refused-By"); got != "relay" {
				t.Errorf("refused by %q", got)
			}
		})
	}
	if n := len(up.Requests()); n != 0 {
		t.Errorf("the upstream saw %d requests", n)
	}
	for _, e := range r.events(len(samePairs()) + len(pairs())) {
		if e.ErrorKind != "unsupported_param" {
			t.Errorf("recorded as %q", e.ErrorKind)
		}
	}
}

// A host that speaks two shapes and does not take the words of one gets the other.
func TestRefusedParams_OfOneShapeLeaveTheOthers(t *testing.T) {
	r, up := newTongues(t)
	key := r.key("k", store.RelayKeySpec{})
	r.params("to-openai-openai", store.BindingParams{Refuse: []string{"max_output_tokens"}})
	edit(r, "to-openai-openai", func(b *store.HostBinding) {
		b.Spec.Shapes = []store.Shape{store.ShapeResponses, store.ShapeOpenAI}
	})
	up.Play(answer)
	r.want(r.post("/v1/messages", key, `{"model":"to-openai","max_tokens":9,"messages":[{"role":"user","content":"hi"}]}`), 200, "hello")
	if line := up.Request(0).Line(); line != "POST /v1/chat/completions HTTP/1.1" {
		t.Errorf("the upstream got %s", line)
	}
}

// Each host gets the body by its own rules.
func TestParams_DifferFromHostToHost(t *testing.T) {
	r := newRig(t)
	first, second := gatewaytest.New(t), gatewaytest.New(t)
	first.Otherwise(gatewaytest.JSON(500, `{"error":{"message":"broken"}}`))
	second.Otherwise(answer)
	r.host("first", first, 1)
	r.host("second", second, 1)
	r.params("chat-first", store.BindingParams{Drop: []string{"seed"}, Defaults: defaults("top_k", "1")})
	r.params("chat-second", store.BindingParams{Rename: map[string]string{"seed": "random_seed"}})
	key := r.key("k", store.RelayKeySpec{})
	a := r.call(key, `{"seed":7,"model":"chat","messages":[]}`)
	if a.Status != 200 || a.Header.Get("X-Relay-Dropped-Params") != "" {
		t.Errorf("got %d, dropped %q", a.Status, a.Header.Get("X-Relay-Dropped-Params"))
	}
	for up, want := range map[*gatewaytest.Upstream]string{
		first: `{"model":"chat-2026","messages":[],"top_k":1}`, second: `{"random_seed":7,"model":"chat-2026","messages":[]}`,
	} {
		if got := string(up.Request(0).Body); got != want {
			t.Errorf("sent %s, not %s", got, want)
		}
	}
}
