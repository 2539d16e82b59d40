package plan

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"relay/limiter"
)

// LimitState is one rule or budget and what it stands at. Counts are in units
// of the meter, money in nano-dollars.
type LimitState struct {
	Text     string `json:"text" doc:"The limit in words."`
	Scope    string `json:"scope" enum:"system,organization,team,project,principal,policy,standalone,key,model,upstream"`
	ID       string `json:"id" doc:"Of the rate limit; or limits, for limits on the record itself; or budget."`
	Name     string `json:"name,omitempty" doc:"Of the rate limit."`
	Owner    string `json:"owner" doc:"Whose it is, such as policy chat."`
	Meter    string `json:"meter"`
	Amount   int64  `json:"amount"`
	Window   int64  `json:"window,omitempty" doc:"Seconds."`
	Strategy string `json:"strategy,omitempty"`
	// Algorithm is what runs for the strategy.
	Algorithm         string   `json:"algorithm,omitempty"`
	Period            string   `json:"period,omitempty" doc:"Of a budget."`
	Model             string   `json:"model,omitempty" doc:"The model, where each counts by itself."`
	Per               []string `json:"per,omitempty" doc:"What else the counters are split by."`
	SharedBy          int      `json:"sharedBy,omitempty" doc:"Relay keys that share the counter."`
	Conditional       bool     `json:"conditional,omitempty" doc:"It counts some requests alone: those that its match selects, outside of its suspensions."`
	Reserves          bool     `json:"reserves,omitempty" doc:"Tokens are booked before the call and corrected after it."`
	WarnsOnly         bool     `json:"warnsOnly,omitempty"`
	Used              int64    `json:"used"`
	Room              int64    `json:"room" doc:"What is left of the amount."`
	ResetSeconds      *int64   `json:"resetSeconds,omitempty" doc:"Until the count is 0 by itself; absent: nobody knows, or never."`
	Refuses           bool     `json:"refuses" doc:"It has no room for a request now."`
	RetryAfterSeconds int64    `json:"retryAfterSeconds,omitempty" doc:"Until it has room again, where it refuses and time helps."`
}

// states describes limits in the order in which a refusal names them.
func (e *explainer) states(limits []*limiter.Limit) []LimitState {
	return e.describe(e.asked.compiler, Held{Limits: limits})
}

// describe reads the limits, widest first.
func (o *Observed) describe(c *compiler, held Held) []LimitState {
	out := []LimitState{}
	for _, l := range widestFirst(held.all()) {
		s := c.stateOf(l)
		s.Conditional = slices.ContainsFunc(held.Selective, func(of *Selective) bool {
			return (of.when != nil || len(of.spans) > 0) && slices.Contains(of.limits, l)
		})
		o.read(&s, l)
		out = append(out, s)
	}
	return out
}

func widestFirst(limits []*limiter.Limit) []*limiter.Limit {
	return slices.SortedStableFunc(slices.Values(limits), func(a, b *limiter.Limit) int {
		return cmp.Or(cmp.Compare(a.Source.Rung, b.Source.Rung), cmp.Compare(a.Source.Order, b.Source.Order))
	})
}

// stateOf describes the limit without its count.
func (c *compiler) stateOf(l *limiter.Limit) LimitState {
	name, source := l.Counter.Name(), l.Source
	s := LimitState{
		Text: LimitText(l), Scope: source.Scope.String(), ID: source.LimitID, Name: source.Name, Owner: source.Owner,
		Meter: string(name.Meter), Amount: l.Amount, Window: name.Window, Strategy: string(name.Strategy), Period: name.Period,
		Per: dimensions(name.Per), SharedBy: source.SharedBy, Reserves: l.Reserve, WarnsOnly: l.Warn, Room: l.Amount,
	}
	if name.Meter != limiter.MeterCost {
		s.Algorithm = string(limiter.Rule{Meter: name.Meter, Strategy: name.Strategy}.Algorithm())
	}
	if m := c.models[name.Model]; m != nil {
		s.Model = m.Name
	}
	return s
}

// dimensions are the names of what a counter is split by.
func dimensions(per string) []string {
	var names []string
	for _, part := range splitPer(per) {
		names = append(names, part.name)
	}
	return names
}

// staticPer is the beginning of a counter's split that is known of the caller.
func staticPer(per string) string {
	rest := per
	for {
		name, behind, valued := strings.Cut(rest, "=")
		d, known := dimensionOf(name)
		_, behind, more := strings.Cut(behind, ",")
		if !known || d >= callerDimensions || !valued || !more {
			return per[:len(per)-len(rest)]
		}
		rest = behind
	}
}

// splitPer reads what the name of a counter says of its split, as party.splitBy and
// Selective.value have written it: what is known of the caller, and behind it what
// is known of requests alone, which has no id where the counter is no value's.
func splitPer(per string) []struct{ name, id string } {
	var parts []struct{ name, id string }
	for per != "" {
		names, rest, valued := strings.Cut(per, "=")
		d, _ := dimensionOf(names)
		if strings.Contains(names, "+") || d >= callerDimensions || !valued {
			ids := strings.SplitN(rest, " ", strings.Count(names, "+")+1)
			for i, name := range strings.Split(names, "+") {
				id := ""
				if valued && i < len(ids) {
					id = ids[i]
				}
				parts = append(parts, struct{ name, id string }{name, id})
			}
			return parts
		}
		id, behind, _ := strings.Cut(rest, ",")
		parts, per = append(parts, struct{ name, id string }{names, id}), behind
	}
	return parts
}

func (o *Observed) read(s *LimitState, l *limiter.Limit) {
	if o.Counters == nil {
		return
	}
	reading := o.Counters.Read(l.Counter)
	s.Used, s.Room = reading.Used, max(0, l.Amount-reading.Used)
	if s.Meter != string(limiter.MeterConcurrency) {
		s.ResetSeconds = seconds(reading.Reset)
	}
	if verdict := o.Counters.Judge([]*limiter.Limit{l}); verdict.Refused() {
		s.Refuses, s.RetryAfterSeconds = true, verdict.RetryAfter()
	}
}

// judge says what the limits would say to a request.
func (o *Observed) judge(limits []*limiter.Limit) limiter.Refusal {
	if o.Counters == nil {
		return limiter.Refusal{}
	}
	return o.Counters.Judge(limits)
}

// seconds rounds up; a negative wait, which never ends, is nil.
func seconds(wait time.Duration) *int64 {
	if wait < 0 {
		return nil
	}
	whole := int64((wait + time.Second - 1) / time.Second)
	return &whole
}
