package gateway_test

import (
	"testing"
	"time"

	"relay/gateway"
	"relay/gateway/gatewaytest"
	"relay/limiter"
	"relay/store"
)

// neverOver makes requests wait for the disk.
func neverOver(patience time.Duration) func(*gateway.Options) {
	return func(o *gateway.Options) {
		o.Keeping = gateway.Keeping{Await: o.Limiter.(*limiter.Memory).AwaitKept, Patience: patience}
	}
}

// wanted returns once a request waits for the disk, which has taken nothing.
func (r *rig) wanted() {
	r.tb.Helper()
	select {
	case <-r.memory.Wanted():
	case <-time.After(gatewaytest.Patience):
		r.tb.Fatal("no request waits")
	}
}

// keep stands for a disk that takes everything there is.
func (r *rig) keep() {
	r.memory.Snapshot(r.clock.Now(), func(string, []byte) {})
	r.memory.Kept()
}

// tier puts every key of the host under a limit of its own.
func (r *rig) tier(host string, rules ...limiter.Rule) {
	r.tb.Helper()
	tier := put(r, "tier", store.PolicySpec{RateLimitID: put(r, "tier-rl", store.RateLimitSpec{Rules: rules}).Metadata.ID})
	r.giveTo(host, "tier")
	spec := r.db.Catalog().Hosts.ByName(host).Spec
	spec.DefaultTierPolicyID = tier.Metadata.ID
	put(r, host, spec)
}

func tokenBucket(amount int64) limiter.Rule {
	return limiter.Rule{Meter: limiter.MeterRequests, Amount: amount, Window: 60, Strategy: limiter.TokenBucket}
}

func (r *rig) wantArrived(up *gatewaytest.Upstream, n int) {
	r.tb.Helper()
	if got := len(up.Requests()); got != n {
		r.tb.Fatalf("the upstream saw %d requests, want %d", got, n)
	}
}

// begin sends a call and returns a function that reads its answer.
func (r *rig) sent(key, body string) func() gatewaytest.Answer {
	r.tb.Helper()
	c := gatewaytest.Dial(r.tb, r.addr)
	c.Send(request(key, body))
	return c.Answer
}

func TestNeverOver_NothingReachesTheUpstreamBeforeItsReserveIsOnDisk(t *testing.T) {
	for name, caps := range map[string]store.RelayKeySpec{
		"requests": {Limits: &store.Limits{RPM: int64p(5)}},
		"tokens":   {Limits: &store.Limits{TPM: int64p(500)}},
		"budget":   {Budgets: []store.Budget{{Amount: "5", Period: "total"}}},
	} {
		for _, body := range []string{chatBody, streamBody} {
			t.Run(name, func(t *testing.T) {
				r := newUnrecordedRig(t, neverOver(gatewaytest.Patience))
				up := gatewaytest.New(t, answer)
				if body == streamBody {
					up = gatewaytest.New(t, stream)
				}
				r.host("up", up, 1)
				read := r.sent(r.key("laptop", caps), body)
				r.wanted()
				r.wantArrived(up, 0)
				r.startUsage()
				r.want(read(), 200, "hel")
				r.wantArrived(up, 1)
			})
		}
	}
}

func TestNeverOver_LeasesAloneAndRefusalsWaitForNothing(t *testing.T) {
	r := newUnrecordedRig(t, neverOver(time.Hour))
	up := gatewaytest.New(t, answer, answer)
	r.host("up", up, 1)
	r.want(r.call(r.key("free", store.RelayKeySpec{}), chatBody), 200, "hello")
	r.want(r.call(r.key("leased", store.RelayKeySpec{Limits: &store.Limits{Concurrency: int64p(1)}}), chatBody), 200, "hello")
	key := r.key("laptop", store.RelayKeySpec{Limits: &store.Limits{RPM: int64p(1)}})
	read := r.sent(key, chatBody)
	r.wanted()
	r.want(r.call(key, chatBody), 429, "1 of 1 requests")
	up.Play(answer)
	r.keep()
	r.want(read(), 200, "hello")
}

func TestNeverOver_WaitsOnceForBothSidesAndForEachFurtherKey(t *testing.T) {
	r := newUnrecordedRig(t, neverOver(gatewaytest.Patience))
	up := gatewaytest.New(t, gatewaytest.JSON(500, upstreamError), answer)
	r.host("up", up, 2)
	r.tier("up", tokenBucket(9))
	read := r.sent(r.key("laptop", store.RelayKeySpec{Limits: &store.Limits{RPM: int64p(5)}}), chatBody)
	r.wanted()
	r.wantArrived(up, 0)
	r.keep()
	r.wanted() // for the second key
	r.wantArrived(up, 1)
	r.keep()
	r.want(read(), 200, "hello")
}

func TestNeverOver_AFurtherKeyWithoutALimitWaitsForNothing(t *testing.T) {
	r := newUnrecordedRig(t, neverOver(time.Hour))
	up := gatewaytest.New(t, gatewaytest.JSON(500, upstreamError), answer)
	r.host("up", up, 2)
	read := r.sent(r.key("laptop", store.RelayKeySpec{Limits: &store.Limits{RPM: int64p(5)}}), chatBody)
	r.wanted()
	r.keep()
	r.want(read(), 200, "hello")
}

func TestNeverOver_WaitsForTheLimitsOfTheKeyAlsoWhenTheCallerHasNone(t *testing.T) {
	r := newUnrecordedRig(t, neverOver(gatewaytest.Patience))
	up := gatewaytest.New(t, answer)
	r.host("up", up, 1)
	r.tier("up", tokenBucket(9))
	read := r.sent(r.key("laptop", store.RelayKeySpec{}), chatBody)
	r.wanted()
	r.wantArrived(up, 0)
	r.keep()
	r.want(read(), 200, "hello")
}

// Both sides hold one request a minute and one in flight: what is refused gives
// back whatever its strategy gives back, so that the next is not refused for it.
func TestNeverOver_RefusesAndGivesBackWhenTheDiskTakesNothing(t *testing.T) {
	r := newUnrecordedRig(t, neverOver(time.Millisecond))
	up := gatewaytest.New(t, answer)
	r.host("up", up, 1)
	r.tier("up", tokenBucket(1), limiter.Rule{Meter: limiter.MeterConcurrency, Amount: 1, Window: 60, Strategy: limiter.SlidingWindow})
	key := r.key("laptop", store.RelayKeySpec{Limits: &store.Limits{RPM: int64p(9), Concurrency: int64p(1)}})
	for _, body := range []string{chatBody, streamBody, chatBody} {
		a := r.call(key, body)
		r.want(a, 503, `"code":"limiter_unavailable"`)
		if by, after := a.Header.Get("X-Relay-Refused-By"), a.Header.Get("Retry-After"); by != "relay" || after != "1" {
			t.Errorf("refused by %q, Retry-After %q", by, after)
		}
	}
	r.wantArrived(up, 0)
	r.startUsage()
	for _, e := range r.events(3) {
		if e.Status != 503 || e.ErrorKind != "limiter_unavailable" || len(e.Attempts) != 0 || e.CostNanos != nil {
			t.Errorf("event %+v", e)
		}
	}
	for name, state := range r.server.KeyStates() {
		if state.State != "closed" {
			t.Errorf("key %s is %+v, and nothing was sent with it", name, state)
		}
	}
}

// Goroutines that were left would fail the package.
func TestNeverOver_WaitsForNoCallerThatHasGone(t *testing.T) {
	r := newUnrecordedRig(t, neverOver(time.Hour))
	up := gatewaytest.New(t, answer)
	r.host("up", up, 1)
	key := r.key("laptop", store.RelayKeySpec{Limits: &store.Limits{RPM: int64p(9), Concurrency: int64p(1)}})
	gone := gatewaytest.Dial(t, r.addr)
	gone.Send(request(key, chatBody))
	r.wanted()
	gone.Reset()
	until(t, "the call is over", func() bool { return r.server.InFlight() == 0 })
	r.startUsage()
	if e := r.events(1)[0]; e.ErrorKind != "client_closed" || len(e.Attempts) != 0 {
		t.Errorf("event %+v", e)
	}
	r.want(r.call(key, chatBody), 200, "hello") // the lease is back
	r.wantArrived(up, 1)
}

func TestNeverOver_WaitsNoLongerThanRelayRuns(t *testing.T) {
	r := newUnrecordedRig(t, neverOver(time.Hour))
	up := gatewaytest.New(t)
	r.host("up", up, 1)
	read := r.sent(r.key("laptop", store.RelayKeySpec{Limits: &store.Limits{RPM: int64p(9)}}), chatBody)
	r.wanted()
	r.stop(gateway.ErrStopping)
	r.want(read(), 503, `"code":"starting"`)
	r.wantArrived(up, 0)
}
