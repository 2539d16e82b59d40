package store

import (
	"bytes"
	"context"
	"slices"
	"time"

	"go.etcd.io/bbolt"
)

// repriceChunk is how many events one transaction reads and another writes: few
// enough that usage waits for milliseconds, and that they fit into memory.
const repriceChunk = 500

// RepriceQuery selects the events whose cost is worked out anew.
type RepriceQuery struct {
	Since, Until time.Time // from Since on, and before Until; zero: no bound
	DryRun       bool      // change nothing
}

// Repriced tells what Reprice has done, or would do.
type Repriced struct {
	Events      int64 `json:"events"`       // looked at
	Changed     int64 `json:"changed"`      // whose cost is another
	NewlyPriced int64 `json:"newly_priced"` // of the changed, those that had none
	Unpriced    int64 `json:"unpriced"`     // used something, and have no cost before or after
	BeforeNanos int64 `json:"before_nanos"` // sum over all events
	AfterNanos  int64 `json:"after_nanos"`
}

// Reprice lets price put another cost, breakdown and pricing on each selected
// event and keeps what changes, oldest first. Summaries are made of events and
// follow at once; counters and budgets keep what they have counted. A run that
// ends early, also with the error of ctx, has done a part, and a second one does
// the rest. It fails as Events does, and with CodeUnavailable when the disk
// refuses. Reprice may run beside requests and other writes.
func (db *DB) Reprice(ctx context.Context, q RepriceQuery, price func(e *Event)) (Repriced, error) {
	run := repricing{query: q, price: price}
	run.reader.ids = map[[idSize]byte]string{}
	if !q.Since.IsZero() {
		key := eventKey(q.Since, 0)
		run.next = key[:]
	}
	if !q.Until.IsZero() {
		key := eventKey(q.Until, 0)
		run.until = key[:]
	}
	for !run.done {
		if err := ctx.Err(); err != nil {
			return run.sums, err
		}
		if err := db.repriceChunk(&run); err != nil {
			return run.sums, err
		}
	}
	return run.sums, nil
}

func (db *DB) repriceChunk(run *repricing) error {
	sums, next := run.sums, run.next
	if err := db.view(run.read); err != nil {
		run.sums, run.next = sums, next
		return db.damaged(err)
	}
	if len(run.changed) == 0 || run.query.DryRun {
		return nil
	}
	err := db.update("write the cost of usage", run.write)
	if err != nil {
		run.sums = sums
	}
	return err
}

// repricing is a walk over events from old to new.
type repricing struct {
	query       RepriceQuery
	price       func(e *Event)
	next, until []byte // the least key left, and the one that ends the walk; nil: no bound
	done        bool
	changed     []repricedRow // of the present chunk
	reader      eventReader
	sums        Repriced
}

// repricedRow is an event as it was read and as it is to be written.
type repricedRow struct{ key, former, encoded []byte }

func (r *repricing) read(tx *bbolt.Tx) error {
	r.changed = r.changed[:0]
	cursor := tx.Bucket([]byte(usageBucket)).Cursor()
	key, value := cursor.Seek(r.next)
	for range repriceChunk {
		if key == nil || r.until != nil && bytes.Compare(key, r.until) >= 0 {
			r.done = true
			return nil
		}
		if err := r.row(key, value); err != nil {
			return err
		}
		key, value = cursor.Next()
	}
	r.next, r.done = bytes.Clone(key), key == nil
	return nil
}

func (r *repricing) row(key, value []byte) error {
	var e Event
	if err := r.reader.readRow(key, value, &e); err != nil {
		return eventFault(key, err)
	}
	former := e
	former.CostBreakdown = slices.Clone(e.CostBreakdown)
	r.price(&e)
	r.count(&former, &e)
	if sameCost(&former, &e) {
		return nil
	}
	encoded := AppendEvent(nil, &e)
	bindEvent(key, encoded)
	r.changed = append(r.changed, repricedRow{bytes.Clone(key), bytes.Clone(value), encoded})
	return nil
}

func sameCost(a, b *Event) bool {
	return (a.CostNanos == nil) == (b.CostNanos == nil) && nanosOf(a) == nanosOf(b) &&
		a.Pricing == b.Pricing && slices.Equal(a.CostBreakdown, b.CostBreakdown)
}

func nanosOf(e *Event) int64 {
	if e.CostNanos == nil {
		return 0
	}
	return *e.CostNanos
}

func (r *repricing) count(former, now *Event) {
	r.sums.Events++
	r.sums.BeforeNanos += nanosOf(former)
	r.sums.AfterNanos += nanosOf(now)
	switch {
	case former.CostNanos == nil && now.CostNanos != nil:
		r.sums.Changed++
		r.sums.NewlyPriced++
	case nanosOf(former) != nanosOf(now):
		r.sums.Changed++
	case now.Unpriced():
		r.sums.Unpriced++
	}
}

// write puts the changed events in place, but for those that are gone or another
// since they were read.
func (r *repricing) write(tx *bbolt.Tx) error {
	usage := tx.Bucket([]byte(usageBucket))
	for _, row := range r.changed {
		if !bytes.Equal(usage.Get(row.key), row.former) {
			continue
		}
		if err := usage.Put(row.key, row.encoded); err != nil {
			return err
		}
	}
	return nil
}
