package admin_test

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"

	"relay/store"
)

// logged returns the entries of a query of the audit log, newest first.
func (f *fixture) logged(query string) []store.AuditEntry {
	f.t.Helper()
	var page struct{ Items []store.AuditEntry }
	if err := json.Unmarshal([]byte(f.send("GET", "/api/audit"+query, "").want(200).text), &page); err != nil {
		f.t.Fatal(err)
	}
	return page.Items
}

func TestAudit_TellsWhoChangedWhatAndNeverToWhat(t *testing.T) {
	f := start(t)
	cookie := f.signIn()
	f.as(cookie, "POST", "/api/hosts", `{"metadata":{"name":"up"},"spec":{"baseURL":"https://canary-url.example/v1","auth":"bearer"}}`).want(http.StatusCreated)
	f.as(cookie, "POST", "/api/host-keys", `{"metadata":{"name":"k"},"spec":{"hostId":"up","source":{"kind":"stored"},"value":"canary-value-0123456789"}}`).want(http.StatusCreated)
	id := f.db.Catalog().Hosts.ByName("up").Metadata.ID
	f.send("PATCH", "/api/hosts/by-id/"+id, `{"metadata":{"displayName":"canary-name"},"spec":{"insecure":true}}`, "Content-Type", "application/merge-patch+json").want(200)
	f.send("POST", "/api/apply", `{"documents":[{"kind":"provider","metadata":{"name":"acme"},"spec":{}}]}`).want(200)
	f.send("POST", "/api/apply", `{"dryRun":true,"documents":[{"kind":"provider","metadata":{"name":"other"},"spec":{}}]}`).want(200)
	f.send("DELETE", "/api/hosts/by-id/"+id+"?cascade=true", "").want(http.StatusNoContent)
	f.send("GET", "/api/backup", "").want(200)
	entries := f.logged("")
	var actions []string
	for _, e := range entries {
		actions = append(actions, e.Action+" by "+e.Actor.Kind)
		if e.Outcome != "done" || e.Address != "127.0.0.1" && e.Action != "automatic" {
			t.Errorf("entry %+v", e)
		}
	}
	want := []string{
		"backup by token-file", "delete-host by token-file", "apply by token-file", "change-host by token-file",
		"create-host-key by user", "create-host by user", "set-up by local", "create-setup-link by token-file", "automatic by system",
	}
	if !slices.Equal(actions, want) {
		t.Errorf("actions %q\nwant %q", actions, want)
	}
	changed := f.logged("?action=change-host")[0]
	if !slices.Equal(changed.Records[0].Members, []string{"metadata.displayName", "spec.insecure"}) || changed.Records[0].Name != "up" || changed.Records[0].Change != "update" {
		t.Errorf("changed %+v", changed)
	}
	gone := f.logged("?action=delete-host")[0]
	if len(gone.Records) != 2 || gone.Generation == 0 {
		t.Errorf("deleted %+v", gone)
	}
	text := f.send("GET", "/api/audit", "").text
	for _, canary := range []string{"canary", password, token} {
		if strings.Contains(text, canary) {
			t.Errorf("the log holds %s: %s", canary, text)
		}
	}
}

func TestAudit_TellsOfSignInsAndRefusals(t *testing.T) {
	c := startCompany(t)
	before := len(c.logged("?limit=1000"))
	c.enter("maria", "guess").want(401)
	c.enter("viewer", "guess").want(401)
	c.send("GET", "/api/hosts", "", "Authorization", "Bearer guess").want(401)
	c.by("viewer", "POST", "/api/providers", `{"metadata":{"name":"p"},"spec":{}}`).want(403)
	c.by("developer", "GET", "/api/host-keys/up-key", "").want(404)
	c.by("developer", "GET", "/api/host-keys/nothing", "").want(404)
	c.by("viewer", "DELETE", "/api/session", "").want(http.StatusNoContent)
	c.enterAs("viewer")
	var told []string
	entries := c.logged("?limit=1000")
	for _, e := range entries[:len(entries)-before] {
		who := e.Actor.Kind
		if e.Actor.Name != "" {
			who = e.Actor.Name
		}
		told = append(told, e.Outcome+" "+e.Action+" by "+who)
	}
	want := []string{
		"done sign-in by viewer", "done sign-out by viewer", "refused get-host-key by developer", "refused create-provider by viewer",
		"refused sign-in by anonymous", "refused sign-in by viewer", "refused sign-in by anonymous",
	}
	if !slices.Equal(told, want) {
		t.Errorf("told %q\nwant %q", told, want)
	}
	if got := c.logged("?outcome=refused&actor=developer&kind=host-key&record=up-key"); len(got) != 1 {
		t.Errorf("filtered %+v", got)
	}
}

func TestAudit_IsReadInPages(t *testing.T) {
	f := start(t)
	for _, name := range []string{"a", "b", "c", "d", "e"} {
		f.create(store.KindProvider, `{"metadata":{"name":"`+name+`"},"spec":{}}`)
	}
	var names []string
	for cursor := ""; ; {
		answer := f.send("GET", "/api/audit?action=create-provider&limit=2&cursor="+cursor, "").want(200)
		var page struct {
			Items []store.AuditEntry
			Next  string
		}
		if err := json.Unmarshal([]byte(answer.text), &page); err != nil {
			t.Fatal(err)
		}
		for _, e := range page.Items {
			names = append(names, e.Records[0].Name)
		}
		if cursor = page.Next; cursor == "" {
			break
		}
	}
	if !slices.Equal(names, []string{"e", "d", "c", "b", "a"}) {
		t.Errorf("pages %q", names)
	}
	f.send("GET", "/api/audit?cursor=nonsense", "").want(400)
	f.send("GET", "/api/audit?since=yesterday", "").want(400)
	f.send("GET", "/api/audit?outcome=perhaps", "").want(400)
}
