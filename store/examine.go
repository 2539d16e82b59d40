package store

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"time"

	"go.etcd.io/bbolt"
)

// Contents tells what a database holds.
type Contents struct {
	Installation string    `json:"installationId"`
	Generation   uint64    `json:"generation"` // of its catalog
	Records      int       `json:"records"`
	Events       uint64    `json:"events"`
	Through      time.Time `json:"through,omitzero"` // usage recorded before is in it
	Bytes        int64     `json:"bytes"`            // of the file
}

// backupFile is a database outside of its place in the data dir.
type backupFile struct {
	name string // in messages
	path string
}

// Examine reads everything in a database that no process writes to, and calls
// each for every fault, which it names. It reads the backup at path, or when
// that is "" the database of the data dir. Nothing is changed or made.
//
// It fails when it could not go on: with CodeNotFound without a file, CodeBusy
// when a process writes to it, CodeConflict when it is a backup of another
// installation than that of the data dir, CodeWrongKey when the master key of
// the options does not open it, and CodeDamaged when the damage goes too deep
// to look further, or when a newer version has written it; and with the error
// of ctx once that is done.
func Examine(ctx context.Context, o Options, path string, each func(fault string)) (Contents, error) {
	return examine(ctx, o.withDefaults(), backupFile{path, path}, each)
}

func examine(ctx context.Context, o Options, file backupFile, each func(fault string)) (Contents, error) {
	db := &DB{options: o, log: o.Log, backup: file}
	return db.examine(ctx, each)
}

func (db *DB) examine(ctx context.Context, each func(fault string)) (Contents, error) {
	size, err := fileSize(db.path())
	switch {
	case err != nil:
		return Contents{}, db.diskError("open "+db.path(), err)
	case size < 0:
		return Contents{}, &Error{Code: CodeNotFound, Message: "there is no file " + db.path()}
	case size == 0:
		return Contents{}, db.damaged(errors.New("the file is empty"))
	}
	if err := db.openReadOnly(); err != nil {
		return Contents{}, err
	}
	c, err := db.examineFile(ctx, each)
	c.Bytes = size
	return c, errors.Join(err, db.release())
}

func (db *DB) openReadOnly() error {
	return db.open(&bbolt.Options{
		ReadOnly: true, Timeout: time.Second, FreelistType: bbolt.FreelistMapType,
		OpenFile: func(path string, _ int, mode fs.FileMode) (*os.File, error) {
			file, err := os.OpenFile(path, os.O_RDONLY, mode)
			db.file = file
			return file, err
		},
	})
}

func (db *DB) examineFile(ctx context.Context, each func(fault string)) (Contents, error) {
	m, err := db.identify()
	if err != nil {
		return Contents{}, err
	}
	err = db.view(func(tx *bbolt.Tx) error { return verifier{ctx, db, tx, each}.everything() })
	if err != nil && ctx.Err() == nil {
		err = db.damaged(err)
	}
	return Contents{
		Installation: m.installation, Generation: m.catalog.Generation, Records: m.catalog.Rows,
		Events: m.usage.Events, Through: m.usage.Through,
	}, err
}
