package limitertest

import (
	"fmt"
	"testing"
	"time"
)

// Suite says what is tested, and how long.
type Suite struct {
	New New

	// Seeds is how many random traces each promise is held against; 0: 10,000,
	// or 500 under -short.
	Seeds int
	// Histories is how many histories of many goroutines are checked; 0: 200,
	// or 10 under -short.
	Histories int
	// Grain is what the backend tells times apart by; 0: a nanosecond.
	Grain time.Duration
}

// promise is one sentence of the contract and what breaks it.
type promise struct {
	sentence string
	times    func(Suite) int
	check    func(testing.TB, Suite, uint64) error
}

func promises() []promise {
	seeds := func(s Suite) int { return s.Seeds }
	once := func(Suite) int { return 1 }
	return []promise{
		{"every step of a random trace comes to what the slow model says", seeds, equalsModel},
		{"no span of a window holds more than the amount, and an exact log over 61/60 of it refuses alike", seeds, holdsInEverySpan},
		{"a lone caller that waits Retry-After is admitted, and would not have been a second earlier", seeds, saysTheWait},
		{"bookings and what was used are above the amount in no span of a window", seeds, booksWithinEverySpan},
		{"a refused reserve changes nothing, for every order of rules", seeds, changesNothing},
		{"a refusal names the longest wait of the widest limit and waits for all", once, namesTheWidest},
		{"a ticket ends once, by whichever way comes first", once, endsOnce},
		{"a counter that is reached twice is charged once", once, chargesOnce},
		{"a booking is corrected once, where it was made, however it ends and how late", once, correctsBookings},
		{"a counter that is reached twice is booked once, by whichever limit asks for it", once, booksOnce},
		{"counts stop at the top instead of turning over", once, saturates},
		{"many goroutines are admitted exactly the amount", once, admitsExactly},
		{"many goroutines book no more than the amount, and leave what they used", once, booksInACrowd},
		{"a gauge never stands below zero or above its amount, and at zero in the end", once, gaugesHold},
		{"every history of many goroutines is one that a single one could have made", func(s Suite) int { return s.Histories }, linearizes},
	}
}

// Run holds the backend to the whole contract, one subtest a promise.
func Run(t *testing.T, s Suite) {
	s = s.withDefaults()
	for _, p := range promises() {
		t.Run(p.sentence, func(t *testing.T) {
			t.Parallel()
			if err := p.broken(t, s); err != nil {
				t.Fatal(err)
			}
		})
	}
}

// Broken returns the promises that the backend breaks, and how.
func Broken(tb testing.TB, s Suite) map[string]error {
	tb.Helper()
	s = s.withDefaults()
	broken := map[string]error{}
	for _, p := range promises() {
		if err := p.broken(tb, s); err != nil {
			broken[p.sentence] = err
		}
	}
	return broken
}

func (p promise) broken(tb testing.TB, s Suite) error {
	for seed := range uint64(p.times(s)) {
		if err := p.check(tb, s, seed); err != nil {
			return fmt.Errorf("seed %d: %w", seed, err)
		}
	}
	return nil
}

func (s Suite) withDefaults() Suite {
	seeds, histories := 10_000, 200
	if testing.Short() {
		seeds, histories = 500, 10
	}
	if s.Seeds == 0 {
		s.Seeds = seeds
	}
	if s.Histories == 0 {
		s.Histories = histories
	}
	s.Grain = max(s.Grain, 1)
	return s
}

func equalsModel(tb testing.TB, s Suite, seed uint64) error {
	return cutDown(Random(seed, s.Grain), func(t Trace) error {
		return Compare(t, Play(s.New(tb), t), Expect(t))
	})
}
