package cmd

import (
	"context"
	"errors"
	"maps"

	"github.com/spf13/cobra"
)

func (a *app) hostKeyEditCommand() *cobra.Command {
	var flags hostKeyFlags
	var enabled bool
	c := &cobra.Command{
		Use:     "edit NAME",
		Short:   "Change what governs a key, or where it is found; rotate replaces a stored one",
		Example: "  relay hostkey edit openai --tier-policy openai-tier-2\n  relay hostkey edit openai --from-env OPENAI_API_KEY",
		Args:    exactly("NAME"),
	}
	flags.register(c.Flags())
	c.Flags().BoolVar(&enabled, "enabled", true, "false switches the key off, true on again")
	c.RunE = func(c *cobra.Command, args []string) error {
		if err := flags.check(); err != nil {
			return err
		}
		return a.online(func(ctx context.Context, s *session, args []string) error {
			spec := map[string]any{}
			if c.Flags().Changed("enabled") {
				spec["enabled"] = enabled
			}
			return a.editHostKey(ctx, s, args[0], flags, spec)
		})(c, args)
	}
	return c
}

func (a *app) editHostKey(ctx context.Context, s *session, name string, flags hostKeyFlags, spec map[string]any) error {
	record, err := find(ctx, s, hostKeyNoun(), name)
	if err != nil {
		return err
	}
	key, err := decodeRow[hostKeyRow](record.row)
	if err != nil {
		return err
	}
	if flags.tierPolicy != "" {
		spec["tierPolicyId"] = textOrNull(flags.tierPolicy)
	}
	if flags.count() > 0 {
		if err := a.moveSource(ctx, key, flags, spec); err != nil {
			return err
		}
	}
	made := &creation{session: s}
	if err := a.placeInAccount(ctx, made, flags.account, key.Spec.HostID, spec); err != nil {
		return err
	}
	if len(spec) == 0 {
		return nothingToChange(hostKeyNoun())
	}
	row, err := s.patchFound(ctx, hostKeyNoun(), record, spec)
	if err != nil {
		return errors.Join(err, made.takeBack(ctx))
	}
	return a.tellHostKey(ctx, s, row)
}

// moveSource says where the value is from now on.
func (a *app) moveSource(ctx context.Context, key hostKeyRow, flags hostKeyFlags, spec map[string]any) error {
	if key.Spec.Source.Kind == "stored" && flags.fromEnv == "" && flags.fromFile == "" {
		return usagef("relay hostkey rotate %s replaces a stored key", key.Metadata.Name)
	}
	source, err := a.keySource(ctx, &flags.secretFlags, "key for "+key.Spec.HostName)
	if err != nil {
		return err
	}
	maps.Copy(spec, source.spec())
	return nil
}
