package store_test

import (
	"slices"
	"strings"
	"testing"

	"relay/store"
)

// office is a catalog of two teams and of people who may do some things there.
func office(t *testing.T) *store.Catalog {
	texts := []string{
		`organization acme {}`, `team research {"organizationId":"acme"}`, `project bot {"teamId":"research"}`, `project lab {"teamId":"research"}`,
		`team sales {"organizationId":"acme"}`, `project shop {"teamId":"sales"}`, `service-account prod {"projectId":"bot"}`,
		`host up {"baseURL":"https://up.example/v1","auth":"bearer"}`, `policy open {}`,
		`policy {"metadata":{"name":"owned","owner":{"kind":"team","id":"research"}},"spec":{}}`,
		`role looker {"rules":[{"kinds":["projects","teams"],"verbs":["get"]},{"kinds":["relay-keys"],"verbs":["mint","rotate"]}]}`,
		`role everything {"rules":[{"kinds":["*"],"verbs":["*"]}]}`,
		`user maria {"email":"maria@acme.example"}`, `user noor {}`, `user gone {"disabled":true}`, `user claimed {"groups":["Research"]}`,
		`group research {"members":["maria"]}`,
		`role-binding maria {"roleId":"looker","scope":{"kind":"project","id":"bot"},"subjects":[{"kind":"user","id":"maria"}]}`,
		`role-binding researchers {"roleId":"looker","scope":{"kind":"team","id":"sales"},"subjects":[{"kind":"group","id":"research"}]}`,
		`role-binding noor {"roleId":"everything","scope":{"kind":"system"},"subjects":[{"kind":"user","id":"noor"},{"kind":"user","id":"gone"}]}`,
		`role-binding accounts {"roleId":"looker","scope":{"kind":"organization","id":"acme"},"subjects":[{"kind":"group","id":"system:serviceaccounts:bot"}]}`,
		`admin-token ci {"roleIds":["looker"],"scope":{"kind":"team","id":"research"},"tokenHash":"` + strings.Repeat("1b", 32) + `"}`,
		`relay-key own {"principal":{"kind":"user","id":"maria"},"projectId":"lab","keyHash":"` + strings.Repeat("0a", 32) + `"}`,
		`relay-key prod {"principal":{"kind":"service-account","id":"prod"},"keyHash":"` + strings.Repeat("0b", 32) + `"}`,
		`policy-binding x {"policyId":"open","account":"member:maria@shop"}`,
	}
	return catalogOf(t, texts...)
}

// scopeNames writes scopes with names, from inside out.
func scopeNames(c *store.Catalog, scopes []store.Ref) string {
	words := make([]string, len(scopes))
	for i, scope := range scopes {
		words[i] = string(scope.Kind)
		if table := c.Of(scope.Kind); table != nil {
			words[i] += ":" + table.Find(scope.ID).Meta().Name
		}
	}
	return strings.Join(words, " ")
}

func TestScopesOf_LeadFromARecordToTheSystem(t *testing.T) {
	c := office(t)
	for _, row := range []struct {
		kind       store.Kind
		name, want string
	}{
		{store.KindOrganization, "acme", "organization:acme system"},
		{store.KindTeam, "sales", "team:sales organization:acme system"},
		{store.KindProject, "bot", "project:bot team:research organization:acme system"},
		{store.KindServiceAccount, "prod", "project:bot team:research organization:acme system"},
		{store.KindRelayKey, "prod", "project:bot team:research organization:acme system"},
		{store.KindRelayKey, "own", "project:lab team:research organization:acme system"},
		{store.KindPolicyBinding, "x", "project:shop team:sales organization:acme system"},
		{store.KindRoleBinding, "researchers", "team:sales organization:acme system"},
		{store.KindPolicy, "owned", "team:research organization:acme system"},
		{store.KindPolicy, "open", "system"},
		{store.KindHost, "up", "system"},
		{store.KindUser, "maria", "system"},
	} {
		if got := scopeNames(c, c.ScopesOf(c.Of(row.kind).FindByName(row.name))); got != row.want {
			t.Errorf("%s %s is in %q, want %q", row.kind, row.name, got, row.want)
		}
	}
	gone := store.Ref{Kind: store.KindProject, ID: "0192f0c4-7b1a-7def-8123-456789abcdef"}
	if got := scopeNames(c, c.ScopesFrom(gone)); got != "system" {
		t.Errorf("a project that is gone is in %q", got)
	}
}

func TestAccess_HoldsWhereARoleIsBoundAndBelow(t *testing.T) {
	c := office(t)
	in := func(project string) []store.Ref { return c.ScopesOf(c.Projects.ByName(project)) }
	user := func(name string) store.Access { return c.AccessOfUser(c.Users.ByName(name)) }
	for name, row := range map[string]struct{ got, want bool }{
		"where it is bound":            {user("maria").Allows("relay-keys", store.VerbMint, in("bot")...), true},
		"in another project":           {user("maria").Allows("relay-keys", store.VerbMint, in("lab")...), false},
		"through a group":              {user("maria").Allows("relay-keys", store.VerbMint, in("shop")...), true},
		"through a claimed group":      {user("claimed").Allows("relay-keys", store.VerbMint, in("shop")...), true},
		"another verb":                 {user("maria").Allows("relay-keys", store.VerbDelete, in("bot")...), false},
		"another kind":                 {user("maria").Allows("hosts", store.VerbGet, in("bot")...), false},
		"anywhere":                     {user("maria").AllowsAnywhere("projects", store.VerbGet), true},
		"in the system":                {user("maria").Allows("projects", store.VerbGet, store.System()), false},
		"everything":                   {user("noor").Full(), true},
		"everything when disabled":     {user("gone").Full(), false},
		"nobody":                       {store.Access{}.AllowsAnywhere("projects", store.VerbGet), false},
		"a token in its scope":         {c.AccessOfToken(c.AdminTokens.ByName("ci")).Allows("teams", store.VerbGet, in("lab")...), true},
		"a token elsewhere":            {c.AccessOfToken(c.AdminTokens.ByName("ci")).Allows("teams", store.VerbGet, in("shop")...), false},
		"a service account by project": {c.AccessOfServiceAccount(c.ServiceAccounts.ByName("prod")).Allows("teams", store.VerbGet, in("shop")...), true},
		"full access":                  {store.FullAccess().Allows("audit", store.VerbRead), true},
	} {
		if row.got != row.want {
			t.Errorf("%s: %v", name, row.got)
		}
	}
}

func TestAccess_CoversNoMoreThanItAllows(t *testing.T) {
	c := office(t)
	maria, noor := c.AccessOfUser(c.Users.ByName("maria")), c.AccessOfUser(c.Users.ByName("noor"))
	grant := func(role string, scope store.Ref) []store.Grant {
		return []store.Grant{{Role: c.Roles.ByName(role), Scope: scope}}
	}
	bot := store.Ref{Kind: store.KindProject, ID: idOf(t, c, store.KindProject, "bot")}
	lab := store.Ref{Kind: store.KindProject, ID: idOf(t, c, store.KindProject, "lab")}
	for name, row := range map[string]struct{ got, want bool }{
		"its own role":              {maria.Covers(c, grant("looker", bot)), true},
		"its own role elsewhere":    {maria.Covers(c, grant("looker", lab)), false},
		"its own role more widely":  {maria.Covers(c, grant("looker", store.System())), false},
		"everything where it looks": {maria.Covers(c, grant("everything", bot)), false},
		"an administrator's":        {noor.Covers(c, grant("everything", store.System())), true},
		"nothing":                   {store.Access{}.Covers(c, nil), true},
	} {
		if row.got != row.want {
			t.Errorf("%s: %v", name, row.got)
		}
	}
}

func TestBuiltinRoles_AreValidAndNamed(t *testing.T) {
	var names []string
	for _, role := range store.BuiltinRoles() {
		names = append(names, role.Metadata.Name)
		wantProblems(t, store.Validate(role))
		if !store.IsBuiltinRole(role.Metadata.Name) {
			t.Errorf("%s is not built in", role.Metadata.Name)
		}
	}
	if want := "admin auditor catalog-editor team-admin project-admin developer viewer"; strings.Join(names, " ") != want {
		t.Errorf("roles %s", names)
	}
	if store.IsBuiltinRole("boss") {
		t.Error("boss is built in")
	}
	admin := store.BuiltinRoles()[0].Spec
	for _, kind := range store.RuleKinds() {
		for _, verb := range store.Verbs() {
			if !admin.Allows(kind, verb) {
				t.Errorf("admin may not %s %s", verb, kind)
			}
		}
	}
}

func TestDeletingAPerson_IsRefusedWhileSomebodyRefersToIt(t *testing.T) {
	c := office(t)
	var names []string
	for _, rec := range store.References(c, store.KindUser, idOf(t, c, store.KindUser, "maria")) {
		names = append(names, string(rec.Kind())+" "+rec.Meta().Name)
	}
	want := []string{"group research", "role-binding maria", "policy-binding x", "relay-key own"}
	if !slices.Equal(names, want) {
		t.Errorf("references %q, want %q", names, want)
	}
	names = nil
	for _, rec := range store.References(c, store.KindProject, idOf(t, c, store.KindProject, "bot")) {
		names = append(names, string(rec.Kind())+" "+rec.Meta().Name)
	}
	if want := []string{"service-account prod", "role-binding accounts", "role-binding maria"}; !slices.Equal(names, want) {
		t.Errorf("references %q, want %q", names, want)
	}
}

func TestCheck_FindsTokensAndIdentitiesOfTwo(t *testing.T) {
	c := office(t)
	draft := store.NewDraft(c)
	for _, text := range []string{
		`admin-token ci-2 {"roleIds":["` + idOf(t, c, store.KindRole, "looker") + `"],"tokenHash":"` + strings.Repeat("1b", 32) + `"}`,
		`user a {"identity":{"issuer":"https://id.example","subject":"7"}}`,
		`user b {"identity":{"issuer":"https://id.example","subject":"7"}}`,
	} {
		if err := draft.Put(recordOf(t, text)); err != nil {
			t.Fatal(err)
		}
	}
	wantProblems(t, draft.Problems(), "spec.tokenHash is the secret of admin token ci already", "spec.identity is that of user a already")
}
