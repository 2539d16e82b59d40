package store_test

import (
	"encoding/json"
	"strings"
	"testing"

	"relay/store"
)

// recordOf makes a record from "kind name {spec as JSON}", or with metadata and
// spec from "kind {"metadata": …, "spec": …}".
func recordOf(t *testing.T, text string) store.AnyRecord {
	t.Helper()
	kind, rest, _ := strings.Cut(text, " ")
	table := new(store.Catalog).Of(store.Kind(kind))
	if table == nil {
		t.Fatalf("no kind %q", kind)
	}
	rec := table.New()
	into, name, spec := any(rec), "", rest
	if !strings.HasPrefix(rest, "{") {
		name, spec, _ = strings.Cut(rest, " ")
		into = rec.SpecValue()
	}
	if err := json.Unmarshal([]byte(spec), into); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	if name != "" {
		rec.Meta().Name = name
	}
	return rec
}

// catalogOf puts records, written as recordOf reads them with names in their
// references, into a catalog.
func catalogOf(t *testing.T, texts ...string) *store.Catalog {
	t.Helper()
	draft := store.NewDraft(store.NewCatalog())
	for _, text := range texts {
		rec := recordOf(t, text)
		for _, p := range store.ResolveRefs(draft.Catalog(), rec) {
			t.Fatalf("%s: %s", text, p)
		}
		if err := draft.Put(rec); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
	}
	return draft.Catalog()
}

// wantProblems compares problems with what is wanted, in order: each "field"
// followed by a part of the message.
func wantProblems(t *testing.T, got []store.Problem, want ...string) {
	t.Helper()
	for i, p := range got {
		if i >= len(want) {
			t.Errorf("unexpected problem: %s", p)
			continue
		}
		field, message, _ := strings.Cut(want[i], " ")
		if p.Field != field || !strings.Contains(p.Message, message) {
			t.Errorf("problem %d is %q, want field %s and a message with %q", i, p, field, message)
		}
	}
	for i := len(got); i < len(want); i++ {
		t.Errorf("missing problem: %s", want[i])
	}
}

func idOf(t *testing.T, c *store.Catalog, kind store.Kind, name string) string {
	t.Helper()
	rec := c.Of(kind).FindByName(name)
	if rec == nil {
		t.Fatalf("no %s named %s", kind, name)
	}
	return rec.Meta().ID
}
