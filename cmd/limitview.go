package cmd

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"relay/admin"
	"relay/store"
)

func rateLimitTable(ctx context.Context, s *session, rows []json.RawMessage) (table, error) {
	limits, err := decodeRows[*store.RateLimit](rows)
	if err != nil {
		return table{}, err
	}
	users, err := limitUsers(ctx, s)
	if err != nil {
		return table{}, err
	}
	t := table{columns: []column{left("name"), left("allows"), left("counted for"), left("policies"), left("state")}}
	for _, limit := range limits {
		t.rows = append(t.rows, []string{
			limit.Metadata.Name, cmp.Or(rulesInWords(limit), "everything"), countedFor(limit),
			cmp.Or(strings.Join(users[limit.Metadata.ID], ", "), "-"), onOff(limit.Spec.Enabled),
		})
	}
	return t, nil
}

// limitUsers names the policies that use each rate limit, by its id.
func limitUsers(ctx context.Context, s *session) (map[string][]string, error) {
	policies, err := admin.ListAll[store.PolicySpec](ctx, s.Client, admin.ListQuery{})
	users := map[string][]string{}
	for _, policy := range policies {
		for _, id := range usedLimits(policy) {
			users[id] = append(users[id], policy.Metadata.Name)
		}
	}
	return users, err
}

func usedLimits(policy *store.Policy) []string {
	var ids []string
	if policy.Spec.RateLimitID != "" {
		ids = append(ids, policy.Spec.RateLimitID)
	}
	for _, binding := range policy.Spec.RLBindings {
		ids = append(ids, binding.RateLimitID)
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

func rulesInWords(limit *store.RateLimit) string {
	parts := make([]string, len(limit.Spec.Rules))
	for i, rule := range limit.Spec.Rules {
		parts[i] = ruleInWords(rule)
	}
	return strings.Join(parts, ", ")
}

func countedFor(limit *store.RateLimit) string {
	if len(limit.Spec.Per) == 0 {
		return "all together"
	}
	return "each " + strings.Join(limit.Spec.Per, " and ")
}

func rateLimitDetails(ctx context.Context, s *session, row json.RawMessage) (table, error) {
	limit, err := decodeRow[*store.RateLimit](row)
	if err != nil {
		return table{}, err
	}
	users, err := limitUsers(ctx, s)
	if err != nil {
		return table{}, err
	}
	t := details(
		[]string{"name", limit.Metadata.Name},
		[]string{"id", limit.Metadata.ID},
		[]string{"state", onOff(limit.Spec.Enabled)},
		[]string{"counted for", countedFor(limit)},
		[]string{"policies", strings.Join(users[limit.Metadata.ID], ", ")},
		[]string{"at cap", limit.Spec.AtCap},
		[]string{"charge", limit.Spec.Charge},
		[]string{"on outage", limit.Spec.OnOutage},
		[]string{"created", localTime(limit.Metadata.CreatedAt)},
	)
	for _, rule := range limit.Spec.Rules {
		t.rows = append(t.rows, []string{"rule", fmt.Sprintf("%s (%s)", ruleInWords(rule), rule.Algorithm())})
	}
	return t, nil
}

// limitSentence says what a rate limit allows and who shares it.
func limitSentence(ctx context.Context, s *session, limit *store.RateLimit) (string, error) {
	name := limit.Metadata.Name
	if !store.Enabled(limit.Spec.Enabled) {
		return fmt.Sprintf("Rate limit %s: switched off; it lets everything pass.", name), nil
	}
	words := rulesInWords(limit)
	if len(limit.Spec.Per) > 0 {
		words += " for " + countedFor(limit)
	}
	if owner := limit.Metadata.Owner; owner != nil && owner.Kind == store.KindSystem {
		return fmt.Sprintf("Rate limit %s, of the system: %s. %s", name, words, limit.Metadata.Description), nil
	}
	if limit.Spec.Standalone {
		return fmt.Sprintf("Rate limit %s: %s, for all that it matches and under no policy.", name, words), nil
	}
	users, err := limitUsers(ctx, s)
	if err != nil {
		return "", err
	}
	switch policies := users[limit.Metadata.ID]; len(policies) {
	case 0:
		return fmt.Sprintf("Rate limit %s: %s; no policy uses it yet: relay policy add NAME --limit %s.", name, words, name), nil
	case 1:
		policy, err := admin.Get[store.PolicySpec](ctx, s.Client, policies[0])
		if err != nil {
			return "", err
		}
		shared, err := sharedBy(ctx, s, policy, limit)
		return fmt.Sprintf("Rate limit %s: %s%s.", name, words, shared), err
	default:
		return fmt.Sprintf("Rate limit %s: %s, counted apart under each of the policies %s.", name, words, listed(policies)), nil
	}
}
