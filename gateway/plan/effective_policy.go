package plan

import (
	"time"

	"relay/limiter"
	"relay/store"
)

// PolicyLimits is what a policy counts, of which models, and where each of its
// counters stands.
type PolicyLimits struct {
	Policy      RecordName     `json:"policy"`
	RateLimits  []PolicyLimit  `json:"rateLimits"`
	Unthrottled []string       `json:"unthrottled" doc:"Models that the policy grants and no rate limit of it counts."`
	Overlaps    []LimitOverlap `json:"overlaps" doc:"Models that several entries name; the first counts."`
	Live        bool           `json:"live" doc:"A server runs: counters are as they stand."`
	AsOf        time.Time      `json:"asOf,omitzero" doc:"Without a server: when counters were last written; absent: never."`
}

// PolicyLimit is one rate limit of a policy.
type PolicyLimit struct {
	ID      string       `json:"id"`
	Name    string       `json:"name"`
	Default bool         `json:"default" doc:"One set of counters over all models; else each model counts by itself."`
	Enabled bool         `json:"enabled"`
	Models  []string     `json:"models" doc:"Models that the policy grants and this counts."`
	Rules   []PolicyRule `json:"rules"`
}

// PolicyRule is a rule and its counters. Used and ResetSeconds are those of
// the counter that stands highest.
type PolicyRule struct {
	limiter.Rule
	Algorithm    string        `json:"algorithm" doc:"What runs for the strategy."`
	Used         int64         `json:"used"`
	ResetSeconds *int64        `json:"resetSeconds,omitempty"`
	Counters     []RuleCounter `json:"counters" doc:"One for each that counts by itself; empty: nothing is governed by it."`
	Others       int           `json:"others,omitempty" doc:"Counters that are left out: those that stand lowest."`
}

// RuleCounter is what a rule stands at for one subject.
type RuleCounter struct {
	Subject      string `json:"subject" doc:"Who counts together, such as team:research."`
	Model        string `json:"model,omitempty"`
	Per          string `json:"per,omitempty" doc:"What the limit is split by, such as key=alice."`
	SharedBy     int    `json:"sharedBy,omitempty" doc:"Relay keys that share it."`
	Used         int64  `json:"used"`
	Amount       int64  `json:"amount"`
	ResetSeconds *int64 `json:"resetSeconds,omitempty"`
	Refuses      bool   `json:"refuses"`
}

// LimitOverlap is a model that more than one entry of a policy names.
type LimitOverlap struct {
	Model   string   `json:"model"`
	Counts  string   `json:"counts" doc:"The rate limit that counts."`
	Ignored []string `json:"ignored" doc:"Those that do not."`
}

// LimitsOf tells what the policy with the id counts. It fails with a
// *store.Error when there is none.
func LimitsOf(p *Plan, policyID string, seen Observed) (PolicyLimits, error) {
	policy := p.Catalog().Policies.Get(policyID)
	if policy == nil {
		return PolicyLimits{}, &store.Error{Code: store.CodeNotFound, Message: "there is no such policy; policy ls lists them"}
	}
	t := &tally{compiler: p.compiled, made: p.withValues(p.allLimits(), policyID), policy: policy, seen: &seen}
	out := PolicyLimits{Policy: nameOf(policy), RateLimits: []PolicyLimit{}, Overlaps: []LimitOverlap{}, Live: seen.Live != nil}
	granted := t.granted()
	if policy.Spec.RateLimitID != "" {
		out.RateLimits = append(out.RateLimits, t.limit(policy.Spec.RateLimitID, granted, true))
	}
	for i, b := range policy.Spec.RLBindings {
		out.RateLimits = append(out.RateLimits, t.limit(b.RateLimitID, t.countedBy(i, granted), false))
	}
	out.Unthrottled = unthrottled(granted, out.RateLimits)
	out.Overlaps = append(out.Overlaps, t.overlaps(granted)...)
	if !out.Live {
		out.AsOf = seen.AsOf
	}
	return out, nil
}
