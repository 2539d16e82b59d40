package store

import (
	"regexp"
	"time"
	_ "time/tzdata" // images without an operating system have no zone files
)

var clockPattern = regexp.MustCompile(`^([01][0-9]|2[0-3]):[0-5][0-9]$`)

// Bounds of suspended spans.
const (
	maxSuspends     = 64
	maxSuspendDates = 400
)

// endOfDay is the one time of day that only an end may have.
const endOfDay = "24:00"

func weekdays() []string { return []string{"mon", "tue", "wed", "thu", "fri", "sat", "sun"} }

func (f *faults) suspends(spans []Suspend) {
	if len(spans) > maxSuspends {
		f.add("spec.suspend", "must be at most %d", maxSuspends)
		return
	}
	for i, span := range spans {
		f.suspend(item("spec.suspend", i), span)
	}
}

func (f *faults) suspend(field string, s Suspend) {
	if _, err := time.LoadLocation(s.Timezone); err != nil || s.Timezone == "Local" {
		f.add(field+".timezone", "must be a zone such as Europe/Zurich or UTC")
	}
	if len(s.Days) > 0 && len(s.Dates) > 0 {
		f.add(field, "must have days or dates, not both: split it into two spans")
	}
	if len(s.Dates) > maxSuspendDates {
		f.add(field+".dates", "must be at most %d", maxSuspendDates)
		return
	}
	f.known(field+".days", s.Days, weekdays())
	for i, date := range s.Dates {
		if date == "" {
			f.add(item(field+".dates", i), "must be a date such as 2026-01-31")
		}
		f.date(item(field+".dates", i), date)
	}
	f.unique(field+".dates", s.Dates)
	f.clock(field+".start", s.Start)
	if s.End != endOfDay {
		f.clock(field+".end", s.End)
	}
	if s.Start == s.End && s.Start != "" {
		f.add(field+".end", "must differ from start; to suspend whole days use 00:00 to 24:00")
	}
}

// clock checks a time of day.
func (f *faults) clock(field, text string) {
	if !clockPattern.MatchString(text) {
		f.add(field, "must be a time of day such as \"22:00\"")
	}
}
