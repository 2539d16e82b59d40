package gateway_test

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"relay/gateway/gatewaytest"
	"relay/limiter"
	"relay/store"
)

// busy is an upstream's 429 with header lines of its own.
func busy(lines ...string) gatewaytest.Script {
	lines = append(lines, "Content-Type: application/json", fmt.Sprintf("Content-Length: %d", len(upstreamError)))
	return gatewaytest.Join(gatewaytest.Head(http.StatusTooManyRequests, lines...), gatewaytest.Raw(upstreamError))
}

// rotate gives the provider keys other values, with which they begin rested.
func (r *rig) rotate(round int) {
	r.tb.Helper()
	for _, host := range hosts() {
		put(r, host+"-1", store.HostKeySpec{
			HostID: r.record(store.KindHost, host), Source: store.KeySource{Kind: "env", Env: fmt.Sprintf("ROTATED_%s_%d", host, round)},
		})
	}
}

func TestAttempts_ABusyUpstreamIsCalledOncePerKeyAndTheCallerIsChargedOnce(t *testing.T) {
	for _, k := range kinds() {
		t.Run(k.name, func(t *testing.T) {
			r, up := newStand(t)
			up.Play(busy("Retry-After: 7"), busy("Retry-After: 7"), busy("Retry-After: 7"), k.says(5, 5))
			r.policy(sliding(limiter.MeterRequests, 10, time.Minute))
			key := r.key("laptop", store.RelayKeySpec{})
			for call := range 4 {
				a := r.ask(k, key)
				switch {
				case call == 3:
					r.want(a, 200, "")
				case a.Status != 429 || a.Body != upstreamError || a.Header.Get("Retry-After") != "7" || a.Header.Get("X-Relay-Refused-By") == "":
					t.Fatalf("call %d: %d %s %v", call, a.Status, a.Body, a.Header)
				}
				if n := len(up.Requests()); n != call+1 {
					t.Fatalf("after %d calls the upstream saw %d requests", call+1, n)
				}
				if n := r.used(key, limiter.MeterRequests); n != int64(call+1) {
					t.Fatalf("after %d calls the counter reads %d", call+1, n)
				}
				r.rotate(call)
			}
		})
	}
}

// While its one key rests, calls are refused without an attempt.
func TestAttempts_ARestingKeyIsLeftAlone(t *testing.T) {
	for _, k := range kinds() {
		r, up := newStand(t)
		up.Play(busy("Retry-After: 600"))
		key := r.key("laptop", store.RelayKeySpec{})
		r.want(r.ask(k, key), 429, "said by upstream")
		for range 3 {
			r.want(r.ask(k, key), 503, "resting as its provider asked")
		}
		if n := len(up.Requests()); n != 1 {
			t.Errorf("%s: the upstream saw %d requests, want 1", k.name, n)
		}
	}
}

func TestAttempts_AreThreeKeysAtMostAndOneChargeOfTheCaller(t *testing.T) {
	for _, k := range kinds() {
		for refusals, want := range map[int]struct{ status, attempts int }{2: {200, 3}, 3: {429, 3}} {
			t.Run(fmt.Sprintf("%s %d", k.name, refusals), func(t *testing.T) {
				r, up := newStand(t)
				for _, host := range hosts() {
					for i := range 3 {
						put(r, fmt.Sprintf("%s-more-%d", host, i), store.HostKeySpec{
							HostID: r.record(store.KindHost, host), Source: store.KeySource{Kind: "env", Env: fmt.Sprintf("MORE_%s_%d", host, i)},
						})
					}
				}
				for i := range refusals {
					up.Play(busy(fmt.Sprintf("Retry-After: %d", 10+i)))
				}
				up.Otherwise(k.says(5, 5))
				r.policy(sliding(limiter.MeterRequests, 10, time.Minute))
				key := r.key("laptop", store.RelayKeySpec{})
				a := r.ask(k, key)
				if a.Status != want.status || len(up.Requests()) != want.attempts {
					t.Errorf("got %d after %d attempts, want %d after %d: %s", a.Status, len(up.Requests()), want.status, want.attempts, a.Body)
				}
				if want.status == 429 && a.Header.Get("Retry-After") != "12" {
					t.Errorf("Retry-After %q, want that of the last answer", a.Header.Get("Retry-After"))
				}
				if n := r.used(key, limiter.MeterRequests); n != 1 {
					t.Errorf("the caller's counter reads %d, want 1", n)
				}
				if e := r.events(1); len(e) != 1 || len(e[0].Attempts) != want.attempts {
					t.Errorf("events %+v", e)
				}
			})
		}
	}
}

func TestAttempts_AForwardedRefusalKeepsItsRetryAfter(t *testing.T) {
	date := time.Now().Add(2 * time.Hour).UTC().Format(http.TimeFormat)
	for _, k := range kinds() {
		r, up := newStand(t)
		key := r.key("laptop", store.RelayKeySpec{})
		for i, c := range []struct {
			lines []string
			want  string
			stop  string // X-Should-Retry
		}{
			{nil, "", ""},
			{[]string{"Retry-After: 7"}, "7", ""},
			{[]string{"Retry-After: 0"}, "1", ""},
			{[]string{"Retry-After: 61"}, "61", "false"},
			{[]string{"Retry-After: 86400"}, "86400", "false"}, // a key rests for an hour at most
			{[]string{"Retry-After: " + date}, date, "false"},
			{[]string{"Retry-After-Ms: 1500"}, "2", ""},
			{[]string{"Retry-After-Ms: 6500", "Retry-After: 7"}, "7", ""},
			{[]string{"Retry-After: 1.5"}, "2", ""},
			{[]string{"Retry-After: -5"}, "", ""},
			{[]string{"Retry-After: soon"}, "", ""},
		} {
			up.Play(busy(append(c.lines, "x-ratelimit-remaining-requests: 0", "anthropic-ratelimit-requests-remaining: 0")...))
			a := r.ask(k, key)
			r.want(a, 429, "said by upstream")
			if got, stop := a.Header.Get("Retry-After"), a.Header.Get("X-Should-Retry"); got != c.want || stop != c.stop {
				t.Errorf("%s %q: Retry-After %q, X-Should-Retry %q; want %q, %q", k.name, c.lines, got, stop, c.want, c.stop)
			}
			if a.Header.Get("X-Ratelimit-Remaining-Requests") != "0" || a.Header.Get("Anthropic-Ratelimit-Requests-Remaining") != "0" {
				t.Errorf("%s: the upstream's rate-limit headers are missing from %v", k.name, a.Header)
			}
			r.rotate(i)
		}
	}
}
