package admin_test

import (
	"strings"
	"testing"

	"relay/admin"
	"relay/gateway/plan"
	"relay/store"
	"relay/store/storetest"
)

func TestEnsureLocal_MakesTheServiceAccountOnce(t *testing.T) {
	db := storetest.Open(t)
	if err := admin.EnsureLocal(db); err == nil || !strings.Contains(err.Error(), "inference.auth: key") {
		t.Fatalf("without a project default: %v", err)
	}
	if err := admin.FirstBoot(db); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := admin.EnsureLocal(db); err != nil {
			t.Fatal(err)
		}
	}
	local := db.Catalog().ServiceAccounts.ByName(plan.LocalAccount)
	if local == nil || local.Spec.ProjectID != db.Catalog().Projects.ByName("default").Metadata.ID {
		t.Fatalf("local is %+v", local)
	}
	off, generation := false, db.Catalog().Generation
	changed := *local
	changed.Spec.Enabled = &off
	if _, err := db.Write(func(e *store.Edit) error { return e.Put(&changed) }); err != nil {
		t.Fatal(err)
	}
	if err := admin.EnsureLocal(db); err != nil || store.Enabled(db.Catalog().ServiceAccounts.ByName(plan.LocalAccount).Spec.Enabled) || db.Catalog().Generation != generation+1 {
		t.Errorf("what an operator has switched off was touched (%v)", err)
	}
}

func TestExplain_ShowsWhatAnAliasModelStandsFor(t *testing.T) {
	p := startPlanned(t)
	p.serve()
	p.create(store.KindModel, `{"metadata":{"name":"fast"},"spec":{"fallbacks":[{"modelId":"mini"}]}}`)
	p.send("PATCH", "/api/policies/by-id/"+p.current.Load().Catalog().Policies.ByName("chat").Metadata.ID, `{"spec":{"models":["fast"]}}`, "Content-Type", "application/merge-patch+json").want(200)
	p.send("POST", "/api/explain", `{"credential":"script","model":"fast"}`).want(200).holds(
		`"allowed":true`, `"alias":true`, `"through":"fast"`, `"of":"fast"`, `"selection":"prioritized"`)
	p.send("POST", "/api/explain", `{"credential":"script","model":"mini"}`).want(200).holds(`"code":"model_not_allowed"`)
	p.send("GET", "/api/accounts/team:default/effective", "").want(200).holds(
		`"models":["fast"]`, `"aliases":[{"model":{"kind":"model"`, `"through":true`, `"hosts":["up"]`, `"forwards":[]`)
	p.send("GET", "/api/policies/chat/rate-limits", "").want(200).holds(`"models":["fast"]`)
}
