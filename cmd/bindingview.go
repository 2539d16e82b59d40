package cmd

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"relay/admin"
	"relay/store"
)

// routeRow is a host binding as the API shows it.
type routeRow struct {
	envelope
	Spec struct {
		store.HostBindingSpec
		ModelName   string `json:"modelName"`
		HostName    string `json:"hostName"`
		PricingName string `json:"pricingName"`
	} `json:"spec"`
}

func bindingTable(_ context.Context, _ *session, rows []json.RawMessage) (table, error) {
	bindings, err := decodeRows[routeRow](rows)
	if err != nil {
		return table{}, err
	}
	t := table{columns: []column{left("name"), left("model"), left("host"), left("name there"), left("pricing"), left("state")}}
	for _, b := range bindings {
		t.rows = append(t.rows, []string{
			b.Metadata.Name, b.Spec.ModelName, b.Spec.HostName, cmp.Or(b.Spec.UpstreamName, b.Spec.ModelName),
			cmp.Or(b.Spec.PricingName, "-"), onOff(b.Spec.Enabled),
		})
	}
	return t, nil
}

func bindingDetails(ctx context.Context, s *session, row json.RawMessage) (table, error) {
	b, err := decodeRow[routeRow](row)
	if err != nil {
		return table{}, err
	}
	price, err := priceOf(ctx, s, b)
	if err != nil {
		return table{}, err
	}
	weight := ""
	if b.Spec.Weight != nil {
		weight = grouped(int64(*b.Spec.Weight))
	}
	return details(
		[]string{"name", b.Metadata.Name},
		[]string{"id", b.Metadata.ID},
		[]string{"model", b.Spec.ModelName},
		[]string{"host", b.Spec.HostName},
		[]string{"name there", cmp.Or(b.Spec.UpstreamName, b.Spec.ModelName)},
		[]string{"shapes", cmp.Or(strings.Join(texts(b.Spec.Shapes), ", "), "those of the host")},
		[]string{"pricing", b.Spec.PricingName},
		[]string{"price", price},
		[]string{"prompt cache", b.Spec.PromptCache},
		[]string{"priority", grouped(int64(b.Spec.Priority))},
		[]string{"weight", weight},
		[]string{"state", onOff(b.Spec.Enabled)},
		[]string{"created", localTime(b.Metadata.CreatedAt)},
	), nil
}

// priceOf says what the model costs there.
func priceOf(ctx context.Context, s *session, b routeRow) (string, error) {
	if b.Spec.PricingID == "" {
		return "none: requests there are unpriced", nil
	}
	pricing, err := admin.Get[store.PricingSpec](ctx, s.Client, b.Spec.PricingID)
	if err != nil {
		return "", err
	}
	return ratesInWords(pricing.Spec.Rates), nil
}

// tellBinding shows the row to programs and says to people what now holds.
func (a *app) tellBinding(ctx context.Context, s *session, row json.RawMessage) error {
	return a.tell(ctx, s, bindingNoun(), row, func() (string, error) {
		b, err := decodeRow[routeRow](row)
		if err != nil {
			return "", err
		}
		if !store.Enabled(b.Spec.Enabled) {
			return fmt.Sprintf("Binding %s: switched off; no request for %s goes to %s.", b.Metadata.Name, b.Spec.ModelName, b.Spec.HostName), nil
		}
		price, err := priceOf(ctx, s, b)
		return fmt.Sprintf("Binding %s: %s runs at %s as %s; price %s.", b.Metadata.Name, b.Spec.ModelName, b.Spec.HostName,
			cmp.Or(b.Spec.UpstreamName, b.Spec.ModelName), price), err
	})
}
