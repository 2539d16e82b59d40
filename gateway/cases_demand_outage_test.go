package gateway_test

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"relay/gateway"
	"relay/gateway/gatewaytest"
	"relay/limiter"
	"relay/store"
)

// absent is a limiter that cannot answer while it is away.
type absent struct {
	*limiter.Memory
	away atomic.Bool
}

var errAway = errors.New("the backend of the limiter does not answer")

func (l *absent) Reserve(ctx context.Context, now limiter.Instant, t *limiter.Ticket) (limiter.Refusal, error) {
	if l.away.Load() {
		return limiter.Refusal{}, errAway
	}
	return l.Memory.Reserve(ctx, now, t)
}

func (l *absent) Ready(context.Context) error {
	if l.away.Load() {
		return errAway
	}
	return nil
}

// newOutage is a stand whose limiter may be away.
func newOutage(t *testing.T) (*rig, *gatewaytest.Upstream, *absent) {
	t.Helper()
	l := &absent{}
	r, up := newStand(t, l.inFront)
	return r, up, l
}

// inFront puts the limiter in front of the one that there is.
func (l *absent) inFront(o *gateway.Options) {
	l.Memory = o.Limiter.(*limiter.Memory)
	o.Limiter = l
}

// unchecked fails the test unless the call was refused because nobody could
// check its limits.
func (r *rig) unchecked(k kind, a gatewaytest.Answer, what string) {
	r.tb.Helper()
	_, begins, holds := toldIn(k.shape, 503, "limiter_unavailable")
	text := inJSON(what + " cannot be checked now. Try again shortly.")
	if a.Status != 503 || !strings.HasPrefix(a.Body, begins+text) || !strings.Contains(a.Body, holds) {
		r.tb.Fatalf("%s: got %d %s, want 503 %s%s", k.name, a.Status, a.Body, begins, text)
	}
	r.tells(k, a, without(map[string]string{"Retry-After": "1", "Retry-After-Ms": "1000", "X-Relay-Refused-By": "relay"}, append(rejectionHeaders(), "X-Should-Retry")...))
}

// ready fails the test unless /readyz answers so.
func (r *rig) ready(status int, text string) {
	r.tb.Helper()
	for _, path := range []string{"/readyz", "/healthz"} {
		r.want(gatewaytest.Do(r.tb, r.addr, "GET "+path+" HTTP/1.1\r\nHost: a\r\n\r\n"), status, text)
	}
	r.want(gatewaytest.Do(r.tb, r.addr, "GET /livez HTTP/1.1\r\nHost: a\r\n\r\n"), 200, "ok")
}

// limitedBy are ways to put something between key front and the upstream that has
// to be checked.
func limitedBy() map[string]func(*rig) {
	m := sliding(limiter.MeterRequests, 100, time.Hour)
	return map[string]func(*rig){
		"requests":  capping(&store.Limits{RPM: int64p(100)}),
		"tokens":    capping(&store.Limits{TPD: int64p(1e6)}),
		"in flight": capping(&store.Limits{Concurrency: int64p(1)}),
		"booked":    capping(&store.Limits{TPM: int64p(1e6), Charge: "reserve"}),
		"budget": func(r *rig) {
			edit(r, "front", func(k *store.RelayKey) { k.Spec.Budgets = []store.Budget{{Amount: "9", Period: "total"}} })
		},
		"a policy":   governing(nil, m),
		"each model": governing([]string{"model"}, m),
		"each user":  governing([]string{"user"}, m),
		"an organization": func(r *rig) {
			edit(r, "acme", func(o *store.Organization) { o.Spec.Limits = &store.Limits{RPM: int64p(100)} })
		},
		"a model": func(r *rig) {
			for _, k := range shapes() {
				edit(r, k.model, func(m *store.Model) { m.Spec.Limits = &store.Limits{RPM: int64p(100)} })
			}
		},
		"whatever matches": func(r *rig) { r.standalone("all", 100, leaf("model", "regex", ".")) },
	}
}

func TestOutage_EveryLimitedCallIsRefusedUntilTheLimiterAnswersAgain(t *testing.T) {
	for name, limited := range limitedBy() {
		t.Run(name, func(t *testing.T) {
			r, up, l := newOutage(t)
			r.key("front", trusting())
			limited(r)
			maria := userHeader + ": maria"
			calls := 0
			for _, k := range kinds() {
				k = k.capped(100)
				r.answers(k, up, frontKey, 1, 7, 3, maria)
				before, arrived := r.standing(r.heldFor(frontKey, k.model, "maria")), len(up.Requests())
				r.ready(200, "ok")
				l.away.Store(true)
				r.ready(503, "limits cannot be checked")
				for range 3 {
					r.unchecked(k, r.ask(k, frontKey, maria), "The limits of this key")
				}
				r.wantArrived(up, arrived)
				r.stays("calls that nobody could check", r.heldFor(frontKey, k.model, "maria"), before)
				l.away.Store(false)
				r.ready(200, "ok")
				r.answers(k, up, frontKey, 1, 7, 3, maria)
				calls += 5
			}
			r.settledEach(calls, map[string]int{"": 2 * len(kinds()), "limiter_unavailable": 3 * len(kinds())})
		})
	}
}

// settledEach fails the test unless so many calls have been recorded, by their
// error codes. What has been committed and is not there would hold all up that
// came after it.
func (r *rig) settledEach(calls int, want map[string]int) {
	r.tb.Helper()
	got := map[string]int{}
	for _, e := range r.events(calls) {
		got[e.ErrorKind]++
		if e.ErrorKind == "limiter_unavailable" && (e.CostNanos != nil || e.Tokens != (store.Tokens{}) || len(e.Attempts) > 0) {
			r.tb.Errorf("a call that was refused is recorded as %+v", e)
		}
	}
	for code, n := range want {
		if got[code] != n {
			r.tb.Errorf("%d calls are recorded with %q, want %d; all are %v", got[code], code, n, got)
		}
	}
}

func TestOutage_KeysWithoutAnyLimitAreServed(t *testing.T) {
	r, up, l := newOutage(t)
	key := r.key("front", trusting())
	r.standalone("others", 1, leaf("user", "eq", "nobody"))
	l.away.Store(true)
	for _, k := range kinds() {
		r.answers(k, up, key, 2, 7, 3, userHeader+": maria")
		r.unchecked(k, r.ask(k, key, userHeader+": nobody"), "The limits of this key")
	}
	r.settledEach(3*len(kinds()), map[string]int{"": 2 * len(kinds()), "limiter_unavailable": len(kinds())})
}
