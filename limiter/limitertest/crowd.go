package limitertest

import (
	"context"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"relay/limiter"
)

// crowd is how many goroutines press on a backend at once.
const crowd = 16

// together runs a function in many goroutines and waits for all.
func together(run func(n int)) {
	var all sync.WaitGroup
	for n := range crowd {
		all.Go(func() { run(n) })
	}
	all.Wait()
}

// admitsExactly lets a crowd ask for more than there is of every strategy.
func admitsExactly(tb testing.TB, s Suite, _ uint64) error {
	const amount = 300
	for i, rule := range oneOfEach(amount) {
		if rule.Name.Meter != limiter.MeterRequests && rule.Name.Meter != limiter.MeterConcurrency {
			continue
		}
		p := scene(tb, s, oneOfEach(amount)[i])
		var admitted atomic.Int64
		together(func(int) {
			for range amount / 4 {
				t := &limiter.Ticket{}
				t.Add(p.limits)
				if r, err := p.Backend.Reserve(context.Background(), p.Now, t); err == nil && !r.Refused() {
					admitted.Add(1)
				}
			}
		})
		if n := admitted.Load(); n != amount {
			return fmt.Errorf("%d of %d are admitted by %s", n, amount, rule.Name)
		}
	}
	return nil
}

// gaugesHold has each ticket ended by two goroutines at once, in different
// ways.
func gaugesHold(tb testing.TB, s Suite, _ uint64) error {
	const amount = 5
	p := scene(tb, s, oneOfEach(amount)[0])
	var inFlight, most, odd atomic.Int64
	together(func(n int) {
		for i := range 40 {
			t := &limiter.Ticket{}
			t.Add(p.limits)
			if r, err := p.Backend.Reserve(context.Background(), p.Now, t); err != nil || r.Refused() {
				runtime.Gosched()
				continue
			}
			if now := inFlight.Add(1); now > amount {
				most.Store(now)
			}
			if used := p.read(p.Now, p.trace.Rules[0].Name).Used; used < 1 || used > amount {
				odd.Store(used)
			}
			inFlight.Add(-1)
			endTwice(p, t, n+i)
		}
	})
	if most.Load() != 0 || odd.Load() != 0 {
		return fmt.Errorf("with %d allowed, %d were in flight at once or the gauge stood at %d", amount, most.Load(), odd.Load())
	}
	if left := p.Do(Step{Do: Read}).Used; left != 0 {
		return fmt.Errorf("gauge stands at %d when nothing is in flight", left)
	}
	return nil
}

func endTwice(p *Player, t *limiter.Ticket, n int) {
	var other sync.WaitGroup
	other.Go(func() { end(p.Backend, p.Now, Step{Do: Commit + Action(n%3)}, t) })
	end(p.Backend, p.Now, Step{Do: Commit + Action((n+1)%3)}, t)
	other.Wait()
}
