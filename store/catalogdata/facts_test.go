package catalogdata_test

import (
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"relay/store"
	"relay/store/catalogdata"
)

// facts is the file that the catalogue was written from, which is no part of
// the repository.
type facts struct {
	Schema string      `yaml:"schema"`
	Hosts  []factHost  `yaml:"hosts"`
	Models []factModel `yaml:"models"`
}

type factHost struct {
	ID      string            `yaml:"id"`
	BaseURL string            `yaml:"base_url"`
	Shapes  []string          `yaml:"shapes"`
	Auth    string            `yaml:"auth"`
	Headers map[string]string `yaml:"fixed_headers"`
	Env     []string          `yaml:"env"`
	Pricing string            `yaml:"pricing_page"`
	Source  string            `yaml:"source"`
}

type factModel struct {
	Model        string               `yaml:"model"`
	Host         string               `yaml:"host"`
	Name         string               `yaml:"name"`
	Kind         string               `yaml:"kind"`
	Released     string               `yaml:"released"`
	Context      int64                `yaml:"context"`
	MaxOutput    int64                `yaml:"max_output"`
	Input        []string             `yaml:"input"`
	Capabilities []string             `yaml:"capabilities"`
	Price        map[string]*string   `yaml:"price"`
	Tier         map[string]*string   `yaml:"tier"`
	Changes      []map[string]*string `yaml:"price_changes"`
	Source       struct {
		From    string            `yaml:"from"`
		Date    string            `yaml:"date"`
		Agree   []string          `yaml:"agree"`
		Differs map[string]string `yaml:"differs"`
	} `yaml:"source"`
}

// today is the day for which the facts give their prices.
const today = "2026-11-29"

// elsewhere lists what the catalogue says otherwise than the facts, and why.
type elsewhere struct {
	url   string   // appended: the facts give the base of a shape that Relay does not speak
	split string   // the host that has the shapes which lie at another base
	unfit []string // shapes that are none of Relay's
	other []string // variables that hold no key of this host
}

func departures() map[string]elsewhere {
	return map[string]elsewhere{
		"google":   {split: "google-openai"},
		"deepseek": {split: "deepseek-anthropic"},
		"minimax":  {split: "minimax-openai"},
		"ollama":   {other: []string{"OLLAMA_HOST"}}, // an address, and mostly the one to listen on
		"lmstudio": {other: []string{"LMSTUDIO_API_KEY"}},
		"bedrock":  {url: "/openai/v1", unfit: []string{"bedrock-converse"}, other: []string{"AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"}},
		"vertex":   {other: []string{"GOOGLE_APPLICATION_CREDENTIALS"}}, // the path of a service account, which Relay cannot sign with
	}
}

// auths writes the facts' words in Relay's.
func auths() map[string]string {
	return map[string]string{
		"bearer": "bearer", "header x-api-key": "x-api-key", "header x-goog-api-key": "x-goog-api-key", "none": "none",
		"header api-key": "header:api-key", "bearer or none": "none",
		"SigV4, or bearer with AWS_BEARER_TOKEN_BEDROCK": "bearer", "OAuth2 bearer from a service account": "bearer",
	}
}

func sources() map[string]string {
	return map[string]string{"G": "genai-prices", "M": "models.dev", "L": "litellm"}
}

// The file is outside of the repository. .ci/run names it in RELAY_FACTS;
// without that only what holds for every catalogue is checked.
func TestFacts_AreRepeatedIfRELAY_FACTSNamesTheirFileElseInvariantsHold(t *testing.T) {
	data := load(t)
	checkInvariants(t, data)
	path := os.Getenv("RELAY_FACTS")
	if path == "" {
		t.Log("RELAY_FACTS is not set: numbers are not compared")
		return
	}
	f := readFacts(t, path)
	for _, want := range f.Hosts {
		t.Run("host "+want.ID, func(t *testing.T) { want.compare(t, data) })
	}
	checkRows(t, f, data)
	for _, want := range f.Models {
		if leftOut()[want.row()] == "" {
			t.Run("model "+want.row(), func(t *testing.T) { want.compare(t, f, data) })
		}
	}
	t.Logf("compared %d hosts and %d rows", len(f.Hosts), len(f.Models))
}

func readFacts(t *testing.T, path string) facts {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var f facts
	if err := yaml.Unmarshal(text, &f); err != nil {
		t.Fatal(err)
	}
	if f.Schema != "facts-1" || len(f.Hosts) == 0 || len(f.Models) == 0 {
		t.Fatalf("%s has schema %q, %d hosts, %d models", path, f.Schema, len(f.Hosts), len(f.Models))
	}
	return f
}

func (want factHost) compare(t *testing.T, data *catalogdata.Data) {
	got, found := data.Host(want.ID)
	if !found {
		t.Fatal("is not in the catalogue")
	}
	but := departures()[want.ID]
	if got.URL != want.BaseURL+but.url {
		t.Errorf("url %s, want %s", got.URL, want.BaseURL+but.url)
	}
	if got.Auth != auths()[want.Auth] {
		t.Errorf("auth %q, want what the facts call %q", got.Auth, want.Auth)
	}
	if got.Pricing != want.Pricing {
		t.Errorf("pricing page %q, want %q", got.Pricing, want.Pricing)
	}
	if strings.Contains(want.Source, "not confirmed") && !got.Unverified {
		t.Error("is not marked as unverified")
	}
	delete(want.Headers, "anthropic-version") // the gateway's, where a caller gives none
	if !maps.Equal(got.Headers, want.Headers) {
		t.Errorf("headers %v, want %v", got.Headers, want.Headers)
	}
	want.compareShapes(t, got, data)
	variables := slices.Concat(got.Keys, got.Ambient, slices.Collect(maps.Values(got.Values)), but.other)
	for _, env := range want.Env {
		if !slices.Contains(variables, env) {
			t.Errorf("variable %s is not in %v", env, variables)
		}
	}
}

func (want factHost) compareShapes(t *testing.T, got catalogdata.Host, data *catalogdata.Data) {
	t.Helper()
	but := departures()[want.ID]
	shapes := slices.Clone(got.Shapes)
	if but.split != "" {
		part, found := data.Host(but.split)
		if !found || part.Auth == got.Auth && part.URL == got.URL {
			t.Errorf("host %s is not there or needless", but.split)
		}
		shapes = append(shapes, part.Shapes...)
	}
	for _, shape := range want.Shapes {
		if !slices.Contains(but.unfit, shape) && !slices.Contains(shapes, store.Shape(shape)) {
			t.Errorf("shape %s is not in %v", shape, shapes)
		}
	}
	if len(shapes) != len(want.Shapes) {
		t.Errorf("shapes %v, want %v", shapes, want.Shapes)
	}
}

// can writes the facts' capabilities in Relay's. A price for cached input tells
// of a prompt cache.
func (want factModel) can() []string {
	if want.Kind == "embedding" {
		return []string{"embeddings"}
	}
	can := []string{"chat"}
	for _, one := range []struct {
		name  string
		given bool
	}{
		{"tools", slices.Contains(want.Capabilities, "tool_call")},
		{"vision", slices.Contains(want.Input, "image")},
		{"reasoning", slices.Contains(want.Capabilities, "reasoning")},
		{"structuredOutputs", slices.Contains(want.Capabilities, "structured_output")},
		{"promptCache", want.Price["cached_input"] != nil},
	} {
		if one.given {
			can = append(can, one.name)
		}
	}
	return can
}
