package store

import (
	"runtime/debug"
	"time"
)

// retryInterval lies between tries of a batch that could not be written.
const retryInterval = time.Second

// usageWriter is the one goroutine that writes usage events, and with them the
// counters that contain them.
type usageWriter struct {
	db      *DB
	queue   *usageQueue
	source  CounterSource // nil: none
	awaited AwaitedSource // the source, when requests wait for it; else nil
	serves  bool          // a run is under way while it writes

	batch    []queued
	counters map[string][]byte // changed and not in the database; nil: gone
	failing  bool
	kept     usageState // as it is in the database
	running  time.Time  // what the database is to say of when the run began; zero: it has ended

	flushes chan chan<- struct{} // closed when everything recorded before is written
	waiters []chan<- struct{}
	stop    chan struct{}
	stopped chan struct{}
}

func (db *DB) newUsageWriter(source CounterSource) *usageWriter {
	kept := db.usage.present()
	awaited, _ := source.(AwaitedSource)
	return &usageWriter{
		db: db, queue: db.usage, source: source, awaited: awaited, kept: kept, running: kept.Running,
		counters: map[string][]byte{},
		flushes:  make(chan chan<- struct{}),
		stop:     make(chan struct{}),
		stopped:  make(chan struct{}),
	}
}

// StartUsage starts the goroutine that writes usage events and the counters of
// source, which may be nil. Before it events only wait. From then on until
// Close the database says that a run is under way. The first of StartUsage and
// StartCounters has an effect, once.
func (db *DB) StartUsage(source CounterSource) {
	w := db.newUsageWriter(source)
	w.serves, w.running = true, db.now()
	w.start()
}

// StartCounters is StartUsage for who changes counters while no run is under
// way: what the database says of the last run stays as it is.
func (db *DB) StartCounters(source CounterSource) { db.newUsageWriter(source).start() }

func (w *usageWriter) start() {
	if w.db.writer.CompareAndSwap(nil, w) {
		w.flush()
		go w.run()
	}
}

// run writes when the first event has waited for the flush interval, when many
// wait, when only counters or open requests have changed for the snapshot
// interval, and when somebody waits or asks. After a failure it waits for the
// retry interval whatever comes.
func (w *usageWriter) run() {
	defer close(w.stopped)
	debug.SetPanicOnFault(true)
	snapshots := time.NewTicker(w.db.options.SnapshotInterval)
	defer snapshots.Stop()
	due := time.NewTimer(w.db.options.FlushInterval)
	defer due.Stop()
	if w.failing {
		due.Reset(retryInterval)
	}
	for {
		flush := false
		select {
		case <-w.queue.first:
			if !w.failing {
				due.Reset(w.db.options.FlushInterval)
			}
		case <-w.queue.full:
			flush = !w.failing
		case <-w.queue.wanted:
			flush = !w.failing
		case <-w.wanted():
			flush = !w.failing
		case <-snapshots.C:
			flush = !w.failing && w.changed()
		case done := <-w.flushes:
			w.waiters = append(w.waiters, done)
			flush = !w.failing
		case <-due.C:
			flush = true
		case <-w.stop:
			w.end()
			return
		}
		if flush {
			w.flush()
			w.rearm(due)
		}
	}
}

// changed reports whether there is something to write besides events.
func (w *usageWriter) changed() bool {
	now := w.db.now()
	if w.dirty() {
		return true
	}
	w.queue.idle(now)
	return w.queue.openSince(w.kept)
}

func (w *usageWriter) dirty() bool { return w.source != nil && w.source.Dirty() }

// wanted receives when requests wait for a batch.
func (w *usageWriter) wanted() <-chan struct{} {
	if w.awaited == nil {
		return nil
	}
	return w.awaited.Wanted()
}

// end writes what is left, and that the run has ended, unless requests are
// still open whose events nobody will write.
func (w *usageWriter) end() {
	if w.serves && !w.queue.openSince(usageState{}) {
		w.running = time.Time{}
	}
	w.flush()
}

func (w *usageWriter) rearm(due *time.Timer) {
	switch {
	case w.failing:
		due.Reset(retryInterval)
	case w.queue.waits():
		due.Reset(w.db.options.FlushInterval)
	default:
		due.Stop()
	}
}

// closeUsage takes no more events and writes those that wait.
func (db *DB) closeUsage() error {
	db.usage.close()
	w := db.newUsageWriter(nil)
	if !db.writer.CompareAndSwap(nil, w) {
		w = db.writer.Load()
		close(w.stop)
		w.join()
	} else {
		w.flush() // of a run that never began
		close(w.stopped)
	}
	return db.usage.left()
}

// join waits for the goroutine to end. After a fault of the file it may be
// stuck in a lock of bbolt.
func (w *usageWriter) join() {
	if w.db.broken.Load() == nil {
		<-w.stopped
		return
	}
	select {
	case <-w.stopped:
	case <-time.After(time.Second):
	}
}
