package cmd

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"relay/admin"
	"relay/store"
)

// addKnownHost leaves a host as it is that is there already, but for a shipped
// base URL that wants filling in. What was asked for must not differ.
func (a *app) addKnownHost(ctx context.Context, s *session, known *admin.Answer, spec map[string]any) error {
	host, err := decodeRow[hostRow](known.Body)
	if err != nil {
		return err
	}
	row := json.RawMessage(known.Body)
	open := len(store.BaseURLPlaceholders(host.Spec.BaseURL)) > 0
	if base, given := spec["baseURL"]; given && open {
		answer, err := s.Patch(ctx, store.KindHost, host.Metadata.ID, known.ETag, map[string]any{"spec": map[string]any{"baseURL": base}})
		if err != nil {
			return err
		}
		row = answer.Body
		delete(spec, "baseURL")
	}
	if differing := host.differing(spec); len(differing) > 0 {
		return &store.Error{Code: store.CodeConflict, Message: fmt.Sprintf("host %s is there already and differs in %s; relay host edit %s changes it",
			host.Metadata.Name, listed(differing), host.Metadata.Name)}
	}
	a.note("Host %s is there already.", host.Metadata.Name)
	return a.tellHost(ctx, s, row)
}

// differing names the members that are not as the spec has them.
func (h hostRow) differing(spec map[string]any) []string {
	var names []string
	have := map[string]any{
		"baseURL": h.Spec.BaseURL, "auth": h.Spec.Auth, "unknownModels": h.Spec.UnknownModels, "proxyURL": h.Spec.ProxyURL,
		"allowPrivate": h.Spec.AllowPrivate, "insecure": h.Spec.Insecure,
	}
	for member, value := range have {
		if want, given := spec[member]; given && want != value {
			names = append(names, member)
		}
	}
	if want, given := spec["shapes"].([]string); given && !slices.Equal(want, texts(h.Spec.Shapes)) {
		names = append(names, "shapes")
	}
	if want, given := spec["defaultTierPolicyId"]; given && want != h.Spec.DefaultTierPolicyID && want != h.Spec.TierPolicyName {
		names = append(names, "defaultTierPolicyId")
	}
	slices.Sort(names)
	return names
}

func texts[T ~string](values []T) []string {
	out := make([]string, len(values))
	for i, value := range values {
		out[i] = string(value)
	}
	return out
}
