package cmd

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"relay/admin"
	"relay/gateway/plan"
	"relay/store"
)

// hostRow is a host as the API shows it.
type hostRow struct {
	envelope
	Spec struct {
		store.HostSpec
		TierPolicyName string `json:"defaultTierPolicyName"`
	} `json:"spec"`
	Status *plan.HostState `json:"status"`
}

// state says in a word or two whether requests can go there.
func (h hostRow) state() string {
	switch {
	case !store.Enabled(h.Spec.Enabled):
		return "off"
	case h.Status != nil && h.Status.Health != "unknown":
		return h.Status.Health
	}
	return "on"
}

// hostUse is what belongs to a host: names of its keys that are switched on,
// and how many models run there.
type hostUse struct {
	keys   map[string][]string // by host id
	models map[string]int
}

func findHostUse(ctx context.Context, s *session) (hostUse, error) {
	use := hostUse{map[string][]string{}, map[string]int{}}
	keys, err := admin.ListAll[store.HostKeySpec](ctx, s.Client, admin.ListQuery{})
	if err != nil {
		return use, err
	}
	for _, key := range keys {
		if store.Enabled(key.Spec.Enabled) {
			use.keys[key.Spec.HostID] = append(use.keys[key.Spec.HostID], key.Metadata.Name)
		}
	}
	bindings, err := admin.ListAll[store.HostBindingSpec](ctx, s.Client, admin.ListQuery{})
	for _, binding := range bindings {
		if store.Enabled(binding.Spec.Enabled) {
			use.models[binding.Spec.HostID]++
		}
	}
	return use, err
}

func hostTable(ctx context.Context, s *session, rows []json.RawMessage) (table, error) {
	hosts, err := decodeRows[hostRow](rows)
	if err != nil {
		return table{}, err
	}
	use, err := findHostUse(ctx, s)
	if err != nil {
		return table{}, err
	}
	t := table{columns: []column{left("name"), left("base URL"), left("shapes"), right("keys"), right("models"), left("state")}}
	for _, h := range hosts {
		id := h.Metadata.ID
		t.rows = append(t.rows, []string{
			h.Metadata.Name, h.Spec.BaseURL, strings.Join(texts(h.Spec.Shapes), ", "), h.keyCount(use), grouped(int64(use.models[id])), h.state(),
		})
	}
	return t, nil
}

func (h hostRow) keyCount(use hostUse) string {
	if h.Spec.Auth == "none" {
		return "needs none"
	}
	return grouped(int64(len(use.keys[h.Metadata.ID])))
}

func hostDetails(ctx context.Context, s *session, row json.RawMessage) (table, error) {
	h, err := decodeRow[hostRow](row)
	if err != nil {
		return table{}, err
	}
	use, err := findHostUse(ctx, s)
	if err != nil {
		return table{}, err
	}
	t := details(
		[]string{"name", h.Metadata.Name},
		[]string{"id", h.Metadata.ID},
		[]string{"base URL", h.Spec.BaseURL},
		[]string{"shapes", strings.Join(texts(h.Spec.Shapes), ", ")},
		[]string{"takes a key as", h.Spec.Auth},
		[]string{"keys", cmp.Or(strings.Join(use.keys[h.Metadata.ID], ", "), "none")},
		[]string{"models", grouped(int64(use.models[h.Metadata.ID]))},
		[]string{"unknown models", cmp.Or(h.Spec.UnknownModels, "refuse")},
		[]string{"tier policy", h.Spec.TierPolicyName},
		[]string{"proxy", h.Spec.ProxyURL},
		[]string{"state", h.state()},
		[]string{"missing", strings.Join(h.missing(use), "; ")},
		[]string{"created", localTime(h.Metadata.CreatedAt)},
	)
	if h.Status != nil && h.Status.LastError != "" {
		t.rows = append(t.rows, []string{"last error", h.Status.LastError})
	}
	return t, nil
}

// missing says what has to be done before requests can go to the host.
func (h hostRow) missing(use hostUse) []string {
	name, id := h.Metadata.Name, h.Metadata.ID
	var steps []string
	if !store.Enabled(h.Spec.Enabled) {
		steps = append(steps, fmt.Sprintf("it is switched off: relay host edit %s --enabled", name))
	}
	if open := store.BaseURLPlaceholders(h.Spec.BaseURL); len(open) > 0 {
		steps = append(steps, fmt.Sprintf("its base URL leaves open %s: relay host edit %s --base-url URL", listed(open), name))
	}
	if h.Spec.Auth != "none" && len(use.keys[id]) == 0 {
		steps = append(steps, fmt.Sprintf("it has no key yet: relay hostkey add %s --host %s", name, name))
	}
	if use.models[id] == 0 && h.Spec.UnknownModels != "forward" {
		steps = append(steps, fmt.Sprintf("no model runs there yet: relay host discover %s --bind", name))
	}
	return steps
}

// tellHost shows the row to programs and says to people what now holds.
func (a *app) tellHost(ctx context.Context, s *session, row json.RawMessage) error {
	return a.tell(ctx, s, hostNoun(), row, func() (string, error) {
		h, err := decodeRow[hostRow](row)
		if err != nil {
			return "", err
		}
		use, err := findHostUse(ctx, s)
		if err != nil {
			return "", err
		}
		sentence := fmt.Sprintf("Host %s: speaks %s at %s", h.Metadata.Name, listed(texts(h.Spec.Shapes)), h.Spec.BaseURL)
		if steps := h.missing(use); len(steps) > 0 {
			return sentence + "; " + strings.Join(steps, "; ") + ".", nil
		}
		return fmt.Sprintf("%s, with %s and %s.", sentence, counted(len(use.keys[h.Metadata.ID]), "key"), counted(use.models[h.Metadata.ID], "model")), nil
	})
}
