package cmd

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"relay/admin"
	"relay/store"
)

func pricingNoun() noun {
	return noun{kind: store.KindPricing, word: "pricing", list: pricingTable, show: pricingDetails}
}

func (a *app) pricingCommand() *cobra.Command {
	return group("pricing", "Say what tokens cost",
		a.pricingAddCommand(), a.listCommand(pricingNoun()), a.showCommand(pricingNoun()), a.pricingEditCommand(), a.removeCommand(pricingNoun()))
}

// pricingFlags are the rates of a pricing.
type pricingFlags struct {
	prices map[string]*string // of a million, by meter
	rates  []string
}

// pricingMeters are the meters with a flag of their own.
func pricingMeters() [][2]string {
	return append(pricedMeters(), [2]string{"tokens.cache_creation", "price-cache-write"})
}

func (p *pricingFlags) register(flags *pflag.FlagSet) {
	p.prices = map[string]*string{}
	for _, meter := range pricingMeters() {
		p.prices[meter[0]] = flags.String(meter[1], "", "US `DOLLARS` for a million "+meterInWords(meter[0])+", or none")
	}
	flags.StringArrayVar(&p.rates, "rate", nil, "`METER:DOLLARS/UNIT[,above=TOKENS][,from=DATE][,to=DATE]`, UNIT million, thousand or unit; repeatable")
}

func (a *app) pricingAddCommand() *cobra.Command {
	var flags pricingFlags
	c := &cobra.Command{
		Use:     "add NAME",
		Aliases: []string{"create"},
		Short:   "Make a pricing, which bindings can share",
		Example: "  relay pricing add acme --price-input 2.50 --price-output 10 --price-cached 0.25\n" +
			"  relay pricing add acme-long --price-input 3 --rate tokens.input:6/million,above=200000\n" +
			"  relay pricing add free --price-input 0 --price-output 0",
		Args: exactly("NAME"),
	}
	flags.register(c.Flags())
	c.RunE = a.online(func(ctx context.Context, s *session, args []string) error {
		rates, err := flags.apply(c.Flags(), nil)
		if err != nil {
			return err
		}
		if len(rates) == 0 {
			return usagef("relay pricing add: what does it cost? --price-input 2.50, --price-output 10, or --rate METER:DOLLARS/UNIT")
		}
		spec := map[string]any{"currency": "USD", "rates": rates}
		made, err := (&creation{session: s}).create(ctx, store.KindPricing, map[string]any{"name": args[0]}, spec)
		if err != nil {
			return err
		}
		return a.tellPricing(ctx, s, made.Body)
	})
	return c
}

func (a *app) pricingEditCommand() *cobra.Command {
	var flags pricingFlags
	c := &cobra.Command{
		Use:     "edit NAME",
		Short:   "Change the rates of a pricing one by one",
		Long:    "Changes rates one by one; none instead of an amount takes a rate away. Requests that\nwere made keep the cost that they were recorded with.",
		Example: "  relay pricing edit acme --price-input 2.25 --price-cached none",
		Args:    exactly("NAME"),
	}
	flags.register(c.Flags())
	c.RunE = a.online(func(ctx context.Context, s *session, args []string) error {
		record, err := find(ctx, s, pricingNoun(), args[0])
		if err != nil {
			return err
		}
		present, err := decodeRow[*store.Pricing](record.row)
		if err != nil {
			return err
		}
		rates, err := flags.apply(c.Flags(), present.Spec.Rates)
		if err != nil {
			return err
		}
		if !flags.given(c.Flags()) {
			return nothingToChange(pricingNoun())
		}
		row, err := s.patchFound(ctx, pricingNoun(), record, map[string]any{"rates": rates})
		if err != nil {
			return err
		}
		return a.tellPricing(ctx, s, row)
	})
	return c
}

// pricingUsers names the bindings that use each pricing, by its id.
func pricingUsers(ctx context.Context, s *session) (map[string][]string, error) {
	bindings, err := admin.ListAll[store.HostBindingSpec](ctx, s.Client, admin.ListQuery{})
	users := map[string][]string{}
	for _, b := range bindings {
		users[b.Spec.PricingID] = append(users[b.Spec.PricingID], b.Metadata.Name)
	}
	return users, err
}

func pricingTable(ctx context.Context, s *session, rows []json.RawMessage) (table, error) {
	pricings, err := decodeRows[*store.Pricing](rows)
	if err != nil {
		return table{}, err
	}
	users, err := pricingUsers(ctx, s)
	if err != nil {
		return table{}, err
	}
	t := table{columns: []column{left("name"), left("rates"), left("bindings")}}
	for _, p := range pricings {
		t.rows = append(t.rows, []string{p.Metadata.Name, ratesInWords(p.Spec.Rates), cmp.Or(strings.Join(users[p.Metadata.ID], ", "), "-")})
	}
	return t, nil
}

func pricingDetails(ctx context.Context, s *session, row json.RawMessage) (table, error) {
	p, err := decodeRow[*store.Pricing](row)
	if err != nil {
		return table{}, err
	}
	users, err := pricingUsers(ctx, s)
	if err != nil {
		return table{}, err
	}
	t := details(
		[]string{"name", p.Metadata.Name},
		[]string{"id", p.Metadata.ID},
		[]string{"bindings", strings.Join(users[p.Metadata.ID], ", ")},
		[]string{"created", localTime(p.Metadata.CreatedAt)},
	)
	for _, rate := range p.Spec.Rates {
		t.rows = append(t.rows, []string{"rate", rateInWords(rate)})
	}
	return t, nil
}

// tellPricing shows the row to programs and says to people what now holds.
func (a *app) tellPricing(ctx context.Context, s *session, row json.RawMessage) error {
	return a.tell(ctx, s, pricingNoun(), row, func() (string, error) {
		p, err := decodeRow[*store.Pricing](row)
		if err != nil {
			return "", err
		}
		users, err := pricingUsers(ctx, s)
		used := "; for " + listed(users[p.Metadata.ID])
		if len(users[p.Metadata.ID]) == 0 {
			used = fmt.Sprintf("; nothing has this price yet: relay binding edit NAME --pricing %s", p.Metadata.Name)
		}
		return fmt.Sprintf("Pricing %s: %s%s.", p.Metadata.Name, ratesInWords(p.Spec.Rates), used), err
	})
}
