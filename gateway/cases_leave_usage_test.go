package gateway_test

import (
	"testing"

	"relay/gateway/gatewaytest"
	"relay/store"
)

// TestClientLeaving_RecordsTheNumbersThatTheUpstreamHasSentAndNoOthers is case B89.
// A caller that leaves ends the call upstream at once, and what the upstream has
// told by then is what is recorded.
func TestClientLeaving_RecordsTheNumbersThatTheUpstreamHasSentAndNoOthers(t *testing.T) {
	const begun = `{"type":"message_start","message":{"id":"m","type":"message","role":"assistant","model":"c","content":[],"usage":{"input_tokens":500,"output_tokens":3}}}`
	const said = `{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}`
	const hi = `{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"seen"}}`
	const stop = `{"id":"c","choices":[{"index":0,"delta":{"content":"seen"},"finish_reason":"stop"}]}`
	messages, chat := kindsNamed("messages stream")[0], kindsNamed("chat stream")[0]
	event := func(name, data string) string { return "event: " + name + "\n" + gatewaytest.Data(data) }
	for name, c := range map[string]struct {
		kind    kind
		script  gatewaytest.Script
		heard   string // by the caller before it leaves; empty: nothing
		want    store.Tokens
		missing bool
	}{
		"before the first byte": {messages, gatewaytest.Hang(), "", store.Tokens{}, false},
		"after the input was told": {
			messages, gatewaytest.Join(messages.head(), gatewaytest.Chunk(event("message_start", begun), event("content_block_start", said), event("content_block_delta", hi)), gatewaytest.Hang()),
			"seen", store.Tokens{Input: 500, Output: 3}, false,
		},
		"after all content and before the usage": {chat, gatewaytest.Join(chat.head(), gatewaytest.Chunk(gatewaytest.Data(stop)), gatewaytest.Hang()), "seen", store.Tokens{}, true},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFront(t)
			f.up.Play(c.script)
			client := gatewaytest.Dial(t, f.addr)
			client.Send(c.kind.request(f.key))
			sent := f.up.Request(0)
			if c.heard != "" {
				if _, err := gatewaytest.ReadUntil(client.Response().Body, c.heard); err != nil {
					t.Fatal(err)
				}
			}
			client.Reset()
			await(t, sent.Gone())
			f.mustBeFree(name)
			e := f.events(1)[0]
			if e.ErrorKind != "client_closed" || e.Tokens != c.want || e.UsageMissing != c.missing {
				t.Errorf("recorded %q, %+v, usage missing: %t; want %+v, %t", e.ErrorKind, e.Tokens, e.UsageMissing, c.want, c.missing)
			}
		})
	}
}

// What no price holds for is unpriced, and not free: before the first day of a
// price list and after its last.
func TestCost_IsUnknownWhereNoPriceHoldsYet(t *testing.T) {
	r, up := newTongues(t)
	put(r, "chat", store.PricingSpec{Currency: "USD", Rates: []store.Rate{{Meter: "tokens.input", Unit: "per_million", Amount: "3", From: "2999-01-01"}}})
	k := kindsNamed("chat whole")[0]
	up.Play(k.counted(`"prompt_tokens":10,"completion_tokens":5,"total_tokens":15`))
	r.ask(k.of("to-openai"), r.key("k", store.RelayKeySpec{}))
	if e := r.events(1)[0]; e.CostNanos != nil || e.Tokens.Input != 10 || !e.Unpriced() {
		t.Errorf("cost %v of %+v", e.CostNanos, e.Tokens)
	}
}
