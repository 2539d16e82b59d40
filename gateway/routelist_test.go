package gateway_test

import (
	"crypto/sha256"
	"encoding/hex"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"testing"
	"time"

	"relay/gateway/gatewaytest"
	"relay/store"
	"relay/store/token"
)

var update = flag.Bool("update", false, "rewrite golden files")

// credential is what a caller shows, as a header line.
type credential struct{ name, header string }

// credentials are all that anybody may hold: nothing, a key that nobody knows,
// keys in and out of use, an inference token, and what opens the control API.
func (r *rig) credentials() []credential {
	r.tb.Helper()
	user := put(r, "maria", store.UserSpec{})
	role := put(r, "developer", store.RoleSpec{Rules: []store.RoleRule{{Kinds: []string{store.KindRelayKey.Plural()}, Verbs: []store.Verb{store.VerbMint}}}})
	put(r, "maria", store.RoleBindingSpec{RoleID: role.Metadata.ID, Scope: store.System(), Subjects: []store.Ref{{Kind: store.KindUser, ID: user.Metadata.ID}}})
	sum := sha256.Sum256([]byte("wr-admin-0123456789abcdef"))
	put(r, "ci", store.AdminTokenSpec{RoleIDs: []string{role.Metadata.ID}, TokenHash: hex.EncodeToString(sum[:])})
	off := false
	return []credential{
		{"none", "X-Nothing: shown"},
		{"unknown", "Authorization: Bearer sk-wr-0123456789abcdefghij"},
		{"disabled", "Authorization: Bearer " + r.key("former", store.RelayKeySpec{Enabled: &off})},
		{"key", "Authorization: Bearer " + r.key("laptop", store.RelayKeySpec{})},
		{"token", "Authorization: Bearer " + r.token(user)},
		{"session", "Cookie: relay_session_" + r.db.InstallationID() + "=0123456789abcdef0123456789abcdef"},
		{"admin-token", "Authorization: Bearer wr-admin-0123456789abcdef"},
	}
}

// token mints an inference token of the user in project bots.
func (r *rig) token(user *store.User) string {
	r.tb.Helper()
	now := time.Now()
	if _, err := r.db.Write(func(e *store.Edit) error { return e.RotateTokenKey(now, now) }); err != nil {
		r.tb.Fatal(err)
	}
	keys, err := r.db.TokenKeys(now)
	if err != nil {
		r.tb.Fatal(err)
	}
	claims := token.Claims{ID: "0192f0c4-7b1a-4def-8123-456789abcdef", User: user.Metadata.ID, Project: r.record(store.KindProject, "bots"), Issued: now, Expires: now.Add(time.Hour)}
	return token.Sign(r.db.InstallationID(), keys[0].ID, keys[0].Private, claims)
}

// TestRoutes_AnswerEveryCredentialAsTheListSays walks every route of the
// inference side, in every spelling, with every credential that anybody may
// hold. Whoever is let in asks for a model that nobody has, so that no upstream
// is called. The list is testdata/routes.txt; a route that is not in it fails.
func TestRoutes_AnswerEveryCredentialAsTheListSays(t *testing.T) {
	r, up := newStand(t)
	r.account()
	routes, err := r.server.Routes()
	if err != nil {
		t.Fatal(err)
	}
	shown := r.credentials()
	head := fmt.Sprintf("%-66s", "")
	for _, c := range shown {
		head += fmt.Sprintf(" %s", c.name)
	}
	lines := []string{}
	for route, spellings := range routes {
		line := fmt.Sprintf("%-66s", route)
		for _, c := range shown {
			line += fmt.Sprintf(" %*d", len(c.name), r.walk(route, spellings, c))
		}
		lines = append(lines, line)
	}
	sort.Strings(lines)
	wantLines(t, "testdata/routes.txt", append([]string{head}, lines...))
	if n := len(up.Requests()); n != 0 {
		t.Errorf("the upstream saw %d requests", n)
	}
}

// walk calls the route in each of its spellings, which must all answer alike.
func (r *rig) walk(route string, spellings []string, c credential) int {
	r.tb.Helper()
	method, _, _ := strings.Cut(route, " ")
	status := 0
	for _, path := range spellings {
		path = strings.NewReplacer("{model}", "nobody", "{digest}", "sha256:00").Replace(path)
		body := ""
		if method == "POST" {
			body = `{"model":"nobody"}`
		}
		text := fmt.Sprintf("%s %s HTTP/1.1\r\nHost: a\r\n%s\r\nContent-Type: application/json\r\nContent-Length: %d\r\nConnection: close\r\n\r\n%s", method, path, c.header, len(body), body)
		got := gatewaytest.Do(r.tb, r.addr, text).Status
		if status != 0 && got != status {
			r.tb.Errorf("%s: %s answers %d to %s, another spelling %d", route, path, got, c.name, status)
		}
		status = got
	}
	return status
}

// wantLines compares a list with the one that is written down, line by line.
func wantLines(t *testing.T, path string, found []string) {
	t.Helper()
	if *update {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(strings.Join(found, "\n")+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	wanted := strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
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
