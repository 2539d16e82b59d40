package cmd_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"relay/store/catalogdata"
)

// catalogueServer serves a catalogue, and what must not be taken for one.
func catalogueServer(t *testing.T) *httptest.Server {
	t.Helper()
	text, err := release(t, "9", "9000").Text()
	if err != nil {
		t.Fatal(err)
	}
	mux := http.NewServeMux()
	mux.HandleFunc("/catalog.yaml", func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(text) })
	mux.HandleFunc("/large", func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte(strings.Repeat("#", catalogdata.MaxText+10)))
	})
	mux.HandleFunc("/away", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "http://prices.example/catalog.yaml", http.StatusFound)
	})
	mux.HandleFunc("/round", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/round", http.StatusFound) })
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	return server
}

func TestCatalogUpdate_TakesACatalogueFromAURLAndKeepsNothingSecretOfIt(t *testing.T) {
	server, work := catalogueServer(t), dataDir(t)
	env := map[string]string{"HOME": work, "RELAY_DATA_DIR": work + "/data", "RELAY_DISCOVER": "false"}
	got := run(t.Context(), "", env, "catalog", "update", server.URL+"/catalog.yaml?token=canary")
	if got.code != 0 || !strings.Contains(got.stderr, "Took release 9 of 2026-11-01") {
		t.Fatalf("%+v", got)
	}
	got = run(t.Context(), "", env, "catalog", "list", "--all", "-o", "json")
	if !strings.Contains(got.stdout, `"source": "`+server.URL+`/catalog.yaml"`) || strings.Contains(got.stdout, "canary") || !strings.Contains(got.stdout, `"acme"`) {
		t.Errorf("%+v", got)
	}
}

func TestCatalogUpdate_RefusesWhatAURLMustNotLeadTo(t *testing.T) {
	server, work := catalogueServer(t), dataDir(t)
	env := map[string]string{"HOME": work, "RELAY_DATA_DIR": work + "/data", "RELAY_DISCOVER": "false"}
	for from, want := range map[string]string{
		server.URL + "/large":                        "at most",
		server.URL + "/away":                         "would be read unencrypted",
		server.URL + "/round":                        "leads on and on",
		server.URL + "/nothing":                      "404",
		"http://prices.example/catalog.yaml":         "would be read unencrypted",
		"ftp://127.0.0.1/catalog.yaml":               "would be read unencrypted",
		"https://user:canary@prices.example/c.yaml":  "is no URL of a catalogue",
		"http://127.0.0.1.prices.example/c.yaml":     "would be read unencrypted",
		"https:///catalog.yaml":                      "is no URL of a catalogue",
		"http://localhost.prices.example:80/catalog": "would be read unencrypted",
	} {
		from += "?token=canary"
		if got := run(t.Context(), "", env, "catalog", "update", from); got.code == 0 || !strings.Contains(got.stderr, want) || strings.Contains(got.stderr, "canary") {
			t.Errorf("%s: %+v, want %q", from, got, want)
		}
	}
}
