package foreign_test

import (
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"testing"

	"relay/store"
	"relay/store/catalogdata"
	"relay/store/foreign"
	"relay/store/manifest"
)

const oneModel = "model_list:\n- {model_name: m, litellm_params: {model: openai/gpt-4o}}\n"

func liteLLM(config string) (*foreign.Result, error) {
	return foreign.LiteLLM(strings.NewReader(config), nil, foreign.Options{})
}

func TestLiteLLM_RefusesWhatIsNoConfiguration(t *testing.T) {
	bomb := "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n"
	for i := 1; i < 12; i++ {
		ref := fmt.Sprintf("*a%d", i-1)
		bomb += fmt.Sprintf("a%d: &a%d [%s]\n", i, i, strings.Join(slices.Repeat([]string{ref}, 10), ", "))
	}
	for name, config := range map[string]string{
		"nothing":             "",
		"a list":              "- a\n- b\n",
		"no YAML":             "model_list: [",
		"ten megabytes":       oneModel + "x: " + strings.Repeat("y", 10<<20),
		"a bomb of anchors":   oneModel + bomb,
		"an anchor in itself": "a: &a [*a]\n" + oneModel,
		"a merge of itself":   "a: &a {<<: *a}\n" + oneModel,
		"deep nesting":        "a: " + strings.Repeat("[", 5000) + strings.Repeat("]", 5000),
		"no models":           "model_list: []\n",
		"models that are not": "model_list: [1, null, [], {model_name: x}, {litellm_params: 5}]\n",
		"aliases in a circle": oneModel + "router_settings: {model_group_alias: {a: b, b: c, c: a}}\n",
	} {
		if r, err := liteLLM(config); err == nil {
			t.Errorf("%s: taken as %+v", name, r.Records)
		}
	}
}

func TestLiteLLM_CutsFallbacksThatGoRoundInACircle(t *testing.T) {
	const models = 5000
	var config strings.Builder
	config.WriteString("model_list:\n")
	for i := range models {
		fmt.Fprintf(&config, "- {model_name: m%d, litellm_params: {model: openai/x%d}}\n", i, i)
	}
	config.WriteString("litellm_settings:\n  fallbacks:\n")
	for i := range models {
		fmt.Fprintf(&config, "  - {m%d: [m%d, m%d]}\n", i, i, (i+1)%models)
	}
	r, err := liteLLM(config.String())
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range r.Report.Rows() {
		if row.Outcome == foreign.Unsupported && row.What() == fmt.Sprintf("fallbacks m%d", models-1) && strings.Contains(row.Note, "the circle is cut here") {
			return
		}
	}
	t.Error("nothing tells where the circle is cut")
}

func TestImport_NoSecretLeavesTheConfiguration(t *testing.T) {
	secrets := []string{
		"sk-ant-literal", "secret-password", "lf-secret", "sk-master-0123456789", "sk-openai-literal", "sk-reseller-", "azure-literal", "AKIA",
		"bcdefghijklmnopqrstuvwxyz0123456789", "sk-deepseek-literal", "sk-proxy-literal", "gemini-literal",
	}
	for _, s := range sources() {
		r, err := s.read(t)
		if err != nil {
			t.Fatal(err)
		}
		text := manifests(t, r) + report(r)
		for _, secret := range secrets {
			if strings.Contains(text, secret) {
				t.Errorf("%s tells %s", s.name, secret)
			}
		}
		for name := range r.Secrets {
			if !strings.Contains(text, "env: "+manifest.VariableFor(name)+", insteadOf: stored") {
				t.Errorf("%s: nothing stands for the value of %s", s.name, name)
			}
		}
	}
}

// shipped is the catalog of a new database.
func shipped(t *testing.T) *store.Catalog {
	t.Helper()
	data, err := catalogdata.Load()
	if err != nil {
		t.Fatal(err)
	}
	draft := store.NewDraft(store.NewCatalog())
	if _, err := data.Apply(draft); err != nil {
		t.Fatal(err)
	}
	return draft.Catalog()
}

func TestImport_ManifestsAreRightForAnEmptyDatabase(t *testing.T) {
	base := shipped(t)
	for _, s := range sources() {
		r, err := s.read(t)
		if err != nil {
			t.Fatal(err)
		}
		docs, problems := manifest.Read(strings.NewReader(manifests(t, r)), s.name, manifest.Options{})
		for _, p := range manifest.Check(base, docs, manifest.ApplyOptions{}, problems) {
			t.Error(p)
		}
	}
}

// once are options with a catalogue that is read once.
func once(f *testing.F) foreign.Options {
	data, err := catalogdata.Load()
	if err != nil {
		f.Fatal(err)
	}
	return foreign.Options{Catalogue: data}
}

func FuzzLiteLLM(f *testing.F) {
	o := once(f)
	for _, name := range []string{"litellm-routes.yaml", "litellm-limits.yaml", "litellm-keys.yaml"} {
		text, err := os.ReadFile(testdata + name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(text), "token,models\n")
	}
	f.Add(oneModel, `[{"token":"x","team_id":"t","models":["m"],"max_budget":"1e400"}]`)
	f.Fuzz(func(t *testing.T, config, keys string) {
		r, err := foreign.LiteLLM(strings.NewReader(config), strings.NewReader(keys), o)
		if err == nil {
			readsBack(t, r)
		}
	})
}

func FuzzNewAPI(f *testing.F) {
	o := once(f)
	for _, name := range []string{"one-api.json", "new-api.sql"} {
		text, err := os.ReadFile(testdata + name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(text))
	}
	f.Add("INSERT INTO channels (id,key,models,type) VALUES (1,'a''b\\'c','m',1);")
	f.Fuzz(func(t *testing.T, export string) {
		r, err := foreign.NewAPI([]io.Reader{strings.NewReader(export)}, o)
		if err == nil {
			readsBack(t, r)
		}
	})
}

// readsBack checks that manifests are such.
func readsBack(t *testing.T, r *foreign.Result) {
	t.Helper()
	var out strings.Builder
	if err := r.WriteManifests(&out); err != nil {
		t.Fatal(err)
	}
	if _, problems := manifest.Read(strings.NewReader(out.String()), "fuzz", manifest.Options{}); len(problems) > 0 {
		t.Fatalf("%v\n%s", problems, out.String())
	}
}
