package cmd

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	"relay/store"
)

func keyNoun() noun {
	return noun{kind: store.KindRelayKey, word: "key", list: keyTable, show: keyDetails}
}

func (a *app) keyCommand() *cobra.Command {
	return group("key", "Hand out keys and cap what each may spend",
		a.keyAddCommand(), a.listCommand(keyNoun()), a.showCommand(keyNoun()), a.keyEditCommand(),
		a.keyRotateCommand(), a.keyRevokeCommand(), a.keyTopUpCommand(), a.resetBudgetCommand(keyNoun()), a.removeCommand(keyNoun()))
}

func (a *app) keyAddCommand() *cobra.Command {
	var flags keyFlags
	c := &cobra.Command{
		Use:     "add NAME",
		Aliases: []string{"create"},
		Short:   "Make a key and print it, this once",
		Example: "  relay key add script --rpm 10 --budget 2/day\n  relay key add alice --policy chat --expires 90d",
		Args:    exactly("NAME"),
	}
	flags.registerCaps(c.Flags())
	flags.registerPlace(c.Flags())
	c.RunE = a.online(func(ctx context.Context, s *session, args []string) error {
		if err := a.canShowPlaintext(); err != nil {
			return err
		}
		spec, err := flags.spec(c.Flags(), time.Now())
		if err != nil {
			return err
		}
		made, err := createKey(ctx, s, args[0], withoutNulls(spec), flags)
		if err != nil {
			return err
		}
		if err := a.showPlaintext(ctx, s, made); err != nil {
			return err
		}
		return a.noteCaps(ctx, s, made.Key, flags.policy)
	})
	return c
}

func (a *app) keyEditCommand() *cobra.Command {
	var flags keyFlags
	var enabled bool
	c := &cobra.Command{
		Use:     "edit NAME",
		Short:   "Change the caps of a key",
		Example: "  relay key edit script --rpm 60 --budget none",
		Args:    exactly("NAME"),
	}
	flags.registerCaps(c.Flags())
	c.Flags().BoolVar(&enabled, "enabled", true, "false switches the key off, true on again")
	c.RunE = a.online(func(ctx context.Context, s *session, args []string) error {
		spec, err := flags.spec(c.Flags(), time.Now())
		if err != nil {
			return err
		}
		if c.Flags().Changed("enabled") {
			spec["enabled"] = enabled
		}
		row, err := a.patch(ctx, s, keyNoun(), args[0], spec)
		if err != nil {
			return err
		}
		return a.noteCaps(ctx, s, row, "")
	})
	return c
}
