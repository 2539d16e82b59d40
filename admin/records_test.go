package admin_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"relay/store"
)

// specimens hold, for every kind, a body and a merge patch of its spec, in an
// order in which each finds what it refers to.
var specimens = []struct {
	kind        store.Kind
	name, spec  string
	patch, show string
}{
	{store.KindProvider, "acme", `{"homepageURL":"https://acme.example"}`, `{"icon":"A"}`, `"icon":"A"`},
	{store.KindHost, "up", `{"baseURL":"http://127.0.0.1:9100/v1","auth":"bearer"}`, `{"drainOnDisconnect":"30s"}`, `"drainOnDisconnect":"30s"`},
	{store.KindModel, "lab/coder:7b", `{"providerId":"acme","limits":{"concurrency":2}}`, `{"contextWindow":8192}`, `"providerName":"acme"`},
	{store.KindPricing, "coder-up", `{"currency":"USD","rates":[{"meter":"tokens.input","unit":"per_million","amount":"3"}]}`, `{"enabled":false}`, `"enabled":false`},
	{store.KindHostBinding, "coder-at-up", `{"modelId":"lab/coder:7b","hostId":"up","pricingId":"coder-up"}`, `{"priority":2}`, `"modelName":"lab/coder:7b"`},
	{store.KindHostAccount, "up-org", `{"hostId":"up"}`, `{"enabled":false}`, `"hostName":"up"`},
	{store.KindRateLimit, "chat-rl", `{"rules":[{"meter":"requests","amount":60,"window":60,"strategy":"sliding-window"}]}`, `{"onOutage":"refuse"}`, `"onOutage":"refuse"`},
	{store.KindPolicy, "tier", `{"rateLimitId":"chat-rl"}`, `{"maxInputTokens":100}`, `"rateLimitName":"chat-rl"`},
	{store.KindHostKey, "up-a", `{"hostId":"up","accountId":"up-org","source":{"kind":"env","env":"UP_KEY"}}`, `{"source":{"env":"UP_KEY_B"}}`, `"env":"UP_KEY_B"`},
	{store.KindOrganization, "acme-inc", `{"limits":{"rpm":600}}`, `{"limits":{"tpm":1000}}`, `"tpm":1000`},
	{store.KindTeam, "research", `{"organizationId":"acme-inc"}`, `{"limits":{"rpm":5}}`, `"organizationName":"acme-inc"`},
	{store.KindProject, "chatbot", `{"teamId":"research"}`, `{"limits":{"rpm":5}}`, `"teamName":"research"`},
	{store.KindServiceAccount, "bot", `{"projectId":"chatbot"}`, `{"limits":{"rpm":5}}`, `"projectName":"chatbot"`},
	{store.KindPolicyBinding, "team-research", `{"policyId":"tier","account":"team:research"}`, `{"enabled":false}`, `"accountName":"team:research"`},
}

func TestRecords_LiveThroughCreateReadReplaceChangeAndDelete(t *testing.T) {
	f := start(t)
	for _, s := range specimens {
		f.lifeOf(t, s.kind, s.name, s.spec, s.patch, s.show)
	}
	for i := len(specimens) - 1; i >= 0; i-- {
		s := specimens[i]
		id := f.send("GET", "/api/"+s.kind.Plural()+"/"+s.name, "").want(200).id()
		f.send("DELETE", "/api/"+s.kind.Plural()+"/by-id/"+id, "").want(http.StatusNoContent)
		f.send("GET", "/api/"+s.kind.Plural()+"/"+s.name, "").want(http.StatusNotFound)
	}
}

// lifeOf leaves the record in place, for others to refer to.
func (f *fixture) lifeOf(t *testing.T, kind store.Kind, name, spec, patch, show string) {
	t.Helper()
	path := "/api/" + kind.Plural()
	made := f.send("POST", path, fmt.Sprintf(`{"metadata":{"name":%q},"spec":%s}`, name, spec)).want(http.StatusCreated)
	byID := path + "/by-id/" + made.id()
	if got := made.header.Get("Location"); got != byID {
		t.Errorf("%s: Location %q, want %q", kind, got, byID)
	}
	read := f.send("GET", path+"/"+made.id(), "").want(200)
	if read.text != made.text || read.header.Get("ETag") != made.header.Get("ETag") || read.header.Get("ETag") == "" {
		t.Errorf("%s: read %s with %s, made %s with %s", kind, read.text, read.header.Get("ETag"), made.text, made.header.Get("ETag"))
	}
	f.send("PUT", byID, read.text, "If-Match", read.header.Get("ETag")).want(200)
	f.send("PATCH", byID, `{"spec":`+patch+`}`, "Content-Type", "application/merge-patch+json").want(200).holds(show)
	f.send("GET", path, "").want(200).holds(made.id(), show)
	f.send("GET", byID+"/references", "").want(200).holds(`"items"`)
}

func limitNamed(name string) string {
	return `{"metadata":{"name":"` + name + `"},"spec":{"rules":[{"meter":"requests","amount":60,"window":60,"strategy":"sliding-window"}]}}`
}

func TestRecords_TakeNamesAndIdsInReferencesAndAnswerIds(t *testing.T) {
	f := start(t)
	limit := f.create(store.KindRateLimit, limitNamed("rl"))
	for _, ref := range []string{"rl", "RL", limit} {
		f.send("POST", "/api/policies", fmt.Sprintf(`{"metadata":{"displayName":"P %s"},"spec":{"rateLimitId":%q}}`, ref[:2], ref)).
			want(http.StatusCreated).holds(`"rateLimitId":"`+limit+`"`, `"rateLimitName":"rl"`)
	}
}

func TestModels_AreFoundByNamesWithSlashesAndColons(t *testing.T) {
	f := start(t)
	f.create(store.KindModel, `{"metadata":{"name":"hf.co/acme/tiny-gguf:Q4_K_M"},"spec":{}}`)
	for _, name := range []string{"hf.co/acme/tiny-gguf:Q4_K_M", "hf.co%2Facme%2Ftiny-gguf%3AQ4_K_M", "HF.co/acme%2ftiny-gguf:q4_k_m"} {
		f.send("GET", "/api/models/"+name, "").want(200).holds("tiny-gguf:Q4_K_M")
	}
}

func TestRecords_RefuseUnknownMembersByName(t *testing.T) {
	f := start(t)
	for body, field := range map[string]string{
		`{"metadata":{"name":"a"},"spec":{"rulez":[]}}`:                           "spec.rulez",
		`{"metadata":{"name":"a"},"spec":{},"extra":1}`:                           "extra",
		`{"metadata":{"name":"a","Labels":{}},"spec":{}}`:                         "metadata.Labels",
		`{"metadata":{"name":"a"},"spec":{"rules":[{"meter":"requests","x":1}]}}`: "spec.rules[0].x",
	} {
		f.send("POST", "/api/rate-limits", body).want(http.StatusBadRequest).
			holds(`"field":"`+field+`"`, "there is no such member", `"code":"invalid"`)
	}
	f.send("GET", "/api/rate-limits?q=%zz", "").want(http.StatusBadRequest)
	f.send("GET", "/api/rate-limits?filter=x", "").want(http.StatusBadRequest).holds("query.filter")
}

func TestRecords_RefuseAZeroAmountAndSayWhereItIs(t *testing.T) {
	f := start(t)
	f.send("POST", "/api/rate-limits", `{"metadata":{"name":"a"},"spec":{"rules":[{"meter":"requests","amount":0,"window":60,"strategy":"sliding-window"}]}}`).
		want(http.StatusBadRequest).holds("spec.rules[0].amount", "above 0")
}

func TestRecords_RefuseDanglingReferencesAndWriteNothing(t *testing.T) {
	f := start(t)
	before := f.db.Catalog().Generation
	f.send("POST", "/api/policies", `{"metadata":{"name":"a"},"spec":{"rateLimitId":"nowhere"}}`).
		want(http.StatusUnprocessableEntity).holds("spec.rateLimitId", `"code":"unprocessable"`)
	f.send("POST", "/api/policies", `{"metadata":{"name":"a"},"spec":{"rateLimitId":"01890000-0000-7000-8000-000000000000"}}`).
		want(http.StatusUnprocessableEntity).holds("spec.rateLimitId")
	if after := f.db.Catalog().Generation; after != before {
		t.Errorf("generation went from %d to %d", before, after)
	}
}

func TestRecords_RefuseATakenName(t *testing.T) {
	f := start(t)
	f.send("POST", "/api/teams", `{"metadata":{"name":"default"},"spec":{"organizationId":"default"}}`).
		want(http.StatusConflict).holds("metadata.name")
}

func TestReplace_RefusesAStaleETag(t *testing.T) {
	f := start(t)
	first := f.send("POST", "/api/providers", `{"metadata":{"name":"a"},"spec":{}}`).want(http.StatusCreated)
	byID, tag := "/api/providers/by-id/"+first.id(), first.header.Get("ETag")
	f.send("PATCH", byID, `{"spec":{"icon":"1"}}`, "If-Match", tag).want(200)
	f.send("PATCH", byID, `{"spec":{"icon":"2"}}`, "If-Match", tag).want(http.StatusPreconditionFailed).holds(`"code":"stale"`)
	f.send("PUT", byID, `{"metadata":{"name":"a"},"spec":{}}`, "If-Match", tag).want(http.StatusPreconditionFailed)
	f.send("DELETE", byID, "", "If-Match", tag).want(http.StatusPreconditionFailed)
	f.send("DELETE", byID, "", "If-Match", `"7", *`).want(http.StatusNoContent)
}

func TestReplace_KeepsReadOnlyMembersAndRefusesOthersInTheirPlace(t *testing.T) {
	f := start(t)
	made := f.send("POST", "/api/providers", `{"metadata":{"name":"a"},"spec":{}}`).want(http.StatusCreated)
	byID := "/api/providers/by-id/" + made.id()
	f.send("PUT", byID, `{"metadata":{"name":"b"},"spec":{}}`).want(200).holds(made.id(), made.at("metadata", "createdAt"))
	for _, member := range []string{`"id":"01890000-0000-7000-8000-000000000000"`, `"createdAt":"2020-01-01T00:00:00Z"`, `"origin":{"kind":"file"}`} {
		f.send("PUT", byID, `{"metadata":{"name":"b",`+member+`},"spec":{}}`).want(http.StatusBadRequest).holds("is read-only")
		f.send("POST", "/api/providers", `{"metadata":{"name":"c",`+member+`},"spec":{}}`).want(http.StatusBadRequest).holds("is read-only")
	}
}

func TestReplace_TakesNamesBesideReferencesAsTheyWereReadButNotOthers(t *testing.T) {
	f := start(t)
	f.create(store.KindRateLimit, limitNamed("one"))
	f.create(store.KindRateLimit, limitNamed("two"))
	f.create(store.KindHost, `{"metadata":{"name":"h"},"spec":{"baseURL":"https://h.example/v1","auth":"bearer"}}`)
	made := f.send("POST", "/api/policies", `{"metadata":{"name":"p"},"spec":{"rateLimitId":"one","models":["@h"],"pools":[{"name":"main","hostIds":["h"]}]}}`).
		want(http.StatusCreated).holds(`"modelNames":["@h"]`, `"hostNames":["h"]`)
	byID := "/api/policies/by-id/" + made.id()
	f.send("PUT", byID, made.text).want(200)

	edited := strings.Replace(made.text, made.at("spec", "rateLimitId"), "two", 1)
	f.send("PUT", byID, edited).want(200).holds(`"rateLimitName":"two"`)

	misled := strings.Replace(made.text, `"rateLimitName":"one"`, `"rateLimitName":"three"`, 1)
	f.send("PUT", byID, misled).want(http.StatusBadRequest).holds("spec.rateLimitName", "is read-only")
}

func TestPatch_RemovesMembersThatAreNull(t *testing.T) {
	f := start(t)
	id := f.create(store.KindProvider, `{"metadata":{"name":"a","labels":{"x":"1","y":"2"}},"spec":{"icon":"I"}}`)
	answer := f.send("PATCH", "/api/providers/by-id/"+id, `{"metadata":{"labels":{"x":null}},"spec":{"icon":null}}`).want(200)
	if strings.Contains(answer.text, "icon") || !strings.Contains(answer.text, `"labels":{"y":"2"}`) {
		t.Errorf("after the patch: %s", answer.text)
	}
	f.send("PATCH", "/api/providers/by-id/"+id, `[1]`).want(http.StatusBadRequest)
	f.send("PATCH", "/api/providers/by-id/"+id, `{"spec":{"nope":1}}`).want(http.StatusBadRequest).holds("spec.nope")
}

func TestDelete_RefusesWhatIsReferredToUnlessItCascades(t *testing.T) {
	f := start(t)
	limit := f.create(store.KindRateLimit, limitNamed("rl"))
	f.create(store.KindHost, `{"metadata":{"name":"h"},"spec":{"baseURL":"https://h.example/v1","auth":"bearer"}}`)
	f.create(store.KindPolicy, `{"metadata":{"name":"tier","owner":{"kind":"host","id":"h"}},"spec":{"rateLimitId":"rl"}}`)
	host := f.send("GET", "/api/hosts/h", "").id()
	f.send("PATCH", "/api/hosts/by-id/"+host, `{"spec":{"defaultTierPolicyId":"tier"}}`).want(200)

	f.send("DELETE", "/api/rate-limits/by-id/"+limit, "").want(http.StatusConflict).holds("policy", "tier", "refers to it")
	f.send("GET", "/api/rate-limits/by-id/"+limit+"/references", "").want(200).holds(`"kind":"policy"`, `"name":"tier"`, `"total":1`)

	f.send("DELETE", "/api/rate-limits/by-id/"+limit+"?cascade=true", "").want(http.StatusConflict).holds("policy", "tier", "spec.rateLimitId")
	f.send("DELETE", "/api/hosts/by-id/"+host+"?cascade=true", "").want(http.StatusNoContent)
	f.send("GET", "/api/policies/tier", "").want(http.StatusNotFound)
	f.send("GET", "/api/hosts/h", "").want(http.StatusNotFound)
	f.send("DELETE", "/api/rate-limits/by-id/"+limit, "").want(http.StatusNoContent)
}

func TestPolicyBindings_PutAnAccountUnderOnePolicyOnly(t *testing.T) {
	f := start(t)
	f.create(store.KindPolicy, `{"metadata":{"name":"other"},"spec":{}}`)
	f.send("POST", "/api/policy-bindings", `{"metadata":{},"spec":{"policyId":"other","account":"organization:default"}}`).
		want(http.StatusConflict).holds(`"code":"account_bound"`, "policy default")
}

func TestOrganizationDefault_CannotBeRenamed(t *testing.T) {
	f := start(t)
	byID := "/api/organizations/by-id/" + f.send("GET", "/api/organizations/default", "").id()
	f.send("PATCH", byID, `{"metadata":{"name":"mine"}}`).want(http.StatusConflict)
	f.send("PATCH", byID, `{"metadata":{"displayName":"Mine"}}`).want(200)
}

func TestDelete_KeepsOrganizationDefault(t *testing.T) {
	f := start(t)
	id := f.send("GET", "/api/organizations/default", "").id()
	f.send("DELETE", "/api/organizations/by-id/"+id+"?cascade=true", "").want(http.StatusConflict).holds("always exists")
}

func TestAnswers_CarryTheGenerationOfTheCatalog(t *testing.T) {
	f := start(t)
	before := f.send("GET", "/api/teams", "").header.Get("X-Relay-Generation")
	after := f.send("POST", "/api/providers", `{"metadata":{"name":"a"},"spec":{}}`).header.Get("X-Relay-Generation")
	if before == "" || after != fmt.Sprint(f.db.Catalog().Generation) || before == after {
		t.Errorf("generation %q before and %q after, catalog %d", before, after, f.db.Catalog().Generation)
	}
}
