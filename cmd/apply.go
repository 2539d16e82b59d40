package cmd

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"relay/admin"
	"relay/store"
	"relay/store/manifest"
)

type applyFlags struct {
	path     string
	source   string
	dryRun   bool
	force    bool
	brief    bool // show nothing of what is alike
	prune    bool
	selector []string
}

func (a *app) applyCommand() *cobra.Command {
	flags := applyFlags{source: sourceApply}
	c := &cobra.Command{
		Use:   "apply -f FILE|DIR|-",
		Short: "Make the catalog hold what manifests say",
		Long: "Applies manifests in one write: all or nothing. A record is changed when its text has\n" +
			"changed since it was last applied; what was changed elsewhere meanwhile stays, which is\n" +
			"shown as drift, and what was deleted stays away. It exits 0 when done, 1 when a dry run\n" +
			"would change something, 4 when it was refused.",
		Example: "  relay apply -f relay.d/\n  relay apply -f team.yaml --dry-run\n  relay apply -f team/ --prune --selector team=research",
		Args:    noArgs,
	}
	c.Flags().StringVarP(&flags.path, "file", "f", "", "`FILE`, folder of .yaml, .yml and .json files, or - for standard input")
	c.Flags().BoolVar(&flags.dryRun, "dry-run", false, "only show what would change")
	c.Flags().BoolVar(&flags.force, "force", false, "also overwrite what was changed elsewhere since, and make again what was deleted")
	c.Flags().BoolVar(&flags.prune, "prune", false, "also delete what was applied before, has the labels of --selector, and is not among the manifests")
	c.Flags().StringSliceVar(&flags.selector, "selector", nil, "`LABEL=VALUE` of the records that --prune may delete; repeatable")
	c.RunE = func(c *cobra.Command, args []string) error {
		if flags.path == "" {
			return usagef("relay apply: which manifests? -f FILE, -f DIR, or -f - for standard input")
		}
		if _, err := flags.labels(); err != nil {
			return err
		}
		return a.withManifests(c, args, flags, func(ctx context.Context, s *session, documents []manifest.Document) error {
			counts, err := a.apply(ctx, s, flags, documents)
			if err == nil && flags.dryRun && counts.change() {
				return outcome(exitFailed)
			}
			return err
		})
	}
	return c
}

// labels reads --selector, without which nothing is pruned.
func (f applyFlags) labels() (map[string]string, error) {
	switch {
	case f.prune && len(f.selector) == 0:
		return nil, usagef("relay apply --prune: of which records? --selector LABEL=VALUE names them by a label")
	case !f.prune && len(f.selector) > 0:
		return nil, usagef("relay apply --selector: goes with --prune only")
	}
	labels := map[string]string{}
	for _, text := range f.selector {
		label, value, found := strings.Cut(text, "=")
		if !found || label == "" {
			return nil, usagef("--selector %s: must be LABEL=VALUE", text)
		}
		labels[label] = value
	}
	return labels, nil
}

// withManifests reads manifests and runs what is to be done with them, or tells
// everything that is wrong with them.
func (a *app) withManifests(c *cobra.Command, args []string, flags applyFlags, run func(context.Context, *session, []manifest.Document) error) error {
	documents, problems := manifest.ReadPath(flags.path, manifest.Options{LookupEnv: a.Env, Stdin: a.Stdin})
	if len(problems) > 0 && !a.canAsk() {
		return unreadableAlone(documents, problems)
	}
	return a.online(func(ctx context.Context, s *session, _ []string) error {
		if len(problems) == 0 {
			return run(ctx, s, documents)
		}
		_, err := s.Apply(ctx, admin.ApplyRequest{Documents: documents, Unread: problems, DryRun: true, Source: flags.source}, 0)
		if refused := (*admin.Problem)(nil); errors.As(err, &refused) && len(refused.Errors) > 0 {
			return lineByLine(refused.Errors)
		}
		return unreadableAlone(documents, problems)
	})(c, args)
}

// canAsk reports whether there is a catalog to compare with, without making one.
func (a *app) canAsk() bool {
	cfg, err := a.config()
	return err == nil && (a.serverURL() != "" || hasDatabase(cfg.DataDir))
}

// lineByLine refuses for faults that begin with their places.
func lineByLine(faults []store.Problem) error {
	lines := make([]string, len(faults))
	for i, one := range faults {
		lines[i] = faultLine(one)
	}
	return &store.Error{Code: store.CodeInvalid, Message: strings.Join(lines, "\n")}
}

// unreadableAlone refuses manifests that are wrong in themselves, together with
// what is wrong with the others on a new database.
func unreadableAlone(documents []manifest.Document, problems []manifest.FileProblem) error {
	base, err := newCatalog()
	if err != nil {
		return err
	}
	return unreadable(manifest.Check(base, documents, manifest.ApplyOptions{}, problems))
}

// unreadable refuses manifests, each fault with its place.
func unreadable(problems []manifest.FileProblem) error {
	lines := make([]string, len(problems))
	for i, p := range problems {
		lines[i] = p.String()
	}
	return &store.Error{Code: store.CodeInvalid, Message: strings.Join(lines, "\n")}
}

// changeCounts counts changes by their action.
type changeCounts map[string]int

// change reports whether something changes, or would.
func (c changeCounts) change() bool {
	return c[manifest.ActionCreate]+c[manifest.ActionUpdate]+c[manifest.ActionDelete] > 0
}

// differ also counts what is left alone.
func (c changeCounts) differ() bool { return c.change() || c[manifest.ActionDrift] > 0 }

func (a *app) apply(ctx context.Context, s *session, flags applyFlags, documents []manifest.Document) (changeCounts, error) {
	labels, err := flags.labels()
	if err != nil {
		return nil, err
	}
	request := admin.ApplyRequest{Documents: documents, DryRun: flags.dryRun, Force: flags.force, Prune: labels, Source: flags.source}
	applied, err := s.Apply(ctx, request, 0)
	if err != nil {
		return nil, err
	}
	counts := changeCounts{}
	t := table{columns: []column{left("kind"), left("name"), left("change"), left("members")}}
	names := make([]string, 0, len(applied.Changes))
	for _, change := range applied.Changes {
		counts[change.Action]++
		if flags.brief && change.Action == manifest.ActionUnchanged {
			continue
		}
		names = append(names, change.Name)
		members := strings.Join(change.Members, ", ")
		if change.Note != "" {
			members = change.Note
		}
		t.rows = append(t.rows, []string{string(change.Kind), change.Name, change.Action, members})
	}
	if err := a.show(view{body: applied, names: names, table: t}); err != nil {
		return nil, err
	}
	a.note("%s", counts.sentence(flags.dryRun))
	return counts, nil
}

func (c changeCounts) sentence(dryRun bool) string {
	did := "Applied"
	if dryRun {
		did = "Would apply"
	}
	text := fmt.Sprintf("%s: %d created, %d updated, %d unchanged", did, c[manifest.ActionCreate], c[manifest.ActionUpdate], c[manifest.ActionUnchanged])
	if n := c[manifest.ActionDelete]; n > 0 {
		text += fmt.Sprintf(", %d deleted", n)
	}
	if n := c[manifest.ActionDrift]; n > 0 {
		text += fmt.Sprintf(", %d changed or deleted elsewhere and left alone (--force overwrites)", n)
	}
	return text + "."
}
