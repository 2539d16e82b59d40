package plan_test

import (
	"testing"
	"time"

	"relay/gateway/plan"
	"relay/limiter"
	"relay/store"
)

var noon = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

// person makes a user with a role in the scope that lets it mint.
func (w *world) person(name string, scope store.Ref) *store.User {
	u := put(w, name, store.UserSpec{})
	role := put(w, "developer", store.RoleSpec{Rules: []store.RoleRule{{Kinds: []string{"relay-keys"}, Verbs: []store.Verb{store.VerbMint}}}})
	put(w, name, store.RoleBindingSpec{RoleID: role.Metadata.ID, Scope: scope, Subjects: []store.Ref{{Kind: store.KindUser, ID: u.Metadata.ID}}})
	return u
}

func (w *world) tokenOf(user, project string) plan.Token {
	return plan.Token{ID: "t-1", User: w.id(store.KindUser, user), Project: w.id(store.KindProject, project), Expires: noon.Add(time.Hour)}
}

func (w *world) underRoles() *plan.Plan {
	return plan.Compile(plan.Input{Catalog: w.db.Catalog(), Registry: limiter.NewRegistry(), KeyValue: w.db.HostKeyValue, RBAC: true})
}

func (w *world) memberRef(user, project string) store.AccountRef {
	return store.AccountRef("member:" + w.id(store.KindUser, user) + "@" + w.id(store.KindProject, project))
}

func TestMembers_HaveALadderOfTheirOwn(t *testing.T) {
	w := newWorld(t)
	w.person("maria", store.Ref{Kind: store.KindTeam, ID: w.id(store.KindTeam, "research")})
	put(w, "only-embed", store.PolicySpec{Models: []store.ModelRef{"embed"}})
	put(w, "all", store.PolicySpec{})
	w.bind("all", "organization", "acme")
	put(w, "member-maria-bots", store.PolicyBindingSpec{PolicyID: w.id(store.KindPolicy, "only-embed"), Account: w.memberRef("maria", "bots")})
	put(w, "tools", store.ProjectSpec{TeamID: w.id(store.KindTeam, "research")})
	p := w.underRoles()
	for project, want := range map[string][]string{"bots": {"embed"}, "tools": {"chat", "embed"}} {
		c := p.TokenCaller(w.tokenOf("maria", project))
		if r := c.RefuseOver(noon); r != nil || c.Refused != nil {
			t.Fatalf("in %s: %+v, %+v", project, r, c.Refused)
		}
		equal(t, "models in "+project, names(c), want, func(a, b string) bool { return a == b })
		if c.KeyName != "maria@"+project || c.Credential != plan.KindToken || c.Shown().ID != "t-1" || c.Tenancy.Project != w.id(store.KindProject, project) {
			t.Errorf("in %s: %+v", project, c)
		}
		seen, err := plan.Effective(p, w.memberRef("maria", project), plan.Observed{Now: noon})
		if err != nil || seen.Refusal != nil || seen.Account.Name != "maria@"+project || seen.Account.Kind != store.KindUser || len(seen.Rungs) != 4 {
			t.Fatalf("effective in %s: %+v, %v", project, seen, err)
		}
		equal(t, "effective models in "+project, seen.Models, want, func(a, b string) bool { return a == b })
		e, err := plan.Explain(p, plan.Question{Account: w.memberRef("maria", project), Model: "chat", Endpoint: "chat", Observed: plan.Observed{Now: noon}})
		if err != nil || e.Allowed != (project == "tools") || e.Rungs[3].Record.Name != "maria@"+project {
			t.Errorf("explained in %s: %+v, %v", project, e, err)
		}
	}
}

func TestMembers_AreRefusedWithoutARoleThere(t *testing.T) {
	w := newWorld(t)
	w.person("maria", store.Ref{Kind: store.KindProject, ID: w.id(store.KindProject, "bots")})
	put(w, "all", store.PolicySpec{})
	w.bind("all", "organization", "acme")
	put(w, "tools", store.ProjectSpec{TeamID: w.id(store.KindTeam, "research")})
	p := w.underRoles()
	if r := p.TokenCaller(w.tokenOf("maria", "tools")).RefuseOver(noon); r == nil || r.Code != "token_revoked" {
		t.Errorf("a token for another project: %+v", r)
	}
	c := p.TokenCaller(w.tokenOf("maria", "bots"))
	if _, r := p.In(c, "tools"); r == nil || r.Code != "account_not_allowed" {
		t.Errorf("in another project: %+v", r)
	}
	if same, r := p.In(c, "bots"); r != nil || same != c {
		t.Errorf("in its own: %+v, %+v", same, r)
	}
	seen, err := plan.Effective(p, w.memberRef("maria", "tools"), plan.Observed{Now: noon})
	if err != nil || seen.Refusal == nil || seen.Refusal.Code != "account_not_allowed" || seen.Refusal.By != "policy" {
		t.Errorf("effective: %+v, %v", seen.Refusal, err)
	}
	for _, account := range []store.AccountRef{"member:nobody@" + store.AccountRef(w.id(store.KindProject, "bots")), "member:" + store.AccountRef(w.id(store.KindUser, "maria")) + "@nowhere"} {
		if _, err := plan.Effective(p, account, plan.Observed{Now: noon}); err == nil {
			t.Errorf("%s is an account", account)
		}
	}
}

func TestRefuseEnded_EndsWhatItsRecordsDoNotAllowAnyMore(t *testing.T) {
	w := newWorld(t)
	user := w.person("maria", store.System())
	put(w, "all", store.PolicySpec{})
	w.bind("all", "organization", "acme")
	key := w.key("laptop", store.RelayKeySpec{
		Principal: store.Ref{Kind: store.KindUser, ID: user.Metadata.ID}, ProjectID: w.id(store.KindProject, "bots"),
	})
	token := w.plan().TokenCaller(w.tokenOf("maria", "bots"))
	check := func(after, ofKey, ofToken string) {
		t.Helper()
		for what, c := range map[string]struct {
			caller *plan.Caller
			code   string
		}{"key": {key, ofKey}, "token": {token, ofToken}} {
			code := ""
			if r := w.plan().RefuseEnded(c.caller); r != nil {
				code = r.Code
			}
			if code != c.code {
				t.Errorf("%s: the %s has ended with %q, want %q", after, what, code, c.code)
			}
		}
	}
	check("at first", "", "")
	put(w, "maria", store.UserSpec{TokenVersion: 1})
	check("with another version", "", "token_revoked")
	put(w, "maria", store.UserSpec{Disabled: true})
	check("disabled", "key_disabled", "token_revoked")
	put(w, "maria", store.UserSpec{})
	off := false
	put(w, "laptop", store.RelayKeySpec{Enabled: &off, KeyHash: w.db.Catalog().RelayKeys.ByName("laptop").Spec.KeyHash, Principal: store.Ref{Kind: store.KindUser, ID: user.Metadata.ID}, ProjectID: w.id(store.KindProject, "bots")})
	check("the key switched off", "", "")
	if _, err := w.db.Write(func(e *store.Edit) error { return e.Delete(store.KindRelayKey, w.id(store.KindRelayKey, "laptop")) }); err != nil {
		t.Fatal(err)
	}
	check("the key deleted", "key_revoked", "")
}
