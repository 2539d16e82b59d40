package gateway_test

import (
	"strings"
	"testing"

	"relay/gateway/plan"
	"relay/store"
)

func TestAccounts_AUserCallsInAnotherOfItsProjects(t *testing.T) {
	r, up := newStand(t)
	keys := r.teams()
	r.user("maria")
	key, text := r.userKey("laptop", "maria", "bots", store.RelayKeySpec{}), ""
	text, _ = r.mint("maria", "bots")
	r.bind(nil, "project:ops")
	const ops = "X-Relay-Account: ops"
	for _, k := range kinds() {
		up.Otherwise(k.says(5, 5))
		if a := r.ask(k, key, "X-Relay-Account: tools"); a.Status != 200 {
			t.Errorf("%s: %d %s", k.name, a.Status, a.Body)
		}
		for name, credential := range map[string]string{"a service account": keys["bots-1"], "a user": key, "a token": text} {
			for _, project := range []string{"nowhere", "no such name", strings.Repeat("x", 4000)} {
				refused(t, name, k, r.ask(k, credential, "X-Relay-Account: "+project), 403, "account_not_allowed", "may not call in project")
			}
		}
		refused(t, "another's project", k, r.ask(k, keys["bots-1"], ops), 403, "account_not_allowed", `may not call in project`)
		if a := r.ask(k, keys["bots-1"], "X-Relay-Account: bots"); a.Status != 200 {
			t.Errorf("%s, one's own: %d %s", k.name, a.Status, a.Body)
		}
	}
	up.Otherwise(answer)
	r.want(r.call(key, chatBody, ops), 200, "hello")
	r.want(r.call(text, chatBody, "X-Relay-Account: "+r.record(store.KindProject, "ops")), 200, "hello")
	r.want(r.call(keys["ops-1"], chatBody), 200, "hello")
	for _, credential := range []string{key, text} {
		r.want(r.call(credential, chatBody, ops), 429, "rate_limit_exceeded")
		r.want(r.call(credential, chatBody), 200, "hello")
		r.want(r.call(credential, chatBody, "X-Relay-Account:"), 200, "hello")
	}
	inOps := 0
	for _, e := range r.events(len(kinds())*12 + 9) {
		if e.Project == r.record(store.KindProject, "ops") && e.Team == r.record(store.KindTeam, "platform") {
			inOps++
		}
	}
	if inOps != 5 {
		t.Errorf("%d requests are charged to project ops, want 5", inOps)
	}
}

// A key's own caps go with it wherever it calls.
func TestAccounts_AKeyKeepsItsCapsInAnotherProject(t *testing.T) {
	r, up := newStand(t)
	up.Otherwise(answer)
	r.teams()
	r.user("maria")
	one := int64(1)
	key := r.userKey("laptop", "maria", "bots", store.RelayKeySpec{Models: []store.ModelRef{"chat"}, Limits: &store.Limits{RPD: &one}})
	r.want(r.ask(kindsNamed("messages whole")[0], key, "X-Relay-Account: ops"), 403, "This key may use chat")
	r.want(r.call(key, chatBody, "X-Relay-Account: ops"), 200, "hello")
	r.want(r.call(key, chatBody), 429, "rate_limit_exceeded")
}

// A key may run in an account by default that is not its principal's own.
func TestAccounts_AKeyRunsInTheAccountThatItNames(t *testing.T) {
	r, up := newStand(t)
	up.Otherwise(answer)
	r.teams()
	maria := r.user("maria")
	team := r.userKey("laptop", "maria", "bots", store.RelayKeySpec{Account: store.AccountRef("team:" + r.record(store.KindTeam, "platform"))})
	other := r.userKey("phone", "maria", "bots", store.RelayKeySpec{Account: member(r, "maria", "ops")})
	r.want(r.call(team, chatBody), 200, "hello")
	r.want(r.call(other, chatBody), 200, "hello")
	r.want(r.call(team, chatBody, "X-Relay-Account: tools"), 200, "hello")
	want := []struct{ team, project string }{
		{r.record(store.KindTeam, "platform"), ""},
		{r.record(store.KindTeam, "platform"), r.record(store.KindProject, "ops")},
		{r.record(store.KindTeam, "research"), r.record(store.KindProject, "tools")},
	}
	for i, e := range r.events(3) {
		if e.Team != want[i].team || e.Project != want[i].project || e.Principal.ID != maria.Metadata.ID {
			t.Errorf("request %d: %+v", i, e)
		}
	}
}

// Pools that only a user's account has take their turns like others.
func TestAccounts_OfAUserHavePoolsInTurns(t *testing.T) {
	r, up := newStand(t)
	up.Otherwise(answer)
	r.user("maria")
	put(r, "up-2", store.HostKeySpec{HostID: r.record(store.KindHost, "up"), Source: store.KeySource{Kind: "env", Env: "UP_2"}})
	put(r, "turns", store.PolicySpec{Pools: []store.Pool{{Name: "main", HostIDs: []string{r.record(store.KindHost, "up")}, Selection: plan.RoundRobin}}})
	r.bindMember("turns", "maria", "bots")
	text, _ := r.mint("maria", "bots")
	for range 4 {
		r.want(r.call(text, chatBody), 200, "hello")
	}
	for _, key := range []string{"secret-of-UP_1", "secret-of-UP_2"} {
		taken := 0
		for _, sent := range up.Requests() {
			if strings.Contains(sent.Head, key) {
				taken++
			}
		}
		if taken != 2 {
			t.Errorf("%s took %d of 4 requests", key, taken)
		}
	}
}
