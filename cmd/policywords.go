package cmd

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"relay/admin"
	"relay/store"
)

// policyCaps are the caps of a policy in words: those that all under it share,
// and those that are counted for each of some.
type policyCaps struct {
	shared, split []string
	each          string // how to give each its own count; "" when nothing is shared
}

// policySentence says what a policy caps and who shares it.
func policySentence(ctx context.Context, s *session, ref string) (string, error) {
	policy, err := admin.Get[store.PolicySpec](ctx, s.Client, ref)
	if err != nil {
		return "", err
	}
	words, err := policyInWords(ctx, s, policy)
	return fmt.Sprintf("Policy %s: %s.", policy.Metadata.Name, words), err
}

func policyInWords(ctx context.Context, s *session, policy *store.Policy) (string, error) {
	if !store.Enabled(policy.Spec.Enabled) {
		return "switched off; what is under it is refused", nil
	}
	caps, err := capsOf(ctx, s, policy)
	if err != nil {
		return "", err
	}
	clauses := caps.split
	switch {
	case len(caps.shared) > 0:
		under, err := underPolicy(ctx, s, policy)
		if err != nil {
			return "", err
		}
		clauses = append(clauses, strings.Join(caps.shared, ", ")+", shared by every key "+under+caps.each)
	case len(clauses) == 0:
		return "no limit or budget of its own", nil
	}
	return strings.Join(clauses, "; "), nil
}

func capsOf(ctx context.Context, s *session, policy *store.Policy) (policyCaps, error) {
	caps := policyCaps{}
	if policy.Spec.RateLimitID != "" {
		limit, err := admin.Get[store.RateLimitSpec](ctx, s.Client, policy.Spec.RateLimitID)
		if err != nil {
			return caps, err
		}
		caps.addLimit(limit)
	}
	for _, binding := range policy.Spec.RLBindings {
		limit, err := admin.Get[store.RateLimitSpec](ctx, s.Client, binding.RateLimitID)
		if err != nil {
			return caps, err
		}
		caps.shared = append(caps.shared, "rate limit "+limit.Metadata.Name+" on each of its models")
	}
	for _, budget := range policy.Spec.Budgets {
		caps.addBudget(policy.Metadata.Name, budget)
	}
	return caps, nil
}

func (c *policyCaps) addLimit(limit *store.RateLimit) {
	switch {
	case !store.Enabled(limit.Spec.Enabled):
		c.split = append(c.split, "rate limit "+limit.Metadata.Name+", which is switched off")
	case len(limit.Spec.Per) > 0:
		c.split = append(c.split, rulesInWords(limit)+" for "+countedFor(limit))
	default:
		c.shared, c.each = append(c.shared, rulesInWords(limit)), eachOf(limit)
	}
}

func (c *policyCaps) addBudget(policy string, budget store.Budget) {
	if len(budget.Per) > 0 {
		c.split = append(c.split, budgetInWords(budget)+" for each "+strings.Join(budget.Per, " and "))
		return
	}
	c.shared = append(c.shared, budgetInWords(budget))
	if c.each == "" {
		c.each = fmt.Sprintf("; for each its own: relay policy edit %s --per key", policy)
	}
}

// eachOf says how to give each key a count of its own.
func eachOf(limit *store.RateLimit) string {
	what := "each its own"
	if len(limit.Spec.Rules) == 1 {
		what = grouped(limit.Spec.Rules[0].Amount) + " each"
	}
	return fmt.Sprintf("; for %s: relay limit edit %s --per key", what, limit.Metadata.Name)
}

// sharedBy says who shares the counts of a rate limit that the policy uses.
func sharedBy(ctx context.Context, s *session, policy *store.Policy, limit *store.RateLimit) (string, error) {
	under, err := underPolicy(ctx, s, policy)
	if len(limit.Spec.Per) > 0 {
		return " " + under, err
	}
	return ", shared by every key " + under + eachOf(limit), err
}

// underPolicy says which keys are meant: "under policy chat (now: alice, bob)".
// With several teams each team counts for itself. Tier policies count for each
// host key.
func underPolicy(ctx context.Context, s *session, policy *store.Policy) (string, error) {
	name := policy.Metadata.Name
	if owner := policy.Metadata.Owner; owner != nil && owner.Kind == store.KindHost {
		return "that spends one host key under tier policy " + name, nil
	}
	sharers, err := sharersOf(ctx, s, policy.Metadata.ID)
	if err != nil {
		return "", err
	}
	teams, err := s.ListRaw(ctx, store.KindTeam, admin.ListQuery{Limit: 1})
	if err != nil {
		return "", err
	}
	team := ""
	if teams.Total > 1 {
		team = "of one team "
	}
	if len(sharers) == 0 {
		sharers = []string{fmt.Sprintf("nobody; relay key add NAME --policy %s adds one", name)}
	}
	return fmt.Sprintf("%sunder policy %s (now: %s)", team, name, strings.Join(sharers, ", ")), nil
}

// sharersOf names the keys under a policy, and the accounts that stand for
// whole groups of keys.
func sharersOf(ctx context.Context, s *session, policyID string) ([]string, error) {
	bindings, err := policyBindings(ctx, s)
	if err != nil {
		return nil, err
	}
	keys, err := admin.ListAll[store.RelayKeySpec](ctx, s.Client, admin.ListQuery{})
	if err != nil {
		return nil, err
	}
	var names []string
	for _, b := range bindings {
		if b.Spec.PolicyID != policyID {
			continue
		}
		if !strings.HasPrefix(b.Spec.Account, string(store.KindServiceAccount)+":") {
			names = append(names, "all of "+strings.Replace(b.Spec.AccountName, ":", " ", 1))
			continue
		}
		for _, k := range keys {
			if account(k.Spec.Principal.Kind, k.Spec.Principal.ID) == b.Spec.Account {
				names = append(names, k.Metadata.Name)
			}
		}
	}
	slices.Sort(names)
	return names, nil
}
