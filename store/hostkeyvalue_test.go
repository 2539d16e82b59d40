package store_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.etcd.io/bbolt"

	"relay/store"
	"relay/store/storetest"
)

const canary = "sk-canary-0123456789abcdef-tail"

// rawBytes returns the whole file of an open database, free pages included.
func rawBytes(t *testing.T, dir string) string {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(dir, "relay.db"))
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

func wantValue(t *testing.T, db *store.DB, k *store.HostKey, want string) {
	t.Helper()
	value, err := db.HostKeyValue(k)
	if err != nil || value.Reveal() != want {
		t.Errorf("value %q, %v; want %q", value.Reveal(), err, want)
	}
}

func wantValueError(t *testing.T, db *store.DB, k *store.HostKey, texts ...string) {
	t.Helper()
	value, err := db.HostKeyValue(k)
	if err == nil {
		t.Fatalf("value %q, want an error", value.Reveal())
	}
	for _, text := range append(texts, k.Metadata.Name) {
		if !strings.Contains(err.Error(), text) {
			t.Errorf("error %q lacks %q", err, text)
		}
	}
}

func TestHostKeyValue_StoredIsNeverOnDiskInClear(t *testing.T) {
	o := inDir(newDir(t))
	db := mustOpen(t, o)
	rec := storedKey("k", "a", canary)
	c := write(t, db, host("a"), rec)
	if strings.Contains(rawBytes(t, o.Dir), canary) {
		t.Error("the value is in the file")
	}
	k := c.HostKeys.ByName("k")
	if k.Spec.ValueHint != "sk-…tail" || k.Spec.ValueHash != "53ae4b4fe3a6" || !k.Spec.Value.IsZero() || !rec.Spec.Value.IsZero() {
		t.Errorf("spec %+v", k.Spec)
	}
	wantValue(t, db, k, canary)
	mustClose(t, db)
	db = mustOpen(t, o)
	wantValue(t, db, db.Catalog().HostKeys.ByName("k"), canary)
	wantValue(t, db, db.Catalog().HostKeys.ByName("k"), canary)
}

func TestPut_HostKeyWithoutValueKeepsTheFormerOne(t *testing.T) {
	o := inDir(newDir(t))
	db := mustOpen(t, o)
	former := clone(write(t, db, host("a"), storedKey("k", "a", canary)).HostKeys.ByName("k"))
	edited := clone(former)
	edited.Metadata.DisplayName, edited.Spec.ValueHash, edited.Spec.ValueHint = "Changed", "ffffffffffff", "forged"
	k := write(t, db, edited).HostKeys.ByName("k")
	if k.Spec.ValueHash != former.Spec.ValueHash || k.Spec.ValueHint != former.Spec.ValueHint {
		t.Errorf("spec %+v", k.Spec)
	}
	mustClose(t, db)
	db = mustOpen(t, o)
	wantValue(t, db, k, canary)
}

func TestPut_HostKeyRotates(t *testing.T) {
	db := storetest.Open(t)
	former := write(t, db, host("a"), storedKey("k", "a", canary)).HostKeys.ByName("k")
	next := clone(former)
	next.Spec.Value = store.NewSecret("short-value")
	db.SetCompiler(func(c *store.Catalog) (func(), []store.Problem) {
		if k := c.HostKeys.ByName("k"); k != nil && k != former {
			wantValue(t, db, k, "short-value") // before it is written
		}
		return nil, nil
	})
	k := write(t, db, next).HostKeys.ByName("k")
	if k.Spec.ValueHint != "" || k.Spec.ValueHash == former.Spec.ValueHash {
		t.Errorf("spec %+v", k.Spec)
	}
	wantValue(t, db, k, "short-value")
	wantValue(t, db, former, "short-value") // a request that began before the change

	if _, err := db.Write(func(e *store.Edit) error { return e.Delete(store.KindHostKey, k.Metadata.ID) }); err != nil {
		t.Fatal(err)
	}
	wantValueError(t, db, k, "no value is stored", "relay hostkey rotate")
}

func TestWrite_ForgetsValuesThatItRefuses(t *testing.T) {
	db := storetest.Open(t)
	write(t, db, host("a"))
	var candidate *store.HostKey
	_, err := db.Write(func(e *store.Edit) error {
		if err := e.Put(storedKey("k", "a", canary)); err != nil {
			return err
		}
		candidate = e.Catalog().HostKeys.ByName("k")
		wantValue(t, db, candidate, canary)
		return errors.New("no")
	})
	if err == nil {
		t.Fatal("written")
	}
	wantValueError(t, db, candidate)
}

func TestPut_RefusesUnfitHostKeyValues(t *testing.T) {
	db := storetest.Open(t)
	write(t, db, host("a"))
	relayKey, none, env := storedKey("k", "a", "sk-wr-"+canary), storedKey("k", "a", ""), storedKey("k", "a", canary)
	env.Spec.Source = store.KeySource{Kind: "env", Env: "X"}
	for name, k := range map[string]*store.HostKey{"a relay key": relayKey, "no value": none, "a value beside env": env} {
		_, err := db.Write(func(e *store.Edit) error { return e.Put(k) })
		if store.CodeOf(err) != store.CodeInvalid || strings.Contains(err.Error(), canary) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestPut_HostKeyThatIsNoLongerStoredLosesItsValue(t *testing.T) {
	env := map[string]string{}
	db := storetest.Open(t, func(o *store.Options) { o.Getenv = func(name string) string { return env[name] } })
	k := clone(write(t, db, host("a"), storedKey("k", "a", canary)).HostKeys.ByName("k"))
	k.Spec.Source = store.KeySource{Kind: "env", Env: "UP_KEY"}
	served := write(t, db, k).HostKeys.ByName("k")
	if served.Spec.ValueHash != "" || served.Spec.ValueHint != "" {
		t.Errorf("spec %+v", served.Spec)
	}
	if _, err := db.Unseal(store.KindHostKey, k.Metadata.ID, "value"); store.CodeOf(err) != store.CodeNotFound {
		t.Errorf("the sealed value: %v", err)
	}
	wantValueError(t, db, served, "UP_KEY", "unset or empty")
	env["UP_KEY"] = "from-env"
	wantValue(t, db, served, "from-env")
	env["UP_KEY"] = "sk-wr-loop"
	wantValueError(t, db, served, "relay key")
}

func TestHostKeyValue_ReadsAFileAgainWhenItChanges(t *testing.T) {
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	db := storetest.Open(t, func(o *store.Options) { o.Now = func() time.Time { return now } })
	path := filepath.Join(t.TempDir(), "key")
	renew := func(content string, changed time.Time) {
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(path, changed, changed); err != nil {
			t.Fatal(err)
		}
	}
	k := &store.HostKey{Metadata: store.Metadata{Name: "k"}}
	k.Spec.Source = store.KeySource{Kind: "file", Path: path}
	wantValueError(t, db, k, path)
	renew("first\n", now)
	now = now.Add(10 * time.Second)
	wantValue(t, db, k, "first")

	renew("next\r\n", now.Add(time.Second))
	now = now.Add(9 * time.Second)
	wantValue(t, db, k, "first") // not looked at yet
	now = now.Add(time.Second)
	wantValue(t, db, k, "next")

	renew("last\n\n", now.Add(2*time.Second))
	if value, err := db.ReloadHostKeyValue(k); err != nil || value.Reveal() != "last\n" {
		t.Errorf("reloaded %q, %v", value.Reveal(), err)
	}
	renew("", now)
	now = now.Add(time.Minute)
	wantValueError(t, db, k, "is empty")
	k.Spec.Source.Path = t.TempDir()
	wantValueError(t, db, k, "is not a file")
}

// TestHostKeyValue_NeverReadsRelaysOwnFiles has every spelling lead to the same
// refusal, since a base URL may send what is read anywhere.
func TestHostKeyValue_NeverReadsRelaysOwnFiles(t *testing.T) {
	db := storetest.Open(t)
	own := filepath.Join(db.Dir(), "own.token")
	below := filepath.Join(db.Dir(), "keys", "lab")
	link := filepath.Join(t.TempDir(), "link")
	if err := errors.Join(os.WriteFile(own, []byte("own-secret"), 0o600), os.Mkdir(filepath.Dir(below), 0o700),
		os.WriteFile(below, []byte("lab-key"), 0o600), os.Symlink(own, link)); err != nil {
		t.Fatal(err)
	}
	k := &store.HostKey{Metadata: store.Metadata{Name: "k"}}
	for _, path := range []string{own, link, filepath.Dir(below) + "/../own.token", filepath.Join(db.Dir(), "relay.db")} {
		k.Spec.Source = store.KeySource{Kind: "file", Path: path}
		wantValueError(t, db, k, "Relay's own")
		if _, err := db.ReloadHostKeyValue(k); err == nil {
			t.Errorf("%s is read again", path)
		}
	}
	k.Spec.Source.Path = below
	wantValue(t, db, k, "lab-key")
}

func TestSeal_OpensInItsOwnPlaceOnly(t *testing.T) {
	o := inDir(newDir(t))
	db := mustOpen(t, o)
	c := write(t, db, host("a"), storedKey("k1", "a", canary), storedKey("k2", "a", "another-value"))
	k1, k2 := c.HostKeys.ByName("k1"), c.HostKeys.ByName("k2")
	mustClose(t, db)
	tamper(t, o.Dir, func(tx *bbolt.Tx) {
		key1, key2 := "host-key\x00"+k1.Metadata.ID+"\x00value", "host-key\x00"+k2.Metadata.ID+"\x00value"
		secrets := tx.Bucket([]byte("secrets"))
		sealed1, sealed2 := string(secrets.Get([]byte(key1))), string(secrets.Get([]byte(key2)))
		put(t, tx, "secrets", key1, []byte(sealed2))
		put(t, tx, "secrets", key2, []byte(sealed1))
	})
	db = mustOpen(t, o)
	wantValueError(t, db, k1, "does not open", "relay hostkey rotate")
	wantValueError(t, db, k2, "does not open")
	var faults []string
	if err := db.Verify(func(fault string) { faults = append(faults, fault) }); err != nil || len(faults) != 2 {
		t.Errorf("verify: %v, %v", faults, err)
	}

	rotated := clone(k1)
	rotated.Spec.Value = store.NewSecret(canary)
	wantValue(t, db, write(t, db, rotated).HostKeys.ByName("k1"), canary)
}

func TestSeal_KeepsFurtherSecretsOfARecord(t *testing.T) {
	db := storetest.Open(t)
	a := host("a")
	write(t, db, a)
	seal := func(text string) {
		if _, err := db.Write(func(e *store.Edit) error {
			e.Seal(store.KindHost, a.Metadata.ID, "proxyPassword", store.NewSecret(text))
			return nil
		}); err != nil {
			t.Fatal(err)
		}
	}
	seal(canary)
	if s, err := db.Unseal(store.KindHost, a.Metadata.ID, "proxyPassword"); err != nil || s.Reveal() != canary {
		t.Errorf("unsealed %q, %v", s.Reveal(), err)
	}
	if db.Catalog().Generation != 2 {
		t.Errorf("generation %d", db.Catalog().Generation)
	}
	seal("")
	if _, err := db.Unseal(store.KindHost, a.Metadata.ID, "proxyPassword"); store.CodeOf(err) != store.CodeNotFound {
		t.Errorf("removed: %v", err)
	}
}
