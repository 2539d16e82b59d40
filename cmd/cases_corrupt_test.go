package cmd_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"relay/store"
)

// stale is a source of counters that puts states as they are given.
type stale map[string][]byte

func (s stale) Snapshot(put func(string, []byte)) uint64 {
	for name, state := range s {
		put(name, state)
	}
	clear(s)
	return 0
}

func (s stale) Dirty() bool { return len(s) > 0 }

func TestBudget_OneCorruptCounterAmongAHundredLeavesTheOthersAlone(t *testing.T) {
	dir := dataDir(t)
	s := startServing(t, dir, nil)
	s.nineDollars()
	keys := s.hundredKeys()
	for i := range keys {
		s.chat(200, keys[i], "echo-mini")
	}
	corrupt := s.control.id("/api/relay-keys/k-050")
	s.stop()
	damageCounter(t, dir, corrupt)

	s = startServing(t, dir, nil)
	for i, key := range keys {
		want := "9.00"
		if i == 50 {
			want = "0.00"
		}
		if got := s.budgets(key, fmt.Sprintf("service-account:k-%03d", i)); len(got) != 1 || got[0].spent != want {
			t.Errorf("key %d: budgets %v, want %s spent", i, got, want)
		}
		s.chat(200, key, "echo-mini")
	}
	s.chat(429, keys[49], "echo-mini")
	if n := strings.Count(s.log.String(), `"message":"counter cannot be restored and starts anew"`); n != 1 || !strings.Contains(s.log.String(), corrupt) {
		t.Errorf("the damage is told %d times in %s", n, s.log)
	}
	if text := s.control.must(http.StatusOK, http.MethodGet, "/api/usage/summary?group_by=model", ""); !strings.Contains(text, `"cost_nanos":1800000000000`) {
		t.Errorf("the usage is %s", text)
	}
}

// hundredKeys makes keys k-000 to k-099 with 10 dollars a day each, in one
// write.
func (s *serving) hundredKeys() []string {
	s.t.Helper()
	var manifests strings.Builder
	keys := make([]string, 100)
	for i := range keys {
		keys[i] = fmt.Sprintf("a-key-of-a-former-gateway-%03d", i)
		fmt.Fprintf(&manifests, "---\napiVersion: relay/v1\nkind: ServiceAccount\nmetadata: {name: k-%03d}\nspec: {project: default}\n", i)
		fmt.Fprintf(&manifests, "---\napiVersion: relay/v1\nkind: RelayKey\nmetadata: {name: k-%03d}\nspec: {principal: \"service-account:k-%03d\", keyHash: %s, budgets: [{amount: \"10\", period: day}]}\n", i, i, sha256Of(keys[i]))
	}
	s.done(manifests.String(), "apply", "-f", "-")
	return keys
}

// damageCounter puts a state that nobody can read in the place of the one
// budget of the record.
func damageCounter(t *testing.T, dir, owner string) {
	t.Helper()
	db, err := store.Open(store.Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	damaged := stale{}
	if err := db.Counters(func(name string, _ []byte) error {
		if strings.HasPrefix(name, owner+"/budget/") {
			damaged[name] = []byte("no state at all")
		}
		return nil
	}); err != nil || len(damaged) != 1 {
		t.Fatalf("%d counters of %s: %v", len(damaged), owner, err)
	}
	db.StartUsage(damaged)
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
}
