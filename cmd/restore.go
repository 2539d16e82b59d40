package cmd

import (
	"context"

	"github.com/spf13/cobra"

	"relay/store"
)

func (a *app) restoreCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "restore FILE",
		Short: "Put a backup in the place of the database",
		Long: "Puts a backup in the place of the database while Relay is stopped. The backup is read\n" +
			"to its last byte first, under the master key of the data directory; when anything is\n" +
			"wrong with it, nothing changes. The former database is kept beside it. It may be\n" +
			"damaged or missing.",
		Example: "  relay restore ~/.local/share/relay/backups/relay-20270131T030000Z.db",
		Args:    exactly("FILE"),
	}
	yes := addYes(c)
	c.RunE = a.offline(func(ctx context.Context, cfg Config, args []string) error {
		if hasDatabase(cfg.DataDir) {
			if err := a.confirm(ctx, *yes, "put %s in the place of the database in %s, which is kept under another name", args[0], cfg.DataDir); err != nil {
				return err
			}
		}
		return a.restore(ctx, cfg, args[0])
	})
	return c
}

func (a *app) restore(ctx context.Context, cfg Config, path string) error {
	stop := a.whenSlow("Reading %s ...", path)
	done, err := store.Restore(ctx, storeOptions(cfg), path)
	stop()
	if err != nil {
		return err
	}
	if !a.human() {
		t := details([]string{"records", grouped(int64(done.Records))}, []string{"usage events", grouped(int64(done.Events))}, []string{"former", done.Former})
		return a.show(view{body: done, names: []string{cfg.DataDir}, table: t})
	}
	a.note("The database in %s is that of %s now: %s.", cfg.DataDir, path, contentsInWords(done.Contents))
	if done.Former != "" {
		a.note("The former one is kept as %s.", done.Former)
	}
	return nil
}
