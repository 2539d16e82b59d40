package limiter_test

import (
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"relay/limiter"
)

// model runs the limiter and its slow references side by side.
type model struct {
	*world
	limits     []*limiter.Limit
	references []reference
	open       []*pair
}

// pair is one reserved ticket and the marks that the references gave for it.
type pair struct {
	ticket *limiter.Ticket
	held   []int // indexes of limits
	marks  []int64
}

// TestMemory_EqualsTheSlowReference drives random rules of every algorithm with
// random traffic, cancels and edits of amounts, and compares every verdict,
// named rule, wait and count.
func TestMemory_EqualsTheSlowReference(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		m := newModel(t, rt)
		rt.Repeat(map[string]func(*rapid.T){
			"time passes":   m.timePasses,
			"reserve":       m.tryReserve,
			"reserve again": m.tryReserve,
			"end":           m.endOne,
			"edit":          m.editAmount,
			"sweep":         func(*rapid.T) { m.registry.Sweep(1, m.now) },
			"":              m.compareCounts,
		})
	})
}

func newModel(t testing.TB, rt *rapid.T) *model {
	m := &model{world: newWorld(t)}
	sources := []*limiter.Source{source(limiter.ScopeKey, 1), source(limiter.ScopeTeam, 0), source(limiter.ScopeKey, 0)}
	rules := rapid.SliceOfNDistinct(rapid.Custom(drawRule), 1, 6, func(r limiter.Rule) limiter.Rule {
		r.Amount = 0
		if r.Meter == limiter.MeterConcurrency {
			r.Window, r.Strategy = 0, ""
		}
		return r
	}).Draw(rt, "rules")
	for _, rule := range rules {
		l := m.limitOf(rapid.SampledFrom(sources).Draw(rt, "source"), "owner", rule)
		l.AtCap = rapid.SampledFrom([]limiter.AtCap{limiter.AdmitAtCap, limiter.RefuseAtCap}).Draw(rt, "atCap")
		m.limits = append(m.limits, l)
		m.references = append(m.references, newReference(l.Counter.Name()))
	}
	return m
}

func drawRule(t *rapid.T) limiter.Rule {
	return limiter.Rule{
		Meter: rapid.SampledFrom([]limiter.Meter{
			limiter.MeterRequests, limiter.MeterRequests, limiter.MeterRequests, limiter.MeterConcurrency,
			limiter.MeterTokens, limiter.MeterOutput,
		}).Draw(t, "meter"),
		Amount: rapid.Int64Range(1, 7).Draw(t, "amount"),
		Window: rapid.Int64Range(1, 7).Draw(t, "window"),
		Strategy: rapid.SampledFrom([]limiter.Strategy{
			limiter.SlidingWindow, limiter.FixedWindow, limiter.TokenBucket, limiter.LeakyBucket,
			limiter.SessionWindow, limiter.Aligned,
		}).Draw(t, "strategy"),
	}
}

func (m *model) timePasses(t *rapid.T) {
	m.pass(time.Duration(rapid.OneOf(
		rapid.Int64Range(0, 1e9),
		rapid.Int64Range(0, 15e9),
		rapid.Map(rapid.Int64Range(0, 120), func(n int64) int64 { return n * 1e9 / 60 }),
		rapid.Map(rapid.Int64Range(0, 15), func(n int64) int64 { return n*1e9 - m.now.V%1e9 + 1e9 }),
	).Draw(t, "step")))
}

func (m *model) tryReserve(t *rapid.T) {
	order := rapid.Permutation(indexes(len(m.limits))).Draw(t, "order")
	order = order[:rapid.IntRange(1, len(order)).Draw(t, "many")]
	ticket, got := m.reserve(pick(m.limits, order)...)
	want := m.verdict(order)
	if got != want {
		t.Fatalf("refusal is %+v, want %+v", got, want)
	}
	if got.Refused() {
		return
	}
	p := &pair{ticket: ticket, held: order}
	for _, i := range order {
		mark := int64(0)
		if meter := m.limits[i].Counter.Name().Meter; !meter.CountsTokens() {
			mark = m.references[i].charge(m.now, m.limits[i].Amount, 1)
		}
		p.marks = append(p.marks, mark)
	}
	m.open = append(m.open, p)
}

// verdict is the refusal as limits.md words it.
func (m *model) verdict(order []int) (r limiter.Refusal) {
	var longest time.Duration
	for _, i := range order {
		l, used := m.limits[i], m.references[i].count(m.now, m.limits[i].Amount)
		target := l.Amount - 1
		if l.Counter.Name().Meter.CountsTokens() && l.AtCap == limiter.AdmitAtCap {
			target = l.Amount
		}
		if used <= target {
			continue
		}
		wait := referenceWait(m.references[i], m.now, target, l.Amount, l.Counter.Name().Window*1e9)
		r.Wait = max(r.Wait, wait)
		if r.Limit == nil || wider(l.Source, r.Limit.Source) || l.Source == r.Limit.Source && wait > longest {
			r.Limit, r.Used, longest = l, used, wait
		}
	}
	return r
}

func wider(a, b *limiter.Source) bool {
	return a.Rung < b.Rung || a.Rung == b.Rung && a.Order < b.Order
}

func (m *model) endOne(t *rapid.T) {
	if len(m.open) == 0 {
		t.Skip("nothing is open")
	}
	i := rapid.IntRange(0, len(m.open)-1).Draw(t, "which")
	p := m.open[i]
	m.open = slices.Delete(m.open, i, i+1)
	switch rapid.IntRange(0, 2).Draw(t, "how") {
	case 0:
		m.commitBoth(p, limiter.Usage{Input: drawTokens(t), Output: drawTokens(t)})
	case 1:
		m.release(p.ticket)
		m.giveLeasesBack(p)
	case 2:
		m.cancel(p.ticket)
		for j, k := range p.held {
			if meter := m.limits[k].Counter.Name().Meter; !meter.CountsTokens() {
				m.references[k].giveBack(p.marks[j])
			}
		}
	}
}

func drawTokens(t *rapid.T) int64 { return rapid.Int64Range(-1, 4).Draw(t, "tokens") }

func (m *model) commitBoth(p *pair, u limiter.Usage) {
	m.commit(p.ticket, u)
	for _, k := range p.held {
		if n := u.Of(m.limits[k].Counter.Name().Meter); n > 0 {
			m.references[k].charge(m.now, m.limits[k].Amount, n)
		}
	}
	m.giveLeasesBack(p)
}

func (m *model) giveLeasesBack(p *pair) {
	for _, k := range p.held {
		if gauge, is := m.references[k].(*gaugeReference); is {
			gauge.held--
		}
	}
}

// editAmount is what a recompiled plan does: another Limit over the same
// counter.
func (m *model) editAmount(t *rapid.T) {
	i := rapid.IntRange(0, len(m.limits)-1).Draw(t, "limit")
	edited := *m.limits[i]
	edited.Amount = rapid.Int64Range(1, 7).Draw(t, "amount")
	m.limits[i] = &edited
}

func (m *model) compareCounts(t *rapid.T) {
	for i, l := range m.limits {
		if _, bucket := m.references[i].(*bucketReference); bucket {
			continue // read under the amount of its last charge
		}
		if got, want := m.used(l), m.references[i].count(m.now, l.Amount); got != want {
			t.Fatalf("%s stands at %d, want %d", l.Counter.Name(), got, want)
		}
	}
}

func indexes(n int) []int {
	list := make([]int, n)
	for i := range list {
		list[i] = i
	}
	return list
}

func pick(limits []*limiter.Limit, order []int) []*limiter.Limit {
	picked := make([]*limiter.Limit, len(order))
	for i, k := range order {
		picked[i] = limits[k]
	}
	return picked
}
