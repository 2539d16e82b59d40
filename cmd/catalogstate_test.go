package cmd_test

import (
	"strings"
	"testing"
	"time"

	"relay/admin"
	"relay/cmd"
	"relay/store"
	"relay/store/catalogdata"
	"relay/store/storetest"
)

// release is a catalogue of one model, whose context and prices are the number of
// the release, or another.
func release(t *testing.T, number, context string, more ...string) *catalogdata.Data {
	t.Helper()
	text := strings.NewReplacer("N", number, "C", context).Replace(`
release: N
date: 2026-11-01
sources: [{id: vendor, title: a page, date: 2026-11-01}]
providers: [{name: acme, title: Acme, source: vendor}]
hosts: [{name: acme, title: Acme, url: "https://api.acme.example/v1", shapes: [openai], auth: bearer, source: vendor}]
models:
- {name: acme-1, title: A, provider: acme, context: C, can: [chat], source: vendor}
` + strings.Join(more, "") + `
offers: [{model: acme-1, host: acme, prices: [{usd: {input: C, output: 2}, source: vendor, checked: 2026-11-01}]}]
`)
	data, err := catalogdata.ReadText([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// shelf is a database with its catalogue.
type shelf struct {
	*cmd.ShippedCatalogue
	t   *testing.T
	db  *store.DB
	now time.Time
}

func newShelf(t *testing.T) *shelf {
	s := &shelf{t: t, db: storetest.Open(t), now: time.Date(2026, 11, 2, 0, 0, 0, 0, time.UTC)}
	s.ShippedCatalogue = cmd.NewShippedCatalogue(s.db, func() time.Time { return s.now })
	return s
}

func (s *shelf) boot(d *catalogdata.Data) {
	s.t.Helper()
	if _, err := s.Boot(d); err != nil {
		s.t.Fatal(err)
	}
}

func (s *shelf) update(d *catalogdata.Data) {
	s.t.Helper()
	text, err := d.Text()
	if err == nil {
		_, err = s.db.Write(func(e *store.Edit) error {
			_, err := s.API().Update(e, admin.CatalogueUpdate{Text: string(text), Source: "a file"})
			return err
		})
	}
	if err != nil {
		s.t.Fatal(err)
	}
}

func (s *shelf) rollback() {
	s.t.Helper()
	if _, err := s.db.Write(func(e *store.Edit) error { _, err := s.API().Rollback(e); return err }); err != nil {
		s.t.Fatal(err)
	}
}

// is checks which release is in place, and what the records say.
func (s *shelf) is(release int, context int64) {
	s.t.Helper()
	state, err := s.API().State()
	if err != nil {
		s.t.Fatal(err)
	}
	if got := s.db.Catalog().Models.ByName("acme-1").Spec.ContextWindow; state.Release != release || got != context {
		s.t.Errorf("release %d with a context of %d, want %d with %d", state.Release, got, release, context)
	}
}

func TestCatalogue_FollowsANewerBinaryAndNoOlderOne(t *testing.T) {
	s := newShelf(t)
	s.boot(release(t, "1", "1000"))
	s.is(1, 1000)
	s.boot(release(t, "3", "3000"))
	s.is(3, 3000)
	s.boot(release(t, "2", "2000"))
	s.is(3, 3000)
	s.boot(release(t, "3", "3001")) // a later build of the same release
	s.is(3, 3001)
}

func TestCatalogue_ThatSomebodyHasPutInPlaceStaysUntilANewerBinaryComes(t *testing.T) {
	s := newShelf(t)
	s.boot(release(t, "1", "1000"))
	s.update(release(t, "5", "5000"))
	s.is(5, 5000)
	for _, older := range []string{"1", "4", "5"} {
		s.boot(release(t, older, "1000"))
		s.is(5, 5000)
	}
	s.boot(release(t, "6", "6000"))
	s.is(6, 6000)
}

func TestCatalogue_ThatWasGoneBackFromDoesNotComeBackByItself(t *testing.T) {
	s := newShelf(t)
	s.boot(release(t, "1", "1000"))
	s.boot(release(t, "2", "2000"))
	s.rollback()
	s.is(1, 1000)
	s.boot(release(t, "2", "2000"))
	s.is(1, 1000)
	s.boot(release(t, "3", "3000"))
	s.is(3, 3000)
}

func TestCatalogue_UpdateAndRollbackAreOneWriteEach(t *testing.T) {
	s := newShelf(t)
	s.boot(release(t, "1", "1000"))
	generation := s.db.Catalog().Generation
	s.update(release(t, "2", "2000"))
	s.rollback()
	if got := s.db.Catalog().Generation; got != generation+2 {
		t.Errorf("generation %d became %d", generation, got)
	}
	text, _ := release(t, "2", "2000").Text()
	before := *s.db.Catalog()
	_, err := s.db.Write(func(e *store.Edit) error {
		if _, err := s.API().Update(e, admin.CatalogueUpdate{Text: string(text), Source: "a file"}); err != nil {
			return err
		}
		return &store.Error{Code: store.CodeConflict, Message: "the disk is full"}
	})
	s.is(1, 1000)
	if err == nil || s.db.Catalog().Generation != before.Generation {
		t.Errorf("a write that failed has changed something: %v", err)
	}
}

// What a user writes over a shipped price is an overlay: it outlives updates,
// restarts and a rollback, and is told each time.
func TestCatalogue_KeepsEditsThroughUpdateRestartAndRollback(t *testing.T) {
	s := newShelf(t)
	s.boot(release(t, "1", "1000"))
	edited := *s.db.Catalog().Pricings.ByName("acme-1-acme")
	edited.Spec.Rates = []store.Rate{{Meter: "tokens.input", Unit: "per_million", Amount: "7"}}
	if _, err := s.db.Write(func(e *store.Edit) error { return e.Put(&edited) }); err != nil {
		t.Fatal(err)
	}
	for name, step := range map[string]func(){
		"an update": func() { s.update(release(t, "2", "2000")) }, "a restart": func() { s.boot(release(t, "1", "1000")) },
	} {
		step()
		if got := s.db.Catalog().Pricings.ByName("acme-1-acme").Spec.Rates; len(got) != 1 || got[0].Amount != "7" {
			t.Errorf("after %s: %+v", name, got)
		}
	}
	var told []admin.CatalogueChange
	_, err := s.db.Write(func(e *store.Edit) error {
		changes, err := s.API().Rollback(e)
		told = changes
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	s.is(1, 1000)
	if len(told) != 2 || told[0].Action != "update" || told[1].Action != "drift" && told[1].Action != "kept" || s.db.Catalog().Pricings.ByName("acme-1-acme").Spec.Rates[0].Amount != "7" {
		t.Errorf("told %+v", told)
	}
}

func TestCatalogue_IsWarnedOfFromItsSixtyFirstDayOn(t *testing.T) {
	s := newShelf(t)
	s.boot(release(t, "1", "1000"))
	date := time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)
	for days, want := range map[int]bool{0: false, 59: false, 60: false, 61: true, 400: true} {
		s.now = date.AddDate(0, 0, days)
		warnings := s.Warnings()
		state, err := s.API().State()
		if err != nil || (len(warnings) == 1) != want || (state.Warning != "") != want || state.AgeDays != days {
			t.Errorf("%d days: %v, state %+v, %v", days, warnings, state, err)
		}
	}
	s.now = date.AddDate(0, 0, 60).Add(time.Second)
	if len(s.Warnings()) != 1 {
		t.Error("60 days and a second are not warned of")
	}
	newer := strings.Replace(string(first(release(t, "2", "2000").Text())), "2026-11-01", "2027-01-01", 1)
	if _, err := s.db.Write(func(e *store.Edit) error {
		_, err := s.API().Update(e, admin.CatalogueUpdate{Text: newer, Source: "a file"})
		return err
	}); err != nil {
		t.Fatal(err)
	}
	if got := s.Warnings(); len(got) != 0 {
		t.Errorf("after an update: %v", got)
	}
}

func first[T any](value T, _ error) T { return value }
