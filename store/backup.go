package store

import (
	"fmt"
	"io"
	"os"

	"go.etcd.io/bbolt"
)

// Backup writes a consistent copy of the database as it is now; writes go on
// meanwhile. The copy goes to a temporary file in the data dir first, so that a
// slow w keeps no transaction open. It holds no master key, and without the one
// of this database its secrets do not open. The error of w is returned as it is.
func (db *DB) Backup(w io.Writer) error {
	draft, err := os.CreateTemp(db.options.Dir, "backup-*.tmp")
	if err != nil {
		return db.diskError("make temporary file for the backup", err)
	}
	defer os.Remove(draft.Name())
	defer draft.Close()
	if err := db.copyTo(draft); err != nil {
		return err
	}
	if _, err := draft.Seek(0, io.SeekStart); err != nil {
		return db.diskError("read temporary file of the backup", err)
	}
	if _, err := io.Copy(w, draft); err != nil {
		return fmt.Errorf("write backup: %w", err)
	}
	return nil
}

func (db *DB) copyTo(w io.Writer) error {
	err := db.view(func(tx *bbolt.Tx) error {
		_, err := tx.WriteTo(w)
		return err
	})
	if err != nil {
		return db.diskError("copy database", err)
	}
	return nil
}
