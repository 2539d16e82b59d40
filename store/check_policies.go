package store

// tierPolicies checks that what governs a key or a host belongs to that host.
func (k *check) tierPolicies() {
	for host := range k.catalog.Hosts.All() {
		k.tierPolicy(host, "spec.defaultTierPolicyId", host.Spec.DefaultTierPolicyID, host.Metadata.ID)
	}
	for key := range k.catalog.HostKeys.All() {
		k.tierPolicy(key, "spec.tierPolicyId", key.Spec.TierPolicyID, key.Spec.HostID)
	}
}

func (k *check) tierPolicy(rec AnyRecord, field, policyID, hostID string) {
	policy := k.catalog.Policies.Get(policyID)
	if policy != nil && tierOf(policy) != hostID {
		k.add(rec, field, "must be a policy whose owner is host %s: set metadata.owner of policy %s to {kind: host, name: %[1]s}",
			k.catalog.nameOf(KindHost, hostID), policy.Metadata.Name)
	}
}

// tierOf returns the id of the host that owns the policy, or "".
func tierOf(policy *Policy) string {
	if owner := policy.Metadata.Owner; owner != nil && owner.Kind == KindHost {
		return owner.ID
	}
	return ""
}

// standaloneLimits checks that no policy names a rate limit that applies by
// itself: it would count twice.
func (k *check) standaloneLimits() {
	for policy := range k.catalog.Policies.All() {
		k.standaloneLimit(policy, "spec.rateLimitId", policy.Spec.RateLimitID)
		for i, b := range policy.Spec.RLBindings {
			k.standaloneLimit(policy, item("spec.rlBindings", i)+".rateLimitId", b.RateLimitID)
		}
	}
}

func (k *check) standaloneLimit(policy *Policy, field, id string) {
	if limit := k.catalog.RateLimits.Get(id); limit != nil && limit.Spec.Standalone {
		k.add(policy, field, "names rate limit %s, which is standalone and so bound to no policy: name another one, or make that one standalone: false", limit.Metadata.Name)
	}
}

// policyBindings checks that an account has one binding, and that upstream
// accounts are bound to tier policies and callers' accounts to others.
func (k *check) policyBindings() {
	first := map[AccountRef]*PolicyBinding{}
	for b := range k.catalog.PolicyBindings.byAge() {
		if earlier := first[b.Spec.Account]; earlier != nil {
			k.add(b, "spec.account", "is bound by %s already: an account is in one policy binding", earlier.Metadata.Name)
		} else {
			first[b.Spec.Account] = b
		}
		k.policyBinding(b)
	}
}

func (k *check) policyBinding(b *PolicyBinding) {
	parts, err := ParseAccountRef(b.Spec.Account)
	policy := k.catalog.Policies.Get(b.Spec.PolicyID)
	if err != nil || policy == nil {
		return
	}
	switch hostID := k.hostOf(parts); {
	case parts.Upstream() && hostID != "":
		k.tierPolicy(b, "spec.policyId", b.Spec.PolicyID, hostID)
	case !parts.Upstream() && tierOf(policy) != "":
		k.add(b, "spec.policyId", "is a tier policy of host %s: it binds to host and host-account accounts only",
			k.catalog.nameOf(KindHost, tierOf(policy)))
	}
}

// hostOf returns the id of an upstream account's host, or "".
func (k *check) hostOf(parts AccountParts) string {
	if account := k.catalog.HostAccounts.Get(parts.Name); parts.Kind == KindHostAccount && account != nil {
		return account.Spec.HostID
	}
	if parts.Kind == KindHost {
		return parts.Name
	}
	return ""
}
