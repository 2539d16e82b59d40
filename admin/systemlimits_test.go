package admin_test

import (
	"testing"

	"relay/admin"
	"relay/limiter"
	"relay/store"
	"relay/store/storetest"
)

func TestEnsureSystemLimits_MakesWhatIsMissingAndLeavesTheRest(t *testing.T) {
	db := storetest.Open(t)
	if err := admin.EnsureSystemLimits(db); err != nil {
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
	if err := admin.EnsureSystemLimits(db); err != nil {
		t.Fatal(err)
	}
	if rec := db.Catalog().RateLimits.ByName(store.SystemInferenceAPI); !*rec.Spec.Enabled {
		t.Error("a changed system limit was put back")
	}
	if rec := db.Catalog().RateLimits.ByName(store.SystemControlAPI); rec == nil || *rec.Spec.Enabled || len(rec.Spec.Rules) != 2 {
		t.Errorf("the deleted system limit is not back as shipped: %+v", rec)
	}
	if err := admin.EnsureSystemLimits(db); err != nil || db.Catalog().Generation != generation+1 {
		t.Errorf("a third time wrote again (%v)", err)
	}
}
