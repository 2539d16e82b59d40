package admin

import (
	"relay/store"
)

// usable tells the shipped rows that somebody can use from those that wait for
// a key. Rows that people made are always shown.
type usable struct {
	catalog *store.Catalog
	hosts   map[string]bool // by id
	models  map[string]bool
	prices  map[string]bool
}

// newUsable looks the catalog over once: a host is usable with an enabled key,
// or, when it wants none, with an enabled binding; models, prices and bindings
// are at a usable host.
func newUsable(c *store.Catalog) *usable {
	u := &usable{catalog: c, hosts: map[string]bool{}, models: map[string]bool{}, prices: map[string]bool{}}
	for k := range c.HostKeys.All() {
		u.hosts[k.Spec.HostID] = u.hosts[k.Spec.HostID] || store.Enabled(k.Spec.Enabled)
	}
	for b := range c.HostBindings.All() {
		if h := c.Hosts.Get(b.Spec.HostID); h != nil && h.Spec.Auth == "none" && store.Enabled(b.Spec.Enabled) {
			u.hosts[b.Spec.HostID] = true
		}
	}
	for b := range c.HostBindings.All() {
		if u.hosts[b.Spec.HostID] {
			u.models[b.Spec.ModelID], u.prices[b.Spec.PricingID] = true, true
		}
	}
	return u
}

// shows reports whether a list of usable rows holds the record.
func (u *usable) shows(rec store.AnyRecord) bool {
	if owner := rec.Meta().Owner; owner == nil || owner.Kind != store.KindSystem {
		return true
	}
	id := rec.Meta().ID
	switch rec := rec.(type) {
	case *store.Host:
		return u.hosts[id]
	case *store.Model:
		return u.models[id]
	case *store.Pricing:
		return u.prices[id]
	case *store.HostBinding:
		return u.hosts[rec.Spec.HostID]
	case *store.Provider:
		return u.makesUsable(id)
	}
	return true
}

func (u *usable) makesUsable(provider string) bool {
	for m := range u.catalog.Models.All() {
		if m.Spec.ProviderID == provider && u.models[m.Metadata.ID] {
			return true
		}
	}
	return false
}
