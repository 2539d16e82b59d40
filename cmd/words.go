package cmd

import (
	"fmt"
	"strings"

	"relay/limiter"
	"relay/store"
)

// inWords says what limits and budgets allow: "60 requests a minute, $20.00 a
// day"; "" when they do not limit anything.
func inWords(limits *store.Limits, budgets []store.Budget) string {
	var parts []string
	for _, rule := range limits.Rules() {
		parts = append(parts, ruleInWords(rule))
	}
	for _, budget := range budgets {
		parts = append(parts, budgetInWords(budget))
	}
	return strings.Join(parts, ", ")
}

func ruleInWords(rule limiter.Rule) string {
	if rule.Meter == limiter.MeterConcurrency {
		return fmt.Sprintf("%s in flight", grouped(rule.Amount))
	}
	unit := strings.ReplaceAll(strings.TrimPrefix(string(rule.Meter), "tokens."), "_", " ")
	if strings.HasPrefix(string(rule.Meter), "tokens.") {
		unit += " tokens"
	}
	if rule.Amount == 1 {
		unit = strings.TrimSuffix(unit, "s")
	}
	return fmt.Sprintf("%s %s %s", grouped(rule.Amount), unit, windowInWords(rule))
}

func windowInWords(rule limiter.Rule) string {
	switch rule.Window {
	case 1:
		return "a second"
	case 60:
		return "a minute"
	case 3600:
		return "an hour"
	case 86400:
		return "a day"
	}
	return "in " + store.FormatDuration(rule.WindowDuration())
}

func budgetInWords(budget store.Budget) string {
	amount := "$" + budget.Amount
	if nanos, err := store.ParseNanoDollars(budget.Amount); err == nil {
		amount = dollars(nanos)
	}
	text := amount + " a " + budget.Period
	if budget.Period == "total" {
		text = amount + " in all"
	}
	if budget.OnExceed == "warn" {
		text += " (warns only)"
	}
	return text
}

// parseBudget reads "20/day": dollars and the period that they are for.
func parseBudget(text string) (store.Budget, error) {
	amount, period, found := strings.Cut(text, "/")
	switch {
	case !found:
		return store.Budget{}, usagef("--budget %s: write dollars and a period, such as 20/day, 100/month or 10/total", text)
	case period != "day" && period != "week" && period != "month" && period != "total":
		return store.Budget{}, usagef("--budget %s: the period must be day, week, month or total", text)
	}
	amount = strings.TrimPrefix(strings.TrimSpace(amount), "$")
	if nanos, err := store.ParseNanoDollars(amount); err != nil || nanos <= 0 {
		return store.Budget{}, usagef("--budget %s: the amount must be dollars above 0, such as 20 or 0.50", text)
	}
	return store.Budget{Amount: amount, Period: period}, nil
}

// counted writes a number of things: "1 record", "1,200 records".
func counted(n int, word string) string {
	if n == 1 {
		return "1 " + word
	}
	return grouped(int64(n)) + " " + word + "s"
}

// listed joins words as a sentence does.
func listed(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:len(words)-1], ", ") + " and " + words[len(words)-1]
}
