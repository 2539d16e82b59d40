package plan

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"slices"

	"relay/limiter"
	"relay/store"
)

// compileHostKeys makes the usable keys in catalogue order: the order in which
// they were made, which is the order of their ids.
func (c *compiler) compileHostKeys() {
	records := slices.SortedFunc(c.catalog.HostKeys.All(), func(a, b *store.HostKey) int {
		return cmp.Compare(a.Metadata.ID, b.Metadata.ID)
	})
	for _, rec := range records {
		c.compileHostKey(rec)
	}
	for _, h := range c.plan.Hosts {
		if h.Record.Spec.Auth == "none" {
			c.addHostKey(h, &HostKey{ID: h.Record.Metadata.ID, Name: h.Name(), Anonymous: true, ValueHash: "host:" + h.Record.Metadata.ID}, "")
		}
	}
}

func (c *compiler) compileHostKey(rec *store.HostKey) {
	h := c.hosts[rec.Spec.HostID]
	if h == nil || !store.Enabled(rec.Spec.Enabled) {
		return
	}
	value, err := c.KeyValue(rec)
	if err != nil {
		c.warn(rec, "spec.source", "the key cannot be used: %s", err)
		return
	}
	sum := sha256.Sum256([]byte(value.Reveal()))
	k := &HostKey{
		ID: rec.Metadata.ID, Name: rec.Metadata.Name, AccountID: rec.Spec.AccountID,
		Value: value, ValueHash: h.Record.Metadata.ID + ":" + hex.EncodeToString(sum[:16]),
	}
	c.addHostKey(h, k, rec.Spec.TierPolicyID)
}

// addHostKey puts the key under the policies of its three upstream rungs: the
// host, the host account, the key's tier.
func (c *compiler) addHostKey(h *Host, k *HostKey, tierID string) {
	k.Host, k.Index = h, len(c.plan.HostKeys)
	k.Seed = seedOf(h.Name(), "key", k.Name)
	k.AccountSeed = k.Seed
	if k.AccountID != "" {
		k.AccountSeed = seedOf(h.Name(), "account", c.nameOf(store.KindHostAccount, k.AccountID))
	}
	hostRef := store.AccountRef("host:" + h.Record.Metadata.ID)
	c.underTier(k, c.bound[hostRef], string(hostRef), "host "+h.Name())
	if k.AccountID != "" {
		ref := store.AccountRef("host-account:" + k.AccountID)
		c.underTier(k, c.bound[ref], string(ref), "host account "+c.nameOf(store.KindHostAccount, k.AccountID))
	}
	if tierID == "" {
		tierID = h.Record.Spec.DefaultTierPolicyID
	}
	if tierID != "" {
		c.underTier(k, c.tier(k, tierID), "host-key:"+k.ID, "key "+k.Name)
	}
	h.Keys = append(h.Keys, k)
	c.keys[k.ID] = k
	c.plan.HostKeys = append(c.plan.HostKeys, k)
}

// seedOf hashes names (FNV-1a, 64 bits): not ids, so that gateways with the same
// records choose alike.
func seedOf(parts ...string) uint64 {
	const offset, prime = 14695981039346656037, 1099511628211
	h := uint64(offset)
	for _, part := range parts {
		for i := range len(part) {
			h = (h ^ uint64(part[i])) * prime
		}
		h *= prime // a byte that no name holds
	}
	return h
}

// tier returns the key's tier policy. A key whose tier does not exist is not
// used: nobody knows what would cap it.
func (c *compiler) tier(k *HostKey, id string) *store.Policy {
	p := c.catalog.Policies.Get(id)
	if p == nil {
		k.refused = limitMissing("The tier policy of host key " + k.Name + " does not exist")
		c.warn(k.Host.Record, "", "key %s names a tier policy that does not exist and is not used", k.Name)
	}
	return p
}

// underTier puts the key under a policy with one set of counters for the
// subject, which owner names for people.
func (c *compiler) underTier(k *HostKey, p *store.Policy, subject, owner string) {
	if p == nil {
		return
	}
	k.grants = append(k.grants, c.grantOf(p))
	source := limiter.Source{Scope: limiter.ScopeUpstream, Rung: limiter.ScopeUpstream, Order: len(k.grants), Owner: "policy " + p.Metadata.Name + " of " + owner}
	whoever := &party{unknown: true}
	limits, refused := c.policyLimits(p, subject, source, whoever)
	if refused != nil {
		k.refused = refused
	}
	k.add(limits)
	if perModel := c.policyModelLimits(p, subject, source, whoever); perModel != nil {
		k.PerModel = append(k.PerModel, perModel)
	}
}
