package store_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.etcd.io/bbolt"

	"relay/store"
)

func TestBackupTo_KeepsTheNewest(t *testing.T) {
	now := firstDay
	o := inDir(newDir(t))
	o.Now = func() time.Time { return now }
	db := mustOpen(t, o)
	populate(t, db)
	dir := filepath.Join(o.Dir, "backups")
	if all, err := store.Backups(dir); err != nil || len(all) != 0 {
		t.Errorf("before the first: %v, %v", all, err)
	}
	for range 5 {
		b, err := db.BackupTo(t.Context(), dir, 3)
		if err != nil || !b.At.Equal(now) {
			t.Fatalf("backup %+v, %v", b, err)
		}
		if _, err := store.Examine(t.Context(), o, b.Path, func(fault string) { t.Error(fault) }); err != nil {
			t.Fatal(err)
		}
		now = now.Add(24 * time.Hour)
	}
	if err := os.WriteFile(filepath.Join(dir, "relay-mine.db"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	all, err := store.Backups(dir)
	if err != nil || len(all) != 3 || !all[0].At.Equal(now.Add(-24*time.Hour)) || filepath.Base(all[0].Path) != "relay-20260505T120000Z.db" {
		t.Errorf("backups %+v, %v", all, err)
	}
	for path, mode := range map[string]os.FileMode{dir: 0o700, all[0].Path: 0o600} {
		if stat, err := os.Stat(path); err != nil || stat.Mode().Perm() != mode {
			t.Errorf("%s: %v, %v", path, stat.Mode(), err)
		}
	}
	if _, err := db.BackupTo(t.Context(), dir, 1); err != nil {
		t.Fatal(err)
	}
	if all, _ := store.Backups(dir); len(all) != 1 {
		t.Errorf("backups %+v", all)
	}
}

// A damaged database must not push out the good backups, one a day.
func TestBackupTo_RemovesNothingWhenTheCopyIsDamaged(t *testing.T) {
	o := inDir(newDir(t))
	now := firstDay
	o.Now = func() time.Time { return now }
	db := mustOpen(t, o)
	populate(t, db)
	db.StartUsage(nil)
	db.RecordUsage(0, firstDay, store.AppendEvent(nil, hourlyEvent(0)), 0)
	flush(t, db)
	dir := filepath.Join(o.Dir, "backups")
	good, err := db.BackupTo(t.Context(), dir, 1)
	if err != nil {
		t.Fatal(err)
	}
	mustClose(t, db)

	tamper(t, o.Dir, func(tx *bbolt.Tx) {
		key, value := tx.Bucket([]byte("usage")).Cursor().First()
		changed := append([]byte(nil), value...)
		changed[len(changed)-1] ^= 1
		put(t, tx, "usage", string(key), changed)
	})
	db = mustOpen(t, o)
	now = now.Add(time.Hour)
	if _, err := db.BackupTo(t.Context(), dir, 1); store.CodeOf(err) != store.CodeDamaged || !strings.Contains(err.Error(), "usage event") {
		t.Errorf("got %v", err)
	}
	if all, _ := store.Backups(dir); len(all) != 1 || all[0].Path != good.Path {
		t.Errorf("backups %+v", all)
	}
}

func TestOpen_NamesTheNewestWholeBackupOfADamagedDatabase(t *testing.T) {
	o := inDir(filepath.Join(t.TempDir(), "my data"))
	now := firstDay
	o.Now = func() time.Time { return now }
	db := mustOpen(t, o)
	populate(t, db)
	dir := filepath.Join(o.Dir, "backups")
	var made []string
	for range 3 {
		b, err := db.BackupTo(t.Context(), dir, 7)
		if err != nil {
			t.Fatal(err)
		}
		made = append(made, b.Path)
		now = now.Add(time.Hour)
	}
	mustClose(t, db)
	if err := os.Truncate(made[2], 9000); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(filepath.Join(o.Dir, "relay.db"), 9000); err != nil {
		t.Fatal(err)
	}
	command := "relay restore --data-dir '" + o.Dir + "' '" + made[1] + "'"
	wantRefusal(t, o, store.CodeDamaged, "is damaged", command)
	if err := os.Remove(filepath.Join(o.Dir, "relay.db")); err != nil {
		t.Fatal(err)
	}
	wantRefusal(t, o, store.CodeDamaged, "is missing", command, "to start anew on purpose")
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	wantRefusal(t, o, store.CodeDamaged, "relay restore FILE")
}

func TestBackupTo_EndsWhenItIsNotWantedAnyMore(t *testing.T) {
	db := mustOpen(t, inDir(newDir(t)))
	populate(t, db)
	dir := t.TempDir()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := db.BackupTo(ctx, dir, 1); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	if entries, _ := os.ReadDir(dir); len(entries) > 0 {
		t.Errorf("left behind: %v", entries)
	}
}

// What is copied while requests are recorded and records change is one moment of
// it, and can be restored where nothing is.
func TestCopy_IsOneMomentWhileWritesGoOn(t *testing.T) {
	o, m := inDir(newDir(t)), newMeter()
	db := mustOpen(t, o)
	populate(t, db)
	db.StartUsage(m)
	stop, ended := make(chan struct{}), make(chan int)
	go func() {
		n := 0
		for ; ; n++ {
			select {
			case <-stop:
				ended <- n
				return
			default:
			}
			e := hourlyEvent(n)
			db.RecordUsage(m.add("counter", 1), e.At, store.AppendEvent(nil, e), 0)
			if n%50 == 0 {
				_, _ = db.Write(func(e *store.Edit) error { return e.Put(host(fmt.Sprintf("more-%d", n))) })
			}
		}
	}()
	path := filepath.Join(t.TempDir(), "copy.db")
	for range 5 {
		_ = os.Remove(path)
		if err := store.SaveBackup(path, db.Backup); err != nil {
			t.Fatal(err)
		}
		if _, err := store.Examine(t.Context(), o, path, func(fault string) { t.Error(fault) }); err != nil {
			t.Fatal(err)
		}
	}
	close(stop)
	recorded := <-ended
	elsewhere := inDir(newDir(t))
	done, err := store.Restore(t.Context(), elsewhere, path)
	if err != nil || done.Events > uint64(recorded) {
		t.Fatalf("restored %+v of %d events, %v", done, recorded, err)
	}
	restored := mustOpen(t, elsewhere)
	if got := events(t, restored); uint64(len(got)) != done.Events {
		t.Errorf("%d events are there, %d are told", len(got), done.Events)
	}
	if restored.InstallationID() != db.InstallationID() || restored.Catalog().Generation != done.Generation {
		t.Error("another installation, or another catalog")
	}
}

func TestSaveBackup_WritesTheWholeFileOrNone(t *testing.T) {
	path := filepath.Join(t.TempDir(), "copy.db")
	gone := errors.New("the server is gone")
	if err := store.SaveBackup(path, func(w io.Writer) error { _, _ = w.Write([]byte("half")); return gone }); !errors.Is(err, gone) {
		t.Errorf("got %v", err)
	}
	if err := store.SaveBackup(path, func(w io.Writer) error { _, err := w.Write([]byte("whole")); return err }); err != nil {
		t.Fatal(err)
	}
	err := store.SaveBackup(path, func(io.Writer) error { t.Error("called"); return nil })
	if store.CodeOf(err) != store.CodeConflict {
		t.Errorf("over a file: %v", err)
	}
	text, _ := os.ReadFile(path)
	entries, _ := os.ReadDir(filepath.Dir(path))
	if string(text) != "whole" || len(entries) != 1 {
		t.Errorf("%q beside %v", text, entries)
	}
}

func TestBackupTo_AndOpenRemoveWhatWasCutOff(t *testing.T) {
	o := inDir(newDir(t))
	mustClose(t, mustOpen(t, o))
	dir := filepath.Join(o.Dir, "backups")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	left := []string{
		filepath.Join(o.Dir, "backup-123.tmp"), filepath.Join(o.Dir, "relay.db.new-123"), filepath.Join(dir, "relay-20260501T120000Z.db.new-123"),
	}
	for _, path := range left {
		if err := os.WriteFile(path, []byte("half"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	db := mustOpen(t, o)
	if _, err := db.BackupTo(t.Context(), dir, 1); err != nil {
		t.Fatal(err)
	}
	for _, path := range left {
		if _, err := os.Stat(path); err == nil {
			t.Errorf("%s is still there", path)
		}
	}
	c, err := db.Copy()
	if err != nil {
		t.Fatal(err)
	}
	if stat, err := os.Stat(filepath.Join(o.Dir, "relay.db")); err != nil || c.Size() > stat.Size() || c.Size() == 0 {
		t.Errorf("a copy of %d bytes", c.Size())
	}
	if err := c.Close(); err != nil {
		t.Error(err)
	}
}
