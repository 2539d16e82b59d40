package store_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"go.etcd.io/bbolt"

	"relay/store"
	"relay/store/storetest"
)

// saved is a populated database, closed, with a backup of it elsewhere.
type saved struct {
	options store.Options
	backup  string
	catalog *store.Catalog
}

func newSaved(t *testing.T) *saved {
	t.Helper()
	s := &saved{options: inDir(newDir(t)), backup: filepath.Join(t.TempDir(), "copy.db")}
	s.options.Now = func() time.Time { return firstDay }
	db := mustOpen(t, s.options)
	populate(t, db)
	file, err := os.Create(s.backup)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(db.Backup(file), file.Close()); err != nil {
		t.Fatal(err)
	}
	s.catalog = db.Catalog()
	write(t, db, host("later"))
	mustClose(t, db)
	return s
}

func (s *saved) database() string { return filepath.Join(s.options.Dir, "relay.db") }

func (s *saved) restore(t *testing.T) store.Restored {
	t.Helper()
	done, err := store.Restore(t.Context(), s.options, s.backup)
	if err != nil {
		t.Fatal(err)
	}
	db := mustOpen(t, s.options)
	sameCatalog(t, s.catalog, db.Catalog())
	wantValue(t, db, db.Catalog().HostKeys.ByName("key-up-3"), "secret-of-up-3-1234567890")
	mustClose(t, db)
	return done
}

func TestRestore_PutsTheBackupInPlaceAndKeepsTheFormerFile(t *testing.T) {
	s := newSaved(t)
	former, _ := os.ReadFile(s.database())
	done := s.restore(t)
	if done.Former != s.database()+".before-restore-20260501T120000Z" || done.Records != 120 || done.Generation != s.catalog.Generation {
		t.Errorf("restored %+v", done)
	}
	if kept, err := os.ReadFile(done.Former); err != nil || string(kept) != string(former) {
		t.Errorf("the former file is not kept as it was: %v", err)
	}
	entries, _ := os.ReadDir(s.options.Dir)
	if len(entries) != 3 {
		t.Errorf("left behind: %v", entries)
	}
	again, err := store.Restore(t.Context(), s.options, s.backup)
	if kept, _ := os.ReadFile(done.Former); err != nil || again.Former == done.Former || string(kept) != string(former) {
		t.Errorf("a second restore in the same second took the name of the first former file: %+v, %v", again, err)
	}
	s.restoreLater(t)
}

func (s *saved) restoreLater(t *testing.T) {
	t.Helper()
	s.options.Now = func() time.Time { return firstDay.Add(time.Hour) }
	s.restore(t)
}

func TestRestore_WorksWhateverHasBecomeOfTheDatabase(t *testing.T) {
	damage := map[string]func(s *saved) error{
		"missing":   func(s *saved) error { return os.Remove(s.database()) },
		"empty":     func(s *saved) error { return os.Truncate(s.database(), 0) },
		"cut short": func(s *saved) error { return os.Truncate(s.database(), 5000) },
		"text":      func(s *saved) error { return os.WriteFile(s.database(), []byte("not a database"), 0o600) },
		"no marker": func(s *saved) error { return os.Remove(filepath.Join(s.options.Dir, "relay.id")) },
		"all gone":  func(s *saved) error { return os.RemoveAll(s.options.Dir) },
	}
	for name, change := range damage {
		t.Run(name, func(t *testing.T) {
			s := newSaved(t)
			if err := change(s); err != nil {
				t.Fatal(err)
			}
			_, err := os.Stat(s.database())
			done := s.restore(t)
			if missing := errors.Is(err, fs.ErrNotExist); missing != (done.Former == "") {
				t.Errorf("former file %q", done.Former)
			}
			if _, err := os.Stat(filepath.Join(s.options.Dir, "relay.id")); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestRestore_RefusesWhatIsNotWholeAndChangesNothing(t *testing.T) {
	s, another := newSaved(t), newSaved(t)
	whole, err := os.ReadFile(s.backup)
	if err != nil {
		t.Fatal(err)
	}
	row := strings.Index(string(whole), `"name":"policy-up-7","displayName"`)
	flipped := append([]byte(nil), whole...)
	flipped[row+3] ^= 1
	file := func(content []byte) string {
		path := filepath.Join(t.TempDir(), "bad.db")
		if err := os.WriteFile(path, content, 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	otherKey := s.options
	otherKey.MasterKey = store.NewSecret(otherMasterKey)
	cases := map[string]struct {
		options store.Options
		path    string
		code    store.Code
		text    string
	}{
		"a flipped byte":       {s.options, file(flipped), store.CodeDamaged, "bucket policies does not match its checksum"},
		"cut short":            {s.options, file(whole[:len(whole)/2]), store.CodeDamaged, "cut short"},
		"text":                 {s.options, file([]byte("not a database")), store.CodeDamaged, "bad.db is damaged"},
		"nothing":              {s.options, file(nil), store.CodeDamaged, "the file is empty"},
		"no file":              {s.options, filepath.Join(t.TempDir(), "none"), store.CodeNotFound, "there is no file"},
		"a folder":             {s.options, t.TempDir(), store.CodeUnavailable, "copy the backup"},
		"another installation": {s.options, another.backup, store.CodeConflict, "relay.id"},
		"another master key":   {otherKey, s.backup, store.CodeWrongKey, "does not open"},
		"the database itself":  {s.options, s.database(), store.CodeConflict, "is the present database"},
	}
	before, _ := os.ReadFile(s.database())
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			_, err := store.Restore(t.Context(), c.options, c.path)
			if store.CodeOf(err) != c.code || !strings.Contains(err.Error(), c.text) || strings.Contains(err.Error(), "\n") {
				t.Errorf("code %q, error %v", store.CodeOf(err), err)
			}
			after, _ := os.ReadFile(s.database())
			if entries, _ := os.ReadDir(s.options.Dir); string(after) != string(before) || len(entries) != 2 {
				t.Errorf("something changed; the data dir holds %v", entries)
			}
		})
	}
}

func TestRestore_RefusesADatabaseThatIsInUse(t *testing.T) {
	s := newSaved(t)
	db := mustOpen(t, s.options)
	if _, err := store.Restore(t.Context(), s.options, s.backup); store.CodeOf(err) != store.CodeBusy {
		t.Errorf("got %v", err)
	}
	mustClose(t, db)
	s.restore(t)
}

// A process that waits for the lock of a file that is replaced meanwhile must
// not go on with the file that nobody finds any more.
func TestOpen_RefusesAFileThatWasReplacedWhileItWaited(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSaved(t)
		db := mustOpen(t, s.options)
		waiting := make(chan error)
		go func() {
			late, err := store.Open(s.options)
			if err == nil {
				_ = late.Close()
			}
			waiting <- err
		}()
		synctest.Wait()
		if err := os.Rename(s.backup, s.database()); err != nil {
			t.Fatal(err)
		}
		mustClose(t, db)
		if err := <-waiting; store.CodeOf(err) != store.CodeBusy || !strings.Contains(err.Error(), "replaced") {
			t.Errorf("got %v", err)
		}
	})
}

func TestExamine_NamesEveryDamagedRow(t *testing.T) {
	s := newSaved(t)
	tamper(t, s.options.Dir, func(tx *bbolt.Tx) {
		for _, bucket := range []string{"hosts", "models"} {
			key, value := tx.Bucket([]byte(bucket)).Cursor().First()
			changed := append([]byte(nil), value...)
			changed[len(changed)-1] ^= 1
			put(t, tx, bucket, string(key), changed)
		}
	})
	var faults []string
	contents, err := store.Examine(t.Context(), s.options, "", func(fault string) { faults = append(faults, fault) })
	if err != nil || len(faults) != 2 || !strings.Contains(faults[0], "bucket models") || !strings.Contains(faults[1], "bucket hosts") {
		t.Errorf("faults %q, %v", faults, err)
	}
	if contents.Records != 121 || contents.Bytes == 0 || contents.Installation == "" {
		t.Errorf("contents %+v", contents)
	}
	if contents, err = store.Examine(t.Context(), s.options, s.backup, func(fault string) { t.Error(fault) }); err != nil || contents.Records != 120 {
		t.Errorf("the backup: %+v, %v", contents, err)
	}
	if _, err := store.Examine(t.Context(), inDir(newDir(t)), "", nil); store.CodeOf(err) != store.CodeNotFound {
		t.Errorf("an empty data dir: %v", err)
	}
}

// Damage of any kind is a fault or an error, never the end of the process.
func TestExamine_NoticesWhatOpenNotices(t *testing.T) {
	c := newDamagedCopy(t)
	path := filepath.Join(c.options.Dir, "relay.db")
	for offset := 100; offset < len(c.whole); offset += len(c.whole) / 60 {
		content := append([]byte(nil), c.whole...)
		page := content[offset&^4095:][:4096]
		for i := range page {
			page[i] ^= byte(i*7 + offset)
		}
		if err := os.WriteFile(path, content, 0o600); err != nil {
			t.Fatal(err)
		}
		faults := 0
		_, err := store.Examine(t.Context(), c.options, "", func(string) { faults++ })
		db, openErr := store.Open(c.options)
		if openErr == nil {
			mustClose(t, db)
		}
		if openErr != nil && err == nil && faults == 0 {
			t.Errorf("page %d: open says %v, examine finds nothing", offset/4096, openErr)
		}
	}
}

func TestCompact_KeepsEverythingInLessRoom(t *testing.T) {
	s := newSaved(t)
	db := mustOpen(t, s.options)
	db.StartUsage(nil)
	for i := range 2000 {
		e := hourlyEvent(i)
		db.RecordUsage(0, e.At, store.AppendEvent(nil, e), 0)
	}
	flush(t, db)
	key := db.Catalog().HostKeys.ByName("key-up-3")
	sealed := rowOfSecret(t, s.options, db, key.Metadata.ID)
	if _, err := db.Write(func(e *store.Edit) error { return e.Delete(store.KindHostKey, key.Metadata.ID) }); err != nil {
		t.Fatal(err)
	}
	want, usage := db.Catalog(), events(t, db)
	mustClose(t, db)

	done, err := store.Compact(s.options)
	if err != nil || done.After >= done.Before {
		t.Fatalf("compacted %+v, %v", done, err)
	}
	content, _ := os.ReadFile(s.database())
	if int64(len(content)) != done.After || strings.Contains(string(content), string(sealed)) {
		t.Errorf("%d bytes, or the deleted value is still there", len(content))
	}
	db = mustOpen(t, s.options)
	sameCatalog(t, want, db.Catalog())
	if got := events(t, db); len(got) != len(usage) {
		t.Errorf("%d events, want %d", len(got), len(usage))
	}
	if _, err := store.Compact(s.options); store.CodeOf(err) != store.CodeBusy {
		t.Errorf("while it is open: %v", err)
	}
	mustClose(t, db)
	storetest.Check(t, s.options.Dir)
	if entries, _ := os.ReadDir(s.options.Dir); len(entries) != 2 {
		t.Errorf("left behind: %v", entries)
	}
	if _, err := store.Compact(inDir(newDir(t))); store.CodeOf(err) != store.CodeNotFound {
		t.Errorf("an empty data dir: %v", err)
	}
}

// rowOfSecret reads the sealed value of a host key from a copy of the database.
func rowOfSecret(t *testing.T, o store.Options, db *store.DB, id string) (sealed []byte) {
	t.Helper()
	b, err := db.BackupTo(t.Context(), t.TempDir(), 1)
	if err != nil {
		t.Fatal(err)
	}
	bolt, err := bbolt.Open(b.Path, 0o600, &bbolt.Options{ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	defer bolt.Close()
	_ = bolt.View(func(tx *bbolt.Tx) error {
		sealed = append(sealed, tx.Bucket([]byte("secrets")).Get([]byte("host-key\x00"+id+"\x00value"))...)
		return nil
	})
	if len(sealed) == 0 {
		t.Fatal("no sealed value")
	}
	return sealed
}
