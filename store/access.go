package store

import (
	"slices"
	"strings"
)

// Grant is a role within a scope.
type Grant struct {
	Role  *Role
	Scope Ref
}

// Access is what somebody may do: the grants of a user or a token. The zero
// value may do nothing. It belongs to the catalog that it was made from.
type Access struct {
	all    bool
	grants []Grant
}

// FullAccess may do everything.
func FullAccess() Access { return Access{all: true} }

// Full reports whether the access has no bounds.
func (a Access) Full() bool {
	return a.all || a.Allows(AnyRule, AnyRule, System())
}

// Allows reports whether a grant within one of the scopes allows the verb on
// the kind, which is a plural or an area.
func (a Access) Allows(kind string, verb Verb, scopes ...Ref) bool {
	return a.all || slices.ContainsFunc(a.grants, func(g Grant) bool {
		return slices.Contains(scopes, g.Scope) && g.Role.Spec.Allows(kind, verb)
	})
}

// AllowsAnywhere is Allows for whatever scope.
func (a Access) AllowsAnywhere(kind string, verb Verb) bool {
	return a.all || slices.ContainsFunc(a.grants, func(g Grant) bool { return g.Role.Spec.Allows(kind, verb) })
}

// ScopesWith returns the scopes in which the verb is allowed on the kind.
func (a Access) ScopesWith(kind string, verb Verb) []Ref {
	if a.all {
		return []Ref{System()}
	}
	var scopes []Ref
	for _, g := range a.grants {
		if g.Role.Spec.Allows(kind, verb) && !slices.Contains(scopes, g.Scope) {
			scopes = append(scopes, g.Scope)
		}
	}
	return scopes
}

// Covers reports whether the access allows all that the grants do. Nobody may
// hand out more than that.
func (a Access) Covers(c *Catalog, grants []Grant) bool {
	if a.all {
		return true
	}
	for _, g := range grants {
		scopes := c.ScopesFrom(g.Scope)
		for _, rule := range g.Role.Spec.Rules {
			if !a.allowsEach(rule, scopes) {
				return false
			}
		}
	}
	return true
}

func (a Access) allowsEach(rule RoleRule, scopes []Ref) bool {
	for _, kind := range rule.Kinds {
		for _, verb := range rule.Verbs {
			if !a.Allows(kind, verb, scopes...) {
				return false
			}
		}
	}
	return true
}

// Grants returns the grants, in the order of their bindings' names.
func (a Access) Grants() []Grant { return a.grants }

// AccessOfUser returns what the role bindings give to a user and to the groups
// that it is in. A disabled user has nothing.
func (c *Catalog) AccessOfUser(user *User) Access {
	if user.Spec.Disabled {
		return Access{}
	}
	return Access{grants: c.grantsOf(c.identitiesOf(user))}
}

// AccessOfGroup returns what a member of the group gets by it.
func (c *Catalog) AccessOfGroup(id string) Access {
	return Access{grants: c.grantsOf([]Ref{{KindGroup, id}})}
}

// AccessOfServiceAccount returns what the role bindings give to a service
// account.
func (c *Catalog) AccessOfServiceAccount(account *ServiceAccount) Access {
	return Access{grants: c.grantsOf([]Ref{
		{KindServiceAccount, account.Metadata.ID},
		{KindGroup, GroupServiceAccounts},
		{KindGroup, groupOfProjectsPrefix + account.Spec.ProjectID},
	})}
}

// AccessOfToken returns what the roles of an admin token allow.
func (c *Catalog) AccessOfToken(token *AdminToken) Access {
	return Access{grants: c.GrantsOfToken(&token.Spec)}
}

// GrantsOfToken returns the roles that an admin token has, or is to have.
func (c *Catalog) GrantsOfToken(spec *AdminTokenSpec) []Grant {
	scope := System()
	if spec.Scope != nil {
		scope = *spec.Scope
	}
	var grants []Grant
	for _, id := range spec.RoleIDs {
		if role := c.Roles.Get(id); role != nil {
			grants = append(grants, Grant{role, scope})
		}
	}
	return grants
}

// identitiesOf returns the user and its groups, as role bindings name them.
func (c *Catalog) identitiesOf(user *User) []Ref {
	all := []Ref{{KindUser, user.Metadata.ID}, {KindGroup, GroupAuthenticated}}
	for group := range c.Groups.All() {
		claimed := slices.ContainsFunc(user.Spec.Groups, func(name string) bool { return strings.EqualFold(name, group.Metadata.Name) })
		if claimed || slices.Contains(group.Spec.Members, user.Metadata.ID) {
			all = append(all, Ref{KindGroup, group.Metadata.ID})
		}
	}
	return all
}

func (c *Catalog) grantsOf(subjects []Ref) []Grant {
	var grants []Grant
	for binding := range c.RoleBindings.All() {
		role := c.Roles.Get(binding.Spec.RoleID)
		bound := slices.ContainsFunc(binding.Spec.Subjects, func(s Ref) bool { return slices.Contains(subjects, s) })
		if role != nil && bound {
			grants = append(grants, Grant{role, binding.Spec.Scope})
		}
	}
	return grants
}
