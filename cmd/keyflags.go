package cmd

import (
	"time"

	"github.com/spf13/pflag"

	"relay/store"
)

// keyFlags are the caps and the place of a relay key.
type keyFlags struct {
	limits  limitFlags
	budgets []string
	models  []string
	deny    []string
	cidrs   []string
	expires string
	project string
	account string
	policy  string

	trustUser  bool
	userHeader string
}

// registerCaps adds the flags that may be changed later.
func (k *keyFlags) registerCaps(flags *pflag.FlagSet) {
	k.limits = registerLimits(flags)
	flags.StringArrayVar(&k.budgets, "budget", nil, "`DOLLARS/PERIOD`: 20/day, 100/month, 10/total; repeatable, or none")
	flags.StringSliceVar(&k.models, "models", nil, "only these `MODELS`: MODEL, PROVIDER/, @HOST, MODEL@HOST; or none for all")
	flags.StringSliceVar(&k.deny, "deny", nil, "all but these `MODELS`, or none")
	flags.StringSliceVar(&k.cidrs, "cidr", nil, "only callers from these `NETWORKS`, or none for any")
	flags.BoolVar(&k.trustUser, "trust-user", false, "believe the end user that a request names: limits per user count by it")
	flags.StringVar(&k.userHeader, "user-header", "", "the `HEADER` that names the end user, before the body does, or none; with --trust-user")
	flags.StringVar(&k.expires, "expires", "", "how `LONG` it works (90d), until when (2027-01-31), or none")
}

// registerPlace adds the flags that say whose the key is.
func (k *keyFlags) registerPlace(flags *pflag.FlagSet) {
	flags.StringVar(&k.project, "project", "", "`PROJECT` of the service account that is made for the key (default: default)")
	flags.StringVar(&k.account, "account", "", "`ACCOUNT` to charge, such as team:research (default: the service account)")
	flags.StringVar(&k.policy, "policy", "", "bind the service account to this `POLICY`")
}

// spec returns the members that the flags set, as a merge patch: null lifts.
func (k *keyFlags) spec(flags *pflag.FlagSet, now time.Time) (map[string]any, error) {
	spec := map[string]any{}
	limits, err := k.limits.patch(flags)
	if err != nil {
		return nil, err
	}
	if len(limits) > 0 {
		spec["limits"] = limits
	}
	if flags.Changed("budget") {
		if spec["budgets"], err = parseBudgets(k.budgets); err != nil {
			return nil, err
		}
	}
	for flag, list := range map[string]struct {
		member string
		values []string
	}{"models": {"models", k.models}, "deny": {"deny", k.deny}, "cidr": {"allowedCIDRs", k.cidrs}} {
		if flags.Changed(flag) {
			spec[list.member] = listOrNull(list.values)
		}
	}
	if flags.Changed("trust-user") {
		spec["trustUser"] = k.trustUser
	}
	if flags.Changed("user-header") {
		spec["userHeader"] = textOrNull(k.userHeader)
	}
	if flags.Changed("expires") {
		if spec["expiresAt"], err = parseExpiry(k.expires, now); err != nil {
			return nil, err
		}
	}
	return spec, nil
}

func parseBudgets(texts []string) (any, error) {
	if len(texts) == 1 && texts[0] == none {
		return nil, nil
	}
	return parseBudgetList(texts)
}

func parseBudgetList(texts []string) ([]store.Budget, error) {
	budgets := make([]store.Budget, len(texts))
	for i, text := range texts {
		budget, err := parseBudget(text)
		if err != nil {
			return nil, err
		}
		budgets[i] = budget
	}
	return budgets, nil
}

func listOrNull(values []string) any {
	if len(values) == 1 && values[0] == none {
		return nil
	}
	return values
}

// parseExpiry returns a time in RFC 3339, or nil for none.
func parseExpiry(text string, now time.Time) (any, error) {
	if text == none {
		return nil, nil
	}
	if d, err := store.ParseDuration(text); err == nil && d > 0 {
		return now.Add(d).UTC().Truncate(time.Second).Format(time.RFC3339), nil
	}
	for _, layout := range []string{time.RFC3339, time.DateOnly} {
		if at, err := time.Parse(layout, text); err == nil {
			return at.UTC().Format(time.RFC3339), nil
		}
	}
	return nil, usagef("--expires %s: write how long (90d, 12h), a date (2027-01-31), or none", text)
}
