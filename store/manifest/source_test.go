package manifest_test

import (
	"strings"
	"testing"

	"relay/store"
	"relay/store/manifest"
	"relay/store/storetest"
)

func rewrite[S any](t *testing.T, db *store.DB, stored *store.Record[S], change func(*S)) {
	t.Helper()
	rec := *stored
	change(&rec.Spec)
	if _, err := db.Write(func(e *store.Edit) error { return e.Put(&rec) }); err != nil {
		t.Fatal(err)
	}
}

func TestApply_LeavesAloneWhatRefersToSomethingThatWasDeleted(t *testing.T) {
	db, source := storetest.Open(t), manifest.ApplyOptions{Source: "folder", Whole: true}
	model := doc("Model", "m", "{}") + doc("Model", "n", "{}")
	docs := read(t, model+doc("Policy", "p", "{models: [m, n]}"))
	apply(t, db, docs, source)
	c := db.Catalog()
	rewrite(t, db, c.Policies.ByName("p"), func(p *store.PolicySpec) { p.Models = p.Models[1:] })
	storetest.Delete(t, db, c.Models.ByName("m"))
	want(t, apply(t, db, docs, source), "drift model m", "unchanged model n", "drift policy p")
	if problems := manifest.Check(db.Catalog(), docs, source, nil); len(problems) > 0 {
		t.Errorf("the check finds %v", problems)
	}
	if _, err := tryApply(db, read(t, model+doc("Policy", "p", "{models: [m]}")), source); err == nil || !strings.Contains(err.Error(), "spec.models[0]") {
		t.Errorf("a new text with the old reference: %v", err)
	}
	want(t, apply(t, db, docs, manifest.ApplyOptions{Source: "folder", Force: true}), "create model m", "unchanged model n", "update policy p spec.models")
}

func TestApply_OfTwoSourcesRemembersWhatEachHasSaid(t *testing.T) {
	db := storetest.Open(t)
	folder, person := manifest.ApplyOptions{Source: "folder", Whole: true}, manifest.ApplyOptions{Source: "apply"}
	five, seven := read(t, doc("Model", "m", "{contextWindow: 5}")), read(t, doc("Model", "m", "{contextWindow: 7}"))
	want(t, apply(t, db, five, folder), "create model m")
	want(t, apply(t, db, seven, person), "update model m spec.contextWindow")
	want(t, apply(t, db, five, folder), "drift model m spec.contextWindow")
	want(t, apply(t, db, five, person), "update model m spec.contextWindow")
	want(t, apply(t, db, five, folder), "unchanged model m")
	want(t, apply(t, db, seven, folder), "update model m spec.contextWindow")
	storetest.Delete(t, db, db.Catalog().Models.ByName("m"))
	want(t, apply(t, db, five, person), "drift model m")
	want(t, apply(t, db, seven, folder), "drift model m")
	want(t, apply(t, db, seven, person), "create model m")
}

func TestApply_TakesOverWhatIsShippedOrFoundOrMadeByHand(t *testing.T) {
	for _, origin := range []*store.Origin{nil, {Kind: store.OriginCatalog, Source: "embedded", Hash: "1"}, {Kind: store.OriginDiscovery, Source: "host:up"}} {
		db := storetest.Open(t)
		rec := &store.Model{Metadata: store.Metadata{Name: "m", Origin: origin}}
		if _, err := db.Write(func(e *store.Edit) error { return e.Put(rec) }); err != nil {
			t.Fatal(err)
		}
		same := read(t, doc("Model", "m", "{}"))
		want(t, apply(t, db, same, manifest.ApplyOptions{Source: "apply"}), "unchanged model m")
		if got := db.Catalog().Models.ByName("m").Metadata.Origin; (got == nil) != (origin == nil) || got != nil && got.Kind != origin.Kind {
			t.Errorf("%+v became %+v although nothing has changed", origin, got)
		}
		want(t, apply(t, db, same, manifest.ApplyOptions{Source: "folder", Whole: true}), "unchanged model m")
		if got := db.Catalog().Models.ByName("m").Metadata.Origin; got == nil || got.Kind != store.OriginFile {
			t.Errorf("%+v became %+v under a whole source", origin, got)
		}
		want(t, apply(t, db, read(t, doc("Model", "m", "{contextWindow: 5}")), manifest.ApplyOptions{Source: "apply"}), "update model m spec.contextWindow")
	}
}

func TestApply_PrunesWhatItsSourceSaysNoMore(t *testing.T) {
	db := storetest.Open(t)
	labelled := func(kind, name, spec string) string {
		return "---\napiVersion: relay/v1\nkind: " + kind + "\nmetadata: {name: " + name + ", labels: {app: x}}\nspec: " + spec + "\n"
	}
	all := read(t, labelled("Model", "a", "{}")+labelled("Model", "b", "{fallbacks: [c]}")+labelled("Model", "c", "{}")+doc("Model", "plain", "{}"))
	apply(t, db, all, manifest.ApplyOptions{Source: "apply"})
	apply(t, db, read(t, labelled("Model", "foreign", "{}")), manifest.ApplyOptions{Source: "folder"})
	prune := manifest.ApplyOptions{Source: "apply", Prune: map[string]string{"app": "x"}}
	want(t, apply(t, db, all[:1], prune), "unchanged model a", "delete model b", "delete model c")
	if n := db.Catalog().Models.Len(); n != 3 {
		t.Errorf("%d models", n)
	}
	want(t, apply(t, db, all, manifest.ApplyOptions{Source: "apply"}), "unchanged model a", "create model b", "create model c", "unchanged model plain")

	user := &store.Model{Metadata: store.Metadata{Name: "user"}, Spec: store.ModelSpec{Fallbacks: []store.Fallback{{ModelID: "c"}}}}
	if _, err := db.Write(func(e *store.Edit) error { return e.Put(user) }); err != nil {
		t.Fatal(err)
	}
	if _, err := tryApply(db, all[:1], prune); store.CodeOf(err) != store.CodeConflict || db.Catalog().Models.ByName("b") == nil {
		t.Errorf("pruning what somebody else needs: %v", err)
	}
}
