package plan

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"relay/limiter"
	"relay/store"
)

// LimitCode returns the code that a refusal by the limit has.
func LimitCode(l *limiter.Limit) string {
	meter := l.Counter.Name().Meter
	switch {
	case meter == limiter.MeterCost:
		return "budget_exceeded"
	case l.Source.Scope == limiter.ScopeOrganization && meter == limiter.MeterConcurrency:
		return "concurrency_limit_exceeded"
	case l.Source.Scope == limiter.ScopeOrganization:
		return "org_rate_limit_exceeded"
	}
	return "rate_limit_exceeded"
}

// LimitKind is what refuses when the limit does: limit or budget.
func LimitKind(l *limiter.Limit) string {
	if l.Counter.Name().Meter == limiter.MeterCost {
		return "budget"
	}
	return "limit"
}

// LimitText says what a limit allows, of what and for whom:
//
//	Limit "chat-rl" of policy chat: 60 requests in 1m, shared by 3 keys
//	Budget of key laptop: $20.00 a day
func LimitText(l *limiter.Limit) string {
	name := l.Counter.Name()
	var b strings.Builder
	b.WriteString(limitTitle(l) + ": ")
	if name.Meter == limiter.MeterCost {
		b.WriteString(dollars(l.Amount) + " " + period(name.Period))
	} else {
		units := unit(name.Meter)
		if l.Amount == 1 {
			units = singular(units)
		}
		b.WriteString(thousands(l.Amount) + " " + units + window(name))
	}
	if l.Warn {
		b.WriteString(" (warns only)")
	}
	return b.String() + sharers(l)
}

// RefusalText is all that callers of some shapes get: whose limit, how much of
// it, who shares it, when to come back.
func RefusalText(r limiter.Refusal) string {
	name := r.Limit.Counter.Name()
	if name.Meter == limiter.MeterCost {
		return budgetRefusal(r, name)
	}
	used := ""
	if name.Meter != limiter.MeterConcurrency {
		used = " used"
	}
	if r.Booking > 0 {
		used += ", and this request may use " + thousands(r.Booking) + " more"
	}
	return fmt.Sprintf("%s: %s of %s %s%s%s%s; retry after %d s.", limitTitle(r.Limit), thousands(r.Used), thousands(r.Limit.Amount),
		unit(name.Meter), window(name), used, sharers(r.Limit), r.RetryAfter())
}

// budgetRefusal has the word quota, on which a widespread framework stops
// retrying.
func budgetRefusal(r limiter.Refusal, name limiter.Name) string {
	reset := ""
	if !r.ResetAt.IsZero() {
		reset = "; it resets " + r.ResetAt.Format("2006-01-02 15:04 MST")
	}
	return fmt.Sprintf("%s: quota of %s %s is used up (%s)%s. Ask your gateway administrator.",
		limitTitle(r.Limit), dollars(r.Limit.Amount), period(name.Period), dollars(r.Used), reset)
}

// OversizedText says that a limit can never take a request that may use so many
// tokens. param is how the request bounds what is generated.
func OversizedText(l *limiter.Limit, tokens int64, param string) string {
	name := l.Counter.Name()
	return fmt.Sprintf("%s allows %s %s%s, and this request may use %s: no wait cures that. Send less, or set a smaller %s.",
		limitTitle(l), thousands(l.Amount), unit(name.Meter), window(name), thousands(tokens), param)
}

func limitTitle(l *limiter.Limit) string {
	switch {
	case l.Source.Owner == "":
		return "Limit " + Quoted(l.Source.Name)
	case l.Counter.Name().Meter == limiter.MeterCost:
		return "Budget of " + l.Source.Owner
	case l.Source.Name != "":
		return "Limit " + Quoted(l.Source.Name) + " of " + l.Source.Owner
	}
	return "Limit of " + l.Source.Owner
}

func sharers(l *limiter.Limit) string {
	if l.Source.SharedBy < 2 || l.Counter.Name().Meter == limiter.MeterCost {
		return ""
	}
	return fmt.Sprintf(", shared by %d keys", l.Source.SharedBy)
}

func period(name string) string {
	if name == limiter.PeriodTotal {
		return "in total"
	}
	return "a " + name
}

func window(name limiter.Name) string {
	if name.Meter == limiter.MeterConcurrency {
		return ""
	}
	return " in " + store.FormatDuration(time.Duration(name.Window)*time.Second)
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

func singular(units string) string {
	if rest, found := strings.CutPrefix(units, "requests"); found {
		return "request" + rest
	}
	return strings.TrimSuffix(units, "s")
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

// Quoted shows text of a caller inside a message: cut, without control
// characters.
func Quoted(s string) string {
	const most = 100
	if len(s) > most {
		s = strings.ToValidUTF8(s[:most], "") + "…"
	}
	return strconv.Quote(s)
}
