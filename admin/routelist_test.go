package admin_test

import (
	"flag"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"testing"
	"time"

	"github.com/gorilla/mux"

	"relay/admin"
	"relay/store"
)

var update = flag.Bool("update", false, "rewrite golden files")

// company is an installation with two teams, and a person of each built-in role
// who is signed in.
type company struct {
	*fixture
	ids     map[string]string // of one row a kind, within project bot where that can be
	cookies map[string]string // by the name of the person
	key     string            // the plaintext of the last relay key
}

// people are who the route list is walked for, and where their role is bound.
func people() [][2]string {
	return [][2]string{
		{"viewer", `{"kind":"system"}`}, {"developer", `{"kind":"project","id":"bot"}`}, {"project-admin", `{"kind":"project","id":"bot"}`},
		{"team-admin", `{"kind":"team","id":"research"}`}, {"auditor", `{"kind":"system"}`}, {"admin", `{"kind":"system"}`},
	}
}

func startCompany(t *testing.T, adjust ...func(*admin.Options)) *company {
	t.Helper()
	f := start(t, append([]func(*admin.Options){func(o *admin.Options) { o.Authz = admin.AuthzRBAC }}, adjust...)...)
	if err := admin.EnsureRoles(f.db); err != nil {
		t.Fatal(err)
	}
	c := &company{fixture: f, ids: map[string]string{}, cookies: map[string]string{}}
	for _, row := range companyRows() {
		kind, body, _ := strings.Cut(row, " ")
		answer := f.send("POST", "/api/"+store.Kind(kind).Plural(), body).want(http.StatusCreated)
		id := answer.id()
		if kind == string(store.KindRelayKey) {
			c.key = answer.at("plaintext")
		}
		for _, shown := range []string{"key", "token"} {
			if inner := answer.at(shown, "metadata", "id"); inner != "" {
				id = inner
			}
		}
		c.ids[kind] = id
	}
	for _, who := range people() {
		f.send("POST", "/api/users", `{"metadata":{"name":"`+who[0]+`"},"spec":{"password":"`+password+`"}}`).want(http.StatusCreated)
		f.send("POST", "/api/role-bindings", `{"metadata":{"name":"`+who[0]+`"},"spec":{"roleId":"`+who[0]+`","scope":`+who[1]+`,"subjects":[{"kind":"user","id":"`+who[0]+`"}]}}`).want(http.StatusCreated)
	}
	for _, who := range people() {
		c.enterAs(who[0])
	}
	return c
}

func (c *company) enterAs(name string) {
	c.t.Helper()
	c.cookies[name] = c.enter(name, password).want(http.StatusCreated).sent()
}

// by calls as a person.
func (c *company) by(name, method, path, body string, headers ...string) *reply {
	c.t.Helper()
	return c.as(c.cookies[name], method, path, body, headers...)
}

// patchBy changes a row as a person.
func (c *company) patchBy(name, path, body string) *reply {
	c.t.Helper()
	return c.by(name, "PATCH", path, body, "Content-Type", "application/merge-patch+json")
}

// companyRows make one row a kind; the last of a kind is in project bot where
// that can be.
func companyRows() []string {
	return []string{
		`provider {"metadata":{"name":"acme"},"spec":{}}`,
		`model {"metadata":{"name":"acme-chat"},"spec":{}}`,
		`host {"metadata":{"name":"up"},"spec":{"baseURL":"https://up.example/v1","auth":"bearer"}}`,
		`pricing {"metadata":{"name":"free"},"spec":{"currency":"USD","rates":[{"meter":"requests","unit":"per_unit","amount":"0"}]}}`,
		`host-binding {"metadata":{"name":"acme-chat-up"},"spec":{"modelId":"acme-chat","hostId":"up"}}`,
		`host-account {"metadata":{"name":"up-1"},"spec":{"hostId":"up"}}`,
		`host-key {"metadata":{"name":"up-key"},"spec":{"hostId":"up","source":{"kind":"stored"},"value":"provider-0123456789"}}`,
		`rate-limit {"metadata":{"name":"few"},"spec":{"rules":[{"meter":"requests","amount":9,"window":60,"strategy":"sliding-window"}]}}`,
		`policy {"metadata":{"name":"all"},"spec":{"budgets":[{"amount":"5","period":"day"}]}}`,
		`organization {"metadata":{"name":"acme"},"spec":{}}`,
		`team {"metadata":{"name":"sales"},"spec":{"organizationId":"acme"}}`,
		`project {"metadata":{"name":"shop"},"spec":{"teamId":"sales"}}`,
		`team {"metadata":{"name":"research"},"spec":{"organizationId":"acme"}}`,
		`project {"metadata":{"name":"bot"},"spec":{"teamId":"research"}}`,
		`service-account {"metadata":{"name":"shop-prod"},"spec":{"projectId":"shop"}}`,
		`service-account {"metadata":{"name":"bot-prod"},"spec":{"projectId":"bot"}}`,
		`relay-key {"metadata":{"name":"shop-key"},"spec":{"principal":{"kind":"service-account","id":"shop-prod"}}}`,
		`relay-key {"metadata":{"name":"bot-key"},"spec":{"principal":{"kind":"service-account","id":"bot-prod"},"budgets":[{"amount":"5","period":"total"}]}}`,
		`policy-binding {"metadata":{},"spec":{"policyId":"all","account":"service-account:bot-prod"}}`,
		`user {"metadata":{"name":"bystander"},"spec":{}}`,
		`group {"metadata":{"name":"guests"},"spec":{"members":["bystander"]}}`,
		`role {"metadata":{"name":"looker"},"spec":{"rules":[{"kinds":["projects"],"verbs":["get","list"]}]}}`,
		`role-binding {"metadata":{"name":"guests"},"spec":{"roleId":"looker","scope":{"kind":"project","id":"bot"},"subjects":[{"kind":"group","id":"guests"}]}}`,
		`admin-token {"metadata":{"name":"ci"},"spec":{"roleIds":["looker"]}}`,
		`setting {"metadata":{"name":"inference"},"spec":{}}`,
	}
}

// routeBodies are sent where an empty object would not get as far as to what
// decides.
func routeBodies() map[string]string {
	return map[string]string{
		"apply":                  `{"dryRun":true,"documents":[{"kind":"provider","metadata":{"name":"other"},"spec":{}}]}`,
		"explain":                `{"credential":"bot-key","model":"acme-chat"}`,
		"mint-token":             `{"project":"bot"}`,
		"revoke-token":           `{"id":"0192f0c4-7b1a-4def-8123-456789abcdef"}`,
		"topup-relay-key":        `{"amount":"1"}`,
		"reset-budget-of-policy": `{"period":"day"}`, "reset-budget-of-relay-key": `{"period":"total"}`,
	}
}

// TestRoutes_AnswerEveryCallerAsTheListSays walks every route of the control API
// for nobody, a relay key, an inference token, and a person of every built-in
// role. Writes carry an
// ETag that nothing has, so that who may make them gets as far as 412 and
// nothing changes. The list is testdata/routes.txt; a route that is not in it
// fails.
func TestRoutes_AnswerEveryCallerAsTheListSays(t *testing.T) {
	c := startCompany(t, stopped)
	inference := c.by("developer", "POST", "/api/auth/token", `{"project":"bot","ttl":"24h"}`).want(http.StatusCreated).at("token")
	var lines []string
	err := admin.Router(admin.Options{DB: c.db}).Walk(func(route *mux.Route, _ *mux.Router, _ []*mux.Route) error {
		template, err := route.GetPathTemplate()
		if err != nil {
			return err
		}
		methods, err := route.GetMethods()
		if err != nil {
			return err
		}
		lines = append(lines, c.walkRoute(route.GetName(), methods[0], template, "", c.key, inference))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	sort.Strings(lines)
	head := fmt.Sprintf("%-6s %-52s %4s %4s %5s %6s %9s %13s %10s %7s %5s\n", "", "", "none", "key", "token", "viewer", "developer", "project-admin", "team-admin", "auditor", "admin")
	goldenText(t, "routes.txt", head+strings.Join(lines, "\n")+"\n")
}

func (c *company) walkRoute(name, method, template string, credentials ...string) string {
	c.t.Helper()
	c.now = c.now.Add(time.Minute)
	path := c.fill(template)
	body := routeBodies()[name]
	if body == "" && method != "GET" && method != "DELETE" {
		body = "{}"
	}
	headers := []string{"If-Match", `"0"`}
	if method == "PATCH" {
		headers = append(headers, "Content-Type", "application/merge-patch+json")
	}
	line := fmt.Sprintf("%-6s %-52s", method, template)
	for i, credential := range credentials {
		if credential != "" {
			credential = "Bearer " + credential
		}
		line += fmt.Sprintf(" %*d", []int{4, 4, 5}[i], c.send(method, path, body, append(headers, "Authorization", credential)...).status)
	}
	for i, who := range people() {
		width := []int{6, 9, 13, 10, 7, 5}[i]
		line += fmt.Sprintf(" %*d", width, c.by(who[0], method, path, body, headers...).status)
		if name == "sign-out" {
			c.enterAs(who[0])
		}
	}
	return line
}

// fill puts the row of the kind into the path.
func (c *company) fill(template string) string {
	path := template
	for _, kind := range store.Kinds() {
		if strings.HasPrefix(template, "/api/"+kind.Plural()+"/") {
			path = strings.NewReplacer("{id}", c.ids[string(kind)], "{ref}", c.ids[string(kind)]).Replace(path)
		}
	}
	return strings.NewReplacer("{org_id}", "acme", "/api/accounts/{ref}", "/api/accounts/project:bot").Replace(path)
}

func goldenText(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	wanted, found := strings.Split(string(want), "\n"), strings.Split(got, "\n")
	for _, line := range found {
		if !slices.Contains(wanted, line) {
			t.Errorf("not in the list: %s", line)
		}
	}
	for _, line := range wanted {
		if !slices.Contains(found, line) {
			t.Errorf("the list says: %s", line)
		}
	}
}
