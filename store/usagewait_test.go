package store_test

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"relay/store"
	"relay/store/storetest"
)

// pass lets time pass in a bubble of synctest.
func pass(d time.Duration) { <-time.After(d) }

// recordDurable records an event that the test waits for.
func recordDurable(db *store.DB) store.UsageTicket {
	now := time.Now()
	return db.RecordUsageDurable(0, now, store.AppendEvent(nil, &store.Event{At: now}), 0)
}

func TestWaitUsage_ReturnsWithoutWaitingForTheFlushInterval(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		db := storetest.Open(t)
		db.StartUsage(nil)
		began := time.Now()
		ticket := recordDurable(db)
		if err := db.WaitUsage(t.Context(), ticket); err != nil {
			t.Fatal(err)
		}
		wantCount(t, db, 1)
		if took := time.Since(began); took != 0 {
			t.Errorf("waited %v", took)
		}
		if err := db.WaitUsage(t.Context(), ticket); err != nil {
			t.Errorf("a second time: %v", err)
		}
		if err := db.WaitUsage(t.Context(), store.UsageTicket{}); err != nil {
			t.Errorf("without an event: %v", err)
		}
	})
}

// holdFirstCommit counts the commits from now on. The first of them closes
// blocked and waits until release is closed.
func holdFirstCommit(db *store.DB) (commits *atomic.Int32, blocked <-chan struct{}, release chan<- struct{}) {
	commits = new(atomic.Int32)
	begun, end := make(chan struct{}), make(chan struct{})
	store.HookWrites(db, func(meta bool, write func() (int, error)) (int, error) {
		if meta && commits.Add(1) == 1 {
			close(begun)
			<-end
		}
		return write()
	})
	return commits, begun, end
}

// While one batch is written all others that somebody waits for gather.
func TestWaitUsage_SharesTransactions(t *testing.T) {
	db := storetest.Open(t)
	db.StartUsage(nil)
	commits, blocked, release := holdFirstCommit(db)
	first := recordDurable(db)
	<-blocked
	var waiting sync.WaitGroup
	for range 64 {
		ticket := recordDurable(db)
		waiting.Go(func() {
			if err := db.WaitUsage(t.Context(), ticket); err != nil {
				t.Error(err)
			}
		})
	}
	close(release)
	waiting.Wait()
	if err := db.WaitUsage(t.Context(), first); err != nil {
		t.Error(err)
	}
	if n := commits.Load(); n != 2 {
		t.Errorf("65 events took %d transactions, want 2", n)
	}
	wantCount(t, db, 65)
}

func TestWaitUsage_SaysWhyTheDiskTookNothingAndTheEventStays(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		db := storetest.Open(t)
		db.StartUsage(nil)
		store.HookWrites(db, func(bool, func() (int, error)) (int, error) { return 0, errors.New("no space left on device") })
		ticket := recordDurable(db)
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		defer cancel()
		err := db.WaitUsage(ctx, ticket)
		if !errors.Is(err, context.DeadlineExceeded) || store.CodeOf(err) != store.CodeUnavailable {
			t.Errorf("error %v", err)
		}
		store.HookWrites(db, nil)
		if err := db.WaitUsage(t.Context(), ticket); err != nil {
			t.Errorf("once the disk works: %v", err)
		}
		wantCount(t, db, 1)
	})
}

func TestWaitUsage_FailsForWhatComesAfterTheEnd(t *testing.T) {
	db := mustOpen(t, inDir(newDir(t)))
	db.StartUsage(nil)
	mustClose(t, db)
	if err := db.WaitUsage(t.Context(), recordDurable(db)); store.CodeOf(err) != store.CodeUnavailable {
		t.Errorf("error %v", err)
	}
}

// A request that has only reserved is lost by a crash too, until a snapshot.
func TestDurableThrough_StandsStillWhileACounterIsNotWritten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		db, m := storetest.Open(t), newMeter()
		db.StartUsage(m)
		pass(1500 * time.Millisecond)
		before := db.DurableThrough()
		if !before.Equal(time.Now()) {
			t.Errorf("durable through %v with nothing on its way", before)
		}
		m.reserve("a")
		pass(100 * time.Millisecond)
		if got := db.DurableThrough(); !got.Equal(before) {
			t.Errorf("durable through %v, want %v as before the reserve", got, before)
		}
		pass(time.Second)
		synctest.Wait()
		if got := db.DurableThrough(); !got.Equal(time.Now()) {
			t.Errorf("durable through %v after the snapshot", got)
		}
	})
}

func TestDurableThrough_NeverGoesBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		db, m := storetest.Open(t), newMeter()
		db.StartUsage(m)
		last := db.DurableThrough()
		for i := range 200 {
			pass(time.Duration(i) * time.Millisecond)
			if i%3 > 0 {
				request(db, m, "a", 1, time.Now())
			}
			got := db.DurableThrough()
			if got.Before(last) || got.After(time.Now()) {
				t.Fatalf("durable through %v after %v, at %v", got, last, time.Now())
			}
			last = got
		}
	})
}
