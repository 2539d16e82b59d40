package limitertest

import (
	"fmt"
	"math"
	"slices"
	"testing"
	"time"

	"relay/limiter"
)

// noon lies on a boundary of every window that divides half a day.
func noon() limiter.Instant {
	v := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC).UnixNano()
	return limiter.Instant{V: v, Wall: v}
}

// scene starts at noon with such rules, all of one source.
func scene(tb testing.TB, s Suite, rules ...Rule) *Player {
	return NewPlayer(s.New(tb), Trace{Start: noon(), Rules: rules, Grain: s.Grain})
}

func requests(amount, window int64, strategy limiter.Strategy) Rule {
	return Rule{Amount: amount, Rung: limiter.ScopeKey, Name: limiter.Name{
		Owner: "owner", Meter: limiter.MeterRequests, Window: window, Strategy: strategy,
	}}
}

// oneOfEach returns a rule of every algorithm.
func oneOfEach(amount int64) []Rule {
	lease := requests(amount, 60, "")
	lease.Name.Meter, lease.Name.Window = limiter.MeterConcurrency, 0
	spent := requests(amount, 0, "")
	spent.Name.Meter, spent.Name.Period = limiter.MeterCost, limiter.PeriodDay
	rules := []Rule{lease, spent}
	for _, strategy := range []limiter.Strategy{limiter.SlidingWindow, limiter.Aligned} {
		tokens := requests(amount, 60, strategy)
		tokens.Name.Meter = limiter.MeterTokens
		rules = append(rules, tokens)
	}
	for _, strategy := range []limiter.Strategy{
		limiter.SlidingWindow, limiter.FixedWindow, limiter.TokenBucket, limiter.LeakyBucket, limiter.SessionWindow, limiter.Aligned,
	} {
		rules = append(rules, requests(amount, 60, strategy))
	}
	return rules
}

// all returns the indexes of every rule.
func (p *Player) all() []int {
	for order := range permutations(len(p.trace.Rules)) {
		return slices.Clone(order)
	}
	return nil
}

// admit reserves, and returns an error when refused.
func (p *Player) admit(ticket int, rules ...int) error {
	if o := p.Do(Step{Do: Reserve, Ticket: ticket, Rules: rules}); o.Refused != 0 {
		return fmt.Errorf("ticket %d over %v is refused: %+v", ticket, rules, o)
	}
	return nil
}

func namesTheWidest(tb testing.TB, s Suite, _ uint64) error {
	rules := []Rule{
		requests(1, 10, limiter.FixedWindow), requests(1, 60, limiter.FixedWindow),
		requests(1, 1, limiter.FixedWindow), requests(1, 3600, limiter.FixedWindow),
	}
	rules[0].Rung, rules[1].Rung, rules[2].Rung = limiter.ScopeTeam, limiter.ScopeTeam, limiter.ScopeTeam
	rules[2].Order = 1
	p := scene(tb, s, rules...)
	if err := p.admit(1, p.all()...); err != nil {
		return err
	}
	want := Outcome{Refused: 2, Used: 1, Wait: time.Hour}
	for order := range permutations(len(rules)) {
		if o := p.Do(Step{Do: Reserve, Ticket: 2, Rules: order}); o != want {
			return fmt.Errorf("in the order %v the refusal is %+v, want the team's longer rule and the hour of the key, %+v", order, o, want)
		}
	}
	return nil
}

// endsOnce ends one ticket by every pair of ways.
func endsOnce(tb testing.TB, s Suite, _ uint64) error {
	ways := []Step{
		{Do: Commit, Usage: everything(1)}, {Do: Commit, Usage: everything(1), Upstream: true}, {Do: Release}, {Do: Cancel},
	}
	for _, first := range ways {
		for _, second := range ways {
			p := scene(tb, s, oneOfEach(9)...)
			for ticket := range 2 {
				if err := p.admit(ticket, p.all()...); err != nil {
					return err
				}
			}
			p.Do(first)
			before := p.readings()
			if before[0].Used != 1 {
				return fmt.Errorf("%s leaves %d leases, want the other ticket's", first.Do, before[0].Used)
			}
			if o := p.Do(second); o != (Outcome{}) || !slices.Equal(p.readings(), before) {
				return fmt.Errorf("%s after %s comes to %+v and leaves %+v, want %+v", second.Do, first.Do, o, p.readings(), before)
			}
		}
	}
	return nil
}

func chargesOnce(tb testing.TB, s Suite, _ uint64) error {
	p := scene(tb, s, oneOfEach(9)...)
	all := p.all()
	if err := p.admit(1, slices.Concat(all, all, all)...); err != nil {
		return err
	}
	for i, o := range p.readings() {
		want := int64(1)
		if i >= 1 && i <= 3 { // cost and tokens come with the commit
			want = 0
		}
		if o.Used != want {
			return fmt.Errorf("reserve over every rule three times leaves %s at %d, want %d", p.trace.Rules[i].Name, o.Used, want)
		}
	}
	p.Do(Step{Do: Commit, Ticket: 1, Usage: limiter.Usage{Input: 3, CostNanos: 3}})
	for i, want := range []int64{0, 3, 3, 3, 1, 1, 1, 1, 1, 1} {
		if used := p.readings()[i].Used; used != want {
			return fmt.Errorf("commit over every rule three times leaves %s at %d, want %d", p.trace.Rules[i].Name, used, want)
		}
	}
	return nil
}

// saturates commits more than any counter holds. How high it stops is the
// backend's business.
func saturates(tb testing.TB, s Suite, _ uint64) error {
	rules := oneOfEach(9)[1:4]
	p := scene(tb, s, rules...)
	for ticket := range 3 {
		if err := p.admit(ticket, p.all()...); err != nil {
			return err
		}
	}
	for ticket := range 3 {
		p.Do(Step{Passes: time.Second, Do: Commit, Ticket: ticket, Usage: everything(math.MaxInt64)})
	}
	for i, o := range p.readings() {
		if o.Used < limiter.MaxAmount {
			return fmt.Errorf("%s stands at %d after three usages of %d", rules[i].Name, o.Used, int64(math.MaxInt64))
		}
		if again := p.Do(Step{Do: Reserve, Ticket: 9, Rules: []int{i}}); again.Refused != i+1 {
			return fmt.Errorf("%s is full and admits", rules[i].Name)
		}
	}
	p.Do(Step{Passes: 24 * time.Hour, Do: Sweep})
	return p.admit(10, p.all()...)
}
