package limiter

import (
	"math"
	"time"
)

// Counter counts one meter for one subject. It keeps what was counted, never
// the amount that caps it: that is the Limit's, so that an edit of the amount
// finds the same count. Made by a Registry; the state belongs to its mutex.
type Counter struct {
	// The first 64 bytes are all that a reserve touches.
	state
	stamp uint64 // the last reserve that charged it
	refs  int32  // open tickets that hold it
	algo  algo
	meter meterCode
	dirty bool // in the ledger's list
	gone  bool // the registry forgot it

	kind       *kind
	zone       *time.Location // budgets
	next       *Counter       // of the same hash
	generation uint64         // of the last plan that used it; 0: none yet
	place      int32          // in the registry's list
	holds      int32          // by splits that know it
	stored     bool           // a snapshot holds a state of it
	emptied    uint32         // its last Reset, by number; 0: none

	owner, limit, subject, model, per string
}

// state is what a counter holds. The zero value has counted nothing.
//
// used never rises by itself, so what is stored bounds what the counter stands
// at later. It is the running total of a ring, the count of a window or
// session, the level of a bucket rounded up, the leases out of a gauge, what a
// budget has spent.
type state struct {
	slots  *slots // rings only: made at the first charge, dropped when idle
	used   int64
	edge   int64 // V at which the ring's slot, the window or the session ends; wall time at which the budget's period ends
	last   int64 // V of the last charge
	part   int64 // buckets: the level is used - part/window
	amount int64 // buckets: the amount of the last charge, for readings
}

// kind is what all counters of one meter, strategy, window and period share.
// Immutable.
type kind struct {
	meter    Meter
	strategy Strategy
	period   string
	seconds  int64
	window   int64 // nanoseconds; of no meaning to gauges and budgets
	idle     int64 // nanoseconds after the last charge when the state has aged out
	algo     algo
	code     meterCode
}

// Name returns what the counter is known by, without a time zone.
func (c *Counter) Name() Name {
	return Name{
		Owner: c.owner, Limit: c.limit, Subject: c.subject, Model: c.model, Per: c.per,
		Meter: c.kind.meter, Strategy: c.kind.strategy, Window: c.kind.seconds, Period: c.kind.period,
	}
}

func newCounter(n Name, k *kind, zone *time.Location) *Counter {
	return &Counter{
		kind: k, algo: k.algo, meter: k.code, zone: zone,
		owner: n.Owner, limit: n.Limit, subject: n.Subject, model: n.Model, per: n.Per,
	}
}

// newKind never fails: what Name.Check would refuse is counted as strictly as
// possible, since a counter that counts nothing is a limit that is not there.
func newKind(n Name) *kind {
	k := &kind{
		meter: n.Meter, strategy: n.Strategy, period: n.Period, seconds: n.Window,
		window: min(max(n.Window, 1), MaxWindow) * int64(time.Second),
		algo:   algoOf(n), code: codeOf(n.Meter),
	}
	k.idle = 2 * k.window
	if k.algo == algoBudget {
		k.idle = 2 * longestPeriod(n.Period)
	}
	return k
}

// longestPeriod returns how long a period lasts at most, so that an ended
// budget is not forgotten on the word of a wall clock that may be wrong.
func longestPeriod(period string) int64 {
	const day = 24 * int64(time.Hour)
	switch period {
	case PeriodDay:
		return day
	case PeriodWeek:
		return 7 * day
	case PeriodMonth:
		return 31 * day
	}
	return math.MaxInt64 / 2
}

// blank reports whether the counter holds nothing that a restart should keep.
func (s *state) blank() bool { return s.used == 0 }

// live reports whether the counter could still refuse somebody, or an open
// ticket holds it. A budget is believed to be over only when it has aged: the
// wall clock may be wrong.
func (c *Counter) live(now Instant, amount int64) bool {
	switch {
	case c.refs > 0:
		return true
	case c.algo == algoBudget:
		return !c.blank() && !c.aged(now.V)
	}
	return c.standing(now, amount) > 0
}

// aged reports whether the counter has been idle for two windows. A total
// budget never is.
func (c *Counter) aged(v int64) bool {
	return c.algo != algoGauge && v-c.last >= c.kind.idle
}
