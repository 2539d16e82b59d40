package cmd

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"relay/admin"
	"relay/store/catalogdata"
)

func (a *app) catalogUpdateCommand() *cobra.Command {
	var in admin.CatalogueUpdate
	c := &cobra.Command{
		Use:   "update FILE|URL",
		Short: "Put another catalogue in the place of the present one",
		Long: "Reads a catalogue from a file, a folder of .yaml files or a URL and puts it in the place of\n" +
			"the present one, in one write: all or nothing. What you have edited stays as it is, and\n" +
			"what you have deleted stays away unless its text has changed. Relay asks no one for a\n" +
			"catalogue by itself.",
		Example: "  relay catalog update catalog.yaml --dry-run\n  relay catalog update https://example.com/relay/catalog.yaml",
		Args:    exactly("FILE|URL"),
	}
	c.Flags().BoolVar(&in.DryRun, "dry-run", false, "only show what would change")
	c.Flags().BoolVar(&in.Force, "force", false, "also when its release is not newer")
	c.RunE = func(c *cobra.Command, args []string) error {
		text, err := a.readCatalogue(c.Context(), args[0])
		if err != nil {
			return err
		}
		in.Text, in.Source = string(text), catalogueName(args[0])
		return a.online(func(ctx context.Context, s *session, _ []string) error {
			changed, err := s.UpdateCatalogue(ctx, in)
			if err != nil {
				return err
			}
			return a.showCatalogueChanges(changed, "Took", "take")
		})(c, args)
	}
	return c
}

func (a *app) catalogDiffCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "diff [FILE|URL]",
		Short: "Show where records differ from the catalogue, or what another one would change",
		Long: "Shows where records differ from the catalogue that they come from: what you have edited.\n" +
			"With a file or URL, what that catalogue would change. It exits 1 when something would change.",
		Args: cobra.MaximumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			in := admin.CatalogueUpdate{DryRun: true, Force: true}
			if len(args) > 0 {
				text, err := a.readCatalogue(c.Context(), args[0])
				if err != nil {
					return err
				}
				in.Text, in.Source = string(text), catalogueName(args[0])
			}
			return a.online(func(ctx context.Context, s *session, _ []string) error { return a.diffCatalogue(ctx, s, in) })(c, args)
		},
	}
}

func (a *app) diffCatalogue(ctx context.Context, s *session, in admin.CatalogueUpdate) error {
	if in.Text == "" {
		changed, err := s.DiffCatalogue(ctx)
		if err != nil {
			return err
		}
		return a.showCatalogueChanges(changed, "", "write")
	}
	changed, err := s.UpdateCatalogue(ctx, in)
	if err != nil {
		return err
	}
	return a.showCatalogueChanges(changed, "", "take")
}

func (a *app) catalogRollbackCommand() *cobra.Command {
	var dryRun bool
	c := &cobra.Command{
		Use:   "rollback",
		Short: "Go back to the former catalogue",
		Long: "Goes back to the catalogue that was in place before the last update, in one write. What you\n" +
			"have edited stays as it is; rows that only the present catalogue has go, unless something\n" +
			"needs them.",
		Args: noArgs,
	}
	c.Flags().BoolVar(&dryRun, "dry-run", false, "only show what would change")
	yes := addYes(c)
	c.RunE = a.online(func(ctx context.Context, s *session, _ []string) error {
		if err := a.confirm(ctx, *yes || dryRun, "go back to the former catalogue"); err != nil {
			return err
		}
		changed, err := s.RollbackCatalogue(ctx, dryRun)
		if err != nil {
			return err
		}
		return a.showCatalogueChanges(changed, "Went back to", "go back to")
	})
	return c
}

// showCatalogueChanges shows the diff, and says what now holds. A trial that
// would change something exits 1.
func (a *app) showCatalogueChanges(changed *admin.CatalogueChanged, did, would string) error {
	t := table{columns: []column{left("kind"), left("name"), left("change"), left("what")}}
	names, counts := make([]string, len(changed.Changes)), map[string]int{}
	for i, c := range changed.Changes {
		names[i] = c.Name
		counts[c.Action]++
		t.rows = append(t.rows, []string{string(c.Kind), c.Name, c.Action, cmp.Or(strings.Join(c.Prices, "; "), strings.Join(c.Members, ", "))})
	}
	if err := a.show(view{body: changed, names: names, table: t}); err != nil {
		return err
	}
	of := fmt.Sprintf("release %d of %s", changed.Release, changed.Date)
	moved := counts[catalogdata.ActionCreate] + counts[catalogdata.ActionUpdate] + counts[catalogdata.ActionDelete]
	if changed.DryRun {
		a.note("Would %s: %s. The catalogue in place is %s.", would, movesInWords(counts), of)
		if moved > 0 {
			return outcome(exitFailed)
		}
		return nil
	}
	a.note("%s %s: %s.", did, of, movesInWords(counts))
	return nil
}

func movesInWords(counts map[string]int) string {
	parts := []string{
		fmt.Sprintf("%d created", counts[catalogdata.ActionCreate]), fmt.Sprintf("%d updated", counts[catalogdata.ActionUpdate]), fmt.Sprintf("%d deleted", counts[catalogdata.ActionDelete]),
	}
	if edited := counts[catalogdata.ActionDrift] + counts[catalogdata.ActionKept]; edited > 0 {
		parts = append(parts, fmt.Sprintf("%d that you have edited stay", edited))
	}
	if needed := counts[catalogdata.ActionNeeded]; needed > 0 {
		parts = append(parts, fmt.Sprintf("%d that something needs stay", needed))
	}
	return strings.Join(parts, ", ")
}
