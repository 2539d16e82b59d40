package store

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"go.etcd.io/bbolt"
)

// copyPattern names temporary copies. Open removes those of a process that died.
const copyPattern = "backup-*.tmp"

// Copy is a consistent copy of the database in a temporary file, which goes
// with Close. It is for one goroutine.
type Copy struct {
	file *os.File
	size int64
}

// Copy copies the database as it is now into a temporary file in the data dir;
// writes go on meanwhile. The copy holds no master key, and without the one of
// this database its secrets do not open.
func (db *DB) Copy() (*Copy, error) {
	file, err := os.CreateTemp(db.options.Dir, copyPattern)
	if err != nil {
		return nil, db.diskError("make temporary file for the backup", err)
	}
	c := &Copy{file: file}
	if err := db.fill(c); err != nil {
		_ = c.Close()
		return nil, err
	}
	// Where an open file can lose its name, nothing is left of it even when the
	// process ends here.
	_ = os.Remove(file.Name())
	return c, nil
}

func (db *DB) fill(c *Copy) (err error) {
	if err := db.copyTo(c.file); err != nil {
		return err
	}
	if c.size, err = c.file.Seek(0, io.SeekCurrent); err == nil {
		_, err = c.file.Seek(0, io.SeekStart)
	}
	if err != nil {
		return db.diskError("read temporary file of the backup", err)
	}
	return nil
}

// Size returns the bytes of the whole copy.
func (c *Copy) Size() int64 { return c.size }

// Read reads on in the copy.
func (c *Copy) Read(b []byte) (int, error) { return c.file.Read(b) }

// Close removes the copy.
func (c *Copy) Close() error {
	err, gone := c.file.Close(), os.Remove(c.file.Name())
	if errors.Is(gone, fs.ErrNotExist) {
		gone = nil
	}
	return errors.Join(err, gone)
}

// Backup writes a consistent copy of the database as it is now. The copy goes
// to a temporary file first, so that a slow w keeps no transaction open. The
// error of w is returned as it is.
func (db *DB) Backup(w io.Writer) error {
	c, err := db.Copy()
	if err != nil {
		return err
	}
	defer c.Close()
	if _, err := io.Copy(w, c); err != nil {
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
