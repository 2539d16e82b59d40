package catalogdata_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"relay/store"
	"relay/store/catalogdata"
	"relay/store/storetest"
)

// apply applies the catalogue in one write and returns what was done with each
// row, those that were left as they are left out.
func apply(t *testing.T, db *store.DB, data *catalogdata.Data) []string {
	t.Helper()
	var done []string
	_, err := db.Write(func(e *store.Edit) error {
		changes, err := data.Apply(e)
		for _, c := range changes {
			if c.Action != catalogdata.ActionUnchanged {
				done = append(done, fmt.Sprintf("%s %s %s", c.Action, c.Kind, c.Name))
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return done
}

func want(t *testing.T, got []string, want ...string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// change writes what edit makes of a copy of the record.
func change[S any](t *testing.T, db *store.DB, stored *store.Record[S], edit func(*store.Record[S])) {
	t.Helper()
	rec := *stored
	edit(&rec)
	if _, err := db.Write(func(e *store.Edit) error { return e.Put(&rec) }); err != nil {
		t.Fatal(err)
	}
}

func TestApply_WritesTheWholeCatalogueIntoAnEmptyDatabase(t *testing.T) {
	db, data := storetest.Open(t), load(t)
	done := apply(t, db, data)
	if len(done) != len(data.Records()) || slices.ContainsFunc(done, func(d string) bool { return !strings.HasPrefix(d, "create ") }) {
		t.Errorf("%d rows, of which were done\n%s", len(data.Records()), strings.Join(done, "\n"))
	}
	c := db.Catalog()
	if problems := c.Check(); len(problems) > 0 {
		t.Errorf("the catalog has errors: %v", problems)
	}
	if c.Hosts.Len() != len(data.Hosts) || c.Models.Len() != len(data.Models) || c.HostBindings.Len() != len(data.Offers) || c.HostKeys.Len() != 0 {
		t.Errorf("%d hosts, %d models, %d bindings, %d keys", c.Hosts.Len(), c.Models.Len(), c.HostBindings.Len(), c.HostKeys.Len())
	}
	model, binding := c.Models.ByName("claude-opus-5"), c.HostBindings.ByName("claude-opus-5-anthropic")
	if model.Spec.ProviderID != c.Providers.ByName("anthropic").Metadata.ID || binding.Spec.ModelID != model.Metadata.ID ||
		binding.Spec.HostID != c.Hosts.ByName("anthropic").Metadata.ID ||
		binding.Spec.PricingID != c.Pricings.ByName("claude-opus-5-anthropic").Metadata.ID {
		t.Errorf("model %+v, binding %+v", model.Spec, binding.Spec)
	}
}

func TestApply_ChangesNothingTheSecondTime(t *testing.T) {
	db, data := storetest.Open(t), load(t)
	apply(t, db, data)
	generation := db.Catalog().Generation
	want(t, apply(t, db, data))
	if got := db.Catalog().Generation; got != generation {
		t.Errorf("generation %d became %d", generation, got)
	}
}

func TestApply_WorksOnADraft(t *testing.T) {
	draft := store.NewDraft(store.NewCatalog())
	changes, err := load(t).Apply(draft)
	if err != nil || len(changes.Of(catalogdata.ActionCreate)) != len(changes) || len(changes) == 0 {
		t.Errorf("%d of %d rows made, %v", len(changes.Of(catalogdata.ActionCreate)), len(changes), err)
	}
	if problems := draft.Problems(); len(problems) > 0 {
		t.Errorf("problems: %v", problems)
	}
}

func TestApply_FollowsTheCatalogueWhereNobodyHasEdited(t *testing.T) {
	db := storetest.Open(t)
	apply(t, db, mustRead(t, small))
	before := db.Catalog()
	newer := mustRead(t, edited(t, "release: 1", "release: 2", "output: 2.00", "output: 3.00", "checked: 2026-11-01", "checked: 2026-12-01", "context: 1000", "context: 2000"))
	want(t, apply(t, db, newer), "update model acme-1", "update pricing acme-1-acme")
	pricing, former := db.Catalog().Pricings.ByName("acme-1-acme"), before.Pricings.ByName("acme-1-acme")
	if pricing.Spec.Rates[1].Amount != "3.00" || pricing.Metadata.Annotations["catalog/checked"] != "2026-12-01" ||
		pricing.Metadata.ID != former.Metadata.ID || pricing.Metadata.Origin.Hash == former.Metadata.Origin.Hash {
		t.Errorf("%+v was %+v", pricing, former)
	}
	want(t, apply(t, db, newer))
}

func TestApply_LeavesWhatAUserHasEdited(t *testing.T) {
	db := storetest.Open(t)
	apply(t, db, mustRead(t, small))
	change(t, db, db.Catalog().Hosts.ByName("acme"), func(h *store.Host) { h.Spec.ProxyURL = "http://proxy.example:3128" })
	change(t, db, db.Catalog().Pricings.ByName("acme-1-acme"), func(p *store.Pricing) {
		p.Spec.Rates = []store.Rate{rate("input", "9", 0, "", ""), rate("output", "9", 0, "", "")}
	})
	generation := db.Catalog().Generation
	want(t, apply(t, db, mustRead(t, small)), "drift host acme", "drift pricing acme-1-acme")
	newer := mustRead(t, edited(t, "output: 2.00", "output: 3.00", "context: 1000", "context: 2000"))
	want(t, apply(t, db, newer), "update model acme-1", "drift host acme", "kept pricing acme-1-acme")
	c := db.Catalog()
	if c.Pricings.ByName("acme-1-acme").Spec.Rates[1].Amount != "9" || c.Hosts.ByName("acme").Spec.ProxyURL == "" || c.Generation != generation+1 {
		t.Errorf("generation %d after %d, %+v", c.Generation, generation, c.Pricings.ByName("acme-1-acme").Spec)
	}
}

func TestApply_FollowsAgainOnceTheUserAgrees(t *testing.T) {
	db := storetest.Open(t)
	apply(t, db, mustRead(t, small))
	change(t, db, db.Catalog().Models.ByName("acme-1"), func(m *store.Model) { m.Spec.ContextWindow = 2000 })
	want(t, apply(t, db, mustRead(t, edited(t, "context: 1000", "context: 2000"))))
	want(t, apply(t, db, mustRead(t, edited(t, "context: 1000", "context: 3000"))), "update model acme-1")
}

func TestApply_KeepsWhatUsersWriteAroundASpec(t *testing.T) {
	db := storetest.Open(t)
	apply(t, db, mustRead(t, small))
	change(t, db, db.Catalog().Models.ByName("acme-1"), func(m *store.Model) {
		m.Metadata.DisplayName, m.Metadata.Labels = "Our favourite", map[string]string{"team": "research"}
		m.Metadata.Annotations = map[string]string{"seen": "yes", "catalog/source": "me", "catalog/old": "gone"}
	})
	want(t, apply(t, db, mustRead(t, edited(t, "context: 1000", "context: 2000"))), "update model acme-1")
	m := db.Catalog().Models.ByName("acme-1").Metadata
	if m.DisplayName != "Our favourite" || m.Labels["team"] != "research" || m.Owner.Kind != "system" ||
		fmt.Sprint(m.Annotations) != "map[catalog/source:vendor seen:yes]" {
		t.Errorf("%+v", m)
	}
}

func TestApply_TakesSwitchedOnForNoEditAndSwitchedOffForOne(t *testing.T) {
	db := storetest.Open(t)
	apply(t, db, mustRead(t, small))
	enabled := true
	change(t, db, db.Catalog().Hosts.ByName("acme"), func(h *store.Host) { h.Spec.Enabled = &enabled })
	want(t, apply(t, db, mustRead(t, small)))
	enabled = false
	change(t, db, db.Catalog().Hosts.ByName("acme"), func(h *store.Host) { h.Spec.Enabled = &enabled })
	want(t, apply(t, db, mustRead(t, small)), "drift host acme")
}

const second = `
models:
- {name: acme-2, title: Acme 2, provider: acme, context: 1000, can: [chat], source: vendor, since: 2}
offers:
- {model: acme-2, host: acme, since: 2, prices: [{usd: {input: 1.00, output: 2.00}, source: vendor, checked: 2026-11-01}]}
`

func TestApply_MakesRowsThatAreNewAndLeavesDeletedOnesAway(t *testing.T) {
	db := storetest.Open(t)
	apply(t, db, mustRead(t, small))
	c := db.Catalog()
	storetest.Delete(t, db, c.HostBindings.ByName("acme-1-acme"), c.Models.ByName("acme-1"))
	want(t, apply(t, db, mustRead(t, small)), "absent model acme-1", "absent host-binding acme-1-acme")
	newer := mustRead(t, edited(t, "release: 1", "release: 2"), second)
	want(t, apply(t, db, newer),
		"absent model acme-1", "create model acme-2", "absent host-binding acme-1-acme", "create pricing acme-2-acme", "create host-binding acme-2-acme")
	storetest.Delete(t, db, db.Catalog().HostBindings.ByName("acme-2-acme"))
	want(t, apply(t, db, newer), "absent model acme-1", "absent host-binding acme-1-acme", "absent host-binding acme-2-acme")
}

func TestApply_MakesADeletedRowAgainOnceItHasChanged(t *testing.T) {
	db := storetest.Open(t)
	apply(t, db, mustRead(t, small))
	c := db.Catalog()
	storetest.Delete(t, db, c.HostBindings.ByName("acme-1-acme"), c.Models.ByName("acme-1"))
	changed := mustRead(t, edited(t, "context: 1000", "context: 2000"))
	want(t, apply(t, db, changed), "create model acme-1", "absent host-binding acme-1-acme")
	storetest.Delete(t, db, db.Catalog().Models.ByName("acme-1"))
	want(t, apply(t, db, changed), "absent model acme-1", "absent host-binding acme-1-acme")
}

func TestApply_MakesNoPricesForAHostThatIsGone(t *testing.T) {
	db := storetest.Open(t)
	apply(t, db, mustRead(t, small))
	c := db.Catalog()
	storetest.Delete(t, db, c.HostBindings.ByName("acme-1-acme"), c.Hosts.ByName("acme"))
	want(t, apply(t, db, mustRead(t, edited(t, "release: 1", "release: 2"), second)),
		"create model acme-2", "absent host acme", "absent host-binding acme-1-acme", "absent pricing acme-2-acme", "absent host-binding acme-2-acme")
}

func TestApply_TakesARenamedHostForAnEditAndDoesNotMakeItAgain(t *testing.T) {
	db := storetest.Open(t)
	apply(t, db, mustRead(t, small))
	change(t, db, db.Catalog().Hosts.ByName("acme"), func(h *store.Host) { h.Metadata.Name = "main" })
	want(t, apply(t, db, mustRead(t, small)), "absent host acme", "drift host-binding acme-1-acme")
}

func TestApply_BindsNothingToSomebodyElsesHostOfTheName(t *testing.T) {
	db := storetest.Open(t)
	own := &store.Host{Metadata: store.Metadata{Name: "acme"}, Spec: store.HostSpec{BaseURL: "http://127.0.0.1:9000/v1", Auth: "none"}}
	if _, err := db.Write(func(e *store.Edit) error { return e.Put(own) }); err != nil {
		t.Fatal(err)
	}
	want(t, apply(t, db, mustRead(t, small)),
		"create provider acme", "create model acme-1", "foreign host acme", "absent pricing acme-1-acme", "absent host-binding acme-1-acme")
	if got := db.Catalog().Hosts.ByName("acme").Spec.BaseURL; got != own.Spec.BaseURL {
		t.Errorf("the host now points at %s", got)
	}
}

func TestApply_LeavesRecordsThatAnotherSourceHasTakenOver(t *testing.T) {
	db := storetest.Open(t)
	apply(t, db, mustRead(t, small))
	change(t, db, db.Catalog().Models.ByName("acme-1"), func(m *store.Model) { m.Metadata.Origin = &store.Origin{Kind: "file", Hash: "0"} })
	want(t, apply(t, db, mustRead(t, edited(t, "context: 1000", "context: 2000"))), "foreign model acme-1")
}

func TestApply_KnowsABindingByWhatItBinds(t *testing.T) {
	db := storetest.Open(t)
	apply(t, db, mustRead(t, small))
	change(t, db, db.Catalog().HostBindings.ByName("acme-1-acme"), func(b *store.HostBinding) { b.Metadata.Name = "other" })
	want(t, apply(t, db, mustRead(t, edited(t, "host: acme, prices", "host: acme, as: acme-one, prices"))), "update host-binding acme-1-acme")
	if b := db.Catalog().HostBindings.ByName("other"); b == nil || b.Spec.UpstreamName != "acme-one" {
		t.Errorf("binding other: %+v", b)
	}
}

func TestApply_IsNotLedAstrayByAnAlias(t *testing.T) {
	db := storetest.Open(t)
	apply(t, db, mustRead(t, small))
	change(t, db, db.Catalog().Models.ByName("acme-1"), func(m *store.Model) { m.Spec.Aliases = []string{"acme-2"} })
	apply(t, db, mustRead(t, edited(t, "release: 1", "release: 2"), second))
	c := db.Catalog()
	if b := c.HostBindings.ByName("acme-2-acme"); b == nil || b.Spec.ModelID != c.Models.ByName("acme-2").Metadata.ID {
		t.Errorf("binding %+v", b)
	}
}

func TestApply_FailsWithTheRowThatCannotBeWritten(t *testing.T) {
	_, err := mustRead(t, small).Apply(refusing{store.NewDraft(store.NewCatalog())})
	if err == nil || !strings.Contains(err.Error(), "write provider acme of the catalogue: no room") {
		t.Errorf("got %v", err)
	}
}

// refusing takes no records.
type refusing struct{ *store.Draft }

func (refusing) Put(store.AnyRecord) error { return fmt.Errorf("no room") }

// The hash stands in every database: a spec that has not changed must keep it.
func TestRecords_KeepTheHashesThatDatabasesHold(t *testing.T) {
	var got []string
	for _, rec := range mustRead(t, small).Records() {
		got = append(got, fmt.Sprintf("%s %s", rec.Kind(), rec.Meta().Origin.Hash))
	}
	want(t, got,
		"provider c6bcc8b74c133afe3a3b844385edf967",
		"model 8e3ea087de88536072e2c6508a6e1399",
		"host d85a6f234e3b7beda152cd0bdbe0e5d2",
		"pricing 1625ea3d2123846fa6aedbf735afb290",
		"host-binding b5456ab3616f86a79c1a51790229a4d9")
}

func BenchmarkApply_ToADatabaseThatHasItAll(b *testing.B) {
	db, data := storetest.Open(b), load(b)
	for b.Loop() {
		if _, err := db.Write(func(e *store.Edit) error { _, err := data.Apply(e); return err }); err != nil {
			b.Fatal(err)
		}
	}
}
