package limitertest

import (
	"context"
	"slices"

	"relay/limiter"
)

// Player runs the steps of a trace on a backend.
type Player struct {
	Backend Backend
	Now     limiter.Instant // the reading of the last step

	trace   Trace
	limits  []*limiter.Limit
	tickets map[int]*limiter.Ticket
}

// NewPlayer gives the trace's rules counters of the backend.
func NewPlayer(b Backend, t Trace) *Player {
	p := &Player{Backend: b, Now: t.Start, trace: t, tickets: map[int]*limiter.Ticket{}}
	type place struct {
		rung  limiter.Scope
		order int
	}
	sources := map[place]*limiter.Source{}
	for _, r := range t.Rules {
		at := place{r.Rung, r.Order}
		if sources[at] == nil {
			sources[at] = &limiter.Source{Scope: r.Rung, Rung: r.Rung, Order: r.Order}
		}
		p.limits = append(p.limits, &limiter.Limit{
			Counter: b.Registry.Use(1, r.Name), Amount: r.Amount, AtCap: r.AtCap, Warn: r.Warn, Reserve: r.Reserve, Source: sources[at],
		})
	}
	return p
}

// Play runs a whole trace and returns what each step comes to.
func Play(b Backend, t Trace) []Outcome {
	p := NewPlayer(b, t)
	outcomes := make([]Outcome, len(t.Steps))
	for i, s := range t.Steps {
		outcomes[i] = p.Do(s)
	}
	return outcomes
}

// Do runs one step.
func (p *Player) Do(s Step) Outcome {
	p.Now = s.after(p.Now)
	now := p.Now
	now.V -= int64(s.Late)
	switch s.Do {
	case Reserve:
		ticket, outcome := p.reserve(now, s)
		p.tickets[s.Ticket] = ticket
		return outcome
	case Edit:
		edited := *p.limits[s.Rule]
		edited.Amount, edited.Reserve = s.Amount, s.Reserve
		p.limits[s.Rule] = &edited
	case Read:
		return p.read(now, p.trace.Rules[s.Rule].Name)
	case Sweep:
		p.Backend.Registry.Sweep(2, now)
	case Reset:
		p.reset(now, p.trace.Rules[s.Rule].Name)
	default:
		return p.end(now, s)
	}
	return Outcome{}
}

// after returns the reading of a step that follows one at now.
func (s Step) after(now limiter.Instant) limiter.Instant {
	now.V += int64(s.Passes)
	now.Wall += int64(s.Passes) + int64(s.SetWall)
	return now
}

// reserve makes a ticket, which is open only where nothing is refused.
func (p *Player) reserve(now limiter.Instant, s Step) (*limiter.Ticket, Outcome) {
	ticket := &limiter.Ticket{}
	for _, i := range s.Rules {
		ticket.Add(p.limits[i : i+1])
	}
	ticket.Estimate(s.Input, s.Output)
	refusal, err := p.Backend.Reserve(context.Background(), now, ticket)
	if err != nil {
		return ticket, Outcome{Refused: -1}
	}
	if s.Keep {
		ticket.Keep()
	}
	return ticket, p.outcome(refusal, ticket)
}

func (p *Player) outcome(r limiter.Refusal, t *limiter.Ticket) Outcome {
	o := Outcome{Refused: p.rule(r.Limit), Warned: p.rule(t.Warned()), Used: r.Used, Wait: r.Wait}
	if !r.ResetAt.IsZero() {
		o.ResetAt = r.ResetAt.UnixNano()
	}
	return o
}

// rule returns which rule a limit stands for. A backend may name a copy of it.
func (p *Player) rule(l *limiter.Limit) int {
	if l == nil {
		return 0
	}
	if i := slices.Index(p.limits, l); i >= 0 {
		return i + 1
	}
	for i, own := range p.limits {
		same := own.Counter.Name() == l.Counter.Name() && own.Source == l.Source
		if same && own.Amount == l.Amount && own.AtCap == l.AtCap && own.Warn == l.Warn && own.Reserve == l.Reserve {
			return i + 1
		}
	}
	return -1
}

func (p *Player) read(now limiter.Instant, name limiter.Name) Outcome {
	counter := p.Backend.Registry.Find(name)
	if counter == nil {
		return Outcome{} // idle, and forgotten
	}
	reading := p.Backend.Read(now, counter)
	return Outcome{Used: reading.Used, Wait: reading.Reset}
}

func (p *Player) reset(now limiter.Instant, name limiter.Name) {
	if counter := p.Backend.Registry.Find(name); counter != nil {
		p.Backend.Reset(now, counter)
	}
}

func (p *Player) end(now limiter.Instant, s Step) Outcome {
	t := p.tickets[s.Ticket]
	if t == nil {
		t = &limiter.Ticket{}
	}
	return end(p.Backend, now, s, t)
}

func end(b Backend, now limiter.Instant, s Step, t *limiter.Ticket) Outcome {
	ctx := context.Background()
	switch {
	case s.Do == Release:
		b.Release(ctx, now, t)
	case s.Do == Cancel:
		b.Cancel(ctx, now, t)
	case s.Upstream:
		return Outcome{Commit: b.Commit(ctx, now, s.Usage, nil, t)}
	default:
		return Outcome{Commit: b.Commit(ctx, now, s.Usage, t, nil)}
	}
	return Outcome{}
}
