package cmd

import (
	"context"

	"github.com/spf13/cobra"

	"relay/store/manifest"
)

func (a *app) diffCommand() *cobra.Command {
	flags := applyFlags{dryRun: true, brief: true, source: sourceApply}
	c := &cobra.Command{
		Use:   "diff [-f FILE|DIR|-]",
		Short: "Show where the catalog is not as manifests say",
		Long: "Compares the catalog with manifests, those of config_dir when none are named, and\n" +
			"changes nothing. It shows what relay apply would change, and what was changed\n" +
			"elsewhere since and would be left alone (drift). It exits 0 when both are alike, and\n" +
			"1 when they differ.",
		Example: "  relay diff -f relay.d/\n  relay diff",
		Args:    noArgs,
	}
	c.Flags().StringVarP(&flags.path, "file", "f", "", "`FILE`, folder of .yaml, .yml and .json files, or - for standard input")
	c.RunE = func(c *cobra.Command, args []string) error {
		if flags.path == "" {
			cfg, err := a.config()
			if err != nil {
				return err
			}
			if cfg.ConfigDir == "" {
				return usagef("relay diff: with which manifests? -f FILE, -f DIR, -f - for standard input, or config_dir in the configuration")
			}
			flags.path, flags.source = cfg.ConfigDir, sourceConfigDir
		}
		return a.withManifests(c, args, flags, func(ctx context.Context, s *session, documents []manifest.Document) error {
			counts, err := a.apply(ctx, s, flags, documents)
			if err == nil && counts.differ() {
				return outcome(exitFailed)
			}
			return err
		})
	}
	return c
}
