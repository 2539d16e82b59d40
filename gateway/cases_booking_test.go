package gateway_test

import (
	"crypto/sha256"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"relay/gateway/gatewaytest"
	"relay/gateway/plan"
	"relay/gateway/wire"
	"relay/limiter"
	"relay/store"
)

// capped is the call with a bound for what it may generate. Embeddings have none.
func (k kind) capped(tokens int) kind {
	n := strconv.Itoa(tokens)
	switch k.shape {
	case store.ShapeAnthropic:
		k.body = strings.Replace(k.body, `"max_tokens":800`, `"max_tokens":`+n, 1)
	case store.ShapeGemini:
		k.body += `,"generationConfig":{"maxOutputTokens":` + n + `}`
	case store.ShapeOllama:
		k.body += `,"options":{"num_predict":` + n + `}`
	case store.ShapeResponses:
		k.body += `,"max_output_tokens":` + n
	default:
		if k.name != "embeddings" {
			k.body += `,"max_completion_tokens":` + n
		}
	}
	return k
}

// uncapped is the call without one.
func (k kind) uncapped() kind {
	k.body = strings.Replace(k.body, `"max_tokens":800,`, "", 1)
	return k
}

// books is what a limit on tokens books for the call.
func (k kind) books(output int64) int64 {
	if k.name == "embeddings" {
		output = 0
	}
	return wire.EstimateTokens([]byte(k.json())) + output
}

// generatingKinds are those whose answers are as long as the model makes them.
func generatingKinds() []kind {
	var out []kind
	for _, k := range kinds() {
		if k.name != "embeddings" {
			out = append(out, k)
		}
	}
	return out
}

// booking caps tokens a minute before the call.
func booking(amount int64) store.RelayKeySpec {
	return store.RelayKeySpec{Limits: &store.Limits{TPM: &amount, Charge: "reserve"}}
}

func TestBooking_OfTwoParallelCallsTheSecondIsRefusedUntilTheFirstHasUsedLess(t *testing.T) {
	for _, k := range generatingKinds() {
		k = k.capped(600)
		t.Run(k.name, func(t *testing.T) {
			r, up := newStand(t)
			key := r.key("laptop", booking(1000))
			goOn := make(chan struct{})
			up.Play(k.saysAfter(30, 10, gatewaytest.Wait(goOn)))
			_, first := r.begin(k, key)
			up.Request(0)
			if n := r.used(key, limiter.MeterTokens); n != k.books(600) {
				t.Fatalf("%d tokens are booked, want %d", n, k.books(600))
			}
			a := r.ask(k, key)
			r.want(a, 429, fmt.Sprintf("Limit of key laptop: %d of 1,000 tokens in 1m used, and this request may use %d more; retry after 61 s.", k.books(600), k.books(600)))
			if a.Header.Get("Retry-After") != "61" || a.Header.Get("X-Relay-Refused-By") != "limit" {
				t.Errorf("told %v", a.Header)
			}
			close(goOn)
			first.end()
			if n := r.used(key, limiter.MeterTokens); n != 40 {
				t.Fatalf("%d tokens are counted, want the 40 that were used", n)
			}
			up.Play(k.says(30, 10))
			r.want(r.ask(k, key), 200, "")
			r.wantArrived(up, 2)
		})
	}
}

func TestBooking_TakesTheLargestCapTimesTheAnswers(t *testing.T) {
	chat, _ := strings.CutSuffix(chatBody, "}")
	for members, output := range map[string]int64{
		`"max_tokens":100,"max_completion_tokens":500`:  500,
		`"max_completion_tokens":100,"max_tokens":500`:  500,
		`"max_tokens":100,"n":3`:                        300,
		`"max_tokens":100,"max_tokens":400`:             400,
		`"max_tokens":0,"max_completion_tokens":70`:     70,
		`"max_tokens":null,"max_completion_tokens":1e2`: 100,
	} {
		r, up := newStand(t)
		key := r.key("laptop", booking(5000))
		goOn, body := make(chan struct{}), chat+","+members+"}"
		up.Play(gatewaytest.Join(gatewaytest.Wait(goOn), gatewaytest.JSON(200, chatAnswer(5, 5)[0])))
		answer := r.sent(key, body)
		up.Request(0)
		if n, want := r.used(key, limiter.MeterTokens), wire.EstimateTokens([]byte(body))+output; n != want {
			t.Errorf("%s: %d tokens are booked, want %d", members, n, want)
		}
		close(goOn)
		r.want(answer(), 200, "")
		if n := r.used(key, limiter.MeterTokens); n != 10 {
			t.Errorf("%s: %d tokens are counted, want 10", members, n)
		}
	}
}

func TestBooking_ARequestMustSayHowMuchItMayGenerate(t *testing.T) {
	params := map[store.Shape]string{
		store.ShapeOpenAI: "set max_completion_tokens", store.ShapeResponses: "set max_output_tokens", store.ShapeAnthropic: "set max_tokens",
		store.ShapeGemini: "set generationConfig.maxOutputTokens", store.ShapeOllama: "set options.num_predict",
	}
	for _, k := range generatingKinds() {
		k = k.uncapped()
		t.Run(k.name, func(t *testing.T) {
			r, up := newStand(t)
			r.account()
			put(r, "acme", store.OrganizationSpec{Limits: &store.Limits{RPM: int64p(5)}})
			key := r.key("laptop", booking(1000))
			a := r.ask(k, key)
			r.want(a, 400, params[k.shape])
			if k.shape == store.ShapeOpenAI || k.shape == store.ShapeResponses {
				r.want(a, 400, "output_limit_required")
			}
			r.wantArrived(up, 0)
			if n, m := r.used(key, limiter.MeterTokens), r.used(key, limiter.MeterRequests); n != 0 || m != 0 {
				t.Errorf("%d tokens and %d requests are counted", n, m)
			}
			r.switches.Store(&plan.Switches{DefaultOutput: 200})
			key = r.key("desktop", booking(1000))
			goOn := make(chan struct{})
			up.Play(k.saysAfter(30, 10, gatewaytest.Wait(goOn)))
			_, call := r.begin(k, key)
			up.Request(0)
			if n := r.used(key, limiter.MeterTokens); n != k.books(200) {
				t.Errorf("%d tokens are booked, want %d", n, k.books(200))
			}
			close(goOn)
			call.end()
		})
	}
}

// Where only input is booked, nobody has to bound output.
func TestBooking_OfInputAloneNeedsNoBound(t *testing.T) {
	for _, k := range kinds() {
		k = k.uncapped()
		t.Run(k.name, func(t *testing.T) {
			r, up := newStand(t)
			r.account()
			rl := put(r, "rl", store.RateLimitSpec{Charge: "reserve", Rules: []limiter.Rule{sliding(limiter.MeterInput, 1000, time.Minute)}})
			put(r, "open", store.PolicySpec{RateLimitID: rl.Metadata.ID})
			key := r.key("laptop", store.RelayKeySpec{})
			up.Play(k.says(30, 10))
			r.want(r.ask(k, key), 200, "")
			if n, want := r.used(key, limiter.MeterInput), r.events(1)[0].Tokens.Input; n != want || n == 0 {
				t.Errorf("%d tokens are counted, want %d", n, want)
			}
		})
	}
}

func TestBooking_ARequestThatNoWaitCanCureIsRefusedForGood(t *testing.T) {
	for _, k := range generatingKinds() {
		k = k.capped(5000)
		t.Run(k.name, func(t *testing.T) {
			r, up := newStand(t)
			key := r.key("laptop", booking(1000))
			a := r.ask(k, key)
			r.want(a, 400, "Limit of key laptop allows 1,000 tokens in 1m, and this request may use 5,0")
			if a.Header.Get("Retry-After") != "" || a.Header.Get("X-Relay-Refused-By") != "limit" {
				t.Errorf("told %v", a.Header)
			}
			r.wantArrived(up, 0)
			if all := r.events(1); all[0].ErrorKind != wire.CodeRequestTooLargeLimit {
				t.Errorf("recorded as %s", all[0].ErrorKind)
			}
		})
	}
}

func TestBooking_IsCorrectedInTheSlotInWhichItWasMade(t *testing.T) {
	k := kindsNamed("chat stream")[0].capped(600)
	r, up := newStand(t)
	key := r.key("laptop", booking(1000))
	goOn := make(chan struct{})
	up.Play(k.saysAfter(30, 10, gatewaytest.Wait(goOn)))
	_, first := r.begin(k, key)
	up.Request(0)
	r.advance(50 * time.Second)
	close(goOn)
	first.end()
	if n := r.used(key, limiter.MeterTokens); n != 40 {
		t.Fatalf("%d tokens are counted, want 40", n)
	}
	r.advance(11 * time.Second)
	if n := r.used(key, limiter.MeterTokens); n != 0 {
		t.Errorf("%d tokens are counted 61 s after they were booked, want none", n)
	}
}

// What more was used than booked is counted when that is known.
func TestBooking_WhatWasTooLittleIsBookedAtTheEnd(t *testing.T) {
	k := kindsNamed("messages whole")[0].capped(10)
	r, up := newStand(t)
	key := r.key("laptop", booking(100))
	up.Play(k.says(400, 10))
	r.want(r.ask(k, key), 200, "")
	if n := r.used(key, limiter.MeterTokens); n != 410 {
		t.Errorf("%d tokens are counted, want 410", n)
	}
	r.want(r.ask(k, key), 429, "410 of 100 tokens")
}

func TestBooking_StaysWhereNobodyKnowsWhatWasUsed(t *testing.T) {
	for _, k := range generatingKinds() {
		k = k.capped(600)
		for name, c := range map[string]struct {
			script gatewaytest.Script
			stays  bool
		}{
			"usage that is not reported":  {k.says(-1, -1), true},
			"a reset before the answer":   {gatewaytest.Reset(), true},
			"a refusal":                   {gatewaytest.JSON(400, `{"error":{"message":"no","type":"invalid_request_error"}}`), false},
			"a failure that says so":      {gatewaytest.JSON(500, `{"error":{"message":"no","type":"server_error"}}`), false},
			"a limit of the provider":     {gatewaytest.JSON(429, `{"error":{"message":"slow down","type":"rate_limit_error"}}`), false},
			"an answer with what it used": {k.says(30, 10), false},
		} {
			if name == "usage that is not reported" && k.shape != store.ShapeOpenAI {
				continue // see TestBooking_StaysWhereAStreamBreaksOff
			}
			t.Run(k.name+" "+name, func(t *testing.T) {
				r, up := newStand(t)
				key := r.key("laptop", booking(1000))
				if name == "usage that is not reported" {
					c.script = gatewaytest.JSON(200, `{"id":"x","object":"chat.completion","choices":[{"index":0,"message":{"role":"assistant","content":"hello"},"finish_reason":"stop"}]}`)
					if k.streamed {
						c.script = gatewaytest.Stream(gatewaytest.Data(`{"id":"x","object":"chat.completion.chunk","choices":[{"index":0,"delta":{"content":"hello"},"finish_reason":"stop"}]}`), gatewaytest.Data("[DONE]"))
					}
				}
				up.Otherwise(c.script)
				r.ask(k, key)
				want := int64(0)
				switch {
				case c.stays:
					want = k.books(600)
				case name == "an answer with what it used":
					want = 40
				}
				until(t, "the request has settled", func() bool { return r.server.InFlight() == 0 })
				if n := r.used(key, limiter.MeterTokens); n != want {
					t.Errorf("%d tokens are counted, want %d", n, want)
				}
			})
		}
	}
}

func TestBooking_StaysWhereAStreamBreaksOff(t *testing.T) {
	for _, k := range streamKinds() {
		k = k.capped(600)
		t.Run(k.name, func(t *testing.T) {
			r, up := newStand(t)
			key := r.key("laptop", booking(1000))
			up.Play(k.saysAfter(30, 10, gatewaytest.Reset()))
			r.ask(k, key)
			until(t, "the request has settled", func() bool { return r.server.InFlight() == 0 })
			if n := r.used(key, limiter.MeterTokens); n != k.books(600) {
				t.Errorf("%d tokens are counted, want the %d that were booked", n, k.books(600))
			}
		})
	}
}

func TestBooking_IsGivenBackWhereNoUpstreamWasReached(t *testing.T) {
	for _, k := range generatingKinds() {
		k = k.capped(600)
		t.Run(k.name, func(t *testing.T) {
			r, _ := newStand(t)
			r.moveHosts("http://" + closedPort(t))
			key := r.key("laptop", booking(1000))
			r.want(r.ask(k, key), 502, "")
			if n := r.used(key, limiter.MeterTokens); n != 0 {
				t.Errorf("%d tokens are counted", n)
			}
		})
	}
}

func TestBooking_PassesOverAProviderKeyWithoutRoom(t *testing.T) {
	for _, base := range generatingKinds() {
		k := base.capped(600)
		t.Run(k.name, func(t *testing.T) {
			r, up := newStand(t)
			r.tier(k.host(), sliding(limiter.MeterTokens, 1000, time.Minute))
			edit(r, "tier-rl", func(rl *store.RateLimit) { rl.Spec.Charge = "reserve" })
			key := r.key("laptop", store.RelayKeySpec{})
			goOn := make(chan struct{})
			up.Play(k.saysAfter(30, 10, gatewaytest.Wait(goOn)))
			_, first := r.begin(k, key)
			up.Request(0)
			r.want(r.ask(k, key), 429, "is at its own limit; retry after 61 s.")
			r.want(r.ask(base.capped(5000), key), 400, "allows 1,000 tokens in 1m, and this request may use")
			close(goOn)
			first.end()
			up.Play(k.says(30, 10))
			r.want(r.ask(k, key), 200, "")
		})
	}
}

func TestBooking_TheSwitchBooksForEveryLimitThatSaysNothing(t *testing.T) {
	k := kindsNamed("chat whole")[0].capped(600)
	r, up := newStand(t)
	r.switches.Store(&plan.Switches{Reserve: true, AtCap: limiter.RefuseAtCap})
	books := r.key("books", store.RelayKeySpec{Limits: &store.Limits{TPM: int64p(300)}})
	counts := r.key("counts", store.RelayKeySpec{Limits: &store.Limits{TPM: int64p(300), Charge: "actual"}})
	r.want(r.ask(k, books), 400, "request_too_large_for_limit")
	up.Play(k.says(30, 10))
	r.want(r.ask(k, counts), 200, "")
}

// Every limit of a request books its own, in one step with all others.
func TestBooking_OfSeveralLimitsIsOneStep(t *testing.T) {
	k := kindsNamed("chat whole")[0].capped(600)
	r, up := newStand(t)
	r.account()
	put(r, "research", store.TeamSpec{OrganizationID: r.db.Catalog().Organizations.ByName("acme").Metadata.ID, Limits: &store.Limits{TPD: int64p(2000), Charge: "reserve"}})
	one, other := r.key("one", booking(1000)), r.key("other", booking(1000))
	goOn := make(chan struct{})
	for range 3 {
		up.Play(k.saysAfter(30, 10, gatewaytest.Wait(goOn)))
	}
	_, first := r.begin(k, one)
	up.Request(0)
	_, second := r.begin(k, other)
	up.Request(1)
	third := r.key("third", booking(1000))
	_, last := r.begin(k, third)
	up.Request(2)
	fourth := r.key("fourth", booking(1000))
	r.want(r.ask(k, fourth), 429, "Limit of team research")
	for _, l := range r.server.Plan().Caller(sha256.Sum256([]byte(fourth))).Limits {
		if used := r.memory.Read(r.clock.Now(), l.Counter).Used; l.Source.Scope == limiter.ScopeKey && used != 0 {
			t.Errorf("the refused call has booked %d tokens of its key", used)
		}
	}
	close(goOn)
	first.end()
	second.end()
	last.end()
}

func TestBooking_OfSoundAndTextToBeSpokenIsTheirSize(t *testing.T) {
	r, up := newStand(t)
	key := r.key("laptop", booking(500))
	up.Otherwise(gatewaytest.JSON(200, `{"text":"hello"}`))
	speech := func(chars int) gatewaytest.Answer {
		body := `{"model":"chat","voice":"alloy","input":"` + strings.Repeat("word ", chars/5) + `"}`
		return gatewaytest.Do(t, r.addr, strings.Replace(request(key, body), "/v1/chat/completions", "/v1/audio/speech", 1))
	}
	r.want(speech(2000), 400, "allows 500 tokens in 1m")
	r.wantArrived(up, 0)
	r.want(speech(50), 200, "")
}
