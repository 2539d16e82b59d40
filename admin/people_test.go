package admin_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"relay/admin"
	"relay/store"
	inference "relay/store/token"
)

func TestUsers_ShowNothingOfTheirPassword(t *testing.T) {
	f := start(t)
	made := f.send("POST", "/api/users", `{"metadata":{"name":"maria"},"spec":{"password":"`+password+`"}}`).want(http.StatusCreated).holds(`"hasPassword":true`)
	path := "/api/users/by-id/" + made.id()
	f.enter("maria", password).want(http.StatusCreated)
	for _, answer := range []*reply{made, f.send("GET", "/api/users/maria", ""), f.send("GET", "/api/users", ""), f.send("GET", "/api/export", "")} {
		for _, canary := range []string{password, "argon2", `"password"`, "redacted"} {
			if strings.Contains(answer.text, canary) {
				t.Errorf("%s in %s", canary, answer.text)
			}
		}
	}
	f.send("PUT", path, made.text).want(200).holds(`"hasPassword":true`)
	f.enter("maria", password).want(http.StatusCreated)
	f.send("PATCH", path, `{"spec":{"hasPassword":false}}`, "Content-Type", "application/merge-patch+json").want(200).holds(`"hasPassword":true`)
	f.send("PATCH", path, `{"spec":{"tokenVersion":7}}`, "Content-Type", "application/merge-patch+json").want(400)
	f.send("PATCH", path, `{"spec":{"password":"another horse"}}`, "Content-Type", "application/merge-patch+json").want(200).holds(`"tokenVersion":1`)
	f.enter("maria", password).want(401)
	f.enter("maria", "another horse").want(http.StatusCreated)
	for body, part := range map[string]string{
		`{"metadata":{"name":"a"},"spec":{"password":"short"}}`:                               "at least 8 bytes",
		`{"metadata":{"name":"longer-name"},"spec":{"password":"Longer-Name"}}`:               "must not be the username",
		`{"metadata":{"name":"b"},"spec":{"email":"nowhere"}}`:                                `"field":"spec.email"`,
		`{"metadata":{"name":"c"},"spec":{"identity":{"issuer":"x","subject":"y"}}}`:          "read-only",
		`{"metadata":{"name":"d"},"spec":{"groups":["admins"]}}`:                              "read-only",
		`{"metadata":{"name":"e"},"spec":{"passwordHash":"$argon2id$"}}`:                      "no such member",
		`{"metadata":{"name":"f"},"spec":{"password":"` + strings.Repeat("x", 1025) + `"}}`:   "at most 1024 bytes",
		`{"metadata":{"name":"Maria Two"},"spec":{"password":"` + password + `"}}`:            "metadata.name",
		`{"metadata":{"name":"g"},"spec":{"password":["` + password + `"]}}`:                  "spec.password",
		`{"metadata":{"name":"h"},"spec":{"password":"` + password + `","tokenVersion":"1"}}`: "spec.tokenVersion",
	} {
		f.send("POST", "/api/users", body).want(400).holds(part)
	}
}

func TestUsers_GoWithWhatIsTheirsAloneAndLeaveTheRest(t *testing.T) {
	f := start(t)
	if err := admin.EnsureRoles(f.db); err != nil {
		t.Fatal(err)
	}
	maria := f.create(store.KindUser, `{"metadata":{"name":"maria"},"spec":{}}`)
	f.create(store.KindUser, `{"metadata":{"name":"noor"},"spec":{}}`)
	f.create(store.KindGroup, `{"metadata":{"name":"both"},"spec":{"members":["maria","noor"]}}`)
	f.create(store.KindGroup, `{"metadata":{"name":"alone"},"spec":{"members":["maria"]}}`)
	binding := func(name, subjects string) {
		f.create(store.KindRoleBinding, `{"metadata":{"name":"`+name+`"},"spec":{"roleId":"viewer","scope":{"kind":"system"},"subjects":[`+subjects+`]}}`)
	}
	binding("both", `{"kind":"user","id":"maria"},{"kind":"user","id":"noor"}`)
	binding("alone", `{"kind":"user","id":"maria"}`)
	f.send("POST", "/api/relay-keys", `{"metadata":{"name":"k"},"spec":{"principal":{"kind":"user","id":"maria"},"projectId":"default"}}`).want(http.StatusCreated)
	f.send("DELETE", "/api/users/by-id/"+maria, "").want(409).holds("group both", "role-binding alone", "relay-key k")
	f.send("DELETE", "/api/users/by-id/"+maria+"?cascade=true", "").want(http.StatusNoContent)
	c := f.db.Catalog()
	if both := c.Groups.ByName("both"); both == nil || len(both.Spec.Members) != 1 {
		t.Errorf("group %+v", both)
	}
	if alone := c.Groups.ByName("alone"); alone == nil || len(alone.Spec.Members) != 0 {
		t.Errorf("group %+v", alone)
	}
	if both := c.RoleBindings.ByName("both"); both == nil || len(both.Spec.Subjects) != 1 {
		t.Errorf("binding %+v", both)
	}
	if c.RoleBindings.ByName("alone") != nil || c.RelayKeys.ByName("k") != nil {
		t.Error("what was hers alone is still there")
	}
}

func TestRoles_ThatAreBuiltInStayAsTheyAre(t *testing.T) {
	f := start(t)
	for range 2 {
		if err := admin.EnsureRoles(f.db); err != nil {
			t.Fatal(err)
		}
	}
	generation := f.db.Catalog().Generation
	viewer := f.db.Catalog().Roles.ByName("viewer").Metadata.ID
	f.send("DELETE", "/api/roles/by-id/"+viewer, "").want(409).holds("built-in")
	f.send("DELETE", "/api/roles/by-id/"+viewer+"?cascade=true", "").want(409)
	f.send("PATCH", "/api/roles/by-id/"+viewer, `{"spec":{"rules":[{"kinds":["*"],"verbs":["*"]}]}}`, "Content-Type", "application/merge-patch+json").want(409)
	own := f.create(store.KindRole, `{"metadata":{"name":"own"},"spec":{"rules":[{"kinds":["hosts"],"verbs":["get"]}]}}`)
	f.send("PATCH", "/api/roles/by-id/"+own, `{"metadata":{"name":"admin"}}`, "Content-Type", "application/merge-patch+json").want(409)
	if got := f.db.Catalog().Generation; got != generation+1 {
		t.Errorf("generation %d, want %d", got, generation+1)
	}
}

func TestAdminTokens_OpenTheAPIWithTheirRolesUntilTheyEnd(t *testing.T) {
	c := startCompany(t)
	made := c.send("POST", "/api/admin-tokens", `{"metadata":{"name":"research"},"spec":{"roleIds":["team-admin"],"scope":{"kind":"team","id":"research"},"expiresAt":"2026-12-01T12:00:00Z"}}`).want(http.StatusCreated)
	plaintext, path := made.at("plaintext"), "/api/admin-tokens/by-id/"+made.at("token", "metadata", "id")
	if !strings.HasPrefix(plaintext, "wr-admin-") || len(plaintext) != len("wr-admin-")+43 || made.at("token", "spec", "prefix") != plaintext[:14] {
		t.Errorf("made %s", made.text)
	}
	with := func(secret, path string) *reply { return c.send("GET", path, "", "Authorization", "Bearer "+secret) }
	with(plaintext, "/api/projects/bot").want(200)
	with(plaintext, "/api/projects/shop").want(404)
	with(plaintext, "/api/settings").want(403)
	with(plaintext, "/api/session").want(200).holds(`"kind":"admin-token"`, `"name":"research"`)
	for _, answer := range []*reply{c.send("GET", "/api/admin-tokens", ""), c.send("GET", "/api/admin-tokens/research", ""), c.send("GET", "/api/export", "")} {
		if strings.Contains(answer.text, plaintext) {
			t.Errorf("the token is shown again: %s", answer.text)
		}
	}
	rotated := c.send("POST", path+"/rotate", `{}`).want(200).at("plaintext")
	with(plaintext, "/api/projects/bot").want(401)
	with(rotated, "/api/projects/bot").want(200)
	c.send("PATCH", path, `{"spec":{"enabled":false}}`, "Content-Type", "application/merge-patch+json").want(200)
	with(rotated, "/api/projects/bot").want(401)
	c.send("PATCH", path, `{"spec":{"enabled":null}}`, "Content-Type", "application/merge-patch+json").want(200)
	c.now = c.now.Add(24*time.Hour - time.Second)
	with(rotated, "/api/projects/bot").want(200)
	c.now = c.now.Add(time.Second)
	with(rotated, "/api/projects/bot").want(401)
	c.send("PATCH", path, `{"spec":{"expiresAt":null}}`, "Content-Type", "application/merge-patch+json").want(200)
	with(rotated, "/api/projects/bot").want(200)
	c.send("POST", path+"/revoke", `{}`).want(200).holds(`"revokedAt"`)
	with(rotated, "/api/projects/bot").want(401)
	c.send("POST", path+"/rotate", `{}`).want(409)
	c.send("POST", "/api/admin-tokens", `{"metadata":{"name":"x"},"spec":{"roleIds":[]}}`).want(400).holds("spec.roleIds")
	c.send("POST", "/api/admin-tokens", `{"metadata":{"name":"x"},"spec":{"roleIds":["viewer"],"prefix":"wr"}}`).want(400)
}

func TestSettings_HoldTheMembersOfTheirSection(t *testing.T) {
	f := start(t)
	id := f.create(store.KindSetting, `{"metadata":{"name":"tokens"},"spec":{"defaultTTL":"30m","maxTTL":"2h"}}`)
	hook := f.send("POST", "/api/settings", `{"metadata":{"name":"webhook"},"spec":{"url":"https://hooks.example/x","secret":"canary-secret"}}`).want(http.StatusCreated).holds(`"hasSecret":true`)
	if strings.Contains(hook.text+f.send("GET", "/api/settings", "").text, "canary") {
		t.Errorf("the secret is shown: %s", hook.text)
	}
	if secret, err := f.db.WebhookSecret(); err != nil || secret.Reveal() != "canary-secret" {
		t.Errorf("%v, %v", secret, err)
	}
	for body, part := range map[string]string{
		`{"metadata":{"name":"audits"},"spec":{}}`:                                  "must be the name of a section",
		`{"metadata":{"name":"audit"},"spec":{"maxTTL":"2h"}}`:                      "belongs to another section: tokens",
		`{"metadata":{"name":"audit"},"spec":{"retention":"1m"}}`:                   "between 1h",
		`{"metadata":{"name":"limits"},"spec":{"headers":"some"}}`:                  "spec.headers",
		`{"metadata":{"name":"limits"},"spec":{"timezone":"Moon/Base"}}`:            "spec.timezone",
		`{"metadata":{"name":"payloads"},"spec":{"maxBytes":-1}}`:                   "spec.maxBytes",
		`{"metadata":{"name":"usage"},"spec":{"retention":90}}`:                     "spec.retention",
		`{"metadata":{"name":"audit"},"spec":{"retention":"30d","thresholds":[1]}}`: "belongs to another section: webhook",
	} {
		f.send("POST", "/api/settings", body).want(400).holds(part)
	}
	f.send("PATCH", "/api/settings/by-id/"+id, `{"spec":{"defaultTTL":"3h"}}`, "Content-Type", "application/merge-patch+json").want(400).holds("maxTTL")
	f.send("PATCH", "/api/settings/by-id/"+id, `{"metadata":{"name":"audit"}}`, "Content-Type", "application/merge-patch+json").want(400).holds("must stay")
	f.send("PATCH", "/api/settings/by-id/"+hook.id(), `{"spec":{"url":"http://169.254.169.254/latest"}}`, "Content-Type", "application/merge-patch+json").want(400)
}

// verify reads a token as a gateway does.
func (f *fixture) verify(text string) (inference.Claims, error) {
	f.t.Helper()
	keys, err := f.db.TokenKeys(f.now)
	if err != nil {
		f.t.Fatal(err)
	}
	return inference.NewVerifier(f.db.InstallationID(), admin.TokenKeys(keys)).Verify(text, f.now)
}

func TestInferenceTokens_AreOfTheUserWhoAsksAndOneProject(t *testing.T) {
	c := startCompany(t)
	made := c.by("developer", "POST", "/api/auth/token", `{"project":"bot"}`).want(http.StatusCreated)
	claims, err := c.verify(made.at("token"))
	user, project := c.db.Catalog().Users.ByName("developer"), c.db.Catalog().Projects.ByName("bot")
	if err != nil || claims.User != user.Metadata.ID || claims.Project != project.Metadata.ID || claims.ID != made.at("id") || claims.Expires.Sub(c.now) != time.Hour {
		t.Fatalf("claims %+v, %v", claims, err)
	}
	c.by("developer", "POST", "/api/auth/token", `{"project":"bot","ttl":"24h"}`).want(http.StatusCreated)
	c.by("developer", "POST", "/api/auth/token", `{"project":"bot","ttl":"25h"}`).want(400).holds(`"field":"ttl"`)
	c.by("developer", "POST", "/api/auth/token", `{"project":"bot","ttl":"3600"}`).want(400)
	hidden, missing := c.by("developer", "POST", "/api/auth/token", `{"project":"shop"}`).want(422), c.by("developer", "POST", "/api/auth/token", `{"project":"nothing"}`).want(422)
	if hidden.text != missing.text {
		t.Errorf("hidden %s\nmissing %s", hidden.text, missing.text)
	}
	c.by("viewer", "POST", "/api/auth/token", `{"project":"bot"}`).want(403)
	c.send("POST", "/api/auth/token", `{"project":"bot"}`).want(409).holds("only users")
	c.send("PATCH", "/api/settings/by-id/"+c.create(store.KindSetting, `{"metadata":{"name":"tokens"},"spec":{"maxTTL":"2h"}}`), `{"spec":{"defaultTTL":"5m"}}`, "Content-Type", "application/merge-patch+json").want(200)
	short := c.by("developer", "POST", "/api/auth/token", `{"project":"bot"}`).want(http.StatusCreated)
	if claims, err := c.verify(short.at("token")); err != nil || claims.Expires.Sub(c.now) != 5*time.Minute {
		t.Errorf("claims %+v, %v", claims, err)
	}
	c.by("developer", "POST", "/api/auth/token", `{"project":"bot","ttl":"3h"}`).want(400)
}

func TestInferenceTokens_AreRevokedByThemselvesByUserAndByKey(t *testing.T) {
	c := startCompany(t)
	mint := func(who string) *reply {
		return c.by(who, "POST", "/api/auth/token", `{"project":"bot"}`).want(http.StatusCreated)
	}
	first, second, other := mint("developer"), mint("developer"), mint("project-admin")
	c.by("developer", "POST", "/api/auth/token/revoke", `{"token":"`+other.at("token")+`"}`).want(403)
	c.by("developer", "POST", "/api/auth/token/revoke", `{"token":"`+first.at("token")+`"}`).want(http.StatusNoContent)
	if !c.db.TokenRevoked(first.at("id")) || c.db.TokenRevoked(second.at("id")) || c.db.TokenRevoked(other.at("id")) {
		t.Error("not the one token is revoked")
	}
	c.by("developer", "POST", "/api/auth/token/revoke", `{"id":"`+second.at("id")+`"}`).want(403)
	c.by("admin", "POST", "/api/auth/token/revoke", `{"id":"`+second.at("id")+`"}`).want(http.StatusNoContent)
	if !c.db.TokenRevoked(second.at("id")) {
		t.Error("the second token is not revoked")
	}
	for _, body := range []string{`{}`, `{"id":"x"}`, `{"token":"eyJ.a.b"}`, `{"id":"0192f0c4-7b1a-4def-8123-456789abcdef","user":"developer"}`} {
		c.by("admin", "POST", "/api/auth/token/revoke", body).want(400)
	}
	c.by("developer", "POST", "/api/auth/token/revoke", `{"user":"project-admin"}`).want(404)
	c.by("developer", "POST", "/api/auth/token/revoke", `{"user":"developer"}`).want(http.StatusNoContent)
	if version := c.db.Catalog().Users.ByName("developer").Spec.TokenVersion; version != 1 {
		t.Errorf("token version %d", version)
	}
	c.by("developer", "GET", "/api/version", "").want(401)
	c.enterAs("developer")
	if claims, err := c.verify(mint("developer").at("token")); err != nil || claims.Version != 1 {
		t.Errorf("claims %+v, %v", claims, err)
	}
	c.by("admin", "POST", "/api/auth/token-key/rotate", `{}`).want(http.StatusNoContent)
	if _, err := c.verify(other.at("token")); err != nil {
		t.Errorf("a token of the former key: %v", err)
	}
	next := mint("developer").at("token")
	c.now = c.now.Add(30 * time.Minute)
	if _, err := c.verify(next); err != nil {
		t.Errorf("a token of the present key: %v", err)
	}
	if text := c.send("GET", "/api/audit?action=mint-token&limit=1", "").want(200).holds(`"kind":"project"`).text; strings.Contains(text, "eyJ") {
		t.Errorf("the audit log holds a token: %s", text)
	}
}

func TestOrganizationLimits_AreKnownUnderTheNamesOfOthers(t *testing.T) {
	f := start(t)
	const path = "/admin/organizations/default/limits"
	f.send("GET", path, "").want(200).holds(`"rpm_limit":null`, `"tpm_limit":null`, `"max_concurrency":null`)
	f.send("PUT", path, `{"rpm_limit":600,"tpm_limit":null,"max_concurrency":20}`).want(200).holds(`"rpm_limit":600`, `"tpm_limit":null`, `"max_concurrency":20`)
	limits := f.db.Catalog().Organizations.ByName("default").Spec.Limits
	if *limits.RPM != 600 || limits.TPM != nil || *limits.Concurrency != 20 {
		t.Errorf("limits %+v", limits)
	}
	f.send("PUT", path, `{"tpm_limit":1000}`).want(200).holds(`"rpm_limit":null`, `"tpm_limit":1000`)
	f.send("PUT", path, `{"rpm_limit":-1}`).want(400)
	f.send("PUT", path, `{"rpm":1}`).want(400).holds("there is no such member")
	f.send("PUT", path, `{}`).want(200)
	if limits := f.db.Catalog().Organizations.ByName("default").Spec.Limits; limits != nil {
		t.Errorf("limits %+v", limits)
	}
	f.send("GET", "/admin/organizations/nothing/limits", "").want(404)
}
