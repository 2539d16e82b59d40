package gateway_test

import (
	"fmt"
	"testing"
	"time"

	"relay/limiter"
	"relay/store"
)

func leaf(dim, op string, value any) store.Match {
	return store.Match{Dim: dim, Op: op, Value: value}
}

// standalone makes a limit that no policy binds, of so many requests a minute.
func (r *rig) standalone(name string, amount int64, m store.Match) {
	r.tb.Helper()
	put(r, name, store.RateLimitSpec{Standalone: true, Match: &m, Rules: []limiter.Rule{sliding(limiter.MeterRequests, amount, time.Minute)}})
}

// alone is how a limit of that name refuses.
func alone(name, full string) denial {
	return denial{text: "Limit \"" + name + "\": " + full, scope: "standalone", wait: waitOf(time.Minute)}
}

func TestStandalone_OneCounterIsSharedOverPoliciesAndTeams(t *testing.T) {
	r, up := newStand(t)
	for _, k := range shapes() {
		r.aside(k, reliefOf(k), nil)
		edit(r, k.model, func(m *store.Model) { m.Spec.Aliases = []string{"quick-" + k.model} })
	}
	keys := r.teams()
	for team, requests := range map[string]int64{"research": 50, "platform": 60} {
		rl := put(r, "rl-"+team, store.RateLimitSpec{Rules: []limiter.Rule{sliding(limiter.MeterRequests, requests, time.Hour)}})
		policy := put(r, "of-"+team, store.PolicySpec{RateLimitID: rl.Metadata.ID})
		put(r, "team-"+team, store.PolicyBindingSpec{PolicyID: policy.Metadata.ID, Account: store.AccountRef("team:" + r.record(store.KindTeam, team))})
	}
	r.standalone("big-models", 4, leaf("model", "regex", "^(chat|claude|gem|lama)$"))
	edit(r, "ops-2", func(k *store.RelayKey) { k.Spec.Limits = &store.Limits{RPM: int64p(2)} })
	r.eachKind(t, kinds(), func(t *testing.T, k kind) {
		alias, other := k.of("quick-"+k.model), k.of(reliefOf(k))
		r.answers(k, up, keys["bots-1"], 1, 7, 3)
		r.answers(alias, up, keys["tools-1"], 1, 7, 3)
		r.answers(k, up, keys["ops-2"], 2, 7, 3)
		full := alone("big-models", "4 of 4 requests in 1m used, shared by 6 keys")
		arrived := len(up.Requests())
		for _, key := range []string{"bots-1", "bots-2", "tools-2", "ops-1"} {
			r.denied(k, r.ask(k, keys[key]), full)
			r.denied(k, r.ask(alias, keys[key]), full)
		}
		r.denied(k, r.ask(k, keys["ops-2"]), full) // which is full itself, too
		r.wantArrived(up, arrived)
		r.answers(other, up, keys["bots-1"], 2, 7, 3)
		r.answers(other, up, keys["ops-1"], 2, 7, 3)
		up.Play(k.says(7, 3))
		r.sitsOut(k, keys["ops-1"], full.wait)
	})
}

// selection is a match, the calls that it selects of five, and how many keys make
// such.
type selection struct {
	match   store.Match
	selects [5]bool
	keys    int
}

func selections() map[string]selection {
	not := func(m store.Match) store.Match { return store.Match{Not: &m} }
	relief := leaf("model", "regex", "^relief-")
	return map[string]selection{
		"not-a-team":   {not(leaf("team", "eq", "research")), [5]bool{4: true}, 2},
		"any":          {store.Match{Any: []store.Match{leaf("key", "eq", "bots-1"), leaf("project", "eq", "ops")}}, [5]bool{0: true, 4: true}, 3},
		"any-model":    {store.Match{Any: []store.Match{leaf("user", "eq", "maria"), relief}}, [5]bool{1: true, 3: true, 4: true}, 6},
		"not-any":      {not(store.Match{Any: []store.Match{relief, leaf("project", "in", []string{"tools"})}}), [5]bool{0: true}, 4},
		"no-user":      {not(leaf("user", "regex", ".")), [5]bool{0: true, 1: true, 2: true, 4: true}, 6},
		"all-of-these": {store.Match{All: []store.Match{leaf("team", "eq", "research"), not(relief), leaf("key", "ne", "bots-1")}}, [5]bool{2: true, 3: true}, 3},
	}
}

func TestStandalone_AppliesToWhateverItsMatchSelects(t *testing.T) {
	r, up := newStand(t)
	for _, k := range shapes() {
		r.aside(k, reliefOf(k), nil)
	}
	keys := r.teams()
	edit(r, "tools-1", func(k *store.RelayKey) { k.Spec.TrustUser, k.Spec.UserHeader = true, "X-End-User" })
	for name, s := range selections() {
		t.Run(name, func(t *testing.T) {
			r.tb = t
			r.standalone(name, 1, s.match)
			defer r.remove(store.KindRateLimit, name)
			full := alone(name, fmt.Sprintf("1 of 1 requests in 1m used, shared by %d keys", s.keys))
			r.eachKind(t, kinds(), func(t *testing.T, k kind) {
				other := k.of(reliefOf(k))
				for i, call := range []struct {
					kind
					key, user string
				}{{k, "bots-1", ""}, {other, "bots-2", ""}, {k, "tools-1", ""}, {k, "tools-1", "maria"}, {other, "ops-1", ""}} {
					key, header := keys[call.key], "X-End-User: "+call.user
					r.answers(call.kind, up, key, 1, 7, 3, header)
					if s.selects[i] {
						r.denied(k, r.ask(call.kind, key, header), full)
					} else {
						r.answers(call.kind, up, key, 2, 7, 3, header)
					}
					r.advance(full.wait)
				}
			})
		})
	}
}

func TestStandalone_AChangeOfWhatItMatchesTakesEffectAtOnceAndForgetsNothing(t *testing.T) {
	r, up := newStand(t)
	keys := r.teams()
	of := func(team string, amount int64) {
		r.standalone("one-team", amount, leaf("team", "eq", team))
	}
	r.eachKind(t, kinds(), func(t *testing.T, k kind) {
		of("research", 2)
		full := alone("one-team", "2 of 2 requests in 1m used, shared by 4 keys")
		r.answers(k, up, keys["bots-1"], 2, 7, 3)
		r.denied(k, r.ask(k, keys["tools-1"]), full)
		r.answers(k, up, keys["ops-1"], 1, 7, 3)
		of("platform", 2)
		r.answers(k, up, keys["tools-1"], 1, 7, 3)
		full.text = `Limit "one-team": 2 of 2 requests in 1m used, shared by 2 keys`
		r.denied(k, r.ask(k, keys["ops-1"]), full)
		of("platform", 3)
		r.answers(k, up, keys["ops-2"], 1, 7, 3)
		full.text = `Limit "one-team": 3 of 3 requests in 1m used, shared by 2 keys`
		r.denied(k, r.ask(k, keys["ops-1"]), full)
		r.remove(store.KindRateLimit, "one-team")
		r.answers(k, up, keys["ops-1"], 1, 7, 3)
	})
}

func TestStandalone_CountsWhatCallersSendInProxyModeToo(t *testing.T) {
	r, up := newStand(t)
	r.proxying(true)
	r.standalone("everybody", 3, store.Match{Any: []store.Match{leaf("team", "eq", "research"), leaf("model", "regex", ".")}})
	key := r.key("laptop", store.RelayKeySpec{})
	full := alone("everybody", "3 of 3 requests in 1m used")
	r.eachKind(t, kinds(), func(t *testing.T, k kind) {
		r.answers(k, up, "", 1, 7, 3, proxied(key)...)
		r.answers(k, up, "", 1, 7, 3, proxied("")...) // of whom only the model is known
		r.answers(k, up, key, 1, 7, 3)
		arrived := len(up.Requests())
		r.denied(k, r.ask(k, "", proxied(key)...), full)
		r.denied(k, r.ask(k, "", proxied("")...), full)
		r.denied(k, r.ask(k, key), full)
		r.wantArrived(up, arrived)
		r.advance(full.wait)
		r.answers(k, up, "", 1, 7, 3, proxied(key)...)
		if sent := up.Request(arrived); sent.Header("Authorization")[0] != "Bearer own-upstream-credential" {
			t.Errorf("the upstream got %s", sent.Head)
		}
	})
}
