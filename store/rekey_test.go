package store_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"relay/store"
)

// keyInFile are options for a database whose master key lies in its data dir.
func keyInFile(dir string) store.Options { return store.Options{Dir: dir} }

// sealedDB is a database with a secret of every kind.
func sealedDB(t *testing.T, dir string) *store.DB {
	t.Helper()
	db := mustOpen(t, keyInFile(dir))
	hook := &store.Setting{Metadata: store.Metadata{Name: store.SettingWebhook}, Spec: store.SettingSpec{URL: "https://hooks.example/x", Secret: store.NewSecret(canary + "-hook")}}
	write(t, db, host("a"), storedKey("k", "a", canary), hook)
	if _, err := db.Write(func(e *store.Edit) error { return e.RotateTokenKey(time.Now(), time.Now()) }); err != nil {
		t.Fatal(err)
	}
	return db
}

// wantSecrets opens every secret of sealedDB.
func wantSecrets(t *testing.T, db *store.DB) {
	t.Helper()
	key := db.Catalog().HostKeys.ByName("k")
	if value, err := db.Unseal(store.KindHostKey, key.Metadata.ID, "value"); err != nil || value.Reveal() != canary {
		t.Errorf("the host key is %q, %v", value.Reveal(), err)
	}
	if hook, err := db.WebhookSecret(); err != nil || hook.Reveal() != canary+"-hook" {
		t.Errorf("the webhook signs with %q, %v", hook.Reveal(), err)
	}
	if keys, err := db.TokenKeys(time.Now()); err != nil || len(keys) != 1 {
		t.Errorf("%d keys of tokens, %v", len(keys), err)
	}
}

func mustRotate(t *testing.T, db *store.DB) store.MasterKeyState {
	t.Helper()
	state, err := db.RotateMasterKey(store.Actor{Kind: "local"}, "process", "rotate-master-key")
	if err != nil {
		t.Fatal(err)
	}
	return state
}

func files(t *testing.T, dir string) string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(dir, "master.key*"))
	if err != nil {
		t.Fatal(err)
	}
	for i := range found {
		found[i] = filepath.Base(found[i])
	}
	return strings.Join(found, " ")
}

func TestRotateMasterKey_SealsEverySecretAnew(t *testing.T) {
	dir := newDir(t)
	db := sealedDB(t, dir)
	before, err := db.MasterKey()
	if err != nil || before.Sealed != 3 || before.File != filepath.Join(dir, "master.key") {
		t.Fatalf("%+v, %v", before, err)
	}
	former, err := os.ReadFile(before.File)
	if err != nil {
		t.Fatal(err)
	}
	after := mustRotate(t, db)
	if after.ID == before.ID || after.Sealed != 3 || after.Former != before.File+"."+before.ID {
		t.Errorf("after the rotation: %+v", after)
	}
	wantSecrets(t, db)
	write(t, db, storedKey("later", "a", canary))
	mustClose(t, db)
	db = mustOpen(t, keyInFile(dir))
	wantSecrets(t, db)
	page, _, err := db.Audit(store.AuditQuery{Limit: 10})
	if err != nil || !strings.Contains(fmt.Sprint(page), "rotate-master-key") {
		t.Errorf("the audit log says %v, %v", page, err)
	}
	mustClose(t, db)
	if got := files(t, dir); got != "master.key master.key."+before.ID {
		t.Errorf("there are %s", got)
	}
	if err := os.WriteFile(before.File, former, 0o600); err != nil {
		t.Fatal(err)
	}
	_, err = store.Open(keyInFile(dir))
	if store.CodeOf(err) != store.CodeWrongKey || !strings.Contains(err.Error(), before.ID) || !strings.Contains(err.Error(), after.ID) {
		t.Errorf("the former key: %v", err)
	}
}

func TestRotateMasterKey_NeedsTheKeyInAFile(t *testing.T) {
	db := mustOpen(t, inDir(newDir(t)))
	if _, err := db.RotateMasterKey(store.Actor{}, "", ""); store.CodeOf(err) != store.CodeConflict || !strings.Contains(err.Error(), "RELAY_MASTER_KEY") {
		t.Errorf("got %v", err)
	}
}

func TestRotateMasterKey_IsEndedByTheNextStart(t *testing.T) {
	dir := newDir(t)
	db := sealedDB(t, dir)
	key := filepath.Join(dir, "master.key")
	former, err := os.ReadFile(key)
	if err != nil {
		t.Fatal(err)
	}
	mustRotate(t, db)
	mustClose(t, db)
	// As it is when the process dies right after the transaction.
	if err := errors.Join(os.Rename(key, key+".next"), os.WriteFile(key, former, 0o600)); err != nil {
		t.Fatal(err)
	}
	db = mustOpen(t, keyInFile(dir))
	wantSecrets(t, db)
	if got := files(t, dir); strings.Contains(got, "next") {
		t.Errorf("there are %s", got)
	}
}

func TestRotateMasterKey_ThatTheDiskRefusesChangesNothing(t *testing.T) {
	for _, reached := range []bool{false, true} {
		t.Run(fmt.Sprintf("reached %v", reached), func(t *testing.T) {
			dir := newDir(t)
			db := sealedDB(t, dir)
			before, err := db.MasterKey()
			if err != nil {
				t.Fatal(err)
			}
			store.HookWrites(db, func(meta bool, do func() (int, error)) (int, error) {
				if meta && reached {
					_, _ = do()
				}
				return 0, errors.New("disk on fire")
			})
			if _, err := db.RotateMasterKey(store.Actor{}, "", ""); store.CodeOf(err) != store.CodeUnavailable {
				t.Fatalf("got %v", err)
			}
			store.HookWrites(db, nil)
			wantSecrets(t, db)
			if _, err := db.RotateMasterKey(store.Actor{}, "", ""); store.CodeOf(err) != store.CodeUnavailable || !strings.Contains(err.Error(), "nobody knows") {
				t.Errorf("again: %v", err)
			}
			write(t, db, host("b")) // settles what the disk holds
			wantSecrets(t, db)
			if after, err := db.MasterKey(); err != nil || after.ID != before.ID {
				t.Errorf("%+v, %v", after, err)
			}
			mustRotate(t, db)
			mustClose(t, db)
			wantSecrets(t, mustOpen(t, keyInFile(dir)))
		})
	}
}

func TestRotateMasterKey_DisturbsNobodyWhoReads(t *testing.T) {
	db := sealedDB(t, newDir(t))
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for ctx.Err() == nil {
			wantSecrets(t, db)
		}
	}()
	for range 20 {
		mustRotate(t, db)
	}
	stop()
	<-ended
}

const rekeyDir = "RELAY_STORE_REKEY_DIR"

// rotateUntilKilled rotates the master key, and tells on stdout of each time.
func rotateUntilKilled(dir string) {
	db, err := store.Open(keyInFile(dir))
	for i := 0; err == nil; i++ {
		_, err = db.RotateMasterKey(store.Actor{}, "", "")
		fmt.Println("rotated", i)
	}
	fmt.Println("failed", err)
	os.Exit(1)
}

func TestRotateMasterKey_IsWhollyDoneOrNotAtAllOverAKill(t *testing.T) {
	dir := newDir(t)
	mustClose(t, sealedDB(t, dir))
	for round := range 8 {
		child := exec.Command(os.Args[0])
		child.Env = append(os.Environ(), rekeyDir+"="+dir)
		out, err := child.StdoutPipe()
		if err != nil || child.Start() != nil {
			t.Fatal(err)
		}
		for lines := bufio.NewScanner(out); lines.Scan(); {
			if strings.HasPrefix(lines.Text(), "failed") {
				t.Fatal(lines.Text())
			}
			if lines.Text() == fmt.Sprint("rotated ", round) {
				_ = child.Process.Kill()
			}
		}
		_ = child.Wait()
		db := mustOpen(t, keyInFile(dir))
		wantSecrets(t, db)
		mustClose(t, db)
		if got := files(t, dir); strings.Contains(got, "next") {
			t.Errorf("round %d: there are %s", round, got)
		}
	}
	faults := []string{}
	if _, err := store.Examine(t.Context(), keyInFile(dir), "", func(fault string) { faults = append(faults, fault) }); err != nil || len(faults) > 0 {
		t.Errorf("%v %v", faults, err)
	}
}
