package store_test

import (
	"path/filepath"
	"slices"
	"testing"

	"go.etcd.io/bbolt"

	"relay/store"
)

// makeOlder takes from a database what the first schema did not have.
func makeOlder(t *testing.T, dir string) {
	t.Helper()
	tamper(t, dir, func(tx *bbolt.Tx) {
		for _, name := range []string{"users", "groups", "roles", "role-bindings", "admin-tokens", "settings", "sessions", "revoked", "audit", "tombstones"} {
			if err := tx.DeleteBucket([]byte(name)); err != nil {
				t.Fatal(err)
			}
		}
		// A frame of the text "1": CRC-32C over "meta\x00schema1".
		put(t, tx, "meta", "schema", []byte{1, 0xd7, 0xc7, 0x83, 0xc8, '1'})
	})
}

func TestOpen_UpgradesAnOlderSchemaAfterABackup(t *testing.T) {
	o := inDir(newDir(t))
	db := mustOpen(t, o)
	populate(t, db)
	before := db.Catalog()
	mustClose(t, db)
	makeOlder(t, o.Dir)

	contents, err := store.Examine(t.Context(), o, "", func(fault string) { t.Errorf("examined before: %s", fault) })
	if err != nil || contents.Generation != before.Generation {
		t.Errorf("examined before: %+v, %v", contents, err)
	}
	db = mustOpen(t, o)
	if after := db.Catalog(); after.Generation != before.Generation || after.Hosts.Len() != before.Hosts.Len() {
		t.Errorf("generation %d, %d hosts", after.Generation, after.Hosts.Len())
	}
	write(t, db, &store.User{Metadata: store.Metadata{Name: "maria"}})
	mustClose(t, db)
	backups, err := store.Backups(filepath.Join(o.Dir, "backups"))
	if err != nil || len(backups) != 1 {
		t.Fatalf("backups %v, %v", backups, err)
	}
	mustClose(t, mustOpen(t, o)) // once is enough
	if again, _ := store.Backups(filepath.Join(o.Dir, "backups")); !slices.Equal(again, backups) {
		t.Errorf("another backup: %v", again)
	}

	if _, err := store.Restore(t.Context(), o, backups[0].Path); err != nil {
		t.Fatal(err)
	}
	db = mustOpen(t, o)
	if db.Catalog().Users.Len() != 0 || db.Catalog().Hosts.Len() != before.Hosts.Len() {
		t.Error("the restored backup is not the former database")
	}
	mustClose(t, db)
}

func TestOpen_UpgradesASchemaWithoutTombstones(t *testing.T) {
	o := inDir(newDir(t))
	db := mustOpen(t, o)
	write(t, db, sourced("a", fileOrigin("1")))
	mustClose(t, db)
	tamper(t, o.Dir, func(tx *bbolt.Tx) {
		if err := tx.DeleteBucket([]byte("tombstones")); err != nil {
			t.Fatal(err)
		}
		// A frame of the text "2": CRC-32C over "meta\x00schema2".
		put(t, tx, "meta", "schema", []byte{1, 0xc4, 0x97, 0x70, 0x3c, '2'})
	})
	if _, err := store.Examine(t.Context(), o, "", func(fault string) { t.Errorf("examined before: %s", fault) }); err != nil {
		t.Error(err)
	}
	db = mustOpen(t, o)
	drop(t, db, db.Catalog().RateLimits.ByName("a"))
	mustClose(t, db)
	wantGraves(t, mustOpen(t, o), "rate-limit a file 1")
}
