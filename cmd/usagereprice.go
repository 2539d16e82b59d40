package cmd

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"relay/admin"
	"relay/store"
)

func (a *app) repriceCommand() *cobra.Command {
	var in admin.RepriceRequest
	c := &cobra.Command{
		Use:   "reprice --since TIME",
		Short: "Work out what recorded requests cost anew, with the prices as they are now",
		Long: "Works out the cost of recorded requests anew: with the price list that their model has at\n" +
			"their host now, as it says for the time of each request. Requests without a price get one,\n" +
			"and one that is known stays where there is none any more. What budgets and limits have\n" +
			"counted stays as it is. Nothing else ever changes a recorded cost.",
		Example: "  relay usage reprice --since 30d --dry-run\n  relay usage reprice --since 2026-11-01 --until 2026-12-01",
		Args:    noArgs,
	}
	c.Flags().StringVar(&in.Since, "since", "", "how `LONG` back (24h, 7d), or a date or time")
	c.Flags().StringVar(&in.Until, "until", "", "`END`, likewise (default: now)")
	c.Flags().BoolVar(&in.DryRun, "dry-run", false, "only show what would change")
	c.RunE = func(c *cobra.Command, args []string) error {
		if in.Since == "" {
			return usagef("relay usage reprice: from when on? --since 7d, --since 2026-11-01")
		}
		in.Since, in.Until = moment(in.Since), moment(in.Until)
		return a.online(func(ctx context.Context, s *session, _ []string) error { return a.reprice(ctx, s, in) })(c, args)
	}
	return c
}

func (a *app) reprice(ctx context.Context, s *session, in admin.RepriceRequest) error {
	stop := a.whenSlow("Working out what requests cost ...")
	sums, err := s.Reprice(ctx, in)
	stop()
	if err != nil {
		return err
	}
	t := details(
		[]string{"requests", grouped(sums.Events)},
		[]string{"cost changed", grouped(sums.Changed)},
		[]string{"newly priced", grouped(sums.NewlyPriced)},
		[]string{"without a price", grouped(sums.Unpriced)},
		[]string{"cost before", dollars(sums.BeforeNanos)},
		[]string{"cost after", dollars(sums.AfterNanos)},
	)
	if err := a.show(view{body: sums, table: t}); err != nil {
		return err
	}
	a.note("%s", repricedSentence(sums, in.DryRun))
	return nil
}

func repricedSentence(sums *store.Repriced, dryRun bool) string {
	switch {
	case sums.Changed == 0:
		return "Every cost is as the prices have it; nothing to change."
	case dryRun:
		return fmt.Sprintf("Would change the cost of %s of %s requests; without --dry-run it does.", grouped(sums.Changed), grouped(sums.Events))
	}
	return fmt.Sprintf("Changed the cost of %s of %s requests. What budgets have counted stays as it is.", grouped(sums.Changed), grouped(sums.Events))
}
