package gateway

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"relay/gateway/wire"
	"relay/limiter"
	"relay/store"
)

// limited turns a refused reserve into what the caller sees.
func (x *exchange) limited(r limiter.Refusal) error {
	x.refusal = r
	name := r.Limit.Counter.Name()
	e := wire.NewError(limitCode(r.Limit, name), limitText(r, name))
	e.RefusedBy = "limit"
	if name.Meter == limiter.MeterCost {
		e.RefusedBy = "budget"
	}
	e.RetryAfter = max(r.Wait, 0)
	e.RateLimit = &wire.RateLimit{
		Name: r.Limit.Source.Name, Meter: string(name.Meter), Window: name.Window,
		Amount: r.Limit.Amount, Used: r.Used, Scope: r.Limit.Source.Scope.String(),
		SharedBy: r.Limit.Source.SharedBy, RetryAfter: max(r.Wait, 0),
	}
	return e
}

func limitCode(l *limiter.Limit, name limiter.Name) string {
	switch {
	case name.Meter == limiter.MeterCost:
		return wire.CodeBudgetExceeded
	case l.Source.Scope == limiter.ScopeOrganization && name.Meter == limiter.MeterConcurrency:
		return wire.CodeConcurrencyExceeded
	case l.Source.Scope == limiter.ScopeOrganization:
		return wire.CodeOrgRateLimitExceeded
	}
	return wire.CodeRateLimitExceeded
}

// limitText is all that callers of some shapes get: whose limit, how much of
// it, who shares it, when to come back.
func limitText(r limiter.Refusal, name limiter.Name) string {
	if name.Meter == limiter.MeterCost {
		return budgetText(r, name)
	}
	var b strings.Builder
	b.WriteString("Limit ")
	if r.Limit.Source.Name != "" {
		b.WriteString(quoted(r.Limit.Source.Name) + " ")
	}
	fmt.Fprintf(&b, "of %s: %s of %s %s", r.Limit.Source.Owner, thousands(r.Used), thousands(r.Limit.Amount), unit(name.Meter))
	if name.Meter != limiter.MeterConcurrency {
		fmt.Fprintf(&b, " in %s used", store.FormatDuration(time.Duration(name.Window)*time.Second))
	}
	if r.Limit.Source.SharedBy > 1 {
		fmt.Fprintf(&b, ", shared by %d keys", r.Limit.Source.SharedBy)
	}
	fmt.Fprintf(&b, "; retry after %d s.", r.RetryAfter())
	return b.String()
}

func unit(m limiter.Meter) string {
	switch m {
	case limiter.MeterRequests:
		return "requests"
	case limiter.MeterConcurrency:
		return "requests in flight"
	case limiter.MeterTokens:
		return "tokens"
	}
	return strings.ReplaceAll(strings.TrimPrefix(string(m), "tokens."), "_", " ") + " tokens"
}

// budgetText has the word quota, on which a widespread framework stops
// retrying.
func budgetText(r limiter.Refusal, name limiter.Name) string {
	period, reset := "a "+name.Period, ""
	if name.Period == "total" {
		period = "in total"
	} else if !r.ResetAt.IsZero() {
		reset = "; it resets " + r.ResetAt.Format("2006-01-02 15:04 MST")
	}
	return fmt.Sprintf("Budget of %s: quota of %s %s is used up (%s)%s. Ask your gateway administrator.",
		r.Limit.Source.Owner, dollars(r.Limit.Amount), period, dollars(r.Used), reset)
}

// keysFull says that every key which could take the request is at a limit of
// its own.
func (x *exchange) keysFull(p *picker) error {
	host := x.way.Pools[0].Candidates[0].Key.Host.Name()
	r := limiter.Refusal{Wait: p.soonest}
	e := wire.NewError(wire.CodeRateLimitExceeded, fmt.Sprintf("All %d keys for %s at %s are at their own limit; retry after %d s.", p.full, x.model.Name, host, r.RetryAfter()))
	if p.full == 1 {
		e.Message = fmt.Sprintf("The key for %s at %s is at its own limit; retry after %d s.", x.model.Name, host, r.RetryAfter())
	}
	e.RefusedBy, e.RetryAfter = "limit", p.soonest
	return e
}

// dollars writes nano-dollars with cents, and with more decimals only below a
// dollar.
func dollars(nanos int64) string {
	if nanos >= 1e9 || nanos%1e7 == 0 {
		cents := (nanos + 5e6) / 1e7
		return "$" + thousands(cents/100) + "." + fmt.Sprintf("%02d", cents%100)
	}
	text := strconv.FormatFloat(float64(nanos)/1e9, 'f', 6, 64)
	return "$" + strings.TrimRight(text, "0")
}

// thousands writes a count with commas.
func thousands(n int64) string {
	digits := strconv.FormatInt(n, 10)
	for i := len(digits) - 3; i > 0 && digits[i-1] != '-'; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}
