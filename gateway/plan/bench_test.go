package plan_test

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"testing"

	"relay/gateway/plan"
	"relay/limiter"
	"relay/store"
	"relay/store/storetest"
)

// BenchmarkCompile makes a plan of 2,000 records: 40 hosts with 120 keys, 700
// models with 800 bindings, a tenth of them with fallbacks, and 240 relay keys
// in 40 projects under 12 policies.
func BenchmarkCompile(b *testing.B) {
	db := storetest.Open(b, func(o *store.Options) {
		o.Getenv = func(name string) string { return "value-of-" + name }
	})
	if _, err := db.Write(func(e *store.Edit) error { return (&crowd{Edit: e}).put() }); err != nil {
		b.Fatal(err)
	}
	catalog := db.Catalog()
	records := 0
	for _, kind := range store.Kinds() {
		records += catalog.Of(kind).Len()
	}
	if records < 2000 {
		b.Fatalf("%d records", records)
	}
	registry := limiter.NewRegistry()
	b.ReportAllocs()
	b.ResetTimer()
	for range b.N {
		plan.Compile(plan.Input{Catalog: catalog, Registry: registry, KeyValue: db.HostKeyValue})
	}
}

// crowd makes the records of the benchmark.
type crowd struct {
	*store.Edit
	err                     error
	hosts, models, hostKeys []string
	policies, teams         []string
}

func made[S any](c *crowd, name string, spec S) string {
	rec := &store.Record[S]{Metadata: store.Metadata{Name: name}, Spec: spec}
	if c.err == nil {
		c.err = c.Put(rec)
	}
	return rec.Metadata.ID
}

func (c *crowd) put() error {
	c.upstream()
	c.catalogue()
	c.accounts()
	return c.err
}

func (c *crowd) upstream() {
	for i := range 40 {
		name := fmt.Sprintf("host-%d", i)
		host := made(c, name, store.HostSpec{BaseURL: "https://" + name + ".example/v1", Auth: "bearer", Shapes: []store.Shape{store.ShapeOpenAI}, UnknownModels: "forward"})
		c.hosts = append(c.hosts, host)
		account := made(c, name+"-org", store.HostAccountSpec{HostID: host})
		for j := range 3 {
			key := store.HostKeySpec{HostID: host, Source: store.KeySource{Kind: "env", Env: "KEY"}}
			if j > 0 {
				key.AccountID = account
			}
			c.hostKeys = append(c.hostKeys, made(c, fmt.Sprintf("%s-%d", name, j), key))
		}
	}
}

func (c *crowd) catalogue() {
	pricing := made(c, "price", store.PricingSpec{Currency: "USD", Rates: []store.Rate{{Meter: "tokens.input", Unit: "per_million", Amount: "3"}}})
	maker := made(c, "maker", store.ProviderSpec{})
	for i := range 700 {
		spec := store.ModelSpec{ProviderID: maker, Aliases: []string{fmt.Sprintf("alias-%d-*", i)}}
		if i%10 == 9 {
			spec.Fallbacks = []store.Fallback{{ModelID: c.models[i-1]}, {ModelID: c.models[i-2]}, {ModelID: c.models[i-9]}}
		}
		c.models = append(c.models, made(c, fmt.Sprintf("model-%d", i), spec))
		if i%20 == 19 {
			continue // stands for its fallbacks
		}
		for j := range 1 + i%6/5 {
			made(c, fmt.Sprintf("model-%d-%d", i, j), store.HostBindingSpec{ModelID: c.models[i], HostID: c.hosts[(i+j)%len(c.hosts)], PricingID: pricing})
		}
	}
}

func (c *crowd) accounts() {
	organization := made(c, "acme", store.OrganizationSpec{})
	limit := made(c, "rl", store.RateLimitSpec{Rules: []limiter.Rule{{Meter: limiter.MeterRequests, Amount: 60, Window: 60, Strategy: limiter.SlidingWindow}}})
	for i := range 12 {
		spec := store.PolicySpec{RateLimitID: limit, Pools: []store.Pool{{Name: "main", HostKeyIDs: c.hostKeys[i : i+60]}, {Name: "spare"}}}
		if i%2 == 0 {
			spec.Models = []store.ModelRef{store.ModelRef(c.models[9]), store.ModelRef(c.models[19]), store.ModelRef("@" + c.hosts[i])}
		}
		c.policies = append(c.policies, made(c, fmt.Sprintf("policy-%d", i), spec))
		c.teams = append(c.teams, made(c, fmt.Sprintf("team-%d", i), store.TeamSpec{OrganizationID: organization}))
		made(c, fmt.Sprintf("team-team-%d", i), store.PolicyBindingSpec{PolicyID: c.policies[i], Account: store.AccountRef("team:" + c.teams[i])})
	}
	for i := range 40 {
		project := made(c, fmt.Sprintf("project-%d", i), store.ProjectSpec{TeamID: c.teams[i%len(c.teams)]})
		account := made(c, fmt.Sprintf("bot-%d", i), store.ServiceAccountSpec{ProjectID: project})
		for j := range 6 {
			sum := sha256.Sum256(fmt.Appendf(nil, "%d-%d", i, j))
			made(c, fmt.Sprintf("key-%d-%d", i, j), store.RelayKeySpec{KeyHash: hex.EncodeToString(sum[:]), Principal: store.Ref{Kind: store.KindServiceAccount, ID: account}})
		}
	}
}
