package limitertest

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"relay/limiter"
)

// holdsInEverySpan plays reserves over sliding windows and judges every verdict
// by a log of all that was admitted.
func holdsInEverySpan(tb testing.TB, s Suite, seed uint64) error {
	return cutDown(randomSliding(seed, s.Grain), func(t Trace) error {
		return judge(t, Play(s.New(tb), t))
	})
}

// randomSliding draws up to three sliding windows that are kept near their
// amounts, which change now and then.
func randomSliding(seed uint64, grain time.Duration) Trace {
	g := newGenerator(seed, grain)
	for i := range 1 + g.IntN(3) {
		name := limiter.Name{
			Owner: fmt.Sprint("key ", i), Meter: limiter.MeterRequests, Strategy: limiter.SlidingWindow,
			Window: one[int64](g, 1, 7, 60, 61, 3600, 86_400),
		}
		g.trace.Rules = append(g.trace.Rules, Rule{Name: name, Amount: 1 + g.Int64N(12), Rung: limiter.ScopeKey})
	}
	for range 100 {
		g.slidingStep()
	}
	return g.trace
}

func (g *generator) slidingStep() {
	rule := g.IntN(len(g.trace.Rules))
	window := time.Duration(g.trace.Rules[rule].Name.Window) * time.Second
	s := Step{Rule: rule, Ticket: g.made, Rules: g.Perm(len(g.trace.Rules))[:1+g.IntN(len(g.trace.Rules))]}
	switch g.IntN(4) {
	case 0:
		s.Passes = g.upTo(window / time.Duration(g.trace.Rules[rule].Amount))
	case 1:
		s.Passes = g.upTo(window / 60)
	case 2:
		s.Passes = g.near(window / 60)
	}
	switch n := g.IntN(100); {
	case n < 5 && g.made > 0:
		s.Do, s.Ticket = one(g, Commit, Release, Cancel), g.IntN(g.made)
	case n < 8:
		s.Do, s.Amount = Edit, 1+g.Int64N(12)
	case n < 10:
		s.Do = Sweep
	default:
		g.made++
	}
	g.append(s)
}

// judge fails when a reserve was admitted though a window up to it was full, or
// refused though no window of 61/60 the length was.
func judge(t Trace, outcomes []Outcome) error {
	logs, now := make([]naive, len(t.Rules)), t.Start
	for i, r := range t.Rules {
		logs[i] = naive{window: r.Name.Window * int64(time.Second), amount: r.Amount}
	}
	for i, s := range t.Steps {
		now = s.after(now)
		switch s.Do {
		case Edit:
			logs[s.Rule].amount = s.Amount
		case Reserve:
			if err := judgeReserve(logs, s.Rules, now.V, outcomes[i]); err != nil {
				return fmt.Errorf("step %d: %w", i, err)
			}
		}
	}
	return nil
}

func judgeReserve(logs []naive, rules []int, v int64, o Outcome) error {
	full, nearly := false, false
	for _, r := range rules {
		full = full || logs[r].within(v, 60) >= logs[r].amount
		nearly = nearly || logs[r].within(v, 61) >= logs[r].amount
	}
	if o.Refused != 0 && !nearly {
		return errors.New("refused though 61/60 of no window were full")
	}
	if o.Refused != 0 {
		return nil
	}
	for _, r := range rules {
		logs[r].admitted = append(logs[r].admitted, v)
	}
	if full {
		return errors.New("admitted over the amount of a window")
	}
	return nil
}

// naive is a log of everything that one sliding window admitted.
type naive struct {
	window, amount int64
	admitted       []int64
}

// within counts the entries of the last so many sixtieths of a window, both
// ends included.
func (l *naive) within(v, sixtieths int64) (n int64) {
	for i := len(l.admitted) - 1; i >= 0 && v-l.admitted[i] <= span(l.window, sixtieths); i-- {
		n++
	}
	return n
}

// span returns so many sixtieths of a window.
func span(window, sixtieths int64) int64 { return window/60*sixtieths + window%60*sixtieths/60 }
