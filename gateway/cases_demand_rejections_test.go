package gateway_test

import (
	"strconv"
	"testing"
	"time"

	"relay/gateway"
	"relay/gateway/gatewaytest"
	"relay/limiter"
	"relay/store"
)

// rejection is one way in which key front is refused, and what is told of it.
type rejection struct {
	prepare func(r *rig)
	fill    func(r *rig, k kind, up *gatewaytest.Upstream) (end func()) // nil: four calls of 300 tokens
	headers []string                                                    // of every call
	kinds   []kind                                                      // nil: all
	denial  func(k kind) denial
	// limit, scope and left are told in headers. Without a limit nothing is.
	limit, scope string
	left         func(k kind) int64 // nil: 0
}

const frontKey = "sk-wr-front-0123456789"

// inFlight fills a limit with a call that has not ended.
func inFlight(r *rig, k kind, up *gatewaytest.Upstream) (end func()) { return r.hangs(k, up, frontKey) }

// capping puts limits on the key itself, governing on the policy of every key.
func capping(limits *store.Limits) func(*rig) {
	return func(r *rig) { edit(r, "front", func(k *store.RelayKey) { k.Spec.Limits = limits }) }
}

func governing(per []string, rules ...limiter.Rule) func(*rig) {
	return func(r *rig) { r.perUser(per, rules...) }
}

func always(d denial) func(kind) denial { return func(kind) denial { return d } }

func ofPolicy(full string, window time.Duration) func(kind) denial {
	return always(denial{text: `Limit "rl" of policy open: ` + full, scope: "policy", wait: waitOf(window)})
}

// slow is a window that no shorthand has.
func slow() limiter.Rule { return sliding(limiter.MeterRequests, 4, 90*time.Second) }

func rejections() map[string]rejection {
	all := map[string]rejection{
		"in flight": {
			prepare: capping(&store.Limits{Concurrency: int64p(1), RPM: int64p(100)}), fill: inFlight,
			denial: always(denial{text: "Limit of key front: 1 of 1 requests in flight", scope: "key", wait: time.Second}),
			limit:  "1", scope: "concurrency",
		},
		"output": {
			prepare: governing(nil, sliding(limiter.MeterOutput, 350, time.Minute)), kinds: generatingKinds(),
			denial: ofPolicy("400 of 350 output tokens in 1m used", time.Minute), limit: "350", scope: "tokens.output/1m",
		},
		"tokens an hour": {
			prepare: governing(nil, sliding(limiter.MeterTokens, 1000, time.Hour)),
			denial:  ofPolicy("1,200 of 1,000 tokens in 1h used", time.Hour), limit: "1000", scope: "tokens/1h",
		},
		"of a user": {
			prepare: governing([]string{"user"}, slow()), headers: []string{userHeader + ": maria"},
			denial: ofPolicy("4 of 4 requests in 1m30s used", 90*time.Second), limit: "4", scope: "requests/1m30s",
		},
		"standalone": {
			prepare: func(r *rig) {
				put(r, "slow", store.RateLimitSpec{Standalone: true, Rules: []limiter.Rule{slow()}})
			},
			denial: always(denial{text: `Limit "slow": 4 of 4 requests in 1m30s used`, scope: "standalone", wait: waitOf(90 * time.Second)}),
			limit:  "4", scope: "requests/1m30s",
		},
		"booked": {
			prepare: capping(booking(1000).Limits), fill: inFlight, kinds: capped(),
			denial: func(k kind) denial {
				n := strconv.FormatInt(k.books(600), 10)
				return denial{text: "Limit of key front: " + n + " of 1,000 tokens in 1m used, and this request may use " + n + " more", scope: "key", wait: waitOf(time.Minute)}
			},
			limit: "1000", scope: "tpm", left: func(k kind) int64 { return 1000 - k.books(600) },
		},
		"a budget": {
			prepare: func(r *rig) {
				r.priced("1000")
				edit(r, "front", func(k *store.RelayKey) { k.Spec.Budgets = []store.Budget{{Amount: "1", Period: "day"}} })
			},
			denial: always(denial{code: "budget_exceeded", by: "budget", text: "Budget of key front: quota of $1.00 a day is used up ($1.20); it resets", scope: "key", wait: 12 * time.Hour}),
		},
		"a provider's key": {
			prepare: func(r *rig) { r.upstreamRungs(sliding(limiter.MeterRequests, 4, time.Minute)) },
			denial: func(k kind) denial {
				return denial{text: "The key for " + k.model + " at " + k.host() + " is at its own limit", wait: waitOf(time.Minute)}
			},
		},
	}
	addOrganization(all)
	addShorthands(all)
	return all
}

// capped are calls that say how much they may generate.
func capped() (all []kind) {
	for _, k := range generatingKinds() {
		all = append(all, k.capped(600))
	}
	return all
}

// addOrganization adds the organization's, which name the widest limit and tell
// the longest wait.
func addOrganization(all map[string]rejection) {
	under := func(org *store.Limits, key *store.Limits) func(*rig) {
		return func(r *rig) {
			capping(key)(r)
			edit(r, "acme", func(o *store.Organization) { o.Spec.Limits = org })
		}
	}
	all["an organization's requests, and the key's for longer"] = rejection{
		prepare: under(&store.Limits{RPM: int64p(4)}, &store.Limits{RPH: int64p(4)}),
		denial:  always(denial{code: "org_rate_limit_exceeded", text: "Limit of organization acme: 4 of 4 requests in 1m used", scope: "organization", wait: waitOf(time.Hour)}),
		limit:   "4", scope: "rpm",
	}
	all["an organization's in flight"] = rejection{
		prepare: under(&store.Limits{Concurrency: int64p(1)}, nil), fill: inFlight,
		denial: always(denial{code: "concurrency_limit_exceeded", text: "Limit of organization acme: 1 of 1 requests in flight", scope: "organization", wait: time.Second}),
		limit:  "1", scope: "concurrency",
	}
}

// addShorthands adds the fields of a key, and of a model.
func addShorthands(all map[string]rejection) {
	for _, s := range shorthands() {
		limit := "4"
		if s.limits.TPM != nil || s.limits.TPD != nil {
			limit = "1000"
		}
		all[s.field+" of the key"] = rejection{
			prepare: capping(s.limits), limit: limit, scope: s.field,
			denial: always(denial{text: "Limit of key front: " + s.full, scope: "key", wait: waitOf(s.window)}),
		}
		all[s.field+" of the model"] = rejection{
			prepare: func(r *rig) {
				for _, k := range shapes() {
					edit(r, k.model, func(m *store.Model) { m.Spec.Limits = s.limits })
				}
			},
			limit: limit, scope: s.field,
			denial: func(k kind) denial {
				return denial{text: "Limit of model " + k.model + ": " + s.full, scope: "model", wait: waitOf(s.window)}
			},
		}
	}
}

// told are the headers of a refusal in a mode.
func (j rejection) told(mode gateway.LimitHeaders, k kind, wait time.Duration) map[string]string {
	if j.limit == "" || mode == gateway.LimitHeadersOff {
		return without(nil, append(rejectionHeaders(), answerHeaders()...)...)
	}
	left := int64(0)
	if j.left != nil {
		left = j.left(k)
	}
	return without(map[string]string{
		"X-Ratelimit-Limit": j.limit, "X-Ratelimit-Remaining": strconv.FormatInt(left, 10),
		"X-Ratelimit-Reset": strconv.FormatInt(int64((wait+time.Second-1)/time.Second), 10), "X-Ratelimit-Scope": j.scope,
	}, answerHeaders()...)
}

func TestLimitHeaders_OfRefusalsTellOfTheRuleThatIsNamed(t *testing.T) {
	for name, j := range rejections() {
		t.Run(name, func(t *testing.T) {
			r, up := newStand(t)
			r.key("front", trusting())
			j.prepare(r)
			if j.kinds == nil {
				j.kinds = kinds()
			}
			r.eachKind(t, j.kinds, func(t *testing.T, k kind) {
				end := func() {}
				if j.fill != nil {
					end = j.fill(r, k, up)
				} else {
					r.answers(k, up, frontKey, 4, 200, 100, j.headers...)
				}
				for _, mode := range modes() {
					r.server.ShowLimits(mode)
					a, d := r.ask(k, frontKey, j.headers...), j.denial(k)
					r.denied(k, a, d)
					r.tells(k, a, j.told(mode, k, d.wait))
				}
				end()
			})
		})
	}
}
