package store_test

import (
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"relay/store"
	"relay/store/storetest"
)

// awaitedMeter is a meter whose changes a test waits for.
type awaitedMeter struct {
	*meter
	wanted chan struct{}
	kept   atomic.Int64
}

func newAwaitedMeter() *awaitedMeter {
	return &awaitedMeter{meter: newMeter(), wanted: make(chan struct{}, 1)}
}

func (m *awaitedMeter) Wanted() <-chan struct{} { return m.wanted }
func (m *awaitedMeter) Kept()                   { m.kept.Add(1) }

// set changes a counter without a commit.
func (m *awaitedMeter) set(name string, to uint64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.sums[name], m.changed[name] = to, true
}

func TestAwaitedSource_IsWrittenWithoutDelayWhenRequestsWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		db, m := storetest.Open(t), newAwaitedMeter()
		db.StartUsage(m)
		pass(time.Minute + time.Second/2) // between two snapshots
		before, began := m.kept.Load(), time.Now()
		m.set("a", 7)
		request(db, m.meter, "b", 5, time.Now())
		m.wanted <- struct{}{}
		synctest.Wait()
		if got := counters(t, db); got["a"] != 7 || got["b"] != 5 || time.Since(began) != 0 {
			t.Errorf("after %v the counters are %v", time.Since(began), got)
		}
		wantCount(t, db, 1) // what waits anyway goes along
		if n := m.kept.Load() - before; n != 1 {
			t.Errorf("told %d times that it is kept", n)
		}
	})
}

// A request that finds nothing changed waits for nothing but the word.
func TestAwaitedSource_IsToldAlsoWhenThereIsNothingToWrite(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		db, m := storetest.Open(t), newAwaitedMeter()
		db.StartUsage(m)
		var writes atomic.Int32
		store.HookWrites(db, func(_ bool, write func() (int, error)) (int, error) {
			writes.Add(1)
			return write()
		})
		before := m.kept.Load()
		m.wanted <- struct{}{}
		synctest.Wait()
		if n := m.kept.Load() - before; n != 1 || writes.Load() != 0 {
			t.Errorf("told %d times, after %d writes", n, writes.Load())
		}
	})
}

func TestAwaitedSource_IsNotToldUntilTheDiskHasEverythingThatFailedBefore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		db, m := storetest.Open(t), newAwaitedMeter()
		db.StartUsage(m)
		store.HookWrites(db, func(bool, func() (int, error)) (int, error) { return 0, errors.New("no space left on device") })
		before := m.kept.Load()
		for _, name := range []string{"a", "b", "c"} {
			m.set(name, 1)
			m.wanted <- struct{}{}
			pass(time.Second + time.Millisecond)
		}
		if n := m.kept.Load() - before; n != 0 {
			t.Errorf("told %d times that it is kept, and the disk took nothing", n)
		}
		store.HookWrites(db, nil)
		m.set("c", 2)
		pass(time.Second)
		if got := counters(t, db); got["a"] != 1 || got["b"] != 1 || got["c"] != 2 || m.kept.Load() == before {
			t.Errorf("once the disk works, told %d times with the counters %v", m.kept.Load()-before, got)
		}
	})
}

// While the disk fails it is tried once a second, however many requests wait.
func TestAwaitedSource_DoesNotMakeAFailingDiskBeTriedMoreOften(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		db, m := storetest.Open(t), newAwaitedMeter()
		db.StartUsage(m)
		var tries atomic.Int32
		store.HookWrites(db, func(bool, func() (int, error)) (int, error) {
			tries.Add(1)
			return 0, errors.New("no space left on device")
		})
		for range 100 {
			m.set("a", 1)
			select {
			case m.wanted <- struct{}{}:
			default:
			}
			pass(100 * time.Millisecond)
		}
		if n := tries.Load(); n < 9 || n > 11 {
			t.Errorf("%d tries in 10 seconds", n)
		}
		store.HookWrites(db, nil)
	})
}

// However many wait while a batch is written, the next one serves them all.
func TestAwaitedSource_SharesTransactions(t *testing.T) {
	db, m := storetest.Open(t), newAwaitedMeter()
	db.StartUsage(m)
	commits, blocked, release := holdFirstCommit(db)
	m.set("a", 1)
	m.wanted <- struct{}{}
	<-blocked
	for n := range uint64(64) {
		m.set("a", 2+n)
		select {
		case m.wanted <- struct{}{}:
		default: // told already
		}
	}
	close(release)
	flush(t, db)
	if n := commits.Load(); n != 2 {
		t.Errorf("65 that waited took %d transactions, want 2", n)
	}
	if got := counters(t, db); got["a"] != 65 {
		t.Errorf("counters %v", got)
	}
}

func TestAwaitedSource_IsToldOfTheLastBatchBeforeTheEnd(t *testing.T) {
	db, m := mustOpen(t, inDir(newDir(t))), newAwaitedMeter()
	db.StartUsage(m)
	before := m.kept.Load()
	m.set("a", 1)
	mustClose(t, db)
	if m.kept.Load() == before {
		t.Error("not told")
	}
}
