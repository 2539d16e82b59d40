package admin

import (
	"slices"
	"strconv"

	"relay/gateway/plan"
	"relay/store"
)

// narrowing returns what the cascade must not take away: each record of it
// once, with the reason.
func (d *cascade) narrowing() []store.Problem {
	f := &narrowed{cascade: d}
	for rec := range d.staying() {
		f.references(rec)
		f.emptied(rec)
	}
	for _, rec := range d.records {
		switch rec := rec.(type) {
		case *store.HostBinding:
			f.forwarded(rec)
		case *store.ServiceAccount:
			f.comesBack(rec)
		}
	}
	for m := range d.catalog.Models.All() {
		f.turnedAlias(m)
	}
	return f.problems
}

// narrowed gathers reasons.
type narrowed struct {
	*cascade
	problems []store.Problem
}

func (f *narrowed) add(rec store.AnyRecord, message string) {
	p := store.Problem{Kind: rec.Kind(), Name: rec.Meta().Name, Message: message}
	if !slices.Contains(f.problems, p) {
		f.problems = append(f.problems, p)
	}
}

// references refuses for members that narrow by what goes.
func (f *narrowed) references(rec store.AnyRecord) {
	for _, to := range store.Targets(rec) {
		if f.gone[to.ID] && f.bondOf(rec, to.Path) == narrows {
			f.add(rec, "needs "+f.named(to)+" in "+to.Path+", which narrows")
		}
	}
}

func (f *narrowed) named(to store.RefTarget) string {
	return words(to.Kind) + " " + f.catalog.Of(to.Kind).Find(to.ID).Meta().Name
}

// emptied refuses for lists that would mean everything without their last
// entry.
func (f *narrowed) emptied(rec store.AnyRecord) {
	switch rec := rec.(type) {
	case *store.Policy:
		f.emptiedModels(rec, rec.Spec.Models)
		for i, pool := range rec.Spec.Pools {
			keys, hosts := f.ids(pool.HostKeyIDs), f.ids(pool.HostIDs)
			if len(pool.HostKeyIDs)+len(pool.HostIDs) > 0 && len(keys)+len(hosts) == 0 {
				f.add(rec, "would have no key left in spec.pools["+strconv.Itoa(i)+"], which means every key")
			}
		}
	case *store.RelayKey:
		f.emptiedModels(rec, rec.Spec.Models)
	}
}

func (f *narrowed) emptiedModels(rec store.AnyRecord, models []store.ModelRef) {
	if len(models) > 0 && len(f.models(models)) == 0 {
		f.add(rec, "would have nothing left in spec.models, which means every model")
	}
}

// forwarded refuses to make a model one that the catalog does not know at a
// host that forwards such, when something holds it back by its being known.
func (f *narrowed) forwarded(b *store.HostBinding) {
	host, model := f.catalog.Hosts.Get(b.Spec.HostID), f.catalog.Models.Get(b.Spec.ModelID)
	if host == nil || model == nil || f.gone[host.Metadata.ID] || host.Spec.UnknownModels != "forward" {
		return
	}
	why := " and host " + host.Metadata.Name + " forwards models that the catalogue does not know: it could be called there all the same"
	switch {
	case !store.Enabled(model.Spec.Enabled):
		f.add(model, "is switched off,"+why)
	case !store.Enabled(b.Spec.Enabled):
		f.add(b, "is switched off,"+why)
	case model.Spec.Limits != nil:
		f.add(model, "has limits,"+why)
	case b.Spec.PricingID != "" && f.budgeted():
		f.add(b, "has a price, by which budgets count,"+why)
	}
	for rec := range f.staying() {
		if f.narrowsMaker(rec, model.Spec.ProviderID) {
			f.add(rec, "narrows models by who makes them,"+why)
		}
	}
}

// budgeted reports whether there is a budget.
func (f *narrowed) budgeted() bool {
	for p := range f.catalog.Policies.All() {
		if len(p.Spec.Budgets) > 0 {
			return true
		}
	}
	for k := range f.catalog.RelayKeys.All() {
		if len(k.Spec.Budgets) > 0 {
			return true
		}
	}
	return false
}

// narrowsMaker reports whether the record denies or limits all models of the
// provider.
func (f *narrowed) narrowsMaker(rec store.AnyRecord, provider string) bool {
	return provider != "" && slices.ContainsFunc(store.Targets(rec), func(to store.RefTarget) bool {
		return to.ID == provider && f.bondOf(rec, to.Path) == narrows
	})
}

// comesBack refuses to take away what holds back the service account of
// requests without a credential, which the next start makes anew.
func (f *narrowed) comesBack(account *store.ServiceAccount) {
	if account.Metadata.Name != plan.LocalAccount {
		return
	}
	const why = "which the next start makes anew while inference.auth is open"
	if account.Spec.Limits != nil {
		f.add(account, "has limits and is the account of requests without a key, "+why)
	}
	for b := range f.catalog.PolicyBindings.All() {
		if b.Spec.Account == accountOf(account) {
			f.add(b, "binds service account "+account.Metadata.Name+", "+why)
		}
	}
}

// turnedAlias refuses to take the last host from a model that others name and
// that has fallbacks: it would stand for these, and whoever may use the model
// could use them too.
func (f *narrowed) turnedAlias(m *store.Model) {
	if f.gone[m.Metadata.ID] || len(f.fallbacks(m.Spec.Fallbacks)) == 0 || !f.losesHosts(m) {
		return
	}
	for rec := range f.staying() {
		if f.grants(rec, m.Metadata.ID) {
			f.add(rec, "grants model "+m.Metadata.Name+", which would have no host left and stand for its fallbacks")
		}
	}
}

// losesHosts reports whether every binding of the model goes.
func (f *narrowed) losesHosts(m *store.Model) bool {
	had := false
	for b := range f.catalog.HostBindings.All() {
		if b.Spec.ModelID != m.Metadata.ID {
			continue
		}
		if !f.gone[b.Metadata.ID] {
			return false
		}
		had = true
	}
	return had
}

func (f *narrowed) grants(rec store.AnyRecord, model string) bool {
	var models []store.ModelRef
	switch rec := rec.(type) {
	case *store.Policy:
		models = rec.Spec.Models
	case *store.RelayKey:
		models = rec.Spec.Models
	}
	return slices.ContainsFunc(models, func(ref store.ModelRef) bool {
		parts, err := store.ParseModelRef(ref)
		return err == nil && parts.Model == model
	})
}
