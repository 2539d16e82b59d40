package plan_test

import (
	"fmt"
	"testing"

	"relay/gateway/plan"
	"relay/limiter"
	"relay/store"
	"relay/store/storetest"
)

// peopled is the catalog of BenchmarkCompile with so many users, who have a role
// in a team each, and its policies on as many of their accounts.
func peopled(b *testing.B, users int) *store.DB {
	b.Helper()
	db := storetest.Open(b, func(o *store.Options) {
		o.Getenv = func(name string) string { return "value-of-" + name }
	})
	_, err := db.Write(func(e *store.Edit) error {
		c := &crowd{Edit: e}
		if err := c.put(); err != nil {
			return err
		}
		role := made(c, "developer", store.RoleSpec{Rules: []store.RoleRule{{Kinds: []string{"relay-keys"}, Verbs: []store.Verb{store.VerbMint}}}})
		for i := range users {
			user := made(c, fmt.Sprintf("user-%d", i), store.UserSpec{})
			scope := store.Ref{Kind: store.KindTeam, ID: c.teams[i%len(c.teams)]}
			made(c, fmt.Sprintf("user-%d", i), store.RoleBindingSpec{RoleID: role, Scope: scope, Subjects: []store.Ref{{Kind: store.KindUser, ID: user}}})
		}
		return c.err
	})
	if err != nil {
		b.Fatal(err)
	}
	return db
}

func (c *crowd) input(db *store.DB) plan.Input {
	return plan.Input{Catalog: db.Catalog(), Registry: limiter.NewRegistry(), KeyValue: db.HostKeyValue, RBAC: true}
}

// BenchmarkCompileWithUsers is BenchmarkCompile with 240 users besides.
func BenchmarkCompileWithUsers(b *testing.B) {
	in := (&crowd{}).input(peopled(b, 240))
	b.ReportAllocs()
	for b.Loop() {
		plan.Compile(in)
	}
}

// BenchmarkMember makes the callers of 240 users who have not called under the
// plan yet.
func BenchmarkMember(b *testing.B) {
	in := (&crowd{}).input(peopled(b, 240))
	for b.Loop() {
		b.StopTimer()
		p := plan.Compile(in)
		b.StartTimer()
		for user := range in.Catalog.Users.All() {
			for project := range in.Catalog.Projects.All() {
				p.TokenCaller(plan.Token{User: user.Metadata.ID, Project: project.Metadata.ID})
				break
			}
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/240, "ns/member")
}
