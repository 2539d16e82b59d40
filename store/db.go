package store

import (
	"errors"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"github.com/rs/zerolog"
	"go.etcd.io/bbolt"
)

// DB is an open database. Every method may be called from any goroutine.
type DB struct {
	options      Options
	backup       backupFile // what is read in place of the data dir's own; zero: nothing
	log          zerolog.Logger
	installation string
	firstBoot    bool
	key          atomic.Pointer[masterKey]

	file    *os.File // the database file, to let go of it when bbolt cannot
	bolt    *bbolt.DB
	gate    sync.Mutex            // held by the one writing transaction
	broken  atomic.Pointer[Error] // why the file is not touched any more
	failure atomic.Pointer[Error] // of the last writing transaction

	catalog  atomic.Pointer[Catalog]
	writing  sync.Mutex   // the catalog mutex: one Write at a time; it guards the rest of this group
	state    catalogState // of the present catalog
	unsure   rowWrites    // what undoes a write of which nobody knows whether it took place
	compiler Compiler
	known    knownProblems

	audited atomic.Uint64 // the number of the last entry of the audit log
	revoked revocations

	values  hostKeyValues
	usage   *usageQueue
	watches usageWatches
	writer  atomic.Pointer[usageWriter]
	unclean *UncleanStop // of the last run; nil: it closed the database

	closing sync.Once
	closed  error
}

// Catalog returns the present catalog without taking a lock.
func (db *DB) Catalog() *Catalog { return db.catalog.Load() }

// FirstBoot reports whether nothing had ever been written to the catalog when
// the database was opened.
func (db *DB) FirstBoot() bool { return db.firstBoot }

// InstallationID returns the id that was given to the database when it was
// made. A restored backup has the id of the original.
func (db *DB) InstallationID() string { return db.installation }

func (db *DB) masterKey() *masterKey { return db.key.Load() }

// Dir returns the data dir.
func (db *DB) Dir() string { return db.options.Dir }

// Failure returns why the last writing transaction failed, or nil when it
// succeeded. Failing usage writes are tried again once a second, so that it
// becomes nil by itself once the disk takes writes again.
func (db *DB) Failure() error {
	if err := db.Damage(); err != nil {
		return err
	}
	if err := db.failure.Load(); err != nil {
		return err
	}
	return nil
}

// Damage returns why the file is not touched any more until the next start, or
// nil. Usage is kept in memory from then on, as long as there is room.
func (db *DB) Damage() error {
	if err := db.broken.Load(); err != nil {
		return err
	}
	return nil
}

// Size returns the size of the database file in bytes, 0 when it cannot be
// told.
func (db *DB) Size() int64 {
	return max(0, first(fileSize(db.path())))
}

// Close writes the usage events and counters that are still in memory and lets
// go of the file. It returns an error when some could not be written. Requests
// must have ended before.
func (db *DB) Close() error {
	db.closing.Do(func() {
		db.closed = errors.Join(db.closeUsage(), db.release())
	})
	return db.closed
}

func (db *DB) release() error {
	if db.broken.Load() != nil {
		db.abandon()
		return nil
	}
	db.gate.Lock()
	defer db.gate.Unlock()
	if err := db.bolt.Close(); err != nil {
		return db.diskError("close "+db.path(), err)
	}
	return nil
}

// abandon lets go of the file without bbolt, which after a fault may still hold
// its own locks and wait for them for ever.
func (db *DB) abandon() {
	if db.file != nil {
		unlock(db.file)
		_ = db.file.Close()
	}
}

func (db *DB) path() string {
	if db.backup.path != "" {
		return db.backup.path
	}
	return filepath.Join(db.options.Dir, databaseName)
}

// called is what messages call the file.
func (db *DB) called() string {
	if db.backup.name != "" {
		return "backup " + db.backup.name
	}
	return "database " + db.path()
}

func (db *DB) marker() string { return filepath.Join(db.options.Dir, markerName) }

// now is the present time in UTC.
func (db *DB) now() time.Time { return db.options.Now().UTC() }

func first[T any](value T, _ error) T { return value }
