package cmd

import (
	"cmp"
	"context"
	"encoding/json"
	"strings"

	"relay/store"
)

// policyRow is a policy as the API shows it.
type policyRow struct {
	envelope
	Spec struct {
		store.PolicySpec
		ModelNames    []string  `json:"modelNames"`
		DenyNames     []string  `json:"denyNames"`
		RateLimitName string    `json:"rateLimitName"`
		Pools         []poolRow `json:"pools"`
	} `json:"spec"`
}

type poolRow struct {
	store.Pool
	HostKeyNames []string `json:"hostKeyNames"`
	HostNames    []string `json:"hostNames"`
}

// inWords names the keys of a pool, in order.
func (p poolRow) inWords() string {
	keys := cmp.Or(strings.Join(p.HostKeyNames, ", "), "every key")
	if len(p.HostNames) > 0 {
		keys = "every key of " + listed(p.HostNames)
	}
	if p.Selection != "" {
		keys += " (" + p.Selection + ")"
	}
	return keys
}

// grants says what the policy allows, apart from its caps.
func (p policyRow) grants() []string {
	what := "all models"
	if len(p.Spec.ModelNames) > 0 {
		what = "only " + listed(p.Spec.ModelNames)
	}
	parts := []string{what}
	if len(p.Spec.DenyNames) > 0 {
		parts = append(parts, "not "+listed(p.Spec.DenyNames))
	}
	if len(p.Spec.Endpoints) > 0 {
		parts = append(parts, "only the endpoints "+listed(p.Spec.Endpoints))
	}
	for i, pool := range p.Spec.Pools {
		before := "through "
		if i > 0 {
			before = "then "
		}
		parts = append(parts, before+pool.inWords())
	}
	return parts
}

func (p policyRow) budgets() string {
	words := make([]string, len(p.Spec.Budgets))
	for i, budget := range p.Spec.Budgets {
		words[i] = budgetInWords(budget)
		if len(budget.Per) > 0 {
			words[i] += " for each " + strings.Join(budget.Per, " and ")
		}
	}
	return strings.Join(words, ", ")
}

// boundAccounts names the accounts under each policy, by its id.
func boundAccounts(ctx context.Context, s *session) (map[string][]string, error) {
	bindings, err := policyBindings(ctx, s)
	accounts := map[string][]string{}
	for _, b := range bindings {
		accounts[b.Spec.PolicyID] = append(accounts[b.Spec.PolicyID], b.Spec.AccountName)
	}
	return accounts, err
}

func policyTable(ctx context.Context, s *session, rows []json.RawMessage) (table, error) {
	policies, err := decodeRows[policyRow](rows)
	if err != nil {
		return table{}, err
	}
	accounts, err := boundAccounts(ctx, s)
	if err != nil {
		return table{}, err
	}
	t := table{columns: []column{left("name"), left("models"), left("rate limit"), left("budgets"), left("accounts"), left("state")}}
	for _, p := range policies {
		t.rows = append(t.rows, []string{
			p.Metadata.Name, cmp.Or(strings.Join(p.Spec.ModelNames, ", "), "all"), cmp.Or(p.Spec.RateLimitName, "-"), cmp.Or(p.budgets(), "-"),
			cmp.Or(strings.Join(accounts[p.Metadata.ID], ", "), "-"), onOff(p.Spec.Enabled),
		})
	}
	return t, nil
}

func policyDetails(ctx context.Context, s *session, row json.RawMessage) (table, error) {
	p, err := decodeRow[policyRow](row)
	if err != nil {
		return table{}, err
	}
	policy, err := decodeRow[*store.Policy](row)
	if err != nil {
		return table{}, err
	}
	caps, err := policyInWords(ctx, s, policy)
	if err != nil {
		return table{}, err
	}
	accounts, err := boundAccounts(ctx, s)
	if err != nil {
		return table{}, err
	}
	t := details(
		[]string{"name", p.Metadata.Name},
		[]string{"id", p.Metadata.ID},
		[]string{"state", onOff(p.Spec.Enabled)},
		[]string{"models", cmp.Or(strings.Join(p.Spec.ModelNames, ", "), "all that the keys reach")},
		[]string{"deny", strings.Join(p.Spec.DenyNames, ", ")},
		[]string{"endpoints", strings.Join(p.Spec.Endpoints, ", ")},
		[]string{"rate limit", p.Spec.RateLimitName},
		[]string{"budgets", p.budgets()},
		[]string{"caps", caps},
		[]string{"accounts", cmp.Or(strings.Join(accounts[p.Metadata.ID], ", "), "none")},
		[]string{"created", localTime(p.Metadata.CreatedAt)},
	)
	for _, pool := range p.Spec.Pools {
		t.rows = append(t.rows, []string{"pool " + pool.Name, pool.inWords()})
	}
	return t, nil
}
