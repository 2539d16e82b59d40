package cmd

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"relay/admin"
	"relay/store"
	"relay/store/manifest"
)

type applyFlags struct {
	path   string
	dryRun bool
	force  bool
}

func (a *app) applyCommand() *cobra.Command {
	var flags applyFlags
	c := &cobra.Command{
		Use:   "apply -f FILE|DIR|-",
		Short: "Make the catalog hold what manifests say",
		Long: "Applies manifests in one write: all or nothing. It exits 0 when done, 1 when a dry\n" +
			"run would change something, 4 when it was refused.",
		Example: "  relay apply -f relay.d/\n  relay apply -f team.yaml --dry-run",
		Args:    noArgs,
	}
	c.Flags().StringVarP(&flags.path, "file", "f", "", "`FILE`, folder of .yaml, .yml and .json files, or - for standard input")
	c.Flags().BoolVar(&flags.dryRun, "dry-run", false, "only show what would change")
	c.Flags().BoolVar(&flags.force, "force", false, "also overwrite what was changed elsewhere since")
	c.RunE = func(c *cobra.Command, args []string) error {
		if flags.path == "" {
			return usagef("relay apply: which manifests? -f FILE, -f DIR, or -f - for standard input")
		}
		documents, problems := manifest.ReadPath(flags.path, manifest.Options{LookupEnv: a.Env, Stdin: a.Stdin})
		if len(problems) > 0 {
			return unreadable(problems)
		}
		return a.online(func(ctx context.Context, s *session, _ []string) error {
			return a.apply(ctx, s, flags, documents)
		})(c, args)
	}
	return c
}

// unreadable refuses manifests that are wrong in themselves, each fault with
// its place.
func unreadable(problems []manifest.FileProblem) error {
	lines := make([]string, len(problems))
	for i, p := range problems {
		lines[i] = p.String()
	}
	return &store.Error{Code: store.CodeInvalid, Message: strings.Join(lines, "\n")}
}

func (a *app) apply(ctx context.Context, s *session, flags applyFlags, documents []manifest.Document) error {
	applied, err := s.Apply(ctx, admin.ApplyRequest{Documents: documents, DryRun: flags.dryRun, Force: flags.force}, 0)
	if err != nil {
		return err
	}
	counts := map[string]int{}
	t := table{columns: []column{left("kind"), left("name"), left("change"), left("members")}}
	names := make([]string, 0, len(applied.Changes))
	for _, change := range applied.Changes {
		counts[change.Action]++
		names = append(names, change.Name)
		t.rows = append(t.rows, []string{string(change.Kind), change.Name, change.Action, strings.Join(change.Members, ", ")})
	}
	if err := a.show(view{body: applied, names: names, table: t}); err != nil {
		return err
	}
	a.note("%s", appliedSentence(counts, flags.dryRun))
	if flags.dryRun && counts[manifest.ActionCreate]+counts[manifest.ActionUpdate] > 0 {
		return outcome(exitFailed)
	}
	return nil
}

func appliedSentence(counts map[string]int, dryRun bool) string {
	did := "Applied"
	if dryRun {
		did = "Would apply"
	}
	return fmt.Sprintf("%s: %d created, %d updated, %d unchanged%s.", did,
		counts[manifest.ActionCreate], counts[manifest.ActionUpdate], counts[manifest.ActionUnchanged], driftInWords(counts[manifest.ActionDrift]))
}

func driftInWords(n int) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf(", %d changed elsewhere and left alone (--force overwrites)", n)
}
