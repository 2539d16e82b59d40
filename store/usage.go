package store

import (
	"context"
	"errors"
	"time"
)

// AdmitUsage takes a place of so many bytes in the usage queue for a request
// that is about to begin. When it reports false there is none, and the request
// must be refused. Each place ends in one RecordUsage or one ForgetUsage.
func (db *DB) AdmitUsage(bytes int64) bool {
	q := db.usage
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed || q.used+bytes > q.limit {
		return false
	}
	q.used += bytes
	q.open++
	return true
}

// ForgetUsage gives back a place that is not needed.
func (db *DB) ForgetUsage(bytes int64) {
	db.usage.mu.Lock()
	defer db.usage.mu.Unlock()
	db.usage.used -= bytes
	db.usage.open--
}

// QueuedUsage returns the bytes of the usage queue that are taken, and how many
// there are.
func (db *DB) QueuedUsage() (used, limit int64) {
	db.usage.mu.Lock()
	defer db.usage.mu.Unlock()
	return db.usage.used, db.usage.limit
}

// RecordUsage queues an event, which it copies, for the next batch. It does no
// I/O and fails never. From then on the queue holds the bytes of the event and
// not its place, which may have been larger or smaller (place is its size,
// 0 for an event without one).
//
// Commit is the number that the counters' source gave to the commit of the same
// request, or 0 when nothing was committed. The numbers are 1, 2, 3 and so on,
// and each must be recorded, soon after its commit and once: a batch waits for
// all up to the one its counters contain. Encoded is what AppendEvent made of an
// event whose time is at; empty, it tells of the commit alone.
func (db *DB) RecordUsage(commit uint64, at time.Time, encoded []byte, place int64) {
	db.record(commit, at, encoded, place, nil)
}

func (db *DB) record(commit uint64, at time.Time, encoded []byte, place int64, written chan struct{}) (taken bool) {
	taken = db.usage.record(commit, at, encoded, place, written)
	if !taken {
		db.log.Error().Uint64("commit", commit).Msg("usage event recorded after the database was closed is lost")
	}
	return taken
}

// UsageTicket stands for one event on its way into the database. The zero
// ticket stands for none.
type UsageTicket struct {
	written <-chan struct{}
	lost    bool // it came after the end
}

// RecordUsageDurable is RecordUsage for an event that somebody waits for. The
// next batch begins at once, and takes along whatever else waits by then.
func (db *DB) RecordUsageDurable(commit uint64, at time.Time, encoded []byte, place int64) UsageTicket {
	written := make(chan struct{})
	taken := db.record(commit, at, encoded, place, written)
	return UsageTicket{written: written, lost: !taken}
}

// WaitUsage returns once the event of the ticket is in the database for good.
// When ctx ends first, the error says why the last write failed; the event
// still waits and will be written.
func (db *DB) WaitUsage(ctx context.Context, ticket UsageTicket) error {
	switch {
	case ticket.written == nil:
		return nil
	case ticket.lost:
		return &Error{Code: CodeUnavailable, Message: "the event came after the database was closed"}
	}
	select {
	case <-ticket.written:
		return nil
	case <-ctx.Done():
		return errors.Join(ctx.Err(), db.Failure())
	}
}

// FlushUsage returns once everything that was recorded before is in the
// database, also when that takes several tries. When ctx ends first, the error
// says why the last write failed.
func (db *DB) FlushUsage(ctx context.Context) error {
	w := db.writer.Load()
	if w == nil {
		return &Error{Code: CodeUnavailable, Message: "usage is not being written: StartUsage has not been called"}
	}
	done := make(chan struct{})
	select {
	case w.flushes <- done:
	case <-w.stopped:
		return w.queue.left()
	case <-ctx.Done():
		return errors.Join(ctx.Err(), db.Failure())
	}
	select {
	case <-done:
		return nil
	case <-w.stopped:
		return w.queue.left()
	case <-ctx.Done():
		return errors.Join(ctx.Err(), db.Failure())
	}
}

// DurableThrough returns the time before which every recorded event is in the
// database for good, and every change of a counter with it. With nothing on its
// way that is now.
func (db *DB) DurableThrough() time.Time {
	now := db.now() // before the looks: they miss what comes meanwhile
	if w := db.writer.Load(); w == nil || !w.dirty() {
		db.usage.idle(now)
	}
	return db.usage.through()
}
