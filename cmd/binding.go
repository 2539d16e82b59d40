package cmd

import (
	"context"
	"errors"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"relay/store"
)

func bindingNoun() noun {
	return noun{kind: store.KindHostBinding, word: "binding", list: bindingTable, show: bindingDetails}
}

func (a *app) bindingCommand() *cobra.Command {
	return group("binding", "Say which host runs which model, and how",
		a.bindingAddCommand(), a.listCommand(bindingNoun()), a.showCommand(bindingNoun()), a.bindingEditCommand(), a.removeCommand(bindingNoun()))
}

// routeFlags say how requests for a model go to a host.
type routeFlags struct {
	bindingFlags
	pricing     string
	promptCache string
	priority    int
	weight      int
}

func (r *routeFlags) register(flags *pflag.FlagSet) {
	r.registerRun(flags)
	flags.StringVar(&r.pricing, "pricing", "", "`PRICING` that says what it costs there, or none")
	flags.StringVar(&r.promptCache, "prompt-cache", "", "`auto` marks what an Anthropic upstream may cache, off does not")
	flags.IntVar(&r.priority, "priority", 0, "the smallest `NUMBER` goes first")
	flags.IntVar(&r.weight, "weight", 0, "share among hosts in pools with selection weighted: `NUMBER`")
}

// spec returns the members that the flags set, as a merge patch.
func (r *routeFlags) spec(flags *pflag.FlagSet) map[string]any {
	spec := r.bindingFlags.spec()
	for flag, member := range map[string]struct {
		name  string
		value any
	}{
		"pricing": {"pricingId", textOrNull(r.pricing)}, "prompt-cache": {"promptCache", r.promptCache},
		"priority": {"priority", r.priority}, "weight": {"weight", r.weight},
	} {
		if flags.Changed(flag) {
			spec[member.name] = member.value
		}
	}
	return spec
}

func (r *routeFlags) check() error {
	if r.pricing != "" && len(r.rates()) > 0 {
		return usagef("--pricing and --price-… both say what it costs: give one of them")
	}
	return r.bindingFlags.check()
}

func (a *app) bindingAddCommand() *cobra.Command {
	var flags routeFlags
	c := &cobra.Command{
		Use:     "add MODEL --host HOST",
		Aliases: []string{"create"},
		Short:   "Let a host run a model that is there already",
		Example: "  relay binding add llama3.2:3b --host lab\n" +
			"  relay binding add acme-chat --host eu --upstream-name acme-chat-eu --price-input 2.50 --price-output 10",
		Args: exactly("MODEL"),
	}
	flags.register(c.Flags())
	c.Flags().StringVar(&flags.host, "host", "", "`HOST` that runs the model")
	c.RunE = func(c *cobra.Command, args []string) error {
		if flags.host == "" {
			return usagef("relay binding add: where does %s run? --host HOST; relay host ls --all lists them", args[0])
		}
		if err := flags.check(); err != nil {
			return err
		}
		return a.online(func(ctx context.Context, s *session, args []string) error {
			return a.addBinding(ctx, s, args[0], flags, flags.spec(c.Flags()))
		})(c, args)
	}
	return c
}

func (a *app) addBinding(ctx context.Context, s *session, model string, flags routeFlags, spec map[string]any) error {
	record, err := find(ctx, s, modelNoun(), model)
	if err != nil {
		return err
	}
	made := &creation{session: s}
	answer, err := flags.bindAs(ctx, made, record.Metadata, withoutNulls(spec))
	if err != nil {
		return errors.Join(err, made.takeBack(ctx))
	}
	return a.tellBinding(ctx, s, answer.Body)
}

func (a *app) bindingEditCommand() *cobra.Command {
	var flags routeFlags
	var enabled bool
	c := &cobra.Command{
		Use:     "edit NAME",
		Short:   "Change how a host runs a model, and what it costs there",
		Example: "  relay binding edit acme-chat-eu --price-input 2.25\n  relay binding edit acme-chat-eu --enabled=false",
		Args:    exactly("NAME"),
	}
	flags.register(c.Flags())
	c.Flags().BoolVar(&enabled, "enabled", true, "false sends no requests there, true does again")
	c.RunE = func(c *cobra.Command, args []string) error {
		if err := flags.check(); err != nil {
			return err
		}
		return a.online(func(ctx context.Context, s *session, args []string) error {
			spec := flags.spec(c.Flags())
			if c.Flags().Changed("enabled") {
				spec["enabled"] = enabled
			}
			return a.editBinding(ctx, s, args[0], flags, spec)
		})(c, args)
	}
	return c
}

func (a *app) editBinding(ctx context.Context, s *session, name string, flags routeFlags, spec map[string]any) error {
	if len(spec) == 0 && len(flags.rates()) == 0 {
		return nothingToChange(bindingNoun())
	}
	record, err := find(ctx, s, bindingNoun(), name)
	if err != nil {
		return err
	}
	b, err := decodeRow[routeRow](record.row)
	if err != nil {
		return err
	}
	flags.host = b.Spec.HostName
	row, err := flags.alter(ctx, s, b.Metadata.ID, b.Spec.PricingID, b.Spec.ModelName, spec)
	if err != nil {
		return err
	}
	return a.tellBinding(ctx, s, row)
}
