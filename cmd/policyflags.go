package cmd

import (
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"relay/store"
)

// policyFlags describe a policy.
type policyFlags struct {
	models, deny []string
	endpoints    []string
	pools        []string
	selection    string
	limit        string
	budgets      []string
	per          []string
}

func (p *policyFlags) register(flags *pflag.FlagSet) {
	flags.StringSliceVar(&p.models, "models", nil, "only these `MODELS`: MODEL, PROVIDER/, @HOST, MODEL@HOST; or none for all that the keys reach")
	flags.StringSliceVar(&p.deny, "deny", nil, "all but these `MODELS`, or none")
	flags.StringSliceVar(&p.endpoints, "endpoints", nil, "only these `ENDPOINTS`, such as chat, embeddings; or none for all")
	flags.StringArrayVar(&p.pools, "pool", nil, "`NAME=KEYS`: host keys to use, in order, or @HOSTS; without KEYS every one; repeatable, or none")
	flags.StringVar(&p.selection, "selection", "", "how a pool chooses: `prioritized`, round-robin, least-recently-used, weighted or affinity")
	flags.StringVar(&p.limit, "limit", "", "`RATE-LIMIT` for all of it together, or none")
	flags.StringArrayVar(&p.budgets, "budget", nil, "`DOLLARS/PERIOD`: 20/day, 100/month, 10/total; repeatable, or none")
	flags.StringSliceVar(&p.per, "per", nil, "a budget of its own for each `key`, member, team, user or model; or none: one for all")
}

// spec returns the members that the flags set upon the present ones, as a merge
// patch.
func (p *policyFlags) spec(flags *pflag.FlagSet, present *store.PolicySpec) (map[string]any, error) {
	spec := map[string]any{}
	for flag, values := range map[string][]string{"models": p.models, "deny": p.deny, "endpoints": p.endpoints} {
		if flags.Changed(flag) {
			spec[flag] = listOrNull(values)
		}
	}
	if flags.Changed("limit") {
		spec["rateLimitId"] = textOrNull(p.limit)
	}
	if flags.Changed("pool") || flags.Changed("selection") {
		spec["pools"] = p.chosenPools(flags, present.Pools)
	}
	if flags.Changed("budget") || flags.Changed("per") {
		budgets, err := p.chosenBudgets(flags, present.Budgets)
		if err != nil {
			return nil, err
		}
		spec["budgets"] = budgets
	}
	return spec, nil
}

// chosenPools returns the pools of --pool, or the present ones, each with the
// selection that is asked for. A selection alone is that of a pool of every key.
func (p *policyFlags) chosenPools(flags *pflag.FlagSet, pools []store.Pool) any {
	if flags.Changed("pool") {
		if listOrNull(p.pools) == nil {
			return nil
		}
		pools = parsePools(p.pools)
	}
	pools = slices.Clone(pools)
	if len(pools) == 0 {
		pools = []store.Pool{{Name: "main"}}
	}
	for i := range pools {
		if flags.Changed("selection") {
			pools[i].Selection = p.selection
		}
	}
	return pools
}

func parsePools(written []string) []store.Pool {
	pools := make([]store.Pool, len(written))
	for i, text := range written {
		name, members, _ := strings.Cut(text, "=")
		pools[i].Name = name
		for _, member := range splitList(members) {
			if host, isHost := strings.CutPrefix(member, "@"); isHost {
				pools[i].HostIDs = append(pools[i].HostIDs, host)
			} else {
				pools[i].HostKeyIDs = append(pools[i].HostKeyIDs, member)
			}
		}
	}
	return pools
}

// chosenBudgets returns the budgets of --budget, or the present ones, split as
// --per says.
func (p *policyFlags) chosenBudgets(flags *pflag.FlagSet, budgets []store.Budget) (any, error) {
	if flags.Changed("budget") {
		if listOrNull(p.budgets) == nil {
			return nil, nil
		}
		parsed, err := parseBudgetList(p.budgets)
		if err != nil {
			return nil, err
		}
		budgets = parsed
	}
	if len(budgets) == 0 {
		return nil, usagef("--per splits budgets, and there is none: add --budget 20/day; relay limit edit NAME --per key splits a rate limit")
	}
	budgets = slices.Clone(budgets)
	for i := range budgets {
		if flags.Changed("per") {
			budgets[i].Per, _ = listOrNull(p.per).([]string)
		}
	}
	return budgets, nil
}
