package plan

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"

	"relay/limiter"
	"relay/store"
)

// sourceKey tells sources apart: one owner's rate limit, with one subject.
type sourceKey struct {
	owner, limit, subject, model, per string
	rung                              limiter.Scope
}

// terms are how a limit counts, besides what its counter is known by.
type terms struct {
	amount  int64
	atCap   limiter.AtCap
	reserve bool
	warn    bool
}

// bind makes the Limit of one rule, or finds the one made before. Counters of
// equal name are one counter.
func (c *compiler) bind(name limiter.Name, t terms, source limiter.Source) *limiter.Limit {
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
		Amount:  t.amount, AtCap: t.atCap, Warn: t.warn, Source: shared,
		Reserve: t.reserve && name.Meter.CountsTokens(),
	}
	c.limits[name] = l
	return l
}

// terms are those of a limit that may say by itself how it counts; what it does
// not say the switches say.
func (c *compiler) terms(charge, atCap string) terms {
	t := terms{atCap: c.AtCap, reserve: c.Reserve}
	switch charge {
	case "actual":
		t.reserve = false
	case "reserve":
		t.reserve = true
	}
	switch atCap {
	case "admit":
		t.atCap = limiter.AdmitAtCap
	case "refuse":
		t.atCap = limiter.RefuseAtCap
	}
	return t
}

// shorthand compiles the limits that a record carries itself.
func (c *compiler) shorthand(id string, limits *store.Limits, source limiter.Source) []*limiter.Limit {
	if limits == nil {
		return nil
	}
	source.LimitID = "limits"
	aligned := c.AlignKeys && (source.Scope == limiter.ScopeKey || source.Scope == limiter.ScopeModel)
	t := c.terms(limits.Charge, limits.AtCap)
	var out []*limiter.Limit
	for _, rule := range limits.Rules() {
		if aligned {
			rule.Strategy = limiter.Aligned
		}
		t.amount = rule.Amount
		out = append(out, c.bind(counterName(id, "limits", "", "", "", rule), t, source))
	}
	return out
}

func counterName(owner, limit, subject, model, per string, rule limiter.Rule) limiter.Name {
	name := limiter.Name{Owner: owner, Limit: limit, Subject: subject, Model: model, Per: per, Meter: rule.Meter, Strategy: rule.Strategy, Window: rule.Window}
	if rule.Meter == limiter.MeterConcurrency {
		name.Strategy, name.Window = "", 0 // known by the meter alone: an edit never forgets what is in flight
	}
	return name
}

// policyLimits compiles a policy's rate limit and budgets for one subject.
func (c *compiler) policyLimits(p *store.Policy, subject string, source limiter.Source, who *party) (Held, *Refused) {
	var out Held
	var refused *Refused
	if p.Spec.RateLimitID != "" {
		out, refused = c.rateLimit(p, p.Spec.RateLimitID, subject, "", source, who)
	}
	budgets, refusedBudget := c.budgets(p.Metadata.ID, subject, p.Spec.Budgets, source, who)
	out.add(budgets)
	return out, cmp.Or(refused, refusedBudget)
}

// policyModelLimits compiles rlBindings: the first entry that matches a model
// counts, with counters per model. Nil when the policy has none.
func (c *compiler) policyModelLimits(p *store.Policy, subject string, source limiter.Source, who *party) ModelLimits {
	if len(p.Spec.RLBindings) == 0 {
		return nil
	}
	memo := p.Metadata.ID + "/" + subject + "/" + source.Owner + c.differs(p, who)
	if done := c.modelLimits[memo]; done != nil {
		return done
	}
	out := ModelLimits{}
	for rec := range c.catalog.Models.All() {
		m := c.models[rec.Metadata.ID]
		c.modelLimit(out, m, p, subject, source, who)
	}
	for _, m := range c.unknown {
		c.modelLimit(out, m, p, subject, source, who)
	}
	c.modelLimits[memo] = out
	return out
}

// differs tells apart for whom the policy's limits per model count, where they
// ask who calls.
func (c *compiler) differs(p *store.Policy, who *party) string {
	for _, entry := range p.Spec.RLBindings {
		if rl := c.catalog.RateLimits.Get(entry.RateLimitID); rl != nil && (len(rl.Spec.Per) > 0 || rl.Spec.Match != nil) {
			return fmt.Sprint("/", who.values)
		}
	}
	return ""
}

// modelLimit puts the first entry of the policy that names the model into the
// map.
func (c *compiler) modelLimit(to ModelLimits, m *Model, p *store.Policy, subject string, source limiter.Source, who *party) {
	for _, entry := range p.Spec.RLBindings {
		if namesModel(entry.Models, m) {
			limits, refused := c.rateLimit(p, entry.RateLimitID, subject, m.ID, source, who)
			to[m] = ModelLimit{Held: limits, Refused: refused}
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
func (c *compiler) rateLimit(owner *store.Policy, id, subject, modelID string, source limiter.Source, who *party) (Held, *Refused) {
	rl := c.catalog.RateLimits.Get(id)
	if rl == nil {
		c.warn(owner, "spec.rateLimitId", "names a rate limit that does not exist: requests under the policy are refused")
		return Held{}, limitMissing("Policy " + owner.Metadata.Name + " names a rate limit that does not exist")
	}
	return c.rules(rl, limiter.Name{Owner: owner.Metadata.ID, Subject: subject, Model: modelID}, source, who)
}

// rules compiles the rules of a rate limit, whose counters are known by what of
// says, for one party.
func (c *compiler) rules(rl *store.RateLimit, of limiter.Name, source limiter.Source, who *party) (Held, *Refused) {
	if !store.Enabled(rl.Spec.Enabled) {
		return Held{}, nil
	}
	s, applies, err := c.selects(&rl.Spec, who)
	if err != nil {
		c.warn(rl, "spec", "cannot be enforced: %s: requests under it are refused", err)
		return Held{}, limitMissing(`Rate limit "` + rl.Metadata.Name + `" cannot be enforced, since ` + err.Error())
	}
	if !applies {
		return Held{}, nil
	}
	if of.Per != "" && s.per != "" {
		of.Per += ","
	}
	source.LimitID, source.Name = rl.Metadata.ID, rl.Metadata.Name
	t := c.terms(rl.Spec.Charge, rl.Spec.AtCap)
	var out []*limiter.Limit
	for _, rule := range rl.Spec.Rules {
		t.amount = rule.Amount
		out = append(out, c.bind(counterName(of.Owner, rl.Metadata.ID, of.Subject, of.Model, of.Per+s.per, rule), t, source))
	}
	return c.held(out, s), nil
}

// limitMissing refuses what stands under a limit that cannot be enforced.
func limitMissing(what string) *Refused {
	return &Refused{
		Code:    "limit_missing",
		Message: what + ", so requests under it are refused. Ask your gateway administrator.",
	}
}

// budgets compiles the budgets of a policy or key. They are never per model.
func (c *compiler) budgets(owner, subject string, budgets []store.Budget, source limiter.Source, who *party) (Held, *Refused) {
	source.LimitID, source.Order = "budget", source.Order+1
	split := map[string]selection{} // by what the counters' names hold of it
	limits := map[string][]*limiter.Limit{}
	var order []string
	for i, b := range budgets {
		amount, err := store.ParseNanoDollars(b.Amount)
		if err != nil {
			return Held{}, limitMissing("Budget " + strconv.Itoa(i+1) + " of " + source.Owner + " has an amount that cannot be read")
		}
		per, by, applies := who.splitBy(b.Per)
		if !applies {
			continue
		}
		if limits[per] == nil {
			order, split[per] = append(order, per), selection{per: per, by: by}
		}
		name := limiter.Name{
			Owner: owner, Limit: "budget", Subject: subject, Per: per,
			Meter: limiter.MeterCost, Period: b.Period, Timezone: c.Timezone,
		}
		limits[per] = append(limits[per], c.bind(name, terms{amount: amount, atCap: limiter.RefuseAtCap, warn: b.OnExceed == "warn"}, source))
	}
	var out Held
	for _, per := range order {
		out.add(c.held(limits[per], split[per]))
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
	note := func(held *Held, key string) {
		for _, l := range held.all() {
			if sharers[l.Source] == nil {
				sharers[l.Source] = map[string]bool{}
			}
			sharers[l.Source][key] = true
		}
	}
	for _, caller := range c.plan.callers {
		note(&caller.Held, caller.KeyID)
		for _, perModel := range caller.ModelLimits {
			for _, ml := range perModel {
				note(&ml.Held, caller.KeyID)
			}
		}
	}
	for source, keys := range sharers {
		source.SharedBy = len(keys)
	}
}
