package limitertest_test

import (
	"context"
	"maps"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"relay/limiter"
	"relay/limiter/limitertest"
)

// faulty is the limiter in memory with one fault.
type faulty struct {
	limiter.Limiter
	registry *limiter.Registry
	reserve  func(f *faulty, now limiter.Instant, t *limiter.Ticket) limiter.Refusal
	commit   func(f *faulty, now limiter.Instant, u limiter.Usage, caller, upstream *limiter.Ticket) uint64
	release  func(f *faulty, now limiter.Instant, t *limiter.Ticket)
	cancel   func(f *faulty, now limiter.Instant, t *limiter.Ticket)
	commits  *atomic.Uint64
}

func (f *faulty) Reserve(ctx context.Context, now limiter.Instant, t *limiter.Ticket) (limiter.Refusal, error) {
	if f.reserve == nil {
		return f.Limiter.Reserve(ctx, now, t)
	}
	return f.reserve(f, now, t), nil
}

func (f *faulty) Commit(ctx context.Context, now limiter.Instant, u limiter.Usage, caller, upstream *limiter.Ticket) uint64 {
	if f.commit == nil {
		return f.Limiter.Commit(ctx, now, u, caller, upstream)
	}
	return f.commit(f, now, u, caller, upstream)
}

func (f *faulty) Release(ctx context.Context, now limiter.Instant, t *limiter.Ticket) {
	if f.release == nil {
		f.Limiter.Release(ctx, now, t)
		return
	}
	f.release(f, now, t)
}

func (f *faulty) Cancel(ctx context.Context, now limiter.Instant, t *limiter.Ticket) {
	if f.cancel == nil {
		f.Limiter.Cancel(ctx, now, t)
		return
	}
	f.cancel(f, now, t)
}

func (f *faulty) try(now limiter.Instant, t *limiter.Ticket) limiter.Refusal {
	refusal, _ := f.Limiter.Reserve(context.Background(), now, t)
	return refusal
}

// with makes backends of one fault.
func with(fault faulty) limitertest.New {
	return func(tb testing.TB) limitertest.Backend {
		b := limitertest.NewMemory(tb)
		b.Limiter = &faulty{
			Limiter: b.Limiter, registry: b.Registry,
			reserve: fault.reserve, commit: fault.commit, release: fault.release, cancel: fault.cancel, commits: new(atomic.Uint64),
		}
		return b
	}
}

// TestBroken_FindsEveryFault has a limiter with each fault that gateways are
// known for, and expects the contract to name a promise that it breaks.
func TestBroken_FindsEveryFault(t *testing.T) {
	ctx := context.Background()
	for name, c := range map[string]struct {
		fault faulty
		finds string // words of a promise
	}{
		"admits what is full": {faulty{reserve: func(f *faulty, now limiter.Instant, t *limiter.Ticket) limiter.Refusal {
			f.try(now, t)
			return limiter.Refusal{}
		}}, "no span of a window"},
		"counts refused requests": {faulty{reserve: func(f *faulty, now limiter.Instant, t *limiter.Ticket) limiter.Refusal {
			r := f.try(now, t)
			if r.Refused() {
				roomy, more := *r.Limit, &limiter.Ticket{}
				roomy.Amount = limiter.MaxAmount
				more.Add([]*limiter.Limit{&roomy})
				f.try(now, more)
				f.Limiter.Release(ctx, now, more)
			}
			return r
		}}, "a refused reserve changes nothing"},
		"waits a second too little": {faulty{reserve: func(f *faulty, now limiter.Instant, t *limiter.Ticket) limiter.Refusal {
			r := f.try(now, t)
			r.Wait = max(0, r.Wait-time.Second)
			return r
		}}, "waits Retry-After"},
		"waits a second too much": {faulty{reserve: func(f *faulty, now limiter.Instant, t *limiter.Ticket) limiter.Refusal {
			r := f.try(now, t)
			r.Wait += time.Second
			return r
		}}, "waits Retry-After"},
		"runs slow": {faulty{reserve: func(f *faulty, now limiter.Instant, t *limiter.Ticket) limiter.Refusal {
			now.V -= now.V % int64(time.Minute)
			return f.try(now, t)
		}}, "61/60"},
		"forgets days too early": {faulty{reserve: func(f *faulty, now limiter.Instant, t *limiter.Ticket) limiter.Refusal {
			f.registry.Sweep(2, limiter.Instant{V: now.V + 5*int64(24*time.Hour), Wall: now.Wall})
			return f.try(now, t)
		}}, "no span of a window"},
		"leaks leases on release": {faulty{release: func(*faulty, limiter.Instant, *limiter.Ticket) {}}, "a ticket ends once"},
		"leaks leases on cancel":  {faulty{cancel: func(*faulty, limiter.Instant, *limiter.Ticket) {}}, "a ticket ends once"},
		"gives back on release": {faulty{release: func(f *faulty, now limiter.Instant, t *limiter.Ticket) {
			f.Limiter.Cancel(ctx, now, t)
		}}, "slow model"},
		"charges input twice": {faulty{commit: func(f *faulty, now limiter.Instant, u limiter.Usage, one, two *limiter.Ticket) uint64 {
			u.Input *= 2
			return f.Limiter.Commit(ctx, now, u, one, two)
		}}, "slow model"},
		"forgets the upstream's ticket": {faulty{commit: func(f *faulty, now limiter.Instant, u limiter.Usage, one, _ *limiter.Ticket) uint64 {
			return f.Limiter.Commit(ctx, now, u, one, nil)
		}}, "a ticket ends once"},
		"gives two commits one number": {faulty{commit: func(f *faulty, now limiter.Instant, u limiter.Usage, one, two *limiter.Ticket) uint64 {
			if f.Limiter.Commit(ctx, now, u, one, two) == 0 {
				return 0
			}
			n := f.commits.Load() + 1
			runtime.Gosched()
			f.commits.Store(n)
			return n
		}}, "every history"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c.fault.isFound(t, c.finds)
		})
	}
}

// isFound expects the contract to name a promise of these words.
func (f faulty) isFound(t *testing.T, words string) {
	t.Helper()
	broken := limitertest.Broken(t, limitertest.Suite{New: with(f), Seeds: 300, Histories: 20})
	for sentence := range broken {
		if strings.Contains(sentence, words) {
			return
		}
	}
	t.Errorf("found broken: %q, and nothing about %q", slices.Sorted(maps.Keys(broken)), words)
}

func TestBroken_FindsNothingWhereThereIsNothing(t *testing.T) {
	suite := limitertest.Suite{New: limitertest.NewMemory, Seeds: 100, Histories: 3, Grain: time.Microsecond}
	if broken := limitertest.Broken(t, suite); len(broken) != 0 {
		t.Fatalf("a sound limiter breaks %v", broken)
	}
}

// TestDiffer_CutsTheTraceDown lets a limiter that forgets to charge a cancelled
// request for good differ from a sound one.
func TestDiffer_CutsTheTraceDown(t *testing.T) {
	keeps := with(faulty{cancel: func(f *faulty, now limiter.Instant, t *limiter.Ticket) {
		f.Limiter.Release(context.Background(), now, t)
	}})
	for seed := range uint64(100) {
		trace := limitertest.Random(seed, 1)
		if err := limitertest.Differ(t, trace, limitertest.NewMemory, limitertest.NewMemory); err != nil {
			t.Fatalf("a limiter differs from itself: %v", err)
		}
		err := limitertest.Differ(t, trace, keeps, limitertest.NewMemory)
		if err == nil {
			continue
		}
		if steps := strings.Count(err.Error(), ": after "); steps > 8 {
			t.Errorf("%d steps are left of a difference that a few show:\n%v", steps, err)
		}
		return
	}
	t.Fatal("no trace shows the difference")
}
