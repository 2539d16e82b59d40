package gateway_test

import (
	"context"
	"net"
	"path/filepath"
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
