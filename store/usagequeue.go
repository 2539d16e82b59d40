package store

import (
	"fmt"
	"sync"
	"time"
)

// flushCount is the number of waiting events that does not wait for more.
const flushCount = 1000

// usageQueue holds usage events until they are in the database. Its mutex is
// held for arithmetic and one copy, never for I/O.
type usageQueue struct {
	now   func() time.Time
	limit int64 // bytes

	mu       sync.Mutex
	used     int64 // bytes that places and events hold
	recorded int   // events that are not in the database yet
	waiting  []queued
	memory   []byte // what is left of the block that events are copied into
	arrived  arrivals
	state    usageState // as it is in the database
	sequence uint64     // the last number given to an event
	closed   bool

	first chan struct{} // an event waits that was alone
	full  chan struct{} // flushCount events wait
}

// queued is one event on its way into the database. Its key is fixed, so that
// writing it twice leaves it there once.
type queued struct {
	key    [eventKeySize]byte
	event  []byte
	commit uint64
	place  int64
}

func (e queued) sequence() uint64 { return eventSequence(e.key[:]) }

func newUsageQueue(o Options) *usageQueue {
	return &usageQueue{
		now:   o.Now,
		limit: o.QueueBytes,
		first: make(chan struct{}, 1),
		full:  make(chan struct{}, 1),
	}
}

// resume continues the numbering of a database that is being opened.
func (q *usageQueue) resume(state usageState) {
	q.state, q.sequence = state, state.Sequence
}

func (q *usageQueue) record(commit uint64, at time.Time, encoded []byte, place int64) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed {
		return false
	}
	if len(encoded) == 0 { // a commit whose event is not recorded
		q.used -= place
		if commit > 0 {
			q.arrived.add(commit)
		}
		return true
	}
	held := max(place, int64(len(encoded)))
	q.used += held - place
	q.sequence++
	q.recorded++
	q.waiting = append(q.waiting, q.queue(at, encoded, commit, held))
	if commit > 0 {
		q.arrived.add(commit)
	}
	switch len(q.waiting) {
	case 1:
		signal(q.first)
	case flushCount:
		signal(q.full)
	}
	return true
}

// queue gives an event its key.
func (q *usageQueue) queue(at time.Time, encoded []byte, commit uint64, held int64) queued {
	event := queued{eventKey(at, q.sequence), q.keep(encoded), commit, held}
	bindEvent(event.key[:], event.event)
	return event
}

// keep copies an event into a block that many events share.
func (q *usageQueue) keep(encoded []byte) []byte {
	const block = 64 << 10
	if len(encoded) > cap(q.memory)-len(q.memory) {
		q.memory = make([]byte, 0, max(block, len(encoded)))
	}
	start := len(q.memory)
	q.memory = append(q.memory, encoded...)
	return q.memory[start:len(q.memory):len(q.memory)]
}

// take moves into batch every waiting event that belongs with counters up to
// the commit.
func (q *usageQueue) take(through uint64, batch []queued) []queued {
	q.mu.Lock()
	defer q.mu.Unlock()
	later := q.waiting[:0]
	for _, event := range q.waiting {
		if event.commit <= through {
			batch = append(batch, event)
		} else {
			later = append(later, event)
		}
	}
	clear(q.waiting[len(later):])
	q.waiting = later
	return batch
}

// written ends a batch that is in the database.
func (q *usageQueue) written(batch []queued, state usageState) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.state = state
	q.recorded -= len(batch)
	for _, event := range batch {
		q.used -= event.place
	}
}

func (q *usageQueue) durableThrough() time.Time {
	if q.recorded == 0 {
		return q.now().UTC()
	}
	return q.state.Through
}

// present returns the state of the bucket, good for everything that has been
// recorded by now.
func (q *usageQueue) present() usageState {
	q.mu.Lock()
	defer q.mu.Unlock()
	state := q.state
	state.Through = q.now().UTC()
	return state
}

func (q *usageQueue) waits() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.waiting) > 0
}

func (q *usageQueue) want(commit uint64) <-chan struct{} {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.arrived.want(commit)
}

func (q *usageQueue) giveUp(commit uint64) (missing uint64) {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.arrived.giveUp(commit)
}

func (q *usageQueue) close() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.closed = true
}

// left returns an error when events have not reached the database.
func (q *usageQueue) left() error {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.recorded == 0 {
		return nil
	}
	return &Error{Code: CodeUnavailable, Message: fmt.Sprintf("%d usage events could not be written and are lost", q.recorded)}
}

func signal(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}
