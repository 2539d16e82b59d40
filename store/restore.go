package store

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// Restored tells what a restore has put in place.
type Restored struct {
	Contents
	Former string `json:"former,omitempty"` // where the former database lies now; "": there was none
}

// Restore puts the backup at path in the place of the database of a data dir,
// which may be damaged or missing, and keeps the former file beside it. No
// process may have the database open.
//
// What is put in place is a copy that has been read to its last byte under the
// master key of the options. It fails, and leaves everything as it was, with
// the errors of Examine, and with CodeDamaged when that finds any fault.
func Restore(ctx context.Context, o Options, path string) (Restored, error) {
	o = o.withDefaults()
	db := &DB{options: o, log: o.Log, backup: backupFile{name: path}}
	if err := db.makeDir(); err != nil {
		return Restored{}, err
	}
	free, err := db.holdFormer(path)
	if err != nil {
		return Restored{}, err
	}
	defer free()
	return db.restore(ctx, path)
}

// holdFormer takes the lock of the present database, if there is one, whatever
// state that is in.
func (db *DB) holdFormer(path string) (free func(), err error) {
	former, err := os.OpenFile(db.path(), os.O_RDWR, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return func() {}, nil
	}
	if err != nil {
		return nil, db.diskError("open the present database", err)
	}
	free = func() { unlock(former); _ = former.Close() }
	if !tryLock(former) {
		free()
		return nil, db.busy()
	}
	if sameFile(former, path) {
		free()
		return nil, &Error{Code: CodeConflict, Message: path + " is the present database: name a backup of it"}
	}
	return free, nil
}

func sameFile(file *os.File, path string) bool {
	a, errA := file.Stat()
	b, errB := os.Stat(path)
	return errA == nil && errB == nil && os.SameFile(a, b)
}

func (db *DB) restore(ctx context.Context, path string) (done Restored, err error) {
	draft, err := db.draftOf(ctx, path)
	if err != nil {
		return done, err
	}
	defer os.Remove(draft)
	if done.Contents, err = examineWhole(ctx, db.options, backupFile{path, draft}); err != nil {
		return done, err
	}
	if done.Former, err = db.swap(draft); err != nil {
		return done, db.diskError("put the backup in the place of "+db.path(), err)
	}
	db.installation = done.Installation
	return done, db.mark()
}

// draftOf copies a backup into the data dir, durably.
func (db *DB) draftOf(ctx context.Context, path string) (string, error) {
	source, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return "", &Error{Code: CodeNotFound, Message: "there is no file " + path}
	}
	if err != nil {
		return "", db.diskError("open the backup", err)
	}
	defer source.Close()
	draft, err := os.CreateTemp(db.options.Dir, databaseName+".new-*")
	if err != nil {
		return "", db.diskError("make temporary file for the restore", err)
	}
	_, err = io.Copy(whileWanted{ctx, draft}, source)
	if err = errors.Join(err, draft.Sync(), draft.Close()); err != nil {
		return "", db.diskError("copy the backup", errors.Join(err, os.Remove(draft.Name())))
	}
	return draft.Name(), nil
}

// examineWhole fails when there is any fault.
func examineWhole(ctx context.Context, o Options, file backupFile) (Contents, error) {
	var faults []string
	contents, err := examine(ctx, o, file, func(fault string) { faults = append(faults, fault) })
	switch {
	case err != nil || len(faults) == 0:
		return contents, err
	case len(faults) > 1:
		faults[0] += fmt.Sprintf(" (and %d more)", len(faults)-1)
	}
	db := &DB{options: o, backup: file}
	return contents, db.damaged(errors.New(faults[0]))
}

// swap gives the draft the name of the database. The former file has another
// name before it loses its own, so that no moment is without a database.
func (db *DB) swap(draft string) (former string, err error) {
	if size, err := fileSize(db.path()); err != nil || size < 0 {
		return "", errors.Join(err, publish(draft, db.path()))
	}
	former, _ = freeName(db.path()+".before-restore-", "", db.now())
	if err := os.Link(db.path(), former); errors.Is(err, fs.ErrExist) {
		return "", err
	} else if err != nil {
		err = os.Rename(db.path(), former)
		if err != nil {
			return "", err
		}
	}
	if err := os.Rename(draft, db.path()); err != nil {
		return "", err
	}
	return former, syncDir(filepath.Dir(db.path()))
}
