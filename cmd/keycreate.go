package cmd

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"

	"relay/store"
)

// shownKey is the API's answer that holds the plaintext of a key.
type shownKey struct {
	Plaintext string          `json:"plaintext"`
	Key       json.RawMessage `json:"key"`
}

// createKey makes the key, whose principal the server makes too, and binds
// that to the policy. When the binding fails nothing is left behind.
func createKey(ctx context.Context, s *session, name string, spec map[string]any, flags keyFlags) (shownKey, error) {
	if flags.project != "" {
		spec["projectId"] = flags.project
	}
	if flags.account != "" {
		spec["account"] = flags.account
	}
	_, err := s.GetRaw(ctx, store.KindServiceAccount, name)
	newAccount := refusedAs(err, store.CodeNotFound)
	body := map[string]any{"metadata": map[string]any{"name": name}, "spec": spec}
	answer, err := s.Do(ctx, http.MethodPost, "/api/relay-keys", nil, body)
	if err != nil {
		return shownKey{}, err
	}
	shown, err := decodeRow[shownKey](answer.Body)
	if err != nil || flags.policy == "" {
		return shown, err
	}
	key, err := decodeRow[keyRow](shown.Key)
	if err != nil {
		return shownKey{}, err
	}
	made := &creation{session: s}
	if newAccount {
		made.add(store.KindServiceAccount, key.Spec.Principal.ID)
	}
	made.add(store.KindRelayKey, key.Metadata.ID)
	if err := bindKey(ctx, made, key.Spec.Principal, flags.policy); err != nil {
		return shownKey{}, errors.Join(err, made.takeBack(ctx))
	}
	return shown, nil
}

// bindKey binds the policy to the principal of a key.
func bindKey(ctx context.Context, made *creation, p principal, policy string) error {
	bound, err := policyOf(ctx, made.session, p)
	if err != nil {
		return err
	}
	if bound.PolicyID == "" {
		_, err = made.create(ctx, store.KindPolicyBinding, map[string]any{}, map[string]any{"policyId": policy, "account": p.account()})
		return err
	}
	if policy == bound.PolicyID || policy == bound.PolicyName {
		return nil
	}
	return &store.Error{
		Code:    store.CodeConflict,
		Message: fmt.Sprintf("service account %s is bound to policy %s already; give the key another name", p.Name, bound.PolicyName),
	}
}
