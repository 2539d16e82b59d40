package gateway_test

import (
	"fmt"
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
