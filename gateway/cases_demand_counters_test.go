package gateway_test

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"

	"relay/gateway/plan"
	"relay/limiter"
)

// held are all limits of a call of the key for the model, upstream ones too.
func (r *rig) held(key, model string) []*limiter.Limit {
	r.tb.Helper()
	return r.heldFor(key, model, "")
}

// heldFor are those of a call that is made for an end user.
func (r *rig) heldFor(key, model, user string) []*limiter.Limit {
	r.tb.Helper()
	p := r.server.Plan()
	m, _, ok := p.Find(model)
	if !ok {
		r.tb.Fatalf("no model %s", model)
	}
	f := &plan.Facts{Caller: p.Caller(sha256.Sum256([]byte(key))), Model: m, Asked: model, User: user, Now: r.clock.Now()}
	all := append(slices.Clone(f.Caller.Limits), m.Limits...)
	selective := slices.Clone(f.Caller.Selective)
	for _, perModel := range f.Caller.ModelLimits {
		limit := perModel.Of(m)
		all, selective = append(all, limit.Limits...), append(selective, limit.Selective...)
	}
	for _, s := range selective {
		all = append(all, s.Limits(f)...)
	}
	for _, k := range p.HostKeys {
		all = append(all, k.Limits...)
	}
	return all
}

// ofRungs are those limits that stand on one of the rungs.
func ofRungs(limits []*limiter.Limit, rungs ...limiter.Scope) []*limiter.Limit {
	return slices.DeleteFunc(slices.Clone(limits), func(l *limiter.Limit) bool { return !slices.Contains(rungs, l.Source.Rung) })
}

// ofMeters are those limits that count one of the meters.
func ofMeters(limits []*limiter.Limit, meters ...limiter.Meter) []*limiter.Limit {
	return slices.DeleteFunc(slices.Clone(limits), func(l *limiter.Limit) bool { return !slices.Contains(meters, l.Counter.Name().Meter) })
}

// standing is what the counters of the limits read.
func (r *rig) standing(limits []*limiter.Limit) string {
	var b strings.Builder
	for _, l := range limits {
		name := l.Counter.Name()
		fmt.Fprintf(&b, "%s of %s %d=%d; ", name.Meter, l.Source.Owner, name.Window, r.memory.Read(r.clock.Now(), l.Counter).Used)
	}
	return b.String()
}

// charge reserves the limits as a call does, until it is ended.
func (r *rig) charge(limits []*limiter.Limit) (end func()) {
	r.tb.Helper()
	var ticket limiter.Ticket
	ticket.Add(limits)
	if refusal, err := r.memory.Reserve(r.tb.Context(), r.clock.Now(), &ticket); err != nil || refusal.Refused() {
		r.tb.Fatalf("%v, %+v", err, refusal)
	}
	return func() { r.memory.Release(r.tb.Context(), r.clock.Now(), &ticket) }
}

// reads is what the one counter of the owner and meter stands at that counts the
// key's calls for the model; -1: there is none.
func (r *rig) reads(key, model, owner string, meter limiter.Meter) int64 {
	r.tb.Helper()
	for _, l := range ofMeters(r.held(key, model), meter) {
		if l.Source.Owner == owner {
			return r.memory.Read(r.clock.Now(), l.Counter).Used
		}
	}
	return -1
}

// stays fails the test if the counters have changed since.
func (r *rig) stays(after string, limits []*limiter.Limit, before string) {
	r.tb.Helper()
	if now := r.standing(limits); now != before {
		r.tb.Fatalf("after %s the counters went\nfrom %s\nto   %s", after, before, now)
	}
}
