package store

import "time"

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
	return true
}

// ForgetUsage gives back a place that is not needed.
func (db *DB) ForgetUsage(bytes int64) {
	db.usage.mu.Lock()
	defer db.usage.mu.Unlock()
	db.usage.used -= bytes
}

// QueuedUsage returns the bytes of the usage queue that are taken, and how many
// there are.
func (db *DB) QueuedUsage() (used, limit int64) {
	db.usage.mu.Lock()
	defer db.usage.mu.Unlock()
	return db.usage.used, db.usage.limit
}

// RecordUsage queues an event, which it copies, for the next batch. It does no
// I/O and fails never, even when the event is larger than its place (of size
// place; 0 for an event without one).
//
// Commit is the number that the counters' source gave to the commit of the same
// request, or 0 when nothing was committed. The numbers are 1, 2, 3 and so on,
// and each must be recorded, soon after its commit and once: a batch waits for
// all up to the one its counters contain. Encoded is what AppendEvent made of an
// event whose time is at; empty, it tells of the commit alone.
func (db *DB) RecordUsage(commit uint64, at time.Time, encoded []byte, place int64) {
	if !db.usage.record(commit, at, encoded, place) {
		db.log.Error().Uint64("commit", commit).Msg("usage event recorded after the database was closed is lost")
	}
}

// DurableThrough returns the time before which every recorded event is in the
// database for good. With nothing on its way that is now.
func (db *DB) DurableThrough() time.Time {
	db.usage.mu.Lock()
	defer db.usage.mu.Unlock()
	return db.usage.durableThrough()
}
