package gateway_test

import (
	"net/http"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"relay/gateway/gatewaytest"
	"relay/limiter"
	"relay/store"
)

func TestConcurrency_ACancelledStreamNeverLeaksItsSlot(t *testing.T) {
	for _, k := range kinds() {
		if !k.streamed {
			continue
		}
		t.Run(k.name, func(t *testing.T) {
			ended := make(chan struct{}, 1000)
			r, up := newStand(t, toldOf(ended))
			r.policy(sliding(limiter.MeterConcurrency, 1, time.Minute))
			key := r.key("laptop", store.RelayKeySpec{})
			whole := k.whole()
			base := 0
			for round := range 201 {
				up.Play(k.saysAfter(5, 5, gatewaytest.Hang()), whole.says(5, 5))
				c, _ := r.begin(k, key)
				c.Reset()
				await(t, ended)
				if n := r.used(key, limiter.MeterConcurrency); n != 0 {
					t.Fatalf("after cancel %d there are %d in flight", round, n)
				}
				r.want(r.ask(whole, key), 200, "hello")
				await(t, ended)
				if round == 0 {
					base = runtime.NumGoroutine()
				}
			}
			until(t, "the goroutines are back", func() bool { return runtime.NumGoroutine() <= base+10 })
			r.want(r.get("/v1/usage", key), 200, `"meter":"concurrency","window":null,"amount":1,"used":0,"remaining":1`)
		})
	}
}

// The slot is taken once the whole request is there, and is back when its
// caller has left, wherever that was.
func TestConcurrency_ACallerThatLeavesGivesItsSlotBack(t *testing.T) {
	for _, k := range kinds() {
		t.Run(k.name, func(t *testing.T) {
			ended := make(chan struct{}, 1000)
			r, up := newStand(t, toldOf(ended))
			r.policy(sliding(limiter.MeterConcurrency, 1, time.Minute))
			key := r.key("laptop", store.RelayKeySpec{})
			for round := range 20 {
				up.Play(gatewaytest.Hang())
				c := gatewaytest.Dial(t, r.addr)
				c.Send(k.request(key))
				up.Request(2 * round)
				r.want(r.ask(k, key), 429, "1 of 1 requests in flight; retry after 1 s.")
				if round%2 == 0 {
					c.Reset()
				} else {
					c.Close()
				}
				await(t, ended)
				up.Play(k.says(5, 5))
				r.want(r.ask(k, key), 200, "")
				await(t, ended)
			}
			half := k.request(key)
			c := gatewaytest.Dial(t, r.addr)
			c.Send(half[:len(half)-1])
			up.Play(k.says(5, 5))
			r.want(r.ask(k, key), 200, "")
			c.Reset()
			until(t, "the half-sent request is over", func() bool { return r.server.InFlight() == 0 })
			if n := r.used(key, limiter.MeterConcurrency); n != 0 {
				t.Errorf("%d in flight", n)
			}
		})
	}
}

func TestConcurrency_RefusedCallsNeverLowerTheGauge(t *testing.T) {
	for _, k := range kinds() {
		t.Run(k.name, func(t *testing.T) {
			r, up := newStand(t)
			r.policy(sliding(limiter.MeterConcurrency, 2, time.Minute))
			key := r.key("laptop", store.RelayKeySpec{})
			stop := r.watchGauge(key)
			release := make(chan struct{})
			var seen counted
			up.Play(seen.script(k, gatewaytest.Wait(release)), seen.script(k, gatewaytest.Wait(release)))
			_, first := r.begin(k, key)
			_, second := r.begin(k, key)
			up.Request(1)
			for range 20 {
				r.want(r.ask(k, key), 429, "2 of 2 requests in flight; retry after 1 s.")
			}
			if n := r.used(key, limiter.MeterConcurrency); n != 2 {
				t.Errorf("after 20 refusals there are %d in flight, want 2", n)
			}
			close(release)
			first.end()
			second.end()

			arrived := make(chan struct{})
			up.Otherwise(seen.script(k, gatewaytest.Wait(arrived)))
			statuses := r.parallel(10, func() gatewaytest.Answer { return r.ask(k, key) }, func(done *atomic.Int64) {
				until(t, "eight of ten are refused", func() bool { return done.Load() == 8 })
				close(arrived)
			})
			if statuses[http.StatusOK] != 2 || statuses[http.StatusTooManyRequests] != 8 {
				t.Errorf("statuses %v, want 2 admitted and 8 refused", statuses)
			}
			if peak := seen.peak.Load(); peak != 2 {
				t.Errorf("the upstream had %d at once, want 2", peak)
			}
			stop()
		})
	}
}

// A call beside it keeps the gauge above 0, so that one release too many shows.
func TestConcurrency_ACallThatEndsOnBothSidesAtOnceIsReleasedOnce(t *testing.T) {
	for _, k := range kinds() {
		t.Run(k.name, func(t *testing.T) {
			ended := make(chan struct{}, 1000)
			r, up := newStand(t, toldOf(ended))
			r.policy(sliding(limiter.MeterConcurrency, 2, time.Minute))
			key := r.key("laptop", store.RelayKeySpec{})
			last := make(chan struct{})
			up.Play(k.saysAfter(5, 5, gatewaytest.Wait(last)))
			_, beside := r.begin(k, key)
			up.Request(0)
			for round := range 50 {
				finish := make(chan struct{})
				up.Play(k.saysAfter(5, 5, gatewaytest.Wait(finish)))
				c, _ := r.begin(k, key)
				up.Request(round + 1)
				var both sync.WaitGroup
				both.Go(func() { close(finish) })
				both.Go(c.Reset)
				both.Wait()
				await(t, ended)
				until(t, "the call is over", func() bool { return r.server.InFlight() == 1 })
				if n := r.used(key, limiter.MeterConcurrency); n != 1 {
					t.Fatalf("round %d leaves %d in flight, want the one beside it", round, n)
				}
			}
			close(last)
			beside.end()
			if n := r.used(key, limiter.MeterConcurrency); n != 0 {
				t.Errorf("in the end there are %d in flight", n)
			}
		})
	}
}
