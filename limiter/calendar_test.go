package limiter_test

import (
	"testing"
	"time"

	"relay/limiter"
)

// calendar lists when the periods of a zone begin: with the first quarter of an
// hour whose local date belongs to a later period than any before.
func calendar(zone *time.Location, period string, from, to time.Time) []time.Time {
	var begins []time.Time
	latest := 0
	for at := from; at.Before(to); at = at.Add(15 * time.Minute) {
		local := at.In(zone)
		date := dateOf(local)
		switch {
		case period == limiter.PeriodWeek && local.Weekday() != time.Monday:
			date = latest
		case period == limiter.PeriodMonth:
			date -= date % 100
		}
		if date > latest {
			if latest > 0 {
				begins = append(begins, at)
			}
			latest = date
		}
	}
	return begins
}

func dateOf(t time.Time) int { return t.Year()*10000 + int(t.Month())*100 + t.Day() }

// K5: days of 23, 24 and 25 hours, months of 28 to 31 days, leap days, a date
// that was left out and midnights that came twice.
func TestBudget_ResetsOnceAtLocalMidnight(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ zone, from, to string }{
		{"Europe/Berlin", "2026-01-05T00:00:00Z", "2029-02-01T00:00:00Z"},
		{"America/St_Johns", "2026-01-05T12:00:00Z", "2028-04-01T00:00:00Z"},
		{"America/St_Johns", "2009-12-28T12:00:00Z", "2012-01-01T00:00:00Z"}, // clocks changed over midnight
		{"Pacific/Apia", "2011-08-01T12:00:00Z", "2012-12-01T00:00:00Z"},     // had no 30 December 2011
		{"America/Havana", "2026-01-05T12:00:00Z", "2027-01-01T00:00:00Z"},
		{"UTC", "2027-12-27T00:00:00Z", "2028-04-01T00:00:00Z"},
	} {
		for _, period := range []string{limiter.PeriodDay, limiter.PeriodWeek, limiter.PeriodMonth} {
			begins := calendar(zone(t, c.zone), period, moment(t, c.from), moment(t, c.to))
			if len(begins) < 3 {
				t.Fatalf("%s by %s begins %d times", c.zone, period, len(begins))
			}
			spendThrough(t, c.zone, period, begins)
		}
	}
}

// spendThrough spends a budget in each period and expects it to be spent until
// the last nanosecond of the period and to have room from then on.
func spendThrough(t *testing.T, timezone, period string, begins []time.Time) {
	w := newWorld(t)
	w.now = at(begins[0])
	limit := w.budget("owner", 1, period, timezone)
	for i, end := range begins[1:] {
		w.moveTo(begins[i])
		w.spend(limiter.Usage{CostNanos: 1}, limit)
		r := w.refuse(limit)
		if !r.ResetAt.Equal(end) || r.Wait != end.Sub(begins[i]) {
			t.Fatalf("%s from %s in %s resets at %s, want %s", period, begins[i], timezone, r.ResetAt.UTC(), end.UTC())
		}
		w.moveTo(end.Add(-1))
		w.refuse(limit)
		w.moveTo(end)
		w.wantUsed(limit, 0)
	}
}

// TestBudget_EveryHourOfOddDaysCountsOnce spends every quarter of an hour
// around the days on which clocks change: no spending is lost, and none counts
// in two periods.
func TestBudget_EveryHourOfOddDaysCountsOnce(t *testing.T) {
	for _, c := range []struct {
		zone, from string
		hours      []int64 // of the days that begin after from
	}{
		{"Europe/Berlin", "2026-03-26T23:00:00Z", []int64{24, 23, 24}},
		{"Europe/Berlin", "2026-10-22T22:00:00Z", []int64{24, 25, 24}},
		{"America/St_Johns", "2026-03-06T03:30:00Z", []int64{24, 23, 24}},
		{"Pacific/Apia", "2011-12-28T10:00:00Z", []int64{24, 24, 24}}, // 29, 31 December, 1 January
	} {
		w := newWorld(t)
		w.now = at(moment(t, c.from))
		limit := w.budget("owner", 1<<40, limiter.PeriodDay, c.zone)
		w.spend(limiter.Usage{CostNanos: 1}, limit)
		w.pass(w.memory.Read(w.now, limit.Counter).Reset)
		for _, hours := range c.hours {
			for range hours * 4 {
				w.spend(limiter.Usage{CostNanos: 1}, limit)
				w.pass(15 * time.Minute)
			}
			w.now.V, w.now.Wall = w.now.V-1, w.now.Wall-1
			w.wantUsed(limit, hours*4)
			w.pass(1)
			w.wantUsed(limit, 0)
		}
	}
}
