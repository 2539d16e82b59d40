package store

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"go.etcd.io/bbolt"
)

// load reads the catalog after everything that speaks against doing so.
func (db *DB) load() error {
	m, err := db.identify()
	if err != nil {
		return err
	}
	if err := db.upgrade(m.schema); err != nil {
		return err
	}
	if err := db.loadCatalog(m); err != nil {
		return err
	}
	if err := errors.Join(db.resumeAudit(), db.loadRevoked()); err != nil {
		return db.damaged(err)
	}
	db.usage.resume(m.usage)
	db.unclean = m.usage.uncleanStop()
	db.reportStop()
	return db.mark()
}

// identify reads what the database says about itself, and tries the master key.
func (db *DB) identify() (m meta, err error) {
	err = db.view(func(tx *bbolt.Tx) (err error) {
		if err := db.checkLength(tx); err != nil {
			return err
		}
		if err := db.checkSchema(tx); err != nil {
			return err
		}
		m, err = readMeta(tx)
		return err
	})
	if err != nil {
		return m, db.damaged(err)
	}
	if err := db.checkMarker(m.installation); err != nil {
		return m, err
	}
	return m, db.findKey(m)
}

// checkLength finds a file cut short before a page behind its end is touched.
func (db *DB) checkLength(tx *bbolt.Tx) error {
	stat, err := db.file.Stat()
	if err != nil {
		return err
	}
	if stat.Size() < tx.Size() {
		return fmt.Errorf("it is cut short: %d of %d bytes", stat.Size(), tx.Size())
	}
	return nil
}

// checkMarker refuses the database of another installation than that of the
// data dir.
func (db *DB) checkMarker(installation string) error {
	marker, err := os.ReadFile(db.marker())
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return db.diskError("read marker", err)
	}
	found := string(bytes.TrimSpace(marker))
	if found == installation {
		return nil
	}
	refusal := &Error{
		Code: CodeDamaged,
		Message: fmt.Sprintf("%s is of installation %s, but %s names %s: put the right database back, or remove %s to take this one on purpose",
			db.called(), installation, db.marker(), strings.ToValidUTF8(found, "?"), db.marker()),
	}
	if db.backup.name != "" {
		refusal.Code = CodeConflict
		refusal.Message = fmt.Sprintf("%s is of installation %s, and the data dir %s of another: name another data dir, or remove %s to take this one on purpose",
			db.called(), installation, db.options.Dir, db.marker())
	}
	return refusal
}

// findKey finds the master key and tries it.
func (db *DB) findKey(m meta) error {
	if db.backup == (backupFile{}) {
		if err := db.settleRotation(m.keyCheck); err != nil {
			return db.diskError("put the new master key into "+db.options.MasterKeyFile, err)
		}
	}
	key, err := masterKeyFor(db.options, m.keyCheck)
	if err == nil {
		_, err = key.open(keyCheckPlace(m.installation), m.keyCheck)
	}
	var wrong *Error
	if errors.As(err, &wrong) {
		return wrong
	}
	if err != nil {
		return db.damaged(fmt.Errorf("its key check: %w", err))
	}
	db.key.Store(key)
	db.installation = m.installation
	return nil
}

func (db *DB) loadCatalog(m meta) error {
	err := db.view(func(tx *bbolt.Tx) error {
		c, err := loadCatalog(tx, m.catalog)
		db.catalog.Store(c)
		return err
	})
	if err != nil {
		return db.damaged(err)
	}
	db.state = m.catalog
	db.firstBoot = m.catalog.Generation == 0
	return nil
}

// mark writes the marker when a power cut, or someone, has taken it.
func (db *DB) mark() error {
	if size, err := fileSize(db.marker()); err == nil && size >= 0 {
		return nil
	}
	err := makeNew(db.marker(), []byte(db.installation+"\n"))
	if err != nil && !errors.Is(err, fs.ErrExist) {
		return db.diskError("write marker "+db.marker(), err)
	}
	return nil
}
