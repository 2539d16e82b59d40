package store

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"time"

	"go.etcd.io/bbolt"
)

// compactBatch bounds one transaction of a compaction, in bytes.
const compactBatch = 4 << 20

// Compacted tells the size of a database file in bytes.
type Compacted struct {
	Before int64 `json:"before"`
	After  int64 `json:"after"`
}

// Compact writes the database of a data dir anew, without the room that deleted
// rows have left, nor what still lies in it of their bytes. No process may have
// the database open. The new file has been read to its last byte before it gets
// the name of the old one; after an error that is as it was. It fails as Open
// does, and with CodeNotFound where there is no database.
func Compact(o Options) (Compacted, error) {
	o = o.withDefaults()
	if size, err := fileSize(filepath.Join(o.Dir, databaseName)); err == nil && size < 0 {
		return Compacted{}, &Error{Code: CodeNotFound, Message: "there is no database in " + o.Dir}
	}
	db, err := Open(o)
	if err != nil {
		return Compacted{}, err
	}
	done, err := db.compact()
	return done, errors.Join(err, db.Close())
}

func (db *DB) compact() (Compacted, error) {
	draft, err := os.CreateTemp(db.options.Dir, databaseName+".new-*")
	if err != nil {
		return Compacted{}, db.diskError("make temporary file for the compaction", err)
	}
	defer os.Remove(draft.Name())
	if err := draft.Close(); err != nil {
		return Compacted{}, db.diskError("make temporary file for the compaction", err)
	}
	if err := db.copyRows(draft.Name()); err != nil {
		return Compacted{}, db.diskError("copy the rows", err)
	}
	contents, err := examineWhole(context.Background(), db.options, backupFile{draft.Name(), draft.Name()})
	if err != nil {
		return Compacted{}, err
	}
	before := db.Size()
	if err := db.takePlace(draft.Name()); err != nil {
		return Compacted{}, db.diskError("put the compacted database in the place of "+db.path(), err)
	}
	return Compacted{before, contents.Bytes}, nil
}

// copyRows writes every row into a new file, page after page.
func (db *DB) copyRows(path string) error {
	options := *bbolt.DefaultOptions
	options.Timeout = time.Second
	options.NoSync = true // synced once at the end
	into, err := bbolt.Open(path, 0o600, &options)
	if err != nil {
		return err
	}
	err = db.guard(func() error { return bbolt.Compact(into, db.bolt, compactBatch) })
	return errors.Join(err, into.Sync(), into.Close())
}

// takePlace gives the draft the name of the database while that is still
// locked, or, where an open file cannot be replaced, right after.
func (db *DB) takePlace(draft string) error {
	err := os.Rename(draft, db.path())
	if err != nil {
		err = errors.Join(db.release(), os.Rename(draft, db.path()))
	}
	return errors.Join(err, syncDir(db.options.Dir))
}
