package cmd

import (
	"context"
	"encoding/json"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"relay/limiter"
	"relay/store"
)

func limitNoun() noun {
	return noun{kind: store.KindRateLimit, word: "rate limit", command: "limit", list: rateLimitTable, show: rateLimitDetails}
}

func (a *app) limitCommand() *cobra.Command {
	return group("limit", "Make rate limits that policies use",
		a.limitAddCommand(), a.listCommand(limitNoun()), a.limitShowCommand(), a.limitEditCommand(), a.limitResetCommand(), a.removeCommand(limitNoun()))
}

// rateLimitFlags describe a rate limit.
type rateLimitFlags struct {
	limits   limitFlags
	rules    []string
	per      []string
	atCap    string
	charge   string
	onOutage string
	alone    bool
}

func (r *rateLimitFlags) register(flags *pflag.FlagSet) {
	r.limits = registerLimits(flags)
	flags.StringArrayVar(&r.rules, "rule", nil, "`METER:AMOUNT/WINDOW:STRATEGY`, such as requests:100/10m:token-bucket or tokens.output:50000/1h; repeatable")
	flags.StringSliceVar(&r.per, "per", nil, "a count of its own for each `key`, member, team, project, user, model or endpoint; or none: one for all")
	flags.StringVar(&r.atCap, "at-cap", "", "whether a request passes when tokens stand exactly at the amount: `admit` or refuse")
	flags.StringVar(&r.charge, "charge", "", "`WHEN` tokens count: actual, or reserve for an estimate up front")
	flags.StringVar(&r.onOutage, "on-outage", "", "`WHAT` holds while shared counters cannot be reached: local, refuse or allow")
	flags.BoolVar(&r.alone, "standalone", false, "apply to everything by itself, or to what its match selects, and under no policy")
}

// spec returns the members that the flags set, with what becomes of the present
// rules, as a merge patch.
func (r *rateLimitFlags) spec(flags *pflag.FlagSet, present []limiter.Rule) (map[string]any, error) {
	spec := map[string]any{}
	rules, changed, err := r.ruleEdits(flags, present)
	if err != nil {
		return nil, err
	}
	if changed {
		spec["rules"] = rules
	}
	if flags.Changed("per") {
		spec["per"] = listOrNull(r.per)
	}
	for flag, member := range map[string]struct{ name, value string }{
		"at-cap": {"atCap", r.atCap}, "charge": {"charge", r.charge}, "on-outage": {"onOutage", r.onOutage},
	} {
		if flags.Changed(flag) {
			spec[member.name] = textOrNull(member.value)
		}
	}
	if flags.Changed("standalone") {
		spec["standalone"] = r.alone
	}
	return spec, nil
}

func (a *app) limitAddCommand() *cobra.Command {
	var flags rateLimitFlags
	c := &cobra.Command{
		Use:     "add NAME",
		Aliases: []string{"create"},
		Short:   "Make a rate limit",
		Long: "Makes a rate limit. Who is under a policy that uses it shares what it counts; with\n" +
			"--per key each key counts for itself. Windows slide, unless a rule says otherwise. What a\n" +
			"limit matches and when it is suspended stands in manifests (relay apply) and the control API.",
		Example: "  relay limit add chat-rl --rpm 60 --tpm 200000 --concurrency 5\n" +
			"  relay limit add burst --rule requests:100/10m:token-bucket --per key\n" +
			"  relay limit add everybody --rpm 6000 --charge reserve --standalone",
		Args: exactly("NAME"),
	}
	flags.register(c.Flags())
	c.RunE = a.online(func(ctx context.Context, s *session, args []string) error {
		spec, err := flags.spec(c.Flags(), nil)
		if err != nil {
			return err
		}
		if spec["rules"] == nil {
			return usagef("relay limit add: what does it limit? --rpm 60, --tpm 200000, --concurrency 5, or --rule METER:AMOUNT/WINDOW:STRATEGY")
		}
		made, err := (&creation{session: s}).create(ctx, store.KindRateLimit, map[string]any{"name": args[0]}, withoutNulls(spec))
		if err != nil {
			return err
		}
		return a.tellLimit(ctx, s, made.Body)
	})
	return c
}

func (a *app) limitEditCommand() *cobra.Command {
	var flags rateLimitFlags
	var enabled bool
	c := &cobra.Command{
		Use:   "edit NAME",
		Short: "Change the rules of a rate limit one by one",
		Long: "Changes a rate limit. Another amount leaves counts alone; none instead of an amount\n" +
			"takes the rule away, in --rule too.",
		Example: "  relay limit edit chat-rl --rpm 120 --concurrency none\n  relay limit edit burst --rule requests:none/10m:token-bucket\n" +
			"  relay limit edit chat-rl --per key",
		Args: exactly("NAME"),
	}
	flags.register(c.Flags())
	c.Flags().BoolVar(&enabled, "enabled", true, "false lets everything pass, true counts again")
	c.RunE = a.online(func(ctx context.Context, s *session, args []string) error {
		record, err := find(ctx, s, limitNoun(), args[0])
		if err != nil {
			return err
		}
		present, err := decodeRow[store.RateLimit](record.row)
		if err != nil {
			return err
		}
		spec, err := flags.spec(c.Flags(), present.Spec.Rules)
		if err != nil {
			return err
		}
		if c.Flags().Changed("enabled") {
			spec["enabled"] = enabled
		}
		if len(spec) == 0 {
			return nothingToChange(limitNoun())
		}
		row, err := s.patchFound(ctx, limitNoun(), record, spec)
		if err != nil {
			return err
		}
		return a.tellLimit(ctx, s, row)
	})
	return c
}

func (a *app) tellLimit(ctx context.Context, s *session, row json.RawMessage) error {
	return a.tell(ctx, s, limitNoun(), row, func() (string, error) {
		limit, err := decodeRow[store.RateLimit](row)
		if err != nil {
			return "", err
		}
		return limitSentence(ctx, s, &limit)
	})
}
