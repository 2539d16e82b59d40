package limitertest

import (
	"cmp"
	"math/bits"
	"slices"
	"strconv"
	"time"

	"relay/limiter"
)

// slot returns which sixtieth of the window v lies in.
func slot(v, window int64) int64 {
	hi, lo := bits.Mul64(uint64(v), 60)
	n, _ := bits.Div64(hi, lo, uint64(window))
	return int64(n)
}

// logged keeps every charge with the place it fell into, a slot or a window,
// and counts those of the present place and of so many before it.
type logged struct {
	window int64
	place  func(v int64) int64
	stays  int64
	log    []charge
}

// charge is one entry of a log. Those of bookings are kept apart, and for as
// long as they are open; others of one place are one.
type charge struct {
	place, n int64
	open     bool
	ticket   int // that booked it
}

func (c *logged) stands(now limiter.Instant, _ int64) (sum int64) {
	oldest := c.place(now.V) - c.stays
	for _, e := range c.log {
		if e.place >= oldest {
			sum = add(sum, e.n)
		}
	}
	return sum
}

func (c *logged) charge(now limiter.Instant, _, n int64) int64 {
	place := c.place(now.V)
	c.log = slices.DeleteFunc(c.log, func(e charge) bool { return !e.open && e.place < place-c.stays })
	c.enter(place, n)
	return 0
}

func (c *logged) enter(place, n int64) {
	at := slices.IndexFunc(c.log, func(e charge) bool { return !e.open && e.place == place })
	if at < 0 {
		at = len(c.log)
		c.log = append(c.log, charge{place: place})
	}
	c.log[at].n = add(c.log[at].n, n)
}

func (c *logged) cancel(int64) {}
func (c *logged) release()     {}

func (c *logged) wait(now limiter.Instant, target, amount int64) time.Duration {
	return search(c, now, target, amount, 2*c.window)
}

func (c *logged) clone() counter {
	clone := *c
	clone.log = slices.Clone(c.log)
	return &clone
}

func (c *logged) append(text []byte) []byte {
	sorted := slices.SortedFunc(slices.Values(c.log), func(a, b charge) int {
		return cmp.Or(cmp.Compare(a.place, b.place), cmp.Compare(a.ticket, b.ticket))
	})
	for _, e := range sorted {
		text = strconv.AppendBool(numbers(text, e.place, e.n, int64(e.ticket)), e.open)
	}
	return text
}

// session counts in a window that its first charge opens. When all of its
// charges were given back it never was.
type session struct{ window, start, held int64 }

func (c *session) over(v int64) bool { return c.held == 0 || v >= c.start+c.window }

func (c *session) stands(now limiter.Instant, _ int64) int64 {
	if c.over(now.V) {
		return 0
	}
	return c.held
}

func (c *session) charge(now limiter.Instant, _, n int64) int64 {
	if c.over(now.V) {
		c.start, c.held = now.V, 0
	}
	c.held = add(c.held, n)
	return c.start
}

func (c *session) cancel(mark int64) {
	if mark == c.start && c.held > 0 {
		c.held--
	}
}

func (c *session) release() {}

func (c *session) wait(now limiter.Instant, _, _ int64) time.Duration {
	return time.Duration(c.start + c.window - now.V)
}

func (c *session) clone() counter { clone := *c; return &clone }
func (c *session) append(text []byte) []byte {
	return numbers(text, c.start, c.held)
}
