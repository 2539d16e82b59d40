package store_test

import (
	"encoding/base64"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"
	"github.com/rs/zerolog"
	"go.etcd.io/bbolt"

	"relay/store"
	"relay/store/storetest"
)

// inDir returns options for a data dir that a test opens more than once.
func inDir(dir string) store.Options {
	return store.Options{Dir: dir, MasterKey: store.NewSecret(storetest.MasterKey)}
}

func newDir(t *testing.T) string { return filepath.Join(t.TempDir(), "data") }

func mustOpen(t *testing.T, o store.Options) *store.DB {
	t.Helper()
	db, err := store.Open(o)
	if err != nil {
		t.Fatalf("open: %v", err)
	}
	t.Cleanup(func() { _ = db.Close() })
	return db
}

func mustClose(t *testing.T, db *store.DB) {
	t.Helper()
	if err := db.Close(); err != nil {
		t.Fatalf("close: %v", err)
	}
}

// wantRefusal opens and expects a one-line error of the code with the texts.
func wantRefusal(t *testing.T, o store.Options, code store.Code, texts ...string) {
	t.Helper()
	db, err := store.Open(o)
	if err == nil {
		_ = db.Close()
		t.Fatal("opened")
	}
	if store.CodeOf(err) != code {
		t.Fatalf("code %q, want %q: %v", store.CodeOf(err), code, err)
	}
	for _, text := range append(texts, "") {
		if !strings.Contains(err.Error(), text) || strings.Contains(err.Error(), "\n") {
			t.Fatalf("error %q: want one line with %q", err, text)
		}
	}
}

func TestOpen_MakesAPrivateDataDir(t *testing.T) {
	dir := newDir(t)
	db := mustOpen(t, store.Options{Dir: dir})
	if !db.FirstBoot() || db.Dir() != dir || db.Catalog().Generation != 0 {
		t.Error("a new database is not at its first boot")
	}
	modes := map[string]os.FileMode{
		".": 0o700, "relay.db": 0o600, "relay.id": 0o600, "master.key": 0o600,
	}
	for name, want := range modes {
		stat, err := os.Stat(filepath.Join(dir, name))
		if err != nil || stat.Mode().Perm() != want {
			t.Errorf("%s: mode %v, %v; want %v", name, stat.Mode(), err, want)
		}
	}
	entries, _ := os.ReadDir(dir)
	if len(entries) != len(modes)-1 {
		t.Errorf("left behind: %v", entries)
	}
	marker, _ := os.ReadFile(filepath.Join(dir, "relay.id"))
	if string(marker) != db.InstallationID()+"\n" {
		t.Errorf("marker %q", marker)
	}
}

func TestOpen_KeepsEverythingOverARestart(t *testing.T) {
	o := inDir(newDir(t))
	db := mustOpen(t, o)
	populate(t, db)
	before, id := db.Catalog(), db.InstallationID()
	mustClose(t, db)

	db = mustOpen(t, o)
	if db.FirstBoot() || db.InstallationID() != id {
		t.Error("a restart looks like a first boot")
	}
	sameCatalog(t, before, db.Catalog())
	mustClose(t, db)
	storetest.Check(t, o.Dir)
}

func TestOpen_IsAtFirstBootUntilSomethingIsWritten(t *testing.T) {
	o := inDir(newDir(t))
	mustClose(t, mustOpen(t, o))
	if db := mustOpen(t, o); !db.FirstBoot() {
		t.Error("an empty database is not at its first boot")
	}
}

func TestOpen_RefusesADatabaseThatIsInUse(t *testing.T) {
	synctest.Test(t, func(t *testing.T) { // its clock passes over the time-out
		o := inDir(newDir(t))
		db := mustOpen(t, o)
		wantRefusal(t, o, store.CodeBusy, o.Dir, "most likely by")
		mustClose(t, db)
		mustClose(t, mustOpen(t, o))
	})
}

func TestOpen_OfANewDataDirByTwoAtOnceMakesOneDatabase(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := store.Options{Dir: newDir(t)}
		type outcome struct {
			db  *store.DB
			err error
		}
		outcomes := make(chan outcome)
		for range 2 {
			go func() {
				db, err := store.Open(o)
				outcomes <- outcome{db, err}
			}()
		}
		a, b := <-outcomes, <-outcomes
		if a.err != nil {
			a, b = b, a
		}
		if a.err != nil || store.CodeOf(b.err) != store.CodeBusy {
			t.Fatalf("errors %v and %v", a.err, b.err)
		}
		mustClose(t, a.db)
		mustClose(t, mustOpen(t, o))
		if entries, _ := os.ReadDir(o.Dir); len(entries) != 3 {
			t.Errorf("left behind: %v", entries)
		}
	})
}

func TestOpen_WarnsOfADataDirOpenToOthers(t *testing.T) {
	var log strings.Builder
	o := inDir(t.TempDir())
	if err := os.Chmod(o.Dir, 0o755); err != nil {
		t.Fatal(err)
	}
	o.Log = zerolog.New(&log)
	mustClose(t, mustOpen(t, o))
	if !strings.Contains(log.String(), "chmod 700") {
		t.Errorf("log %q", log.String())
	}
}

func TestOpen_RefusesAMissingOrEmptyDatabaseBesideItsMarker(t *testing.T) {
	o := inDir(newDir(t))
	mustClose(t, mustOpen(t, o))
	path := filepath.Join(o.Dir, "relay.db")

	if err := os.Truncate(path, 0); err != nil {
		t.Fatal(err)
	}
	wantRefusal(t, o, store.CodeDamaged, path, "is empty", "relay restore", "remove")
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	wantRefusal(t, o, store.CodeDamaged, path, "is missing", "relay restore", "relay.id")

	if err := os.Remove(filepath.Join(o.Dir, "relay.id")); err != nil {
		t.Fatal(err)
	}
	if db := mustOpen(t, o); !db.FirstBoot() {
		t.Error("not started anew after the marker was removed on purpose")
	}
}

func TestOpen_RefusesAnotherInstallationsDatabase(t *testing.T) {
	o, other := inDir(newDir(t)), inDir(newDir(t))
	mustClose(t, mustOpen(t, o))
	mustClose(t, mustOpen(t, other))
	if err := os.Rename(filepath.Join(other.Dir, "relay.db"), filepath.Join(o.Dir, "relay.db")); err != nil {
		t.Fatal(err)
	}
	wantRefusal(t, o, store.CodeDamaged, "relay.db", "relay.id")
}

func TestOpen_WritesALostMarkerAgain(t *testing.T) {
	o := inDir(newDir(t))
	mustClose(t, mustOpen(t, o))
	marker := filepath.Join(o.Dir, "relay.id")
	if err := os.Remove(marker); err != nil {
		t.Fatal(err)
	}
	mustClose(t, mustOpen(t, o))
	if _, err := os.Stat(marker); err != nil {
		t.Error(err)
	}
}

func TestOpen_RefusesANewerSchemaAndLeavesTheFileAlone(t *testing.T) {
	o := inDir(newDir(t))
	mustClose(t, mustOpen(t, o))
	path := filepath.Join(o.Dir, "relay.db")
	tamper(t, o.Dir, func(tx *bbolt.Tx) {
		// A frame of the text "4": CRC-32C over "meta\x00schema4".
		put(t, tx, "meta", "schema", []byte{1, 0xe2, 0x36, 0x97, 0xd4, '4'})
	})
	before, _ := os.ReadFile(path)
	wantRefusal(t, o, store.CodeDamaged, path, "newer version", "schema 4")
	after, _ := os.ReadFile(path)
	if string(before) != string(after) {
		t.Error("the file has changed")
	}
}

func TestOpen_RefusesAFileThatIsNoDatabase(t *testing.T) {
	o := inDir(newDir(t))
	mustClose(t, mustOpen(t, o))
	path := filepath.Join(o.Dir, "relay.db")
	if err := os.WriteFile(path, []byte(strings.Repeat("not a database\n", 1000)), 0o600); err != nil {
		t.Fatal(err)
	}
	wantRefusal(t, o, store.CodeDamaged, path)

	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	foreign, err := bbolt.Open(path, 0o600, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := foreign.Close(); err != nil {
		t.Fatal(err)
	}
	wantRefusal(t, o, store.CodeDamaged, path, "not a database of Relay")
}

func TestOpen_RefusesATruncatedFile(t *testing.T) {
	o := inDir(newDir(t))
	db := mustOpen(t, o)
	populate(t, db)
	mustClose(t, db)
	path := filepath.Join(o.Dir, "relay.db")
	whole := usedBytes(t, path)
	for _, size := range []int{1, 100, 4096, 8192, 3 * 4096, len(whole) / 2, len(whole) - 4096} {
		if err := os.WriteFile(path, whole[:size], 0o600); err != nil {
			t.Fatal(err)
		}
		wantRefusal(t, o, store.CodeDamaged, path)
	}
	if err := os.WriteFile(path, whole, 0o600); err != nil {
		t.Fatal(err)
	}
	mustClose(t, mustOpen(t, o))
}

func TestOpen_TakesMasterKeysInEveryForm(t *testing.T) {
	raw := make([]byte, 32)
	for i := range raw {
		raw[i] = byte(255 - i) // holds characters that the alphabets differ in
	}
	forms := []string{
		base64.StdEncoding.EncodeToString(raw), base64.RawStdEncoding.EncodeToString(raw),
		base64.URLEncoding.EncodeToString(raw), base64.RawURLEncoding.EncodeToString(raw),
	}
	dir := newDir(t)
	for _, form := range forms {
		for _, end := range []string{"", "\n", "\r\n"} {
			db := mustOpen(t, store.Options{Dir: dir, MasterKey: store.NewSecret(form + end)})
			mustClose(t, db)
		}
	}
	file := filepath.Join(t.TempDir(), "key")
	if err := os.WriteFile(file, []byte(forms[0]+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	mustClose(t, mustOpen(t, store.Options{Dir: dir, MasterKeyFile: file}))
}

const otherMasterKey = "/wECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="

func TestOpen_RefusesTheWrongMasterKey(t *testing.T) {
	given := func(key string) func(*store.Options) {
		return func(o *store.Options) { o.MasterKey = store.NewSecret(key) }
	}
	inFile := func(content string, mode os.FileMode) func(*store.Options) {
		return func(o *store.Options) {
			o.MasterKey, o.MasterKeyFile = store.Secret{}, filepath.Join(t.TempDir(), "key")
			if err := os.WriteFile(o.MasterKeyFile, []byte(content), mode); err != nil {
				t.Fatal(err)
			}
		}
	}
	const needed, other = "630dcd29", "297e3971"
	cases := map[string]struct {
		change func(*store.Options)
		texts  []string
	}{
		"another key given":      {given(otherMasterKey), []string{"master key id " + other, "(needs " + needed + ")"}},
		"another key in a file":  {inFile(otherMasterKey+"\n", 0o600), []string{"master key id " + other, "(needs " + needed + ")"}},
		"no file":                {func(o *store.Options) { o.MasterKey = store.Secret{} }, []string{"master.key", needed, "RELAY_MASTER_KEY"}},
		"a truncated key given":  {given(storetest.MasterKey[:40]), []string{"32 bytes", needed}},
		"a truncated file":       {inFile(storetest.MasterKey[:20], 0o600), []string{"32 bytes", needed}},
		"an empty file":          {inFile("", 0o600), []string{"32 bytes", needed}},
		"a file others can read": {inFile(storetest.MasterKey, 0o640), []string{"chmod 600", "0640"}},
	}
	dir := newDir(t)
	mustClose(t, mustOpen(t, inDir(dir)))
	before, _ := os.ReadFile(filepath.Join(dir, "relay.db"))
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			o := inDir(dir)
			c.change(&o)
			wantRefusal(t, o, store.CodeWrongKey, c.texts...)
		})
	}
	after, _ := os.ReadFile(filepath.Join(dir, "relay.db"))
	entries, _ := os.ReadDir(dir)
	if string(before) != string(after) || len(entries) != 2 {
		t.Errorf("something was written; the data dir holds %v", entries)
	}
}

func TestOpen_MakesNoDatabaseUnderAnUnusableKey(t *testing.T) {
	o := inDir(newDir(t))
	o.MasterKey = store.NewSecret("short")
	wantRefusal(t, o, store.CodeWrongKey, "32 bytes")
	if entries, _ := os.ReadDir(o.Dir); len(entries) != 0 {
		t.Errorf("the data dir holds %v", entries)
	}
}

// sameCatalog compares every record, and the generations of records.
func sameCatalog(t *testing.T, want, got *store.Catalog) {
	t.Helper()
	if want.Generation != got.Generation {
		t.Errorf("generation %d, want %d", got.Generation, want.Generation)
	}
	for _, kind := range store.Kinds() {
		if diff := cmp.Diff(recordsOf(want, kind), recordsOf(got, kind), cmp.AllowUnexported(store.Secret{})); diff != "" {
			t.Errorf("%s differ: %s", kind, diff)
		}
	}
}

func recordsOf(c *store.Catalog, kind store.Kind) (all []store.AnyRecord) {
	for rec := range c.Of(kind).Each() {
		all = append(all, rec)
	}
	return all
}

// tamper changes the file of a closed database behind the store's back.
func tamper(t *testing.T, dir string, change func(tx *bbolt.Tx)) {
	t.Helper()
	bolt, err := bbolt.Open(filepath.Join(dir, "relay.db"), 0o600, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer bolt.Close()
	if err := bolt.Update(func(tx *bbolt.Tx) error { change(tx); return nil }); err != nil {
		t.Fatal(err)
	}
}

func put(t *testing.T, tx *bbolt.Tx, bucket, key string, value []byte) {
	t.Helper()
	if err := tx.Bucket([]byte(bucket)).Put([]byte(key), value); err != nil {
		t.Fatal(err)
	}
}

// usedBytes returns the file without the room it has to grow.
func usedBytes(t *testing.T, path string) []byte {
	t.Helper()
	bolt, err := bbolt.Open(path, 0o600, &bbolt.Options{ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	size := int64(0)
	_ = bolt.View(func(tx *bbolt.Tx) error { size = tx.Size(); return nil })
	_ = bolt.Close()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return content[:size]
}
