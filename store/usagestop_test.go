package store_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rs/zerolog"

	"relay/store"
	"relay/store/storetest"
)

// cutOf returns options for what a crash would leave of db now.
func cutOf(t *testing.T, db *store.DB) store.Options {
	t.Helper()
	o := inDir(t.TempDir())
	file, err := os.OpenFile(filepath.Join(o.Dir, "relay.db"), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(db.Backup(file), file.Close()); err != nil {
		t.Fatal(err)
	}
	return o
}

func TestUncleanStop_TellsWhenAndAboutHowMuchIsMissing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		db := storetest.Open(t)
		db.StartUsage(nil)
		began := time.Now()
		pass(time.Hour + time.Second/2) // between two snapshots
		for range 10 {
			db.RecordUsage(0, time.Now(), store.AppendEvent(nil, typicalEvent()), 0)
		}
		flush(t, db)
		db.AdmitUsage(1)
		db.AdmitUsage(1)
		pass(time.Second) // those two are told of with no event to write
		synctest.Wait()
		through := began.Add(time.Hour + time.Second)
		cut := cutOf(t, db)
		db.ForgetUsage(1)
		db.ForgetUsage(1)

		var log strings.Builder
		cut.Log = zerolog.New(&log)
		killed := mustOpen(t, cut)
		s := killed.UncleanStop()
		if s == nil || !s.Since.Equal(began) || !s.Through.Equal(through) || s.Unrecorded != 22 {
			t.Fatalf("unclean stop %+v, want since %v, through %v, 22 unrecorded", s, began, through)
		}
		for _, want := range []string{"did not stop as it should", "running_since", "durable_through", `"unrecorded_about":22`} {
			if !strings.Contains(log.String(), want) {
				t.Errorf("log %s lacks %q", log.String(), want)
			}
		}
		if text := s.String(); !strings.Contains(text, "through 2000-01-01T01:00:01Z") || !strings.Contains(text, "about 22 requests") {
			t.Errorf("told as %q", text)
		}
	})
}

func TestUncleanStop_IsKeptUntilARunStopsAsItShould(t *testing.T) {
	db := storetest.Open(t)
	if db.UncleanStop() != nil {
		t.Error("a new database tells of an unclean stop")
	}
	db.StartUsage(nil)
	cut := cutOf(t, db)

	for range 2 { // a command line reads the database, and no run begins
		looked := mustOpen(t, cut)
		if s := looked.UncleanStop(); s == nil || !strings.Contains(s.String(), "may be missing") {
			t.Errorf("unclean stop %v", s)
		}
		mustClose(t, looked)
	}
	next := mustOpen(t, cut)
	next.StartUsage(nil)
	if next.UncleanStop() == nil {
		t.Error("the next run does not know of it")
	}
	mustClose(t, next)
	if s := mustOpen(t, cut).UncleanStop(); s != nil {
		t.Errorf("after a clean stop: %v", s)
	}
}

// A reset without a server writes counters, and must not take the word of the
// unclean stop from the run that comes next.
func TestUncleanStop_OutlivesCountersThatAreChangedWithoutARun(t *testing.T) {
	db := storetest.Open(t)
	db.StartUsage(nil)
	for range 10 {
		db.RecordUsage(0, time.Now(), store.AppendEvent(nil, typicalEvent()), 0)
	}
	db.AdmitUsage(1)
	flush(t, db)
	cut := cutOf(t, db)
	db.ForgetUsage(1)

	before := mustOpen(t, cut)
	want := before.UncleanStop()
	mustClose(t, before)
	for n := range uint64(2) {
		m := newMeter()
		commandLine := mustOpen(t, cut)
		commandLine.StartCounters(m)
		commandLine.StartUsage(m) // comes too late
		m.sums["a"] = n
		m.reserve("a")
		flush(t, commandLine)
		mustClose(t, commandLine)
		again := mustOpen(t, cut)
		if got := counters(t, again); got["a"] != n {
			t.Errorf("counters %v", got)
		}
		if got := again.UncleanStop(); want == nil || got == nil || *got != *want {
			t.Errorf("then told as %v, want %v", got, want)
		}
		mustClose(t, again)
	}
	run := mustOpen(t, cut)
	run.StartUsage(nil)
	mustClose(t, run)
	if s := mustOpen(t, cut).UncleanStop(); s != nil {
		t.Errorf("after the run that told it: %v", s)
	}
}

func TestStartCounters_LeavesACleanStopClean(t *testing.T) {
	o, m := inDir(newDir(t)), newMeter()
	db := mustOpen(t, o)
	db.StartCounters(m)
	m.reserve("a")
	flush(t, db)
	if s := mustOpen(t, cutOf(t, db)).UncleanStop(); s != nil {
		t.Errorf("killed meanwhile, it says %v", s)
	}
	mustClose(t, db)
	if s := mustOpen(t, o).UncleanStop(); s != nil {
		t.Errorf("it says %v", s)
	}
}

func TestUncleanStop_IsAlsoACloseWithOpenRequestsOrAFailingDisk(t *testing.T) {
	for name, spoil := range map[string]func(*store.DB){
		"open requests": func(db *store.DB) { db.AdmitUsage(1) },
		"failing disk": func(db *store.DB) {
			db.RecordUsage(0, time.Now(), store.AppendEvent(nil, typicalEvent()), 0)
			store.HookWrites(db, func(bool, func() (int, error)) (int, error) { return 0, errors.New("broken") })
		},
	} {
		t.Run(name, func(t *testing.T) {
			o := inDir(newDir(t))
			db := mustOpen(t, o)
			db.StartUsage(nil)
			spoil(db)
			_ = db.Close()
			if mustOpen(t, o).UncleanStop() == nil {
				t.Error("the next run takes it for a clean stop")
			}
		})
	}
}
