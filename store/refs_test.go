package store_test

import (
	"reflect"
	"strings"
	"testing"

	"relay/store"
)

// shop is a small catalog of every kind that has references.
func shop(t *testing.T) *store.Catalog {
	return catalogOf(t,
		`provider openai {}`, `provider lab {}`,
		`model gpt-4.1 {"providerId":"openai","aliases":["gpt","gpt-4.1-*"]}`,
		`model mini {"providerId":"openai","fallbacks":[{"modelId":"gpt-4.1"}]}`,
		`model lab/coder:7b {"providerId":"lab","aliases":["coder-*"]}`,
		`host openai {"baseURL":"https://api.openai.com/v1","auth":"bearer"}`,
		`host ollama {"baseURL":"http://127.0.0.1:11434","auth":"none","unknownModels":"forward"}`,
		`pricing gpt {"currency":"USD","rates":[{"meter":"requests","unit":"per_unit","amount":"0"}]}`,
		`host-binding gpt-openai {"modelId":"gpt-4.1","hostId":"openai","pricingId":"gpt"}`,
		`host-account org-1 {"hostId":"openai"}`,
		`host-key a {"hostId":"openai","accountId":"org-1","source":{"kind":"env","env":"A"}}`,
		`host-key b {"hostId":"openai","source":{"kind":"env","env":"B"}}`,
		`rate-limit rl {"rules":[{"meter":"requests","amount":1,"window":60,"strategy":"sliding-window"}]}`,
		`policy chat {"models":["gpt","@ollama"],"deny":["lab/"],"pools":[{"name":"main","hostKeyIds":["a","b"]}],"rateLimitId":"rl"}`,
		`policy {"metadata":{"name":"tier","owner":{"kind":"host","id":"openai"}},"spec":{"rlBindings":[{"models":["mini"],"rateLimitId":"rl"}]}}`,
		`organization acme {}`, `team research {"organizationId":"acme"}`, `project bot {"teamId":"research"}`,
		`service-account prod {"projectId":"bot"}`,
		`policy-binding team-research {"policyId":"chat","account":"team:research"}`,
		`relay-key k {"principal":{"kind":"service-account","id":"prod"},"account":"project:bot","models":["mini@openai"],"keyHash":"`+strings.Repeat("0a", 32)+`"}`,
	)
}

func TestResolveRefs_TurnsNamesIntoIdsAndLeavesIdsAlone(t *testing.T) {
	c := shop(t)
	chat := c.Policies.ByName("CHAT")
	if got, want := chat.Spec.RateLimitID, idOf(t, c, store.KindRateLimit, "rl"); got != want {
		t.Errorf("rate limit %q, want %q", got, want)
	}
	if got, want := chat.Spec.Pools[0].HostKeyIDs[1], idOf(t, c, store.KindHostKey, "b"); got != want {
		t.Errorf("host key %q, want %q", got, want)
	}
	if got, want := string(c.PolicyBindings.ByName("team-research").Spec.Account), "team:"+idOf(t, c, store.KindTeam, "research"); got != want {
		t.Errorf("account %q, want %q", got, want)
	}
	if got, want := c.RelayKeys.ByName("k").Spec.Principal.ID, idOf(t, c, store.KindServiceAccount, "prod"); got != want {
		t.Errorf("principal %q, want %q", got, want)
	}
	again := recordOf(t, `host-account x {"hostId":"`+idOf(t, c, store.KindHost, "ollama")+`"}`)
	wantProblems(t, store.ResolveRefs(c, again))
	gone := recordOf(t, `host-account x {"hostId":"0192f0c4-7b1a-7def-8123-456789abcdef"}`)
	wantProblems(t, store.ResolveRefs(c, gone))
}

func TestResolveRefs_NamesWhatDoesNotExist(t *testing.T) {
	c := shop(t)
	for text, want := range map[string][]string{
		`policy p {"rateLimitId":"rll","pools":[{"name":"m","hostKeyIds":["a","zzz"]}]}`: w(
			`spec.pools[0].hostKeyIds[1] no host-key has this name`, `spec.rateLimitId no rate-limit has this name: did you mean rl?`),
		`policy p {"models":["gtp-4.1"]}`:                                               w(`spec.models[0] no model, alias or provider has this name: did you mean gpt-4.1?`),
		`policy p {"models":["quux"]}`:                                                  w(`spec.models[0] make the model first, or write NAME@HOST`),
		`policy p {"models":["ollama"]}`:                                                w(`spec.models[0] write @ollama`),
		`policy p {"models":["openai/none"]}`:                                           w(`spec.models[0] no model, alias or provider`),
		`policy p {"models":["nobody/gpt"]}`:                                            w(`spec.models[0] no model, alias or provider`),
		`policy p {"models":["gpt@nowhere"]}`:                                           w(`spec.models[0] no host has this name`),
		`policy p {"models":["nobody/"]}`:                                               w(`spec.models[0] no provider has this name`),
		`policy p {"models":["new-model@openai"]}`:                                      w(`spec.models[0] no model, alias or provider has this name`),
		`model m {"fallbacks":[{"modelId":"openai"}]}`:                                  w(`spec.fallbacks[0].modelId no model has this name`),
		`policy-binding x {"policyId":"chat","account":"team:resaerch"}`:                w(`spec.account no team has this name: did you mean research?`),
		`policy-binding x {"policyId":"chat","account":"member:maria@bot"}`:             w(`spec.account user`),
		`relay-key x {"principal":{"kind":"user","id":"maria"},"projectId":"bot"}`:      w(`spec.principal.id user`),
		`policy {"metadata":{"name":"p","owner":{"kind":"host","id":"zzz"}},"spec":{}}`: w(`metadata.owner.id no host has this name`),
		`policy {"metadata":{"name":"p","owner":{"kind":"system"}},"spec":{}}`:          nil,
	} {
		t.Run(text, func(t *testing.T) {
			wantProblems(t, store.ResolveRefs(c, recordOf(t, text)), want...)
		})
	}
}

func TestResolveRefs_ReadsModelReferencesInOneOrder(t *testing.T) {
	c := shop(t)
	id := func(kind store.Kind, name string) string { return idOf(t, c, kind, name) }
	gpt, coder, openai, ollama := id(store.KindModel, "gpt-4.1"), id(store.KindModel, "lab/coder:7b"), id(store.KindHost, "openai"), id(store.KindHost, "ollama")
	for ref, want := range map[string]string{
		"gpt-4.1":            gpt,
		"GPT-4.1":            gpt,
		"gpt":                gpt,
		"gpt-4.1-2026":       gpt,
		"openai/gpt-4.1":     gpt,
		"openai/gpt":         gpt,
		"lab/coder:7b":       coder,
		"coder-x":            coder,
		"lab/coder-x":        coder,
		"openai/":            id(store.KindProvider, "openai") + "/",
		"lab":                id(store.KindProvider, "lab") + "/",
		"openai@openai":      id(store.KindProvider, "openai") + "/@" + openai,
		"@ollama":            "@" + ollama,
		"gpt@openai":         gpt + "@" + openai,
		"lab/@ollama":        id(store.KindProvider, "lab") + "/@" + ollama,
		"qwen3:8b@ollama":    "qwen3:8b@" + ollama,
		"lab/unheard@ollama": "lab/unheard@" + ollama,
		gpt + "@" + openai:   gpt + "@" + openai,
		"@" + openai:         "@" + openai,
	} {
		rec := recordOf(t, `policy p {"models":["`+ref+`"]}`).(*store.Policy)
		wantProblems(t, store.ResolveRefs(c, rec))
		if got := string(rec.Spec.Models[0]); got != want {
			t.Errorf("%s: %s, want %s", ref, got, want)
		}
	}
}

func TestResolveRefs_ListsTheReadingsOfAnAmbiguousReference(t *testing.T) {
	c := shop(t)
	rec := recordOf(t, `policy p {"models":["openai"]}`)
	wantProblems(t, store.ResolveRefs(c, rec), "spec.models[0] write openai/ (models of the provider) or @openai (everything at the host)")

	twice := catalogOf(t, `model a {"aliases":["fast"]}`, `model b {"aliases":["fast"]}`)
	rec = recordOf(t, `policy p {"models":["fast"]}`)
	wantProblems(t, store.ResolveRefs(twice, rec), "spec.models[0] write a or b")
	rec = recordOf(t, `model m {"fallbacks":[{"modelId":"fast"}]}`)
	wantProblems(t, store.ResolveRefs(twice, rec), "spec.fallbacks[0].modelId write a or b")
}

func TestResolveRefs_LeavesMalformedReferencesToValidate(t *testing.T) {
	rec := recordOf(t, `policy p {"models":["*","a@"]}`)
	wantProblems(t, store.ResolveRefs(shop(t), rec))
	rec = recordOf(t, `policy-binding p {"policyId":"chat","account":"nonsense"}`)
	wantProblems(t, store.ResolveRefs(shop(t), rec))
}

func TestNameRefs_IsTheInverseOfResolveRefs(t *testing.T) {
	c := shop(t)
	for _, text := range []string{
		`policy p {"models":["gpt-4.1","openai/","lab/@ollama","@openai","qwen3:8b@ollama"],"pools":[{"name":"m","hostIds":["ollama"]}],"rateLimitId":"rl"}`,
		`relay-key k {"principal":{"kind":"service-account","id":"prod"},"account":"project:bot"}`,
		`policy-binding b {"policyId":"chat","account":"host-account:org-1"}`,
	} {
		rec, want := recordOf(t, text), recordOf(t, text)
		wantProblems(t, store.ResolveRefs(c, rec))
		store.NameRefs(c, rec)
		if !reflect.DeepEqual(rec, want) {
			t.Errorf("%s: %+v", text, rec)
		}
	}
}

func TestNamesOf_GivesNamesBesideIds(t *testing.T) {
	c := shop(t)
	for _, c2 := range []struct {
		rec  store.AnyRecord
		want map[string]any
	}{
		{c.Policies.ByName("chat"), map[string]any{
			"spec.modelNames": []string{"gpt-4.1", "@ollama"}, "spec.denyNames": []string{"lab/"},
			"spec.pools[0].hostKeyNames": []string{"a", "b"}, "spec.rateLimitName": "rl",
		}},
		{c.Policies.ByName("tier"), map[string]any{
			"metadata.owner.name": "openai", "spec.rlBindings[0].modelNames": []string{"mini"}, "spec.rlBindings[0].rateLimitName": "rl",
		}},
		{c.Models.ByName("mini"), map[string]any{"spec.providerName": "openai", "spec.fallbacks[0].modelName": "gpt-4.1"}},
		{c.RelayKeys.ByName("k"), map[string]any{
			"spec.principal.name": "prod", "spec.accountName": "project:bot", "spec.modelNames": []string{"mini@openai"},
		}},
		{c.PolicyBindings.ByName("team-research"), map[string]any{"spec.policyName": "chat", "spec.accountName": "team:research"}},
	} {
		if got := store.NamesOf(c, c2.rec); !reflect.DeepEqual(got, c2.want) {
			t.Errorf("%s: %v, want %v", c2.rec.Meta().Name, got, c2.want)
		}
	}
}

func TestReferences_ListsWhoeverNeedsARecord(t *testing.T) {
	c := shop(t)
	for _, c2 := range []struct {
		kind store.Kind
		name string
		want string
	}{
		{store.KindRateLimit, "rl", "policy chat, policy tier"},
		{store.KindHost, "openai", "host-binding gpt-openai, host-account org-1, host-key a, host-key b, policy tier, relay-key k"},
		{store.KindHost, "ollama", "policy chat"},
		{store.KindModel, "gpt-4.1", "model mini, host-binding gpt-openai, policy chat"},
		{store.KindProvider, "lab", "model lab/coder:7b, policy chat"},
		{store.KindTeam, "research", "project bot, policy-binding team-research"},
		{store.KindServiceAccount, "prod", "relay-key k"},
		{store.KindRelayKey, "k", ""},
	} {
		var got []string
		for _, rec := range store.References(c, c2.kind, idOf(t, c, c2.kind, c2.name)) {
			got = append(got, string(rec.Kind())+" "+rec.Meta().Name)
		}
		if strings.Join(got, ", ") != c2.want {
			t.Errorf("%s %s: %v, want %s", c2.kind, c2.name, got, c2.want)
		}
	}
}

func TestPolicyBindingName_IsDerivedFromTheAccount(t *testing.T) {
	c := catalogOf(t, `organization acme {}`, `team research {"organizationId":"acme"}`,
		`team `+strings.Repeat("t", 63)+` {"organizationId":"acme"}`,
		`host account-x {"baseURL":"https://a.example","auth":"none"}`, `host-account x {"hostId":"account-x"}`)
	for ref, want := range map[string]string{
		"team:research": "team-research",
		"team:" + idOf(t, c, store.KindTeam, "research"): "team-research",
		"service-account:prod":                           "service-account-prod",
		"member:maria@bot":                               "member-maria-bot",
		"host:account-x":                                 "host--account-x",
		"host-account:x":                                 "host-account-x",
		"nonsense":                                       "",
		"team:0192f0c4-7b1a-7def-8123-456789abcdef":      "",
	} {
		if got := store.PolicyBindingName(c, store.AccountRef(ref)); got != want {
			t.Errorf("%s: %q, want %q", ref, got, want)
		}
	}
	long := store.PolicyBindingName(c, store.AccountRef("team:"+strings.Repeat("t", 63)))
	if len(long) > 63 || !strings.HasPrefix(long, "team-ttt") {
		t.Errorf("got %q", long)
	}
}
