package store

// System is the scope of all there is.
func System() Ref { return Ref{Kind: KindSystem} }

// ScopesOf returns the scopes that a record is in, from its own outward: its
// project, team and organization, and system last. What belongs to nobody in
// particular is in system alone.
func (c *Catalog) ScopesOf(rec AnyRecord) []Ref {
	switch rec := rec.(type) {
	case *Organization, *Team, *Project:
		return c.ScopesFrom(Ref{rec.Kind(), rec.Meta().ID})
	case *ServiceAccount:
		return c.ScopesFrom(Ref{KindProject, rec.Spec.ProjectID})
	case *RelayKey:
		return c.scopesOfKey(rec)
	case *PolicyBinding:
		return c.ScopesOfAccount(rec.Spec.Account)
	case *RoleBinding:
		return c.ScopesFrom(rec.Spec.Scope)
	case *Policy, *RateLimit:
		if owner := rec.Meta().Owner; owner != nil {
			return c.ScopesFrom(*owner)
		}
	}
	return []Ref{System()}
}

// ScopesFrom returns the scope and those around it, system last. A scope that
// does not exist is in system alone.
func (c *Catalog) ScopesFrom(scope Ref) []Ref {
	var scopes []Ref
	for {
		above, ok := c.scopeAbove(scope)
		if !ok {
			return append(scopes, System())
		}
		scopes, scope = append(scopes, scope), above
	}
}

// scopeAbove returns what the scope is in; ok is false for system and for what
// does not exist.
func (c *Catalog) scopeAbove(scope Ref) (above Ref, ok bool) {
	switch scope.Kind {
	case KindProject:
		if rec := c.Projects.Get(scope.ID); rec != nil {
			return Ref{KindTeam, rec.Spec.TeamID}, true
		}
	case KindTeam:
		if rec := c.Teams.Get(scope.ID); rec != nil {
			return Ref{KindOrganization, rec.Spec.OrganizationID}, true
		}
	case KindOrganization:
		if c.Organizations.Get(scope.ID) != nil {
			return System(), true
		}
	}
	return Ref{}, false
}

func (c *Catalog) scopesOfKey(key *RelayKey) []Ref {
	if key.Spec.Principal.Kind == KindUser {
		return c.ScopesFrom(Ref{KindProject, key.Spec.ProjectID})
	}
	return c.ScopesOfAccount(AccountRef(string(key.Spec.Principal.Kind) + ":" + key.Spec.Principal.ID))
}

// ScopesOfAccount returns the scopes that an account is in. References hold
// ids.
func (c *Catalog) ScopesOfAccount(account AccountRef) []Ref {
	parts, err := ParseAccountRef(account)
	if err != nil {
		return []Ref{System()}
	}
	switch parts.Kind {
	case KindServiceAccount:
		if rec := c.ServiceAccounts.Get(parts.Name); rec != nil {
			return c.ScopesFrom(Ref{KindProject, rec.Spec.ProjectID})
		}
	case KindUser:
		return c.ScopesFrom(Ref{KindProject, parts.Project})
	}
	return c.ScopesFrom(Ref{parts.Kind, parts.Name})
}
