package cmd

import (
	"context"
	"encoding/json"
	"fmt"
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
