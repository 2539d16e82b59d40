package manifest_test

import (
	"strings"
	"testing"

	"relay/store"
	"relay/store/manifest"
	"relay/store/storetest"
)

const people = `
apiVersion: relay/v1
kind: RoleBinding
metadata: {name: researchers-dev}
spec: {role: developer, scope: {kind: project, name: chatbot}, subjects: [{kind: group, name: researchers}, {kind: group, name: "system:serviceaccounts:chatbot"}]}
---
apiVersion: relay/v1
kind: User
metadata: {name: maria}
spec: {email: "maria@acme.example", passwordFrom: {env: MARIA_PASSWORD}}
---
apiVersion: relay/v1
kind: Group
metadata: {name: researchers}
spec: {members: [maria]}
---
apiVersion: relay/v1
kind: Role
metadata: {name: developer}
spec: {rules: [{kinds: [relay-keys], verbs: [mint]}]}
---
apiVersion: relay/v1
kind: AdminToken
metadata: {name: ci}
spec: {roles: [developer], scope: {kind: project, name: chatbot}, source: {kind: env, env: CI_TOKEN}, expiresAt: 2027-01-31}
---
apiVersion: relay/v1
kind: Setting
metadata: {name: webhook}
spec: {url: "https://hooks.example/x", thresholds: [0.8, 1]}
---
apiVersion: relay/v1
kind: Organization
metadata: {name: acme}
---
apiVersion: relay/v1
kind: Team
metadata: {name: research}
spec: {organization: acme}
---
apiVersion: relay/v1
kind: Project
metadata: {name: chatbot}
spec: {team: research}
---
apiVersion: relay/v1
kind: Policy
metadata: {name: small}
---
apiVersion: relay/v1
kind: PolicyBinding
spec: {policy: small, account: "member:maria@chatbot"}
`

func peopleOptions() manifest.Options {
	variables := map[string]string{"MARIA_PASSWORD": "correct horse", "CI_TOKEN": "a-token-of-26-characters--"}
	return manifest.Options{LookupEnv: func(name string) (string, bool) {
		value, set := variables[name]
		return value, set
	}}
}

func readPeople(t *testing.T) []manifest.Document {
	t.Helper()
	docs, problems := manifest.Read(strings.NewReader(people), "people.yaml", peopleOptions())
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	return docs
}

// applyPeople applies the documents as a server does.
func applyPeople(t *testing.T, db *store.DB, docs []manifest.Document, passwords *store.Passwords) []string {
	t.Helper()
	hashed, err := manifest.HashPasswords(t.Context(), db.Catalog(), docs, passwords)
	if err != nil {
		t.Fatal(err)
	}
	return apply(t, db, docs, manifest.ApplyOptions{Passwords: hashed, Source: "people"})
}

func TestApply_MakesUsersGroupsRolesTokensAndSettings(t *testing.T) {
	db, passwords := storetest.Open(t), store.NewPasswords(store.PasswordCost{MemoryKiB: 8, Passes: 1})
	for _, line := range applyPeople(t, db, readPeople(t), passwords) {
		if !strings.HasPrefix(line, "create ") {
			t.Error(line)
		}
	}
	c := db.Catalog()
	maria, project := c.Users.ByName("maria"), c.Projects.ByName("chatbot")
	hash, err := db.PasswordHash(maria)
	if err != nil || !maria.Spec.HasPassword {
		t.Fatalf("user %+v, %v", maria.Spec, err)
	}
	if matches, err := passwords.Matches(t.Context(), hash, store.NewSecret("correct horse")); err != nil || !matches {
		t.Errorf("the password does not match: %v", err)
	}
	if !c.AccessOfUser(maria).Allows("relay-keys", store.VerbMint, c.ScopesOf(project)...) {
		t.Error("the group's role does not reach its member")
	}
	if token := c.AdminTokens.ByName("ci"); len(token.Spec.TokenHash) != 64 || token.Spec.Scope.ID != project.Metadata.ID {
		t.Errorf("token %+v", token.Spec)
	}
	bound := c.PolicyBindings.ByName("member-maria-chatbot")
	if bound == nil || string(bound.Spec.Account) != "member:"+maria.Metadata.ID+"@"+project.Metadata.ID {
		t.Errorf("binding %+v", bound)
	}
	if subject := c.RoleBindings.ByName("researchers-dev").Spec.Subjects[1].ID; subject != "system:serviceaccounts:"+project.Metadata.ID {
		t.Errorf("virtual group %s", subject)
	}
	for _, line := range applyPeople(t, db, readPeople(t), passwords) {
		if !strings.HasPrefix(line, "unchanged ") {
			t.Error(line)
		}
	}
}

func TestApply_UsesAPasswordAtCreationOnlyAndKeepsNoTraceOfIt(t *testing.T) {
	db, passwords := storetest.Open(t), store.NewPasswords(store.PasswordCost{MemoryKiB: 8, Passes: 1})
	applyPeople(t, db, readPeople(t), passwords)
	other := manifest.Options{LookupEnv: func(name string) (string, bool) { return "another password, in " + name, true }}
	docs, problems := manifest.Read(strings.NewReader(people), "people.yaml", other)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	before := db.Catalog().Users.ByName("maria").Metadata.Origin.Hash
	applyPeople(t, db, docs, passwords)
	maria := db.Catalog().Users.ByName("maria")
	hash, err := db.PasswordHash(maria)
	if matches, _ := passwords.Matches(t.Context(), hash, store.NewSecret("correct horse")); err != nil || !matches {
		t.Errorf("the first password is gone: %v", err)
	}
	if maria.Metadata.Origin.Hash != before {
		t.Error("the hash of the document tells one password from another")
	}
}

func TestExport_GivesAnEqualCatalogOfPeople(t *testing.T) {
	from, passwords := storetest.Open(t), store.NewPasswords(store.PasswordCost{MemoryKiB: 8, Passes: 1})
	applyPeople(t, from, readPeople(t), passwords)
	text := export(t, from.Catalog())
	for _, part := range []string{"roles: [developer]", "tokenHash: ", "thresholds: [0.8, 1]", "system:serviceaccounts:chatbot", "members: [maria]", "member:maria@chatbot"} {
		if !strings.Contains(text, part) {
			t.Errorf("no %s in\n%s", part, text)
		}
	}
	if strings.Contains(text, "horse") || strings.Contains(text, "argon2") || strings.Contains(text, "hasPassword") {
		t.Errorf("the export tells of the password:\n%s", text)
	}
	to := storetest.Open(t)
	apply(t, to, read(t, text), manifest.ApplyOptions{})
	if again := export(t, to.Catalog()); again != text {
		t.Errorf("exported again:\n%s\nwant\n%s", again, text)
	}
}

func TestRead_HasNoPlaceForPasswordsAndSecrets(t *testing.T) {
	for spec, part := range map[string]string{
		`kind: User, metadata: {name: a}, spec: {password: hunter22222}`:                            "set passwordFrom to {env: NAME}",
		`kind: User, metadata: {name: a}, spec: {hasPassword: true}`:                                "is set by the server",
		`kind: User, metadata: {name: a}, spec: {passwordFrom: {env: SHORT}}`:                       "at least 8 bytes",
		`kind: Setting, metadata: {name: webhook}, spec: {secret: hunter22222}`:                     "set it through the API",
		`kind: Setting, metadata: {name: audit}, spec: {allowMissingPolicy: true, retention: 30d}`:  "belongs to another section: inference",
		`kind: Setting, metadata: {name: audits}, spec: {}`:                                         "must be the name of a section",
		`kind: AdminToken, metadata: {name: a}, spec: {roles: [x], source: {kind: env, env: NONE}}`: "needs the environment variable NONE",
		`kind: AdminToken, metadata: {name: a}, spec: {tokenHash: abc}`:                             "64 lower-case hex digits",
		`kind: Role, metadata: {name: a}, spec: {rules: [{kinds: [keys], verbs: [get]}]}`:           "must be one of *, providers",
		`kind: RoleBinding, metadata: {name: a}, spec: {role: r, scope: {kind: system, name: x}}`:   "system is no record",
	} {
		o := manifest.Options{LookupEnv: func(name string) (string, bool) { return "short", name == "SHORT" }}
		_, problems := manifest.Read(strings.NewReader("{apiVersion: relay/v1, "+spec+"}"), "x.yaml", o)
		told := strings.Builder{}
		for _, p := range problems {
			told.WriteString(p.String() + "\n")
		}
		if !strings.Contains(told.String(), part) || strings.Contains(told.String(), "hunter") {
			t.Errorf("%s: %q lacks %q", spec, told.String(), part)
		}
	}
}
