package store_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"relay/store"
	"relay/store/storetest"
)

// meter is a source of counters: it adds up what requests commit.
type meter struct {
	mu      sync.Mutex
	commits uint64
	sums    map[string]uint64
	changed map[string]bool
}

func newMeter() *meter { return &meter{sums: map[string]uint64{}, changed: map[string]bool{}} }

func (m *meter) add(name string, amount uint64) (commit uint64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.sums[name] += amount
	m.changed[name] = true
	m.commits++
	return m.commits
}

// reserve changes a counter without a commit.
func (m *meter) reserve(name string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.changed[name] = true
}

func (m *meter) Dirty() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return len(m.changed) > 0
}

func (m *meter) Snapshot(put func(string, []byte)) uint64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	var state [8]byte // used again for each counter
	for name := range m.changed {
		if sum, here := m.sums[name]; here {
			binary.BigEndian.PutUint64(state[:], sum)
			put(name, state[:])
		} else {
			put(name, nil)
		}
	}
	clear(m.changed)
	return m.commits
}

// request commits an amount and records the event of it.
func request(db *store.DB, m *meter, name string, amount int64, at time.Time) {
	e := &store.Event{At: at, RequestID: "r", User: name, Status: 200, Tokens: store.Tokens{Output: amount}}
	db.RecordUsage(m.add(name, uint64(amount)), at, store.AppendEvent(nil, e), 0)
}

func counters(t *testing.T, db *store.DB) map[string]uint64 {
	t.Helper()
	all := map[string]uint64{}
	if err := db.Counters(func(name string, state []byte) error {
		all[name] = binary.BigEndian.Uint64(state)
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	return all
}

func events(t *testing.T, db *store.DB) (all []store.Event) {
	t.Helper()
	for cursor := ""; ; {
		page, next, err := db.Events(store.EventQuery{Limit: store.MaxEventLimit, Cursor: cursor})
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, page...)
		if cursor = next; next == "" {
			return all
		}
	}
}

// eventSums adds up the events by user, which is the counter that they belong to.
func eventSums(t *testing.T, db *store.DB) map[string]uint64 {
	t.Helper()
	sums := map[string]uint64{}
	for _, e := range events(t, db) {
		sums[e.User] += uint64(e.Tokens.Output)
	}
	return sums
}

func wantCount(t *testing.T, db *store.DB, want int) {
	t.Helper()
	if got := len(events(t, db)); got != want {
		t.Errorf("%d events, want %d", got, want)
	}
}

func flush(t *testing.T, db *store.DB) {
	t.Helper()
	if err := db.FlushUsage(t.Context()); err != nil {
		t.Fatal(err)
	}
}

func TestUsage_IsWrittenAfterTheFlushInterval(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		db, m := storetest.Open(t), newMeter()
		db.StartUsage(m)
		time.Sleep(time.Minute + 500*time.Millisecond) // between two snapshots
		request(db, m, "a", 5, time.Now())
		time.Sleep(99 * time.Millisecond)
		wantCount(t, db, 0)
		time.Sleep(time.Millisecond)
		synctest.Wait()
		wantCount(t, db, 1)
		if got := counters(t, db); got["a"] != 5 {
			t.Errorf("counters %v", got)
		}
	})
}

func TestUsage_IsWrittenAtOnceWhenManyEventsWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		db := storetest.Open(t)
		db.StartUsage(nil)
		for range 1000 {
			db.RecordUsage(0, time.Now(), store.AppendEvent(nil, &store.Event{At: time.Now()}), 0)
		}
		synctest.Wait()
		wantCount(t, db, 1000)
	})
}

func TestUsage_CountersAloneAreWrittenAfterTheSnapshotInterval(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		db, m := storetest.Open(t), newMeter()
		db.StartUsage(m)
		m.sums["a"] = 7
		m.reserve("a")
		time.Sleep(time.Second)
		synctest.Wait()
		if got := counters(t, db); got["a"] != 7 {
			t.Errorf("counters %v", got)
		}
		delete(m.sums, "a")
		m.reserve("a")
		time.Sleep(time.Second)
		synctest.Wait()
		if got := counters(t, db); len(got) != 0 {
			t.Errorf("counters %v", got)
		}
	})
}

func TestUsage_EventsWaitForStartAndCloseFlushes(t *testing.T) {
	o := inDir(newDir(t))
	db, m := mustOpen(t, o), newMeter()
	request(db, m, "a", 1, time.Now())
	db.StartUsage(m)
	request(db, m, "a", 2, time.Now())
	mustClose(t, db)
	db = mustOpen(t, o)
	db.RecordUsage(0, time.Now(), store.AppendEvent(nil, &store.Event{At: time.Now()}), 0)
	mustClose(t, db)
	db = mustOpen(t, o)
	wantCount(t, db, 3)
	if got := counters(t, db); got["a"] != 3 {
		t.Errorf("counters %v", got)
	}
	seen := map[uint64]bool{}
	for _, e := range events(t, db) {
		seen[e.Seq] = true
	}
	if len(seen) != 3 {
		t.Errorf("numbers %v are not unique over restarts", seen)
	}
}

func TestRecordUsage_CopiesTheEvent(t *testing.T) {
	db := storetest.Open(t)
	db.StartUsage(nil)
	var buffer []byte
	for i := range 500 {
		buffer = store.AppendEvent(buffer[:0], &store.Event{At: time.Unix(int64(i), 0), RequestID: fmt.Sprint(i), User: string(bytes.Repeat([]byte("u"), i*3))})
		db.RecordUsage(0, time.Unix(int64(i), 0), buffer, 0)
	}
	flush(t, db)
	for i, e := range events(t, db) {
		if e.RequestID != fmt.Sprint(499-i) || len(e.User) != (499-i)*3 {
			t.Fatalf("event %d is %q", i, e.RequestID)
		}
	}
}

func TestAdmitUsage_KeepsPlacesUntilTheirEventsAreWritten(t *testing.T) {
	db := storetest.Open(t, func(o *store.Options) { o.QueueBytes = 1000 })
	if !db.AdmitUsage(600) || db.AdmitUsage(500) || !db.AdmitUsage(400) || db.AdmitUsage(1) {
		t.Error("the queue admits what does not fit, or not what does")
	}
	db.ForgetUsage(400)
	typical := store.AppendEvent(nil, typicalEvent())
	db.RecordUsage(0, time.Now(), typical, 600)
	if used, limit := db.QueuedUsage(); used != int64(len(typical)) || limit != 1000 || db.AdmitUsage(1001-used) {
		t.Errorf("%d of %d bytes used", used, limit)
	}
	large := store.AppendEvent(nil, &store.Event{At: time.Now(), User: string(make([]byte, 2000))})
	db.RecordUsage(0, time.Now(), large, 0) // is taken, but then nothing else
	if used, _ := db.QueuedUsage(); used != int64(len(typical)+len(large)) || db.AdmitUsage(1) {
		t.Errorf("%d bytes used", used)
	}
	db.StartUsage(nil)
	flush(t, db)
	if used, _ := db.QueuedUsage(); used != 0 || !db.AdmitUsage(1000) {
		t.Errorf("%d bytes used after the flush", used)
	}
	mustClose(t, db)
	if db.AdmitUsage(1) {
		t.Error("admitted after the end")
	}
}

// Whatever moment a crash leaves on disk, counters equal the sums of events.
func TestUsage_CountersEqualTheEventsAtAnyMoment(t *testing.T) {
	db, m := storetest.Open(t, func(o *store.Options) { o.FlushInterval = time.Millisecond }), newMeter()
	db.StartUsage(m)
	var requests sync.WaitGroup
	for worker := range 8 {
		requests.Go(func() {
			random := rand.New(rand.NewPCG(1, uint64(worker)))
			for range 400 {
				request(db, m, fmt.Sprint("c", random.IntN(5)), 1+random.Int64N(50), time.Now())
			}
		})
	}
	done := make(chan struct{})
	go func() { requests.Wait(); close(done) }()
	for running := true; running; {
		select {
		case <-done:
			running = false
			flush(t, db)
		default:
		}
		checkCut(t, db)
	}
	if got := counters(t, db); !maps.Equal(got, m.sums) {
		t.Errorf("counters %v, want %v", got, m.sums)
	}
	wantCount(t, db, 8*400)
}

// checkCut opens what a crash would leave now.
func checkCut(t *testing.T, db *store.DB) {
	t.Helper()
	cut := inDir(t.TempDir())
	file, err := os.OpenFile(filepath.Join(cut.Dir, "relay.db"), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(db.Backup(file), file.Close()); err != nil {
		t.Fatal(err)
	}
	copied := mustOpen(t, cut)
	if sums, got := eventSums(t, copied), counters(t, copied); !maps.Equal(sums, got) {
		t.Errorf("counters %v, events %v", got, sums)
	}
	mustClose(t, copied)
}

func TestUsage_WaitsForTheEventOfACommitThatTheCountersContain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		db, m := storetest.Open(t), newMeter()
		db.StartUsage(m)
		late := m.add("a", 5) // committed, not recorded yet
		request(db, m, "a", 1, time.Now())
		time.Sleep(time.Second)
		synctest.Wait()
		wantCount(t, db, 0)
		e := &store.Event{At: time.Now(), User: "a", Tokens: store.Tokens{Output: 5}}
		db.RecordUsage(late, e.At, store.AppendEvent(nil, e), 0)
		synctest.Wait()
		if sums, got := eventSums(t, db), counters(t, db); !maps.Equal(sums, got) || got["a"] != 6 {
			t.Errorf("counters %v, events %v", got, sums)
		}
	})
}

func TestUsage_GivesUpAnEventThatNeverComes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		db, m := storetest.Open(t), newMeter()
		db.StartUsage(m)
		lost := m.add("a", 5)
		request(db, m, "a", 1, time.Now())
		time.Sleep(11 * time.Second)
		synctest.Wait()
		wantCount(t, db, 1)
		request(db, m, "a", 1, time.Now())
		db.RecordUsage(lost, time.Now(), store.AppendEvent(nil, &store.Event{At: time.Now()}), 0)
		flush(t, db)
		wantCount(t, db, 3)
	})
}

func TestDurableThrough_IsNowWhenNothingWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		db := storetest.Open(t)
		db.StartUsage(nil)
		time.Sleep(time.Hour)
		if got := db.DurableThrough(); !got.Equal(time.Now()) {
			t.Errorf("durable through %v, want %v", got, time.Now())
		}
		before := time.Now()
		db.RecordUsage(0, time.Now(), store.AppendEvent(nil, &store.Event{At: time.Now()}), 0)
		time.Sleep(time.Millisecond)
		if got := db.DurableThrough(); !got.Equal(before) {
			t.Errorf("durable through %v with an event waiting, want %v", got, before)
		}
		time.Sleep(time.Second)
		synctest.Wait()
		if got := db.DurableThrough(); !got.Equal(time.Now()) {
			t.Errorf("durable through %v after the flush", got)
		}
	})
}

// A failing disk is tried once a second, keeps everything, and everything is
// there once when it works again, also when a failed try had in fact succeeded.
func TestUsage_IsKeptWhileTheDiskFails(t *testing.T) {
	for name, done := range map[string]bool{"nothing is written": false, "all is written and the sync fails": true} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				db, m := storetest.Open(t), newMeter()
				var tries atomic.Int32
				db.StartUsage(m)
				store.HookWrites(db, func(meta bool, write func() (int, error)) (int, error) {
					if done && !meta {
						return write()
					}
					tries.Add(1)
					if done {
						_, _ = write()
					}
					return 0, errors.New("no space left on device")
				})
				for i := range 100 {
					request(db, m, fmt.Sprint("c", i%3), 1, time.Now())
					m.reserve(fmt.Sprint("c", i%5))
					time.Sleep(100 * time.Millisecond)
				}
				if n := tries.Load(); n < 9 || n > 11 {
					t.Errorf("%d tries in 10 seconds", n)
				}
				if store.CodeOf(db.Failure()) != store.CodeUnavailable {
					t.Errorf("failure %v", db.Failure())
				}
				ctx, cancel := context.WithTimeout(t.Context(), time.Second/2)
				defer cancel()
				if err := db.FlushUsage(ctx); !errors.Is(err, context.DeadlineExceeded) || store.CodeOf(err) != store.CodeUnavailable {
					t.Errorf("flush: %v", err)
				}
				store.HookWrites(db, nil)
				flush(t, db)
				wantCount(t, db, 100)
				if sums, got := eventSums(t, db), counters(t, db); !maps.Equal(sums, got) || db.Failure() != nil {
					t.Errorf("counters %v, events %v, failure %v", got, sums, db.Failure())
				}
				if err := db.Verify(func(fault string) { t.Error(fault) }); err != nil {
					t.Error(err)
				}
			})
		})
	}
}

func TestClose_TellsHowManyEventsAreLost(t *testing.T) {
	db := mustOpen(t, inDir(newDir(t)))
	db.StartUsage(nil)
	store.HookWrites(db, func(bool, func() (int, error)) (int, error) { return 0, errors.New("broken") })
	db.RecordUsage(0, time.Now(), store.AppendEvent(nil, typicalEvent()), 0)
	if err := db.Close(); store.CodeOf(err) != store.CodeUnavailable {
		t.Errorf("close: %v", err)
	}
	if err := db.FlushUsage(t.Context()); err == nil {
		t.Error("flushed after the end")
	}
}

func TestUsage_GoesOnWithASizeBound(t *testing.T) {
	o := inDir(newDir(t))
	o.MaxSize = 1 << 20
	db := mustOpen(t, o)
	db.RecordUsage(0, time.Now(), store.AppendEvent(nil, &store.Event{At: time.Now(), User: string(make([]byte, 2<<20))}), 0)
	err := db.Close()
	if store.CodeOf(err) != store.CodeUnavailable {
		t.Errorf("close: %v", err)
	}
	storetest.Check(t, o.Dir)
}

func TestCounters_RefusesADamagedState(t *testing.T) {
	db, m := storetest.Open(t), newMeter()
	db.StartUsage(m)
	for i := range 2500 { // more than a page
		m.add(fmt.Sprintf("c%04d", i), uint64(i))
		db.RecordUsage(uint64(i+1), time.Now(), store.AppendEvent(nil, &store.Event{At: time.Now()}), 0)
	}
	flush(t, db)
	if got := counters(t, db); len(got) != 2500 || got["c2222"] != 2222 {
		t.Errorf("%d counters", len(got))
	}
	stop := errors.New("stop")
	if err := db.Counters(func(string, []byte) error { return stop }); !errors.Is(err, stop) {
		t.Errorf("error %v", err)
	}
}

func BenchmarkRecordUsage(b *testing.B) {
	db := storetest.Open(b, func(o *store.Options) { o.QueueBytes = 1 << 40 })
	db.StartUsage(nil)
	e := typicalEvent()
	var encoded []byte
	b.ReportAllocs()
	for b.Loop() {
		encoded = store.AppendEvent(encoded[:0], e)
		db.RecordUsage(0, e.At, encoded, 0)
	}
	if err := db.FlushUsage(b.Context()); err != nil {
		b.Fatal(err)
	}
}
