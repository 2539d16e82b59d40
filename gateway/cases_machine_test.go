package gateway_test

import (
	"context"
	"fmt"
	"net"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"relay/gateway"
	"relay/gateway/plan"
	"relay/limiter"
	"relay/store"
	"relay/store/storetest"
)

// machine is a data dir and a clock on which one rig runs after the other.
type machine struct {
	tb     testing.TB
	dir    string
	zone   string // of budgets
	passed time.Duration
	halt   func()
}

func newMachine(tb testing.TB, zone string, at time.Time) *machine {
	tb.Helper()
	return &machine{tb: tb, dir: filepath.Join(tb.TempDir(), "data"), zone: zone, passed: at.Sub(noon)}
}

// boot starts a rig with what the one before has left.
func (m *machine) boot() *rig {
	m.tb.Helper()
	r := &rig{tb: m.tb, passed: m.passed}
	var err error
	r.db, err = store.Open(store.Options{
		Dir: m.dir, MasterKey: store.NewSecret(storetest.MasterKey), FlushInterval: time.Millisecond,
		Getenv: func(name string) string { return "secret-of-" + name },
	})
	if err != nil {
		m.tb.Fatal(err)
	}
	registry := limiter.NewRegistry()
	r.memory = limiter.NewMemory(registry)
	r.clock = limiter.NewClock(func() (time.Duration, time.Time) {
		r.mu.Lock()
		defer r.mu.Unlock()
		return r.passed, noon.Add(r.passed)
	})
	m.restore(r)
	r.server = gateway.New(gateway.Options{
		DB: r.db, Limiter: r.memory, Readings: r.memory, Clock: r.clock, Log: zerolog.Nop(), Version: "test",
		MaxRequestBytes: 1 << 20, MaxAttempts: 6, ReadHeaderTimeout: 10 * time.Second, BodyIdleTimeout: 30 * time.Second,
		BodyTimeout: time.Minute, StreamIdleTimeout: time.Minute, MaxIdlePerHost: 4,
	})
	r.db.SetCompiler(func(next *store.Catalog) (func(), []store.Problem) {
		p := plan.Compile(plan.Input{Catalog: next, Registry: registry, KeyValue: r.db.HostKeyValue, Timezone: m.zone})
		return func() {
			r.server.Swap(p)
			registry.Sweep(p.Generation, r.clock.Now())
		}, nil
	})
	r.startUsage()
	m.serve(r)
	return r
}

// restore is what the process does at its start.
func (m *machine) restore(r *rig) {
	m.tb.Helper()
	states := map[string][]byte{}
	if err := r.db.Counters(func(name string, state []byte) error {
		states[name] = state
		return nil
	}); err != nil {
		m.tb.Fatal(err)
	}
	if state, kept := states[limiter.ClockName]; kept {
		v, wall, err := limiter.ParseClockState(state)
		if err != nil {
			m.tb.Fatal(err)
		}
		r.clock.Restore(v, wall)
	}
	for name, state := range states {
		if err := r.memory.Restore(r.clock.Now(), name, state); err != nil {
			m.tb.Error(err)
		}
	}
}

// serve opens a listener; halt ends all that boot has begun.
func (m *machine) serve(r *rig) {
	m.tb.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		m.tb.Fatal(err)
	}
	r.addr = l.Addr().String()
	hs := r.server.HTTPServer(context.Background())
	var serving sync.WaitGroup
	serving.Go(func() { _ = hs.Serve(l) })
	m.halt = sync.OnceFunc(func() {
		_ = hs.Close()
		serving.Wait()
		r.server.Close()
		if err := r.db.Close(); err != nil {
			m.tb.Error(err)
		}
		r.mu.Lock()
		m.passed = r.passed
		r.mu.Unlock()
	})
	m.tb.Cleanup(m.halt)
}

// reboot ends the rig and starts another at that time.
func (m *machine) reboot(at time.Time) *rig {
	m.tb.Helper()
	m.halt()
	m.passed = at.Sub(noon)
	return m.boot()
}

// at moves the clock to that time.
func (r *rig) at(when time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.passed = when.Sub(noon)
}

func TestRestart_KeepsEveryCountAndNothingInFlight(t *testing.T) {
	m := newMachine(t, "Europe/Berlin", noon)
	r := m.boot()
	up := stock(r)
	rules := []limiter.Rule{sliding(limiter.MeterTokens, 1e6, 24*time.Hour), sliding(limiter.MeterInput, 1e6, time.Hour), sliding(limiter.MeterConcurrency, 9, time.Minute)}
	for _, strategy := range []limiter.Strategy{limiter.SlidingWindow, limiter.FixedWindow, limiter.TokenBucket, limiter.LeakyBucket, limiter.SessionWindow} {
		rules = append(rules, limiter.Rule{Meter: limiter.MeterRequests, Amount: 50, Window: 3600, Strategy: strategy})
	}
	r.policy(rules...)
	budgets := []store.Budget{{Amount: "1000", Period: "day"}, {Amount: "1000", Period: "week"}, {Amount: "1000", Period: "month"}, {Amount: "1000", Period: "total"}}
	edit(r, "open", func(p *store.Policy) { p.Spec.Budgets = budgets })
	key := r.key("laptop", store.RelayKeySpec{Budgets: budgets, Limits: &store.Limits{RPS: int64p(50), RPM: int64p(50), RPH: int64p(50), RPD: int64p(50), TPM: int64p(1e6), TPD: int64p(1e6), Concurrency: int64p(9)}})
	for _, k := range kinds() {
		up.Play(k.says(900, 100))
		r.want(r.ask(k, key), 200, "")
	}
	before := r.counts()
	requests, cost := fmt.Sprintf("requests=%d; ", len(kinds())), fmt.Sprintf(" cost=%d; ", 750_000_000*len(kinds()))
	if strings.Count(before, requests) != 9 || strings.Count(before, cost) != 8 || strings.Count(before, "=0; ") != 2 {
		t.Fatalf("before the restart the counters read %s", before)
	}
	r = m.reboot(noon)
	if after := r.counts(); after != before {
		t.Errorf("the restart made the counters go\nfrom %s\nto   %s", before, after)
	}
	r = m.reboot(noon.AddDate(0, 2, 0))
	if after := r.counts(); strings.Count(after, "=0; ") != strings.Count(after, "; ")-2 || strings.Count(after, "total0"+cost) != 2 {
		t.Errorf("two months later the counters read %s", after)
	}
}
