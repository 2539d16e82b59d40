package cmd

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"relay/admin"
	"relay/store"
)

// bindingRow is a policy binding as the API shows it.
type bindingRow struct {
	Spec bindingSpec `json:"spec"`
}

type bindingSpec struct {
	PolicyID    string `json:"policyId"`
	PolicyName  string `json:"policyName"`
	Account     string `json:"account"`
	AccountName string `json:"accountName"`
}

func policyBindings(ctx context.Context, s *session) ([]bindingRow, error) {
	rows, err := listRows(ctx, s, store.KindPolicyBinding, admin.ListQuery{})
	if err != nil {
		return nil, err
	}
	return decodeRows[bindingRow](rows)
}

// policyOf returns the binding of a principal; its members are empty when
// there is none.
func policyOf(ctx context.Context, s *session, p principal) (bindingSpec, error) {
	bindings, err := policyBindings(ctx, s)
	if err != nil {
		return bindingSpec{}, err
	}
	for _, b := range bindings {
		if b.Spec.Account == p.account() {
			return b.Spec, nil
		}
	}
	return bindingSpec{}, nil
}

// noteCaps says in a sentence what now holds for a key, and for a policy that
// it was put under, with whom it shares.
func (a *app) noteCaps(ctx context.Context, s *session, row json.RawMessage, policy string) error {
	k, err := decodeRow[keyRow](row)
	if err != nil {
		return err
	}
	a.note("%s", keySentence(k))
	if policy == "" {
		return nil
	}
	sentence, err := policySentence(ctx, s, policy)
	if err != nil {
		return err
	}
	a.note("%s", sentence)
	return nil
}

func keySentence(k keyRow) string {
	parts := []string{"no caps of its own; what the policies above it say holds"}
	if caps := inWords(k.Spec.Limits, k.Spec.Budgets); caps != "" {
		parts = []string{caps, "for this key alone"}
	}
	if len(k.Spec.ModelNames) > 0 {
		parts = append(parts, "only "+listed(k.Spec.ModelNames))
	}
	if len(k.Spec.DenyNames) > 0 {
		parts = append(parts, "not "+listed(k.Spec.DenyNames))
	}
	if len(k.Spec.AllowedCIDRs) > 0 {
		parts = append(parts, "only from "+listed(k.Spec.AllowedCIDRs))
	}
	if expiry := k.expiry(); expiry != "" {
		parts = append(parts, "until "+expiry)
	}
	if !store.Enabled(k.Spec.Enabled) {
		parts = append(parts, "switched off")
	}
	return fmt.Sprintf("Key %s: %s.", k.Metadata.Name, strings.Join(parts, "; "))
}

// policySentence says what a policy allows and who shares it.
func policySentence(ctx context.Context, s *session, ref string) (string, error) {
	policy, err := admin.Get[store.PolicySpec](ctx, s.Client, ref)
	if err != nil {
		return "", err
	}
	caps, err := policyInWords(ctx, s, policy)
	if err != nil || caps == "" {
		return fmt.Sprintf("Policy %s: no limit or budget of its own.", policy.Metadata.Name), err
	}
	sharers, err := sharersOf(ctx, s, policy.Metadata.ID)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("Policy %s: %s, shared by every key under it (now: %s).", policy.Metadata.Name, caps, strings.Join(sharers, ", ")), nil
}

func policyInWords(ctx context.Context, s *session, policy *store.Policy) (string, error) {
	var parts []string
	if policy.Spec.RateLimitID != "" {
		limit, err := admin.Get[store.RateLimitSpec](ctx, s.Client, policy.Spec.RateLimitID)
		if err != nil {
			return "", err
		}
		for _, rule := range limit.Spec.Rules {
			parts = append(parts, ruleInWords(rule))
		}
	}
	for _, binding := range policy.Spec.RLBindings {
		limit, err := admin.Get[store.RateLimitSpec](ctx, s.Client, binding.RateLimitID)
		if err != nil {
			return "", err
		}
		parts = append(parts, "rate limit "+limit.Metadata.Name+" on each of its models")
	}
	for _, budget := range policy.Spec.Budgets {
		parts = append(parts, budgetInWords(budget))
	}
	return strings.Join(parts, ", "), nil
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
