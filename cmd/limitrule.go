package cmd

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"relay/limiter"
	"relay/store"
)

// ruleEdit puts a rule among others, or with amount 0 takes it away.
type ruleEdit struct {
	limiter.Rule
	anyStrategy bool // the strategy of the rule that is there stays
}

// ruleEdits returns the rules as the flags change the present ones.
func (r *rateLimitFlags) ruleEdits(flags *pflag.FlagSet, present []limiter.Rule) (rules []limiter.Rule, changed bool, err error) {
	edits, err := r.limits.edits(flags)
	if err != nil {
		return nil, false, err
	}
	for _, text := range r.rules {
		edit, err := parseRule(text)
		if err != nil {
			return nil, false, err
		}
		edits = append(edits, edit)
	}
	rules = slices.Clone(present)
	for _, edit := range edits {
		rules = edit.apply(rules)
	}
	return rules, len(edits) > 0, nil
}

// edits returns the rules that the shorthand flags stand for, in their order.
func (l limitFlags) edits(flags *pflag.FlagSet) ([]ruleEdit, error) {
	var edits []ruleEdit
	for _, member := range limitMembers() {
		if !flags.Changed(member[0]) {
			continue
		}
		amount, err := parseAmount(*l[member[0]])
		if err != nil {
			return nil, usagef("--%s %s: %v", member[0], *l[member[0]], err)
		}
		n, _ := amount.(int64) // nil takes the rule away
		edits = append(edits, ruleEdit{shorthandRule(member[0], n), true})
	}
	return edits, nil
}

// shorthandRule is the rule that a member of a limits shorthand stands for.
func shorthandRule(member string, amount int64) limiter.Rule {
	limits := store.Limits{}
	for name, at := range map[string]**int64{
		"rps": &limits.RPS, "rpm": &limits.RPM, "rph": &limits.RPH, "rpd": &limits.RPD,
		"tpm": &limits.TPM, "tpd": &limits.TPD, "concurrency": &limits.Concurrency,
	} {
		if name == member {
			*at = &amount
		}
	}
	return limits.Rules()[0]
}

func (e ruleEdit) apply(rules []limiter.Rule) []limiter.Rule {
	at := slices.IndexFunc(rules, e.means)
	switch {
	case at < 0 && e.Amount == 0:
	case at < 0:
		rules = append(rules, e.Rule)
	case e.Amount == 0:
		rules = slices.Delete(rules, at, at+1)
	default:
		rules[at].Amount = e.Amount
	}
	return rules
}

// means reports whether the rule has the counter of the edit.
func (e ruleEdit) means(rule limiter.Rule) bool {
	if rule.Meter == limiter.MeterConcurrency {
		return e.Meter == limiter.MeterConcurrency
	}
	return rule.Meter == e.Meter && rule.Window == e.Window && (e.anyStrategy || rule.Strategy == e.Strategy)
}

// parseRule reads METER:AMOUNT/WINDOW:STRATEGY. The strategy may be left out,
// and for concurrency the window too.
func parseRule(text string) (ruleEdit, error) {
	fault := func(format string, args ...any) (ruleEdit, error) {
		return ruleEdit{}, usagef("--rule %s: %s", text, fmt.Sprintf(format, args...))
	}
	meter, rest, found := strings.Cut(text, ":")
	rest, strategy, _ := strings.Cut(rest, ":")
	amount, window, windowed := strings.Cut(rest, "/")
	edit := ruleEdit{Rule: limiter.Rule{Meter: limiter.Meter(meter), Window: 60, Strategy: limiter.SlidingWindow}}
	if !found || !windowed && edit.Meter != limiter.MeterConcurrency {
		return fault("write METER:AMOUNT/WINDOW:STRATEGY, such as requests:100/10m:token-bucket")
	}
	n, err := parseAmount(amount)
	if err != nil {
		return fault("amount: %v", err)
	}
	edit.Amount, _ = n.(int64)
	if windowed {
		d, err := store.ParseDuration(window)
		if err != nil || d%time.Second != 0 {
			return fault("the window %q is not a duration of whole seconds, such as 30s, 1m, 24h or 7d", window)
		}
		edit.Window = int64(d / time.Second)
	}
	if strategy != "" {
		edit.Strategy = limiter.Strategy(strategy)
	}
	return edit, edit.check(text)
}

// check tells what the server would refuse, for the text that was typed.
func (e ruleEdit) check(text string) error {
	rule := e.Rule
	rule.Amount = max(rule.Amount, 1) // 0 takes the rule away
	if faults := rule.Check(); len(faults) > 0 {
		return usagef("--rule %s: %s", text, faults[0].Error())
	}
	return nil
}
