package gateway_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"relay/gateway/gatewaytest"
	"relay/limiter"
	"relay/store"
)

func TestRequests_ACallRefusedForItsConcurrencyIsNotCounted(t *testing.T) {
	requests, inFlight := sliding(limiter.MeterRequests, 2, time.Minute), sliding(limiter.MeterConcurrency, 1, time.Minute)
	for _, rules := range [][]limiter.Rule{{requests, inFlight}, {inFlight, requests}} {
		for _, k := range kinds() {
			t.Run(fmt.Sprintf("%s, %s first", k.name, rules[0].Meter), func(t *testing.T) {
				r, up := newStand(t)
				end := make(chan struct{})
				up.Play(k.saysAfter(5, 5, gatewaytest.Wait(end)))
				up.Otherwise(k.says(5, 5))
				r.policy(rules...)
				key := r.key("laptop", store.RelayKeySpec{})
				_, a := r.begin(k, key)
				up.Request(0)
				r.want(r.ask(k, key), 429, `Limit \"rl\" of policy open: 1 of 1 requests in flight; retry after 1 s.`)
				close(end)
				a.end()
				r.want(r.ask(k, key), 200, "")
				if n := r.used(key, limiter.MeterRequests); n != 2 {
					t.Errorf("the counter reads %d, want 2", n)
				}
				r.want(r.ask(k, key), 429, "2 of 2 requests in 1m used")
				if n := len(up.Requests()); n != 2 {
					t.Errorf("the upstream saw %d requests, want 2", n)
				}
			})
		}
	}
}

// The refusing rule is one of the widest rung, of the policy, of the key or of
// the model, and all others stand before or behind it.
func TestRequests_ARefusedReserveChangesNoCounterOfAnyRung(t *testing.T) {
	one, many := &store.Limits{Concurrency: int64p(1), RPM: int64p(100)}, &store.Limits{Concurrency: int64p(100), RPM: int64p(100)}
	for _, refusing := range []string{"organization acme", "team research", "project bots", "service-account script", "key laptop", "model chat"} {
		t.Run(refusing, func(t *testing.T) {
			limits := func(owner string) *store.Limits {
				if owner == refusing {
					return one
				}
				return many
			}
			k := kinds()[1]
			r, up := newStand(t)
			end := make(chan struct{})
			up.Play(k.saysAfter(5, 5, gatewaytest.Wait(end)))
			r.policy(sliding(limiter.MeterRequests, 100, time.Hour))
			key := r.key("laptop", store.RelayKeySpec{Limits: limits("key laptop")})
			c := r.db.Catalog()
			put(r, "acme", store.OrganizationSpec{Limits: limits("organization acme")})
			put(r, "research", store.TeamSpec{OrganizationID: c.Organizations.ByName("acme").Metadata.ID, Limits: limits("team research")})
			put(r, "bots", store.ProjectSpec{TeamID: c.Teams.ByName("research").Metadata.ID, Limits: limits("project bots")})
			put(r, "script", store.ServiceAccountSpec{ProjectID: c.Projects.ByName("bots").Metadata.ID, Limits: limits("service-account script")})
			put(r, "chat", store.ModelSpec{Limits: limits("model chat")})
			_, a := r.begin(k, key)
			before := r.standings()
			for range 5 {
				r.want(r.ask(k, key), 429, "Limit of "+refusing+": 1 of 1 requests in flight")
			}
			if after := r.standings(); after != before || strings.Count(before, "requests=1;") != 7 {
				t.Errorf("counters went\nfrom %s\nto   %s", before, after)
			}
			close(end)
			a.end()
		})
	}
}

// standings is what every counter of callers and models reads.
func (r *rig) standings() string {
	var b strings.Builder
	seen := map[*limiter.Limit]bool{}
	for _, l := range r.limits() {
		if reading := r.memory.Read(r.clock.Now(), l.Counter); !seen[l] {
			seen[l] = true
			fmt.Fprintf(&b, "%s %s=%d; ", l.Source.Owner, reading.Name.Meter, reading.Used)
		}
	}
	return b.String()
}

func TestRequests_RefusedBeforeTheirModelIsKnownAreNotCounted(t *testing.T) {
	r, up := newStand(t)
	up.Otherwise(answer)
	key := r.key("laptop", store.RelayKeySpec{Limits: &store.Limits{RPM: int64p(1)}})
	for body, status := range map[string]int{`{`: 400, `{}`: 400, `{"model":"none"}`: 404, `{"model":"chat","api_base":"x"}`: 400} {
		for _, path := range []string{"/v1/chat/completions", "/v1/messages", "/v1/embeddings"} {
			if a := r.post(path, key, body); a.Status != status {
				t.Errorf("%s %s: %d %s", path, body, a.Status, a.Body)
			}
		}
	}
	for _, path := range []string{"/v1/models", "/v1/models/chat", "/v1/usage", "/livez", "/nothing"} {
		r.get(path, key)
	}
	if n := r.used(key, limiter.MeterRequests); n != 0 {
		t.Errorf("%d requests are counted, want none", n)
	}
	r.want(r.call(key, chatBody), 200, "hello")
}

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
			if k.model == "chat" {
				k.body += `,"max_tokens":800`
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
