package store_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"go.etcd.io/bbolt"

	"relay/store"
)

func fileOrigin(hash string) store.Origin {
	return store.Origin{Kind: store.OriginFile, Source: "config_dir", Hash: hash}
}

func catalogOrigin(hash string) store.Origin {
	return store.Origin{Kind: store.OriginCatalog, Source: "embedded", Hash: hash}
}

// sourced is a rate limit that a source has written.
func sourced(name string, origin store.Origin) *store.RateLimit {
	rec := rateLimit(name)
	rec.Metadata.Origin = &origin
	return rec
}

func drop(t *testing.T, db *store.DB, rec store.AnyRecord) {
	t.Helper()
	if _, err := db.Write(func(e *store.Edit) error { return e.Delete(rec.Kind(), rec.Meta().ID) }); err != nil {
		t.Fatal(err)
	}
}

// graves lists the tombstones as kind, name, source and hash.
func graves(c *store.Catalog) []string {
	var found []string
	for g := range c.Tombstones() {
		found = append(found, strings.Join([]string{string(g.Kind), g.Name, g.Origin.Kind, g.Origin.Hash}, " "))
	}
	return found
}

func wantGraves(t *testing.T, db *store.DB, want ...string) {
	t.Helper()
	if got := graves(db.Catalog()); !slices.Equal(got, want) {
		t.Errorf("tombstones %q, want %q", got, want)
	}
}

func TestDelete_LeavesATombstoneOfWhatASourceHasWritten(t *testing.T) {
	o := inDir(newDir(t))
	db := mustOpen(t, o)
	write(t, db, sourced("a", fileOrigin("1")), sourced("b", catalogOrigin("2")), rateLimit("by-hand"))
	for _, name := range []string{"a", "b", "by-hand"} {
		drop(t, db, db.Catalog().RateLimits.ByName(name))
	}
	want := []string{"rate-limit a file 1", "rate-limit b catalog 2"}
	wantGraves(t, db, want...)
	copied := filepath.Join(t.TempDir(), "copy.db")
	backUp(t, db, copied)
	mustClose(t, db)

	if _, err := store.Compact(o); err != nil {
		t.Fatal(err)
	}
	db = mustOpen(t, o)
	wantGraves(t, db, want...)
	if err := db.Verify(func(fault string) { t.Error(fault) }); err != nil {
		t.Fatal(err)
	}
	write(t, db, sourced("a", fileOrigin("3")))
	wantGraves(t, db, "rate-limit b catalog 2")
	mustClose(t, db)

	if _, err := store.Restore(t.Context(), o, copied); err != nil {
		t.Fatal(err)
	}
	wantGraves(t, mustOpen(t, o), want...)
}

func backUp(t *testing.T, db *store.DB, path string) {
	t.Helper()
	var text strings.Builder
	if err := db.Backup(&text); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text.String()), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestPut_LeavesATombstoneOfWhatIsRenamedOrTakenOver(t *testing.T) {
	db := mustOpen(t, inDir(newDir(t)))
	rec := sourced("a", catalogOrigin("1"))
	write(t, db, rec)
	rec.Metadata.Name = "b"
	write(t, db, rec)
	wantGraves(t, db, "rate-limit a catalog 1")
	taken := fileOrigin("2")
	rec.Metadata.Origin = &taken
	write(t, db, rec)
	wantGraves(t, db, "rate-limit a catalog 1", "rate-limit b catalog 1")
	again := catalogOrigin("3")
	rec.Metadata.Origin = &again
	write(t, db, rec)
	wantGraves(t, db, "rate-limit a catalog 1", "rate-limit b file 2")
}

func TestForget_IsAChangeOfItsOwn(t *testing.T) {
	o := inDir(newDir(t))
	db := mustOpen(t, o)
	write(t, db, sourced("a", fileOrigin("1")))
	drop(t, db, db.Catalog().RateLimits.ByName("a"))
	before := db.Catalog().Generation
	forget := func() {
		t.Helper()
		_, err := db.Write(func(e *store.Edit) error {
			e.Forget(store.Tombstone{Kind: store.KindRateLimit, Name: "A", Origin: fileOrigin("")})
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	forget()
	wantGraves(t, db)
	after := db.Catalog().Generation
	if forget(); after != before+1 || db.Catalog().Generation != after {
		t.Errorf("generations %d, %d, %d", before, after, db.Catalog().Generation)
	}
	mustClose(t, db)
	wantGraves(t, mustOpen(t, o))
}

func TestTombstones_OfAnEditThatFailsOrUndoesItselfAreNone(t *testing.T) {
	db := mustOpen(t, inDir(newDir(t)))
	write(t, db, sourced("a", fileOrigin("1")))
	generation := db.Catalog().Generation
	_, err := db.Write(func(e *store.Edit) error {
		rec := sourced("new", fileOrigin("1"))
		if err := e.Put(rec); err != nil {
			return err
		}
		return e.Delete(store.KindRateLimit, rec.Metadata.ID)
	})
	if err != nil || db.Catalog().Generation != generation {
		t.Errorf("made and deleted: %v, generation %d, want %d", err, db.Catalog().Generation, generation)
	}
	_, err = db.Write(func(e *store.Edit) error {
		if err := e.Delete(store.KindRateLimit, e.Catalog().RateLimits.ByName("a").Metadata.ID); err != nil {
			return err
		}
		return &store.Error{Code: store.CodeInvalid, Message: "no"}
	})
	if err == nil || db.Catalog().RateLimits.ByName("a") == nil {
		t.Errorf("a failed edit: %v", err)
	}
	wantGraves(t, db)
}

func TestOpen_MissesATombstoneThatIsGoneOrChanged(t *testing.T) {
	key := []byte("rate-limit\x00a\x00file\x00config_dir")
	for name, damage := range map[string]func(b *bbolt.Bucket) error{
		"gone":    func(b *bbolt.Bucket) error { return b.Delete(key) },
		"changed": func(b *bbolt.Bucket) error { return b.Put(key, append(slices.Clone(b.Get(key)), ' ')) },
	} {
		o := inDir(newDir(t))
		db := mustOpen(t, o)
		write(t, db, sourced("a", fileOrigin("1")))
		drop(t, db, db.Catalog().RateLimits.ByName("a"))
		mustClose(t, db)
		tamper(t, o.Dir, func(tx *bbolt.Tx) {
			if err := damage(tx.Bucket([]byte("tombstones"))); err != nil {
				t.Fatal(err)
			}
		})
		faults := 0
		if _, err := store.Examine(t.Context(), o, "", func(string) { faults++ }); err != nil {
			t.Fatal(err)
		}
		if faults == 0 {
			t.Errorf("%s: the check finds nothing", name)
		}
		wantRefusal(t, o, store.CodeDamaged)
	}
}

func TestRule_IsOneForAllSources(t *testing.T) {
	db := mustOpen(t, inDir(newDir(t)))
	write(t, db, sourced("of-file", fileOrigin("1")), sourced("shipped", catalogOrigin("1")), rateLimit("by-hand"), sourced("deleted", fileOrigin("1")), sourced("unshipped", catalogOrigin("1")))
	drop(t, db, db.Catalog().RateLimits.ByName("deleted"))
	drop(t, db, db.Catalog().RateLimits.ByName("unshipped"))
	for _, test := range []struct {
		name   string
		origin store.Origin
		edited bool
		force  bool
		want   store.Ruling
	}{
		{"of-file", fileOrigin("1"), true, false, store.RuleDrift},
		{"of-file", fileOrigin("2"), true, false, store.RuleWrite},
		{"of-file", fileOrigin("2"), false, false, store.RuleWrite},
		{"of-file", fileOrigin("1"), true, true, store.RuleWrite},
		{"of-file", catalogOrigin("2"), false, false, store.RuleDrift},
		{"shipped", catalogOrigin("2"), false, false, store.RuleWrite},
		{"shipped", catalogOrigin("2"), true, false, store.RuleDrift},
		{"shipped", catalogOrigin("1"), true, false, store.RuleDrift},
		{"shipped", fileOrigin("9"), false, false, store.RuleWrite},
		{"by-hand", fileOrigin("9"), true, false, store.RuleWrite},
		{"by-hand", catalogOrigin("9"), false, false, store.RuleDrift},
		{"deleted", fileOrigin("1"), false, false, store.RuleGone},
		{"Deleted", fileOrigin("1"), false, false, store.RuleGone},
		{"deleted", fileOrigin("2"), false, false, store.RuleCreate},
		{"deleted", fileOrigin("1"), false, true, store.RuleCreate},
		{"deleted", catalogOrigin("1"), false, false, store.RuleCreate},
		{"unshipped", catalogOrigin("1"), false, false, store.RuleGone},
		{"unshipped", catalogOrigin("2"), false, false, store.RuleCreate},
		{"unheard-of", catalogOrigin("1"), false, false, store.RuleCreate},
	} {
		text := store.SourceText{Kind: store.KindRateLimit, Name: test.name, Origin: test.origin, Edited: test.edited, Force: test.force}
		if rec := db.Catalog().RateLimits.ByName(test.name); rec != nil {
			text.Stored = rec
		}
		if got := db.Catalog().Rule(text); got != test.want {
			t.Errorf("%+v: %d", test, got)
		}
	}
}
