package store_test

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"sort"
	"testing"
	"time"

	"relay/store"
	"relay/store/storetest"
)

const crashDir = "RELAY_STORE_CRASH_DIR"

// TestMain lets the test binary be the process that is killed.
func TestMain(m *testing.M) {
	if dir := os.Getenv(crashDir); dir != "" {
		writeUntilKilled(dir)
	}
	if dir := os.Getenv(rekeyDir); dir != "" {
		rotateUntilKilled(dir)
	}
	os.Exit(m.Run())
}

// writeUntilKilled records events, and tells on stdout up to which number they
// are durable by the watermark, and of each host that is written.
func writeUntilKilled(dir string) {
	db, err := store.Open(inDir(dir))
	if err != nil {
		fmt.Println("failed", err)
		os.Exit(1)
	}
	m := newMeter()
	db.StartUsage(m)
	var ends []time.Time
	for i := 0; ; i++ {
		request(db, m, fmt.Sprint("c", i%3), int64(i), time.Now())
		ends = append(ends, time.Now())
		if i%100 != 0 {
			continue
		}
		through := db.DurableThrough()
		fmt.Println("durable", sort.Search(len(ends), func(n int) bool { return !ends[n].Before(through) })-1)
		if i%500 == 0 {
			if _, err := db.Write(func(e *store.Edit) error { return e.Put(host(fmt.Sprint("h", ends[i].UnixNano()))) }); err == nil {
				fmt.Println("host", ends[i].UnixNano())
			}
		}
		<-time.After(10 * time.Millisecond)
	}
}

func TestDB_KeepsWhatItPromisedOverAKill(t *testing.T) {
	dir := newDir(t)
	for round := range 3 {
		durable, hosts := killAfter(t, dir, 20+round*15)
		db := mustOpen(t, inDir(dir))
		for _, name := range hosts {
			if db.Catalog().Hosts.ByName("h"+name) == nil {
				t.Errorf("round %d: host %s was written and is gone", round, name)
			}
		}
		checkEventsUntil(t, db, durable)
		mustClose(t, db)
		storetest.Check(t, dir)
	}
}

// killAfter runs the writer until it has written so many lines, and returns the
// number of the last durable event and the hosts that it told of.
func killAfter(t *testing.T, dir string, lines int) (durable int64, hosts []string) {
	t.Helper()
	child := exec.Command(os.Args[0])
	child.Env = append(os.Environ(), crashDir+"="+dir)
	out, err := child.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	scanner := bufio.NewScanner(out)
	for i := 0; scanner.Scan(); i++ {
		if i == lines {
			_ = child.Process.Kill()
		}
		var word, value string
		_, _ = fmt.Sscan(scanner.Text(), &word, &value)
		switch word {
		case "durable":
			_, _ = fmt.Sscan(value, &durable)
		case "host":
			hosts = append(hosts, value)
		case "failed":
			t.Fatal(scanner.Text())
		}
	}
	_ = child.Wait()
	return durable, hosts
}

// checkEventsUntil expects the events of the last run to have no gap, none to be
// there twice, and the durable ones not to be missing.
func checkEventsUntil(t *testing.T, db *store.DB, durable int64) {
	t.Helper()
	all := events(t, db)
	if len(all) == 0 || all[0].Tokens.Output < durable {
		t.Fatalf("%d events, and all up to number %d of the last run were promised", len(all), durable)
	}
	for i, e := range all {
		if e.Tokens.Output == 0 {
			return // the first of the last run; the runs before have been looked at
		}
		if next := all[i+1]; next.Tokens.Output != e.Tokens.Output-1 || next.Seq >= e.Seq {
			t.Fatalf("event %d (number %d) follows %d (number %d)", e.Tokens.Output, e.Seq, next.Tokens.Output, next.Seq)
		}
	}
}
