package store_test

import (
	"strings"
	"testing"

	"relay/store"
)

func TestCheck_FindsNothingInASoundCatalog(t *testing.T) {
	wantProblems(t, shop(t).Check())
}

func TestCheck_FindsReferencesThatLeadNowhere(t *testing.T) {
	gone := "0192f0c4-7b1a-7def-8123-456789abcdef"
	c := catalogOf(t,
		`host-account a {"hostId":"`+gone+`"}`,
		`policy {"metadata":{"name":"p","owner":{"kind":"host","id":"`+gone+`"}},"spec":{"models":["`+gone+`","`+gone+`/@`+gone+`"],"rateLimitId":"`+gone+`"}}`,
		`policy-binding b {"policyId":"`+gone+`","account":"team:`+gone+`"}`,
		`relay-key k {"principal":{"kind":"service-account","id":"`+gone+`"},"projectId":"`+gone+`"}`,
	)
	wantProblems(t, c.Check(),
		"spec.hostId host that does not exist", "metadata.owner.id host that does not exist",
		"spec.models[0] model that does not exist", "spec.models[1] provider that does not exist",
		"spec.models[1] host that does not exist", "spec.rateLimitId rate-limit that does not exist",
		"spec.policyId policy that does not exist", "spec.account team that does not exist",
		"spec.principal.id service-account that does not exist", "spec.projectId project that does not exist")
}

func TestCheck_FindsAUserWhereThereAreNone(t *testing.T) {
	c := catalogOf(t, `organization acme {}`)
	rec := recordOf(t, `relay-key k {"principal":{"kind":"user","id":"0192f0c4-7b1a-7def-8123-456789abcdef"}}`)
	draft := store.NewDraft(c)
	if err := draft.Put(rec); err != nil {
		t.Fatal(err)
	}
	wantProblems(t, draft.Catalog().Check(), "spec.principal.id user that does not exist")
}

func TestCheck_FindsTwoRecordsOfOneName(t *testing.T) {
	a, b := recordOf(t, `model gpt {}`), recordOf(t, `model GPT {}`)
	a.Meta().ID, b.Meta().ID = "0192f0c4-7b1a-7def-8123-456789abcdef", "0192f0c4-7b1a-7def-8123-456789abcdee"
	wantProblems(t, store.NewCatalog(a, b).Check(), "metadata.name name of another model")
}

func TestCheck_FindsASecondBindingOfAModelToAHost(t *testing.T) {
	c := catalogOf(t, `model m {}`, `host h {"baseURL":"https://a.example","auth":"none"}`,
		`host-binding a {"modelId":"m","hostId":"h"}`, `host-binding b {"modelId":"m","hostId":"h","enabled":false}`)
	wantProblems(t, c.Check(), "spec binds m to h as a does")
}

func TestCheck_FindsAnAliasOfTwoModelsAndLetsRealNamesWin(t *testing.T) {
	c := catalogOf(t, `model a {"aliases":["fast","B"]}`, `model b {"aliases":["slow","FAST"]}`)
	wantProblems(t, c.Check(), "spec.aliases[1] alias of a already")
}

func TestCheck_FindsFallbacksThatGoInACircle(t *testing.T) {
	c := catalogOf(t, `model a {}`, `model b {"fallbacks":[{"modelId":"a"}]}`, `model c {"fallbacks":[{"modelId":"b"},{"modelId":"a"}]}`)
	wantProblems(t, c.Check())
	draft := store.NewDraft(c)
	a := recordOf(t, `model a {"fallbacks":[{"modelId":"b"},{"modelId":"c"}]}`)
	store.ResolveRefs(c, a)
	a.Meta().ID = idOf(t, c, store.KindModel, "a")
	if err := draft.Put(a); err != nil {
		t.Fatal(err)
	}
	wantProblems(t, draft.Problems(), "spec.fallbacks a -> b -> a", "spec.fallbacks b -> a -> b", "spec.fallbacks c -> a -> c")
}

func TestCheck_FindsPoliciesThatNameALimitWhichStandsAlone(t *testing.T) {
	const rules = `"rules":[{"meter":"requests","amount":1,"window":60,"strategy":"sliding-window"}]`
	c := catalogOf(t, `model m {}`, `rate-limit shared {`+rules+`}`, `rate-limit alone {"standalone":true,`+rules+`}`,
		`policy all {"rateLimitId":"alone"}`, `policy each {"rlBindings":[{"models":["m"],"rateLimitId":"shared"},{"models":["m"],"rateLimitId":"alone"}]}`, `policy fine {"rateLimitId":"shared"}`)
	wantProblems(t, c.Check(), "spec.rateLimitId names rate limit alone, which is standalone", "spec.rlBindings[1].rateLimitId names rate limit alone, which is standalone")
	draft := store.NewDraft(c)
	shared := recordOf(t, `rate-limit shared {"standalone":true,`+rules+`}`)
	shared.Meta().ID = idOf(t, c, store.KindRateLimit, "shared")
	if err := draft.Put(shared); err != nil {
		t.Fatal(err)
	}
	problems := draft.Problems()
	wantProblems(t, problems, "spec.rlBindings[0].rateLimitId names rate limit shared, which is standalone", "spec.rateLimitId names rate limit shared, which is standalone")
	if len(problems) == 2 && (problems[0].Name != "each" || problems[1].Name != "fine") {
		t.Errorf("the policies are not named: %v", problems)
	}
}

const twoHosts = `host up {"baseURL":"https://a.example","auth":"bearer"}|host other {"baseURL":"https://b.example","auth":"bearer"}|` +
	`policy {"metadata":{"name":"up-tier","owner":{"kind":"host","id":"up"}},"spec":{}}|policy plain {}`

func withTwoHosts(t *testing.T, more ...string) []store.Problem {
	return catalogOf(t, append(strings.Split(twoHosts, "|"), more...)...).Check()
}

func TestCheck_FindsAKeyWithTheAccountOfAnotherHost(t *testing.T) {
	wantProblems(t, withTwoHosts(t, `host-account org {"hostId":"other"}`,
		`host-key k {"hostId":"up","accountId":"org","source":{"kind":"env","env":"K"}}`),
		"spec.accountId account at host other: the key is for up")
}

func TestCheck_WantsTierPoliciesToBelongToTheHost(t *testing.T) {
	key := func(host, policy string) string {
		return `host-key k {"hostId":"` + host + `","tierPolicyId":"` + policy + `","source":{"kind":"env","env":"K"}}`
	}
	wantProblems(t, withTwoHosts(t, key("up", "up-tier")))
	wantProblems(t, withTwoHosts(t, key("other", "up-tier")), "spec.tierPolicyId owner is host other: set metadata.owner of policy up-tier to {kind: host, name: other}")
	wantProblems(t, withTwoHosts(t, key("up", "plain")), "spec.tierPolicyId owner is host up")
	wantProblems(t, withTwoHosts(t, `host third {"baseURL":"https://c.example","auth":"bearer","defaultTierPolicyId":"plain"}`),
		"spec.defaultTierPolicyId owner is host third")
}

func TestCheck_KeepsTierPoliciesAndCallersApart(t *testing.T) {
	team := []string{`organization acme {}`, `team a {"organizationId":"acme"}`, `host-account org {"hostId":"up"}`}
	bind := func(policy, account string) []string {
		return append(team, `policy-binding b {"policyId":"`+policy+`","account":"`+account+`"}`)
	}
	wantProblems(t, withTwoHosts(t, bind("up-tier", "host:up")...))
	wantProblems(t, withTwoHosts(t, bind("up-tier", "host-account:org")...))
	wantProblems(t, withTwoHosts(t, bind("plain", "team:a")...))
	wantProblems(t, withTwoHosts(t, bind("plain", "host:up")...), "spec.policyId owner is host up")
	wantProblems(t, withTwoHosts(t, bind("plain", "host-account:org")...), "spec.policyId owner is host up")
	wantProblems(t, withTwoHosts(t, bind("up-tier", "host:other")...), "spec.policyId owner is host other")
	wantProblems(t, withTwoHosts(t, bind("up-tier", "team:a")...), "spec.policyId tier policy of host up")
}

func TestCheck_FindsAnAccountInTwoBindings(t *testing.T) {
	c := catalogOf(t, `policy p {}`, `organization acme {}`,
		`policy-binding a {"policyId":"p","account":"organization:acme"}`, `policy-binding b {"policyId":"p","account":"organization:acme"}`)
	wantProblems(t, c.Check(), "spec.account bound by a already")
}

func TestCheck_FindsASecretOfTwoKeys(t *testing.T) {
	key := func(name, hash, more string) string {
		return `relay-key ` + name + ` {"principal":{"kind":"service-account","id":"s"},"keyHash":"` + strings.Repeat(hash, 32) + `"` + more + `}`
	}
	c := catalogOf(t, `organization o {}`, `team t {"organizationId":"o"}`, `project p {"teamId":"t"}`, `service-account s {"projectId":"p"}`,
		key("a", "0a", ""), key("b", "0a", ""), key("c", "0c", `,"previousHash":"`+strings.Repeat("0a", 32)+`"`))
	wantProblems(t, c.Check(), "spec.keyHash secret of relay key a", "spec.previousHash secret of relay key a")
}

func TestDraft_LeavesItsBaseAloneAndReportsOnlyWhatItAdds(t *testing.T) {
	base := catalogOf(t, `model a {"aliases":["x"]}`, `model b {"aliases":["x"]}`)
	draft := store.NewDraft(base)
	if err := draft.Put(recordOf(t, `model c {"aliases":["x"],"contextWindow":-1}`)); err != nil {
		t.Fatal(err)
	}
	wantProblems(t, draft.Problems(), "spec.contextWindow between 0", "spec.aliases[0] alias of a")
	if base.Models.Len() != 2 || draft.Catalog().Models.Len() != 3 {
		t.Errorf("base has %d models, draft %d", base.Models.Len(), draft.Catalog().Models.Len())
	}
	if err := draft.Put(recordOf(t, `model A {}`)); store.CodeOf(err) != store.CodeConflict {
		t.Errorf("a taken name gives %v", err)
	}
}
