package store_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"relay/store"
	"relay/store/storetest"
)

// priceChange is the time from which the second price of byDay holds.
var priceChange = firstDay.Add(36 * time.Hour)

// byDay prices output at 2 nano-dollars a token, and from priceChange on at 5.
// What no host has answered stays as it is.
func byDay(e *store.Event) {
	if e.Status >= 400 {
		return
	}
	cost := 2 * e.Tokens.Output
	if !e.At.Before(priceChange) {
		cost = 5 * e.Tokens.Output
	}
	e.CostNanos, e.Pricing = &cost, "list"
}

func reprice(t *testing.T, db *store.DB, q store.RepriceQuery) store.Repriced {
	t.Helper()
	sums, err := db.Reprice(t.Context(), q, byDay)
	if err != nil {
		t.Fatal(err)
	}
	return sums
}

// costOf is the sum of what the summary says.
func costOf(t *testing.T, db *store.DB, q store.EventQuery) int64 {
	t.Helper()
	rows, err := db.Summary(q, "")
	if err != nil {
		t.Fatal(err)
	}
	if len(rows) == 0 {
		return 0
	}
	return rows[0].CostNanos
}

func TestReprice_PutsThePriceOfItsOwnTimeOnEachEventAndSummariesFollow(t *testing.T) {
	db := withEvents(t, 100)
	before := events(t, db)
	var want store.Repriced
	for i := range before {
		e := before[i]
		byDay(&e)
		want.Events++
		if before[i].CostNanos != nil {
			want.BeforeNanos += *before[i].CostNanos
		}
		if e.CostNanos != nil {
			want.AfterNanos += *e.CostNanos
		}
		switch {
		case before[i].CostNanos == nil && e.CostNanos != nil:
			want.Changed++
			want.NewlyPriced++
		case e.CostNanos != nil && *e.CostNanos != *before[i].CostNanos:
			want.Changed++
		}
	}
	if got := reprice(t, db, store.RepriceQuery{}); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if got := costOf(t, db, store.EventQuery{}); got != want.AfterNanos {
		t.Errorf("the summary says %d, want %d", got, want.AfterNanos)
	}
	for i, e := range events(t, db) {
		wanted := before[i]
		byDay(&wanted)
		if diff := cmp.Diff(wanted, e); diff != "" {
			t.Errorf("event %s: %s", e.RequestID, diff)
		}
	}
}

func TestReprice_ChangesNothingTheSecondTimeNorWhenOnlyTried(t *testing.T) {
	db := withEvents(t, 60)
	former := events(t, db)
	tried := reprice(t, db, store.RepriceQuery{DryRun: true})
	if diff := cmp.Diff(former, events(t, db)); diff != "" || tried.Changed == 0 {
		t.Errorf("%d would change; a dry run has changed %s", tried.Changed, diff)
	}
	if done := reprice(t, db, store.RepriceQuery{}); done != tried {
		t.Errorf("done %+v, tried %+v", done, tried)
	}
	again := reprice(t, db, store.RepriceQuery{})
	if again.Changed != 0 || again.BeforeNanos != again.AfterNanos || again.AfterNanos != tried.AfterNanos {
		t.Errorf("the second time: %+v", again)
	}
}

func TestReprice_KeepsToItsTimes(t *testing.T) {
	db := withEvents(t, 60)
	q := store.RepriceQuery{Since: firstDay.Add(10 * time.Hour), Until: firstDay.Add(20 * time.Hour)}
	outside := costOf(t, db, store.EventQuery{}) - costOf(t, db, store.EventQuery{Since: q.Since, Until: q.Until})
	done := reprice(t, db, q)
	if done.Events != 10 {
		t.Errorf("looked at %d events, want 10", done.Events)
	}
	if got := costOf(t, db, store.EventQuery{}); got != outside+done.AfterNanos {
		t.Errorf("all cost %d, want %d outside and %d inside", got, outside, done.AfterNanos)
	}
}

// More events than a transaction takes, a run that is cut off in the middle, and
// requests that go on meanwhile.
func TestReprice_GoesOnWhereItWasCutOffBesideRequests(t *testing.T) {
	const n = 1800
	db := withEvents(t, n)
	ctx, cancel := context.WithCancel(t.Context())
	seen := 0
	part, err := db.Reprice(ctx, store.RepriceQuery{Until: firstDay.Add(n * time.Hour)}, func(e *store.Event) {
		if seen++; seen == 700 {
			late := hourlyEvent(n + 1)
			db.RecordUsage(0, late.At, store.AppendEvent(nil, late), 0)
			cancel()
		}
		byDay(e)
	})
	if !errors.Is(err, context.Canceled) || part.Events == 0 || part.Events >= n {
		t.Fatalf("after %d of %d events: %v", part.Events, n, err)
	}
	done := reprice(t, db, store.RepriceQuery{Until: firstDay.Add(n * time.Hour)})
	if done.Events != n || done.NewlyPriced == 0 || part.NewlyPriced == 0 {
		t.Errorf("part %+v, done %+v", part, done)
	}
	flush(t, db)
	wantCount(t, db, n+1)
	if again := reprice(t, db, store.RepriceQuery{Until: firstDay.Add(n * time.Hour)}); again.Changed != 0 {
		t.Errorf("left to do: %+v", again)
	}
}

func TestReprice_LeavesCountersAsTheyAre(t *testing.T) {
	db, m := storetest.Open(t), newMeter()
	db.StartUsage(m)
	request(db, m, "alice", 40, firstDay)
	flush(t, db)
	if done := reprice(t, db, store.RepriceQuery{}); done.NewlyPriced != 1 || done.AfterNanos != 80 {
		t.Errorf("%+v", done)
	}
	if got := counters(t, db)["alice"]; got != 40 {
		t.Errorf("counter %d, want 40", got)
	}
}
