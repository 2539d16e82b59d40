package limiter

import (
	"math"
	"time"
)

// never is the edge of a budget that does not reset.
const never = math.MaxInt64

// beginPeriod begins the period of wall when the one before has ended. A wall
// clock that was set back finds the later period going on.
func (c *Counter) beginPeriod(wall int64) {
	if wall < c.edge {
		return
	}
	c.used, c.edge = 0, periodEnd(wall, c.kind.period, c.zone)
}

// budgetWait returns how long the budget's period still lasts; negative for
// ever.
func (c *Counter) budgetWait(wall int64) time.Duration {
	if c.edge == never {
		return -1
	}
	return time.Duration(c.edge - wall)
}

// resetAt returns the end of the budget's period; the zero time for other
// counters and for budgets that do not reset.
func (c *Counter) resetAt() time.Time {
	if c.algo != algoBudget || c.edge == never {
		return time.Time{}
	}
	return time.Unix(0, c.edge).In(c.zone)
}

// periodEnd returns the end of the calendar period that holds wall: always
// later than it.
func periodEnd(wall int64, period string, zone *time.Location) int64 {
	at := time.Unix(0, wall).In(zone)
	year, month, day := at.Date()
	switch period {
	case PeriodDay:
		day++
	case PeriodWeek:
		day += 7 - (int(at.Weekday())+6)%7
	case PeriodMonth:
		month, day = month+1, 1
	default:
		return never
	}
	return dayStart(at, year, month, day).UnixNano()
}

// dayStart returns the first moment after at whose local date is the given
// one or later. Where the clock is put forward over midnight time.Date may
// answer with a moment of the day before, and where it is put back over
// midnight with one that is already past.
func dayStart(at time.Time, year int, month time.Month, day int) time.Time {
	start := time.Date(year, month, day, 0, 0, 0, 0, at.Location())
	midnight := time.Date(year, month, day, 0, 0, 0, 0, time.UTC)
	if y, m, d := start.Date(); time.Date(y, m, d, 0, 0, 0, 0, time.UTC).Before(midnight) {
		_, start = start.ZoneBounds()
	}
	if !start.After(at) {
		_, offset := at.Zone()
		start = time.Unix(midnight.Unix()-int64(offset), 0)
	}
	return start
}
