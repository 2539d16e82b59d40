package plan_test

import (
	"testing"
	"time"

	"relay/store"
)

func TestSuspend_LiftsALimitInItsSpans(t *testing.T) {
	for _, c := range []struct {
		name string
		span store.Suspend
		at   string // local time and zone of the span
		want bool   // enforced
	}{
		{"before it", store.Suspend{Start: "10:00", End: "12:00"}, "2026-03-02 09:59:59", true},
		{"at its start", store.Suspend{Start: "10:00", End: "12:00"}, "2026-03-02 10:00:00", false},
		{"at its last moment", store.Suspend{Start: "10:00", End: "12:00"}, "2026-03-02 11:59:59", false},
		{"at its end", store.Suspend{Start: "10:00", End: "12:00"}, "2026-03-02 12:00:00", true},
		{"whole day", store.Suspend{Days: []string{"mon"}, Start: "00:00", End: "24:00"}, "2026-03-02 23:59:59", false},
		{"after the whole day", store.Suspend{Days: []string{"mon"}, Start: "00:00", End: "24:00"}, "2026-03-03 00:00:00", true},
		{"another day", store.Suspend{Days: []string{"tue"}, Start: "10:00", End: "12:00"}, "2026-03-02 11:00:00", true},
		{"evening of its day", store.Suspend{Days: []string{"fri"}, Start: "22:00", End: "06:00"}, "2026-03-06 23:00:00", false},
		{"morning after its day", store.Suspend{Days: []string{"fri"}, Start: "22:00", End: "06:00"}, "2026-03-07 05:59:59", false},
		{"end after midnight", store.Suspend{Days: []string{"fri"}, Start: "22:00", End: "06:00"}, "2026-03-07 06:00:00", true},
		{"morning of its day", store.Suspend{Days: []string{"fri"}, Start: "22:00", End: "06:00"}, "2026-03-06 05:00:00", true},
		{"evening after its day", store.Suspend{Days: []string{"fri"}, Start: "22:00", End: "06:00"}, "2026-03-07 23:00:00", true},
		{"over a month's end", store.Suspend{Dates: []string{"2026-02-28"}, Start: "22:00", End: "06:00"}, "2026-03-01 03:00:00", false},
		{"on its date", store.Suspend{Dates: []string{"2026-12-24"}, Start: "00:00", End: "24:00"}, "2026-12-24 12:00:00", false},
		{"a year later", store.Suspend{Dates: []string{"2026-12-24"}, Start: "00:00", End: "24:00"}, "2027-12-24 12:00:00", true},
		{"in its own zone", store.Suspend{Timezone: "America/New_York", Start: "20:00", End: "21:00"}, "2026-03-02 20:30:00", false},
		{"clock put forward, in a span that is skipped to", store.Suspend{Timezone: "Europe/Berlin", Start: "01:30", End: "03:30"}, "2026-03-29 03:15:00", false},
		{"clock put forward over midnight", store.Suspend{Timezone: "Europe/Berlin", Days: []string{"sat"}, Start: "22:00", End: "06:00"}, "2026-03-29 05:59:59", false},
		{"clock put back over midnight", store.Suspend{Timezone: "Europe/Berlin", Days: []string{"sat"}, Start: "22:00", End: "06:00"}, "2026-10-25 05:59:59", false},
		{"clock put back, after it", store.Suspend{Timezone: "Europe/Berlin", Days: []string{"sat"}, Start: "22:00", End: "06:00"}, "2026-10-25 06:00:00", true},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t)
			w.limited(store.RateLimitSpec{Suspend: []store.Suspend{c.span}})
			w.key("laptop", store.RelayKeySpec{})
			zone, err := time.LoadLocation(c.span.Timezone)
			if err != nil {
				t.Fatal(err)
			}
			at, err := time.ParseInLocation(time.DateTime, c.at, zone)
			if err != nil {
				t.Fatal(err)
			}
			f := w.asked(w.plan(), "laptop", "chat")
			f.Now = instant(at)
			if got := len(counters(f)) == 1; got != c.want {
				t.Errorf("enforced %v, want %v", got, c.want)
			}
		})
	}
}

// The hour that a day has twice, when the clock is put back, is suspended both
// times; the one that it lacks, when it is put forward, suspends nothing.
func TestSuspend_FollowsTheClockOnTheWall(t *testing.T) {
	w := newWorld(t)
	w.limited(store.RateLimitSpec{Suspend: []store.Suspend{{Timezone: "Europe/Berlin", Start: "02:00", End: "03:00"}}})
	w.key("laptop", store.RelayKeySpec{})
	f := w.asked(w.plan(), "laptop", "chat")
	for day, want := range map[time.Time]int{
		time.Date(2026, 3, 28, 12, 0, 0, 0, time.UTC):  0,   // to the day of 23 hours
		time.Date(2026, 10, 24, 12, 0, 0, 0, time.UTC): 120, // to the one of 25
		time.Date(2026, 6, 1, 12, 0, 0, 0, time.UTC):   60,
	} {
		suspended := 0
		for minute := range 24 * 60 {
			f.Now = instant(day.Add(time.Duration(minute) * time.Minute))
			if len(counters(f)) == 0 {
				suspended++
			}
		}
		if suspended != want {
			t.Errorf("after %s: %d minutes are suspended, want %d", day, suspended, want)
		}
	}
}
