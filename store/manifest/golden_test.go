package manifest_test

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"relay/store"
	"relay/store/manifest"
)

var update = flag.Bool("update", false, "write the golden files anew")

const testdata = "../../testdata/manifest/"

// environment is what the manifests of the tests may refer to.
func environment(name string) (string, bool) {
	value, set := map[string]string{
		"CHATBOT_KEY": "sk-former-gateway-0123456789",
		"LONG":        "0123456789abcdef",
		"SHORT":       "0123456789abcde",
		"URL":         "https://up.example/v1",
		"ODD":         "a: $b #c\n'd' \"e\" ${LONG}",
		"NUMBER":      "128000",
		"TRUE":        "true",
		"WINDOW":      "1m",
		"EMPTY":       "",
	}[name]
	return value, set
}

func options() manifest.Options { return manifest.Options{LookupEnv: environment} }

func wantGolden(t *testing.T, path, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", path, diff)
	}
}

// problemsOf reads a manifest as relay validate does: what its documents tell by
// themselves, and what they tell together.
func problemsOf(path string) []manifest.FileProblem {
	docs, problems := manifest.ReadPath(path, options())
	return manifest.Check(store.NewCatalog(), docs, manifest.ApplyOptions{}, problems)
}

func TestBadManifests_AreRefusedWithFileLineAndWhatToWrite(t *testing.T) {
	paths, err := filepath.Glob(testdata + "*.bad.yaml")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no manifests: %v", err)
	}
	for _, path := range paths {
		t.Run(filepath.Base(path), func(t *testing.T) {
			var lines strings.Builder
			for _, p := range problemsOf(path) {
				lines.WriteString(strings.ReplaceAll(p.String(), testdata, "") + "\n")
			}
			if lines.Len() == 0 {
				t.Fatal("no problem found")
			}
			if strings.Contains(lines.String(), "hunter2") {
				t.Error("a secret is repeated")
			}
			wantGolden(t, strings.TrimSuffix(path, ".yaml")+".golden", lines.String())
		})
	}
}

func TestMainJob_IsRightOnAnEmptyDatabase(t *testing.T) {
	for _, p := range problemsOf(testdata + "main-job.yaml") {
		t.Error(p)
	}
}
