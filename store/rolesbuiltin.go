package store

import "slices"

// The roles that Relay ships. They can be bound, but neither changed nor
// deleted.
const (
	RoleAdmin         = "admin"
	RoleAuditor       = "auditor"
	RoleCatalogEditor = "catalog-editor"
	RoleTeamAdmin     = "team-admin"
	RoleProjectAdmin  = "project-admin"
	RoleDeveloper     = "developer"
	RoleViewer        = "viewer"
)

// IsBuiltinRole reports whether Relay ships a role of the name.
func IsBuiltinRole(name string) bool {
	return slices.ContainsFunc(BuiltinRoles(), func(r *Role) bool { return r.Metadata.Name == name })
}

// BuiltinRoles returns the roles as shipped, without ids.
func BuiltinRoles() []*Role {
	looks := []Verb{VerbGet, VerbList}
	edits := []Verb{VerbGet, VerbList, VerbCreate, VerbUpdate, VerbDelete}
	status := RoleRule{[]string{AreaUsage, AreaStatus}, []Verb{VerbRead}}
	catalog := pluralsOf(KindProvider, KindModel, KindHost, KindHostBinding, KindPricing)
	granted := pluralsOf(KindPolicy, KindRateLimit)
	tenancy := pluralsOf(KindOrganization, KindTeam, KindProject, KindServiceAccount, KindPolicyBinding)
	people := pluralsOf(KindUser, KindGroup, KindRole)
	keys := RoleRule{pluralsOf(KindRelayKey), append(slices.Clone(edits), VerbRotate, VerbRevoke, VerbMint)}
	inProject := slices.Concat(granted, pluralsOf(KindProject, KindServiceAccount, KindPolicyBinding, KindRoleBinding))
	return []*Role{
		builtinRole(RoleAdmin, "Everything.", RoleRule{[]string{AnyRule}, []Verb{AnyRule}}),
		builtinRole(RoleAuditor, "Sees everything, the audit log too, and changes nothing.",
			RoleRule{[]string{AnyRule}, append(slices.Clone(looks), VerbRead)}),
		builtinRole(RoleCatalogEditor, "Keeps providers, models, hosts, bindings and prices.",
			RoleRule{catalog, append(slices.Clone(edits), VerbApply)}, RoleRule{pluralsOf(KindHostAccount, KindHostKey), looks}, status),
		builtinRole(RoleTeamAdmin, "Keeps the projects, service accounts, keys and members of a team.",
			RoleRule{append(slices.Clone(inProject), KindTeam.Plural()), edits}, keys,
			RoleRule{slices.Concat(catalog, people, pluralsOf(KindOrganization)), looks}, status),
		builtinRole(RoleProjectAdmin, "Keeps the service accounts, keys and members of a project.",
			RoleRule{inProject, edits}, keys, RoleRule{slices.Concat(catalog, people, pluralsOf(KindOrganization, KindTeam)), looks}, status),
		builtinRole(RoleDeveloper, "Has keys and inference tokens of its own, and reads what they may use.",
			RoleRule{pluralsOf(KindRelayKey), []Verb{VerbMint}}, RoleRule{slices.Concat(catalog, granted, tenancy), looks}),
		builtinRole(RoleViewer, "Sees every record and usage, and changes nothing.",
			RoleRule{[]string{AnyRule}, looks}, status),
	}
}

func builtinRole(name, description string, rules ...RoleRule) *Role {
	return &Role{
		Metadata: Metadata{Name: name, Description: description, Owner: &Ref{Kind: KindSystem}},
		Spec:     RoleSpec{Rules: rules},
	}
}

func pluralsOf(kinds ...Kind) []string {
	out := make([]string, len(kinds))
	for i, kind := range kinds {
		out[i] = kind.Plural()
	}
	return out
}
