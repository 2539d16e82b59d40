package foreign_test

import (
	"flag"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"relay/store/foreign"
)

var update = flag.Bool("update", false, "write the golden files anew")

const testdata = "../../testdata/import/"

// environment is where the configurations of the tests are read.
func environment(name string) (string, bool) {
	value, set := map[string]string{"LAB_BASE": "https://lab.example/v1/"}[name]
	return value, set
}

func options() foreign.Options { return foreign.Options{LookupEnv: environment} }

func open(t *testing.T, name string) io.Reader {
	t.Helper()
	if name == "" {
		return nil
	}
	file, err := os.Open(testdata + name)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { file.Close() })
	return file
}

func wantGolden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join(testdata, name)
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

// source is a configuration under testdata and how it is read.
type source struct {
	name string
	read func(t *testing.T) (*foreign.Result, error)
}

func sources() []source {
	lite := func(config, keys string) func(t *testing.T) (*foreign.Result, error) {
		return func(t *testing.T) (*foreign.Result, error) {
			return foreign.LiteLLM(open(t, config), open(t, keys), options())
		}
	}
	return []source{
		{"litellm-routes", lite("litellm-routes.yaml", "")},
		{"litellm-limits", lite("litellm-limits.yaml", "")},
		{"litellm-keys", lite("litellm-keys.yaml", "litellm-keys.csv")},
		{"one-api", func(t *testing.T) (*foreign.Result, error) {
			return foreign.OneAPI([]io.Reader{open(t, "one-api.json")}, options())
		}},
		{"new-api", func(t *testing.T) (*foreign.Result, error) {
			return foreign.NewAPI([]io.Reader{open(t, "new-api.sql")}, options())
		}},
	}
}

func manifests(t *testing.T, r *foreign.Result) string {
	t.Helper()
	var out strings.Builder
	if err := r.WriteManifests(&out); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func report(r *foreign.Result) string {
	var out strings.Builder
	for _, row := range r.Report.Rows() {
		out.WriteString(string(row.Outcome) + " | " + row.What() + " | " + row.Note + "\n")
	}
	return out.String()
}

func TestImport_WritesTheGoldenManifestsAndReports(t *testing.T) {
	for _, s := range sources() {
		t.Run(s.name, func(t *testing.T) {
			r, err := s.read(t)
			if err != nil {
				t.Fatal(err)
			}
			wantGolden(t, s.name+".golden.yaml", manifests(t, r))
			wantGolden(t, s.name+".golden.txt", report(r))
		})
	}
}
