package limitertest

import (
	"slices"
	"strconv"

	"relay/limiter"
)

// Model is what a limiter must do, slowly: a sequential one that keeps
// everything.
type Model struct {
	rules    []Rule
	counters []counter
	of       []int // rule to counter
	open     []ticket
	v        int64 // the latest that was seen
	commits  uint64
}

// ticket is a reserve that was admitted and has not ended. Immutable.
type ticket struct {
	number int
	keep   bool
	held   []held
}

// held is a counter that a ticket has charged.
type held struct {
	counter int
	meter   limiter.Meter
	mark    int64
	booked  int64
	reset   bool // of what it was charged nothing is left
}

// NewModel returns a model that has counted nothing.
func NewModel(rules []Rule) *Model {
	m := &Model{rules: slices.Clone(rules)}
	known := map[limiter.Name]int{}
	for _, r := range rules {
		i, twice := known[r.Name]
		if !twice {
			i = len(m.counters)
			known[r.Name] = i
			m.counters = append(m.counters, newCounter(r.Name))
		}
		m.of = append(m.of, i)
	}
	return m
}

// Expect returns what each step of a trace must come to.
func Expect(t Trace) []Outcome {
	m, now := NewModel(t.Rules), t.Start
	outcomes := make([]Outcome, len(t.Steps))
	for i, s := range t.Steps {
		now = s.after(now)
		outcomes[i] = m.Do(now, s)
	}
	return outcomes
}

// Do runs one step whose clock, but for being late, reads now.
func (m *Model) Do(now limiter.Instant, s Step) Outcome {
	now.V -= int64(s.Late)
	switch s.Do {
	case Reserve:
		return m.reserve(m.tick(now), s)
	case Commit, Release, Cancel:
		return m.end(m.tick(now), s)
	case Read:
		return m.read(m.tick(now), s.Rule)
	case Edit:
		m.rules[s.Rule].Amount, m.rules[s.Rule].Reserve = s.Amount, s.Reserve
	case Reset:
		m.tick(now)
		m.reset(s.Rule)
	}
	return Outcome{}
}

// tick keeps V from going back when readings overtake each other.
func (m *Model) tick(now limiter.Instant) limiter.Instant {
	m.v = max(m.v, now.V)
	now.V = m.v
	return now
}

func (m *Model) reserve(now limiter.Instant, s Step) Outcome {
	outcome := m.verdict(now, s)
	if outcome.Refused > 0 {
		return outcome
	}
	t := ticket{number: s.Ticket, keep: s.Keep}
	for _, i := range s.Rules {
		reached := slices.ContainsFunc(t.held, func(h held) bool { return h.counter == m.of[i] })
		if !reached {
			t.held = append(t.held, held{counter: m.of[i], meter: m.rules[i].Name.Meter, mark: m.charge(now, i)})
		}
	}
	m.book(now, s, t.held)
	m.open = append(m.open, t)
	return outcome
}

// charge takes a request or a lease; tokens and cost come with the commit.
func (m *Model) charge(now limiter.Instant, rule int) (mark int64) {
	r := m.rules[rule]
	if r.Name.Meter != limiter.MeterRequests && r.Name.Meter != limiter.MeterConcurrency {
		return 0
	}
	return m.counters[m.of[rule]].charge(now, r.Amount, 1)
}

func (m *Model) end(now limiter.Instant, s Step) Outcome {
	at := slices.IndexFunc(m.open, func(t ticket) bool { return t.number == s.Ticket })
	if at < 0 {
		return Outcome{}
	}
	t := m.open[at]
	m.open = slices.Delete(m.open, at, at+1)
	for _, h := range t.held {
		m.settle(now, s, t, h)
	}
	if s.Do != Commit {
		return Outcome{}
	}
	m.commits++
	return Outcome{Commit: m.commits}
}

func (m *Model) read(now limiter.Instant, rule int) Outcome {
	c := m.counters[m.of[rule]]
	o := Outcome{Used: c.stands(now, 0)}
	if _, lease := c.(*gauge); o.Used > 0 && !lease {
		o.Wait = c.wait(now, 0, 0)
	}
	return o
}

// Clone returns a model that goes its own way from here on.
func (m *Model) Clone() *Model {
	clone := *m
	clone.rules, clone.open = slices.Clone(m.rules), slices.Clone(m.open)
	clone.counters = make([]counter, len(m.counters))
	for i, c := range m.counters {
		clone.counters[i] = c.clone()
	}
	return &clone
}

// String is equal for models that cannot be told apart.
func (m *Model) String() string {
	text := numbers(nil, m.v, int64(m.commits))
	for _, r := range m.rules {
		text = strconv.AppendBool(numbers(text, r.Amount), r.Reserve)
	}
	for _, c := range m.counters {
		text = c.append(append(text, '|'))
	}
	open := slices.SortedFunc(slices.Values(m.open), func(a, b ticket) int { return a.number - b.number })
	for _, t := range open {
		text = strconv.AppendBool(numbers(append(text, '|'), int64(t.number)), t.keep)
		for _, h := range t.held {
			text = strconv.AppendBool(numbers(text, h.mark, h.booked), h.reset)
		}
	}
	return string(text)
}

func numbers(text []byte, list ...int64) []byte {
	for _, n := range list {
		text = append(strconv.AppendInt(text, n, 10), ' ')
	}
	return text
}
