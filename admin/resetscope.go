package admin

import (
	"slices"
	"strings"

	"relay/limiter"
	"relay/store"
)

// counters tells the names of the counters that the request means. Leases are
// none of them: they come back by themselves.
func (in *resetLimitInput) counters(c *store.Catalog) (func(limiter.Name) bool, error) {
	limit, err := current[store.RateLimitSpec](c, store.KindRateLimit, in.ID, "")
	if err != nil {
		return nil, err
	}
	of := func(limiter.Name) bool { return true }
	if in.Body != nil && in.Body.Subject != "" {
		if of, err = countsFor(c, in.Body.Subject); err != nil {
			return nil, err
		}
	}
	id := limit.Metadata.ID
	return func(n limiter.Name) bool {
		return (n.Limit == id || n.Owner == id) && n.Meter != limiter.MeterConcurrency && of(n)
	}, nil
}

// countsFor tells the counters of one subject: those it shares with nobody
// outside, and those of limits that are split by such as it is.
func countsFor(c *store.Catalog, ref string) (func(limiter.Name) bool, error) {
	word, name, found := strings.Cut(ref, ":")
	kind := store.Kind(word)
	if word == "key" {
		kind = store.KindRelayKey
	}
	if !found || !slices.Contains(subjectKinds(), kind) {
		return nil, invalid(store.Problem{Field: "subject", Message: "must name its kind, as in team:NAME, key:NAME or host-key:NAME"})
	}
	rec, err := find(c, kind, name)
	if err != nil {
		return nil, err
	}
	subject, split := string(kind)+":"+rec.Meta().ID, word+"="+rec.Meta().ID
	return func(n limiter.Name) bool { return n.Subject == subject || strings.Contains(n.Per, split) }, nil
}

// subjectKinds are the records that have counters of rate limits.
func subjectKinds() []store.Kind {
	return append(accountKinds(), store.KindHostKey, store.KindRelayKey)
}

// counters tells the names of the counters of the record's budget for the
// period.
func (in *resetBudgetInput) counters(rec store.AnyRecord, budgets []store.Budget) (func(limiter.Name) bool, error) {
	id, period := rec.Meta().ID, in.Body.Period
	if !slices.ContainsFunc(budgets, func(b store.Budget) bool { return b.Period == period }) {
		return nil, unprocessable(store.Problem{Kind: rec.Kind(), Name: rec.Meta().Name, Field: "period", Message: "it has no budget for this period"})
	}
	return func(n limiter.Name) bool {
		return n.Owner == id && n.Meter == limiter.MeterCost && n.Period == period
	}, nil
}
