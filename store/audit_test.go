package store_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"relay/store"
	"relay/store/storetest"
)

// audit lists the actions of a query, newest first.
func audit(t *testing.T, db *store.DB, q store.AuditQuery) []store.AuditEntry {
	t.Helper()
	if q.Limit == 0 {
		q.Limit = 100
	}
	entries, _, err := db.Audit(q)
	if err != nil {
		t.Fatal(err)
	}
	return entries
}

func TestAudit_TellsOfEveryWriteWithPathsAndWithoutValues(t *testing.T) {
	var told []store.AuditEntry
	db := storetest.Open(t, func(o *store.Options) {
		o.OnAudit = func(e store.AuditEntry) { told = append(told, e) }
	})
	maria := store.Actor{Kind: "user", ID: "u-1", Name: "maria"}
	h := host("up")
	if _, err := db.Write(func(e *store.Edit) error {
		e.Audit(maria, "192.0.2.7", "create-host")
		return putAll(e, []store.AnyRecord{h, storedKey("a", "up", "secret-0123456789-secret")})
	}); err != nil {
		t.Fatal(err)
	}
	h.Spec.BaseURL, h.Metadata.Labels = "https://elsewhere.example/v1", map[string]string{"tier": "canary-value"}
	write(t, db, h)
	if _, err := db.Write(func(e *store.Edit) error { return e.Put(h) }); err != nil { // changes nothing
		t.Fatal(err)
	}
	entries := audit(t, db, store.AuditQuery{})
	if len(entries) != 2 || len(told) != 2 {
		t.Fatalf("%d entries, %d told", len(entries), len(told))
	}
	made, changed := entries[1], entries[0]
	if made.Actor != maria || made.Address != "192.0.2.7" || made.Action != "create-host" || made.Outcome != "done" || made.Generation != 1 || len(made.Records) != 2 {
		t.Errorf("made %+v", made)
	}
	if changed.Actor.Kind != "system" || changed.Action != "automatic" || changed.Records[0].Change != "update" ||
		!slices.Equal(changed.Records[0].Members, []string{"metadata.labels", "spec.baseURL"}) {
		t.Errorf("changed %+v", changed)
	}
	if text := fmt.Sprint(entries); strings.Contains(text, "elsewhere") || strings.Contains(text, "canary") || strings.Contains(text, "secret-0") {
		t.Errorf("the log holds values: %s", text)
	}
	if told[1].ID != changed.ID || changed.ID == made.ID {
		t.Errorf("ids %q, %q, told %q", made.ID, changed.ID, told[1].ID)
	}
}

func TestAudit_TellsOfSecretsByTheirPlace(t *testing.T) {
	db := storetest.Open(t)
	write(t, db, host("up"), storedKey("a", "up", "secret-0123456789-secret"))
	key := storedKey("a", "up", "another-0123456789-secret")
	key.Metadata.ID = db.Catalog().HostKeys.ByName("a").Metadata.ID
	write(t, db, key)
	if got := audit(t, db, store.AuditQuery{})[0].Records[0].Members; !slices.Contains(got, "spec.value") {
		t.Errorf("members %v", got)
	}
}

func TestAudit_NamesAHundredRecordsAndCountsTheRest(t *testing.T) {
	db := storetest.Open(t)
	var all []store.AnyRecord
	for i := range 130 {
		all = append(all, host(fmt.Sprintf("h-%d", i)))
	}
	write(t, db, all...)
	if e := audit(t, db, store.AuditQuery{})[0]; len(e.Records) != 100 || e.More != 30 {
		t.Errorf("%d records and %d more", len(e.Records), e.More)
	}
}

func TestAudit_IsReadInPagesAndByFilters(t *testing.T) {
	now := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	db := storetest.Open(t, func(o *store.Options) { o.Now = func() time.Time { return now } })
	for i := range 25 {
		now = now.Add(time.Minute)
		entry := store.AuditEntry{Actor: store.Actor{Kind: "user", ID: "u", Name: "maria"}, Action: "sign-in", Outcome: "done", Reason: fmt.Sprint(i)}
		if i%5 == 0 {
			entry.Outcome, entry.Actor.Name, entry.Records = "refused", "noor", []store.AuditRecord{{Kind: store.KindHost, ID: "h", Name: "up"}}
		}
		if err := db.AppendAudit(entry); err != nil {
			t.Fatal(err)
		}
	}
	var seen []string
	for q := (store.AuditQuery{Limit: 10}); ; {
		page, next, err := db.Audit(q)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range page {
			seen = append(seen, e.Reason)
		}
		if q.Cursor = next; next == "" {
			break
		}
	}
	if len(seen) != 25 || seen[0] != "24" || seen[24] != "0" {
		t.Errorf("pages %v", seen)
	}
	for name, row := range map[string]struct {
		q    store.AuditQuery
		want int
	}{
		"outcome":  {store.AuditQuery{Outcome: "refused"}, 5},
		"name":     {store.AuditQuery{Actor: "Maria"}, 20},
		"kind":     {store.AuditQuery{Actor: "user"}, 25},
		"record":   {store.AuditQuery{Kind: store.KindHost, Record: "up"}, 5},
		"other":    {store.AuditQuery{Kind: store.KindModel}, 0},
		"action":   {store.AuditQuery{Action: "sign-out"}, 0},
		"since":    {store.AuditQuery{Since: now.Add(-4 * time.Minute)}, 5},
		"until":    {store.AuditQuery{Until: now}, 24},
		"together": {store.AuditQuery{Since: now.Add(-9 * time.Minute), Until: now.Add(-4 * time.Minute), Outcome: "refused"}, 1},
	} {
		if got := audit(t, db, row.q); len(got) != row.want {
			t.Errorf("%s: %d entries, want %d", name, len(got), row.want)
		}
	}
	if _, _, err := db.Audit(store.AuditQuery{Limit: 1, Cursor: "nonsense!"}); store.CodeOf(err) != store.CodeInvalid {
		t.Errorf("a cursor that is none: %v", err)
	}
	if n, err := db.PruneAudit(now.Add(-9 * time.Minute)); err != nil || n != 15 {
		t.Errorf("pruned %d, %v", n, err)
	}
	if got := audit(t, db, store.AuditQuery{}); len(got) != 10 {
		t.Errorf("%d entries are left", len(got))
	}
}

func TestAudit_GoesOnCountingAfterARestart(t *testing.T) {
	o := inDir(newDir(t))
	at := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	o.Now = func() time.Time { return at }
	for i := range 3 {
		db := mustOpen(t, o)
		if err := db.AppendAudit(store.AuditEntry{Action: fmt.Sprint(i)}); err != nil {
			t.Fatal(err)
		}
		if got := audit(t, db, store.AuditQuery{}); len(got) != i+1 || got[0].Action != fmt.Sprint(i) {
			t.Errorf("round %d: %+v", i, got)
		}
		mustClose(t, db)
	}
}
