package gateway_test

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
	"testing"
	"time"

	"relay/limiter"
	"relay/store"
)

// keyIn makes a relay key of a service account of its own in the project.
func (r *rig) keyIn(project, name string) string {
	r.tb.Helper()
	sa := put(r, name, store.ServiceAccountSpec{ProjectID: r.record(store.KindProject, project)})
	plaintext := "sk-wr-" + name + "-0123456789"
	sum := sha256.Sum256([]byte(plaintext))
	put(r, name, store.RelayKeySpec{KeyHash: hex.EncodeToString(sum[:]), Principal: store.Ref{Kind: store.KindServiceAccount, ID: sa.Metadata.ID}})
	return plaintext
}

// teams makes projects bots and tools in team research, and ops in team
// platform, each with two keys: bots-1, bots-2 and so on.
func (r *rig) teams() map[string]string {
	r.tb.Helper()
	r.account()
	platform := put(r, "platform", store.TeamSpec{OrganizationID: r.record(store.KindOrganization, "acme")})
	put(r, "ops", store.ProjectSpec{TeamID: platform.Metadata.ID})
	put(r, "tools", store.ProjectSpec{TeamID: r.record(store.KindTeam, "research")})
	keys := map[string]string{}
	for _, project := range []string{"bots", "tools", "ops"} {
		for _, n := range []string{"-1", "-2"} {
			keys[project+n] = r.keyIn(project, project+n)
		}
	}
	return keys
}

// bind puts the policy chat, with three requests a minute, on the accounts.
func (r *rig) bind(per []string, accounts ...string) {
	r.tb.Helper()
	rl := put(r, "chat-rl", store.RateLimitSpec{Per: per, Rules: []limiter.Rule{sliding(limiter.MeterRequests, 3, time.Minute)}})
	policy := put(r, "chat", store.PolicySpec{RateLimitID: rl.Metadata.ID})
	for _, account := range accounts {
		kind, name, _ := strings.Cut(account, ":")
		put(r, kind+"-"+name, store.PolicyBindingSpec{PolicyID: policy.Metadata.ID, Account: store.AccountRef(kind + ":" + r.record(store.Kind(kind), name))})
	}
}

func TestPolicy_CountersAreSharedByWhomItGoverns(t *testing.T) {
	for name, c := range map[string]struct {
		per      []string
		accounts []string
		shared   [][]string // the keys of each set of counters
		told     string
	}{
		"two keys of a project":               {nil, []string{"project:bots"}, [][]string{{"bots-1", "bots-2"}}, ", shared by 2 keys"},
		"two projects of a team":              {nil, []string{"project:bots", "project:tools"}, [][]string{{"bots-1", "bots-2", "tools-1", "tools-2"}}, ", shared by 4 keys"},
		"a team":                              {nil, []string{"team:research"}, [][]string{{"bots-1", "bots-2", "tools-1", "tools-2"}}, ", shared by 4 keys"},
		"two teams have counters apart":       {nil, []string{"team:research", "team:platform"}, [][]string{{"bots-1", "bots-2", "tools-1", "tools-2"}, {"ops-1", "ops-2"}}, "shared by"},
		"an organization has one set":         {nil, []string{"organization:acme"}, [][]string{{"bots-1", "bots-2", "tools-1", "tools-2", "ops-1", "ops-2"}}, ", shared by 6 keys"},
		"a set for each key":                  {[]string{"key"}, []string{"organization:acme"}, [][]string{{"bots-1"}, {"bots-2"}, {"tools-1"}, {"tools-2"}, {"ops-1"}, {"ops-2"}}, "used; retry"},
		"a set for each project":              {[]string{"project"}, []string{"organization:acme"}, [][]string{{"bots-1", "bots-2"}, {"tools-1", "tools-2"}, {"ops-1", "ops-2"}}, ", shared by 2 keys"},
		"a set for each team":                 {[]string{"team"}, []string{"organization:acme"}, [][]string{{"bots-1", "bots-2", "tools-1", "tools-2"}, {"ops-1", "ops-2"}}, "shared by"},
		"team and project above one another":  {nil, []string{"team:research", "project:bots"}, [][]string{{"bots-1", "tools-1"}}, ", shared by 4 keys"},
		"a service account of its own policy": {nil, []string{"service-account:ops-1", "service-account:ops-2"}, [][]string{{"ops-1", "ops-2"}}, ", shared by 2 keys"},
	} {
		t.Run(name, func(t *testing.T) {
			r, up := newStand(t)
			up.Otherwise(answer)
			keys := r.teams()
			r.bind(c.per, c.accounts...)
			for _, sharing := range c.shared {
				for i := range 3 {
					r.want(r.call(keys[sharing[i%len(sharing)]], chatBody), 200, "hello")
				}
				for _, each := range sharing {
					r.want(r.call(keys[each], chatBody), 429, `Limit \"chat-rl\" of policy chat: 3 of 3 requests in 1m used`)
					r.want(r.call(keys[each], chatBody), 429, c.told)
				}
			}
		})
	}
}

func TestPolicy_TwoKeysShareItsCounterOnEveryEndpoint(t *testing.T) {
	r, up := newStand(t)
	calls := int64(2 * len(kinds()))
	r.policy(sliding(limiter.MeterRequests, calls, time.Minute), sliding(limiter.MeterTokens, 1000, time.Minute))
	alice, bob := r.key("alice", store.RelayKeySpec{}), r.key("bob", store.RelayKeySpec{})
	for _, k := range kinds() {
		for _, key := range []string{alice, bob} {
			up.Play(k.says(6, 4))
			r.want(r.ask(k, key), 200, "")
		}
	}
	for _, key := range []string{alice, bob} {
		if requests, tokens := r.used(key, limiter.MeterRequests), r.used(key, limiter.MeterTokens); requests != calls || tokens != 10*calls {
			t.Errorf("%d requests and %d tokens are counted, want %d and %d", requests, tokens, calls, 10*calls)
		}
		for _, k := range kinds() {
			r.want(r.ask(k, key), 429, fmt.Sprintf("%d of %d requests in 1m used, shared by 2 keys; retry after 61 s.", calls, calls))
		}
	}
}

// One call costs 0.75 dollars of a budget of 0.75.
func TestPolicy_BudgetsAreSharedAsItsRateLimitIs(t *testing.T) {
	for name, c := range map[string]struct {
		per    []string
		shared [][]string
	}{
		"teams have budgets apart": {nil, [][]string{{"bots-1", "bots-2", "tools-1"}, {"ops-1", "ops-2"}}},
		"a budget for each key":    {[]string{"key"}, [][]string{{"bots-1"}, {"bots-2"}, {"tools-1"}, {"ops-1"}, {"ops-2"}}},
	} {
		t.Run(name, func(t *testing.T) {
			r, up := newStand(t)
			r.priced("750")
			keys := r.teams()
			r.bind(nil, "team:research", "team:platform")
			edit(r, "chat", func(p *store.Policy) {
				p.Spec.RateLimitID, p.Spec.Budgets = "", []store.Budget{{Amount: "0.75", Period: "day", Per: c.per}}
			})
			for i, sharing := range c.shared {
				k := kinds()[i%len(kinds())]
				up.Play(k.says(900, 100))
				r.want(r.ask(k, keys[sharing[0]]), 200, "")
				for _, each := range sharing {
					r.want(r.ask(k, keys[each]), 429, "Budget of policy chat: quota of $0.75 a day is used up ($0.75)")
				}
			}
		})
	}
}
