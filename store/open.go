package store

import (
	"errors"
	"fmt"
	"io/fs"
	"math/bits"
	"os"
	"path/filepath"
	"runtime"
	"syscall"
	"time"

	"go.etcd.io/bbolt"
	berrors "go.etcd.io/bbolt/errors"
)

// Open opens the database in a data dir, and makes it when the dir holds
// neither a database nor the marker of one. Its errors are of type *Error, one
// line long, and of the code
//   - CodeBusy when another process has the database open (after a second),
//   - CodeDamaged when the file, a record, or the marker is not as it was
//     written, or a newer version has written it,
//   - CodeWrongKey when there is no master key, or one that does not fit or
//     that others can read,
//   - CodeUnavailable when the disk refuses.
//
// After an error nothing has been changed. When the database is damaged, the
// message names the newest backup in BackupDir that is whole.
func Open(o Options) (*DB, error) {
	o = o.withDefaults()
	db := &DB{options: o, log: o.Log, usage: newUsageQueue(o)}
	db.values.reset()
	if err := db.openDir(); err != nil {
		return nil, adviseBackup(o, err)
	}
	return db, nil
}

func (db *DB) openDir() error {
	if err := db.makeDir(); err != nil {
		return err
	}
	if err := db.makeWhenNew(); err != nil {
		return err
	}
	if err := db.openFile(); err != nil {
		return err
	}
	err := db.checkPlace()
	if err == nil {
		err = db.load()
	}
	if err != nil {
		_ = db.release()
		return err
	}
	db.removeCopies()
	return nil
}

func (db *DB) makeDir() error {
	dir := db.options.Dir
	if dir == "" {
		return &Error{Code: CodeUnavailable, Message: "no data dir is given"}
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return db.diskError("make data dir", err)
	}
	if stat, err := os.Stat(dir); err == nil && isOpenToOthers(stat.Mode()) {
		db.log.Warn().Str("dir", dir).Str("mode", fmt.Sprintf("%04o", stat.Mode().Perm())).
			Msg("data dir is open to other users: chmod 700 it")
	}
	return nil
}

// makeWhenNew makes the database when there has never been one. Bbolt takes an
// empty file for a new database, and the marker tells new from lost.
func (db *DB) makeWhenNew() error {
	size, err := fileSize(db.path())
	if err != nil {
		return db.diskError("open data dir", err)
	}
	if size > 0 {
		return nil
	}
	marked, err := fileSize(db.marker())
	if err != nil {
		return db.diskError("open data dir", err)
	}
	switch {
	case marked >= 0 && size < 0:
		return db.lost("is missing", "remove "+db.marker())
	case size == 0:
		return db.lost("is empty", "remove it and "+db.marker())
	}
	return db.make()
}

func (db *DB) lost(how, remedy string) error {
	return &Error{
		Code:    CodeDamaged,
		Message: fmt.Sprintf("database %s %s: %s, or %s to start anew on purpose", db.path(), how, restoreAdvice, remedy),
	}
}

// openFile opens the file with bbolt, under its lock.
func (db *DB) openFile() error {
	options := *bbolt.DefaultOptions
	options.Timeout = time.Second
	options.FreelistType = bbolt.FreelistMapType
	options.InitialMmapSize = initialMapSize()
	options.MaxSize = int(db.options.MaxSize)
	options.OpenFile = func(path string, flag int, mode os.FileMode) (*os.File, error) {
		file, err := db.options.OpenFile(path, flag&^os.O_CREATE, mode)
		db.file = file
		return file, err
	}
	return db.open(&options)
}

func (db *DB) open(options *bbolt.Options) error {
	err := db.guard(func() (err error) {
		db.bolt, err = bbolt.Open(db.path(), 0o600, options)
		return err
	})
	if err == nil {
		return nil
	}
	if db.broken.Load() != nil {
		db.abandon()
	}
	return db.openError(err)
}

// checkPlace finds that the file was replaced, by a restore or a compaction,
// while its lock was waited for.
func (db *DB) checkPlace() error {
	opened, err := db.file.Stat()
	if err != nil {
		return db.diskError("look at "+db.path(), err)
	}
	if present, err := os.Stat(db.path()); err != nil || !os.SameFile(opened, present) {
		return &Error{Code: CodeBusy, Message: fmt.Sprintf("database %s was replaced while it was being opened: start again", db.path())}
	}
	return nil
}

// removeCopies removes what backups, restores and compactions have left that
// were cut off. Nobody else makes any while the database is open.
func (db *DB) removeCopies() {
	removeDrafts(db.path())
	left, _ := filepath.Glob(filepath.Join(db.options.Dir, copyPattern)) // the pattern is well formed
	for _, path := range left {
		_ = os.Remove(path)
	}
}

func (db *DB) openError(err error) error {
	var refused *Error
	var path *fs.PathError
	var system syscall.Errno
	switch {
	case errors.As(err, &refused):
		return refused
	case errors.Is(err, berrors.ErrTimeout):
		return db.busy()
	case errors.As(err, &path), errors.As(err, &system):
		return db.diskError("open database", err)
	}
	return db.damaged(err)
}

// initialMapSize is large enough that the file is seldom mapped anew, for which
// readers and the writer wait for each other. Windows would grow the file to it.
func initialMapSize() int {
	if bits.UintSize < 64 || runtime.GOOS == "windows" {
		return 0
	}
	return 256 << 20
}
