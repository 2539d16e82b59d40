package gateway_test

import (
	"strings"
	"testing"

	"relay/gateway/gatewaytest"
	"relay/store"
)

// noCredit is how Anthropic refuses an account without money: with a 400 of the
// type that is otherwise the request's fault.
const noCredit = `{"type":"error","error":{"type":"invalid_request_error","message":"Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing to upgrade or purchase credits."},"request_id":"req_1"}`

func TestPool_AnAccountWithoutMoneyIsNotTheCallersFault(t *testing.T) {
	for _, k := range kinds() {
		r, up := newStand(t)
		r.three()
		up.Otherwise(byKey(map[string]gatewaytest.Script{
			"K1": gatewaytest.JSON(400, noCredit),
			"K2": gatewaytest.JSON(200, noCredit),
			"K3": k.says(7, 3),
		}))
		key := r.key("laptop", store.RelayKeySpec{})
		for range 3 {
			r.want(r.ask(k, key), 200, "")
		}
		if n := hits(up); n["K1"] != 1 || n["K2"] != 1 || n["K3"] != 3 {
			t.Errorf("%s: hits %v", k.name, n)
		}
		host := k.host()
		if state := r.keyState(host + "-1"); state.State != "open" || !strings.Contains(state.Reason, "credit balance is too low") {
			t.Errorf("%s: the first key is %+v", k.name, state)
		}
		up.Otherwise(gatewaytest.JSON(400, noCredit))
		r.want(r.ask(k, key), 502, "does not accept the provider key")
	}
}

// A caller that writes the words itself gets its 400 as it is, and no key
// suffers.
func TestPool_ACallerWhoSpeaksOfMoneyOpensNoBreaker(t *testing.T) {
	const echoed = `{"type":"error","error":{"type":"invalid_request_error","message":"messages.0: unexpected 'Your credit balance is too low to access'"}}`
	for _, k := range kinds() {
		r, up := newStand(t)
		r.three()
		up.Otherwise(gatewaytest.JSON(400, echoed))
		r.want(r.ask(k, r.key("laptop", store.RelayKeySpec{})), 400, "unexpected")
		if state := r.keyState(k.host() + "-1"); state.State != "closed" || len(up.Requests()) != 1 {
			t.Errorf("%s: the key is %+v after %d requests", k.name, state, len(up.Requests()))
		}
	}
}
