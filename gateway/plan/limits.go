package plan

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"relay/limiter"
	"relay/store"
)

// perValues are the dimensions by which a limit may split its counters and
// that are known when the plan is compiled.
type perValues struct{ team, project, key string }

// value joins the dimensions' values; ok is false when one is not known here.
func (v perValues) value(dims []string) (joined string, ok bool) {
	for _, dim := range dims {
		var id string
		switch dim {
		case "team":
			id = v.team
		case "project":
			id = v.project
		case "key":
			id = v.key
		}
		if id == "" {
			return "", false
		}
		joined += dim + "=" + id + ","
	}
	return joined, true
}

// sourceKey tells sources apart: one owner's rate limit, with one subject.
type sourceKey struct {
	owner, limit, subject, model, per string
	rung                              limiter.Scope
}

// bind makes the Limit of one rule, or finds the one made before. Counters of
// equal name are one counter.
func (c *compiler) bind(name limiter.Name, amount int64, atCap limiter.AtCap, warn bool, source limiter.Source) *limiter.Limit {
	if l := cmp.Or(c.limits[name], c.known[name]); l != nil {
		return l
	}
	key := sourceKey{name.Owner, name.Limit, name.Subject, name.Model, name.Per, source.Rung}
	shared := c.sources[key]
	if shared == nil {
		shared = &source
		c.sources[key] = shared
	}
	l := &limiter.Limit{
		Counter: c.counter(name),
		Amount:  amount, AtCap: atCap, Warn: warn, Source: shared,
	}
	c.limits[name] = l
	return l
}

// shorthand compiles the limits that a record carries itself.
func (c *compiler) shorthand(id string, limits *store.Limits, source limiter.Source) ([]*limiter.Limit, *Refused) {
	if limits == nil {
		return nil, nil
	}
	if limits.Charge == "reserve" {
		return nil, limitMissing("The limits of " + source.Owner + " use charge: reserve, which this version of Relay cannot enforce")
	}
	source.LimitID = "limits"
	atCap := c.atCap(limits.AtCap)
	var out []*limiter.Limit
	for _, rule := range limits.Rules() {
		out = append(out, c.bind(counterName(id, "limits", "", "", "", rule), rule.Amount, atCap, false, source))
	}
	return out, nil
}

func (c *compiler) atCap(own string) limiter.AtCap {
	switch own {
	case "admit":
		return limiter.AdmitAtCap
	case "refuse":
		return limiter.RefuseAtCap
	}
	return c.AtCap
}

func counterName(owner, limit, subject, model, per string, rule limiter.Rule) limiter.Name {
	name := limiter.Name{Owner: owner, Limit: limit, Subject: subject, Model: model, Per: per, Meter: rule.Meter, Strategy: rule.Strategy, Window: rule.Window}
	if rule.Meter == limiter.MeterConcurrency {
		name.Strategy, name.Window = "", 0 // known by the meter alone: an edit never forgets what is in flight
	}
	return name
}

// policyLimits compiles a policy's rate limit and budgets for one subject.
func (c *compiler) policyLimits(p *store.Policy, subject string, source limiter.Source, per perValues) ([]*limiter.Limit, *Refused) {
	var out []*limiter.Limit
	var refused *Refused
	if p.Spec.RateLimitID != "" {
		out, refused = c.rateLimit(p, p.Spec.RateLimitID, subject, "", source, per)
	}
	budgets, refusedBudget := c.budgets(p.Metadata.ID, subject, p.Spec.Budgets, source, per)
	return appendLimits(out, budgets), cmp.Or(refused, refusedBudget)
}

// policyModelLimits compiles rlBindings: the first entry that matches a model
// counts, with counters per model. Nil when the policy has none.
func (c *compiler) policyModelLimits(p *store.Policy, subject string, source limiter.Source, per perValues) ModelLimits {
	if len(p.Spec.RLBindings) == 0 {
		return nil
	}
	memo := p.Metadata.ID + "/" + subject + "/" + source.Owner + c.splitOf(p, per)
	if done := c.modelLimits[memo]; done != nil {
		return done
	}
	out := ModelLimits{}
	for rec := range c.catalog.Models.All() {
		m := c.models[rec.Metadata.ID]
		c.modelLimit(out, m, p, subject, source, per)
	}
	for _, m := range c.unknown {
		c.modelLimit(out, m, p, subject, source, per)
	}
	c.modelLimits[memo] = out
	return out
}

// splitOf tells apart for whom the policy's limits per model count, where they
// are split at all.
func (c *compiler) splitOf(p *store.Policy, per perValues) string {
	for _, entry := range p.Spec.RLBindings {
		if rl := c.catalog.RateLimits.Get(entry.RateLimitID); rl != nil && len(rl.Spec.Per) > 0 {
			return "/" + per.key + "/" + per.project
		}
	}
	return ""
}

// modelLimit puts the first entry of the policy that names the model into the
// map.
func (c *compiler) modelLimit(to ModelLimits, m *Model, p *store.Policy, subject string, source limiter.Source, per perValues) {
	for _, entry := range p.Spec.RLBindings {
		if namesModel(entry.Models, m) {
			limits, refused := c.rateLimit(p, entry.RateLimitID, subject, m.ID, source, per)
			to[m] = ModelLimit{Limits: limits, Refused: refused}
			return
		}
	}
}

// namesModel reports whether the references name the model on any host: the
// host is not known when a limit is reserved.
func namesModel(refs []store.ModelRef, m *Model) bool {
	for _, r := range readable(refs) {
		r.Host = ""
		if matches(r, m, nowhere) {
			return true
		}
	}
	return false
}

// rateLimit compiles one rate limit for one owner and subject.
func (c *compiler) rateLimit(owner *store.Policy, id, subject, modelID string, source limiter.Source, per perValues) ([]*limiter.Limit, *Refused) {
	rl := c.catalog.RateLimits.Get(id)
	if rl == nil {
		c.warn(owner, "spec.rateLimitId", "names a rate limit that does not exist: requests under the policy are refused")
		return nil, limitMissing("Policy " + owner.Metadata.Name + " names a rate limit that does not exist")
	}
	if !store.Enabled(rl.Spec.Enabled) {
		return nil, nil
	}
	values, known := per.value(rl.Spec.Per)
	if !known {
		return nil, c.unenforcedLimit(rl, "per")
	}
	return c.rules(rl, owner.Metadata.ID, subject, modelID, values, source)
}

// rules compiles the rules of a rate limit for one owner, subject and split.
func (c *compiler) rules(rl *store.RateLimit, owner, subject, modelID, values string, source limiter.Source) ([]*limiter.Limit, *Refused) {
	if member := unenforcedMember(rl); member != "" {
		return nil, c.unenforcedLimit(rl, member)
	}
	source.LimitID, source.Name = rl.Metadata.ID, rl.Metadata.Name
	atCap := c.atCap(rl.Spec.AtCap)
	var out []*limiter.Limit
	for _, rule := range rl.Spec.Rules {
		name := counterName(owner, rl.Metadata.ID, subject, modelID, values, rule)
		out = append(out, c.bind(name, rule.Amount, atCap, false, source))
	}
	return out, nil
}

// unenforcedMember names the member that this version does not enforce, or "".
func unenforcedMember(rl *store.RateLimit) string {
	switch {
	case rl.Spec.Charge == "reserve":
		return "charge"
	case rl.Spec.Match != nil:
		return "match"
	case len(rl.Spec.Suspend) > 0:
		return "suspend"
	case rl.Spec.Standalone:
		return "standalone"
	}
	return ""
}

func (c *compiler) unenforcedLimit(rl *store.RateLimit, member string) *Refused {
	c.warn(rl, "spec."+member, "cannot be enforced by this version: requests under the rate limit are refused")
	return limitMissing(`Rate limit "` + rl.Metadata.Name + `" uses ` + member + `, which this version of Relay cannot enforce`)
}

// limitMissing refuses what stands under a limit that cannot be enforced.
func limitMissing(what string) *Refused {
	return &Refused{
		Code:    "limit_missing",
		Message: what + ", so requests under it are refused. Ask your gateway administrator.",
	}
}

// budgets compiles the budgets of a policy or key. They are never per model.
func (c *compiler) budgets(owner, subject string, budgets []store.Budget, source limiter.Source, per perValues) ([]*limiter.Limit, *Refused) {
	var out []*limiter.Limit
	source.LimitID, source.Order = "budget", source.Order+1
	for i, b := range budgets {
		values, known := per.value(b.Per)
		amount, err := store.ParseNanoDollars(b.Amount)
		if !known || err != nil {
			return nil, limitMissing("Budget " + strconv.Itoa(i+1) + " of " + source.Owner + " has an amount or a split by " + strings.Join(b.Per, ", ") + " that this version of Relay cannot enforce")
		}
		name := limiter.Name{
			Owner: owner, Limit: "budget", Subject: subject, Per: values,
			Meter: limiter.MeterCost, Period: b.Period, Timezone: c.Timezone,
		}
		out = append(out, c.bind(name, amount, limiter.RefuseAtCap, b.OnExceed == "warn", source))
	}
	return out, nil
}

// appendLimits adds limits that are not there yet: a counter reached over two
// rungs is charged once.
func appendLimits(to, more []*limiter.Limit) []*limiter.Limit {
	for _, l := range more {
		if !slices.Contains(to, l) {
			to = append(to, l)
		}
	}
	return to
}

// countSharers tells each source how many relay keys share it. It runs before
// the plan is published, while sources may still change.
func (c *compiler) countSharers() {
	sharers := map[*limiter.Source]map[string]bool{}
	for _, caller := range c.plan.callers {
		for _, l := range caller.Limits {
			if sharers[l.Source] == nil {
				sharers[l.Source] = map[string]bool{}
			}
			sharers[l.Source][caller.KeyID] = true
		}
		for _, perModel := range caller.ModelLimits {
			for _, ml := range perModel {
				for _, l := range ml.Limits {
					if sharers[l.Source] == nil {
						sharers[l.Source] = map[string]bool{}
					}
					sharers[l.Source][caller.KeyID] = true
				}
			}
		}
	}
	for source, keys := range sharers {
		source.SharedBy = len(keys)
	}
}
