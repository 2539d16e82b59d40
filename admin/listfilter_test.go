package admin_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"relay/admin"
	"relay/store"
)

// names lists what a GET of a list answers.
func (r *reply) names() []string {
	r.t.Helper()
	var page struct {
		Items []struct{ Metadata struct{ Name string } }
	}
	if err := json.Unmarshal([]byte(r.text), &page); err != nil {
		r.t.Fatal(err)
	}
	names := []string{}
	for _, row := range page.Items {
		names = append(names, row.Metadata.Name)
	}
	return names
}

func TestList_TakesTheFiltersOfItsKind(t *testing.T) {
	c := startCompany(t)
	c.send("PATCH", "/api/service-accounts/by-id/"+c.ids["service-account"], `{"spec":{"enabled":false}}`, "Content-Type", "application/merge-patch+json").want(200)
	c.send("POST", "/api/admin-tokens", `{"metadata":{"name":"bot"},"spec":{"roleIds":["viewer"],"scope":{"kind":"project","id":"bot"}}}`).want(201)
	for path, want := range map[string]string{
		"/api/teams?organization=acme":                         "research sales",
		"/api/projects?team=research":                          "bot",
		"/api/projects?organization=acme":                      "bot shop",
		"/api/service-accounts?project=shop":                   "shop-prod",
		"/api/service-accounts?enabled=false":                  "bot-prod",
		"/api/relay-keys?team=sales":                           "shop-key",
		"/api/relay-keys?service_account=bot-prod":             "bot-key",
		"/api/relay-keys?service_account=nobody":               "",
		"/api/host-bindings?model=acme-chat&host=up":           "acme-chat-up",
		"/api/host-bindings?model=acme-chat&pricing=free":      "",
		"/api/host-keys?host=up":                               "up-key",
		"/api/host-keys?host_account=up-1":                     "",
		"/api/role-bindings?role=developer":                    "developer",
		"/api/role-bindings?project=bot&sort=-name":            "project-admin guests developer",
		"/api/role-bindings?user=auditor":                      "auditor",
		"/api/role-bindings?group=guests":                      "guests",
		"/api/groups?user=bystander":                           "guests",
		"/api/policy-bindings?policy=all":                      "service-account-bot-prod",
		"/api/policy-bindings?policy=default":                  "organization-default",
		"/api/policy-bindings?project=bot":                     "service-account-bot-prod",
		"/api/admin-tokens?role=looker":                        "ci",
		"/api/admin-tokens?project=bot":                        "bot",
		"/api/users?enabled=false":                             "",
		"/api/hosts?enabled=true&limit=1":                      "up",
		"/api/projects?team=" + c.ids["team"] + "&q=b&limit=5": "bot",
	} {
		if got := c.send("GET", path, "").want(200).names(); strings.Join(got, " ") != want {
			t.Errorf("%s lists %q, want %q", path, got, want)
		}
	}
	for _, path := range []string{"/api/hosts?project=bot", "/api/roles?enabled=true", "/api/users?host=up", "/api/teams?team=research", "/api/hosts?enabled=perhaps", "/api/hosts?nothing=1"} {
		c.send("GET", path, "").want(400)
	}
	page, err := c.client().ListRaw(t.Context(), store.KindTeam, admin.ListQuery{Filters: map[string]string{"organization": "acme"}})
	if err != nil || page.Total != 2 {
		t.Errorf("page %+v, %v", page, err)
	}
}

func TestOpenAPI_ListsTheFiltersThatAKindTakes(t *testing.T) {
	f := start(t)
	var api openAPI
	if err := json.Unmarshal([]byte(f.send("GET", "/api/openapi.json", "").want(200).text), &api); err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, p := range api.Paths["/api/host-bindings"]["get"].Parameters {
		names = append(names, p.Name)
	}
	slices.Sort(names)
	if want := "cursor enabled host label limit model pricing q sort usable"; strings.Join(names, " ") != want {
		t.Errorf("parameters %q, want %s", names, want)
	}
}
