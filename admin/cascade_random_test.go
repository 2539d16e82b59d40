package admin_test

import (
	"errors"
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"relay/admin"
	"relay/limiter"
	"relay/store"
	"relay/store/storetest"
)

// errSeen ends a write that is not to be.
var errSeen = errors.New("seen")

// TestCascade_NeverWidensAccessInRandomCatalogs deletes a random record of a
// random catalog, and looks at what every relay key may do before and after.
func TestCascade_NeverWidensAccessInRandomCatalogs(t *testing.T) {
	db := storetest.Open(t)
	var done, refused int
	rapid.Check(t, func(t *rapid.T) {
		_, err := db.Write(func(e *store.Edit) error {
			d := &dealer{T: t, e: e, made: map[store.Kind][]store.AnyRecord{}}
			d.deal()
			before := snapshot(e.Catalog())
			if faults := before.Check(); len(faults) > 0 {
				t.Fatalf("the random catalog is none: %s", texts(faults))
			}
			rec := d.victim()
			switch err := admin.Cascade(e, rec); {
			case store.CodeOf(err) == store.CodeConflict:
				refused++
			case err != nil:
				t.Fatalf("delete %s %s: %v", rec.Kind(), rec.Meta().Name, err)
			default:
				done++
				wantNoneWider(t, before, snapshot(e.Catalog()))
			}
			return errSeen
		})
		if !errors.Is(err, errSeen) {
			t.Fatal(err)
		}
	})
	if done == 0 || refused == 0 {
		t.Errorf("%d deletions were made and %d refused: some of each are needed", done, refused)
	}
}

// dealer makes the records of a random catalog, each after those that it may
// refer to.
type dealer struct {
	*rapid.T
	e    *store.Edit
	made map[store.Kind][]store.AnyRecord
}

func (d *dealer) deal() {
	d.times(1, 2, func(int) { d.put(&store.Provider{}) })
	d.times(1, 3, func(int) { d.put(&store.Host{Spec: d.host()}) })
	d.times(1, 4, func(int) { d.put(&store.Model{Spec: d.model()}) })
	d.times(0, 1, func(int) { d.put(&store.Pricing{Spec: price()}) })
	d.bindModels()
	d.times(0, 2, func(int) { d.put(&store.HostAccount{Spec: store.HostAccountSpec{HostID: d.one(store.KindHost)}}) })
	d.times(1, 2, func(n int) {
		d.put(&store.RateLimit{Spec: store.RateLimitSpec{Rules: []limiter.Rule{{Meter: limiter.MeterRequests, Amount: int64(10 + n), Window: 60, Strategy: limiter.SlidingWindow}}}})
	})
	d.tiers()
	d.times(1, 4, func(int) { d.put(&store.HostKey{Spec: d.hostKey()}) })
	d.put(&store.Organization{})
	d.times(1, 2, func(int) { d.put(&store.Team{Spec: store.TeamSpec{OrganizationID: d.one(store.KindOrganization)}}) })
	d.times(1, 2, func(int) { d.put(&store.Project{Spec: store.ProjectSpec{TeamID: d.one(store.KindTeam)}}) })
	d.times(1, 2, func(int) {
		d.put(&store.ServiceAccount{Spec: store.ServiceAccountSpec{ProjectID: d.one(store.KindProject)}})
	})
	d.times(1, 3, func(int) { d.put(&store.Policy{Metadata: d.ownedByTeam(), Spec: d.policy()}) })
	d.bindPolicies()
	d.times(1, 3, func(n int) { d.put(&store.RelayKey{Spec: d.relayKey(n)}) })
}

func (d *dealer) put(rec store.AnyRecord) {
	kind := rec.Kind()
	if kind != store.KindPolicyBinding {
		rec.Meta().Name = fmt.Sprintf("%s-%d", kind, len(d.made[kind]))
	}
	if err := d.e.Put(rec); err != nil {
		d.Fatalf("put %s: %v", kind, err)
	}
	d.made[kind] = append(d.made[kind], rec)
}

// victim is a record of any kind but those that are deleted to widen.
func (d *dealer) victim() store.AnyRecord {
	var all []store.AnyRecord
	for _, kind := range store.Kinds() {
		if kind != store.KindPolicyBinding && kind != store.KindHostBinding {
			all = append(all, d.made[kind]...)
		}
	}
	return rapid.SampledFrom(all).Draw(d.T, "victim")
}

func (d *dealer) times(least, most int, do func(n int)) {
	for n := range rapid.IntRange(least, most).Draw(d.T, "times") {
		do(n)
	}
}

func (d *dealer) maybe() bool { return rapid.IntRange(0, 2).Draw(d.T, "maybe") == 0 }

// one is the id of some record of the kind; "" when there is none.
func (d *dealer) one(kind store.Kind) string {
	if len(d.made[kind]) == 0 {
		return ""
	}
	return rapid.SampledFrom(d.made[kind]).Draw(d.T, "one").Meta().ID
}

func (d *dealer) off() *bool {
	if off := false; rapid.IntRange(0, 5).Draw(d.T, "off") == 0 {
		return &off
	}
	return nil
}

func (d *dealer) limits() *store.Limits {
	if !d.maybe() {
		return nil
	}
	amount := int64(rapid.IntRange(1, 3).Draw(d.T, "rpm"))
	return &store.Limits{RPM: &amount}
}

func (d *dealer) host() store.HostSpec {
	spec := store.HostSpec{BaseURL: "https://up.example/v1", Auth: "bearer", Shapes: []store.Shape{store.ShapeOpenAI}}
	if d.maybe() {
		spec.UnknownModels = "forward"
	}
	return spec
}

// model goes on with models made before it: there are no cycles.
func (d *dealer) model() store.ModelSpec {
	spec := store.ModelSpec{Enabled: d.off(), Limits: d.limits()}
	if d.maybe() {
		spec.ProviderID = d.one(store.KindProvider)
	}
	for _, m := range d.made[store.KindModel] {
		if d.maybe() {
			spec.Fallbacks = append(spec.Fallbacks, store.Fallback{ModelID: m.Meta().ID})
		}
	}
	return spec
}

func price() store.PricingSpec {
	return store.PricingSpec{Currency: "USD", Rates: []store.Rate{{Meter: "tokens.input", Unit: "per_million", Amount: "3"}}}
}

func (d *dealer) bindModels() {
	for _, m := range d.made[store.KindModel] {
		for _, h := range d.made[store.KindHost] {
			if !d.maybe() {
				continue
			}
			spec := store.HostBindingSpec{ModelID: m.Meta().ID, HostID: h.Meta().ID, Enabled: d.off()}
			if d.maybe() {
				spec.PricingID = d.one(store.KindPricing)
			}
			d.put(&store.HostBinding{Spec: spec})
		}
	}
}

// tiers makes policies that hosts own, and puts hosts under some of them.
func (d *dealer) tiers() {
	for _, rec := range d.made[store.KindHost] {
		if !d.maybe() {
			continue
		}
		host := *rec.(*store.Host)
		tier := &store.Policy{Metadata: store.Metadata{Owner: &store.Ref{Kind: store.KindHost, ID: host.Metadata.ID}}, Spec: d.limited(store.PolicySpec{})}
		d.put(tier)
		host.Spec.DefaultTierPolicyID = tier.Metadata.ID
		if err := d.e.Put(&host); err != nil {
			d.Fatal(err)
		}
	}
}

func (d *dealer) hostKey() store.HostKeySpec {
	spec := store.HostKeySpec{HostID: d.one(store.KindHost), Source: store.KeySource{Kind: "env", Env: "ANY_KEY"}}
	for _, rec := range d.made[store.KindHostAccount] {
		if account := rec.(*store.HostAccount); account.Spec.HostID == spec.HostID && d.maybe() {
			spec.AccountID = account.Metadata.ID
		}
	}
	return spec
}

func (d *dealer) ownedByTeam() store.Metadata {
	if !d.maybe() {
		return store.Metadata{}
	}
	return store.Metadata{Owner: &store.Ref{Kind: store.KindTeam, ID: d.one(store.KindTeam)}}
}

func (d *dealer) policy() store.PolicySpec {
	spec := d.limited(store.PolicySpec{Models: d.refs(), Enabled: d.off()})
	if d.maybe() {
		spec.Deny = d.refs()
	}
	if d.maybe() {
		spec.Pools = append(spec.Pools, d.pool())
	}
	return spec
}

// limited puts a policy under rate limits and a budget.
func (d *dealer) limited(spec store.PolicySpec) store.PolicySpec {
	if d.maybe() {
		spec.RateLimitID = d.one(store.KindRateLimit)
	} else if refs := d.refs(); len(refs) > 0 && d.maybe() {
		spec.RLBindings = []store.RLBinding{{Models: refs, RateLimitID: d.one(store.KindRateLimit)}}
	}
	if d.maybe() {
		spec.Budgets = []store.Budget{{Amount: "5", Period: "day"}}
	}
	return spec
}

func (d *dealer) pool() store.Pool {
	pool := store.Pool{Name: "main"}
	d.times(0, 2, func(int) {
		if id := d.one(store.KindHostKey); !contains(pool.HostKeyIDs, id) {
			pool.HostKeyIDs = append(pool.HostKeyIDs, id)
		}
	})
	if len(pool.HostKeyIDs) == 0 && d.maybe() {
		pool.HostIDs = []string{d.one(store.KindHost)}
	}
	return pool
}

// refs are up to two references to models, of every form.
func (d *dealer) refs() []store.ModelRef {
	var refs []store.ModelRef
	d.times(0, 2, func(int) {
		var parts store.ModelRefParts
		switch rapid.IntRange(0, 3).Draw(d.T, "form") {
		case 0:
			parts.Provider = d.one(store.KindProvider)
		case 1:
			parts.Host = d.one(store.KindHost)
		case 2:
			parts.Model, parts.Host = d.one(store.KindModel), d.one(store.KindHost)
		default:
			parts.Model = d.one(store.KindModel)
		}
		if ref := parts.Ref(); !contains(refs, ref) {
			refs = append(refs, ref)
		}
	})
	return refs
}

func contains[T comparable](list []T, wanted T) bool {
	for _, one := range list {
		if one == wanted {
			return true
		}
	}
	return false
}

// bindPolicies puts accounts of both sides under policies that fit.
func (d *dealer) bindPolicies() {
	for _, kind := range []store.Kind{store.KindOrganization, store.KindTeam, store.KindProject, store.KindServiceAccount, store.KindHost, store.KindHostAccount} {
		for _, rec := range d.made[kind] {
			if fitting := d.policiesFor(rec); len(fitting) > 0 && rapid.Bool().Draw(d.T, "bound") {
				policy := rapid.SampledFrom(fitting).Draw(d.T, "policy")
				d.put(&store.PolicyBinding{Spec: store.PolicyBindingSpec{PolicyID: policy, Account: store.AccountRef(string(kind) + ":" + rec.Meta().ID)}})
			}
		}
	}
}

func (d *dealer) policiesFor(rec store.AnyRecord) []string {
	host := ""
	switch rec := rec.(type) {
	case *store.Host:
		host = rec.Metadata.ID
	case *store.HostAccount:
		host = rec.Spec.HostID
	}
	var ids []string
	for _, p := range d.made[store.KindPolicy] {
		owner := ""
		if o := p.Meta().Owner; o != nil && o.Kind == store.KindHost {
			owner = o.ID
		}
		if owner == host {
			ids = append(ids, p.Meta().ID)
		}
	}
	return ids
}

func (d *dealer) relayKey(n int) store.RelayKeySpec {
	spec := store.RelayKeySpec{
		Principal: store.Ref{Kind: store.KindServiceAccount, ID: d.one(store.KindServiceAccount)},
		KeyHash:   sumOf(fmt.Sprint(n)), Limits: d.limits(), Models: d.refs(),
	}
	if d.maybe() {
		spec.Deny = d.refs()
	}
	if d.maybe() {
		spec.Account = store.AccountRef("team:" + d.one(store.KindTeam))
	}
	return spec
}
