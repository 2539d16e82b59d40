package admin_test

import (
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"strings"
	"testing"

	"relay/store"
)

// put makes a record: "kind/name spec", and an owner after a "|".
func (f *fixture) put(text string) {
	f.t.Helper()
	head, spec, _ := strings.Cut(text, " ")
	kind, name, _ := strings.Cut(head, "/")
	spec, owner, owned := strings.Cut(spec, "|")
	metadata := `"name":"` + name + `"`
	if owned {
		ownerKind, id, _ := strings.Cut(owner, "/")
		metadata += `,"owner":{"kind":"` + ownerKind + `","id":"` + id + `"}`
	}
	if kind == string(store.KindPolicyBinding) {
		metadata = ""
	}
	f.create(store.Kind(kind), `{"metadata":{`+metadata+`},"spec":`+spec+`}`)
}

// shop is a catalog in which everything is in use and nothing narrows but what
// a row of the table adds.
var shop = []string{
	`provider/acme {}`,
	`host/up {"baseURL":"https://up.example/v1","auth":"bearer","shapes":["openai"]}`,
	`host/other {"baseURL":"https://other.example/v1","auth":"bearer","shapes":["openai"]}`,
	`host-account/org {"hostId":"up"}`,
	`host-key/up-a {"hostId":"up","accountId":"org","source":{"kind":"env","env":"UP_A"}}`,
	`host-key/other-a {"hostId":"other","source":{"kind":"env","env":"OTHER_A"}}`,
	`model/mini {"providerId":"acme"}`,
	`model/large {}`,
	`model/fast {"fallbacks":[{"modelId":"mini"},{"modelId":"large"}]}`,
	`pricing/mini-price {"currency":"USD","rates":[{"meter":"tokens.input","unit":"per_million","amount":"3"}]}`,
	`host-binding/mini-up {"modelId":"mini","hostId":"up"}`,
	`host-binding/large-other {"modelId":"large","hostId":"other"}`,
	`rate-limit/rl {"rules":[{"meter":"requests","amount":60,"window":60,"strategy":"sliding-window"}]}`,
	`team/research {"organizationId":"default"}`,
	`project/bots {"teamId":"research"}`,
	`service-account/bot {"projectId":"bots"}`,
	`user/maria {}`,
	`user/noor {}`,
	`group/both {"members":["maria","noor"]}`,
	`group/readers {"members":["noor"]}`,
	`role/reader {"rules":[{"kinds":["models"],"verbs":["get"]}]}`,
	`role-binding/both-read {"roleId":"reader","scope":{"kind":"system"},"subjects":[{"kind":"user","id":"maria"},{"kind":"group","id":"readers"}]}`,
	`relay-key/bot-key {"principal":{"kind":"service-account","id":"bot"},"keyHash":"` + sumOf("bot") + `"}`,
	`relay-key/free-key {"principal":{"kind":"service-account","id":"free"},"keyHash":"` + sumOf("free") + `"}`,
}

func sumOf(plaintext string) string {
	sum := sha256.Sum256([]byte(plaintext + " in sixteen characters"))
	return hex.EncodeToString(sum[:])
}

// cascades are deletions of what others refer to. Each adds records to the shop,
// deletes one, and is refused naming records, or takes some along and leaves
// others.
var cascades = []struct {
	name    string
	with    []string // "PATCH kind/name spec" changes one that is there
	delete  string
	refused []string
	gone    []string
	left    []string // "kind/name: text" has the text in it
}{
	{
		name:   "a model that an alias model leads to, which a bound policy names alone",
		with:   []string{`policy/fast-only {"models":["fast"]}`, `policy-binding/ {"policyId":"fast-only","account":"team:research"}`},
		delete: "model/mini", gone: []string{"host-binding/mini-up"},
		left: []string{`model/fast: "modelName":"large"`, `policy/fast-only: "modelNames":["fast"]`, `policy-binding/team-research: fast-only`},
	},
	{
		name:   "the model that a policy names alone",
		with:   []string{`policy/mini-only {"models":["mini"]}`, `policy-binding/ {"policyId":"mini-only","account":"team:research"}`},
		delete: "model/mini", refused: []string{"policy mini-only", "spec.models", "every model"},
	},
	{
		name:   "a model that a policy names beside others",
		with:   []string{`policy/two {"models":["mini","large"]}`, `policy-binding/ {"policyId":"two","account":"team:research"}`},
		delete: "model/mini", gone: []string{"host-binding/mini-up"}, left: []string{`policy/two: "modelNames":["large"]`},
	},
	{
		name:   "the model that a relay key names alone",
		with:   []string{`relay-key/k {"principal":{"kind":"service-account","id":"bot"},"models":["mini"]}`},
		delete: "model/mini", refused: []string{"relay key k", "spec.models"},
	},
	{
		name:   "a model that a policy denies",
		with:   []string{`policy/no-mini {"deny":["mini"]}`},
		delete: "model/mini", refused: []string{"policy no-mini", "spec.deny[0]"},
	},
	{
		name:   "a model that a relay key denies",
		with:   []string{`relay-key/k {"principal":{"kind":"service-account","id":"bot"},"deny":["large","mini"]}`},
		delete: "model/mini", refused: []string{"relay key k", "spec.deny[1]"},
	},
	{
		name:   "a model that a policy limits",
		with:   []string{`policy/slow {"rlBindings":[{"models":["mini"],"rateLimitId":"rl"}]}`},
		delete: "model/mini", refused: []string{"policy slow", "spec.rlBindings[0].models[0]"},
	},
	{
		name:   "the last host of a model with fallbacks that a policy names",
		with:   []string{`PATCH model/mini {"fallbacks":[{"modelId":"large"}]}`, `policy/mini-only {"models":["mini"]}`},
		delete: "host/up", refused: []string{"policy mini-only", "stand for its fallbacks"},
	},
	{
		name:   "the last host of a model with fallbacks that nobody names",
		with:   []string{`PATCH model/mini {"fallbacks":[{"modelId":"large"}]}`},
		delete: "host/up", gone: []string{"host-binding/mini-up", "host-key/up-a", "host-account/org"}, left: []string{"model/mini: fallbacks"},
	},
	{
		name:   "a model that is switched off, at a host that forwards unknown ones",
		with:   []string{`PATCH host/up {"unknownModels":"forward"}`, `PATCH model/mini {"enabled":false}`},
		delete: "model/mini", refused: []string{"model mini", "is switched off", "host up forwards"},
	},
	{
		name:   "a model whose binding is switched off, at a host that forwards unknown ones",
		with:   []string{`PATCH host/up {"unknownModels":"forward"}`, `PATCH host-binding/mini-up {"enabled":false}`},
		delete: "model/mini", refused: []string{"host binding mini-up", "is switched off"},
	},
	{
		name:   "a model with limits, at a host that forwards unknown ones",
		with:   []string{`PATCH host/up {"unknownModels":"forward"}`, `PATCH model/mini {"limits":{"rpm":1}}`},
		delete: "model/mini", refused: []string{"model mini", "has limits"},
	},
	{
		name:   "a model of a maker that is denied, at a host that forwards unknown ones",
		with:   []string{`PATCH host/up {"unknownModels":"forward"}`, `policy/no-acme {"deny":["acme/"]}`},
		delete: "model/mini", refused: []string{"policy no-acme", "by who makes them"},
	},
	{
		name:   "a model with a price under a budget, at a host that forwards unknown ones",
		with:   []string{`PATCH host/up {"unknownModels":"forward"}`, `PATCH host-binding/mini-up {"pricingId":"mini-price"}`, `policy/poor {"budgets":[{"amount":"1","period":"day"}]}`},
		delete: "model/mini", refused: []string{"host binding mini-up", "has a price"},
	},
	{
		name:   "a model with a price and no budget, at a host that forwards unknown ones",
		with:   []string{`PATCH host/up {"unknownModels":"forward"}`, `PATCH host-binding/mini-up {"pricingId":"mini-price"}`},
		delete: "model/mini", gone: []string{"host-binding/mini-up"}, left: []string{"pricing/mini-price: USD"},
	},
	{
		name:   "a price in use",
		with:   []string{`PATCH host-binding/mini-up {"pricingId":"mini-price"}`},
		delete: "pricing/mini-price", refused: []string{"host binding mini-up", "spec.pricingId"},
	},
	{
		name:   "a provider, with its models",
		delete: "provider/acme", gone: []string{"model/mini", "host-binding/mini-up"}, left: []string{`model/fast: "large"`},
	},
	{
		name:   "a provider that a policy denies",
		with:   []string{`policy/no-acme {"deny":["acme/"]}`},
		delete: "provider/acme", refused: []string{"policy no-acme", "spec.deny[0]"},
	},
	{
		name:   "the provider that a policy names alone",
		with:   []string{`policy/acme-only {"models":["acme/"]}`},
		delete: "provider/acme", refused: []string{"policy acme-only", "spec.models"},
	},
	{
		name:   "a host with its keys, accounts, bindings, tier policies and what binds these",
		with:   []string{`policy/tier {"rateLimitId":"rl"}|host/up`, `PATCH host/up {"defaultTierPolicyId":"tier"}`, `policy-binding/ {"policyId":"tier","account":"host:up"}`},
		delete: "host/up", gone: []string{"host-key/up-a", "host-account/org", "host-binding/mini-up", "policy/tier", "policy-binding/host-up"},
		left: []string{"model/mini: mini", "rate-limit/rl: rl"},
	},
	{
		name:   "the host of a policy's only pool",
		with:   []string{`policy/pooled {"pools":[{"name":"p","hostIds":["up"]}]}`},
		delete: "host/up", refused: []string{"policy pooled", "spec.pools[0]", "every key"},
	},
	{
		name:   "one of the hosts of a pool",
		with:   []string{`policy/pooled {"pools":[{"name":"p","hostIds":["up","other"]}]}`},
		delete: "host/up", left: []string{`policy/pooled: "hostNames":["other"]`}, gone: []string{"host-key/up-a"},
	},
	{
		name:   "the only key of a pool, with its account",
		with:   []string{`policy/pooled {"pools":[{"name":"all"},{"name":"p","hostKeyIds":["up-a"]}]}`},
		delete: "host-account/org", refused: []string{"policy pooled", "spec.pools[1]"},
	},
	{
		name:   "a host key of a pool that has others",
		with:   []string{`policy/pooled {"pools":[{"name":"p","hostKeyIds":["up-a","other-a"]}]}`},
		delete: "host-key/up-a", left: []string{`policy/pooled: "hostKeyNames":["other-a"]`},
	},
	{
		name:   "a host that a policy denies",
		with:   []string{`policy/no-up {"deny":["@up"]}`},
		delete: "host/up", refused: []string{"policy no-up", "spec.deny[0]"},
	},
	{
		name:   "the host to which a policy limits a model that others serve too",
		with:   []string{`host-binding/mini-other {"modelId":"mini","hostId":"other"}`, `policy/slow {"rlBindings":[{"models":["mini@up"],"rateLimitId":"rl"}]}`},
		delete: "host/up", refused: []string{"policy slow", "spec.rlBindings[0].models[0]"},
	},
	{
		name:   "a tier policy of a host",
		with:   []string{`policy/tier {"rateLimitId":"rl"}|host/up`, `PATCH host/up {"defaultTierPolicyId":"tier"}`},
		delete: "policy/tier", refused: []string{"host up", "spec.defaultTierPolicyId"},
	},
	{
		name:   "a tier policy of a host key",
		with:   []string{`policy/tier {"rateLimitId":"rl"}|host/up`, `PATCH host-key/up-a {"tierPolicyId":"tier"}`},
		delete: "policy/tier", refused: []string{"host key up-a", "spec.tierPolicyId"},
	},
	{
		name:   "the rate limit of a tier policy",
		with:   []string{`policy/tier {"rateLimitId":"rl"}|host/up`, `PATCH host/up {"defaultTierPolicyId":"tier"}`},
		delete: "rate-limit/rl", refused: []string{"policy tier", "spec.rateLimitId"},
	},
	{
		name:   "the rate limit of a policy per model",
		with:   []string{`policy/slow {"rlBindings":[{"models":["mini"],"rateLimitId":"rl"}]}`},
		delete: "rate-limit/rl", refused: []string{"policy slow", "spec.rlBindings[0].rateLimitId"},
	},
	{
		name:   "a policy that an account is bound to",
		with:   []string{`policy/strict {"models":["mini"]}`, `policy-binding/ {"policyId":"strict","account":"team:research"}`},
		delete: "policy/strict", refused: []string{"policy binding team-research", "spec.policyId"},
	},
	{
		name:   "an account with its binding, its keys, and those that name it",
		with:   []string{`policy/strict {"models":["mini"]}`, `policy-binding/ {"policyId":"strict","account":"service-account:bot"}`, `relay-key/in-bots {"principal":{"kind":"service-account","id":"free"},"account":"service-account:bot"}`},
		delete: "service-account/bot", gone: []string{"policy-binding/service-account-bot", "relay-key/bot-key", "relay-key/in-bots"}, left: []string{"policy/strict: mini", "relay-key/free-key: free"},
	},
	{
		name:   "a team with all that is in it",
		with:   []string{`policy/strict {"models":["mini"]}|team/research`, `policy-binding/ {"policyId":"strict","account":"project:bots"}`, `role-binding/in-bots {"roleId":"reader","scope":{"kind":"project","id":"bots"},"subjects":[{"kind":"user","id":"noor"}]}`},
		delete: "team/research", gone: []string{"project/bots", "service-account/bot", "relay-key/bot-key", "policy/strict", "policy-binding/project-bots", "role-binding/in-bots"},
	},
	{
		name:   "a team with a policy of its own that others are bound to",
		with:   []string{`policy/strict {"models":["mini"]}|team/research`, `policy-binding/ {"policyId":"strict","account":"team:default"}`},
		delete: "team/research", refused: []string{"policy binding team-default", "spec.policyId"},
	},
	{
		name:   "an organization with all that is in it",
		with:   []string{`organization/acme-inc {}`, `team/sales {"organizationId":"acme-inc"}`, `policy/strict {"models":["mini"]}`, `policy-binding/ {"policyId":"strict","account":"organization:acme-inc"}`},
		delete: "organization/acme-inc", gone: []string{"team/sales", "policy-binding/organization-acme-inc"}, left: []string{"policy/strict: mini"},
	},
	{
		name:   "the account of requests without a key while something holds it back",
		with:   []string{`service-account/local {"projectId":"bots"}`, `policy/strict {"models":["mini"]}`, `policy-binding/ {"policyId":"strict","account":"service-account:local"}`},
		delete: "project/bots", refused: []string{"policy binding service-account-local", "makes anew"},
	},
	{
		name:   "the owner of another account's binding",
		with:   []string{`policy/strict {"models":["mini"]}`, `policy-binding/ {"policyId":"strict","account":"team:default"}`, `PATCH policy-binding/team-default {}|project/bots`},
		delete: "project/bots", refused: []string{"policy binding team-default", "metadata.owner.id"},
	},
	{
		name:   "a user with what is theirs alone",
		with:   []string{`role-binding/hers {"roleId":"reader","scope":{"kind":"system"},"subjects":[{"kind":"user","id":"maria"}]}`, `relay-key/hers {"principal":{"kind":"user","id":"maria"},"projectId":"bots"}`},
		delete: "user/maria", gone: []string{"role-binding/hers", "relay-key/hers"}, left: []string{"group/both: noor", "role-binding/both-read: readers"},
	},
	{
		name:   "a group in a role binding of others too",
		delete: "group/readers", left: []string{"role-binding/both-read: maria"},
	},
	{
		name:   "a role with its bindings and tokens",
		with:   []string{`admin-token/ci {"roleIds":["reader"]}`},
		delete: "role/reader", gone: []string{"role-binding/both-read", "admin-token/ci"},
	},
}

func TestCascade_NeverWidensWhatAnybodyMayDo(t *testing.T) {
	for _, row := range cascades {
		t.Run(row.name, func(t *testing.T) {
			f := start(t)
			f.put(`service-account/free {"projectId":"default"}`)
			for _, text := range append(append([]string{}, shop...), row.with...) {
				f.add(text)
			}
			before := f.db.Catalog()
			answer := f.send("DELETE", f.path(row.delete)+"?cascade=true", "")
			after := f.db.Catalog()
			wantNoneWider(t, before, after)
			if row.refused != nil {
				answer.want(http.StatusConflict).holds(append(row.refused, `"code":"conflict"`)...)
				if after.Generation != before.Generation {
					t.Error("the refused deletion has changed something")
				}
				return
			}
			answer.want(http.StatusNoContent)
			for _, name := range append(row.gone, row.delete) {
				if f.find(name) != nil {
					t.Errorf("%s is still there", name)
				}
			}
			for _, text := range row.left {
				name, holds, _ := strings.Cut(text, ": ")
				f.send("GET", strings.Replace(f.path(name), "/by-id", "", 1), "").want(200).holds(holds)
			}
		})
	}
}

// add makes a record, or changes one that is there.
func (f *fixture) add(text string) {
	f.t.Helper()
	rest, change := strings.CutPrefix(text, "PATCH ")
	if !change {
		f.put(text)
		return
	}
	name, spec, _ := strings.Cut(rest, " ")
	body := `{"spec":` + spec + `}`
	if spec, owner, owned := strings.Cut(spec, "|"); owned {
		kind, id, _ := strings.Cut(owner, "/")
		body = `{"metadata":{"owner":{"kind":"` + kind + `","id":"` + id + `"}},"spec":` + spec + `}`
	}
	f.send("PATCH", f.path(name), body, "Content-Type", "application/merge-patch+json").want(200)
}

func (f *fixture) find(name string) store.AnyRecord {
	kind, name, _ := strings.Cut(name, "/")
	return f.db.Catalog().Of(store.Kind(kind)).FindByName(name)
}

func (f *fixture) path(name string) string {
	f.t.Helper()
	rec := f.find(name)
	if rec == nil {
		f.t.Fatalf("there is no %s", name)
	}
	return "/api/" + rec.Kind().Plural() + "/by-id/" + rec.Meta().ID
}

// What looks for wider access must find it where there is some.
func TestReach_SeesThatABindingIsGone(t *testing.T) {
	f := start(t)
	for _, text := range append([]string{`service-account/free {"projectId":"default"}`}, shop...) {
		f.add(text)
	}
	f.add(`policy/large-only {"models":["large"]}`)
	f.add(`policy-binding/ {"policyId":"large-only","account":"team:research"}`)
	before := f.db.Catalog()
	if _, err := f.db.Write(func(e *store.Edit) error {
		binding := e.Catalog().PolicyBindings.ByName("team-research")
		return e.Delete(store.KindPolicyBinding, binding.Metadata.ID)
	}); err != nil {
		t.Fatal(err)
	}
	if wider := widened(newProber(before), before, f.db.Catalog()); len(wider) == 0 {
		t.Error("nothing is seen of a binding that is gone")
	}
}
