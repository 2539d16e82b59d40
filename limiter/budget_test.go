package limiter_test

import (
	"testing"
	"time"
	_ "time/tzdata"

	"pgregory.net/rapid"

	"relay/limiter"
)

func (w *world) moveTo(wall time.Time) {
	w.t.Helper()
	step := wall.Sub(time.Unix(0, w.now.Wall))
	if step < 0 {
		w.t.Fatalf("%s is before now", wall)
	}
	w.pass(step)
}

func zone(t testing.TB, name string) *time.Location {
	t.Helper()
	location, err := time.LoadLocation(name)
	if err != nil {
		t.Fatal(err)
	}
	return location
}

// TestBudget_ResetsWhenItsPeriodEnds spends a budget at a moment and expects
// its refusal to name the period's end, to hold until the nanosecond before it
// and to be over with it.
func TestBudget_ResetsWhenItsPeriodEnds(t *testing.T) {
	cases := []struct{ period, timezone, spent, resets string }{
		{"day", "", "2026-11-30T12:00:00Z", "2026-12-01T00:00:00Z"},
		{"day", "UTC", "2026-11-30T00:00:00Z", "2026-12-01T00:00:00Z"},
		{"week", "", "2026-11-30T00:00:00Z", "2026-12-07T00:00:00Z"}, // a Monday
		{"week", "", "2026-12-06T23:59:59Z", "2026-12-07T00:00:00Z"}, // a Sunday
		{"week", "", "2026-12-30T10:00:00Z", "2027-01-04T00:00:00Z"},
		{"month", "", "2026-01-31T23:00:00Z", "2026-02-01T00:00:00Z"},
		{"month", "", "2028-02-10T00:00:00Z", "2028-03-01T00:00:00Z"}, // leap day
		{"month", "", "2026-12-05T00:00:00Z", "2027-01-01T00:00:00Z"},
		{"day", "", "2028-02-28T12:00:00Z", "2028-02-29T00:00:00Z"},

		// Berlin: 23 hours on 29 March, 25 hours on 25 October 2026.
		{"day", "Europe/Berlin", "2026-03-28T23:00:00Z", "2026-03-29T22:00:00Z"},
		{"day", "Europe/Berlin", "2026-10-24T22:00:00Z", "2026-10-25T23:00:00Z"},
		{"week", "Europe/Berlin", "2026-03-29T12:00:00Z", "2026-03-29T22:00:00Z"},
		{"month", "Europe/Berlin", "2026-03-10T12:00:00Z", "2026-03-31T22:00:00Z"},

		// São Paulo put the clock forward over midnight on 4 November 2018.
		{"day", "America/Sao_Paulo", "2018-11-04T02:30:00Z", "2018-11-04T03:00:00Z"},
		{"day", "America/Sao_Paulo", "2018-11-04T03:00:00Z", "2018-11-05T02:00:00Z"},
		// Havana has the hour after midnight twice on 1 November 2026.
		{"day", "America/Havana", "2026-11-01T03:00:00Z", "2026-11-01T04:00:00Z"},
		{"day", "America/Havana", "2026-11-01T04:30:00Z", "2026-11-02T05:00:00Z"},
		// St John's put the clock back over midnight on 7 November 2010, so the
		// last hour of the 6th came twice.
		{"day", "America/St_Johns", "2010-11-07T02:00:00Z", "2010-11-07T02:30:00Z"},
		{"day", "America/St_Johns", "2010-11-07T02:45:00Z", "2010-11-07T03:30:00Z"},
		// Apia had no 30 December 2011.
		{"day", "Pacific/Apia", "2011-12-30T09:00:00Z", "2011-12-30T10:00:00Z"},
		{"day", "Pacific/Apia", "2011-12-30T10:00:00Z", "2011-12-31T10:00:00Z"},
	}
	for _, c := range cases {
		t.Run(c.period+" "+c.timezone+" "+c.spent, func(t *testing.T) {
			spent, resets := moment(t, c.spent), moment(t, c.resets)
			w := newWorld(t)
			w.now = at(spent)
			limit := w.budget("owner", 10, c.period, c.timezone)
			w.spend(limiter.Usage{CostNanos: 12}, limit)
			r := w.refuse(limit)
			if r.Wait != resets.Sub(spent) || !r.ResetAt.Equal(resets) || r.Used != 12 {
				t.Fatalf("%d used, wait %s, resets %s; want %s", r.Used, r.Wait, r.ResetAt.UTC(), resets)
			}
			if c.timezone != "" && r.ResetAt.Location().String() != c.timezone {
				t.Errorf("resets in %s, want %s", r.ResetAt.Location(), c.timezone)
			}
			w.moveTo(resets.Add(-1))
			w.refuse(limit)
			w.moveTo(resets)
			w.admit(limit)
		})
	}
}

func moment(t *testing.T, text string) time.Time {
	t.Helper()
	m, err := time.Parse(time.RFC3339, text)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// TestBudget_PeriodIsAlwaysAhead spends at random moments in zones with odd
// clocks.
func TestBudget_PeriodIsAlwaysAhead(t *testing.T) {
	zones := []string{"Europe/Berlin", "America/St_Johns", "Pacific/Apia", "America/Havana", "America/Sao_Paulo", "Asia/Gaza", "Africa/Cairo", "Australia/Lord_Howe", "Antarctica/Troll"}
	longest := map[string]time.Duration{limiter.PeriodDay: 25 * time.Hour, limiter.PeriodWeek: 170 * time.Hour, limiter.PeriodMonth: 31*24*time.Hour + 2*time.Hour}
	rapid.Check(t, func(rt *rapid.T) {
		w := newWorld(t)
		w.now = at(time.Unix(rapid.Int64Range(0, 2_500_000_000).Draw(rt, "second"), 0))
		period := rapid.SampledFrom([]string{limiter.PeriodDay, limiter.PeriodWeek, limiter.PeriodMonth}).Draw(rt, "period")
		limit := w.budget("owner", 10, period, rapid.SampledFrom(zones).Draw(rt, "zone"))
		w.spend(limiter.Usage{CostNanos: 10}, limit)
		if r := w.refuse(limit); r.Wait <= 0 || r.Wait > longest[period]+time.Hour {
			rt.Fatalf("%s from %s lasts %s more", period, time.Unix(0, w.now.Wall).UTC(), r.Wait)
		}
	})
}

func TestBudget_NeverGoesBackToAnEarlierPeriod(t *testing.T) {
	w := newWorld(t)
	limit := w.budget("owner", 10, limiter.PeriodDay, "")
	w.spend(limiter.Usage{CostNanos: 9}, limit)
	w.pass(12 * time.Hour)
	w.spend(limiter.Usage{CostNanos: 3}, limit)
	w.now.Wall -= int64(time.Hour) // yesterday again
	w.spend(limiter.Usage{CostNanos: 8}, limit)
	w.wantUsed(limit, 11)
	if r := w.refuse(limit); r.Wait != 25*time.Hour {
		t.Fatalf("wait is %s, want 25h to the end of the later day", r.Wait)
	}
	w.pass(25 * time.Hour)
	w.admit(limit)
}

func TestBudget_CountsInThePeriodOfTheCommit(t *testing.T) {
	w := newWorld(t)
	limit := w.budget("owner", 10, limiter.PeriodDay, "")
	w.spend(limiter.Usage{CostNanos: 10}, limit)
	w.moveTo(noon.Add(12*time.Hour - 1))
	w.refuse(limit)
	w.pass(1)
	ticket := w.admit(limit)
	w.pass(24 * time.Hour)
	w.commit(ticket, limiter.Usage{CostNanos: 4})
	w.wantUsed(limit, 4)
}

func TestBudget_WarnsAndLetsPass(t *testing.T) {
	w := newWorld(t)
	first, second := w.budget("first", 10, limiter.PeriodDay, ""), w.budget("second", 10, limiter.PeriodMonth, "")
	first.Warn, second.Warn = true, true
	ticket := w.admit(first, second)
	if ticket.Warned() != nil {
		t.Fatal("a budget with room warns")
	}
	w.commit(ticket, limiter.Usage{CostNanos: 10})
	ticket = w.admit(first, second)
	if ticket.Warned() != first {
		t.Fatalf("%v warns, want the first", ticket.Warned())
	}
	w.commit(ticket, limiter.Usage{CostNanos: 10})
	w.wantUsed(second, 20)
	ticket.Reset()
	if ticket.Warned() != nil {
		t.Fatal("a reset ticket warns")
	}
}

// TestBudget_IsForgottenTwoOfItsLongestPeriodsAfterItsLastCharge has a wall
// clock that stands still, so that no period ever ends by it.
func TestBudget_IsForgottenTwoOfItsLongestPeriodsAfterItsLastCharge(t *testing.T) {
	for period, days := range map[string]int64{limiter.PeriodDay: 1, limiter.PeriodWeek: 7, limiter.PeriodMonth: 31} {
		w := newWorld(t)
		limit := w.budget("owner", 10, period, "")
		w.spend(limiter.Usage{CostNanos: 10}, limit)
		w.now.V += 2*days*int64(24*time.Hour) - 1
		w.registry.Sweep(2, w.now)
		w.refuse(limit)
		w.now.V++
		w.registry.Sweep(2, w.now)
		w.admit(limit)
	}
}

func TestBudget_KeepsItsSpendingWhenTheTimeZoneChanges(t *testing.T) {
	w := newWorld(t)
	w.spend(limiter.Usage{CostNanos: 10}, w.budget("owner", 10, limiter.PeriodDay, "UTC"))
	moved := w.budget("owner", 10, limiter.PeriodDay, "Europe/Berlin")
	w.refuse(moved)
	w.pass(12 * time.Hour)
	w.spend(limiter.Usage{CostNanos: 10}, moved)
	if r := w.refuse(moved); r.Wait != 23*time.Hour {
		t.Fatalf("wait is %s, want 23h to midnight in Berlin", r.Wait)
	}
}

func TestBudget_SaturatesInsteadOfWrapping(t *testing.T) {
	w := newWorld(t)
	limit := w.budget("owner", 10, limiter.PeriodTotal, "")
	one, two := w.admit(limit), w.admit(limit)
	w.commit(one, limiter.Usage{CostNanos: 1<<63 - 1})
	w.commit(two, limiter.Usage{CostNanos: 1<<63 - 1})
	w.wantUsed(limit, 1<<63-1)
	if r := w.memory.Read(w.now, limit.Counter); r.Reset >= 0 {
		t.Fatalf("a total budget resets in %s", r.Reset)
	}
}
