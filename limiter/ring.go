package limiter

import "math"

// ringSlots is 61: the slot that is filling and the 60 before it, each a
// sixtieth of the window, all counted whole. What has left them is older than
// a window, and all that is in them is younger than 61/60 of one. With 60, a
// window's worth could pass twice within 59/60 of a window.
const ringSlots = 61

// slots holds a ring's counts, 32 bits each until one needs more.
type slots struct {
	small [ringSlots]uint32
	at    uint8 // the slot that is filling
	large *[ringSlots]int64
}

func (s *slots) get(i int) int64 {
	if s.large != nil {
		return s.large[i]
	}
	return int64(s.small[i])
}

func (s *slots) set(i int, n int64) {
	if s.large == nil && n > math.MaxUint32 {
		s.widen()
	}
	if s.large != nil {
		s.large[i] = n
		return
	}
	s.small[i] = uint32(n)
}

func (s *slots) widen() {
	s.large = new([ringSlots]int64)
	for i, n := range s.small {
		s.large[i] = int64(n)
	}
}

// ago returns the index of the slot that was filling so many slots ago.
func (s *slots) ago(age int) int {
	if i := int(s.at) - age; i >= 0 {
		return i
	}
	return int(s.at) - age + ringSlots
}

// slotAt returns floor(v*60/window) without overflow.
func slotAt(v, window int64) int64 {
	return v/window*60 + v%window*60/window
}

// slotStart returns the first v whose slot is the given one.
func slotStart(slot, window int64) int64 {
	return slot/60*window + (slot%60*window+59)/60
}

// put charges n into the slot of v. The total stops at the largest int64, and
// so does the slot: the total is the sum of the slots at any time.
func (c *Counter) put(v, n int64) {
	if c.slots == nil {
		c.slots = new(slots)
	}
	if v >= c.edge {
		c.roll(v)
	}
	n = min(n, math.MaxInt64-c.used)
	at := int(c.slots.at)
	c.slots.set(at, c.slots.get(at)+n)
	c.used += n
}

// roll moves the ring on until its filling slot is that of v.
func (c *Counter) roll(v int64) {
	if v < c.edge || c.slots == nil {
		return
	}
	current := slotAt(v, c.kind.window)
	passed := min(current-slotAt(c.edge-1, c.kind.window), ringSlots)
	for range passed {
		c.turn()
	}
	c.edge = slotStart(current+1, c.kind.window)
}

// turn empties the oldest slot and begins to fill it.
func (c *Counter) turn() {
	s := c.slots
	s.at = uint8(s.ago(ringSlots - 1))
	c.used -= s.get(int(s.at))
	s.set(int(s.at), 0)
}

// ringWait returns the nanoseconds until enough of the oldest slots have left
// for the total to be at most target. It is at most 61/60 of the window.
func (c *Counter) ringWait(v, target int64) int64 {
	over := c.used - target
	age := ringSlots - 1
	for ; age > 0; age-- {
		if over -= c.slots.get(c.slots.ago(age)); over <= 0 {
			break
		}
	}
	leaves := slotAt(c.edge-1, c.kind.window) + int64(ringSlots-age)
	return slotStart(leaves, c.kind.window) - v
}
