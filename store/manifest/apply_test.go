package manifest_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"relay/store"
	"relay/store/manifest"
	"relay/store/storetest"
)

// apply applies manifests to a database in one write.
func apply(t *testing.T, db *store.DB, docs []manifest.Document, o manifest.ApplyOptions) []string {
	t.Helper()
	changes, err := tryApply(db, docs, o)
	if err != nil {
		t.Fatal(err)
	}
	texts := make([]string, len(changes))
	for i, c := range changes {
		texts[i] = strings.TrimSpace(fmt.Sprintf("%s %s %s %s", c.Action, c.Kind, c.Name, strings.Join(c.Members, " ")))
	}
	return texts
}

func tryApply(db *store.DB, docs []manifest.Document, o manifest.ApplyOptions) (changes []manifest.Change, err error) {
	_, err = db.Write(func(e *store.Edit) error {
		changes, err = manifest.Apply(e, docs, o)
		return err
	})
	return changes, err
}

func want(t *testing.T, got []string, want ...string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func mainJob(t *testing.T) []manifest.Document {
	t.Helper()
	docs, problems := manifest.ReadPath(testdata+"main-job.yaml", options())
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	return docs
}

func TestApply_PutsDocumentsOnAnEmptyDatabaseInWhateverOrder(t *testing.T) {
	docs := mainJob(t)
	slices.Reverse(docs)
	db := storetest.Open(t)
	for _, line := range apply(t, db, docs, manifest.ApplyOptions{}) {
		if !strings.HasPrefix(line, "create ") {
			t.Error(line)
		}
	}
	c := db.Catalog()
	up, tier := c.Hosts.ByName("up"), c.Policies.ByName("up-tier")
	if up.Spec.DefaultTierPolicyID != tier.Metadata.ID || tier.Metadata.Owner.ID != up.Metadata.ID {
		t.Error("records that refer to each other are not tied")
	}
	if got, want := string(c.PolicyBindings.ByName("team-research").Spec.Account), "team:"+c.Teams.ByName("research").Metadata.ID; got != want {
		t.Errorf("account %s, want %s", got, want)
	}
}

func TestApply_ChangesNothingTheSecondTime(t *testing.T) {
	db := storetest.Open(t)
	apply(t, db, mainJob(t), manifest.ApplyOptions{})
	generation := db.Catalog().Generation
	for _, line := range apply(t, db, mainJob(t), manifest.ApplyOptions{}) {
		if !strings.HasPrefix(line, "unchanged ") {
			t.Error(line)
		}
	}
	if db.Catalog().Generation != generation {
		t.Error("the second apply has written")
	}
}

func TestApply_SaysWhichMembersItChanges(t *testing.T) {
	db := storetest.Open(t)
	apply(t, db, read(t, doc("Model", "m", "{aliases: [a], contextWindow: 1}")), manifest.ApplyOptions{})
	id := db.Catalog().Models.ByName("m").Metadata.ID
	changed := read(t, "apiVersion: relay/v1\nkind: Model\nmetadata: {name: M, labels: {a: b}}\nspec: {aliases: [a, b], maxOutputTokens: 2}")
	want(t, apply(t, db, changed, manifest.ApplyOptions{}),
		"update model M metadata.labels metadata.name spec.aliases spec.contextWindow spec.maxOutputTokens")
	m := db.Catalog().Models.ByName("m")
	if m.Metadata.ID != id || m.Spec.ContextWindow != 0 || len(m.Spec.Aliases) != 2 {
		t.Errorf("got %+v", m)
	}
}

func TestApply_TakesSwitchedOnAsNotSaid(t *testing.T) {
	db := storetest.Open(t)
	apply(t, db, read(t, doc("Model", "m", "{}")), manifest.ApplyOptions{})
	want(t, apply(t, db, read(t, doc("Model", "m", "{enabled: true}")), manifest.ApplyOptions{}), "unchanged model m")
	want(t, apply(t, db, read(t, doc("Model", "m", "{enabled: false}")), manifest.ApplyOptions{}), "update model m spec.enabled")
}

func TestApply_FollowsAliasesThatAnotherDocumentAdds(t *testing.T) {
	db := storetest.Open(t)
	apply(t, db, read(t, doc("Model", "a", "{}")+doc("Model", "b", "{}")), manifest.ApplyOptions{})
	want(t, apply(t, db, read(t, doc("Model", "a", "{fallbacks: [fast]}")+doc("Model", "b", "{aliases: [fast]}")), manifest.ApplyOptions{}),
		"update model a spec.fallbacks", "update model b spec.aliases")
	c := db.Catalog()
	if c.Models.ByName("a").Spec.Fallbacks[0].ModelID != c.Models.ByName("b").Metadata.ID {
		t.Error("the fallback does not lead to the model")
	}
}

func TestApply_KnowsPolicyBindingsByTheirAccount(t *testing.T) {
	db := storetest.Open(t)
	tenancy := doc("Organization", "o", "{}") + doc("Team", "a", "{organization: o}") + doc("Policy", "p", "{}") + doc("Policy", "q", "{}")
	apply(t, db, read(t, tenancy+doc("PolicyBinding", "", `{policy: p, account: "team:a"}`)), manifest.ApplyOptions{})
	want(t, apply(t, db, read(t, doc("PolicyBinding", "both", `{policy: q, accounts: ["team:a", "organization:o"]}`)), manifest.ApplyOptions{}),
		"update policy-binding team-a spec.policyId", "create policy-binding organization-o")
	if n := db.Catalog().PolicyBindings.Len(); n != 2 {
		t.Errorf("%d bindings", n)
	}
}

func TestApply_RefusesNamesThatNothingHasWithTheirPlaces(t *testing.T) {
	db := storetest.Open(t)
	_, err := tryApply(db, read(t, doc("Policy", "p", "\n  rateLimit: a\n  pools:\n    - {name: m, hosts: [h]}")), manifest.ApplyOptions{})
	if store.CodeOf(err) != store.CodeUnprocessable {
		t.Fatalf("got %v", err)
	}
	for _, part := range []string{`test.yaml:6: policy p, spec.rateLimit: no rate-limit has this name`, `test.yaml:8: policy p, spec.pools[0].hosts[0]: no host has this name`} {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("%v, want %s", err, part)
		}
	}
	if db.Catalog().Policies.Len() != 0 {
		t.Error("half of it is applied")
	}
}

func TestApply_RefusesWhatADocumentAloneTells(t *testing.T) {
	docs := []manifest.Document{
		{Kind: "account", Metadata: manifest.Metadata{Name: "a"}, Spec: json.RawMessage(`{}`)},
		{Kind: store.KindPolicy, Metadata: manifest.Metadata{Name: "b"}, Spec: json.RawMessage(`{"rateLimit":"x"}`)},
		{Kind: store.KindPolicy, Metadata: manifest.Metadata{Name: "c"}, Spec: json.RawMessage(`{"pools":7}`)},
		{Kind: store.KindPolicy, Metadata: manifest.Metadata{Name: "d"}, Spec: json.RawMessage(`{`)},
		{Kind: store.KindModel, Metadata: manifest.Metadata{Name: "e@f"}, Spec: json.RawMessage(`{}`)},
		{Kind: store.KindHostKey, Metadata: manifest.Metadata{Name: "g"}, Spec: json.RawMessage(`{"hostId":"h","source":{"kind":"stored"},"value":"hunter2"}`)},
		{Kind: store.KindHostKey, Metadata: manifest.Metadata{Name: "h"}, Spec: json.RawMessage(`{"hostId":"h","source":{"kind":"stored"}}`)},
	}
	_, err := tryApply(storetest.Open(t), docs, manifest.ApplyOptions{})
	if store.CodeOf(err) != store.CodeInvalid {
		t.Fatalf("got %v", err)
	}
	for _, part := range []string{"account a, spec: is none that this version knows", `policy b, spec: has no member "rateLimit"`, "policy c, spec: has the wrong type at pools",
		"policy d, spec: is not the spec", "model e@f, metadata.name: must not hold @", "host-key g, spec.value: has no place in a manifest", "host-key h, spec.value: must be given"} {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("no %q in %v", part, err)
		}
	}
	if strings.Contains(err.Error(), "hunter2") {
		t.Error("a secret is repeated")
	}
}

func TestApply_RefusesTheBindingOfAnAccountThatIsGone(t *testing.T) {
	docs := read(t, doc("Policy", "p", "{}")+"---\napiVersion: relay/v1\nkind: PolicyBinding\nspec: {policy: p, account: \"team:0192f0c4-7b1a-7def-8123-456789abcdef\"}\n")
	_, err := tryApply(storetest.Open(t), docs, manifest.ApplyOptions{})
	if store.CodeOf(err) != store.CodeUnprocessable || !strings.Contains(err.Error(), "policy-binding, spec.account: names an account that does not exist") {
		t.Errorf("got %v", err)
	}
}

func TestApply_RefusesAnAccountByNameAndById(t *testing.T) {
	db := storetest.Open(t)
	apply(t, db, read(t, doc("Organization", "o", "{}")+doc("Policy", "p", "{}")), manifest.ApplyOptions{})
	byID := fmt.Sprintf("---\napiVersion: relay/v1\nkind: PolicyBinding\nspec: {policy: p, account: %q}\n", "organization:"+db.Catalog().Organizations.ByName("o").Metadata.ID)
	docs := read(t, doc("PolicyBinding", "", `{policy: p, account: "organization:o"}`)+byID)
	if _, err := tryApply(db, docs, manifest.ApplyOptions{}); store.CodeOf(err) != store.CodeInvalid || !strings.Contains(err.Error(), "is defined twice") {
		t.Errorf("got %v", err)
	}
}

func TestApply_TakesADocumentWithoutSpec(t *testing.T) {
	docs := []manifest.Document{{Kind: store.KindPolicy, Metadata: manifest.Metadata{Name: "p"}}}
	want(t, apply(t, storetest.Open(t), docs, manifest.ApplyOptions{}), "create policy p")
}

func TestApply_PassesOnWhatThePutRefuses(t *testing.T) {
	db := storetest.Open(t)
	tenancy := doc("Organization", "o", "{}") + doc("Team", "a", "{organization: o}") + doc("Team", "b", "{organization: o}") + doc("Policy", "p", "{}")
	apply(t, db, read(t, tenancy+doc("PolicyBinding", "", `{policy: p, account: "team:a"}`)), manifest.ApplyOptions{})
	_, err := db.Write(func(e *store.Edit) error {
		binding := *e.Catalog().PolicyBindings.ByName("team-a")
		binding.Metadata.Name = "team-b"
		return e.Put(&binding)
	})
	if err != nil {
		t.Fatal(err)
	}
	_, err = tryApply(db, read(t, doc("PolicyBinding", "", `{policy: p, account: "team:b"}`)), manifest.ApplyOptions{})
	if store.CodeOf(err) != store.CodeConflict || !strings.Contains(err.Error(), "test.yaml:4: policy-binding team-b, metadata.name") {
		t.Errorf("got %v", err)
	}
}

func TestApply_OfASourceLeavesEditsAloneUntilItsTextChanges(t *testing.T) {
	db := storetest.Open(t)
	source := manifest.ApplyOptions{Source: "/etc/relay/conf.d"}
	window := func(n int) []manifest.Document {
		return read(t, doc("Model", "m", fmt.Sprintf("{contextWindow: %d}", n)))
	}
	edit := func(n int64) {
		_, err := db.Write(func(e *store.Edit) error {
			m := *e.Catalog().Models.ByName("m")
			m.Spec.ContextWindow = n
			return e.Put(&m)
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	want(t, apply(t, db, window(5), source), "create model m")
	edit(9)
	want(t, apply(t, db, window(5), source), "drift model m spec.contextWindow")
	want(t, apply(t, db, window(7), source), "update model m spec.contextWindow")
	edit(8)
	want(t, apply(t, db, window(8), source), "unchanged model m")
	edit(9)
	want(t, apply(t, db, window(8), source), "drift model m spec.contextWindow")
	want(t, apply(t, db, window(8), manifest.ApplyOptions{Source: source.Source, Force: true}), "update model m spec.contextWindow")
	edit(9)
	want(t, apply(t, db, window(8), manifest.ApplyOptions{}), "update model m spec.contextWindow")
}

func TestApply_KeepsAnOwnerThatTheDocumentDoesNotGive(t *testing.T) {
	db := storetest.Open(t)
	apply(t, db, read(t, "apiVersion: relay/v1\nkind: RateLimit\nmetadata: {name: control-api, owner: {kind: system}}\nspec: {enabled: false}"), manifest.ApplyOptions{})
	want(t, apply(t, db, read(t, doc("RateLimit", "control-api", "{enabled: false, per: [key]}")), manifest.ApplyOptions{}), "update rate-limit control-api spec.per")
	if owner := db.Catalog().RateLimits.ByName("control-api").Metadata.Owner; owner == nil || owner.Kind != "system" {
		t.Errorf("owner %v", owner)
	}
}

func TestApply_LeavesARevokedKeyRevoked(t *testing.T) {
	db := storetest.Open(t)
	apply(t, db, mainJob(t), manifest.ApplyOptions{})
	_, err := db.Write(func(e *store.Edit) error {
		k := *e.Catalog().RelayKeys.ByName("chatbot-prod-1")
		k.Spec.RevokedAt, k.Spec.Prefix = &k.Metadata.CreatedAt, "sk-wr-abcdefgh"
		return e.Put(&k)
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range apply(t, db, mainJob(t), manifest.ApplyOptions{}) {
		if !strings.HasPrefix(line, "unchanged ") {
			t.Error(line)
		}
	}
	key := doc("RelayKey", "chatbot-prod-1", `{principal: "service-account:chatbot-prod", source: {kind: env, env: LONG}}`)
	want(t, apply(t, db, read(t, key), manifest.ApplyOptions{}), "update relay-key chatbot-prod-1 spec.keyHash spec.limits spec.prefix")
	if spec := db.Catalog().RelayKeys.ByName("chatbot-prod-1").Spec; spec.RevokedAt == nil || spec.Prefix != "" {
		t.Errorf("got %+v", spec)
	}
}

func TestApply_TakesDocumentsThatHaveTravelledAsJSON(t *testing.T) {
	sent, err := json.Marshal(mainJob(t))
	if err != nil {
		t.Fatal(err)
	}
	var docs []manifest.Document
	if err := json.Unmarshal(sent, &docs); err != nil {
		t.Fatal(err)
	}
	db := storetest.Open(t)
	apply(t, db, docs, manifest.ApplyOptions{})
	if db.Catalog().Policies.Len() != 3 {
		t.Errorf("%d policies", db.Catalog().Policies.Len())
	}
}

func TestCheck_LooksAtTheCatalogThatIsThere(t *testing.T) {
	db := storetest.Open(t)
	apply(t, db, mainJob(t), manifest.ApplyOptions{})
	if problems := manifest.Check(db.Catalog(), read(t, doc("Policy", "p", "{rateLimit: team-chat-rl}")), manifest.ApplyOptions{}, nil); len(problems) > 0 {
		t.Error(problems)
	}
	problems := manifest.Check(db.Catalog(), read(t, doc("HostBinding", "again", "{model: acme-chat, host: up}")), manifest.ApplyOptions{}, nil)
	if len(problems) != 1 || !strings.HasPrefix(problems[0].String(), "test.yaml:") {
		t.Errorf("got %v", problems)
	}
}

func TestLocate_FindsTheDocumentOfAProblem(t *testing.T) {
	docs := read(t, doc("Model", "M", "\n  aliases:\n    - a\n    - b"))
	located := manifest.Locate(docs, []store.Problem{
		{Kind: store.KindModel, Name: "m", Field: "spec.aliases[1]", Message: "x"},
		{Kind: store.KindModel, Name: "m", Field: "spec.tags", Message: "x"},
		{Kind: store.KindHost, Name: "m", Field: "spec.auth", Message: "x"},
	})
	want(t, []string{located[0].String(), located[1].String(), located[2].String()},
		"test.yaml:8: model M, spec.aliases[1]: x", "test.yaml:5: model M, spec.tags: x", "host m, spec.auth: x")
}
