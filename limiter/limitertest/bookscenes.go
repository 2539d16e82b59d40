package limitertest

import (
	"fmt"
	"testing"
	"time"

	"relay/limiter"
)

// booking returns rules over tokens that book, one in a ring and one in aligned
// windows.
func booking(amount int64) []Rule {
	rules := oneOfEach(amount)[2:4]
	for i := range rules {
		rules[i].Reserve = true
	}
	return rules
}

// correctsBookings ends one booking in every way, at once and later and later,
// with and without a reset before, among what others count in the same place.
func correctsBookings(tb testing.TB, s Suite, _ uint64) error {
	ends := []Step{{Do: Release}, {Do: Cancel}}
	for _, used := range []int64{0, 2, 5, 9} {
		ends = append(ends, Step{Do: Commit, Usage: limiter.Usage{Input: used}},
			Step{Do: Commit, Usage: limiter.Usage{Output: used, Unknown: true}, Upstream: true})
	}
	for _, end := range ends {
		for _, after := range []time.Duration{0, time.Second, 30 * time.Second, time.Minute, 61 * time.Second, 3 * time.Minute} {
			for _, between := range []Action{Read, Reset, Sweep} {
				for _, keep := range []bool{false, true} {
					t := endBooking(end, after, between, keep, s.Grain)
					if err := Compare(t, Play(s.New(tb), t), Expect(t)); err != nil {
						return fmt.Errorf("%w in\n%s", err, t)
					}
				}
			}
		}
	}
	return nil
}

func endBooking(end Step, after time.Duration, between Action, keep bool, grain time.Duration) Trace {
	t := Trace{Start: noon(), Rules: booking(30), Grain: grain}
	other := Step{Do: Reserve, Rules: []int{0, 1}, Input: 1, Output: 1, Ticket: 1}
	late := Step{Do: Reserve, Rules: []int{0, 1}, Input: 20, Ticket: 2, Passes: after / 2}
	t.Steps = []Step{
		{Do: Reserve, Rules: []int{0, 1}, Input: 2, Output: 3, Keep: keep},
		other, {Do: Commit, Ticket: 1, Usage: limiter.Usage{Input: 4}},
		late, {Do: between}, {Do: between, Rule: 1}, {Do: Commit, Ticket: 2, Usage: limiter.Usage{Input: 3}},
	}
	end.Passes = after - after/2
	t.Steps = append(t.Steps, end, end)
	for _, seconds := range []time.Duration{0, 1, 28, 1, 1, 28, 1, 1, 1} {
		t.Steps = append(t.Steps, Step{Do: Read, Passes: seconds * time.Second}, Step{Do: Read, Rule: 1})
	}
	return t
}

// booksOnce reaches counters by several limits, some of which book.
func booksOnce(tb testing.TB, s Suite, _ uint64) error {
	for of := range 2 {
		plain, books := booking(30)[of], booking(30)[of]
		plain.Reserve = false
		for order := range permutations(4) {
			p := scene(tb, s, books, plain, books, plain)
			o := p.Do(Step{Do: Reserve, Rules: order, Input: 4, Output: 5})
			if used := p.Do(Step{Do: Read}).Used; o.Refused != 0 || used != 9 {
				return fmt.Errorf("booking 9 over one counter in the order %v leaves %d, refused by %d", order, used, o.Refused)
			}
			p.Do(Step{Do: Commit, Usage: limiter.Usage{Input: 2, Output: 1}})
			if used := p.Do(Step{Do: Read}).Used; used != 3 {
				return fmt.Errorf("using 3 of 9 booked over one counter in the order %v leaves %d", order, used)
			}
		}
	}
	return nil
}

// booksInACrowd lets a crowd book all there is, and two goroutines at once end
// every booking with less than was booked, until nothing more can be booked.
func booksInACrowd(tb testing.TB, s Suite, _ uint64) error {
	const amount, books = 100, 10
	p := scene(tb, s, booking(amount)...)
	for used, more := int64(0), true; more; {
		tickets := bookAll(p, Step{Rules: p.all(), Input: books / 2, Output: books / 2})
		if n := (amount - used) / books; int64(len(tickets)) != n {
			return fmt.Errorf("%d bookings of %d are open at once with %d of %d used, want %d", len(tickets), books, used, amount, n)
		}
		together(func(n int) {
			for i := range tickets {
				if i%(crowd/2) == n/2 {
					end(p.Backend, p.Now, Step{Do: Commit, Usage: limiter.Usage{Output: 1}, Upstream: n%2 == 0}, tickets[i])
				}
			}
		})
		used, more = used+int64(len(tickets)), len(tickets) > 0
		for i, o := range p.readings() {
			if o.Used != used {
				return fmt.Errorf("%s stands at %d when %d were used", p.trace.Rules[i].Name, o.Used, used)
			}
		}
	}
	return nil
}

// bookAll has each of a crowd reserve twice, and returns what was admitted.
func bookAll(p *Player, s Step) []*limiter.Ticket {
	admitted := make(chan *limiter.Ticket, 2*crowd)
	together(func(int) {
		for range 2 {
			if t, o := p.reserve(p.Now, s); o.Refused == 0 {
				admitted <- t
			}
		}
	})
	close(admitted)
	var tickets []*limiter.Ticket
	for t := range admitted {
		tickets = append(tickets, t)
	}
	return tickets
}
