package limitertest

import (
	"math/rand/v2"
	"slices"
	"time"

	"relay/limiter"
)

// Random returns the trace of a seed: up to six rules of any strategy and
// meter, and some forty steps that keep close to where the rules change their
// minds. All times are multiples of the grain.
func Random(seed uint64, grain time.Duration) Trace {
	g := newGenerator(seed, grain)
	g.rules(1 + g.IntN(6))
	for range 40 {
		g.step()
	}
	g.wrapUp()
	return g.trace
}

// generator draws a trace step by step.
type generator struct {
	*rand.Rand
	trace Trace
	now   limiter.Instant
	scale scale
	made  int   // tickets
	open  []int // tickets, for all that the generator knows
}

// scale is the order of size of a trace's windows.
type scale struct {
	windows []int64 // seconds
	budgets bool
}

func newGenerator(seed uint64, grain time.Duration) *generator {
	g := &generator{Rand: rand.New(rand.NewPCG(seed, 0x6c696d6974657273))}
	g.trace.Grain = max(grain, 1)
	scales := []scale{
		{windows: []int64{1, 2, 3, 5, 7}},
		{windows: []int64{1, 60, 61, 600}},
		{windows: []int64{3600, 86_400, 86_399}, budgets: true},
	}
	g.scale = scales[g.IntN(len(scales))]
	noon := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC).UnixNano()
	wall := noon - int64(g.upTo(366*24*time.Hour))
	g.trace.Start = limiter.Instant{V: wall + g.Int64N(2)*int64(g.upTo(24*time.Hour)), Wall: wall}
	g.now = g.trace.Start
	return g
}

// step appends one step, most often a reserve.
func (g *generator) step() {
	s := Step{Passes: g.passes()}
	switch n := g.IntN(100); {
	case n < 50:
		g.reserve(&s)
	case n < 80:
		g.end(&s)
	case n < 84:
		s.Do, s.Rule, s.Amount, s.Reserve = Edit, g.IntN(len(g.trace.Rules)), 1+g.Int64N(7), g.IntN(2) == 0
		if isTwice(g.trace.Rules, s.Rule) {
			s.Do = Sweep
		}
	case n < 87:
		s.Do = Sweep
	case n < 89:
		s.Do, s.Rule = Reset, g.IntN(len(g.trace.Rules))
	default:
		s.Do, s.Rule = Read, g.IntN(len(g.trace.Rules))
	}
	switch g.IntN(40) {
	case 0:
		s.Late = g.upTo(time.Second)
	case 1:
		s.SetWall = g.upTo(4*time.Hour) - 2*time.Hour
	}
	g.append(s)
}

// isTwice reports whether another rule has the same counter.
func isTwice(rules []Rule, i int) bool {
	return slices.ContainsFunc(rules[:i], func(r Rule) bool { return r.Name == rules[i].Name }) ||
		slices.ContainsFunc(rules[i+1:], func(r Rule) bool { return r.Name == rules[i].Name })
}

func (g *generator) append(s Step) {
	g.now = s.after(g.now)
	g.trace.Steps = append(g.trace.Steps, s)
}

// passes draws a time that ends near the edge of a slot, a window or a day
// more often than chance would have it.
func (g *generator) passes() time.Duration {
	window := time.Duration(one(g, g.scale.windows...)) * time.Second
	switch g.IntN(8) {
	case 0, 1:
		return 0
	case 2:
		return g.upTo(window / 60)
	case 3:
		return g.near(time.Duration(1+g.IntN(62)) * window / 60)
	case 4:
		return g.near(window - time.Duration(g.now.V)%window)
	case 5:
		return g.upTo(window)
	case 6:
		return g.upTo(window / 3)
	}
	return g.upTo(window * 2)
}

// upTo draws a time below d.
func (g *generator) upTo(d time.Duration) time.Duration {
	return time.Duration(g.Int64N(int64(d))).Truncate(g.trace.Grain)
}

// near draws the grain before d, d, or the grain after it.
func (g *generator) near(d time.Duration) time.Duration {
	return max(0, d.Truncate(g.trace.Grain)+time.Duration(g.IntN(3)-1)*g.trace.Grain)
}

func (g *generator) reserve(s *Step) {
	s.Do, s.Ticket = Reserve, g.made
	g.open = append(g.open, g.made)
	g.made++
	order := g.Perm(len(g.trace.Rules))
	s.Rules = order[:1+g.IntN(len(order))]
	s.Input, s.Output = g.Int64N(4)-1, g.Int64N(4)-1
	s.Keep = g.IntN(3) == 0
}

// end draws a way to end a ticket, also one that has ended before.
func (g *generator) end(s *Step) {
	s.Do = one(g, Commit, Commit, Commit, Release, Cancel)
	s.Upstream = g.IntN(4) == 0
	s.Usage = g.usage()
	if len(g.open) == 0 {
		return
	}
	i := g.IntN(len(g.open))
	s.Ticket = g.open[i]
	if g.IntN(10) > 0 {
		g.open = slices.Delete(g.open, i, i+1)
	}
}

func (g *generator) usage() limiter.Usage {
	n := func() int64 { return g.Int64N(5) - 1 }
	return limiter.Usage{
		Input: n(), CacheRead: n(), CacheCreation: n(), Output: n(), Reasoning: n(),
		ServerToolUseInput: n(), ServerToolUseOutput: n(), CostNanos: n(), Unknown: g.IntN(4) == 0,
	}
}

// wrapUp ends every ticket and reads every counter.
func (g *generator) wrapUp() {
	for n := range g.made {
		g.append(Step{Do: one(g, Commit, Release, Cancel), Ticket: n, Usage: g.usage()})
	}
	for i := range g.trace.Rules {
		g.append(Step{Do: Read, Rule: i})
	}
}
