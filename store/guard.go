package store

import (
	"errors"
	"fmt"
	"runtime/debug"

	"go.etcd.io/bbolt"
	berrors "go.etcd.io/bbolt/errors"
)

// guard runs f, which uses the database file. The file is mapped into memory,
// so a file that is damaged or cut short under the process shows as a panic of
// bbolt or as a memory fault; either becomes an error and ends all further use
// of the file.
func (db *DB) guard(f func() error) (err error) {
	if broken := db.broken.Load(); broken != nil {
		return broken
	}
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if cause := recover(); cause != nil {
			broken := db.damaged(fmt.Errorf("%v", cause))
			db.broken.Store(broken)
			err = broken
		}
	}()
	if err = f(); errors.Is(err, berrors.ErrDatabaseNotOpen) {
		return &Error{Code: CodeUnavailable, Message: "the database is closed"}
	}
	return err
}

// view runs f in a reading transaction. A long one keeps pages from being used
// again, so f copies out what it needs and waits for nothing.
func (db *DB) view(f func(tx *bbolt.Tx) error) error {
	return db.guard(func() error { return db.bolt.View(f) })
}

// update runs f in the writing transaction and returns once it is on disk. When
// it fails the change may be on disk nevertheless.
func (db *DB) update(doing string, f func(tx *bbolt.Tx) error) error {
	db.gate.Lock()
	defer db.gate.Unlock()
	err := db.guard(func() error { return db.bolt.Update(f) })
	if err == nil {
		db.failure.Store(nil)
		return nil
	}
	failure := db.diskError(doing, err)
	db.failure.Store(failure)
	return failure
}

// damaged makes the error for a database that must not be served.
func (db *DB) damaged(cause error) *Error {
	var known *Error
	if errors.As(cause, &known) {
		return known
	}
	advice := restoreAdvice
	if db.backup.name != "" {
		advice = "take another one"
	}
	return &Error{Code: CodeDamaged, Message: fmt.Sprintf("%s is damaged: %v: %s", db.called(), cause, advice)}
}

// diskError makes the error for a file that cannot be read or written just now.
func (db *DB) diskError(doing string, err error) *Error {
	var known *Error
	if errors.As(err, &known) {
		return known
	}
	return &Error{Code: CodeUnavailable, Message: doing, Err: err}
}
