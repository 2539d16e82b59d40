package admin_test

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"relay/admin"
	"relay/gateway/plan"
	"relay/limiter"
	"relay/store"
	"relay/store/storetest"
)

// large is a database of 50 teams with a project each, 200 users who are
// developers in one, and 1,000 keys of 250 service accounts and the users.
func large(b *testing.B) *store.DB {
	b.Helper()
	db := storetest.Open(b)
	if err := admin.FirstBoot(db); err != nil {
		b.Fatal(err)
	}
	if err := admin.EnsureRoles(db); err != nil {
		b.Fatal(err)
	}
	_, err := db.Write(func(e *store.Edit) error {
		for i := range 50 {
			if err := putTeam(e, i); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		b.Fatal(err)
	}
	return db
}

// putTeam makes a team with its project, 4 users, 5 service accounts and 20
// keys.
func putTeam(e *store.Edit, i int) error {
	name := func(kind string, j int) string { return fmt.Sprintf("%s-%d-%d", kind, i, j) }
	rpm := int64(600)
	team := &store.Team{Metadata: store.Metadata{Name: fmt.Sprint("team-", i)}, Spec: store.TeamSpec{OrganizationID: "default", Limits: &store.Limits{RPM: &rpm}}}
	project := &store.Project{Metadata: store.Metadata{Name: fmt.Sprint("project-", i)}, Spec: store.ProjectSpec{TeamID: team.Metadata.Name}}
	binding := &store.RoleBinding{Metadata: store.Metadata{Name: fmt.Sprint("developers-", i)}, Spec: store.RoleBindingSpec{
		RoleID: store.RoleProjectAdmin, Scope: store.Ref{Kind: store.KindProject, ID: project.Metadata.Name},
	}}
	recs := []store.AnyRecord{team, project}
	for j := range 4 {
		recs = append(recs, &store.User{Metadata: store.Metadata{Name: name("user", j)}})
		binding.Spec.Subjects = append(binding.Spec.Subjects, store.Ref{Kind: store.KindUser, ID: name("user", j)})
	}
	for j := range 5 {
		recs = append(recs, &store.ServiceAccount{Metadata: store.Metadata{Name: name("sa", j)}, Spec: store.ServiceAccountSpec{ProjectID: project.Metadata.Name}})
	}
	for j := range 20 {
		sum := sha256.Sum256([]byte(name("plaintext", j)))
		key := &store.RelayKey{Metadata: store.Metadata{Name: name("key", j)}, Spec: store.RelayKeySpec{KeyHash: hex.EncodeToString(sum[:]), Limits: &store.Limits{RPM: &rpm}}}
		key.Spec.Principal = store.Ref{Kind: store.KindServiceAccount, ID: name("sa", j%5)}
		if j%4 == 0 {
			key.Spec.Principal, key.Spec.ProjectID = store.Ref{Kind: store.KindUser, ID: name("user", j%5%4)}, project.Metadata.Name
		}
		recs = append(recs, key)
	}
	for _, rec := range append(recs, binding) {
		if err := e.Put(rec); err != nil {
			return err
		}
	}
	return nil
}

func BenchmarkCompile_OfALargeCompany(b *testing.B) {
	db := large(b)
	c := db.Catalog()
	records := 0
	for _, kind := range store.Kinds() {
		records += c.Of(kind).Len()
	}
	in := plan.Input{Catalog: c, Registry: limiter.NewRegistry(), KeyValue: db.HostKeyValue}
	for b.Loop() {
		plan.Compile(in)
	}
	b.ReportMetric(float64(records), "records")
}

// BenchmarkList reads pages of the large company, as an administrator and as
// somebody who keeps one project of it.
func BenchmarkList(b *testing.B) {
	db := large(b)
	const keeper = "wr-admin-0123456789abcdefghij"
	sum := sha256.Sum256([]byte(keeper))
	_, err := db.Write(func(e *store.Edit) error {
		return e.Put(&store.AdminToken{Metadata: store.Metadata{Name: "keeper"}, Spec: store.AdminTokenSpec{
			RoleIDs: []string{store.RoleProjectAdmin}, Scope: &store.Ref{Kind: store.KindProject, ID: "project-7"}, TokenHash: hex.EncodeToString(sum[:]),
		}})
	})
	if err != nil {
		b.Fatal(err)
	}
	handler := admin.New(admin.Options{DB: db, Token: store.NewSecret(token), Authz: admin.AuthzRBAC})
	for who, credential := range map[string]string{"admin": token, "keeper": keeper} {
		for _, page := range []string{"relay-keys?limit=100", "relay-keys?limit=1000", "relay-keys?q=key-3&sort=-createdAt", "users?limit=100", "teams?limit=100"} {
			b.Run(who+" "+page, func(b *testing.B) {
				for b.Loop() {
					r := httptest.NewRequest(http.MethodGet, "http://127.0.0.1/api/"+page, http.NoBody)
					r.Header.Set("Authorization", "Bearer "+credential)
					w := httptest.NewRecorder()
					handler.ServeHTTP(w, r)
					if w.Code != http.StatusOK {
						text, _ := io.ReadAll(w.Body)
						b.Fatalf("%d %s", w.Code, text)
					}
				}
			})
		}
	}
}
