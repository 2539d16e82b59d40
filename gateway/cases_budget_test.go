package gateway_test

import (
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"relay/gateway/gatewaytest"
	"relay/limiter"
	"relay/store"
)

// priced makes every token cost so much, in dollars a million.
func (r *rig) priced(amount string) {
	r.tb.Helper()
	put(r, "chat", store.PricingSpec{Currency: "USD", Rates: []store.Rate{
		{Meter: "tokens.input", Unit: "per_million", Amount: amount},
		{Meter: "tokens.output", Unit: "per_million", Amount: amount},
	}})
}

// spent is what the key's budget says, which must be the sum of the stored
// events.
func (r *rig) spent(key string, calls int) int64 {
	r.tb.Helper()
	var sum int64
	charged := 0
	for _, e := range r.events(calls) {
		if e.CostNanos != nil {
			sum += *e.CostNanos
			charged++
		}
	}
	spent := r.used(key, limiter.MeterCost)
	if spent != sum {
		r.tb.Errorf("the budget reads %d nano-dollars, its %d events sum up to %d", spent, charged, sum)
	}
	return spent
}

// Each call costs 0.020000002 dollars, known only after it; the budget is 0.10.
func TestBudget_ParallelCallsOvershootByWhatWasInFlight(t *testing.T) {
	const each = 20_000_002
	for _, k := range kinds() {
		for _, inFlight := range []int64{50, 10, 3} {
			t.Run(fmt.Sprintf("%s, %d in flight", k.name, inFlight), func(t *testing.T) {
				r, up := newStand(t)
				r.priced("10.000001")
				release := make(chan struct{})
				up.Otherwise(k.saysAfter(1500, 500, gatewaytest.Wait(release)))
				r.policy(sliding(limiter.MeterConcurrency, inFlight, time.Minute))
				edit(r, "open", func(p *store.Policy) { p.Spec.Budgets = []store.Budget{{Amount: "0.10", Period: "day"}} })
				key := r.key("laptop", store.RelayKeySpec{})
				statuses := r.parallel(50, func() gatewaytest.Answer { return r.ask(k, key) }, func(done *atomic.Int64) {
					up.Request(int(inFlight) - 1)
					until(t, "the rest is refused", func() bool { return done.Load() == 50-inFlight })
					close(release)
				})
				if statuses[http.StatusOK] != int(inFlight) || statuses[http.StatusTooManyRequests] != 50-int(inFlight) {
					t.Errorf("statuses %v", statuses)
				}
				if spent := r.spent(key, 50); spent != inFlight*each {
					t.Errorf("%d nano-dollars are spent, want %d", spent, inFlight*each)
				}
				if inFlight >= 5 {
					r.want(r.ask(k, key), 429, "Budget of policy open: quota of $0.10 a day is used up")
				}
			})
		}
	}
}

// Fifty callers that come again until the budget refuses them.
func TestBudget_WithOneCallInFlightAtMostOneCallGoesOver(t *testing.T) {
	for _, k := range kinds() {
		for _, tokens := range []int64{2000, 3001} {
			t.Run(fmt.Sprintf("%s, %d tokens", k.name, tokens), func(t *testing.T) {
				r, up := newStand(t)
				r.priced("10.000001")
				up.Otherwise(k.says(tokens-7, 7))
				r.policy(sliding(limiter.MeterConcurrency, 1, time.Minute))
				key := r.key("laptop", store.RelayKeySpec{Budgets: []store.Budget{{Amount: "0.10", Period: "day"}}})
				var passed atomic.Int64
				var callers sync.WaitGroup
				var freed bell
				for range 50 {
					callers.Go(func() {
						for {
							next := freed.next()
							a := r.ask(k, key)
							if a.Header.Get("X-Relay-Refused-By") == "budget" {
								return
							}
							if a.Status == http.StatusOK {
								passed.Add(1)
								freed.ring()
							}
							<-next
						}
					})
				}
				callers.Wait()
				each := (tokens*10_000_001 + 500) / 1000
				want := (100_000_000 + each - 1) / each
				spent := r.used(key, limiter.MeterCost)
				if passed.Load() != want || spent != want*each || spent-100_000_000 > each {
					t.Errorf("%d calls passed and %d nano-dollars are spent, want %d calls of %d", passed.Load(), spent, want, each)
				}
				if n := len(up.Requests()); n != int(want) {
					t.Errorf("the upstream saw %d requests, want %d", n, want)
				}
			})
		}
	}
}

// Costs are rounded once a call, so that the sums agree to the nano-dollar.
func TestBudget_SpendIsTheSumOfTheEventsToTheNanoDollar(t *testing.T) {
	r, up := newStand(t)
	r.priced("0.123456")
	budgets := []store.Budget{{Amount: "100", Period: "day"}}
	key := r.key("laptop", store.RelayKeySpec{Budgets: budgets})
	calls := 0
	for round := range int64(10) {
		for i, k := range kinds() {
			up.Play(k.says(1+round*7, int64(1+i*13)), gatewaytest.JSON(400, upstreamError))
			r.want(r.ask(k, key), 200, "")
			r.want(r.ask(k, key), 400, "said by upstream")
			calls += 2
		}
	}
	if spent := r.spent(key, calls); spent <= 0 {
		t.Errorf("%d nano-dollars are spent", spent)
	}
}

func TestBudget_ThatRefusesUnpricedModelsRefusesOnesWhosePriceHasEnded(t *testing.T) {
	for _, k := range kinds() {
		r, up := newStand(t)
		strict := r.key("strict", store.RelayKeySpec{Budgets: []store.Budget{{Amount: "100", Period: "day", Unpriced: "refuse"}}})
		up.Play(k.says(5, 5))
		r.want(r.ask(k, strict), 200, "")
		put(r, "chat", store.PricingSpec{Currency: "USD", Rates: []store.Rate{{Meter: "tokens.input", Unit: "per_million", Amount: "3", To: "2020-01-01"}}})
		r.want(r.ask(k, strict), 429, "has no price, and the budget of key strict refuses unpriced models")
		r.wantArrived(up, 1)
	}
}
