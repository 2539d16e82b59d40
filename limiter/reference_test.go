package limiter_test

import (
	"math/big"
	"sort"
	"time"

	"relay/limiter"
)

// reference is a slow counter that keeps every charge. count has no effects.
type reference interface {
	count(at limiter.Instant, amount int64) int64
	charge(at limiter.Instant, amount, n int64) (mark int64)
	giveBack(mark int64)
}

func newReference(n limiter.Name) reference {
	window := n.Window * int64(time.Second)
	rule := limiter.Rule{Meter: n.Meter, Strategy: n.Strategy}
	switch rule.Algorithm() {
	case limiter.AlgorithmGauge:
		return &gaugeReference{}
	case limiter.AlgorithmAligned, limiter.Algorithm(limiter.FixedWindow):
		return &logReference{counts: func(then, now int64) bool { return then/window == now/window }}
	case limiter.Algorithm(limiter.TokenBucket), limiter.Algorithm(limiter.LeakyBucket):
		return &bucketReference{window: window, level: new(big.Rat)}
	case limiter.Algorithm(limiter.SessionWindow):
		return &sessionReference{window: window}
	}
	return &logReference{counts: func(then, now int64) bool {
		age := new(big.Int).Sub(bigSlot(now, window), bigSlot(then, window))
		return age.Cmp(big.NewInt(60)) <= 0
	}}
}

func bigSlot(v, window int64) *big.Int {
	product := new(big.Int).Mul(big.NewInt(v), big.NewInt(60))
	return product.Div(product, big.NewInt(window))
}

// logReference counts those charges of a log that still count.
type logReference struct {
	counts func(then, now int64) bool
	log    []logEntry
}

type logEntry struct{ at, n int64 }

func (r *logReference) count(at limiter.Instant, _ int64) (sum int64) {
	for _, e := range r.log {
		if r.counts(e.at, at.V) {
			sum += e.n
		}
	}
	return sum
}

func (r *logReference) charge(at limiter.Instant, _, n int64) int64 {
	r.log = append(r.log, logEntry{at.V, n})
	return 0
}

func (r *logReference) giveBack(int64) {}

// bucketReference holds its level as a fraction.
type bucketReference struct {
	window, last int64
	level        *big.Rat
}

func (r *bucketReference) at(v, amount int64) *big.Rat {
	level := new(big.Rat).Set(r.level)
	if top := new(big.Rat).SetInt64(amount); level.Cmp(top) > 0 {
		level = top
	}
	drained := new(big.Rat).SetFrac(new(big.Int).Mul(big.NewInt(amount), big.NewInt(v-r.last)), big.NewInt(r.window))
	if level.Sub(level, drained).Sign() < 0 {
		level.SetInt64(0)
	}
	return level
}

func (r *bucketReference) count(at limiter.Instant, amount int64) int64 {
	level := r.at(at.V, amount)
	up := new(big.Int).Add(level.Num(), new(big.Int).Sub(level.Denom(), big.NewInt(1)))
	return up.Div(up, level.Denom()).Int64()
}

func (r *bucketReference) charge(at limiter.Instant, amount, n int64) int64 {
	r.level = r.at(at.V, amount)
	r.level.Add(r.level, new(big.Rat).SetInt64(n))
	r.last = at.V
	return 0
}

// giveBack takes one out of what is in the bucket by now; taking it out of
// what was in it at the last charge comes to the same.
func (r *bucketReference) giveBack(int64) {
	if r.level.Sub(r.level, new(big.Rat).SetInt64(1)).Sign() < 0 {
		r.level.SetInt64(0)
	}
}

type sessionReference struct{ window, start, held int64 }

func (r *sessionReference) count(at limiter.Instant, _ int64) int64 {
	if at.V >= r.start+r.window {
		return 0
	}
	return r.held
}

func (r *sessionReference) charge(at limiter.Instant, _, n int64) int64 {
	if at.V >= r.start+r.window {
		r.start, r.held = at.V, 0
	}
	r.held += n
	return r.start
}

func (r *sessionReference) giveBack(mark int64) {
	if mark == r.start && r.held > 0 {
		r.held--
	}
}

type gaugeReference struct{ held int64 }

func (r *gaugeReference) count(limiter.Instant, int64) int64 { return r.held }

func (r *gaugeReference) charge(_ limiter.Instant, _, n int64) int64 {
	r.held += n
	return 0
}

func (r *gaugeReference) giveBack(int64) { r.held-- }

// referenceWait searches for the first moment when the count is down to the
// target. Counts only fall while nothing is charged.
func referenceWait(r reference, now limiter.Instant, target, amount, window int64) time.Duration {
	if _, gauge := r.(*gaugeReference); gauge {
		return time.Second
	}
	wait := sort.Search(int(2*window), func(d int) bool {
		later := limiter.Instant{V: now.V + int64(d), Wall: now.Wall + int64(d)}
		return r.count(later, amount) <= target
	})
	return time.Duration(wait)
}
