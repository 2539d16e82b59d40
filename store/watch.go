package store

import (
	"slices"
	"sync"
	"sync/atomic"
)

// watchedEvents is how many events wait for one who follows them.
const watchedEvents = 1000

// usageWatches are those who follow usage events. While there are none, telling
// them costs one read of a number.
type usageWatches struct {
	some atomic.Bool
	mu   sync.Mutex
	all  []*UsageWatch
}

// UsageWatch follows the usage events that get into the database from its
// making on. It is for one goroutine.
type UsageWatch struct {
	watches *usageWatches
	waiting []queued // guarded by the mutex of watches, as is missed
	missed  int
	reader  eventReader
}

// WatchUsage begins to follow usage events. Close ends it.
func (db *DB) WatchUsage() *UsageWatch {
	w := &UsageWatch{watches: &db.watches, reader: eventReader{ids: map[[idSize]byte]string{}}}
	db.watches.mu.Lock()
	defer db.watches.mu.Unlock()
	db.watches.all = append(db.watches.all, w)
	db.watches.some.Store(true)
	return w
}

// Close ends the watch.
func (w *UsageWatch) Close() {
	w.watches.mu.Lock()
	defer w.watches.mu.Unlock()
	w.watches.all = slices.DeleteFunc(w.watches.all, func(other *UsageWatch) bool { return other == w })
	w.watches.some.Store(len(w.watches.all) > 0)
}

// Take returns the events since the last call in the order in which they were
// recorded, and how many more there were than could wait. It fails with
// CodeDamaged when one cannot be read.
func (w *UsageWatch) Take() (events []Event, missed int, err error) {
	w.watches.mu.Lock()
	waiting, missed := w.waiting, w.missed
	w.waiting, w.missed = nil, 0
	w.watches.mu.Unlock()
	clear(w.reader.ids)
	events = make([]Event, len(waiting))
	for i, one := range waiting {
		if err := w.reader.readRow(one.key[:], one.event, &events[i]); err != nil {
			return nil, missed, &Error{Code: CodeDamaged, Message: "read a usage event", Err: err}
		}
	}
	return events, missed, nil
}

// tell passes a batch on that is in the database. The events of it never change.
func (u *usageWatches) tell(batch []queued) {
	if len(batch) == 0 || !u.some.Load() {
		return
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	for _, w := range u.all {
		w.waiting = append(w.waiting, batch...)
		if over := len(w.waiting) - watchedEvents; over > 0 {
			w.waiting, w.missed = slices.Delete(w.waiting, 0, over), w.missed+over
		}
	}
}
