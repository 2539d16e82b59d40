package catalogdata_test

import (
	"testing"
	"time"

	"relay/store"
	"relay/store/catalogdata"
)

func load(tb testing.TB) *catalogdata.Data {
	tb.Helper()
	data, err := catalogdata.Load()
	if err != nil {
		tb.Fatal(err)
	}
	return data
}

func TestLoad_GivesRowsThatTheStoreTakesAndThatCiteTheirSources(t *testing.T) {
	data := load(t)
	checkInvariants(t, data)
	for _, rec := range data.Records() {
		m := rec.Meta()
		for _, problem := range store.Validate(rec) {
			t.Errorf("%s", problem)
		}
		if m.Owner == nil || m.Owner.Kind != "system" || m.Owner.ID != "" || m.ID != "" {
			t.Errorf("%s %s: owner %v, id %q; want the system and none", rec.Kind(), m.Name, m.Owner, m.ID)
		}
		if o := m.Origin; o == nil || o.Kind != "catalog" || o.Source != "embedded" || len(o.Hash) != 32 {
			t.Errorf("%s %s: origin %+v", rec.Kind(), m.Name, o)
		}
		if cited := m.Annotations["catalog/source"] != ""; cited == (rec.Kind() == store.KindHostBinding) {
			t.Errorf("%s %s: annotations %v", rec.Kind(), m.Name, m.Annotations)
		}
	}
}

// checkInvariants checks what any shipped catalogue must keep to.
func checkInvariants(t *testing.T, data *catalogdata.Data) {
	t.Helper()
	offered := map[string]bool{}
	for _, o := range data.Offers {
		offered[o.Model] = true
		if len(o.Prices) == 0 {
			t.Errorf("offer of %s at %s has no price", o.Model, o.Host)
		}
	}
	for _, m := range data.Models {
		if !offered[m.Name] {
			t.Errorf("no host offers model %s", m.Name)
		}
		if m.Context <= 0 || len(m.Can) == 0 || m.Provider == "" {
			t.Errorf("model %+v lacks context, capabilities or provider", m)
		}
	}
	for _, h := range data.Hosts {
		if len(h.Shapes) == 0 || h.Title == "" {
			t.Errorf("host %s lacks shapes or a title", h.Name)
		}
	}
}

func TestLoad_ShipsHostsThatForwardUnknownModelsWithoutStaticHeaders(t *testing.T) {
	for _, rec := range load(t).Records() {
		host, ok := rec.(*store.Host)
		if !ok {
			continue
		}
		if host.Spec.UnknownModels != "forward" || host.Spec.Enabled != nil {
			t.Errorf("host %s: %+v", host.Metadata.Name, host.Spec)
		}
		for name := range host.Spec.Headers {
			t.Errorf("host %s has the static header %s: see hosts.yaml on anthropic-version", host.Metadata.Name, name)
		}
	}
}

// The catalogue has what the spec promises: some 120 rows of models at hosts, on
// 28 hosts and those that split off because a shape lies at another place.
func TestLoad_ShipsHostsModelsAndDatedPrices(t *testing.T) {
	data := load(t)
	used, dated, tiered, deprecated := map[string]bool{}, 0, 0, 0
	for _, o := range data.Offers {
		used[o.Host] = true
		for _, p := range o.Prices {
			dated += min(1, len(p.From))
			tiered += min(1, len(p.Above))
		}
	}
	for _, m := range data.Models {
		if m.Deprecation != nil {
			deprecated++
		}
	}
	if len(data.Hosts) < 28 || len(data.Offers) < 115 || len(used) < 17 || dated < 5 || tiered < 15 || deprecated < 10 {
		t.Errorf("%d hosts, %d of them with offers; %d offers, %d dated prices, %d with tiers; %d models are deprecated",
			len(data.Hosts), len(used), len(data.Offers), dated, tiered, deprecated)
	}
	if _, err := time.Parse(time.DateOnly, data.Date); err != nil {
		t.Errorf("date %q", data.Date)
	}
	t.Logf("%d hosts, %d models, %d offers, %d records", len(data.Hosts), len(data.Models), len(data.Offers), len(data.Records()))
}

// A shared model must not promise what one of its hosts cannot do.
func TestRecords_KeepWhereAHostHasMoreThanItsModelPromises(t *testing.T) {
	for _, rec := range load(t).Records() {
		if rec.Meta().Name == "deepseek-ai-deepseek-v4-pro-deepinfra" && rec.Kind() == store.KindHostBinding {
			if got := rec.Meta().Annotations["catalog/context"]; got != "1048576" {
				t.Errorf("context %q", got)
			}
			return
		}
	}
	t.Fatal("the binding is not there")
}

func TestRecords_TellWhichModelTakesThePlaceOfADeprecatedOne(t *testing.T) {
	for _, rec := range load(t).Records() {
		if m, ok := rec.(*store.Model); ok && m.Metadata.Name == "o4-mini" {
			want := store.Deprecation{Status: "sunset", SunsetDate: "2026-10-23", Replacement: "gpt-5.6-terra"}
			if *m.Spec.Deprecation != want || m.Metadata.Annotations["catalog/deprecation-source"] != "modelpin" {
				t.Errorf("%+v, %v", m.Spec.Deprecation, m.Metadata.Annotations)
			}
			return
		}
	}
	t.Fatal("the model is not there")
}

func TestLoad_IsSmall(t *testing.T) {
	const most = 200 << 10
	if size := catalogdata.Size(); size > most {
		t.Errorf("the catalogue adds %d bytes to the binary, more than %d", size, most)
	}
}

func BenchmarkLoad(b *testing.B) {
	for b.Loop() {
		load(b)
	}
}
