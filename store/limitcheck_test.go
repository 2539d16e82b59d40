package store_test

import (
	"encoding/json"
	"errors"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"relay/store"
	"relay/store/storetest"
)

const oneProcess = "there may be several processes: say that there is one"

// refusingLimits opens a database that refuses limits while setting limits says
// profile strict.
func refusingLimits(t *testing.T) *store.DB {
	t.Helper()
	return storetest.Open(t, func(o *store.Options) {
		o.RefuseLimits = func(c *store.Catalog) string {
			if c.Setting(store.SettingLimits).Profile == "strict" {
				return oneProcess
			}
			return ""
		}
	})
}

func strictSetting(t *testing.T) store.AnyRecord {
	return recordOf(t, `setting limits {"profile":"strict"}`)
}

// limitless are records that limit nothing, one of each kind that can.
func limitless(t *testing.T) []store.AnyRecord {
	texts := []string{
		`rate-limit off {"enabled":false,"rules":[{"meter":"requests","amount":60,"window":60,"strategy":"sliding-window"}]}`,
		`rate-limit alone {"enabled":false,"rules":[{"meter":"tokens","amount":60,"window":60,"strategy":"sliding-window"}]}`,
		`model m {}`, `policy p {"rateLimitId":"off"}`, `policy q {"rlBindings":[{"models":["m"],"rateLimitId":"off"}]}`,
		`organization acme {"limits":{"charge":"reserve"}}`, `team research {"organizationId":"acme"}`, `project bot {"teamId":"research"}`, `service-account prod {"projectId":"bot"}`,
		`relay-key k {"principal":{"kind":"service-account","id":"prod"},"keyHash":"` + strings.Repeat("0a", 32) + `"}`,
	}
	var records []store.AnyRecord
	for _, text := range texts {
		records = append(records, recordOf(t, text))
	}
	for _, shipped := range store.ShippedLimits() {
		records = append(records, shipped)
	}
	return records
}

type limitingEdit struct{ kind, name, spec, field string }

// limiting are the ways to put a limit in force on limitless records: the record
// by kind and name, what is merged into its spec, and the member at fault.
func limiting() []limitingEdit {
	return []limitingEdit{
		{"rate-limit", "alone", `{"enabled":true}`, "spec"},
		{"rate-limit", store.SystemControlAPI, `{"enabled":true}`, "spec"},
		{"rate-limit", store.SystemProxyAnonymous, `{"atCap":"refuse"}`, "spec"},
		{"model", "m", `{"limits":{"rpm":1}}`, "spec.limits"},
		{"policy", "p", `{"budgets":[{"amount":"1","period":"day"}]}`, "spec.budgets"},
		{"policy", "p", `{"rateLimitId":"` + store.SystemProxyAnonymous + `"}`, "spec.rateLimitId"},
		{"policy", "q", `{"rlBindings":[{"models":["m"],"rateLimitId":"` + store.SystemProxyAnonymous + `"}]}`, "spec.rlBindings"},
		{"organization", "acme", `{"limits":{"rpd":1}}`, "spec.limits"},
		{"team", "research", `{"limits":{"tpm":1}}`, "spec.limits"},
		{"project", "bot", `{"limits":{"concurrency":1}}`, "spec.limits"},
		{"service-account", "prod", `{"limits":{"rps":1}}`, "spec.limits"},
		{"relay-key", "k", `{"limits":{"rph":1}}`, "spec.limits"},
		{"relay-key", "k", `{"budgets":[{"amount":"1","period":"total"}]}`, "spec.budgets"},
	}
}

// merge writes the record of the name with more in its spec.
func merge(t *testing.T, db *store.DB, kind, name, spec string) error {
	t.Helper()
	_, err := db.Write(func(e *store.Edit) error {
		return e.Put(merged(t, e.Catalog(), kind, name, spec))
	})
	return err
}

func merged(t *testing.T, c *store.Catalog, kind, name, spec string) store.AnyRecord {
	t.Helper()
	stored := c.Of(store.Kind(kind)).FindByName(name)
	if stored == nil {
		t.Fatalf("no %s %s", kind, name)
	}
	text, err := json.Marshal(stored.SpecValue())
	if err != nil {
		t.Fatal(err)
	}
	rec := recordOf(t, kind+" "+name+" "+string(text))
	*rec.Meta() = *stored.Meta()
	if err := json.Unmarshal([]byte(spec), rec.SpecValue()); err != nil {
		t.Fatal(err)
	}
	return rec
}

func wantRefusedLimits(t *testing.T, err error, fields ...string) {
	t.Helper()
	var refused *store.Error
	if !errors.As(err, &refused) || refused.Code != store.CodeSharedState || refused.Message != oneProcess {
		t.Errorf("got %v, want the refusal of limits", err)
		return
	}
	var got []string
	for _, p := range refused.Problems {
		got = append(got, string(p.Kind)+" "+p.Name+" "+p.Field)
	}
	if !slices.Equal(got, fields) {
		t.Errorf("the refusal names %q, want %q", got, fields)
	}
}

func TestWrite_RefusesEveryWayToALimitWhereNoneMayBe(t *testing.T) {
	db := refusingLimits(t)
	write(t, db, append(limitless(t), strictSetting(t))...)
	before := db.Catalog().Generation
	for _, way := range limiting() {
		wantRefusedLimits(t, merge(t, db, way.kind, way.name, way.spec), way.kind+" "+way.name+" "+way.field)
	}
	wantRefusedLimits(t, merge(t, db, "rate-limit", "off", `{"enabled":true}`), "rate-limit off spec", "policy p spec.rateLimitId", "policy q spec.rlBindings")
	if db.Catalog().Generation != before {
		t.Error("a refused limit was written")
	}
}

func TestWrite_RefusesNewRecordsWithLimitsWhereNoneMayBe(t *testing.T) {
	db := refusingLimits(t)
	write(t, db, append(limitless(t), strictSetting(t))...)
	_, err := db.Write(func(e *store.Edit) error {
		return putAll(e, []store.AnyRecord{rateLimit("second"), rateLimit("first")})
	})
	wantRefusedLimits(t, err, "rate-limit first spec", "rate-limit second spec")
}

func TestWrite_LetsLimitsBeOtherwise(t *testing.T) {
	db := refusingLimits(t)
	write(t, db, limitless(t)...)
	for _, way := range limiting() {
		if err := merge(t, db, way.kind, way.name, way.spec); err != nil {
			t.Errorf("%s %s %s: %v", way.kind, way.name, way.spec, err)
		}
	}
}

func TestWrite_RefusesTheSettingThatWouldMakeStoredLimitsRefused(t *testing.T) {
	db := refusingLimits(t)
	write(t, db, limitless(t)...)
	all := map[string]bool{}
	for _, way := range limiting() {
		if err := merge(t, db, way.kind, way.name, way.spec); err != nil {
			t.Fatal(err)
		}
		all[way.kind+" "+way.name+" "+way.field] = true
	}
	all["policy p spec.rateLimitId"], all["policy q spec.rlBindings"] = true, true
	_, err := db.Write(func(e *store.Edit) error { return e.Put(strictSetting(t)) })
	var refused *store.Error
	if !errors.As(err, &refused) {
		t.Fatal(err)
	}
	for _, p := range refused.Problems {
		delete(all, string(p.Kind)+" "+p.Name+" "+p.Field)
	}
	if len(all) > 0 {
		t.Errorf("the refusal does not name %q", slices.Sorted(maps.Keys(all)))
	}
	if err := db.CheckLimits(); err != nil {
		t.Errorf("limits are refused though the setting was: %v", err)
	}
}

// TestWrite_KeepsLimitsThatAreThereWhereNoneMayBe stores limits while they may
// be, under the setting of a process that allows them.
func TestWrite_KeepsLimitsThatAreThereWhereNoneMayBe(t *testing.T) {
	allowed := true
	db := storetest.Open(t, func(o *store.Options) {
		o.RefuseLimits = func(*store.Catalog) string {
			if allowed {
				return ""
			}
			return oneProcess
		}
	})
	write(t, db, limitless(t)...)
	for _, way := range limiting() {
		if err := merge(t, db, way.kind, way.name, way.spec); err != nil {
			t.Fatal(err)
		}
	}
	allowed = false
	if err := db.CheckLimits(); store.CodeOf(err) != store.CodeSharedState {
		t.Errorf("stored limits pass: %v", err)
	}
	for _, way := range []struct{ kind, name, spec string }{
		{"relay-key", "k", `{"models":["m"]}`}, {"policy", "p", `{"includeDeprecated":true}`}, {"team", "research", `{"enabled":true}`}, // other members
		{"rate-limit", "alone", `{"enabled":false}`}, {"model", "m", `{"enabled":false}`}, {"project", "bot", `{"limits":null}`}, // switched off, lifted
		{"relay-key", "k", `{"budgets":null}`}, {"policy", "q", `{"rlBindings":null}`},
	} {
		if err := merge(t, db, way.kind, way.name, way.spec); err != nil {
			t.Errorf("%s %s %s: %v", way.kind, way.name, way.spec, err)
		}
	}
	wantRefusedLimits(t, merge(t, db, "rate-limit", "alone", `{"enabled":true}`), "rate-limit alone spec")
	wantRefusedLimits(t, merge(t, db, "relay-key", "k", `{"limits":{"rph":2}}`), "relay-key k spec.limits")
	if _, err := db.Write(func(e *store.Edit) error {
		return e.Delete(store.KindRelayKey, idOf(t, e.Catalog(), store.KindRelayKey, "k"))
	}); err != nil {
		t.Errorf("delete: %v", err)
	}
}

func TestCheckLimits_LetsTheSystemsOwnBe(t *testing.T) {
	db := refusingLimits(t)
	write(t, db, append(limitless(t), strictSetting(t))...)
	if err := db.CheckLimits(); err != nil {
		t.Error(err)
	}
	if err := merge(t, db, "rate-limit", store.SystemProxyAnonymous, `{"enabled":false}`); err != nil {
		t.Errorf("switch off: %v", err)
	}
	if err := merge(t, db, "rate-limit", store.SystemProxyAnonymous, `{"enabled":true}`); err != nil {
		t.Errorf("switch on as shipped: %v", err)
	}
}

// TestLimits_StandNowhereElse fails when a kind gets a member that limits and
// that no way above covers.
func TestLimits_StandNowhereElse(t *testing.T) {
	covered := map[string]bool{"rate-limit spec": true}
	for _, way := range limiting() {
		covered[way.kind+" "+way.field] = true
	}
	for _, kind := range store.Kinds() {
		spec := reflect.TypeOf(new(store.Catalog).Of(kind).New().SpecValue()).Elem()
		for i := range spec.NumField() {
			field := spec.Field(i)
			member, _, _ := strings.Cut(field.Tag.Get("json"), ",")
			limits := field.Type == reflect.TypeFor[*store.Limits]() || field.Type == reflect.TypeFor[[]store.Budget]() ||
				field.Type == reflect.TypeFor[[]store.RLBinding]() || field.Tag.Get("ref") == "rate-limit"
			if limits && !covered[string(kind)+" spec."+member] {
				t.Errorf("%s has spec.%s, and limits that stand there are not told", kind, member)
			}
		}
	}
}
