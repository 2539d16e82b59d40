package limiter

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"time"
)

// A state at rest is a version byte, the algo, the V it was taken at and what
// the algo needs, as variable-length integers. Times are ages before that V,
// or spans after it, so that a clock that starts behind it finds the counter
// as it was left. Budgets keep the wall time at which their period ends, in
// seconds.
const stateVersion = 1

var errDamaged = errors.New("the stored state is damaged")

func (s *state) append(dst []byte, k *kind, v int64) []byte {
	dst = append(dst, stateVersion, byte(k.algo))
	dst = appendInts(dst, v, v-s.last)
	switch k.algo {
	case algoRing:
		return s.slots.append(dst)
	case algoBucket:
		return appendInts(dst, s.used, s.part, s.amount)
	case algoBudget:
		return appendInts(dst, s.used, s.edge/int64(time.Second))
	}
	return appendInts(dst, s.used, max(0, s.edge-v))
}

// append writes (empty slots passed over, count) for each slot that holds
// something, from the filling one back.
func (s *slots) append(dst []byte) []byte {
	empty := int64(0)
	for age := range ringSlots {
		n := s.get(s.ago(age))
		if n == 0 {
			empty++
			continue
		}
		dst = appendInts(dst, empty, n)
		empty = 0
	}
	return dst
}

// appendInts writes numbers that are not negative.
func appendInts(dst []byte, numbers ...int64) []byte {
	for _, n := range numbers {
		dst = binary.AppendUvarint(dst, uint64(n))
	}
	return dst
}

// parseState reads a state as seen at v.
func parseState(b []byte, k *kind, v int64) (state, error) {
	if len(b) < 2 {
		return state{}, errDamaged
	}
	if b[0] != stateVersion {
		return state{}, fmt.Errorf("the state has version %d, and this release reads %d", b[0], stateVersion)
	}
	if b[1] != byte(k.algo) {
		return state{}, errDamaged
	}
	d := decoder{rest: b[2:]}
	base := min(d.int(), v)
	s := state{last: max(0, base-d.int())}
	d.body(&s, k, base)
	if d.bad || len(d.rest) > 0 || s.used == 0 {
		return state{}, errDamaged
	}
	return s, nil
}

// decoder reads integers and remembers that one was missing or out of range.
type decoder struct {
	rest []byte
	bad  bool
}

func (d *decoder) body(s *state, k *kind, base int64) {
	switch k.algo {
	case algoRing:
		d.ring(s, k, base)
	case algoBucket:
		s.used, s.part, s.amount = d.int(), d.below(k.window), d.int()
		d.refuse(s.amount == 0)
	case algoBudget:
		s.used, s.edge = d.int(), d.seconds()
	default:
		s.used, s.edge = d.int(), base+d.below(k.window+1)
	}
}

// ring puts the slots where they stood before base.
func (d *decoder) ring(s *state, k *kind, base int64) {
	s.slots = new(slots)
	s.edge = slotStart(slotAt(base, k.window)+1, k.window)
	for age := 0; len(d.rest) > 0; age++ {
		age += int(d.below(ringSlots))
		n := d.int()
		d.refuse(age >= ringSlots || n == 0 || n > math.MaxInt64-s.used)
		if d.bad {
			return
		}
		s.slots.set(s.slots.ago(age), n)
		s.used += n
	}
}

func (d *decoder) refuse(bad bool) { d.bad = d.bad || bad }

// int reads a number from 0 to the largest int64.
func (d *decoder) int() int64 {
	n, size := binary.Uvarint(d.rest)
	if size <= 0 || n > math.MaxInt64 {
		d.bad, d.rest = true, nil
		return 0
	}
	d.rest = d.rest[size:]
	return int64(n)
}

// below reads a number from 0 up to but not including the limit.
func (d *decoder) below(limit int64) int64 {
	n := d.int()
	d.refuse(n >= limit)
	return n
}

// seconds reads a wall time in nanoseconds. What is too far for one is never.
func (d *decoder) seconds() int64 {
	n := d.int()
	if n >= never/int64(time.Second) {
		return never
	}
	return n * int64(time.Second)
}

// ClockState encodes a reading of the clock.
func ClockState(now Instant) []byte {
	dst := []byte{stateVersion}
	dst = binary.AppendVarint(dst, now.V)
	return binary.AppendVarint(dst, now.Wall)
}

// ParseClockState reads what ClockState wrote.
func ParseClockState(b []byte) (v int64, wall time.Time, err error) {
	if len(b) == 0 || b[0] != stateVersion {
		return 0, time.Time{}, fmt.Errorf("read the limiter's clock: %w", errDamaged)
	}
	v, size := binary.Varint(b[1:])
	at, rest := binary.Varint(b[1+max(0, size):])
	if size <= 0 || rest <= 0 || v < 0 || 1+size+rest != len(b) {
		return 0, time.Time{}, fmt.Errorf("read the limiter's clock: %w", errDamaged)
	}
	return v, time.Unix(0, at), nil
}
