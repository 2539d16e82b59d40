package foreign

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"

	"relay/limiter"
	"relay/store"
)

const minute = 60 // seconds

// rulesOf makes the rules of requests and tokens per minute and of requests in
// flight; what is 0 is not limited.
func rulesOf(rpm, tpm, parallel int64) []limiter.Rule {
	var rules []limiter.Rule
	for _, r := range []struct {
		meter  limiter.Meter
		amount int64
	}{{limiter.MeterRequests, rpm}, {limiter.MeterTokens, tpm}, {limiter.MeterConcurrency, parallel}} {
		if r.amount > 0 {
			rules = append(rules, limiter.Rule{Meter: r.meter, Amount: r.amount, Window: minute, Strategy: limiter.SlidingWindow})
		}
	}
	return rules
}

func limitsOf(rpm, tpm, parallel int64) *store.Limits {
	if rpm == 0 && tpm == 0 && parallel == 0 {
		return nil
	}
	return &store.Limits{RPM: positive(rpm), TPM: positive(tpm), Concurrency: positive(parallel)}
}

func positive(n int64) *int64 {
	if n == 0 {
		return nil
	}
	return &n
}

// dollars writes an amount with at most nine decimals. ok is false for what no
// budget can be: nothing, or more than there is money.
func dollars(amount float64) (text string, ok bool) {
	if amount < 1e-9 || amount > 9e9 {
		return "", false
	}
	return store.FormatNanoDollars(int64(math.Round(amount * 1e9))), true
}

var spanPattern = regexp.MustCompile(`^([0-9]{1,6})(s|m|h|d|w|mo)$`)

// budgetOf turns an amount per span into a budget per calendar period. How it
// differs is in the note; "" when it does not.
func budgetOf(amount float64, span string) (budget *store.Budget, note string) {
	period, share, note := periodOf(span)
	text, ok := dollars(amount * share)
	if !ok {
		return nil, "a budget of nothing"
	}
	return &store.Budget{Amount: text, Period: period}, note
}

// periodOf finds the calendar period for a span. Shorter spans become the next
// longer period with the same amount, which is never more; longer ones a month
// with its share.
func periodOf(span string) (period string, share float64, note string) {
	span = strings.ToLower(strings.TrimSpace(span))
	if span == "" {
		return "total", 1, ""
	}
	switch span {
	case "1d", "24h":
		return "day", 1, "budget of a day: from midnight (limits.timezone)"
	case "7d", "1w":
		return "week", 1, "budget of 7 days: from Monday on"
	case "30d", "31d", "1mo":
		return "month", 1, "budget of a month: from the first on"
	}
	found := spanPattern.FindStringSubmatch(span)
	if found == nil {
		return "total", 1, fmt.Sprintf("budget_duration %q is not known: the budget never starts anew", span)
	}
	n, _ := strconv.ParseFloat(found[1], 64)
	days := n * map[string]float64{"s": 1.0 / 86400, "m": 1.0 / 1440, "h": 1.0 / 24, "d": 1, "w": 7, "mo": 30}[found[2]]
	switch {
	case days <= 1:
		return "day", 1, "budget of " + span + ": the same amount for a day, which is less"
	case days <= 7:
		return "week", 1, "budget of " + span + ": the same amount for a week, which is no more"
	case days <= 31:
		return "month", 1, "budget of " + span + ": the same amount for a month, which is no more"
	}
	return "month", 30 / days, "budget of " + span + ": its share for each month"
}

// perMillion writes a price per token as one per million tokens.
func perMillion(perToken float64) (string, bool) {
	if perToken < 0 || perToken > 1 {
		return "", false
	}
	return decimal(perToken * 1e6), true
}

func decimal(amount float64) string {
	text := strconv.FormatFloat(math.Round(amount*1e6)/1e6, 'f', -1, 64)
	return text
}
