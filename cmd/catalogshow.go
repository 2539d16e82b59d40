package cmd

import (
	"cmp"
	"context"
	"strings"

	"github.com/spf13/cobra"

	"relay/admin"
	"relay/store"
)

func (a *app) catalogShowCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "show NAME",
		Short:   "Show a host with its models, or a model with its hosts, and what they cost",
		Example: "  relay catalog show openai\n  relay catalog show claude-haiku-4-5",
		Args:    exactly("NAME"),
		RunE: a.online(func(ctx context.Context, s *session, args []string) error {
			list, err := listShipped(ctx, s, true)
			if err != nil {
				return err
			}
			offers, err := listOffers(ctx, s)
			if err != nil {
				return err
			}
			for _, h := range list.Hosts {
				if strings.EqualFold(h.Name, args[0]) {
					return a.showShippedHost(h, offers)
				}
			}
			return a.showShippedModel(ctx, s, args[0], offers)
		}),
	}
}

// offer is a model at a host with its present pricing.
type offer struct {
	Model   string            `json:"model"`
	Host    string            `json:"host"`
	Context string            `json:"context,omitempty"` // where it is wider than the model's
	Rates   []store.Rate      `json:"rates,omitempty"`
	About   map[string]string `json:"about,omitempty"` // where the price comes from
}

func listOffers(ctx context.Context, s *session) ([]offer, error) {
	models, err := namesByID[store.ModelSpec](ctx, s)
	if err != nil {
		return nil, err
	}
	hosts, err := namesByID[store.HostSpec](ctx, s)
	if err != nil {
		return nil, err
	}
	pricings, err := admin.ListAll[store.PricingSpec](ctx, s.Client, admin.ListQuery{})
	if err != nil {
		return nil, err
	}
	priced := map[string]*store.Pricing{}
	for _, p := range pricings {
		priced[p.Metadata.ID] = p
	}
	bindings, err := admin.ListAll[store.HostBindingSpec](ctx, s.Client, admin.ListQuery{Sort: "name"})
	var offers []offer
	for _, b := range bindings {
		o := offer{Model: models[b.Spec.ModelID], Host: hosts[b.Spec.HostID], Context: b.Metadata.Annotations["catalog/context"]}
		if p := priced[b.Spec.PricingID]; p != nil {
			o.Rates, o.About = p.Spec.Rates, p.Metadata.Annotations
		}
		offers = append(offers, o)
	}
	return offers, err
}

// price is what the offer costs, in words.
func (o offer) price() string { return cmp.Or(ratesInWords(o.Rates), "no price") }

// source is where the price comes from and when it was last compared.
func (o offer) source() string {
	return strings.Join(strings.Fields(o.About["catalog/source"]+" "+o.About["catalog/checked"]), ", ")
}

func (a *app) showShippedHost(h shippedHost, offers []offer) error {
	verified := "yes"
	if h.Unverified {
		verified = "no: try it before you rely on it"
	}
	t := details(
		[]string{"host", h.Name}, []string{"title", h.Title}, []string{"base URL", h.BaseURL}, []string{"auth", h.Auth},
		[]string{"shapes", strings.Join(texts(h.Shapes), ", ")}, []string{"key is usually in", strings.Join(h.Env, ", ")},
		[]string{"prices", h.Pricing}, []string{"verified", verified},
	)
	body := struct {
		shippedHost
		Offers []offer `json:"offers"`
	}{h, []offer{}}
	for _, o := range offers {
		if o.Host == h.Name {
			body.Offers = append(body.Offers, o)
			t.rows = append(t.rows, []string{o.Model, o.price() + "; " + cmp.Or(o.source(), "not of the catalogue")})
		}
	}
	return a.show(view{body: body, names: []string{h.Name}, table: t})
}

func (a *app) showShippedModel(ctx context.Context, s *session, name string, offers []offer) error {
	m, err := admin.Get[store.ModelSpec](ctx, s.Client, name)
	if refusedAs(err, store.CodeNotFound) {
		return &store.Error{Code: store.CodeNotFound, Message: "no host and no model of the catalogue is called " + name + ": relay catalog list --all names the hosts"}
	}
	if err != nil {
		return err
	}
	t := details(
		[]string{"model", m.Metadata.Name}, []string{"title", m.Metadata.DisplayName}, []string{"released", m.Spec.ReleaseDate},
		[]string{"context", tokensInWords(m.Spec.ContextWindow)}, []string{"output", tokensInWords(m.Spec.MaxOutputTokens)},
		[]string{"deprecated", deprecationInWords(m.Spec.Deprecation)},
	)
	body := struct {
		Model  *store.Model `json:"model"`
		Offers []offer      `json:"offers"`
	}{m, []offer{}}
	for _, o := range offers {
		if o.Model == m.Metadata.Name {
			body.Offers = append(body.Offers, o)
			t.rows = append(t.rows, []string{"at " + o.Host, o.price() + "; " + cmp.Or(o.source(), "not of the catalogue")})
		}
	}
	return a.show(view{body: body, names: []string{m.Metadata.Name}, table: t})
}

func tokensInWords(n int64) string {
	if n == 0 {
		return ""
	}
	return grouped(n) + " tokens"
}

func deprecationInWords(d *store.Deprecation) string {
	if d == nil || d.Status == "active" {
		return ""
	}
	text := "ends on " + d.SunsetDate
	if d.Status == "sunset" {
		text = "ended on " + d.SunsetDate
	}
	if d.Replacement != "" {
		text += "; the vendor names " + d.Replacement
	}
	return text
}
