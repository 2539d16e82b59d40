package cmd

import (
	"cmp"
	"context"
	"encoding/json"
	"strings"

	"relay/gateway/plan"
	"relay/store"
)

// hostKeyRow is a host key as the API shows it.
type hostKeyRow struct {
	envelope
	Spec struct {
		store.HostKeySpec
		HostName       string `json:"hostName"`
		AccountName    string `json:"accountName"`
		TierPolicyName string `json:"tierPolicyName"`
	} `json:"spec"`
	Status *plan.KeyState `json:"status"`
}

// place says where the value is.
func (k hostKeyRow) place() string {
	switch k.Spec.Source.Kind {
	case "env":
		return "in the server's variable " + k.Spec.Source.Env
	case "file":
		return "in the file " + k.Spec.Source.Path
	}
	if k.Spec.ValueHint == "" {
		return "kept sealed"
	}
	return "kept sealed (" + k.Spec.ValueHint + ")"
}

// governed says what else holds for the key.
func (k hostKeyRow) governed() string {
	text := ""
	if k.Spec.AccountName != "" {
		text += " and account " + k.Spec.AccountName
	}
	if k.Spec.TierPolicyName != "" {
		text += ", under tier policy " + k.Spec.TierPolicyName
	}
	return text
}

// state says in a few words whether requests go out with the key.
func (k hostKeyRow) state() string {
	switch {
	case !store.Enabled(k.Spec.Enabled):
		return "off"
	case k.Status == nil || k.Status.State == "closed":
		return "on"
	}
	return breakerInWords(*k.Status)
}

func hostKeyTable(_ context.Context, _ *session, rows []json.RawMessage) (table, error) {
	keys, err := decodeRows[hostKeyRow](rows)
	if err != nil {
		return table{}, err
	}
	t := table{columns: []column{left("name"), left("host"), left("value"), left("account"), left("tier policy"), left("state")}}
	for _, k := range keys {
		t.rows = append(t.rows, []string{
			k.Metadata.Name, k.Spec.HostName, k.place(), cmp.Or(k.Spec.AccountName, "-"), cmp.Or(k.Spec.TierPolicyName, "-"), k.state(),
		})
	}
	return t, nil
}

func hostKeyDetails(_ context.Context, _ *session, row json.RawMessage) (table, error) {
	k, err := decodeRow[hostKeyRow](row)
	if err != nil {
		return table{}, err
	}
	return details(
		[]string{"name", k.Metadata.Name},
		[]string{"id", k.Metadata.ID},
		[]string{"host", k.Spec.HostName},
		[]string{"value", k.place()},
		[]string{"hash", k.Spec.ValueHash},
		[]string{"account", k.Spec.AccountName},
		[]string{"tier policy", k.Spec.TierPolicyName},
		[]string{"state", k.state()},
		[]string{"created", localTime(k.Metadata.CreatedAt)},
		[]string{"changed", localTime(k.Metadata.UpdatedAt)},
	), nil
}

// breakerInWords says what a breaker does: "open until 12:04: 401 from the
// host".
func breakerInWords(state plan.KeyState) string {
	var b strings.Builder
	b.WriteString(state.State)
	if !state.Until.IsZero() {
		b.WriteString(" until " + localTime(state.Until))
	}
	if state.Reason != "" {
		b.WriteString(": " + state.Reason)
	}
	return b.String()
}
