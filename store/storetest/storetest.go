// Package storetest gives tests a real database in a temporary data dir.
package storetest

import (
	"path/filepath"
	"testing"
	"time"

	"go.etcd.io/bbolt"

	"relay/store"
)

// MasterKey is the master key of the databases that Open makes.
const MasterKey = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="

// Open opens a new database in a temporary data dir, changed by the options. At
// the end of the test it is closed, and its file checked for consistency.
func Open(tb testing.TB, options ...func(*store.Options)) *store.DB {
	tb.Helper()
	o := store.Options{
		Dir:       filepath.Join(tb.TempDir(), "data"),
		MasterKey: store.NewSecret(MasterKey),
	}
	for _, option := range options {
		option(&o)
	}
	db, err := store.Open(o)
	if err != nil {
		tb.Fatalf("open database: %v", err)
	}
	tb.Cleanup(func() {
		if err := db.Close(); err != nil {
			tb.Errorf("close database: %v", err)
		}
		Check(tb, o.Dir)
	})
	return db
}

// Delete deletes records as a person does.
func Delete(tb testing.TB, db *store.DB, recs ...store.AnyRecord) {
	tb.Helper()
	_, err := db.Write(func(e *store.Edit) error {
		for _, rec := range recs {
			if err := e.Delete(rec.Kind(), rec.Meta().ID); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		tb.Fatal(err)
	}
}

// Check fails the test when the closed database of a data dir is inconsistent:
// a page that is used twice or not at all, keys out of order.
func Check(tb testing.TB, dir string) {
	tb.Helper()
	path := filepath.Join(dir, "relay.db")
	db, err := bbolt.Open(path, 0o600, &bbolt.Options{ReadOnly: true, Timeout: time.Second})
	if err != nil {
		tb.Errorf("open %s to check it: %v", path, err)
		return
	}
	defer db.Close()
	_ = db.View(func(tx *bbolt.Tx) error {
		for err := range tx.Check() {
			tb.Errorf("%s: %v", path, err)
		}
		return nil
	})
}
