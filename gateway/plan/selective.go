package plan

import (
	"cmp"
	"slices"
	"strings"

	"relay/limiter"
	"relay/store"
)

// mostUsers is how many end users a limit tells apart at a time; further ones
// share a counter.
const mostUsers = 10_000

// Selective is a rate limit, or the budgets of one record, of which each request
// is asked whether it is limited by it, and by which counters. Immutable. Safe
// for concurrent use.
type Selective struct {
	limits []*limiter.Limit // without a split, or of the values that share
	when   *condition       // nil: every request
	spans  []span           // in which it is not enforced
	by     []dimension      // whose values tell the counters apart; nil: none
	split  splitter
}

// splitter gives each value limits of its own.
type splitter interface {
	Limits(now limiter.Instant, value string) []*limiter.Limit
}

// Limits returns what limits the request. It allocates nothing where the limit is
// split by one dimension at most and the value is known.
func (s *Selective) Limits(f *Facts) []*limiter.Limit {
	switch {
	case s.when != nil && !s.when.holds(f), suspended(s.spans, f.Now):
		return nil
	case len(s.by) == 0:
		return s.limits
	}
	value, ok := s.value(f)
	if !ok {
		return nil // what a request lacks does not limit it
	}
	return s.split.Limits(f.Now, value)
}

// value joins what the request has of the dimensions. The end user comes last,
// since nothing else may hold the blank between them.
func (s *Selective) value(f *Facts) (joined string, ok bool) {
	for i, d := range s.by {
		id := f.value(d).id
		switch {
		case id == "":
			return "", false
		case i == 0:
			joined = id
		default:
			joined += " " + id
		}
	}
	return joined, true
}

// Turns returns what limits the request at another model than it was admitted for
// and has not been charged then.
func (s *Selective) Turns(admitted, now *Facts) []*limiter.Limit {
	if !s.asksModel() {
		return nil
	}
	before, counted := s.value(admitted)
	value, _ := s.value(now)
	applied := counted && (s.when == nil || s.when.holds(admitted))
	if applied && before == value {
		return nil
	}
	return s.Limits(now)
}

// asksModel reports whether the answer depends on the model.
func (s *Selective) asksModel() bool {
	for _, d := range s.by {
		if d == byModel {
			return true
		}
	}
	return s.when != nil && s.when.asks(func(d dimension) bool { return d == byModel || d == byProvider })
}

// selection is what a rate limit or budget asks of requests, as far as it is not
// known of the party.
type selection struct {
	per   string // of the counters' names, up to the value
	by    []dimension
	when  *condition
	spans []span
}

// always reports whether every request counts alike.
func (s *selection) always() bool { return len(s.by) == 0 && s.when == nil && len(s.spans) == 0 }

// splitBy separates the dimensions whose values are known of the party from those
// of the request, and names the former. ok is false when the party lacks one: then
// it is not limited.
func (p *party) splitBy(dims []string) (per string, by []dimension, ok bool) {
	var later [len(dimensionNames)]bool
	for _, name := range dims {
		d, known := dimensionOf(name)
		switch {
		case !known:
			return "", nil, false
		case d >= callerDimensions || p.unknown:
			later[d] = true
		case p.values[d].id == "":
			return "", nil, false
		default:
			per += name + "=" + p.values[d].id + ","
		}
	}
	var names []string
	for d, asked := range later {
		if asked {
			by, names = append(by, dimension(d)), append(names, dimension(d).String())
		}
	}
	return per + strings.Join(names, "+"), by, true
}

// selects says what a rate limit asks of the party's requests. ok is false when
// none of them is limited by it.
func (c *compiler) selects(rl *store.RateLimitSpec, p *party) (s selection, ok bool, err error) {
	if s.per, s.by, ok = p.splitBy(rl.Per); !ok {
		return s, false, nil
	}
	if s.spans, err = spansOf(rl.Suspend); err != nil || rl.Match == nil {
		return s, true, err
	}
	when, err := conditionOf(rl.Match)
	if err != nil {
		return s, true, err
	}
	verdict := when.of(p)
	if verdict == depends || len(s.by)+len(s.spans) > 0 { // a split is one for all parties
		s.when = when
	}
	return s, verdict != never, nil
}

// held puts limits whose counters differ in meter, strategy, window or period
// alone where requests find them.
func (c *compiler) held(limits []*limiter.Limit, s selection) Held {
	if s.always() || len(limits) == 0 {
		return Held{Limits: limits}
	}
	base := baseOf(limits[0].Counter.Name())
	known := c.selectives[base]
	if known == nil {
		known = c.knownSelectives[base]
	}
	if known == nil {
		known = &Selective{limits: limits, when: s.when, spans: s.spans, by: s.by}
		if len(s.by) > 0 {
			known.split = c.splitter(limits, s.by)
		}
		c.selectives[base] = known
	}
	return Held{Selective: []*Selective{known}}
}

// baseOf is what the names of a split limit's counters have in common.
func baseOf(n limiter.Name) limiter.Name {
	return limiter.Name{Owner: n.Owner, Limit: n.Limit, Subject: n.Subject, Model: n.Model, Per: n.Per}
}

// bound is how many values a limit tells apart.
func bound(by []dimension) int {
	for _, d := range by {
		if d == byUser {
			return mostUsers
		}
	}
	return limiter.DefaultBound
}

// standalones are the limits that no policy binds, in the order of their names.
func standalones(c *store.Catalog) []*store.RateLimit {
	var out []*store.RateLimit
	for rl := range c.RateLimits.All() {
		if rl.Spec.Standalone && store.Enabled(rl.Spec.Enabled) && !rl.Metadata.OfSystem() {
			out = append(out, rl)
		}
	}
	slices.SortFunc(out, func(a, b *store.RateLimit) int { return cmp.Compare(a.Metadata.Name, b.Metadata.Name) })
	return out
}

// looked is the splitter of questions: it finds what has been counted for a value
// and makes nothing.
type looked struct {
	compiler *compiler
	limits   []*limiter.Limit
}

func (l looked) Limits(_ limiter.Instant, value string) []*limiter.Limit {
	out := make([]*limiter.Limit, len(l.limits))
	for i, of := range l.limits {
		name, limit := of.Counter.Name(), *of
		name.Per += "=" + value
		limit.Counter = l.compiler.counter(name)
		out[i] = &limit
	}
	return out
}
