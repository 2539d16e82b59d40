package gateway_test

import (
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"relay/gateway"
	"relay/gateway/gatewaytest"
	"relay/store"
)

func mostInHand(n int) func(*gateway.Options) { return func(o *gateway.Options) { o.MaxInFlight = n } }

// neighbours are keys of two accounts that know nothing of each other.
func (f *front) neighbours() (greedy, polite string) {
	f.tb.Helper()
	return f.keyIn("bots", "greedy"), f.keyIn("bots", "polite")
}

// mustShed fails the test unless the answer turns the caller away, and tells
// when to come back.
func (f *front) mustShed(a gatewaytest.Answer, path, told string) {
	f.tb.Helper()
	f.mustRefuse("a shed call", a, path, 503, "overloaded")
	if a.Header.Get("Retry-After") != "1" || a.Header.Get("Retry-After-Ms") != "1000" || a.Header.Get("X-Relay-Refused-By") != "relay" || !strings.Contains(a.Body, told) {
		f.tb.Errorf("turned away by %s %v, want %q", a.Body, a.Header, told)
	}
}

// TestOverload_FourTimesTheCapIsShedAtOnce is O1 and O5: while the upstream
// answers nobody, as many as the cap are in hand and all others have been told;
// nothing has been queued, and afterwards nobody is turned away.
func TestOverload_FourTimesTheCapIsShedAtOnce(t *testing.T) {
	const most, clients = 100, 400
	for _, k := range representatives() { // the rest passes the same way, and each takes seconds
		f := newFront(t, mostInHand(most))
		greedy, polite := f.neighbours()
		release := make(chan struct{})
		f.up.Otherwise(k.saysAfter(5, 5, gatewaytest.Wait(release)))
		var turn atomic.Int64
		call := func() gatewaytest.Answer {
			key := greedy
			if turn.Add(1)%2 == 0 {
				key = polite
			}
			return gatewaytest.Do(t, f.addr, k.request(key))
		}
		statuses := f.parallel(clients, call, func(done *atomic.Int64) {
			until(t, "all others are turned away", func() bool { return done.Load() == clients-most })
			f.up.Request(most - 1)
			if n := f.metric("relay_inflight_requests", ""); n != most || f.server.InFlight() != most {
				t.Errorf("%s: %v are in hand, %d in flight", k.name, n, f.server.InFlight())
			}
			if n := len(f.up.Requests()); n != most {
				t.Errorf("%s: the upstream has %d requests", k.name, n)
			}
			f.mustShed(f.ask(k, greedy), k.path, "max_inflight")
			close(release)
		})
		if statuses[http.StatusOK] != most || statuses[k.overloaded()] != clients-most {
			t.Errorf("%s: statuses %v", k.name, statuses)
		}
		f.mustBeFree("the overload")
		if n := f.shed("inflight") + f.shed("account"); n != clients-most+1 {
			t.Errorf("%s: %v are counted as turned away", k.name, n)
		}
		before := f.shed("inflight") + f.shed("account")
		for status, n := range f.parallel(most/2, call, func(*atomic.Int64) {}) {
			if status != 200 {
				t.Errorf("%s: after the overload %d answers of %d", k.name, n, status)
			}
		}
		if n := f.shed("inflight") + f.shed("account"); n != before {
			t.Errorf("%s: after the overload %v were turned away", k.name, n-before)
		}
	}
}

// TestOverload_AGreedyAccountLeavesHalfToOthers is O2 without limits of its own.
func TestOverload_AGreedyAccountLeavesHalfToOthers(t *testing.T) {
	const most = 20
	for _, k := range kinds() {
		f := newFront(t, mostInHand(most))
		greedy, polite := f.neighbours()
		release := make(chan struct{})
		f.up.Otherwise(k.saysAfter(5, 5, gatewaytest.Wait(release)))
		statuses := f.parallel(10*most, func() gatewaytest.Answer { return gatewaytest.Do(t, f.addr, k.request(greedy)) }, func(done *atomic.Int64) {
			until(t, "all but half of the cap are turned away", func() bool { return done.Load() == 10*most-most/2 })
			f.mustShed(f.ask(k, greedy), k.path, "This account has half of the 20 requests in hand")
			f.up.Otherwise(k.says(5, 5))
			for range 50 {
				f.want(f.ask(k, polite), 200, "")
			}
			close(release)
		})
		if statuses[http.StatusOK] != most/2 || f.shed("account") != 10*most-most/2+1 || f.shed("inflight") != 0 {
			t.Errorf("%s: statuses %v, turned away for the cap %v, for its half %v", k.name, statuses, f.shed("inflight"), f.shed("account"))
		}
		f.mustBeFree("a greedy account")
	}
}

// TestOverload_ALimitOfTheGreedyOneComesFirst is O2 with a concurrency limit.
func TestOverload_ALimitOfTheGreedyOneComesFirst(t *testing.T) {
	for _, k := range kinds() {
		f := newFront(t, mostInHand(20))
		greedy, polite := f.neighbours()
		edit(f.rig, "greedy", func(r *store.RelayKey) { r.Spec.Limits = &store.Limits{Concurrency: int64p(3)} })
		release := make(chan struct{})
		f.up.Otherwise(k.saysAfter(5, 5, gatewaytest.Wait(release)))
		statuses := map[int]int{}
		var calls []*pending
		for range 3 {
			_, call := f.begin(k, greedy)
			calls = append(calls, call)
		}
		f.up.Request(2)
		for range 30 {
			statuses[f.ask(k, greedy).Status]++
		}
		f.up.Otherwise(k.says(5, 5))
		for range 30 {
			f.want(f.ask(k, polite), 200, "")
		}
		close(release)
		for _, call := range calls {
			call.end()
		}
		if statuses[http.StatusTooManyRequests] != 30 || f.shed("inflight")+f.shed("account") != 0 {
			t.Errorf("%s: statuses %v, turned away %v", k.name, statuses, f.shed("inflight")+f.shed("account"))
		}
		f.mustBeFree("a limited account")
	}
}

// Keys of one account have one half together; keys of another have their own.
func TestOverload_TheHalfIsTheAccountsNotTheKeys(t *testing.T) {
	k := kinds()[0]
	f := newFront(t, mostInHand(4))
	second := f.rig.key("phone", store.RelayKeySpec{})
	_, polite := f.neighbours()
	release := make(chan struct{})
	f.up.Otherwise(k.saysAfter(5, 5, gatewaytest.Wait(release)))
	_, a := f.begin(k, f.key)
	f.up.Request(0)
	_, b := f.begin(k, second)
	f.up.Request(1)
	for _, key := range []string{f.key, second} {
		f.mustShed(f.ask(k, key), k.path, "half of the 4")
	}
	_, c := f.begin(k, polite)
	f.up.Request(2)
	put(f.rig, "unrelated", store.ModelSpec{}) // another plan, the same accounts
	f.mustShed(f.ask(k, f.key), k.path, "half of the 4")
	_, d := f.begin(k, polite)
	f.up.Request(3)
	f.mustShed(f.ask(k, polite), k.path, "Relay has 4 requests in hand")
	close(release)
	for _, call := range []*pending{a, b, c, d} {
		call.end()
	}
	f.mustBeFree("two accounts")
}

func TestOverload_WhatIsNotMeteredIsAnsweredAllTheSame(t *testing.T) {
	for _, k := range kinds() {
		f := newFront(t, mostInHand(1))
		release := make(chan struct{})
		f.up.Play(k.saysAfter(5, 5, gatewaytest.Wait(release)))
		_, call := f.begin(k, f.key)
		f.up.Request(0)
		f.mustShed(f.ask(k, f.key), k.path, "max_inflight")
		for _, path := range append(lookups(), "/", "/livez", "/readyz", "/healthz") {
			f.want(f.get(path, f.key), 200, "")
		}
		f.want(f.get("/nothing", f.key), 404, "")
		if n := f.metric("relay_inflight_requests", ""); n != 1 {
			t.Errorf("%s: %v in hand", k.name, n)
		}
		close(release)
		call.end()
		f.mustBeFree(k.name)
	}
}

// A call that is not complete, or that is refused before its turn, takes the
// place of nobody.
func TestOverload_OnlyCompleteRequestsCount(t *testing.T) {
	for _, k := range kinds() {
		f := newFront(t, mostInHand(1))
		f.up.Otherwise(k.says(5, 5))
		var slow []*gatewaytest.Client
		for range 5 {
			c := gatewaytest.Dial(t, f.addr)
			c.Send(f.head("POST", k.path) + "Content-Length: 1000\r\n\r\n{")
			slow = append(slow, c)
		}
		until(t, "five are half sent", func() bool { return f.metric("relay_buffered_bytes", "") == 5000 })
		for range 3 {
			f.want(f.ask(k, f.key), 200, "")
			until(t, "the place is free", func() bool { return f.metric("relay_inflight_requests", "") == 0 })
		}
		for _, c := range slow {
			c.Close()
		}
		f.mustBeFree("half-sent calls")
	}
}

func TestOverload_AShedCallLeavesItsEventAndTakesNothing(t *testing.T) {
	for _, k := range kinds() {
		f := newFront(t, mostInHand(1))
		release := make(chan struct{})
		f.up.Play(k.saysAfter(5, 5, gatewaytest.Wait(release)))
		_, call := f.begin(k, f.key)
		f.up.Request(0)
		before := f.standings()
		f.mustShed(f.ask(k, f.key), k.path, "max_inflight")
		f.mustRecord("a shed call", k.overloaded(), "overloaded")
		if after := f.standings(); after != before {
			t.Errorf("%s: counters went from %s to %s", k.name, before, after)
		}
		close(release)
		call.end()
		f.mustBeFree(k.name)
		f.up.Otherwise(k.says(5, 5))
		f.want(f.ask(k, f.key), 200, "")
	}
}
