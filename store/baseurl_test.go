package store_test

import (
	"net/netip"
	"slices"
	"testing"

	"relay/store"
)

func TestNormalizeBaseURL_TakesPathsOfCallsAway(t *testing.T) {
	for pasted, want := range map[string]string{
		"https://api.openai.com/v1":                               "https://api.openai.com/v1",
		" https://api.openai.com/v1/ ":                            "https://api.openai.com/v1",
		"https://API.OpenAI.com/v1/chat/completions":              "https://api.openai.com/v1",
		"HTTPS://api.anthropic.com/v1/messages/":                  "https://api.anthropic.com/v1",
		"https://api.openai.com/v1/responses":                     "https://api.openai.com/v1",
		"https://api.openai.com/v1/models":                        "https://api.openai.com/v1",
		"http://127.0.0.1:11434/api/chat":                         "http://127.0.0.1:11434",
		"http://127.0.0.1:11434//":                                "http://127.0.0.1:11434",
		"https://a.example/Path/embeddings":                       "https://a.example/Path",
		"https://{resource}.openai.azure.com/openai/v1":           "https://{resource}.openai.azure.com/openai/v1",
		"https://generativelanguage.googleapis.com/v1beta":        "https://generativelanguage.googleapis.com/v1beta",
		"https://generativelanguage.googleapis.com/v1beta/models": "https://generativelanguage.googleapis.com/v1beta",
		"not a url": "not a url",
	} {
		got, note := store.NormalizeBaseURL(pasted)
		if got != want {
			t.Errorf("%q: %q, want %q", pasted, got, want)
		}
		if (note == "") != (got == pasted) {
			t.Errorf("%q: note %q", pasted, note)
		}
		if again, note := store.NormalizeBaseURL(got); again != got || note != "" {
			t.Errorf("%q changes again to %q", got, again)
		}
	}
}

func TestBaseURLPlaceholders_FindsWhatIsAskedForOnConnecting(t *testing.T) {
	got := store.BaseURLPlaceholders("https://{location}.example/{project}/{other}")
	if !slices.Equal(got, []string{"location", "project"}) {
		t.Errorf("got %v", got)
	}
}

func TestPrivateAddress_KnowsWhatTheInternetDoesNotRoute(t *testing.T) {
	for text, want := range map[string]bool{
		"127.0.0.1": true, "::1": true, "10.1.2.3": true, "172.16.0.1": true, "192.168.0.1": true, "100.64.0.1": true,
		"fd12::1": true, "::ffff:10.0.0.1": true, "64:ff9b::a00:1": true, "8.8.8.8": false, "2001:4860::8888": false, "64:ff9b::808:808": false,
	} {
		if got := store.PrivateAddress(netip.MustParseAddr(text)); got != want {
			t.Errorf("%s: %v", text, got)
		}
	}
}

func TestForbiddenAddress_LeavesLoopbackAndPrivateRangesAlone(t *testing.T) {
	for _, text := range []string{"127.0.0.1", "::1", "10.0.0.1", "192.168.1.1", "fd00::1", "8.8.8.8", "64:ff9b::808:808"} {
		if why := store.ForbiddenAddress(netip.MustParseAddr(text)); why != "" {
			t.Errorf("%s %s", text, why)
		}
	}
	if store.ForbiddenAddress(netip.MustParseAddr("fe80::1%eth0")) == "" {
		t.Error("a zone hides a link-local address")
	}
}

func TestFillBaseURL_PutsValuesWhereTheyBelong(t *testing.T) {
	got := store.FillBaseURL("https://{location}.example/{project}/{other}", map[string]string{"location": "eu", "other": "x"})
	if want := "https://eu.example/{project}/{other}"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
