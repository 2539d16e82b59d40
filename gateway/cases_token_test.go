package gateway_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"relay/gateway/gatewaytest"
	"relay/limiter"
	"relay/store"
)

func TestTokens_TheWindowMovesOnWithEveryCall(t *testing.T) {
	for _, k := range kinds() {
		for _, atCap := range []string{"admit", "refuse"} {
			t.Run(k.name+" "+atCap, func(t *testing.T) {
				r, up := newStand(t)
				up.Otherwise(k.says(21, 10))
				r.account()
				rl := put(r, "rl", store.RateLimitSpec{AtCap: atCap, Rules: []limiter.Rule{sliding(limiter.MeterTokens, 186, time.Minute)}})
				put(r, "open", store.PolicySpec{RateLimitID: rl.Metadata.ID})
				key := r.key("laptop", store.RelayKeySpec{})
				at := func(second int, status int, counted int64) {
					t.Helper()
					r.advance(time.Duration(second)*time.Second - r.passed)
					a := r.ask(k, key)
					if n := r.used(key, limiter.MeterTokens); a.Status != status || n != counted {
						t.Fatalf("at t=%d: %d %s, then %d tokens counted; want %d and %d", second, a.Status, a.Body, n, status, counted)
					}
				}
				for i := range 6 {
					at(10*i, 200, int64(31*(i+1)))
				}
				if atCap == "refuse" {
					at(55, 429, 186)
				}
				at(61, 200, 186)
				at(121, 200, 62)
			})
		}
	}
}

func TestTokens_StandingAtTheAmountAdmitsOrRefusesAsAsked(t *testing.T) {
	for _, k := range kinds() {
		for atCap, status := range map[string]int{"": 200, "admit": 200, "refuse": 429} {
			t.Run(k.name+" "+atCap, func(t *testing.T) {
				r, up := newStand(t)
				up.Otherwise(k.says(100, 50))
				key := r.key("laptop", store.RelayKeySpec{Limits: &store.Limits{TPM: int64p(150), AtCap: atCap}})
				r.want(r.ask(k, key), 200, "")
				a := r.ask(k, key)
				if a.Status != status {
					t.Errorf("got %d %s, want %d", a.Status, a.Body, status)
				}
				if status == http.StatusTooManyRequests && !strings.Contains(a.Body, "150 of 150 tokens in 1m used") {
					t.Errorf("got %s", a.Body)
				}
			})
		}
	}
}

func TestTokensAndSlots_HoldOnEveryEndpoint(t *testing.T) {
	for _, k := range kinds() {
		t.Run(k.name, func(t *testing.T) {
			r, up := newStand(t)
			end := make(chan struct{})
			up.Play(k.saysAfter(100, 50, gatewaytest.Wait(end)))
			r.policy(sliding(limiter.MeterTokens, 100, time.Minute), sliding(limiter.MeterConcurrency, 1, time.Minute))
			key := r.key("laptop", store.RelayKeySpec{})
			_, first := r.begin(k, key)
			up.Request(0)
			for _, other := range kinds() {
				r.want(r.ask(other, key), 429, "1 of 1 requests in flight; retry after 1 s.")
			}
			close(end)
			first.end()
			for _, other := range kinds() {
				r.want(r.ask(other, key), 429, "150 of 100 tokens in 1m used; retry after 61 s.")
			}
			if n := len(up.Requests()); n != 1 {
				t.Errorf("the upstream saw %d requests, want 1", n)
			}
		})
	}
}

func TestTokens_AskedForAndNotUsedAreNotCounted(t *testing.T) {
	for _, k := range kinds() {
		t.Run(k.name, func(t *testing.T) {
			r, up := newStand(t)
			up.Otherwise(k.says(6, 4))
			r.policy(sliding(limiter.MeterTokens, 1000, time.Minute))
			key := r.key("laptop", store.RelayKeySpec{})
			switch k.shape {
			case store.ShapeOpenAI:
				k.body += `,"max_tokens":800`
			case store.ShapeResponses:
				k.body += `,"max_output_tokens":800`
			case store.ShapeGemini:
				k.body += `,"generationConfig":{"maxOutputTokens":800}`
			case store.ShapeOllama:
				k.body += `,"options":{"num_predict":800}`
			}
			for i := range 5 {
				r.want(r.ask(k, key), 200, "")
				if n := r.used(key, limiter.MeterTokens); n != int64(10*(i+1)) {
					t.Fatalf("after call %d the counter reads %d", i+1, n)
				}
			}
		})
	}
}
