package gateway_test

import (
	"strings"
	"testing"

	"relay/gateway"
	"relay/gateway/gatewaytest"
	"relay/store"
)

// Decoded, a part of 26 bytes takes half a KiB: what a request takes is counted
// before it is decoded.
func TestTranslation_CountsWhatManySmallPartsTakeBeforeItDecodesThem(t *testing.T) {
	r, up := newTongues(t, func(o *gateway.Options) { o.MaxBufferedBytes = 16 << 20 })
	key := r.key("k", store.RelayKeySpec{})
	body := func(parts int) string {
		return `{"model":"to-anthropic","messages":[{"role":"user","content":[` + strings.Repeat(`{"type":"text","text":"a"},`, parts-1) + `{"type":"text","text":"a"}]}]}`
	}
	answers := kindsNamed("messages whole")[0]
	up.Play(answers.says(5, 5))
	r.want(r.post("/v1/chat/completions", key, body(10_000)), 200, "")
	r.want(r.post("/v1/chat/completions", key, body(30_000)), 400, "has so many parts that Relay cannot write it in the shape of the model's host within max_buffered_bytes (16 MiB)")
	up.Play(kindsNamed("chat whole")[0].says(5, 5))
	r.want(r.post("/v1/chat/completions", key, strings.Replace(body(30_000), "to-anthropic", "to-openai", 1)), 200, "")
	r.wantArrived(up, 2)

	goOn := make(chan struct{})
	up.Play(gatewaytest.Join(gatewaytest.Wait(goOn), answers.says(5, 5)))
	waiting := r.sent(key, body(8_000)) // takes over a quarter of all: over half of what one account may
	up.Request(2)
	r.want(r.post("/v1/chat/completions", key, body(8_000)), 503, "max_buffered_bytes")
	close(goOn)
	r.want(waiting(), 200, "")
	up.Play(answers.says(5, 5))
	r.want(r.post("/v1/chat/completions", key, body(10_000)), 200, "")
}
