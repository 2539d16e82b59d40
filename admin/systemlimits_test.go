package admin_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/rs/zerolog"

	"relay/admin"
	"relay/limiter"
	"relay/store"
	"relay/store/storetest"
)

func TestEnsureSystemLimits_MakesWhatIsMissingAndLeavesTheRest(t *testing.T) {
	db := storetest.Open(t)
	if err := admin.EnsureSystemLimits(db, zerolog.Nop()); err != nil {
		t.Fatal(err)
	}
	names := []string{store.SystemControlAPI, store.SystemInferenceAPI, store.SystemProxy, store.SystemProxyAnonymous}
	for _, name := range names {
		if rec := db.Catalog().RateLimits.ByName(name); rec == nil || rec.Metadata.Owner == nil || rec.Metadata.Owner.Kind != store.KindSystem {
			t.Errorf("%s: %+v", name, rec)
		}
	}
	on := true
	_, err := db.Write(func(e *store.Edit) error {
		changed := *e.Catalog().RateLimits.ByName(store.SystemInferenceAPI)
		changed.Spec = store.RateLimitSpec{Enabled: &on, Rules: []limiter.Rule{{Meter: limiter.MeterRequests, Amount: 5, Window: 1, Strategy: limiter.SlidingWindow}}}
		if err := e.Put(&changed); err != nil {
			return err
		}
		return e.Delete(store.KindRateLimit, e.Catalog().RateLimits.ByName(store.SystemControlAPI).Metadata.ID)
	})
	if err != nil {
		t.Fatal(err)
	}
	generation := db.Catalog().Generation
	if err := admin.EnsureSystemLimits(db, zerolog.Nop()); err != nil {
		t.Fatal(err)
	}
	if rec := db.Catalog().RateLimits.ByName(store.SystemInferenceAPI); !*rec.Spec.Enabled {
		t.Error("a changed system limit was put back")
	}
	if rec := db.Catalog().RateLimits.ByName(store.SystemControlAPI); rec == nil || *rec.Spec.Enabled || len(rec.Spec.Rules) != 2 {
		t.Errorf("the deleted system limit is not back as shipped: %+v", rec)
	}
	if err := admin.EnsureSystemLimits(db, zerolog.Nop()); err != nil || db.Catalog().Generation != generation+1 {
		t.Errorf("a third time wrote again (%v)", err)
	}
}

func TestRateLimits_ALimitOfTheSystemStaysOne(t *testing.T) {
	a := startAdmitting(t)
	path := "/api/rate-limits/by-id/" + a.limit
	const rules = `"spec":{"enabled":true,"rules":[{"meter":"requests","amount":5,"window":1,"strategy":"sliding-window"}]}`
	a.send("PUT", path, `{"metadata":{"name":"control-api"},`+rules+`}`).want(http.StatusOK).holds(`"kind":"system"`)
	a.send("PATCH", path, `{"metadata":{"owner":null}}`, "Content-Type", "application/merge-patch+json").want(http.StatusOK).holds(`"kind":"system"`)
	a.send("PUT", path, `{"metadata":{"name":"mine"},`+rules+`}`).want(http.StatusBadRequest).holds("metadata.name", "must stay")
	a.send("PUT", path, `{"metadata":{"name":"control-api","owner":{"kind":"team","id":"default"}},`+rules+`}`).want(http.StatusBadRequest).holds("metadata.owner")
	if rec := a.db.Catalog().SystemLimit(store.SystemControlAPI); rec == nil || rec.Spec.Rules[0].Amount != 5 {
		t.Errorf("the record is %+v", rec)
	}
}

func TestEnsureSystemLimits_TakesItsNameBackFromAnother(t *testing.T) {
	a := startAdmitting(t)
	var log strings.Builder
	own := &store.RateLimit{Metadata: store.Metadata{Name: store.SystemControlAPI}, Spec: store.RateLimitSpec{
		Rules: []limiter.Rule{{Meter: limiter.MeterRequests, Amount: 7, Window: 60, Strategy: limiter.SlidingWindow}},
	}}
	_, err := a.db.Write(func(e *store.Edit) error {
		if err := e.Delete(store.KindRateLimit, a.limit); err != nil {
			return err
		}
		if err := e.Put(own); err != nil {
			return err
		}
		return e.Put(&store.Policy{Metadata: store.Metadata{Name: "chat"}, Spec: store.PolicySpec{RateLimitID: own.Metadata.ID}})
	})
	if err != nil {
		t.Fatal(err)
	}
	a.get("192.0.2.1").want(http.StatusOK) // somebody else's limit of the name is not the system's
	if err := admin.EnsureSystemLimits(a.db, zerolog.New(&log)); err != nil {
		t.Fatal(err)
	}
	c := a.db.Catalog()
	system := c.SystemLimit(store.SystemControlAPI)
	if system == nil || *system.Spec.Enabled || len(system.Spec.Rules) != 2 {
		t.Errorf("the system's limit is not back as shipped: %+v", system)
	}
	kept := c.RateLimits.Get(c.Policies.ByName("chat").Spec.RateLimitID)
	if kept == nil || kept.Metadata.ID != own.Metadata.ID || kept.Metadata.Name != "control-api-2" || kept.Spec.Rules[0].Amount != 7 {
		t.Errorf("the other limit is %+v", kept)
	}
	if !strings.Contains(log.String(), "control-api-2") {
		t.Errorf("the log says %s", log.String())
	}
	generation := c.Generation
	if err := admin.EnsureSystemLimits(a.db, zerolog.Nop()); err != nil || a.db.Catalog().Generation != generation {
		t.Errorf("a second time wrote again (%v)", err)
	}
}
