package manifest_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"relay/limiter"
	"relay/store"
	"relay/store/manifest"
	"relay/store/storetest"
)

func export(t testing.TB, c *store.Catalog) string {
	t.Helper()
	var text bytes.Buffer
	if err := manifest.Export(c, &text); err != nil {
		t.Fatal(err)
	}
	return text.String()
}

func TestExport_WritesWhatMainJobSays(t *testing.T) {
	db := storetest.Open(t)
	apply(t, db, mainJob(t), manifest.ApplyOptions{})
	wantGolden(t, testdata+"main-job.export.golden", export(t, db.Catalog()))
}

func TestExport_PutsAStandInForAStoredValueThatChangesNothingWhereItCameFrom(t *testing.T) {
	from := storetest.Open(t)
	_, err := from.Write(func(e *store.Edit) error {
		host := &store.Host{Metadata: store.Metadata{Name: "up"}, Spec: store.HostSpec{BaseURL: "https://up.example", Auth: "bearer"}}
		if err := e.Put(host); err != nil {
			return err
		}
		spec := store.HostKeySpec{HostID: host.Metadata.ID, Source: store.KeySource{Kind: "stored"}, Value: store.NewSecret("sk-provider-0123456789abcdef")}
		return e.Put(&store.HostKey{Metadata: store.Metadata{Name: "2-up-main"}, Spec: spec})
	})
	if err != nil {
		t.Fatal(err)
	}
	text := export(t, from.Catalog())
	if !strings.Contains(text, "source: {kind: env, env: _2_UP_MAIN, insteadOf: stored}") || strings.Contains(text, "cdef") {
		t.Errorf("got %s", text)
	}
	want(t, apply(t, from, read(t, text), manifest.ApplyOptions{}), "unchanged host up", "unchanged host-key 2-up-main")
	key := from.Catalog().HostKeys.ByName("2-up-main")
	if value, err := from.HostKeyValue(key); err != nil || value.Reveal() != "sk-provider-0123456789abcdef" {
		t.Errorf("the value is gone: %v", err)
	}

	to := storetest.Open(t)
	want(t, apply(t, to, read(t, text), manifest.ApplyOptions{}), "create host up", "create host-key 2-up-main")
	if source := to.Catalog().HostKeys.ByName("2-up-main").Spec.Source; source.Kind != "env" || source.Env != "_2_UP_MAIN" {
		t.Errorf("source %+v", source)
	}
	want(t, apply(t, to, read(t, text), manifest.ApplyOptions{}), "unchanged host up", "unchanged host-key 2-up-main")

	plain := strings.ReplaceAll(text, ", insteadOf: stored", "")
	want(t, apply(t, from, read(t, plain), manifest.ApplyOptions{}), "unchanged host up", "update host-key 2-up-main spec.source spec.valueHash spec.valueHint")
}

func TestExport_WritesNothingForAnEmptyCatalog(t *testing.T) {
	if text := export(t, store.NewCatalog()); text != "" {
		t.Errorf("got %q", text)
	}
}

func TestExport_WritesIdsOfRecordsThatAreGone(t *testing.T) {
	gone := "0192f0c4-7b1a-7def-8123-456789abcdef"
	rec := &store.PolicyBinding{Metadata: store.Metadata{ID: gone, Name: "team-x"}, Spec: store.PolicyBindingSpec{PolicyID: gone, Account: store.AccountRef("team:" + gone)}}
	text := export(t, store.NewCatalog(rec))
	if !strings.Contains(text, "policy: "+gone) || !strings.Contains(text, "account: team:"+gone) || !strings.Contains(text, "name: team-x") {
		t.Errorf("got %s", text)
	}
}

type broken struct{}

func (broken) Write([]byte) (int, error) { return 0, errors.New("pipe is closed") }

func TestExport_PassesOnWhatTheWriterSays(t *testing.T) {
	rec := &store.Policy{Metadata: store.Metadata{ID: "0192f0c4-7b1a-7def-8123-456789abcdef", Name: "p"}}
	if err := manifest.Export(store.NewCatalog(rec), broken{}); err == nil {
		t.Error("no error")
	}
}

// plain describes every record of a catalog without ids, times and origins.
func plain(t *rapid.T, c *store.Catalog) map[string]string {
	var names []string
	for _, kind := range store.Kinds() {
		for rec := range c.Of(kind).Each() {
			names = append(names, rec.Meta().ID, string(kind)+"/"+rec.Meta().Name)
		}
	}
	replacer := strings.NewReplacer(names...)
	records := map[string]string{}
	for _, kind := range store.Kinds() {
		for rec := range c.Of(kind).Each() {
			m := *rec.Meta()
			m.ID, m.Origin, m.CreatedAt, m.UpdatedAt = "", nil, time.Time{}, time.Time{}
			text, err := json.Marshal(map[string]any{"metadata": m, "spec": rec.SpecValue()})
			if err != nil {
				t.Fatal(err)
			}
			records[string(kind)+"/"+m.Name] = replacer.Replace(sorted(t, text))
		}
	}
	return records
}

// sorted writes JSON with the members of open values in one order.
func sorted(t *rapid.T, text []byte) string {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	var value any
	if err := decoder.Decode(&value); err != nil {
		t.Fatal(err)
	}
	out, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

func TestExport_AppliedElsewhereMakesAnEqualCatalogAndWhereItCameFromChangesNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		from := drawCatalog(t)
		var text bytes.Buffer
		if err := manifest.Export(from, &text); err != nil {
			t.Fatal(err)
		}
		docs, problems := manifest.Read(bytes.NewReader(text.Bytes()), "export.yaml", manifest.Options{})
		if len(problems) > 0 {
			t.Fatalf("%v in\n%s", problems, text.String())
		}
		to := store.NewDraft(store.NewCatalog())
		if _, err := manifest.Apply(to, docs, manifest.ApplyOptions{}); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(plain(t, from), plain(t, to.Catalog())); diff != "" {
			t.Fatalf("catalogs differ (-from +to):\n%s\n%s", diff, text.String())
		}
		changes, err := manifest.Apply(store.NewDraft(from), docs, manifest.ApplyOptions{})
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range changes {
			if c.Action != manifest.ActionUnchanged {
				t.Fatalf("%+v in\n%s", c, text.String())
			}
		}
	})
}

// drawing draws records and puts them into a draft.
type drawing struct {
	*rapid.T
	draft *store.Draft
	n     int
}

func drawCatalog(t *rapid.T) *store.Catalog {
	d := &drawing{T: t, draft: store.NewDraft(store.NewCatalog())}
	for range d.few() {
		d.upstream()
	}
	for range d.few() {
		d.tenancy()
	}
	if problems := d.draft.Problems(); len(problems) > 0 {
		t.Fatalf("the drawn catalog is wrong: %v", problems)
	}
	return d.draft.Catalog()
}

func (d *drawing) few() int { return rapid.IntRange(0, 3).Draw(d.T, "few") }

func (d *drawing) flag() bool { return rapid.Bool().Draw(d.T, "flag") }

func (d *drawing) amount() *int64 {
	if d.flag() {
		return nil
	}
	n := rapid.Int64Range(1, limiter.MaxAmount).Draw(d.T, "amount")
	return &n
}

func (d *drawing) text() string {
	return rapid.SampledFrom([]string{
		"", "yes", "1", "0x1F", "1e3", "null", "~", "2026-01-01", "a: b", "# no comment", "- a", "${X} $$ $5 $", "$${", "two\nlines\n", "\ttab ", " lead",
		"ünïcode \u2028 \ufeff \U0001F600", "'\"", "*alias", "&anchor", "!tag", "%", "a #b", "[x]", "{x}", "|", ">", "<<", "=", "!!str", "...", "---",
	}).Draw(d.T, "text") + rapid.StringOfN(rapid.RuneFrom([]rune("ab:#$\\{}[]'\"é😀\n ")), 0, 8, -1).Draw(d.T, "more")
}

func (d *drawing) put(rec store.AnyRecord) string {
	d.n++
	m := rec.Meta()
	if m.Name == "" {
		m.Name = fmt.Sprintf("%s-%d", rec.Kind(), d.n)
	}
	m.Description = d.text()
	if d.flag() {
		m.Labels, m.Annotations = map[string]string{"app": d.text()}, map[string]string{"a/b": d.text(), "true": d.text()}
	}
	if err := d.draft.Put(rec); err != nil {
		d.Fatal(err)
	}
	return m.ID
}

func (d *drawing) upstream() {
	provider := d.put(&store.Provider{Spec: store.ProviderSpec{HomepageURL: "https://a.example/#x", Enabled: new(d.flag())}})
	model := &store.Model{Spec: store.ModelSpec{ProviderID: provider, Tags: []string{"1", "no"}, ReleaseDate: "2026-01-31", Limits: d.limits(), Capabilities: store.Capabilities{"chat": d.flag()}}}
	model.Metadata.Name = fmt.Sprintf("lab/M.%d:7b_x", d.n)
	modelID := d.put(model)
	other := d.put(&store.Model{Spec: store.ModelSpec{Aliases: []string{fmt.Sprintf("fast-%d-*", d.n)}, Fallbacks: []store.Fallback{{ModelID: modelID, Weight: new(3)}},
		Deprecation: &store.Deprecation{Status: "deprecated", SunsetDate: "2026-12-31"}}})
	timeout := store.Duration(rapid.Int64Range(0, int64(100*time.Hour)).Draw(d.T, "timeout"))
	host := &store.Host{Spec: store.HostSpec{BaseURL: "https://a.example/v1", Auth: "header:api-key", UnknownModels: "forward", Shapes: store.Shapes(),
		Headers: map[string]string{"X-Title": "a: $b ${c}", "on": "1"}, DrainOnDisconnect: timeout, Timeouts: &store.HostTimeouts{Idle: &timeout}}}
	hostID := d.put(host)
	pricing := d.put(&store.Pricing{Spec: store.PricingSpec{Currency: "USD", Rates: []store.Rate{{Meter: "tokens", Unit: "per_million", Amount: "0.10", From: "2026-01-01"}}}})
	d.put(&store.HostBinding{Spec: store.HostBindingSpec{ModelID: modelID, HostID: hostID, PricingID: pricing, UpstreamName: "@cf/x", Weight: new(2),
		Params: &store.BindingParams{Rename: map[string]string{"on": "off"}, Defaults: map[string]json.RawMessage{
			"a": json.RawMessage(`{"z":[1.50,1e400,-0,null,"1",true,123456789012345678901234567890],"a":{},"":""}`), "b": json.RawMessage(`"${x}"`), "c": json.RawMessage(`[]`)}}}})
	account := d.put(&store.HostAccount{Spec: store.HostAccountSpec{HostID: hostID}})
	tier := &store.Policy{Spec: store.PolicySpec{Models: []store.ModelRef{store.ModelRef(modelID)}}}
	tier.Metadata.Owner = &store.Ref{Kind: store.KindHost, ID: hostID}
	tierID := d.put(tier)
	key := store.HostKeySpec{HostID: hostID, AccountID: account, TierPolicyID: tierID, Source: store.KeySource{Kind: "file", Path: "/run/a b"}}
	keyID := d.put(&store.HostKey{Spec: key})
	d.put(&store.PolicyBinding{Metadata: store.Metadata{Name: store.PolicyBindingName(d.draft.Catalog(), store.AccountRef("host:"+hostID))},
		Spec: store.PolicyBindingSpec{PolicyID: tierID, Account: store.AccountRef("host:" + hostID)}})
	d.policy(provider, modelID, other, hostID, keyID)
}

func (d *drawing) policy(provider, model, other, host, key string) {
	limit := d.put(&store.RateLimit{Spec: d.rateLimit()})
	ref := func(parts store.ModelRefParts) store.ModelRef { return parts.Ref() }
	spec := store.PolicySpec{
		Models: []store.ModelRef{ref(store.ModelRefParts{Model: model}), ref(store.ModelRefParts{Provider: provider}), ref(store.ModelRefParts{Host: host}),
			ref(store.ModelRefParts{Provider: provider, Host: host}), ref(store.ModelRefParts{Model: "unheard:of", Host: host})},
		Deny:    []store.ModelRef{ref(store.ModelRefParts{Model: other, Host: host})},
		Pools:   []store.Pool{{Name: "main", HostKeyIDs: []string{key}, Selection: "affinity"}, {Name: "on", HostIDs: []string{host}}, {Name: "rest"}},
		Budgets: []store.Budget{{Amount: "20.00", Period: "day", Per: []string{"key"}}}, MaxInputTokens: d.amount(), PayloadLogging: new(d.flag()),
		Capabilities: store.Capabilities{"vision": false},
	}
	if d.flag() {
		spec.RateLimitID = limit
	} else {
		spec.RLBindings = []store.RLBinding{{Models: []store.ModelRef{store.ModelRef(model)}, RateLimitID: limit}}
	}
	d.put(&store.Policy{Spec: spec})
}

func (d *drawing) rateLimit() store.RateLimitSpec {
	rules := []limiter.Rule{{Meter: limiter.MeterTokens, Amount: 1, Strategy: limiter.FixedWindow, Window: rapid.Int64Range(1, limiter.MaxWindow).Draw(d.T, "window")}}
	match := &store.Match{All: []store.Match{{Dim: "model", Op: "in", Value: []any{"a", "1"}}, {Not: &store.Match{Dim: "user", Op: "regex", Value: `^\$${a|b}$`[:6]}}}}
	return store.RateLimitSpec{Rules: rules, Match: match, Suspend: []store.Suspend{{Timezone: "Europe/Zurich", Days: []string{"mon"}, Start: "22:00", End: "06:00"}}}
}

func (d *drawing) limits() *store.Limits {
	if d.flag() {
		return nil
	}
	return &store.Limits{RPM: d.amount(), TPD: d.amount(), Charge: "reserve"}
}

func (d *drawing) tenancy() {
	organization := d.put(&store.Organization{Spec: store.OrganizationSpec{Limits: d.limits()}})
	team := d.put(&store.Team{Spec: store.TeamSpec{OrganizationID: organization}})
	project := d.put(&store.Project{Spec: store.ProjectSpec{TeamID: team}})
	account := d.put(&store.ServiceAccount{Spec: store.ServiceAccountSpec{ProjectID: project}})
	at := time.Date(2026, 1, 2, 3, 4, 5, 6, time.FixedZone("", 3600))
	key := store.RelayKeySpec{Principal: store.Ref{Kind: store.KindServiceAccount, ID: account}, Account: store.AccountRef("project:" + project),
		KeyHash: fmt.Sprintf("%064x", d.n), Prefix: "sk-wr-abcdefgh", ExpiresAt: &at, AllowedCIDRs: []string{"10.0.0.0/8"}, Models: []store.ModelRef{}}
	if d.flag() {
		key.RevokedAt, key.PreviousHash, key.PreviousUntil = &at, fmt.Sprintf("%064x", d.n+1_000_000), &at
	}
	d.put(&store.RelayKey{Spec: key})
}
