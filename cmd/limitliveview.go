package cmd

import (
	"cmp"
	"strings"

	"relay/gateway/plan"
)

func liveTable(counts liveLimits) table {
	t := table{columns: []column{left("rule"), left("policy"), left("for"), right("used"), right("left"), left("back to 0"), left("now")}}
	for _, item := range counts.Items {
		for _, rule := range item.Rules {
			t.rows = append(t.rows, liveRows(item.Policy.Name, rule)...)
		}
	}
	return t
}

func liveRows(policy string, rule plan.PolicyRule) [][]string {
	if len(rule.Counters) == 0 {
		return [][]string{{ruleInWords(rule.Rule), policy, "nobody yet", "-", "-", "-", "-"}}
	}
	rows := make([][]string, len(rule.Counters))
	for i, c := range rule.Counters {
		now := "has room"
		if c.Refuses {
			now = "refuses"
		}
		back := resetText(plan.LimitState{ResetSeconds: c.ResetSeconds})
		rows[i] = []string{ruleInWords(rule.Rule), policy, countedSubject(c), grouped(c.Used), grouped(max(0, c.Amount-c.Used)), back, now}
	}
	return rows
}

// countedSubject says whose requests the counter counts.
func countedSubject(c plan.RuleCounter) string {
	parts := []string{}
	for _, part := range []string{c.Subject, c.Per, c.Model} {
		if part != "" {
			parts = append(parts, part)
		}
	}
	return cmp.Or(strings.Join(parts, " "), "everybody")
}
