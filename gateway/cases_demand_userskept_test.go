package gateway_test

import (
	"crypto/sha256"
	"fmt"
	"testing"
	"time"

	"relay/gateway/plan"
	"relay/limiter"
	"relay/store"
)

// crowd makes one call for each of so many users, past HTTP.
func (r *rig) crowd(key, prefix string, users int) {
	r.tb.Helper()
	f := &plan.Facts{Caller: r.server.Plan().Caller(sha256.Sum256([]byte(key))), Now: r.clock.Now()}
	for i := range users {
		f.User = fmt.Sprintf("%s-%d", prefix, i)
		for _, s := range f.Caller.Selective {
			r.charge(s.Limits(f))()
		}
	}
}

func TestUsers_BeyondTenThousandShareOneCount(t *testing.T) {
	r, up := newStand(t)
	r.perUser([]string{"user"}, sliding(limiter.MeterRequests, 3, time.Minute))
	key := r.key("front", trusting())
	r.eachKind(t, kinds(), func(t *testing.T, k kind) {
		user := func(i int) string { return fmt.Sprintf("%s: %s-%d", userHeader, k.name, i) }
		r.crowd(key, k.name, 9_999)
		r.answers(k, up, key, 3, 7, 3, user(9_999)) // the last that is told apart
		r.denied(k, r.ask(k, key, user(9_999)), fullUser(3, ""))
		r.answers(k, up, key, 2, 7, 3, user(10_000))
		r.answers(k, up, key, 1, 7, 3, user(10_001))
		for i := range 3 {
			r.denied(k, r.ask(k, key, user(10_000+i)), fullUser(3, ""))
		}
		r.answers(k, up, key, 2, 7, 3, user(4_711)) // who has a count of its own still
		r.denied(k, r.ask(k, key, user(4_711)), fullUser(3, ""))
		r.nextNoon() // the others are idle
		for i := range 2 {
			r.answers(k, up, key, 3, 7, 3, user(10_000+i))
			r.denied(k, r.ask(k, key, user(10_000+i)), fullUser(3, ""))
		}
	})
}

// Each call of 1,000 tokens costs 0.75 dollars.
func TestUsers_HaveBudgetsOfTheirOwn(t *testing.T) {
	budget := []store.Budget{{Amount: "1", Period: "day", Per: []string{"user"}}, {Amount: "2.50", Period: "month", Per: []string{"user"}}}
	for owner, where := range map[string]struct {
		scope string
		put   func(r *rig)
	}{
		"policy open": {"policy", func(r *rig) { edit(r, "open", func(p *store.Policy) { p.Spec.Budgets = budget }) }},
		"key front":   {"key", func(r *rig) { edit(r, "front", func(k *store.RelayKey) { k.Spec.Budgets = budget }) }},
	} {
		t.Run(owner, func(t *testing.T) {
			r, up := newStand(t)
			r.priced("750")
			key := r.key("front", trusting())
			where.put(r)
			for i, k := range kinds() {
				day := noon.AddDate(0, i, 0)
				r.at(day)
				maria, jose := userHeader+": maria", userHeader+": jose"
				r.answers(k, up, key, 2, 900, 100, maria)
				full := denial{
					code: "budget_exceeded", by: "budget", scope: where.scope, wait: 12 * time.Hour,
					text: "Budget of " + owner + ": quota of $1.00 a day is used up ($1.50); it resets " + day.AddDate(0, 0, 1).Format(time.DateOnly) + " 00:00 UTC. Ask your gateway administrator.",
				}
				r.denied(k, r.ask(k, key, maria), full)
				r.answers(k, up, key, 1, 900, 100, jose)
				r.answers(k, up, key, 1, 900, 100) // of nobody in particular
				r.at(day.Add(12 * time.Hour))
				r.answers(k, up, key, 2, 900, 100, maria)
				r.at(day.Add(36 * time.Hour))
				r.want(r.ask(k, key, maria), 429, "quota of $2.50 a month is used up ($3.00)")
				r.answers(k, up, key, 2, 900, 100, jose)
			}
		})
	}
}

func TestUsers_KeepTheirCountsAndBudgetsOverARestart(t *testing.T) {
	m := newMachine(t, "UTC", noon)
	r := m.boot()
	up := stock(r)
	r.perUser([]string{"user"}, sliding(limiter.MeterRequests, 3, time.Hour), sliding(limiter.MeterTokens, 9000, time.Hour))
	edit(r, "open", func(p *store.Policy) {
		p.Spec.Budgets = []store.Budget{{Amount: "2", Period: "day", Per: []string{"key", "user"}}}
	})
	key := r.key("front", trusting())
	user := func(k kind, name string) string { return userHeader + ": " + name + ", jr = " + k.name }
	for _, k := range kinds() {
		r.answers(k, up, key, 2, 900, 100, user(k, "maria"))
		r.answers(k, up, key, 3, 400, 100, user(k, "jose"))
	}
	r = m.reboot(noon.Add(time.Minute))
	for _, k := range kinds() {
		full := denial{text: `Limit "rl" of policy open: 3 of 3 requests in 1h used`, scope: "policy", wait: waitOf(time.Hour) - time.Minute}
		r.denied(k, r.ask(k, key, user(k, "jose")), full)
		r.answers(k, up, key, 1, 900, 100, user(k, "maria"))
		r.answers(k, up, key, 3, 7, 3, user(k, "another"))
	}
	r = m.reboot(noon.Add(2 * time.Hour))
	for _, k := range kinds() {
		r.want(r.ask(k, key, user(k, "maria")), 429, "Budget of policy open: quota of $2.00 a day is used up ($2.25)")
		r.answers(k, up, key, 1, 7, 3, user(k, "jose"))
	}
}

// The counters of a provider's key are everybody's, unless a split says whose.
func TestUsers_AndTeamsHaveCountsOfTheirOwnUnderAProviderKeysLimit(t *testing.T) {
	maria, jose := userHeader+": maria", userHeader+": jose"
	type caller struct{ key, header string }
	for name, c := range map[string]struct {
		per   []string
		apart [2]caller
		same  caller // as the first
	}{
		"by user":          {[]string{"user"}, [2]caller{{"bots-1", maria}, {"bots-1", jose}}, caller{"ops-1", maria}},
		"by team":          {[]string{"team"}, [2]caller{{"bots-1", maria}, {"ops-1", maria}}, caller{"tools-1", jose}},
		"by team and user": {[]string{"user", "team"}, [2]caller{{"bots-1", maria}, {"ops-1", maria}}, caller{"tools-2", maria}},
		"by key":           {[]string{"key"}, [2]caller{{"bots-1", maria}, {"bots-2", maria}}, caller{"bots-1", jose}},
	} {
		t.Run(name, func(t *testing.T) {
			r, up := newStand(t)
			keys := r.teams()
			for name := range keys {
				edit(r, name, func(k *store.RelayKey) { k.Spec.TrustUser, k.Spec.UserHeader = true, userHeader })
			}
			r.upstreamRungs(sliding(limiter.MeterRequests, 2, time.Minute))
			edit(r, "upstream-rl", func(rl *store.RateLimit) { rl.Spec.Per = c.per })
			r.eachKind(t, kinds(), func(t *testing.T, k kind) {
				full := denial{text: "The key for " + k.model + " at " + k.host() + " is at its own limit", wait: waitOf(time.Minute)}
				for _, who := range c.apart {
					r.answers(k, up, keys[who.key], 2, 7, 3, who.header)
					r.denied(k, r.ask(k, keys[who.key], who.header), full)
				}
				r.denied(k, r.ask(k, keys[c.same.key], c.same.header), full)
			})
		})
	}
}
