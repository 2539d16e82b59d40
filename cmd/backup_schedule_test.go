package cmd_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"relay/admin"
	"relay/cmd"
	"relay/store"
)

// schedule is a running schedule of backups in virtual time.
type schedule struct {
	t     *testing.T
	db    *store.DB
	cfg   cmd.BackupConfig
	told  chan error // what became of each backup
	stop  context.CancelFunc
	ended chan struct{}
}

func startSchedule(t *testing.T, dir string, every time.Duration) *schedule {
	t.Helper()
	db, err := store.Open(store.Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	if err := admin.FirstBoot(db); err != nil {
		t.Fatal(err)
	}
	s := &schedule{
		t: t, db: db, cfg: cmd.BackupConfig{Every: every, Keep: 2, Dir: filepath.Join(dir, "backups")}, ended: make(chan struct{}), told: make(chan error, 100),
	}
	ctx, stop := context.WithCancel(t.Context())
	s.stop = stop
	go func() {
		defer close(s.ended)
		cmd.RunBackups(ctx, db, s.cfg, func(err error) { s.told <- err })
	}()
	synctest.Wait()
	return s
}

func (s *schedule) end() {
	s.t.Helper()
	s.stop()
	<-s.ended
	if err := s.db.Close(); err != nil {
		s.t.Error(err)
	}
}

// after lets time pass and returns how many backups there are then.
func (s *schedule) after(d time.Duration) int {
	s.t.Helper()
	<-time.After(d)
	synctest.Wait()
	all, err := store.Backups(s.cfg.Dir)
	if err != nil {
		s.t.Fatal(err)
	}
	return len(all)
}

// outcomes returns what was told since it was last asked.
func (s *schedule) outcomes() (told []error) {
	for len(s.told) > 0 {
		told = append(told, <-s.told)
	}
	return told
}

func TestBackupSchedule_CountsFromTheNewestBackup(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		s := startSchedule(t, dir, 24*time.Hour)
		if n := s.after(23 * time.Hour); n != 0 {
			t.Errorf("%d backups of a new database within a day", n)
		}
		if n := s.after(2 * time.Hour); n != 1 {
			t.Errorf("%d backups after a day", n)
		}
		s.end()

		s = startSchedule(t, dir, 24*time.Hour)
		if n := s.after(22 * time.Hour); n != 1 {
			t.Errorf("%d backups: a restart has made one", n)
		}
		if n := s.after(2 * time.Hour); n != 2 {
			t.Errorf("%d backups a day after the first", n)
		}
		if n := s.after(10 * 24 * time.Hour); n != 2 {
			t.Errorf("%d backups are kept, not 2", n)
		}
		s.end()
		if err := os.RemoveAll(s.cfg.Dir); err != nil {
			t.Fatal(err)
		}

		s = startSchedule(t, dir, 24*time.Hour)
		if n := s.after(time.Second); n != 1 {
			t.Errorf("%d backups: one is due at once where there is none of a database that is in use", n)
		}
		s.end()
		if told := s.outcomes(); len(told) != 1 || told[0] != nil {
			t.Errorf("told %v", told)
		}
	})
}

func TestBackupSchedule_TriesAgainAfterAnHour(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "backups"), []byte("in the way"), 0o600); err != nil {
			t.Fatal(err)
		}
		s := startSchedule(t, dir, 24*time.Hour)
		<-time.After(90 * time.Minute)
		synctest.Wait()
		if told := s.outcomes(); len(told) != 2 || told[0] == nil || told[1] == nil {
			t.Errorf("told %v", told)
		}
		if err := os.Remove(filepath.Join(dir, "backups")); err != nil {
			t.Fatal(err)
		}
		n := s.after(time.Hour)
		if told := s.outcomes(); n != 1 || len(told) != 1 || told[0] != nil {
			t.Errorf("%d backups once the way is clear; told %v", n, told)
		}
		s.end()
	})
}

func TestBackupSchedule_OfNothingMakesNone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := startSchedule(t, t.TempDir(), 0)
		if n := s.after(100 * 24 * time.Hour); n != 0 {
			t.Errorf("%d backups", n)
		}
		s.end()
	})
}

func TestWarnings_TellThatTheLastBackupFailed(t *testing.T) {
	db, _ := openServer(t)
	if got := cmd.WarningsAfterBackup(db, errors.New("no space left")); len(got) != 1 || !strings.Contains(got[0].Message, "the last backup failed: no space left") {
		t.Errorf("got %v", got)
	}
	if got := cmd.WarningsAfterBackup(db, nil); len(got) != 0 {
		t.Errorf("got %v", got)
	}
}
