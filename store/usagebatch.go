package store

import (
	"bytes"
	"math"
	"time"

	"go.etcd.io/bbolt"
)

// arrivalPatience is for the event of a commit that the counters contain.
const arrivalPatience = 10 * time.Second

// flush writes one batch: what could not be written before, and everything that
// has been recorded by now.
func (w *usageWriter) flush() {
	state := w.collect()
	if err := w.write(state); err != nil {
		w.fail(err)
		return
	}
	if w.failing {
		w.failing = false
		w.db.log.Info().Msg("usage is being written again")
	}
	w.queue.written(w.batch, state)
	w.db.watches.tell(w.batch)
	clear(w.batch)
	w.batch = w.batch[:0]
	clear(w.counters)
	if w.awaited != nil {
		w.awaited.Kept()
	}
	for _, done := range w.waiters {
		close(done)
	}
	w.waiters = nil
}

func (w *usageWriter) fail(err error) {
	if !w.failing {
		w.db.log.Error().Err(err).Msg("usage cannot be written and waits")
	}
	w.failing = true
}

// collect adds to the batch one consistent cut: the counters, and exactly the
// events of the commits that they contain. It returns the state of the usage
// bucket once the batch is written.
func (w *usageWriter) collect() usageState {
	state := w.queue.begin()
	state.Running = w.running
	through := uint64(math.MaxUint64)
	if w.source != nil {
		through = w.source.Snapshot(w.putCounter)
		w.await(through)
	}
	w.batch = w.queue.take(through, w.batch)
	state.Events += uint64(len(w.batch))
	state.Recent = recent(state.Recent, len(w.batch))
	for _, event := range w.batch {
		state.Sequence = max(state.Sequence, event.sequence())
	}
	return w.afterRun(state)
}

// afterRun keeps, where no run is under way, what the last one has left to be
// told of its unclean stop.
func (w *usageWriter) afterRun(state usageState) usageState {
	if !w.serves && !w.kept.Running.IsZero() {
		state.Through, state.Open, state.Recent = w.kept.Through, w.kept.Open, w.kept.Recent
	}
	return state
}

// recent is the largest batch of late: each batch lets an eighth of it be
// forgotten.
func recent(largest, batch int) int {
	if batch == 0 {
		return largest
	}
	return max(batch, largest-(largest+7)/8)
}

// putCounter keeps a state until it is written; a later one takes its place.
func (w *usageWriter) putCounter(name string, state []byte) {
	if name == "" || len(name) > bbolt.MaxKeySize {
		w.db.log.Error().Int("length", len(name)).Msg("counter whose name is empty or too long is not kept")
		return
	}
	w.counters[name] = bytes.Clone(state)
}

// await waits for the events of every commit up to the given one. They follow
// their commits within microseconds; one that does not is given up, so that
// the others are written.
func (w *usageWriter) await(commit uint64) {
	reached := w.queue.want(commit)
	if reached == nil {
		return
	}
	patience := time.NewTimer(arrivalPatience)
	defer patience.Stop()
	select {
	case <-reached:
	case <-patience.C:
		if missing := w.queue.giveUp(commit); missing > 0 {
			w.db.log.Error().Uint64("events", missing).Msg("usage events of committed requests were never recorded")
		}
	}
}

func (w *usageWriter) write(state usageState) error {
	if !w.needed(state) {
		return nil
	}
	err := w.db.update("write usage", func(tx *bbolt.Tx) error {
		usage := tx.Bucket([]byte(usageBucket))
		usage.FillPercent = 0.95 // keys mostly grow
		for _, event := range w.batch {
			if err := usage.Put(event.key[:], event.event); err != nil {
				return err
			}
		}
		if err := putCounters(tx, w.counters); err != nil {
			return err
		}
		return putMeta(tx, metaUsage, state)
	})
	if err == nil {
		w.kept = state
	}
	return err
}

// needed reports whether there is anything to write.
func (w *usageWriter) needed(state usageState) bool {
	return len(w.batch) > 0 || len(w.counters) > 0 || state.Open > w.kept.Open || !state.Running.Equal(w.kept.Running)
}
