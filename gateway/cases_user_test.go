package gateway_test

import (
	"strings"
	"sync"
	"testing"
	"time"

	"relay/gateway/gatewaytest"
	"relay/gateway/plan"
	"relay/limiter"
	"relay/store"
)

func member(r *rig, user, project string) store.AccountRef {
	r.tb.Helper()
	return store.AccountRef("member:" + r.record(store.KindUser, user) + "@" + r.record(store.KindProject, project))
}

// bindMember puts a policy on the account of a user in a project.
func (r *rig) bindMember(policy, user, project string) {
	r.tb.Helper()
	put(r, "member-"+user+"-"+project, store.PolicyBindingSpec{PolicyID: r.record(store.KindPolicy, policy), Account: member(r, user, project)})
}

func TestUserKeys_RunInTheAccountOfTheirUser(t *testing.T) {
	r, up := newStand(t)
	maria := r.user("maria")
	r.user("noor")
	key, theirs := r.userKey("laptop", "maria", "bots", store.RelayKeySpec{}), r.userKey("phone", "noor", "bots", store.RelayKeySpec{})
	text, _ := r.mint("maria", "bots")
	calls := 0
	for _, k := range kinds() {
		up.Otherwise(k.says(5, 5))
		for _, credential := range []string{key, theirs, text} {
			if a := r.ask(k, credential); a.Status != 200 {
				t.Fatalf("%s: %d %s", k.name, a.Status, a.Body)
			}
			calls++
		}
	}
	e := r.events(calls)[0]
	if e.Principal != (store.Ref{Kind: store.KindUser, ID: maria.Metadata.ID}) || e.Project == "" || e.Credential.Kind != store.KindRelayKey || e.Credential.ID != r.record(store.KindRelayKey, "laptop") {
		t.Errorf("event %+v", e)
	}
	put(r, "no-chat", store.PolicySpec{Deny: []store.ModelRef{"chat"}})
	r.bindMember("no-chat", "maria", "bots")
	for _, credential := range []string{key, text} {
		r.want(r.call(credential, chatBody), 403, "model_not_allowed")
	}
	claude := kindsNamed("messages whole")[0]
	up.Otherwise(claude.says(5, 5))
	r.want(r.ask(claude, key), 200, "")
	up.Otherwise(answer)
	r.want(r.call(theirs, chatBody), 200, "hello")
}

func TestUserKeys_EndWithTheirUser(t *testing.T) {
	r, up := newStand(t)
	r.user("maria")
	key := r.userKey("laptop", "maria", "bots", store.RelayKeySpec{})
	edit(r, "maria", func(u *store.User) { u.Spec.Disabled = true })
	for _, k := range kinds() {
		refused(t, "disabled", k, r.ask(k, key), 401, "key_disabled", "User maria, whose relay key laptop is, is disabled.")
	}
	if e := r.explain("laptop", "chat"); e.Refusal == nil || e.Refusal.Code != "key_disabled" || e.Refusal.By != "key" {
		t.Errorf("explained as %+v", e.Refusal)
	}
	edit(r, "maria", func(u *store.User) { u.Spec.Disabled = false })
	up.Otherwise(answer)
	r.want(r.call(key, chatBody), 200, "hello")
}

// What role bindings say holds where they say who may do what.
func TestUserKeys_NeedARoleInTheirProjectWhereRolesDecide(t *testing.T) {
	r, up := newStand(t)
	up.Otherwise(answer)
	r.account()
	put(r, "tools", store.ProjectSpec{TeamID: r.record(store.KindTeam, "research")})
	put(r, "maria", store.UserSpec{})
	role := put(r, "developer", store.RoleSpec{Rules: []store.RoleRule{{Kinds: []string{"relay-keys"}, Verbs: []store.Verb{store.VerbMint}}}})
	r.grant("developers", role.Metadata.ID, store.Ref{Kind: store.KindProject, ID: r.record(store.KindProject, "bots")}, r.record(store.KindUser, "maria"))
	key, elsewhere := r.userKey("laptop", "maria", "bots", store.RelayKeySpec{}), r.userKey("phone", "maria", "tools", store.RelayKeySpec{})
	text, _ := r.mint("maria", "bots")
	r.want(r.call(elsewhere, chatBody), 200, "hello")
	r.want(r.call(key, chatBody, "X-Relay-Account: tools"), 200, "hello")
	registry := limiter.NewRegistry()
	r.db.SetCompiler(func(next *store.Catalog) (func(), []store.Problem) {
		p := plan.Compile(plan.Input{Catalog: next, Registry: registry, KeyValue: r.db.HostKeyValue, RBAC: true})
		return func() { r.server.Swap(p) }, nil
	})
	for _, credential := range []string{key, text} {
		r.want(r.call(credential, chatBody), 200, "hello")
		r.want(r.call(credential, chatBody, "X-Relay-Account: tools"), 403, "account_not_allowed")
	}
	r.want(r.call(elsewhere, chatBody), 403, "User maria has no role in project tools")
	r.remove(store.KindRoleBinding, "developers")
	r.want(r.call(key, chatBody), 403, "account_not_allowed")
	r.want(r.call(text, chatBody), 401, "token_revoked")
}

func TestRevoked_AUsersStreamsEndWithWhatLetsItCall(t *testing.T) {
	for name, c := range map[string]struct {
		code   string
		change func(r *rig, id string)
	}{
		"token revoked": {"token_revoked", func(r *rig, id string) {
			if err := r.db.RevokeToken(id, time.Now().Add(time.Hour)); err != nil {
				r.tb.Fatal(err)
			}
		}},
		"tokens of the user revoked": {"token_revoked", func(r *rig, _ string) { edit(r, "maria", func(u *store.User) { u.Spec.TokenVersion++ }) }},
		"user disabled":              {"token_revoked", func(r *rig, _ string) { edit(r, "maria", func(u *store.User) { u.Spec.Disabled = true }) }},
		"role taken":                 {"token_revoked", func(r *rig, _ string) { r.remove(store.KindRoleBinding, "boss-maria") }},
		"user of a key disabled":     {"key_disabled", func(r *rig, _ string) { edit(r, "maria", func(u *store.User) { u.Spec.Disabled = true }) }},
	} {
		for _, k := range streamKinds() {
			t.Run(k.name+" "+name, func(t *testing.T) {
				r, up := newStand(t)
				end := make(chan struct{})
				up.Otherwise(gatewaytest.Join(k.opening(), gatewaytest.Wait(end), k.closing()))
				r.user("maria")
				r.user("noor")
				credential, id := r.mint("maria", "bots")
				if c.code == "key_disabled" {
					credential = r.userKey("laptop", "maria", "bots", store.RelayKeySpec{})
				}
				other, _ := r.mint("noor", "bots")
				_, theirs := r.stream(k, other)
				_, answer := r.stream(k, credential)
				heard := r.hears(answer, k.ends, 1)
				r.rotateTokenKey(time.Hour) // which ends nothing
				c.change(r, id)
				rest, err := readAll(answer.Body)
				k.mustParse(t, name, heard+rest)
				_, begins, holds := toldIn(k.shape, 401, c.code)
				if text := k.lastEvent(heard + rest); err != nil || !strings.HasPrefix(text, begins) || !strings.Contains(text, holds) {
					t.Errorf("the stream ended with %q, %v; want %s", text, err, c.code)
				}
				<-up.Request(1).Gone()
				if e := r.events(1)[0]; e.ErrorKind != c.code || e.Principal.ID != r.record(store.KindUser, "maria") {
					t.Errorf("event %+v", e)
				}
				close(end)
				if rest, err := readAll(theirs.Body); err != nil || rest != k.sent() {
					t.Errorf("the other user's stream got %q, %v", rest, err)
				}
			})
		}
	}
}

// Tokens, keys of users and accounts are looked up while plans come and go.
func TestUsers_CallWhilePlansChange(t *testing.T) {
	r, up := newStand(t)
	up.Otherwise(answer)
	r.teams()
	r.user("maria")
	r.user("noor")
	key := r.userKey("laptop", "noor", "bots", store.RelayKeySpec{})
	text, _ := r.mint("maria", "tools")
	var calls sync.WaitGroup
	for _, credential := range []string{text, key, text, key} {
		calls.Go(func() {
			for _, project := range []string{"", "bots", "ops", "tools", "", "ops"} {
				if a := r.call(credential, chatBody, "X-Relay-Account: "+project); a.Status != 200 {
					t.Errorf("in %q: %d %s", project, a.Status, a.Body)
				}
			}
		})
	}
	for i := range 12 {
		put(r, "another", store.ModelSpec{Aliases: []string{strings.Repeat("x", i+1)}})
		if _, err := plan.Effective(r.server.Plan(), member(r, "maria", "ops"), plan.Observed{Now: noon, Counters: readings{r}}); err != nil {
			t.Error(err)
		}
	}
	calls.Wait()
}
