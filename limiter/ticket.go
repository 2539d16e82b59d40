package limiter

import "math"

// inlineLimits is how many limits a ticket holds without allocating.
const inlineLimits = 32

// Ticket is one request's hold on the limits that apply to it. The zero value
// is ready: Add the limits, Reserve, then Commit, Release or Cancel, of which
// the first counts and the rest do nothing. A reserved ticket keeps its
// counters alive, whatever happens to the plan that its limits came from.
//
// A ticket belongs to one goroutine until it is reserved; ending it is safe
// from any. It must not be copied.
type Ticket struct {
	_      noCopy
	inline [inlineLimits]charge
	spill  []charge // holds all of them once there are more
	n      int
	held   bool   // reserved and not ended
	booked bool   // holds a booking
	kept   bool   // see Keep
	resets uint32 // of any counter, before it was reserved
	stamp  uint64 // see Stamp
	warned *Limit
	joined *Ticket // see Join

	input, output int64 // see Estimate
}

// charge is one limit of a ticket and what its counter marked the charge with.
type charge struct {
	limit *Limit
	mark  int64
}

// done marks a charge with which there is nothing left to do: its counter was
// charged by a limit before it, or its booking is corrected.
const done = math.MinInt64

// noCopy makes go vet refuse copies.
type noCopy struct{}

func (*noCopy) Lock()   {}
func (*noCopy) Unlock() {}

// Add puts limits on a ticket that is not reserved. A counter that is reached
// twice is charged once, and booked once when one of the limits that reach it
// has Reserve.
func (t *Ticket) Add(limits []*Limit) {
	t.mustBeFree("Add")
	for _, l := range limits {
		t.add(charge{limit: l})
	}
}

func (t *Ticket) add(c charge) {
	switch {
	case t.n < inlineLimits:
		t.inline[t.n] = c
	case t.n == inlineLimits:
		t.spill = append(append(t.spill[:0], t.inline[:]...), c)
	default:
		t.spill = append(t.spill, c)
	}
	t.n++
}

// Len returns how many limits are on the ticket, one that was added twice
// counted twice.
func (t *Ticket) Len() int { return t.n }

// Reset makes the ticket as new, but for the memory it has grown. It panics on
// a reserved ticket: its leases would never come back.
func (t *Ticket) Reset() {
	t.mustBeFree("Reset")
	clear(t.inline[:min(t.n, inlineLimits)])
	clear(t.spill)
	t.n = 0
	t.stamp, t.warned, t.joined = 0, nil, nil
	t.input, t.output = 0, 0
}

// Join makes the Commit of t, which is reserved, commit other as well, with the
// same usage and under the same number: for limits that came to a request after
// its reserve. Each corrects what it booked itself. Release and Cancel of t
// leave other alone. The last ticket that has joined counts.
func (t *Ticket) Join(other *Ticket) { t.joined = other }

// Warned returns the first budget of the last Reserve that was used up but
// lets requests pass; nil if there was none.
func (t *Ticket) Warned() *Limit { return t.warned }

// Stamp returns the number of the ticket's last Reserve, for Memory.AwaitKept.
// 0: it was refused, or holds nothing that outlives the process.
func (t *Ticket) Stamp() uint64 { return t.stamp }

func (t *Ticket) mustBeFree(what string) {
	if t.held {
		panic("limiter: " + what + " on a reserved ticket; commit, release or cancel it first")
	}
}

// charges returns the ticket's charges in the order they were added.
func (t *Ticket) charges() []charge {
	if t.n <= inlineLimits {
		return t.inline[:t.n]
	}
	return t.spill
}

// end reports whether the ticket was reserved, and is the last to find it so.
func (t *Ticket) end() bool {
	if t == nil || !t.held {
		return false
	}
	t.held = false
	return true
}
