package gateway_test

import (
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"relay/gateway/gatewaytest"
	"relay/store"
)

var broke = gatewaytest.JSON(500, upstreamError)

// opened makes the kind's key open by three failures.
func (r *rig) opened(k kind, key string, up *gatewaytest.Upstream) {
	r.tb.Helper()
	for range 3 {
		up.Play(broke)
		r.want(r.ask(k, key), 502, "answered with status 500")
	}
}

func TestBreaker_OpensLongerEachTimeItsProbeFails(t *testing.T) {
	for _, k := range kinds() {
		r, up := newStand(t)
		key := r.key("laptop", store.RelayKeySpec{})
		up.Otherwise(k.says(7, 3))
		r.opened(k, key, up)
		at := time.Duration(0)
		for _, wait := range []time.Duration{2, 4, 8, 16, 32, 60, 60} {
			wait *= time.Second
			if state := r.keyState(k.keyOf()); state.State != "open" || state.Until.Sub(noon) != at+wait || !strings.Contains(state.Reason, "said by upstream") {
				t.Fatalf("%s: the key is %+v after %v, want it open for %v", k.name, state, at, wait)
			}
			r.advance(wait - time.Nanosecond)
			r.want(r.ask(k, key), 503, "")
			r.advance(time.Nanosecond)
			if state := r.keyState(k.keyOf()); state.State != "half-open" {
				t.Fatalf("%s: the key is %+v", k.name, state)
			}
			at += wait
			up.Play(broke)
			r.want(r.ask(k, key), 502, "")
		}
		r.advance(time.Minute)
		r.want(r.ask(k, key), 200, "")
		if state := r.keyState(k.keyOf()); state.State != "closed" || state.Reason != "" {
			t.Errorf("%s: after its success the key is %+v", k.name, state)
		}
		r.opened(k, key, up)
		if state := r.keyState(k.keyOf()); state.Until.Sub(noon) != at+time.Minute+2*time.Second {
			t.Errorf("%s: opened anew the key is %+v", k.name, state)
		}
	}
}

func TestBreaker_IsOpenedByThreeInARowAndNotByStrays(t *testing.T) {
	for _, k := range kinds() {
		r, up := newStand(t)
		key := r.key("laptop", store.RelayKeySpec{})
		for range 20 { // flapping, half of it faults
			up.Play(broke, k.says(7, 3), gatewaytest.Reset(), broke, k.says(7, 3))
			for _, want := range []int{502, 200, 502, 502, 200} {
				r.want(r.ask(k, key), want, "")
			}
		}
		if state := r.keyState(k.keyOf()); state.State != "closed" {
			t.Errorf("%s: the key is %+v", k.name, state)
		}
		up.Play(gatewaytest.Reset(), broke, gatewaytest.Join(gatewaytest.Raw("HTTP/1.1 2"), gatewaytest.Close()))
		for range 3 {
			r.want(r.ask(k, key), 502, "")
		}
		if state := r.keyState(k.keyOf()); state.State != "open" {
			t.Errorf("%s: the key is %+v", k.name, state)
		}
	}
}

func TestBreaker_LetsOneProbeThroughAtATime(t *testing.T) {
	for _, k := range kinds() {
		r, up := newStand(t)
		key := r.key("laptop", store.RelayKeySpec{})
		r.opened(k, key, up)
		r.advance(2 * time.Second)
		end := make(chan struct{})
		up.Play(gatewaytest.Join(gatewaytest.Wait(end), k.says(7, 3)))
		probe := gatewaytest.Dial(t, r.addr)
		probe.Send(k.request(key))
		up.Request(3)
		for range 5 {
			r.want(r.ask(k, key), 503, "")
		}
		close(end)
		if a := probe.Answer(); a.Status != 200 {
			t.Errorf("%s: the probe got %d %s", k.name, a.Status, a.Body)
		}
		up.Otherwise(k.says(7, 3))
		statuses := r.parallel(10, func() gatewaytest.Answer { return r.ask(k, key) }, func(*atomic.Int64) {})
		if statuses[200] != 10 {
			t.Errorf("%s: after the probe: %v", k.name, statuses)
		}
	}
}

// What a probe's caller does says nothing of the key: the next one probes.
func TestBreaker_AProbeThatIsAbandonedMakesRoomForTheNext(t *testing.T) {
	for _, k := range kinds() {
		r, up := newStand(t)
		key := r.key("laptop", store.RelayKeySpec{})
		r.opened(k, key, up)
		r.advance(2 * time.Second)
		up.Play(gatewaytest.Hang(), gatewaytest.JSON(400, upstreamError), refusal(429, "Retry-After: 1"))
		c := gatewaytest.Dial(t, r.addr)
		c.Send(k.request(key))
		sent := up.Request(3)
		c.Reset()
		<-sent.Gone()
		until(t, "the probe is over", func() bool { return r.server.InFlight() == 0 })
		r.want(r.ask(k, key), 400, "said by upstream")
		r.want(r.ask(k, key), 429, "said by upstream")
		r.advance(time.Second)
		up.Otherwise(k.says(7, 3))
		r.want(r.ask(k, key), 200, "")
	}
}

// What was under way when the breaker opened neither ends the probe of another
// nor makes a short fault a long rest.
func TestBreaker_IgnoresTheFailuresOfBefore(t *testing.T) {
	for _, k := range kinds() {
		r, up := newStand(t)
		key := r.key("laptop", store.RelayKeySpec{})
		const before = 20
		fail, leave, end := make(chan struct{}), make(chan struct{}), make(chan struct{})
		var late []*gatewaytest.Client
		for i := range before {
			up.Play(gatewaytest.Join(gatewaytest.Wait([]chan struct{}{fail, leave}[i%2]), broke))
			c := gatewaytest.Dial(t, r.addr)
			c.Send(k.request(key))
			up.Request(i)
			late = append(late, c)
		}
		r.opened(k, key, up)
		close(fail)
		for i := 0; i < before; i += 2 {
			late[i].Answer()
		}
		if state := r.keyState(k.keyOf()); state.Until.Sub(noon) != 2*time.Second {
			t.Errorf("%s: after a burst of failures the key is %+v", k.name, state)
		}
		r.advance(2 * time.Second)
		up.Play(gatewaytest.Join(gatewaytest.Wait(end), k.says(7, 3)))
		probe := gatewaytest.Dial(t, r.addr)
		probe.Send(k.request(key))
		up.Request(before + 3)
		late[1].Reset()
		<-up.Request(1).Gone()
		close(leave)
		for i := 3; i < before; i += 2 {
			late[i].Answer()
		}
		until(t, "only the probe is left", func() bool { return r.server.InFlight() == 1 })
		r.want(r.ask(k, key), 503, "")
		close(end)
		if a := probe.Answer(); a.Status != 200 {
			t.Errorf("%s: the probe got %d", k.name, a.Status)
		}
		if state := r.keyState(k.keyOf()); state.State != "closed" {
			t.Errorf("%s: the key is %+v", k.name, state)
		}
	}
}

func TestBreaker_ARefusedKeyIsProbedEveryTenMinutes(t *testing.T) {
	for _, k := range kinds() {
		r, up := newStand(t)
		key := r.key("laptop", store.RelayKeySpec{})
		up.Otherwise(k.says(7, 3))
		for round, status := range []int{401, 402, 403} {
			up.Play(gatewaytest.JSON(status, `{"error":{"message":"your account is suspended"}}`))
			r.want(r.ask(k, key), 502, "does not accept the provider key")
			at := time.Duration(round) * 10 * time.Minute
			if state := r.keyState(k.keyOf()); state.State != "open" || state.Until.Sub(noon) != at+10*time.Minute || !strings.Contains(state.Reason, "your account is suspended") {
				t.Errorf("%s: the key is %+v", k.name, state)
			}
			r.advance(10*time.Minute - time.Nanosecond)
			r.want(r.ask(k, key), 503, "")
			r.advance(time.Nanosecond)
		}
		r.want(r.ask(k, key), 200, "")
		if n := len(up.Requests()); n != 4 {
			t.Errorf("%s: %d requests, want 4", k.name, n)
		}
	}
}

// The anonymous key of a host that wants none has no breaker.
func TestBreaker_AHostWithoutKeysIsTriedEachTime(t *testing.T) {
	for _, k := range kinds() {
		r, up, key := faultStand(t)
		for _, script := range []gatewaytest.Script{broke, gatewaytest.Reset(), refusal(429, "Retry-After: 60"), gatewaytest.JSON(401, upstreamError)} {
			up.Otherwise(script)
			for range 5 {
				if a := r.ask(k, key); a.Status == 503 {
					t.Errorf("%s: got %d %s", k.name, a.Status, a.Body)
				}
			}
		}
		up.Otherwise(gatewaytest.Join(k.streaming().opening(), gatewaytest.Chunk(k.streaming().failing(`{"error":{"code":429,"message":"m"}}`)), gatewaytest.LastChunk()))
		r.ask(k, key)
		up.Otherwise(k.says(7, 3))
		r.want(r.ask(k, key), 200, "")
	}
}

// A storm of faults costs an upstream the requests that open its keys and no
// more, whatever comes in.
func TestBreaker_KeepsAStormFromTheUpstream(t *testing.T) {
	for _, k := range kinds() {
		r, up := newStand(t)
		up.Otherwise(broke)
		key := r.key("laptop", store.RelayKeySpec{})
		const callers = 32
		for range 5 {
			statuses := r.parallel(callers, func() gatewaytest.Answer { return r.ask(k, key) }, func(*atomic.Int64) {})
			if statuses[502]+statuses[503] != callers {
				t.Errorf("%s: %v", k.name, statuses)
			}
		}
		if n := len(up.Requests()); n < 3 || n > callers+3 {
			t.Errorf("%s: the upstream saw %d requests", k.name, n)
		}
	}
}

// A changed base URL counts from the next request on, and a stream that runs is
// left where it is.
func TestHost_AChangedAddressLeavesStreamsWhereTheyAre(t *testing.T) {
	for _, k := range streamKinds() {
		r, up := newStand(t)
		key := r.key("laptop", store.RelayKeySpec{})
		end := make(chan struct{})
		up.Play(gatewaytest.Join(k.opening(), gatewaytest.Wait(end), k.closing()))
		_, answer := r.stream(k, key)
		heard := r.hears(answer, k.ends, 1)
		next := gatewaytest.New(t)
		next.Otherwise(k.says(7, 3))
		for _, host := range hosts() {
			edit(r, host, func(h *store.Host) { h.Spec.BaseURL = baseOf(host, next.URL()) })
		}
		r.want(r.ask(k, key), 200, "")
		close(end)
		if rest, err := readAll(answer.Body); heard+rest != k.sent() || err != nil {
			t.Errorf("%s: got %q, %v", k.name, heard+rest, err)
		}
		if len(next.Requests()) != 1 || len(up.Requests()) != 1 {
			t.Errorf("%s: %d and %d requests", k.name, len(up.Requests()), len(next.Requests()))
		}
	}
}
