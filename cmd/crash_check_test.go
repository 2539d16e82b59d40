package cmd_test

import (
	"testing"
	"time"

	"relay/limiter"
	"relay/store"
)

// remains is what a killed process has left in its data dir.
type remains struct {
	db     *store.DB
	events map[string]store.Event // by request id
	sums   sums
}

// sums is what the events add up to.
type sums struct{ requests, tokens, output, nanos int64 }

// examine opens a copy of a data dir, checks every page and record of it, and
// reads the events.
func examine(t *testing.T, copied string) *remains {
	t.Helper()
	db, err := store.Open(store.Options{Dir: copied})
	if err != nil {
		t.Fatalf("open what the crash has left: %v", err)
	}
	t.Cleanup(func() { _ = db.Close() })
	if err := db.Verify(func(fault string) { t.Errorf("fault: %s", fault) }); err != nil {
		t.Fatal(err)
	}
	r := &remains{db: db, events: map[string]store.Event{}}
	q := store.EventQuery{Limit: store.MaxEventLimit}
	for more := true; more; more = q.Cursor != "" {
		page, next, err := db.Events(q)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range page {
			r.add(t, e)
		}
		q.Cursor = next
	}
	return r
}

func (r *remains) add(t *testing.T, e store.Event) {
	if _, twice := r.events[e.RequestID]; twice {
		t.Errorf("the event of request %s is there twice", e.RequestID)
	}
	r.events[e.RequestID] = e
	if e.Status == 429 {
		return
	}
	r.sums.requests++
	r.sums.tokens += e.Tokens.Input + e.Tokens.CacheRead + e.Tokens.CacheCreation + e.Tokens.Output
	r.sums.output += e.Tokens.Output
	if e.CostNanos != nil {
		r.sums.nanos += *e.CostNanos
	}
}

// checkCounters compares the counters of the organization with the events: all
// lie in the windows.
func (r *remains) checkCounters(t *testing.T) {
	t.Helper()
	counted := r.counters(t)
	if got := (sums{r.sums.requests, counted.tokens, counted.output, counted.nanos}); got != r.sums {
		t.Errorf("counters %+v, but the events add up to %+v", counted, r.sums)
	}
	if counted.requests < r.sums.requests {
		t.Errorf("%d requests are counted and %d have events", counted.requests, r.sums.requests)
	}
}

// counters reads what the next process starts with.
func (r *remains) counters(t *testing.T) sums {
	t.Helper()
	registry := limiter.NewRegistry()
	memory, clock := limiter.NewMemory(registry), limiter.NewClock(nil)
	states := map[string][]byte{}
	if err := r.db.Counters(func(name string, state []byte) error {
		states[name] = append([]byte(nil), state...)
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if state, ok := states[limiter.ClockName]; ok {
		v, wall, err := limiter.ParseClockState(state)
		if err != nil {
			t.Fatal(err)
		}
		clock.Restore(v, wall)
	}
	for name, state := range states {
		if err := memory.Restore(clock.Now(), name, state); err != nil {
			t.Errorf("restore: %v", err)
		}
	}
	return r.read(t, states, registry, memory, clock.Now())
}

// read takes the counters of the policy of everybody out of all.
func (r *remains) read(t *testing.T, states map[string][]byte, registry *limiter.Registry, memory *limiter.Memory, now limiter.Instant) (s sums) {
	t.Helper()
	policy := r.db.Catalog().Policies.ByName("default").Metadata.ID
	for text := range states {
		name, err := limiter.ParseName(text)
		if err != nil || name.Owner != policy {
			continue
		}
		used := memory.Read(now, registry.Find(name)).Used
		switch name.Meter {
		case limiter.MeterRequests:
			s.requests += used
		case limiter.MeterTokens:
			s.tokens += used
		case limiter.MeterOutput:
			s.output += used
		case limiter.MeterCost:
			s.nanos += used
		}
	}
	return s
}

// missing returns how many of the answers that ended before a time have no
// event.
func (r *remains) missing(answers []answered, before time.Time) (of, missing int) {
	for _, a := range answers {
		if !a.end.Before(before) {
			continue
		}
		of++
		if _, there := r.events[a.id]; !there {
			missing++
		}
	}
	return of, missing
}
