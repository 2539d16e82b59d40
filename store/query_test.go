package store_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.etcd.io/bbolt"

	"relay/store"
	"relay/store/storetest"
)

var firstDay = time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)

// withEvents records n events, one an hour, in groups that repeat after 2, 3 and
// 5 events.
func withEvents(t *testing.T, n int) *store.DB {
	t.Helper()
	db := storetest.Open(t)
	db.StartUsage(nil)
	for i := range n {
		e := hourlyEvent(i)
		db.RecordUsage(0, e.At, store.AppendEvent(nil, e), 0)
	}
	flush(t, db)
	return db
}

func hourlyEvent(i int) *store.Event {
	e := &store.Event{
		At: firstDay.Add(time.Duration(i) * time.Hour), RequestID: fmt.Sprint("r", i), Status: 200,
		Model: fmt.Sprint("model-", i%2), Host: fmt.Sprint("host-", i%3),
		Credential: store.Credential{Kind: store.KindRelayKey, ID: fmt.Sprint("key-", i%5)},
		Principal:  store.Ref{Kind: store.KindServiceAccount, ID: fmt.Sprint("sa-", i%5)},
		Team:       "team", Tokens: store.Tokens{Input: 10, Output: int64(i)},
		Attempts: []store.EventAttempt{{Status: 200}},
	}
	switch {
	case i%5 == 0:
		e.Status, e.ErrorKind, e.Tokens, e.Attempts = 429, "rate_limit_exceeded", store.Tokens{}, nil
	case i%2 == 0:
		cost := int64(i)
		e.CostNanos = &cost
	}
	return e
}

// requestIDs pages through the query in small pages.
func requestIDs(t *testing.T, db *store.DB, q store.EventQuery) (ids []string) {
	t.Helper()
	q.Limit = 7
	for {
		page, next, err := db.Events(q)
		if err != nil {
			t.Fatal(err)
		}
		if len(page) > q.Limit || next != "" && len(page) < q.Limit {
			t.Fatalf("a page of %d events, next %q", len(page), next)
		}
		for _, e := range page {
			ids = append(ids, e.RequestID)
		}
		if q.Cursor = next; next == "" {
			return ids
		}
	}
}

func TestEvents_FiltersAndPagesNewestFirst(t *testing.T) {
	const n = 100
	db := withEvents(t, n)
	at := func(i int) time.Time { return firstDay.Add(time.Duration(i) * time.Hour) }
	cases := map[string]struct {
		query store.EventQuery
		want  func(i int) bool
	}{
		"all":         {store.EventQuery{}, func(int) bool { return true }},
		"since":       {store.EventQuery{Since: at(90)}, func(i int) bool { return i >= 90 }},
		"until":       {store.EventQuery{Until: at(10)}, func(i int) bool { return i < 10 }},
		"an hour":     {store.EventQuery{Since: at(33), Until: at(34)}, func(i int) bool { return i == 33 }},
		"nothing":     {store.EventQuery{Since: at(n)}, func(int) bool { return false }},
		"before all":  {store.EventQuery{Until: at(0)}, func(int) bool { return false }},
		"model":       {store.EventQuery{Model: "model-1"}, func(i int) bool { return i%2 == 1 }},
		"host":        {store.EventQuery{Host: "host-2", Since: at(50)}, func(i int) bool { return i%3 == 2 && i >= 50 }},
		"credential":  {store.EventQuery{Credential: "key-3"}, func(i int) bool { return i%5 == 3 }},
		"principal":   {store.EventQuery{Principal: "sa-0", Model: "model-0"}, func(i int) bool { return i%10 == 0 }},
		"status":      {store.EventQuery{StatusClass: 4}, func(i int) bool { return i%5 == 0 }},
		"error kind":  {store.EventQuery{ErrorKind: "rate_limit_exceeded"}, func(i int) bool { return i%5 == 0 }},
		"request":     {store.EventQuery{RequestID: "r42"}, func(i int) bool { return i == 42 }},
		"other teams": {store.EventQuery{Team: "x"}, func(int) bool { return false }},
	}
	for name, c := range cases {
		var want []string
		for i := n - 1; i >= 0; i-- {
			if c.want(i) {
				want = append(want, fmt.Sprint("r", i))
			}
		}
		if got := requestIDs(t, db, c.query); !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
	}
}

func TestEvents_ReadsWholeEvents(t *testing.T) {
	db := withEvents(t, 3)
	page, _, err := db.Events(store.EventQuery{Limit: 1})
	want := *hourlyEvent(2)
	want.Seq = 3
	if err != nil || len(page) != 1 || !cmp.Equal(page[0], want) {
		t.Errorf("%v: %s", err, cmp.Diff(page, []store.Event{want}))
	}
}

func TestEvents_WalksOverManyThatDoNotMatch(t *testing.T) {
	db := withEvents(t, 5000) // several transactions
	if got := requestIDs(t, db, store.EventQuery{RequestID: "r0"}); !slices.Equal(got, []string{"r0"}) {
		t.Errorf("found %v", got)
	}
	if got := requestIDs(t, db, store.EventQuery{}); len(got) != 5000 || got[4999] != "r0" {
		t.Errorf("%d events", len(got))
	}
}

func TestEvents_RefusesBadQueries(t *testing.T) {
	db := withEvents(t, 1)
	for _, q := range []store.EventQuery{{Limit: -1}, {Limit: 1001}, {Cursor: "x"}, {Cursor: "!"}} {
		if _, _, err := db.Events(q); store.CodeOf(err) != store.CodeInvalid {
			t.Errorf("%+v: %v", q, err)
		}
	}
	if _, err := db.Summary(store.EventQuery{}, "moon"); store.CodeOf(err) != store.CodeInvalid {
		t.Errorf("grouping: %v", err)
	}
}

func TestEvents_RefusesADamagedEvent(t *testing.T) {
	o := inDir(newDir(t))
	db := mustOpen(t, o)
	db.RecordUsage(0, firstDay, store.AppendEvent(nil, hourlyEvent(0)), 0)
	mustClose(t, db)
	tamper(t, o.Dir, func(tx *bbolt.Tx) {
		key, value := tx.Bucket([]byte("usage")).Cursor().First()
		value = append([]byte(nil), value...)
		value[20] ^= 1
		put(t, tx, "usage", string(key), value)
	})
	db = mustOpen(t, o)
	if _, _, err := db.Events(store.EventQuery{}); store.CodeOf(err) != store.CodeDamaged {
		t.Errorf("error %v", err)
	}
}

func TestSummary_GroupsAndSums(t *testing.T) {
	const n = 50
	db := withEvents(t, n)
	total, err := db.Summary(store.EventQuery{}, "")
	if err != nil || len(total) != 1 {
		t.Fatalf("rows %v, %v", total, err)
	}
	for _, by := range store.Groupings() {
		rows, err := db.Summary(store.EventQuery{Limit: 1}, by)
		if err != nil {
			t.Fatal(err)
		}
		var sum store.SummaryRow
		for _, r := range rows {
			sum.Requests += r.Requests
			sum.Errors += r.Errors
			sum.Tokens.Add(r.Tokens)
			sum.CostNanos += r.CostNanos
			sum.Unpriced += r.Unpriced
		}
		if sum != total[0] {
			t.Errorf("by %s: %+v, want %+v", by, sum, total[0])
		}
	}
	if r := total[0]; r.Requests != n || r.Errors != 10 || r.Unpriced != 20 || r.Tokens.Input != 400 || r.CostNanos == 0 {
		t.Errorf("total %+v", r)
	}
	days, err := db.Summary(store.EventQuery{Model: "model-1"}, "day")
	if err != nil || len(days) != 3 || days[0].Group != "2026-05-01" || days[0].Requests != 6 || days[2].Group != "2026-05-03" {
		t.Errorf("days %+v, %v", days, err)
	}
	keys, err := db.Summary(store.EventQuery{Since: firstDay.Add(44 * time.Hour)}, "key")
	if err != nil || len(keys) != 5 || keys[0].Group != "key-4" || keys[0].Requests != 2 {
		t.Errorf("keys %+v, %v", keys, err)
	}
}
