package admin_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"

	"relay/admin"
	"relay/store/manifest"
	"relay/store/storetest"
)

const manifests = `
apiVersion: relay/v1
kind: Policy
metadata: {name: chat}
spec: {rateLimit: chat-rl}
---
apiVersion: relay/v1
kind: RateLimit
metadata: {name: chat-rl}
spec: {rules: [{meter: requests, amount: 60, window: 1m, strategy: sliding-window}]}
`

func documents(t *testing.T, text string) []manifest.Document {
	t.Helper()
	docs, problems := manifest.Read(strings.NewReader(text), "test.yaml", manifest.Options{})
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	return docs
}

func TestApply_WritesAllDocumentsOnceAndThenNothing(t *testing.T) {
	ctx, f := context.Background(), start(t)
	c, before := f.client(), f.db.Catalog().Generation
	in := admin.ApplyRequest{Documents: documents(t, manifests)}

	in.DryRun = true
	tried, err := c.Apply(ctx, in, 0)
	if err != nil || f.db.Catalog().Generation != before || len(tried.Changes) != 2 || tried.Changes[0].Action != manifest.ActionCreate {
		t.Fatalf("dry run: %+v, %v", tried, err)
	}
	in.DryRun = false
	applied, err := c.Apply(ctx, in, before)
	if err != nil || applied.Generation != before+1 || f.db.Catalog().Policies.ByName("chat") == nil {
		t.Fatalf("apply: %+v, %v", applied, err)
	}
	again, err := c.Apply(ctx, in, 0)
	if err != nil || again.Generation != before+1 || again.Changes[0].Action != manifest.ActionUnchanged {
		t.Errorf("again: %+v, %v", again, err)
	}
	var refused *admin.Problem
	if _, err := c.Apply(ctx, in, before); !errors.As(err, &refused) || refused.Status != http.StatusPreconditionFailed {
		t.Errorf("on an older catalog: %v", err)
	}
}

func TestApply_RefusesAllForOneAndNamesThePlace(t *testing.T) {
	ctx, f := context.Background(), start(t)
	before := f.db.Catalog().Generation
	broken := strings.Replace(manifests, "rateLimit: chat-rl", "rateLimit: nowhere", 1)
	for _, dryRun := range []bool{true, false} {
		var refused *admin.Problem
		_, err := f.client().Apply(ctx, admin.ApplyRequest{Documents: documents(t, broken), DryRun: dryRun}, 0)
		if !errors.As(err, &refused) || refused.Status != http.StatusUnprocessableEntity || refused.Errors[0].Name != "chat" {
			t.Errorf("dry run %v: %v", dryRun, err)
		}
	}
	if after := f.db.Catalog().Generation; after != before {
		t.Errorf("generation %d, want %d", after, before)
	}
	f.send("POST", "/api/apply", `{"documents":[{"kind":"rate-limit","metadata":{"name":"x","nope":1},"spec":{}}]}`).
		want(http.StatusBadRequest).holds("documents[0].metadata.nope")
}

func TestApply_PrunesNothingThatAlwaysExists(t *testing.T) {
	ctx, f := context.Background(), start(t)
	if err := admin.EnsureRoles(f.db); err != nil {
		t.Fatal(err)
	}
	const text = "apiVersion: relay/v1\nkind: Role\nmetadata: {name: viewer, labels: {app: x}}\nspec: {rules: [{kinds: [policies], verbs: [get]}]}\n"
	if _, err := f.client().Apply(ctx, admin.ApplyRequest{Documents: documents(t, text), Source: "test"}, 0); err != nil {
		t.Fatal(err)
	}
	prune := admin.ApplyRequest{Documents: documents(t, manifests), Source: "test", Prune: map[string]string{"app": "x"}}
	var refused *admin.Problem
	if _, err := f.client().Apply(ctx, prune, 0); !errors.As(err, &refused) || refused.Status != http.StatusConflict || f.db.Catalog().Roles.ByName("viewer") == nil {
		t.Errorf("a role that always exists was pruned: %v", err)
	}
}

func TestApply_TellsAllThatIsWrongWithWhatWasNotReadToo(t *testing.T) {
	ctx, f := context.Background(), start(t)
	docs, problems := manifest.Read(strings.NewReader(manifests+"---\napiVersion: relay/v1\nkind: Policy\nmetadata: {name: other}\nspec: {rateLimit: nowhere, rateLimitt: x}\n---\napiVersion: relay/v1\nkind: Policy\nmetadata: {name: third}\nspec: {rateLimit: nowhere}\n"), "test.yaml", manifest.Options{})
	before := f.db.Catalog().Generation
	var refused *admin.Problem
	_, err := f.client().Apply(ctx, admin.ApplyRequest{Documents: docs, Unread: problems}, 0)
	if !errors.As(err, &refused) || refused.Status != http.StatusBadRequest || len(refused.Errors) != 2 {
		t.Fatalf("got %v", err)
	}
	if !strings.HasPrefix(refused.Errors[0].Message, "test.yaml:15: ") || refused.Errors[1].Name != "third" || f.db.Catalog().Generation != before {
		t.Errorf("got %+v", refused.Errors)
	}
}

func TestExport_AppliedToAnEmptyDatabaseMakesAnEqualCatalog(t *testing.T) {
	ctx, f := context.Background(), start(t)
	for _, s := range specimens {
		f.create(s.kind, `{"metadata":{"name":"`+s.name+`"},"spec":`+s.spec+`}`)
	}
	f.send("POST", "/api/relay-keys", `{"metadata":{"name":"k"},"spec":{}}`).want(http.StatusCreated)
	exported := f.send("GET", "/api/export", "").want(200)
	if got := exported.header.Get("Content-Type"); got != "application/yaml" {
		t.Errorf("Content-Type %q", got)
	}
	empty := storetest.Open(t)
	client := admin.NewLocalClient(admin.New(admin.Options{DB: empty}))
	if _, err := client.Apply(ctx, admin.ApplyRequest{Documents: documents(t, exported.text)}, 0); err != nil {
		t.Fatal(err)
	}
	again, err := client.Export(ctx)
	if err != nil || string(again) != exported.text {
		t.Errorf("the export of the copy differs: %v\n%s\n---\n%s", err, again, exported.text)
	}
}
