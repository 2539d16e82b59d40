package cmd

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"relay/admin"
	"relay/store"
)

// modelRow is a model as the API shows it.
type modelRow struct {
	envelope
	Spec struct {
		store.ModelSpec
		ProviderName string `json:"providerName"`
		Fallbacks    []struct {
			ModelName string `json:"modelName"`
		} `json:"fallbacks"`
	} `json:"spec"`
}

// bindingSpot is where a model runs.
type bindingSpot struct {
	Spec struct {
		store.HostBindingSpec
		HostName string `json:"hostName"`
	} `json:"spec"`
}

// whereabouts are the bindings by model id and the pricings by id.
type whereabouts struct {
	bindings map[string][]bindingSpot
	pricings map[string]*store.Pricing
}

func findWhereabouts(ctx context.Context, s *session) (whereabouts, error) {
	w := whereabouts{map[string][]bindingSpot{}, map[string]*store.Pricing{}}
	rows, err := listRows(ctx, s, store.KindHostBinding, admin.ListQuery{})
	if err != nil {
		return w, err
	}
	bindings, err := decodeRows[bindingSpot](rows)
	if err != nil {
		return w, err
	}
	for _, b := range bindings {
		w.bindings[b.Spec.ModelID] = append(w.bindings[b.Spec.ModelID], b)
	}
	pricings, err := admin.ListAll[store.PricingSpec](ctx, s.Client, admin.ListQuery{})
	for _, p := range pricings {
		w.pricings[p.Metadata.ID] = p
	}
	return w, err
}

// hosts names where the model runs.
func (w whereabouts) hosts(model string) []string {
	var names []string
	for _, b := range w.bindings[model] {
		names = append(names, b.Spec.HostName)
	}
	return names
}

// price returns the dollars for a million of a meter at the first host that
// has a price, or "-".
func (w whereabouts) price(model, meter string) string {
	for _, b := range w.bindings[model] {
		if amount := perMillion(w.pricings[b.Spec.PricingID], meter, time.Now()); amount != "" {
			return amount
		}
	}
	return "-"
}

// perMillion returns the price at now, of requests with little input.
func perMillion(pricing *store.Pricing, meter string, now time.Time) string {
	if pricing == nil {
		return ""
	}
	today := now.UTC().Format(time.DateOnly)
	best := store.Rate{}
	for _, rate := range pricing.Spec.Rates {
		inForce := rate.From <= today && (rate.To == "" || today < rate.To)
		if inForce && rate.Meter == meter && rate.Unit == "per_million" && rate.AboveTokens == 0 && rate.From >= best.From {
			best = rate
		}
	}
	if best.Amount == "" {
		return ""
	}
	return "$" + best.Amount
}

func modelTable(ctx context.Context, s *session, rows []json.RawMessage) (table, error) {
	models, err := decodeRows[modelRow](rows)
	if err != nil {
		return table{}, err
	}
	w, err := findWhereabouts(ctx, s)
	if err != nil {
		return table{}, err
	}
	t := table{columns: []column{left("name"), left("hosts"), left("aliases"), right("context"), right("$/M in"), right("$/M out")}}
	for _, m := range models {
		id := m.Metadata.ID
		t.rows = append(t.rows, []string{
			m.Metadata.Name, cmp.Or(strings.Join(w.hosts(id), ", "), m.fallbackNames("→ "), "-"), cmp.Or(strings.Join(m.Spec.Aliases, ", "), "-"),
			countOrDash(m.Spec.ContextWindow), w.price(id, "tokens.input"), w.price(id, "tokens.output"),
		})
	}
	return t, nil
}

func countOrDash(n int64) string {
	if n == 0 {
		return "-"
	}
	return grouped(n)
}

func (m modelRow) fallbackNames(before string) string {
	names := make([]string, len(m.Spec.Fallbacks))
	for i, fallback := range m.Spec.Fallbacks {
		names[i] = fallback.ModelName
	}
	if len(names) == 0 {
		return ""
	}
	return before + strings.Join(names, ", ")
}

func modelDetails(ctx context.Context, s *session, row json.RawMessage) (table, error) {
	m, err := decodeRow[modelRow](row)
	if err != nil {
		return table{}, err
	}
	w, err := findWhereabouts(ctx, s)
	if err != nil {
		return table{}, err
	}
	t := details(
		[]string{"name", m.Metadata.Name},
		[]string{"id", m.Metadata.ID},
		[]string{"provider", m.Spec.ProviderName},
		[]string{"state", onOff(m.Spec.Enabled)},
		[]string{"aliases", strings.Join(m.Spec.Aliases, ", ")},
		[]string{"fallbacks", m.fallbackNames("")},
		[]string{"context", countOrDash(m.Spec.ContextWindow)},
		[]string{"most output", countOrDash(m.Spec.MaxOutputTokens)},
		[]string{"limits", inWords(m.Spec.Limits, nil)},
		[]string{"created", localTime(m.Metadata.CreatedAt)},
	)
	for _, b := range w.bindings[m.Metadata.ID] {
		t.rows = append(t.rows, []string{"at " + b.Spec.HostName, b.inWords(m.Metadata.Name, w.pricings[b.Spec.PricingID])})
	}
	return t, nil
}

func (b bindingSpot) inWords(model string, pricing *store.Pricing) string {
	parts := []string{"as " + cmp.Or(b.Spec.UpstreamName, model)}
	if pricing == nil {
		return parts[0] + ", no price"
	}
	for _, meter := range pricedMeters() {
		if amount := perMillion(pricing, meter[0], time.Now()); amount != "" {
			parts = append(parts, fmt.Sprintf("%s/M %s", amount, strings.TrimPrefix(meter[1], "price-")))
		}
	}
	return strings.Join(parts, ", ")
}

func onOff(enabled *bool) string {
	if store.Enabled(enabled) {
		return "on"
	}
	return "off"
}

// modelSentence says where requests for a model go now.
func modelSentence(ctx context.Context, s *session, row json.RawMessage) (string, error) {
	m, err := decodeRow[modelRow](row)
	if err != nil {
		return "", err
	}
	w, err := findWhereabouts(ctx, s)
	if err != nil {
		return "", err
	}
	name, hosts := m.Metadata.Name, w.hosts(m.Metadata.ID)
	switch {
	case !store.Enabled(m.Spec.Enabled):
		return fmt.Sprintf("Model %s: switched off.", name), nil
	case len(hosts) > 0:
		return fmt.Sprintf("Model %s: runs at %s%s.", name, listed(hosts), limitsClause(m.Spec.Limits)), nil
	case len(m.Spec.Fallbacks) > 0:
		return fmt.Sprintf("Model %s: stands for %s%s.", name, m.fallbackNames(""), limitsClause(m.Spec.Limits)), nil
	}
	return fmt.Sprintf("Model %s: runs nowhere yet; relay model add %s --host HOST binds it.", name, name), nil
}

func limitsClause(limits *store.Limits) string {
	if words := inWords(limits, nil); words != "" {
		return "; " + words + " for all callers together"
	}
	return ""
}
