package cmd

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"relay/admin"
	"relay/store"
)

func (a *app) hostKeyRotateCommand() *cobra.Command {
	var flags secretFlags
	c := &cobra.Command{
		Use:     "rotate NAME",
		Short:   "Replace a stored key by the provider's new one",
		Example: "  relay hostkey rotate openai --value-env NEW_OPENAI_KEY",
		Args:    exactly("NAME"),
	}
	flags.registerValue(c.Flags())
	c.RunE = func(c *cobra.Command, args []string) error {
		if err := flags.check(); err != nil {
			return err
		}
		return a.online(func(ctx context.Context, s *session, args []string) error {
			return a.rotateHostKey(ctx, s, args[0], &flags)
		})(c, args)
	}
	return c
}

func (a *app) rotateHostKey(ctx context.Context, s *session, name string, flags *secretFlags) error {
	record, err := find(ctx, s, hostKeyNoun(), name)
	if err != nil {
		return err
	}
	key, err := decodeRow[hostKeyRow](record.row)
	if err != nil {
		return err
	}
	if key.Spec.Source.Kind != "stored" {
		return &store.Error{Code: store.CodeConflict, Message: fmt.Sprintf("host key %s is %s: change it there, or store one with relay hostkey edit %s --value-file FILE",
			key.Metadata.Name, key.place(), key.Metadata.Name)}
	}
	value, err := a.keySource(ctx, flags, "new key for "+key.Spec.HostName)
	if err != nil {
		return err
	}
	if _, err := s.RotateHostKey(ctx, record.Metadata.ID, value.value); err != nil {
		return err
	}
	row, err := s.GetRaw(ctx, store.KindHostKey, record.Metadata.ID)
	if err != nil {
		return err
	}
	return a.tellHostKey(ctx, s, row.Body)
}

func (a *app) hostKeyTestCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "test NAME",
		Short: "Try a key with one cheap call, and say what came of it",
		Long:  "Asks the host for its models with the key. It exits 0 when the host takes the key and 1\nwhen it does not.",
		Args:  exactly("NAME"),
		RunE: a.online(func(ctx context.Context, s *session, args []string) error {
			record, err := find(ctx, s, hostKeyNoun(), args[0])
			if err != nil {
				return err
			}
			stop := a.whenSlow("Asking the host ...")
			found, err := s.TestHostKey(ctx, record.Metadata.ID)
			stop()
			if err != nil {
				return err
			}
			if s.local != nil && found.Class == "value" {
				a.note("Variables and files were looked for where this command runs; the server has its own.")
			}
			return a.showKeyTest(record.Metadata.Name, found)
		}),
	}
}

func (a *app) showKeyTest(name string, found *admin.KeyTest) error {
	verdict := "works"
	if !found.OK {
		verdict = "does not work"
	}
	if a.human() {
		a.note("Host key %s %s: %s.", name, verdict, found.Result)
	} else {
		t := table{columns: []column{left("name"), left("verdict"), left("result")}, rows: [][]string{{name, verdict, found.Result}}}
		if err := a.show(view{body: found, names: []string{name}, table: t}); err != nil {
			return err
		}
	}
	if !found.OK {
		return outcome(exitFailed)
	}
	return nil
}

func (a *app) hostKeyResetCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "reset NAME",
		Short: "Close a key's breaker, so that it is tried again at once",
		Args:  exactly("NAME"),
		RunE: a.running(func(ctx context.Context, s *session, args []string) error {
			record, err := find(ctx, s, hostKeyNoun(), args[0])
			if err != nil {
				return err
			}
			health, err := s.ResetHostKey(ctx, record.Metadata.ID)
			if err != nil {
				return err
			}
			name, state := record.Metadata.Name, "closed"
			if health.Key != nil {
				state = breakerInWords(*health.Key)
			}
			if !a.human() {
				t := table{columns: []column{left("name"), left("state")}, rows: [][]string{{name, state}}}
				return a.show(view{body: health, names: []string{name}, table: t})
			}
			a.note("Host key %s: its breaker is %s; requests go out with it again.", name, state)
			return nil
		}),
	}
}
