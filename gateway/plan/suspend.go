package plan

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"relay/limiter"
	"relay/store"
)

// span is a part of the day, by the clock on the wall in a zone, in which a limit
// is not enforced. On the day the clock is put forward it is shorter, or missing;
// on the one it is put back, longer.
type span struct {
	zone       *time.Location
	days       [7]bool  // by time.Weekday
	dates      []string // in place of days
	start, end int      // minutes of the day; end may be 24:00, and before start: of the next day
}

func spansOf(list []store.Suspend) ([]span, error) {
	var spans []span
	for _, entry := range list {
		s, err := spanOf(entry)
		if err != nil {
			return nil, err
		}
		spans = append(spans, s)
	}
	return spans, nil
}

func spanOf(entry store.Suspend) (s span, err error) {
	if s.zone, err = time.LoadLocation(entry.Timezone); err != nil {
		return s, fmt.Errorf("load time zone of the suspension: %w", err)
	}
	s.dates = entry.Dates
	for _, name := range entry.Days {
		day := slices.Index([]string{"sun", "mon", "tue", "wed", "thu", "fri", "sat"}, name) // as time.Weekday counts
		if day < 0 {
			return s, fmt.Errorf("%q is no day of the week", name)
		}
		s.days[day] = true
	}
	if len(entry.Days)+len(entry.Dates) == 0 {
		s.days = [7]bool{true, true, true, true, true, true, true}
	}
	if s.start, err = minuteOf(entry.Start); err == nil {
		s.end, err = minuteOf(entry.End)
	}
	return s, err
}

// minuteOf reads a time of day such as 22:00, or 24:00.
func minuteOf(text string) (int, error) {
	var hour, minute int
	if n, err := fmt.Sscanf(strings.TrimSpace(text), "%d:%d", &hour, &minute); n != 2 || err != nil {
		return 0, fmt.Errorf("%q is no time of day", text)
	}
	return hour*60 + minute, nil
}

// suspended reports whether the wall clock stands in one of the spans.
func suspended(spans []span, now limiter.Instant) bool {
	for i := range spans {
		if spans[i].holds(time.Unix(0, now.Wall)) {
			return true
		}
	}
	return false
}

// holds reports whether the moment is in the span. What goes over midnight
// belongs to the day on which it starts.
func (s *span) holds(at time.Time) bool {
	at = at.In(s.zone)
	minute := at.Hour()*60 + at.Minute()
	if s.start < s.end {
		return s.start <= minute && minute < s.end && s.on(at)
	}
	if minute >= s.start {
		return s.on(at)
	}
	year, month, day := at.Date()
	return minute < s.end && s.on(time.Date(year, month, day-1, 12, 0, 0, 0, time.UTC))
}

// on reports whether the span starts on the date.
func (s *span) on(date time.Time) bool {
	if len(s.dates) > 0 {
		return slices.Contains(s.dates, date.Format(time.DateOnly))
	}
	return s.days[date.Weekday()]
}
