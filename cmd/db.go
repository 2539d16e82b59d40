package cmd

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"relay/store"
)

func (a *app) dbCommand() *cobra.Command {
	return group("db", "Check the database, or make its file small again", a.dbCheckCommand(), a.dbCompactCommand())
}

func (a *app) dbCheckCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "check [FILE]",
		Short: "Read the whole database, or a backup, and name every fault",
		Long: "Reads every page, record, usage event, counter and sealed value, and compares them\n" +
			"with their checksums. It exits 0 when the database is whole and 65 when it is not.\n" +
			"Relay has to be stopped; a backup can be checked meanwhile.",
		Example: "  relay db check\n  relay backup copy.db && relay db check copy.db",
		Args: func(c *cobra.Command, args []string) error {
			if len(args) == 0 {
				return nil
			}
			return exactly("FILE")(c, args)
		},
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) == 0 {
				return a.offline(func(ctx context.Context, cfg Config, _ []string) error {
					return a.checkDatabase(ctx, cfg, "")
				})(c, args)
			}
			cfg, err := a.config()
			if err != nil {
				return err
			}
			return a.checkDatabase(c.Context(), cfg, args[0])
		},
	}
}

// checkBody is what programs get of a check.
type checkBody struct {
	store.Contents
	Faults []string `json:"faults"`
}

func (a *app) checkDatabase(ctx context.Context, cfg Config, path string) error {
	if path == "" && !hasDatabase(cfg.DataDir) {
		return noDatabase(cfg)
	}
	faults := []string{}
	stop := a.whenSlow("Reading ...")
	contents, err := store.Examine(ctx, storeOptions(cfg), path, func(fault string) { faults = append(faults, fault) })
	stop()
	if err != nil && len(faults) == 0 {
		return err
	}
	t := table{columns: []column{left("fault")}, bare: true}
	for _, fault := range faults {
		t.rows = append(t.rows, []string{fault})
	}
	if err := errors.Join(err, a.show(view{body: checkBody{contents, faults}, names: faults, table: t})); err != nil {
		return err
	}
	what := "The backup " + path
	if path == "" {
		what = "The database in " + cfg.DataDir
	}
	if len(faults) == 0 {
		a.note("%s is whole: %s.", what, contentsInWords(contents))
		return nil
	}
	a.note("%s is damaged: %s. relay restore FILE puts a backup in its place.", what, counted(len(faults), "fault"))
	return outcome(exitDamaged)
}

// contentsInWords says what a database holds.
func contentsInWords(c store.Contents) string {
	text := fmt.Sprintf("%s, %s", counted(c.Records, "record"), counted(int(c.Events), "usage event"))
	if c.Events > 0 && !c.Through.IsZero() {
		text += " through " + c.Through.Local().Format(time.DateTime)
	}
	return text
}

func (a *app) dbCompactCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "compact",
		Short: "Write the database anew without the room of what was deleted",
		Long: "Writes the database anew: the file loses the room that deleted rows have left, and\n" +
			"what still lies there of them. Relay has to be stopped.",
		Args: noArgs,
		RunE: a.offline(func(_ context.Context, cfg Config, _ []string) error {
			stop := a.whenSlow("Writing the database anew ...")
			done, err := store.Compact(storeOptions(cfg))
			stop()
			if err != nil {
				return err
			}
			if !a.human() {
				t := table{columns: []column{right("before"), right("after")}, rows: [][]string{{fmt.Sprint(done.Before), fmt.Sprint(done.After)}}}
				return a.show(view{body: done, names: []string{cfg.DataDir}, table: t})
			}
			a.note("The database in %s has %s now, %s before.", cfg.DataDir, inBytes(done.After), inBytes(done.Before))
			return nil
		}),
	}
}
