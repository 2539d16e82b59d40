package manifest_test

import (
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"relay/store"
	"relay/store/manifest"
	"relay/store/storetest"
)

// filled answers for every variable that an example may name.
func filled(name string) (string, bool) { return "value-of-" + strings.ToLower(name), true }

func readExample(t *testing.T, path string) []manifest.Document {
	t.Helper()
	docs, problems := manifest.ReadPath(path, manifest.Options{LookupEnv: filled})
	for _, p := range problems {
		t.Fatal(p)
	}
	return docs
}

func exported(t *testing.T, c *store.Catalog) string {
	t.Helper()
	var text strings.Builder
	if err := manifest.Export(c, &text); err != nil {
		t.Fatal(err)
	}
	return text.String()
}

// hashes recognises every record of a catalog by kind, name and spec.
func hashes(t *testing.T, c *store.Catalog) map[string]string {
	t.Helper()
	found := map[string]string{}
	for _, kind := range store.Kinds() {
		for rec := range c.Of(kind).Each() {
			hash, err := store.NamedSpecHash(c, rec)
			if err != nil {
				t.Fatal(err)
			}
			found[string(kind)+" "+rec.Meta().Name] = hash
		}
	}
	return found
}

// withRoles is a database with the roles that first boot makes.
func withRoles(t *testing.T) *store.DB {
	t.Helper()
	db := storetest.Open(t)
	_, err := db.Write(func(e *store.Edit) error {
		for _, role := range store.BuiltinRoles() {
			if err := e.Put(role); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return db
}

func roundTrip(t *testing.T, path string) *store.Catalog {
	t.Helper()
	docs := readExample(t, path)
	first, second := withRoles(t), withRoles(t)
	apply(t, first, docs, manifest.ApplyOptions{Source: "test"})
	text := exported(t, first.Catalog())
	copied, problems := manifest.Read(strings.NewReader(text), "export", manifest.Options{LookupEnv: filled})
	for _, p := range problems {
		t.Fatal(p)
	}
	apply(t, second, copied, manifest.ApplyOptions{Source: "test"})
	if diff := cmp.Diff(text, exported(t, second.Catalog())); diff != "" {
		t.Errorf("%s: the copy exports otherwise (-first +copy):\n%s", path, diff)
	}
	if diff := cmp.Diff(hashes(t, first.Catalog()), hashes(t, second.Catalog())); diff != "" {
		t.Errorf("%s: the catalogs differ (-first +copy):\n%s", path, diff)
	}
	for _, line := range apply(t, first, docs, manifest.ApplyOptions{Source: "test"}) {
		if !strings.HasPrefix(line, "unchanged ") {
			t.Errorf("%s applied again: %s", path, line)
		}
	}
	return first.Catalog()
}

func TestExample_HoldsEveryKindAndSurvivesExportAndApply(t *testing.T) {
	c := roundTrip(t, testdata+"example.yaml")
	for _, kind := range store.Kinds() {
		ours := 0
		for rec := range c.Of(kind).Each() {
			if rec.Meta().Origin != nil {
				ours++
			}
		}
		if ours == 0 {
			t.Errorf("no %s is in the example", kind)
		}
	}
}

// The file is outside of the repository. .ci/run names it in RELAY_EXAMPLE;
// without that the one of the repository is all that is tried.
func TestExample_OfRELAY_EXAMPLESurvivesExportAndApplyToo(t *testing.T) {
	path := os.Getenv("RELAY_EXAMPLE")
	if path == "" {
		path = testdata + "main-job.yaml"
		t.Log("RELAY_EXAMPLE is not set: main-job.yaml stands in for it")
	}
	roundTrip(t, path)
}
