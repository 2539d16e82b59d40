package limiter

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// The periods of a budget.
const (
	PeriodDay   = "day"
	PeriodWeek  = "week" // from Monday
	PeriodMonth = "month"
	PeriodTotal = "total" // never resets
)

// Name is what a counter is known by. Owner, Limit, Subject, Model and Per are
// any text; ids, so that renaming a record leaves its counters alone.
//
// A concurrency counter is known by its meter alone: Strategy and Window do not
// count. A budget (MeterCost) is known by its Period; its Timezone says when
// the next period begins and is no part of the name, so that changing it
// forgets no spending.
type Name struct {
	Owner, Limit, Subject, Model, Per string

	Meter    Meter
	Strategy Strategy
	Window   int64  // seconds
	Period   string // budgets: one of the periods
	Timezone string // budgets: IANA name; empty is UTC
}

// Check says what is wrong with a name: an unknown meter, strategy, period or
// time zone, or a window out of range.
func (n Name) Check() error {
	switch {
	case n.Meter == MeterConcurrency:
		return nil
	case n.Meter == MeterCost:
		return n.checkBudget()
	case !n.Meter.valid():
		return fmt.Errorf("counter has the unknown meter %q", n.Meter)
	case !n.Strategy.valid() && n.Strategy != Aligned:
		return fmt.Errorf("counter has the unknown strategy %q", n.Strategy)
	case n.Window <= 0 || n.Window > MaxWindow:
		return fmt.Errorf("counter has a window of %d s, outside 1 to %d", n.Window, int64(MaxWindow))
	}
	return nil
}

func (n Name) checkBudget() error {
	switch n.Period {
	case PeriodDay, PeriodWeek, PeriodMonth, PeriodTotal:
	default:
		return fmt.Errorf("budget has the unknown period %q", n.Period)
	}
	if _, err := time.LoadLocation(n.Timezone); err != nil {
		return fmt.Errorf("load the budget's time zone: %w", err)
	}
	return nil
}

// identity returns the name without the members that tell no counters apart.
func (n Name) identity() Name {
	n.Timezone = ""
	switch n.Meter {
	case MeterConcurrency:
		n.Strategy, n.Window, n.Period = "", 0, ""
	case MeterCost:
		n.Strategy, n.Window = "", 0
	default:
		n.Period = ""
	}
	return n
}

// String returns the name as the key of its state at rest:
// owner/limit/subject/model/per/meter/strategy-or-period/window, with % and /
// escaped. The form is the same in every release.
func (n Name) String() string {
	n = n.identity()
	window := ""
	if n.Window != 0 {
		window = strconv.FormatInt(n.Window, 10)
	}
	parts := []string{
		escape(n.Owner), escape(n.Limit), escape(n.Subject), escape(n.Model), escape(n.Per),
		escape(string(n.Meter)), escape(string(n.Strategy) + n.Period), window,
	}
	return strings.Join(parts, "/")
}

// ParseName reads what String wrote. The name it returns has no Timezone.
func ParseName(s string) (Name, error) {
	parts := strings.Split(s, "/")
	if len(parts) != 8 {
		return Name{}, fmt.Errorf("counter name %q has %d parts, not 8", s, len(parts))
	}
	n, err := nameOf(parts)
	if err != nil {
		return Name{}, fmt.Errorf("read counter name %q: %w", s, err)
	}
	if n.String() != s {
		return Name{}, fmt.Errorf("counter name %q is not written as it should be, %q", s, n.String())
	}
	return n, nil
}

func nameOf(parts []string) (Name, error) {
	n := Name{
		Owner: unescape(parts[0]), Limit: unescape(parts[1]), Subject: unescape(parts[2]),
		Model: unescape(parts[3]), Per: unescape(parts[4]), Meter: Meter(parts[5]),
	}
	if n.Meter == MeterCost {
		n.Period = parts[6]
	} else {
		n.Strategy = Strategy(parts[6])
	}
	if parts[7] != "" {
		window, err := strconv.ParseInt(parts[7], 10, 64)
		if err != nil {
			return Name{}, err
		}
		n.Window = window
	}
	return n, n.Check()
}

func escape(s string) string {
	return strings.ReplaceAll(strings.ReplaceAll(s, "%", "%25"), "/", "%2F")
}

func unescape(s string) string {
	return strings.ReplaceAll(strings.ReplaceAll(s, "%2F", "/"), "%25", "%")
}
