package cmd

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"relay/store"
)

func policyNoun() noun {
	return noun{kind: store.KindPolicy, word: "policy", list: policyTable, show: policyDetails}
}

func (a *app) policyCommand() *cobra.Command {
	return group("policy", "Say which models may be used, with whose keys, and how much",
		a.policyAddCommand(), a.listCommand(policyNoun()), a.showCommand(policyNoun()), a.policyEditCommand(),
		a.policyBindCommand(), a.policyUnbindCommand(), a.resetBudgetCommand(policyNoun()), a.removeCommand(policyNoun()))
}

func (a *app) policyAddCommand() *cobra.Command {
	var flags policyFlags
	var tierOf string
	c := &cobra.Command{
		Use:     "add NAME",
		Aliases: []string{"create"},
		Short:   "Make a policy",
		Example: "  relay policy add chat --models openai/gpt-4.1-mini --limit chat-rl --budget 20/day\n" +
			"  relay policy add fallback --pool main=openai,openai-2 --pool spare=azure --selection round-robin\n" +
			"  relay policy add openai-tier-2 --tier-of openai --limit openai-tier-2",
		Args: exactly("NAME"),
	}
	flags.register(c.Flags())
	c.Flags().StringVar(&tierOf, "tier-of", "", "make it a tier policy, for keys of this `HOST`")
	c.RunE = a.online(func(ctx context.Context, s *session, args []string) error {
		spec, err := flags.spec(c.Flags(), &store.PolicySpec{})
		if err != nil {
			return err
		}
		metadata := map[string]any{"name": args[0]}
		if tierOf != "" {
			metadata["owner"] = map[string]any{"kind": store.KindHost, "id": tierOf}
		}
		made, err := (&creation{session: s}).create(ctx, store.KindPolicy, metadata, withoutNulls(spec))
		if err != nil {
			return err
		}
		return a.tellPolicy(ctx, s, made.Body)
	})
	return c
}

func (a *app) policyEditCommand() *cobra.Command {
	var flags policyFlags
	var enabled bool
	c := &cobra.Command{
		Use:     "edit NAME",
		Short:   "Change a policy",
		Example: "  relay policy edit chat --budget 50/day --limit none\n  relay policy edit chat --enabled=false",
		Args:    exactly("NAME"),
	}
	flags.register(c.Flags())
	c.Flags().BoolVar(&enabled, "enabled", true, "false refuses all that is under it, true lets it pass again")
	c.RunE = a.online(func(ctx context.Context, s *session, args []string) error {
		record, err := find(ctx, s, policyNoun(), args[0])
		if err != nil {
			return err
		}
		present, err := decodeRow[*store.Policy](record.row)
		if err != nil {
			return err
		}
		spec, err := flags.spec(c.Flags(), &present.Spec)
		if err != nil {
			return err
		}
		if c.Flags().Changed("enabled") {
			spec["enabled"] = enabled
		}
		if len(spec) == 0 {
			return nothingToChange(policyNoun())
		}
		row, err := s.patchFound(ctx, policyNoun(), record, spec)
		if err != nil {
			return err
		}
		return a.tellPolicy(ctx, s, row)
	})
	return c
}

// tellPolicy shows the row to programs and says to people what now holds.
func (a *app) tellPolicy(ctx context.Context, s *session, row json.RawMessage) error {
	return a.tell(ctx, s, policyNoun(), row, func() (string, error) {
		p, err := decodeRow[policyRow](row)
		if err != nil {
			return "", err
		}
		policy, err := decodeRow[*store.Policy](row)
		if err != nil {
			return "", err
		}
		caps, err := policyInWords(ctx, s, policy)
		parts := append(p.grants(), caps)
		if !store.Enabled(p.Spec.Enabled) {
			parts = []string{caps}
		}
		return fmt.Sprintf("Policy %s: %s.", p.Metadata.Name, strings.Join(parts, "; ")), err
	})
}
