package limitertest

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"relay/limiter"
)

// saysTheWait brings rules over time into a random state until one refuses,
// which the last requests see to by coming all at once, waits out what the
// refusal says, and tries a moment before.
func saysTheWait(tb testing.TB, s Suite, seed uint64) error {
	g := newGenerator(seed, s.Grain)
	g.timedRules(1 + g.IntN(5))
	p := NewPlayer(s.New(tb), g.trace)
	reserve := Step{Do: Reserve, Rules: g.Perm(len(g.trace.Rules)), Input: g.Int64N(3), Output: g.Int64N(3)}
	for n := range 80 {
		reserve.Ticket, reserve.Passes = n, 0
		if n < 60 {
			reserve.Passes = (g.passes() / 8).Truncate(s.Grain)
		}
		if refusal := p.Do(reserve); refusal.Refused != 0 {
			return waitOut(p, refusal, reserve, s.Grain)
		}
		p.Do(Step{Do: Commit, Ticket: n, Usage: everything(1)})
	}
	return fmt.Errorf("20 requests at once are too few for every rule of\n%s", p.trace)
}

// timedRules draws rules that refuse for a time that is known: not concurrency,
// no budgets that warn or never end, and none that books more than its amount.
func (g *generator) timedRules(n int) {
	for len(g.trace.Rules) == 0 {
		g.rules(n)
		g.trace.Rules = slices.DeleteFunc(g.trace.Rules, func(r Rule) bool {
			return r.Name.Meter == limiter.MeterConcurrency || r.Name.Period == limiter.PeriodTotal || r.Warn
		})
	}
	for i := range g.trace.Rules {
		if r := &g.trace.Rules[i]; r.Reserve {
			r.Amount = max(r.Amount, 4)
		}
	}
}

func waitOut(p *Player, refusal Outcome, reserve Step, grain time.Duration) error {
	start, wait := p.Now, roundUp(refusal.Wait, grain)
	again := func(after time.Duration) Outcome {
		p.Now = start
		reserve.Passes, reserve.Ticket = after, -int(after)
		return p.Do(reserve)
	}
	for _, early := range []time.Duration{time.Second, grain} {
		if wait >= early && again(wait-early).Refused == 0 {
			return fmt.Errorf("admitted %s before the wait of %s was over, in\n%s", early, wait, p.trace)
		}
	}
	retryAfter := limiter.Refusal{Wait: refusal.Wait}.RetryAfter()
	if late := again(time.Duration(retryAfter) * time.Second); late.Refused != 0 {
		return fmt.Errorf("refused after Retry-After of %d s with another %s to wait, in\n%s", retryAfter, late.Wait, p.trace)
	}
	return nil
}

// changesNothing puts one full rule among others that have room, in every
// order.
func changesNothing(tb testing.TB, s Suite, seed uint64) error {
	g := newGenerator(seed, s.Grain)
	g.rules(1 + g.IntN(3))
	for i := range g.trace.Rules {
		g.trace.Rules[i].Amount, g.trace.Rules[i].Warn = 1000, false
	}
	full := g.rule()
	full.Name.Owner, full.Amount, full.Warn = "full", 1, false
	g.trace.Rules = append(g.trace.Rules, full)
	p, last := NewPlayer(s.New(tb), g.trace), len(g.trace.Rules)-1
	for n := range last + 4 {
		p.Do(Step{Passes: g.upTo(time.Second), Do: Reserve, Ticket: n, Rules: g.Perm(last), Input: g.Int64N(3)})
		p.Do(Step{Do: one(g, Commit, Commit, Read, Cancel), Ticket: n, Usage: g.usage()})
	}
	p.Do(Step{Do: Reserve, Ticket: 100, Rules: []int{last}})
	if full.Name.Meter != limiter.MeterConcurrency {
		p.Do(Step{Do: Commit, Ticket: 100, Usage: everything(2)})
	}
	return refuseInEveryOrder(p)
}

func refuseInEveryOrder(p *Player) error {
	before := p.readings()
	for order := range permutations(len(p.trace.Rules)) {
		if o := p.Do(Step{Do: Reserve, Ticket: 200, Rules: order, Input: 2, Output: 1}); o.Refused != len(order) {
			return fmt.Errorf("reserve over %v comes to %+v, want the last rule refusing, in\n%s", order, o, p.trace)
		}
		p.Do(Step{Do: Commit, Ticket: 200, Usage: everything(1)})
		if after := p.readings(); !slices.Equal(before, after) {
			return fmt.Errorf("refused reserve over %v left %+v, want %+v, in\n%s", order, after, before, p.trace)
		}
	}
	return nil
}

// readings reads every rule's counter.
func (p *Player) readings() []Outcome {
	readings := make([]Outcome, len(p.trace.Rules))
	for i := range readings {
		readings[i] = p.Do(Step{Do: Read, Rule: i})
	}
	return readings
}

// everything is a usage of n on every meter.
func everything(n int64) limiter.Usage {
	return limiter.Usage{
		Input: n, CacheRead: n, CacheCreation: n, Output: n, Reasoning: n,
		ServerToolUseInput: n, ServerToolUseOutput: n, CostNanos: n,
	}
}

// permutations yields every order of n numbers. The slice is used again.
func permutations(n int) func(yield func([]int) bool) {
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	return func(yield func([]int) bool) { permute(order, 0, yield) }
}

func permute(order []int, fixed int, yield func([]int) bool) bool {
	if fixed == len(order) {
		return yield(order)
	}
	for i := fixed; i < len(order); i++ {
		order[fixed], order[i] = order[i], order[fixed]
		more := permute(order, fixed+1, yield)
		order[fixed], order[i] = order[i], order[fixed]
		if !more {
			return false
		}
	}
	return true
}
