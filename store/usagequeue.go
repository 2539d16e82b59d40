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
	open     int   // places whose event has not been recorded
	recorded int   // events that are not in the database yet
	waiting  []queued
	memory   []byte // what is left of the block that events are copied into
	arrived  arrivals
	state    usageState // as it is in the database
	writing  bool       // a batch is on its way
	rested   time.Time  // when nothing was on its way, after the last batch
	sequence uint64     // the last number given to an event
	closed   bool

	first  chan struct{} // an event waits that was alone
	full   chan struct{} // flushCount events wait
	wanted chan struct{} // somebody waits for an event
}

// queued is one event on its way into the database. Its key is fixed, so that
// writing it twice leaves it there once.
type queued struct {
	key     [eventKeySize]byte
	event   []byte
	commit  uint64
	place   int64
	written chan struct{} // closed once it is in the database; nil: nobody waits
}

func (e queued) sequence() uint64 { return eventSequence(e.key[:]) }

func newUsageQueue(o Options) *usageQueue {
	return &usageQueue{
		now:    o.Now,
		limit:  o.QueueBytes,
		first:  make(chan struct{}, 1),
		full:   make(chan struct{}, 1),
		wanted: make(chan struct{}, 1),
	}
}

// resume continues the numbering of a database that is being opened.
func (q *usageQueue) resume(state usageState) {
	q.state, q.sequence = state, state.Sequence
}

// record queues an event, and closes written, if there is such a channel, once
// the event is in the database.
func (q *usageQueue) record(commit uint64, at time.Time, encoded []byte, place int64, written chan struct{}) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed {
		return false
	}
	if place > 0 {
		q.open--
	}
	if commit > 0 {
		q.arrived.add(commit)
	}
	if len(encoded) == 0 { // a commit whose event is not recorded
		q.used -= place
		if written != nil {
			close(written)
		}
		return true
	}
	held := int64(len(encoded))
	q.used += held - place
	q.sequence++
	q.recorded++
	event := q.queue(at, encoded, commit, held)
	event.written = written
	q.waiting = append(q.waiting, event)
	q.tell(written != nil)
	return true
}

// tell wakes the writer for an event that has just begun to wait.
func (q *usageQueue) tell(wanted bool) {
	if wanted {
		signal(q.wanted)
	}
	switch len(q.waiting) {
	case 1:
		signal(q.first)
	case flushCount:
		signal(q.full)
	}
}

// queue gives an event its key.
func (q *usageQueue) queue(at time.Time, encoded []byte, commit uint64, held int64) queued {
	event := queued{key: eventKey(at, q.sequence), event: q.keep(encoded), commit: commit, place: held}
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
	q.writing = false
	q.recorded -= len(batch)
	for _, event := range batch {
		q.used -= event.place
		if event.written != nil {
			close(event.written)
		}
	}
}

// idle notes that no counter waited to be written at the time now.
func (q *usageQueue) idle(now time.Time) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.recorded == 0 && !q.writing && now.After(q.rested) {
		q.rested = now
	}
}

// through returns the time before which everything is in the database.
func (q *usageQueue) through() time.Time {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.rested.After(q.state.Through) {
		return q.rested
	}
	return q.state.Through
}

// begin starts a batch: it returns the state of the bucket, good for everything
// that has been recorded by now.
func (q *usageQueue) begin() usageState {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.writing = true
	state := q.state
	state.Through = q.now().UTC()
	state.Open = q.open
	return state
}

// present returns the state of the bucket as it is in the database.
func (q *usageQueue) present() usageState {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.state
}

// openSince reports whether more requests are open than a state tells of.
func (q *usageQueue) openSince(state usageState) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.open > state.Open
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
