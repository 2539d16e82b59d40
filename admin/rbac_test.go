package admin_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/gorilla/mux"

	"relay/admin"
	"relay/store"
)

func TestNeeds_HaveARowForEveryRouteAndNoOther(t *testing.T) {
	f := start(t)
	var routes []string
	err := admin.Router(admin.Options{DB: f.db}).Walk(func(route *mux.Route, _ *mux.Router, _ []*mux.Route) error {
		routes = append(routes, route.GetName())
		return nil
	})
	slices.Sort(routes)
	if err != nil || !slices.Equal(routes, admin.Needs()) {
		t.Errorf("routes %q\nneeds %q, %v", routes, admin.Needs(), err)
	}
}

func TestRBAC_AProjectAdminKeepsItsProjectAndSeesNoOther(t *testing.T) {
	c := startCompany(t)
	account := c.by("project-admin", "POST", "/api/service-accounts", `{"metadata":{"name":"bot-2"},"spec":{"projectId":"bot","limits":{"rpm":5}}}`).want(http.StatusCreated).id()
	c.by("project-admin", "POST", "/api/relay-keys", `{"metadata":{"name":"bot-2"},"spec":{"principal":{"kind":"service-account","id":"bot-2"}}}`).want(http.StatusCreated)
	c.by("project-admin", "POST", "/api/role-bindings", `{"metadata":{},"spec":{"roleId":"developer","scope":{"kind":"project","id":"bot"},"subjects":[{"kind":"user","id":"bystander"}]}}`).want(http.StatusCreated)
	c.by("project-admin", "POST", "/api/policy-bindings", `{"metadata":{},"spec":{"policyId":"all","account":"service-account:bot-2"}}`).want(http.StatusCreated)
	c.by("project-admin", "POST", "/api/service-accounts", `{"metadata":{"name":"shop-2"},"spec":{"projectId":"shop"}}`).want(http.StatusForbidden)
	c.by("project-admin", "POST", "/api/projects", `{"metadata":{"name":"third"},"spec":{"teamId":"research"}}`).want(http.StatusForbidden)
	for _, path := range []string{"/api/service-accounts/shop-prod", "/api/relay-keys/shop-key", "/api/projects/shop", "/api/teams/sales", "/api/host-keys/up-key"} {
		hidden := c.by("project-admin", "GET", path, "").want(404)
		if missing := c.by("project-admin", "GET", path+"-x", "").want(404); missing.text != hidden.text {
			t.Errorf("%s is told from what does not exist: %s", path, hidden.text)
		}
	}
	listed := c.by("project-admin", "GET", "/api/service-accounts", "").want(200)
	if strings.Contains(listed.text, "shop-prod") || !strings.Contains(listed.text, "bot-prod") || !strings.Contains(listed.text, `"total":2`) {
		t.Errorf("lists %s", listed.text)
	}
	c.patchBy("project-admin", "/api/service-accounts/by-id/"+account, `{"spec":{"projectId":"shop"}}`).want(http.StatusForbidden)
	c.patchBy("project-admin", "/api/service-accounts/by-id/"+account, `{"spec":{"limits":{"rpm":6}}}`).want(200)
	c.by("project-admin", "DELETE", "/api/service-accounts/by-id/"+account+"?cascade=true", "").want(http.StatusNoContent)
}

func TestRBAC_WhatARecordMaySpendIsSetFromAbove(t *testing.T) {
	c := startCompany(t)
	c.send("POST", "/api/users", `{"metadata":{"name":"boss"},"spec":{"password":"`+password+`"}}`).want(http.StatusCreated)
	c.send("POST", "/api/role-bindings", `{"metadata":{},"spec":{"roleId":"admin","scope":{"kind":"organization","id":"acme"},"subjects":[{"kind":"user","id":"boss"}]}}`).want(http.StatusCreated)
	c.enterAs("boss")
	project, team, organization := "/api/projects/by-id/"+c.ids["project"], "/api/teams/by-id/"+c.ids["team"], "/api/organizations/by-id/"+c.ids["organization"]
	for _, row := range []struct {
		who, path, body string
		want            int
	}{
		{"project-admin", project, `{"metadata":{"displayName":"The bot"}}`, 200},
		{"project-admin", project, `{"spec":{"limits":{"rpm":9}}}`, 403},
		{"project-admin", project, `{"spec":{"enabled":false}}`, 403},
		{"team-admin", project, `{"spec":{"limits":{"rpm":9}}}`, 200},
		{"team-admin", team, `{"spec":{"limits":{"rpm":9}}}`, 403},
		{"boss", team, `{"spec":{"limits":{"rpm":9}}}`, 200},
		{"boss", organization, `{"metadata":{"displayName":"Acme"}}`, 200},
		{"boss", organization, `{"spec":{"limits":{"rpm":9}}}`, 403},
		{"admin", organization, `{"spec":{"limits":{"rpm":9}}}`, 200},
	} {
		answer := c.patchBy(row.who, row.path, row.body).want(row.want)
		if row.want == 403 && !strings.Contains(answer.text, `"field":"spec.`) {
			t.Errorf("%s %s: no member is named: %s", row.who, row.body, answer.text)
		}
	}
	c.by("boss", "GET", "/admin/organizations/acme/limits", "").want(403)
	c.by("boss", "PUT", "/admin/organizations/acme/limits", `{"rpm_limit":1}`).want(403)
	c.by("boss", "POST", "/api/policy-bindings", `{"metadata":{},"spec":{"policyId":"all","account":"organization:acme"}}`).want(403)
	c.by("team-admin", "POST", "/api/policy-bindings", `{"metadata":{},"spec":{"policyId":"all","account":"team:research"}}`).want(403)
	c.by("team-admin", "POST", "/api/policy-bindings", `{"metadata":{},"spec":{"policyId":"all","account":"project:bot"}}`).want(http.StatusCreated)
	c.by("boss", "DELETE", organization, "").want(403)
}

func TestRBAC_ADeveloperHasKeysOfItsOwnAndSeesNoOthers(t *testing.T) {
	c := startCompany(t)
	own := func(extra string) string {
		return `{"metadata":{},"spec":{"principal":{"kind":"user","id":"developer"}` + extra + `}}`
	}
	made := c.by("developer", "POST", "/api/relay-keys", strings.Replace(own(`,"projectId":"bot"`), `"metadata":{}`, `"metadata":{"name":"mine"}`, 1)).want(http.StatusCreated)
	id := made.at("key", "metadata", "id")
	if !strings.HasPrefix(made.at("plaintext"), "sk-wr-") {
		t.Errorf("no plaintext in %s", made.text)
	}
	c.by("developer", "GET", "/api/relay-keys", "").want(200).holds(`"total":1`, `"mine"`)
	c.by("developer", "GET", "/api/relay-keys/bot-key", "").want(404)
	c.by("developer", "GET", "/api/users", "").want(200).holds(`"total":1`, `"developer"`)
	c.patchBy("developer", "/api/relay-keys/by-id/"+id, `{"spec":{"limits":{"rpm":5}}}`).want(200)
	c.by("developer", "POST", "/api/relay-keys/by-id/"+id+"/rotate", `{}`).want(200)
	for name, body := range map[string]string{
		"another project":    own(`,"projectId":"shop"`),
		"another account":    own(`,"projectId":"bot","account":"team:research"`),
		"a service account":  `{"metadata":{"name":"x"},"spec":{"principal":{"kind":"service-account","id":"bot-prod"}}}`,
		"another user":       `{"metadata":{"name":"x"},"spec":{"principal":{"kind":"user","id":"admin"},"projectId":"bot"}}`,
		"no principal":       `{"metadata":{"name":"x"},"spec":{}}`,
		"somebody's project": `{"metadata":{"name":"x"},"spec":{"projectId":"shop"}}`,
	} {
		body = strings.Replace(body, `"metadata":{}`, `"metadata":{"name":"x"}`, 1)
		if got := c.by("developer", "POST", "/api/relay-keys", body).status; got != 403 && got != 422 {
			t.Errorf("%s: %d", name, got)
		}
	}
	if n := c.db.Catalog().RelayKeys.Len(); n != 3 {
		t.Errorf("%d relay keys", n)
	}
	c.patchBy("developer", "/api/relay-keys/by-id/"+id, `{"spec":{"projectId":"shop"}}`).want(403)
	c.by("developer", "DELETE", "/api/relay-keys/by-id/"+id, "").want(http.StatusNoContent)
	c.patchBy("developer", "/api/users/by-id/"+c.db.Catalog().Users.ByName("developer").Metadata.ID, `{"spec":{"disabled":true}}`).want(403)
}

func TestRBAC_OwnKeysStayWithinReachOfWhoeverLostTheRole(t *testing.T) {
	c := startCompany(t)
	made := c.by("developer", "POST", "/api/relay-keys", `{"metadata":{"name":"mine"},"spec":{"principal":{"kind":"user","id":"developer"},"projectId":"bot"}}`).want(http.StatusCreated)
	path := "/api/relay-keys/by-id/" + made.at("key", "metadata", "id")
	c.send("DELETE", "/api/role-bindings/by-id/"+c.db.Catalog().RoleBindings.ByName("developer").Metadata.ID, "").want(http.StatusNoContent)
	c.enterAs("developer")
	c.by("developer", "GET", "/api/relay-keys/mine", "").want(200)
	c.patchBy("developer", path, `{"spec":{"limits":null}}`).want(403)
	c.by("developer", "POST", path+"/revoke", `{}`).want(200)
	c.by("developer", "GET", "/api/hosts", "").want(403)
}

// promote makes a user with a role of one rule in the whole system.
func (c *company) promote(name, kinds, verbs string) {
	c.t.Helper()
	c.send("POST", "/api/roles", `{"metadata":{"name":"`+name+`"},"spec":{"rules":[{"kinds":[`+kinds+`],"verbs":[`+verbs+`]}]}}`).want(http.StatusCreated)
	c.send("POST", "/api/users", `{"metadata":{"name":"`+name+`"},"spec":{"password":"`+password+`"}}`).want(http.StatusCreated)
	c.send("POST", "/api/role-bindings", `{"metadata":{"name":"`+name+`"},"spec":{"roleId":"`+name+`","scope":{"kind":"system"},"subjects":[{"kind":"user","id":"`+name+`"}]}}`).want(http.StatusCreated)
	c.enterAs(name)
}

func TestRBAC_NobodyHandsOutMoreThanItHas(t *testing.T) {
	c := startCompany(t)
	c.promote("keeper", `"users","groups","roles","role-bindings","admin-tokens"`, `"*"`)
	c.send("POST", "/api/groups", `{"metadata":{"name":"bosses"},"spec":{}}`).want(http.StatusCreated)
	c.send("POST", "/api/role-bindings", `{"metadata":{"name":"bosses"},"spec":{"roleId":"admin","scope":{"kind":"system"},"subjects":[{"kind":"group","id":"bosses"}]}}`).want(http.StatusCreated)
	c.send("POST", "/api/admin-tokens", `{"metadata":{"name":"strong"},"spec":{"roleIds":["admin"]}}`).want(http.StatusCreated)
	id := func(kind store.Kind, name string) string { return c.db.Catalog().Of(kind).FindByName(name).Meta().ID }
	bind := func(role, scope string) string {
		return `{"metadata":{},"spec":{"roleId":"` + role + `","scope":` + scope + `,"subjects":[{"kind":"user","id":"bystander"}]}}`
	}
	for name, answer := range map[string]*reply{
		"a role above its own":              c.by("project-admin", "POST", "/api/role-bindings", bind("admin", `{"kind":"project","id":"bot"}`)),
		"a role that knows more":            c.by("project-admin", "POST", "/api/role-bindings", bind("viewer", `{"kind":"project","id":"bot"}`)),
		"a role elsewhere":                  c.by("team-admin", "POST", "/api/role-bindings", bind("developer", `{"kind":"system"}`)),
		"a binding of all":                  c.by("keeper", "POST", "/api/role-bindings", bind("admin", `{"kind":"system"}`)),
		"a role of all":                     c.by("keeper", "POST", "/api/roles", `{"metadata":{"name":"all"},"spec":{"rules":[{"kinds":["*"],"verbs":["*"]}]}}`),
		"more in its role":                  c.patchBy("keeper", "/api/roles/by-id/"+id(store.KindRole, "keeper"), `{"spec":{"rules":[{"kinds":["*"],"verbs":["*"]}]}}`),
		"a token of all":                    c.by("keeper", "POST", "/api/admin-tokens", `{"metadata":{"name":"all"},"spec":{"roleIds":["admin"]}}`),
		"a stronger token's next plaintext": c.by("keeper", "POST", "/api/admin-tokens/by-id/"+id(store.KindAdminToken, "strong")+"/rotate", `{}`),
		"an administrator's password":       c.patchBy("keeper", "/api/users/by-id/"+id(store.KindUser, "admin"), `{"spec":{"password":"another horse"}}`),
		"an administrator's end":            c.by("keeper", "DELETE", "/api/users/by-id/"+id(store.KindUser, "admin")+"?cascade=true", ""),
		"a strong group":                    c.patchBy("keeper", "/api/groups/by-id/"+id(store.KindGroup, "bosses"), `{"spec":{"members":["keeper"]}}`),
		"a strong binding":                  c.patchBy("keeper", "/api/role-bindings/by-id/"+id(store.KindRoleBinding, "bosses"), `{"spec":{"subjects":[{"kind":"user","id":"keeper"}]}}`),
		"somebody's tokens":                 c.by("project-admin", "POST", "/api/auth/token/revoke", `{"id":"0192f0c4-7b1a-4def-8123-456789abcdef"}`),
	} {
		if answer.status != http.StatusForbidden {
			t.Errorf("%s: %d %s", name, answer.status, answer.text)
		}
	}
	c.by("team-admin", "POST", "/api/role-bindings", bind("team-admin", `{"kind":"team","id":"research"}`)).want(http.StatusCreated)
	c.by("team-admin", "POST", "/api/role-bindings", bind("project-admin", `{"kind":"project","id":"bot"}`)).want(http.StatusCreated)
	c.by("keeper", "POST", "/api/users", `{"metadata":{"name":"new"},"spec":{"password":"another horse"}}`).want(http.StatusCreated)
	c.patchBy("keeper", "/api/users/by-id/"+id(store.KindUser, "new"), `{"spec":{"password":"a third horse"}}`).want(200)
	c.by("keeper", "POST", "/api/role-bindings", bind("keeper", `{"kind":"system"}`)).want(http.StatusCreated)
	c.enter("admin", password).want(http.StatusCreated)
}

func TestRBAC_StoredKeysGoElsewhereWithTheRightToReplaceThemOnly(t *testing.T) {
	c := startCompany(t)
	c.send("POST", "/api/users", `{"metadata":{"name":"editor"},"spec":{"password":"`+password+`"}}`).want(http.StatusCreated)
	c.send("POST", "/api/role-bindings", `{"metadata":{},"spec":{"roleId":"catalog-editor","scope":{"kind":"system"},"subjects":[{"kind":"user","id":"editor"}]}}`).want(http.StatusCreated)
	c.enterAs("editor")
	host := "/api/hosts/by-id/" + c.ids["host"]
	for _, body := range []string{
		`{"spec":{"baseURL":"https://elsewhere.example/v1"}}`, `{"spec":{"proxyURL":"http://proxy.example:3128"}}`,
		`{"spec":{"tls":{"insecureSkipVerify":true}}}`, `{"spec":{"insecure":true}}`, `{"spec":{"auth":"header:X-Key"}}`,
	} {
		c.patchBy("editor", host, body).want(403).holds("rotate")
	}
	c.patchBy("editor", host, `{"metadata":{"displayName":"Up"}}`).want(200)
	c.by("editor", "DELETE", host+"?cascade=true", "").want(403)
	c.by("editor", "POST", "/api/apply", `{"documents":[{"kind":"host","metadata":{"name":"up"},"spec":{"baseURL":"https://elsewhere.example/v1","auth":"bearer"}}]}`).want(403)
	c.by("editor", "POST", "/api/apply", `{"documents":[{"kind":"provider","metadata":{"name":"new"},"spec":{}}]}`).want(200).holds(`"create"`)
	c.by("editor", "POST", "/api/apply", `{"documents":[{"kind":"policy","metadata":{"name":"new"},"spec":{}}]}`).want(403)
	c.promote("key-editor", `"hosts","host-keys"`, `"get","list","create","update"`)
	c.by("key-editor", "POST", "/api/hosts", `{"metadata":{"name":"mine"},"spec":{"baseURL":"https://mine.example/v1","auth":"bearer"}}`).want(http.StatusCreated)
	c.patchBy("key-editor", "/api/host-keys/by-id/"+c.ids["host-key"], `{"spec":{"hostId":"mine"}}`).want(403).holds("rotate")
	c.patchBy("admin", host, `{"spec":{"baseURL":"https://elsewhere.example/v1"}}`).want(200)
	c.by("editor", "POST", "/api/hosts", `{"metadata":{"name":"second"},"spec":{"baseURL":"https://second.example/v1","auth":"bearer"}}`).want(http.StatusCreated)
}

func TestRBAC_ReferencesTellNothingOfWhatIsHidden(t *testing.T) {
	c := startCompany(t)
	policy := func(key string) string {
		return `{"metadata":{"name":"own","owner":{"kind":"team","id":"research"}},"spec":{"pools":[{"name":"main","hostKeyIds":["` + key + `"]}]}}`
	}
	hidden := c.by("team-admin", "POST", "/api/policies", policy("up-key")).want(422)
	for _, name := range []string{"up-kez", "nothing-like-it"} {
		if missing := c.by("team-admin", "POST", "/api/policies", policy(name)).want(422); missing.text != hidden.text {
			t.Errorf("hidden %s\nmissing %s", hidden.text, missing.text)
		}
	}
	c.by("admin", "POST", "/api/policies", policy("up-kez")).want(422).holds("did you mean up-key?")
	c.by("team-admin", "POST", "/api/policies", `{"metadata":{"name":"own","owner":{"kind":"team","id":"research"}},"spec":{"models":["acme-chat"]}}`).want(http.StatusCreated)
	c.by("team-admin", "POST", "/api/policies", `{"metadata":{"name":"free"},"spec":{}}`).want(403)
	c.by("team-admin", "POST", "/api/policies", `{"metadata":{"name":"free","owner":{"kind":"team","id":"sales"}},"spec":{}}`).want(403)
	c.by("team-admin", "GET", "/api/policies", "").want(200).holds(`"own"`, `"all"`)
	c.send("POST", "/api/policies", `{"metadata":{"name":"theirs","owner":{"kind":"team","id":"sales"}},"spec":{}}`).want(http.StatusCreated)
	c.by("team-admin", "GET", "/api/policies/theirs", "").want(404)
	c.promote("remover", `"hosts","host-bindings"`, `"get","list","delete"`)
	needed := c.by("remover", "DELETE", "/api/hosts/by-id/"+c.ids["host"], "").want(409).holds("acme-chat-up", "some of which you may not see")
	if strings.Contains(needed.text, "up-key") {
		t.Errorf("tells of a hidden record: %s", needed.text)
	}
	refs := c.by("team-admin", "GET", "/api/hosts/by-id/"+c.ids["host"]+"/references", "").want(200)
	if strings.Contains(refs.text, "up-key") || !strings.Contains(refs.text, "acme-chat-up") {
		t.Errorf("references %s", refs.text)
	}
}

func TestRBAC_UsageIsReadWhereTheRoleReaches(t *testing.T) {
	c := startCompany(t)
	for _, row := range []struct {
		who, query string
		want       int
	}{
		{"project-admin", "", 200}, {"project-admin", "?project=bot", 200}, {"project-admin", "?project=shop", 422}, {"project-admin", "?team=research", 422},
		{"team-admin", "?team=research", 200}, {"team-admin", "?project=bot", 200}, {"team-admin", "?organization=acme", 422},
		{"developer", "", 200}, {"developer", "?project=bot", 422},
		{"auditor", "?project=shop", 200}, {"viewer", "", 200},
	} {
		for _, path := range []string{"/api/usage/events", "/api/usage/summary"} {
			if got := c.by(row.who, "GET", path+row.query, "").status; got != row.want {
				t.Errorf("%s %s%s: %d, want %d", row.who, path, row.query, got, row.want)
			}
		}
	}
}

func TestSingle_LetsAdministratorsDoEverythingAndOthersNothing(t *testing.T) {
	c := startCompany(t, func(o *admin.Options) { o.Authz = admin.AuthzSingle })
	for _, who := range people() {
		want := 403
		if who[0] == "admin" {
			want = 200
		}
		c.by(who[0], "GET", "/api/hosts", "").want(want)
		c.by(who[0], "GET", "/api/session", "").want(200).holds(`"authz":"single"`)
		c.by(who[0], "GET", "/api/users/"+who[0], "").want(200)
	}
	c.by("developer", "POST", "/api/relay-keys", `{"metadata":{"name":"mine"},"spec":{"principal":{"kind":"user","id":"developer"},"projectId":"bot"}}`).want(403)
	c.by("admin", "POST", "/api/auth/token", `{"project":"shop"}`).want(http.StatusCreated)
}

func TestSession_TellsWhatItsUserMayDo(t *testing.T) {
	c := startCompany(t)
	c.by("team-admin", "GET", "/api/session", "").want(200).holds(`"authz":"rbac"`, `"role":"team-admin"`, `"kind":"team"`, `"name":"research"`, `"relay-keys"`)
	c.by("admin", "GET", "/api/session", "").want(200).holds(`"administrator":true`)
}

func TestStatus_TellsStrangersLittle(t *testing.T) {
	c := startCompany(t)
	c.by("viewer", "GET", "/api/status", "").want(200).holds(`"dataDir":"/`, `"hosts":`)
	little := c.by("developer", "GET", "/api/status", "").want(200).holds(`"version":"1.2.3"`)
	if strings.Contains(little.text, `"dataDir":"/`) || strings.Contains(little.text, `"relay-keys"`) {
		t.Errorf("tells %s", little.text)
	}
}

func TestListener_ThatOthersReachShowsStrangersNeitherMetricsNorWarnings(t *testing.T) {
	warn := func() []store.Problem { return []store.Problem{{Kind: store.KindHost, Name: "up", Message: "is away"}} }
	metrics := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("relay_up 1")) })
	for _, public := range []bool{false, true} {
		f := start(t, func(o *admin.Options) { o.Public, o.Warnings, o.Metrics = public, warn, metrics })
		f.send("GET", "/metrics", "").want(200).holds("relay_up")
		f.send("GET", "/readyz", "").want(200).holds("is away")
		f.send("GET", "/livez", "", "Authorization", "").want(200)
		stranger := f.send("GET", "/readyz", "", "Authorization", "").want(200).holds(`"ready":true`)
		if public == strings.Contains(stranger.text, "is away") {
			t.Errorf("public %v: %s", public, stranger.text)
		}
		want := 200
		if public {
			want = 401
		}
		f.send("GET", "/metrics", "", "Authorization", "").want(want)
	}
}
