package catalogdata_test

import (
	"slices"
	"strings"
	"testing"

	"relay/store/catalogdata"
)

func TestEnvKeys_ComeInTheOrderOfTheHostsAndBelongToOneEach(t *testing.T) {
	keys := load(t).EnvKeys()
	first := []catalogdata.EnvKey{
		{Env: "OPENAI_API_KEY", Host: "openai"}, {Env: "ANTHROPIC_API_KEY", Host: "anthropic"},
		{Env: "GEMINI_API_KEY", Host: "google"}, {Env: "GOOGLE_API_KEY", Host: "google"},
	}
	if len(keys) < len(first) || !slices.Equal(keys[:len(first)], first) {
		t.Errorf("got %v first, want %v", keys[:min(len(keys), len(first))], first)
	}
	seen := map[string]bool{}
	for _, key := range keys {
		if seen[key.Env] {
			t.Errorf("%s is listed twice", key.Env)
		}
		seen[key.Env] = true
	}
}

func TestEnvKeys_LeaveOutWhatPlatformsSetByThemselvesAndWhatIsNoKey(t *testing.T) {
	for _, key := range load(t).EnvKeys() {
		if slices.Contains([]string{"GITHUB_TOKEN", "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_REGION", "AZURE_RESOURCE_NAME", "GOOGLE_APPLICATION_CREDENTIALS", "OLLAMA_HOST"}, key.Env) {
			t.Errorf("%s is taken for a key of %s", key.Env, key.Host)
		}
	}
}

func TestPlaceholders_AreNamedOnce(t *testing.T) {
	vertex, _ := load(t).Host("vertex")
	if got := catalogdata.Placeholders(vertex.URL); !slices.Equal(got, []string{"location", "project"}) {
		t.Errorf("got %v", got)
	}
	if got := catalogdata.Placeholders("https://api.openai.com/v1"); len(got) != 0 {
		t.Errorf("got %v", got)
	}
}

func TestFill_PutsValuesInTheirPlaces(t *testing.T) {
	vertex, found := load(t).Host("vertex")
	if !found {
		t.Fatal("no host vertex")
	}
	got, err := catalogdata.Fill(vertex.URL, map[string]string{"location": "europe-west4", "project": "lab-7"})
	want := "https://europe-west4-aiplatform.googleapis.com/v1/projects/lab-7/locations/europe-west4/publishers/google"
	if got != want || err != nil {
		t.Errorf("got %s, %v; want %s", got, err, want)
	}
	if got, err := catalogdata.Fill("https://api.openai.com/v1", nil); got != "https://api.openai.com/v1" || err != nil {
		t.Errorf("got %s, %v for a URL without placeholders", got, err)
	}
}

func TestFill_RefusesWhatWouldLeadTheKeyElsewhere(t *testing.T) {
	const azure = "https://{resource}.openai.azure.com/openai/v1"
	for _, value := range []string{"", "evil.example/", "evil.example#", "user@evil", "a.b", "-a", "a-", "a b", "{resource}", strings.Repeat("a", 64)} {
		if got, err := catalogdata.Fill(azure, map[string]string{"resource": value}); err == nil || got != "" {
			t.Errorf("%q gives %s", value, got)
		}
	}
	if _, err := catalogdata.Fill(azure, map[string]string{"resource": "lab", "region": "eu"}); err == nil || !strings.Contains(err.Error(), "region has no place in") {
		t.Errorf("a value without a place: %v", err)
	}
}

func TestHost_IsFoundByName(t *testing.T) {
	data := load(t)
	if h, found := data.Host("azure"); !found || h.Values["resource"] != "AZURE_RESOURCE_NAME" {
		t.Errorf("azure: %+v, %t", h, found)
	}
	if h, found := data.Host("nobody"); found {
		t.Errorf("nobody: %+v", h)
	}
}
