package admin_test

import (
	"context"
	"net/http"
	"net/netip"
	"testing"

	"github.com/rs/zerolog"

	"relay/admin"
	"relay/limiter"
	"relay/store"
)

// admitting is a process that counts who calls its control API, by the address
// that X-Forwarded-For names.
type admitting struct {
	*planned
	limit string // id of control-api
}

func startAdmitting(t *testing.T) *admitting {
	t.Helper()
	admission := &admin.Admission{ClientAddr: func(r *http.Request) netip.Addr {
		addr, _ := netip.ParseAddr(r.Header.Get("X-Forwarded-For"))
		return addr
	}}
	a := &admitting{planned: startPlanned(t, func(o *admin.Options) { o.Admission = admission })}
	admission.Limiter, admission.Clock = a.memory, a.clock
	if err := admin.EnsureSystemLimits(a.db, zerolog.Nop()); err != nil {
		t.Fatal(err)
	}
	a.limit = a.db.Catalog().SystemLimit(store.SystemControlAPI).Metadata.ID
	return a
}

// set changes the limit from the machine that Relay runs on.
func (a *admitting) set(change func(*store.RateLimitSpec)) {
	a.t.Helper()
	_, err := a.db.Write(func(e *store.Edit) error {
		rec := *e.Catalog().RateLimits.Get(a.limit)
		change(&rec.Spec)
		return e.Put(&rec)
	})
	if err != nil {
		a.t.Fatal(err)
	}
}

// allow switches the limit on, with one rule.
func (a *admitting) allow(amount, window int64) {
	a.t.Helper()
	a.set(func(s *store.RateLimitSpec) {
		on := true
		s.Enabled = &on
		s.Rules = []limiter.Rule{{Meter: limiter.MeterRequests, Amount: amount, Window: window, Strategy: limiter.SlidingWindow}}
	})
}

func (a *admitting) get(from string) *reply {
	a.t.Helper()
	return a.send("GET", "/api/version", "", "X-Forwarded-For", from)
}

func TestControlLimit_IsOffAsShipped(t *testing.T) {
	a := startAdmitting(t)
	for range 50 {
		a.get("192.0.2.1").want(http.StatusOK)
	}
}

func TestControlLimit_RefusesAnAddressThatIsOverItAndNobodyElse(t *testing.T) {
	a := startAdmitting(t)
	a.allow(3, 60)
	for range 3 {
		a.get("192.0.2.1").want(http.StatusOK)
	}
	refused := a.get("192.0.2.1").want(http.StatusTooManyRequests).
		holds(`Limit \"control-api\" of the system: 3 of 3 requests in 1m used; retry after 61 s.`, "relay limit edit control-api")
	if got := refused.header.Get("Content-Type"); got != "application/problem+json" {
		t.Errorf("content type %q", got)
	}
	if got := refused.header.Get("Retry-After"); got != "61" {
		t.Errorf("Retry-After %q", got)
	}
	a.get("192.0.2.2").want(http.StatusOK)
	a.get("fe80::1%eth0").want(http.StatusOK)
	a.get("fe80::1%eth1").want(http.StatusOK)
	a.get("fe80::1%eth0").want(http.StatusOK)
	a.get("fe80::1").want(http.StatusTooManyRequests) // however the link is called
}

// A refused credential counts, so that the limit slows down who guesses.
func TestControlLimit_CountsWhoIsNotSignedIn(t *testing.T) {
	a := startAdmitting(t)
	a.allow(2, 60)
	for range 2 {
		a.send("GET", "/api/version", "", "Authorization", "", "X-Forwarded-For", "192.0.2.1").want(http.StatusUnauthorized)
	}
	a.get("192.0.2.1").want(http.StatusTooManyRequests)
}

func TestControlLimit_LeavesTheSocketAndProbesAlone(t *testing.T) {
	a := startAdmitting(t)
	a.allow(1, 60)
	a.get("192.0.2.1").want(http.StatusOK)
	for range 5 {
		a.send("GET", "/livez", "", "X-Forwarded-For", "192.0.2.1").want(http.StatusOK)
		a.send("GET", "/readyz", "", "X-Forwarded-For", "192.0.2.1").want(http.StatusOK)
		if _, err := admin.NewLocalClient(a.handler).Status(t.Context()); err != nil {
			t.Error(err)
		}
	}
	a.get("192.0.2.1").want(http.StatusTooManyRequests)
}

func TestControlLimit_EditsTakeEffectAtOnceAndKeepTheCount(t *testing.T) {
	a := startAdmitting(t)
	a.allow(2, 60)
	a.get("192.0.2.1").want(http.StatusOK)
	a.get("192.0.2.1").want(http.StatusOK)
	a.get("192.0.2.1").want(http.StatusTooManyRequests)
	a.allow(3, 60)
	a.get("192.0.2.1").want(http.StatusOK)
	a.get("192.0.2.1").want(http.StatusTooManyRequests).holds("3 of 3")
	a.allow(1, 60)
	a.get("192.0.2.1").want(http.StatusTooManyRequests).holds("3 of 1")
	a.set(func(s *store.RateLimitSpec) { s.Enabled = new(bool) })
	a.get("192.0.2.1").want(http.StatusOK) // uncounted
	a.allow(4, 60)
	a.get("192.0.2.1").want(http.StatusOK)
	a.get("192.0.2.1").want(http.StatusTooManyRequests).holds("4 of 4")
	a.allow(1, 30) // another window begins anew
	a.get("192.0.2.1").want(http.StatusOK)
}

func TestControlLimit_GivesLeasesBackAndNumbersNoCommit(t *testing.T) {
	a := startAdmitting(t)
	a.set(func(s *store.RateLimitSpec) {
		on := true
		s.Enabled = &on
		s.Rules = []limiter.Rule{{Meter: limiter.MeterConcurrency, Amount: 1, Window: 60, Strategy: limiter.SlidingWindow}}
	})
	for range 5 {
		a.get("192.0.2.1").want(http.StatusOK)
	}
	ticket := &limiter.Ticket{}
	if _, err := a.memory.Reserve(t.Context(), a.clock.Now(), ticket); err != nil {
		t.Fatal(err)
	}
	if n := a.memory.Commit(context.Background(), a.clock.Now(), limiter.Usage{}, ticket, nil); n != 1 {
		t.Errorf("%d commits were numbered whose events nobody records", n-1)
	}
}

// What Relay cannot enforce it refuses, and leaves a way to change it.
func TestControlLimit_RefusesWhatItCannotEnforce(t *testing.T) {
	a := startAdmitting(t)
	a.allow(100, 60)
	a.set(func(s *store.RateLimitSpec) {
		s.Suspend = []store.Suspend{{Days: []string{"mon"}, Start: "22:00", End: "06:00"}}
	})
	a.get("192.0.2.1").want(http.StatusServiceUnavailable).holds("suspend", "relay limit edit control-api")
	if _, err := admin.NewLocalClient(a.handler).Status(t.Context()); err != nil {
		t.Error(err)
	}
}

// Ten wrong credentials from one address behind a proxy lock nobody else out.
func TestSignIn_CountsFailuresByClientAddress(t *testing.T) {
	a := startAdmitting(t)
	guess := func(from string) *reply {
		return a.send("GET", "/api/version", "", "Authorization", "Bearer wrong", "X-Forwarded-For", from)
	}
	for range 10 {
		guess("192.0.2.1").want(http.StatusUnauthorized)
	}
	guess("192.0.2.1").want(http.StatusTooManyRequests)
	guess("192.0.2.2").want(http.StatusUnauthorized)
}
