package limitertest

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"relay/limiter"
)

// booksWithinEverySpan plays requests that book tokens in sliding windows and
// judges every verdict by a log of what each has booked, and then used.
func booksWithinEverySpan(tb testing.TB, s Suite, seed uint64) error {
	return cutDown(randomBookings(seed, s.Grain), func(t Trace) error {
		return judgeBookings(t, Play(s.New(tb), t))
	})
}

// randomBookings draws up to three sliding windows that book, and requests that
// use less or more than they have booked, at once or much later.
func randomBookings(seed uint64, grain time.Duration) Trace {
	g := newGenerator(seed, grain)
	for i := range 1 + g.IntN(3) {
		name := limiter.Name{Owner: fmt.Sprint("key ", i), Strategy: limiter.SlidingWindow}
		name.Window = one[int64](g, 1, 7, 60, 61, 3600, 86_400)
		name.Meter = one(g, limiter.MeterTokens, limiter.MeterInput, limiter.MeterOutput, limiter.MeterReasoning)
		g.trace.Rules = append(g.trace.Rules, Rule{Name: name, Amount: 6 + g.Int64N(30), Reserve: true, Rung: limiter.ScopeKey})
	}
	for range 100 {
		g.bookingStep()
	}
	return g.trace
}

func (g *generator) bookingStep() {
	rule := g.IntN(len(g.trace.Rules))
	window := time.Duration(g.trace.Rules[rule].Name.Window) * time.Second
	s := Step{Rule: rule}
	switch g.IntN(6) {
	case 0, 1:
		s.Passes = g.upTo(window / 20)
	case 2:
		s.Passes = g.near(window / 60)
	case 3:
		s.Passes = g.near(window / 60 * time.Duration(1+g.IntN(62)))
	}
	switch n := g.IntN(100); {
	case n < 50:
		g.reserve(&s)
		s.Input, s.Output = 1+g.Int64N(3), 1+g.Int64N(3)
	case n < 95:
		g.end(&s)
		s.Upstream = false
	case n < 98:
		s.Do = Sweep
	default:
		s.Do = Reset
	}
	g.append(s)
}

func judgeBookings(t Trace, outcomes []Outcome) error {
	logs, now := make([]bookings, len(t.Rules)), t.Start
	for i, r := range t.Rules {
		logs[i].rule = r
	}
	for i, s := range t.Steps {
		now = s.after(now)
		if s.Do == Reserve {
			if err := judgeBooking(logs, s, now.V, outcomes[i]); err != nil {
				return fmt.Errorf("step %d: %w", i, err)
			}
			continue
		}
		for j := range logs {
			logs[j].do(s, now.V, j)
		}
	}
	return nil
}

func judgeBooking(logs []bookings, s Step, v int64, o Outcome) error {
	over, nearly := false, false
	for _, r := range s.Rules {
		room := logs[r].rule.Amount - logs[r].rule.books(s)
		over = over || logs[r].within(v, 60) > room
		nearly = nearly || logs[r].within(v, 61) > room
	}
	switch {
	case o.Refused != 0 && !nearly:
		return errors.New("refused though 61/60 of every window have room for the booking")
	case o.Refused != 0:
		return nil
	case over:
		return errors.New("admitted though the booking goes over the amount of a window")
	}
	for _, r := range s.Rules {
		n := logs[r].rule.books(s)
		logs[r].log = append(logs[r].log, booked{ticket: s.Ticket, v: v, booked: n, counts: n, open: true, keep: s.Keep})
	}
	return nil
}
