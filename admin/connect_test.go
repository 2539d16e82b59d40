package admin_test

import (
	"context"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"relay/admin"
	"relay/gateway/plan"
	"relay/store"
	"relay/store/storetest"
)

// scripted is the upstream that tests a key and lists models.
type scripted struct {
	models []string
	err    error
	calls  int
	host   store.HostSpec
	key    string
}

func (s *scripted) ListModels(_ context.Context, h *store.Host, key store.Secret) ([]string, error) {
	s.calls++
	s.host, s.key = h.Spec, key.Reveal()
	return s.models, s.err
}

func startWith(t *testing.T, up *scripted) *fixture {
	return start(t, func(o *admin.Options) { o.Upstream = up })
}

func TestConnect_MakesHostKeyModelsAndBindingsInOneWrite(t *testing.T) {
	up := &scripted{models: []string{"gpt-small", "Vendor/Big:1", "bad name"}}
	f := startWith(t, up)
	before := f.db.Catalog().Generation
	answer := f.send("POST", "/api/connect", `{"host":"acme","baseURL":"https://acme.example/v1/chat/completions","value":"key-number-one","account":"acme-org"}`).
		want(200).holds(`"name":"gpt-small","bound":true,"created":true`, "left out a listed model", "base URL taken as https://acme.example/v1")
	c := f.db.Catalog()
	host, key := c.Hosts.ByName("acme"), c.HostKeys.ByName("acme")
	if c.Generation != before+1 || host.Spec.Auth != "bearer" || host.Spec.UnknownModels != "" || up.key != "key-number-one" {
		t.Errorf("generation %d after %d, host %+v, tested key %q", c.Generation, before, host.Spec, up.key)
	}
	if key.Spec.AccountID != c.HostAccounts.ByName("acme-org").Metadata.ID || c.HostBindings.Len() != 2 || c.Models.ByName("vendor/big:1") == nil {
		t.Errorf("key %+v, %d bindings", key.Spec, c.HostBindings.Len())
	}
	if strings.Contains(answer.text, "key-number-one") {
		t.Error("the answer shows the key")
	}
}

func TestConnect_NumbersFurtherKeysAndKnowsTheSameOneAgain(t *testing.T) {
	up := &scripted{models: []string{"m"}}
	f := startWith(t, up)
	f.send("POST", "/api/connect", `{"host":"acme","baseURL":"https://acme.example/v1","value":"key-one"}`).want(200)
	f.send("POST", "/api/connect", `{"host":"acme","value":"key-two"}`).want(200).holds(`"name":"acme-2"`, `"created":false`)
	before := f.db.Catalog().Generation
	f.send("POST", "/api/connect", `{"host":"acme","value":"key-one"}`).want(200).holds("already there", `"name":"acme"`)
	if c := f.db.Catalog(); c.Generation != before || c.HostKeys.Len() != 2 {
		t.Errorf("connecting again wrote generation %d after %d, %d keys", c.Generation, before, c.HostKeys.Len())
	}
}

func TestConnect_SwitchesAKnownHostOnAndBindsKnownModels(t *testing.T) {
	up := &scripted{models: []string{"acme-large-2026", "acme-small"}}
	f := startWith(t, up)
	f.create(store.KindHost, `{"metadata":{"name":"acme"},"spec":{"enabled":false,"baseURL":"https://acme.example/v1","auth":"x-api-key"}}`)
	f.create(store.KindModel, `{"metadata":{"name":"acme-large"},"spec":{"aliases":["acme-large-*"]}}`)
	f.send("POST", "/api/connect", `{"host":"acme","value":"key-one"}`).want(200).
		holds(`"name":"acme-large","upstreamName":"acme-large-2026","bound":true,"created":false`, "is switched on")
	if host := f.db.Catalog().Hosts.ByName("acme"); !store.Enabled(host.Spec.Enabled) {
		t.Error("the host is still off")
	}
	f.send("POST", "/api/connect", `{"host":"acme","baseURL":"https://elsewhere.example/v1","value":"key-one"}`).
		want(http.StatusUnprocessableEntity).holds("baseURL", "https://acme.example/v1")
	f.send("POST", "/api/connect", `{"host":"acme","auth":"bearer","value":"key-one"}`).want(http.StatusUnprocessableEntity).holds(`"field":"auth"`)
}

func TestConnect_NeedsNoKeyForAHostWithoutAuth(t *testing.T) {
	up := &scripted{models: []string{"llama3.2:3b"}}
	f := startWith(t, up)
	answer := f.send("POST", "/api/connect", `{"host":"ollama","baseURL":"http://127.0.0.1:11434"}`).want(200)
	if host := f.db.Catalog().Hosts.ByName("ollama"); host.Spec.Auth != "none" || host.Spec.Shapes[0] != store.ShapeOllama {
		t.Errorf("host %+v", host.Spec)
	}
	if _, shown := answer.json()["hostKey"]; shown || f.db.Catalog().HostKeys.Len() > 0 {
		t.Error("a key was made")
	}
}

func TestConnect_FillsInAShippedBaseURLWithPlaceholders(t *testing.T) {
	f := startWith(t, &scripted{})
	f.create(store.KindHost, `{"metadata":{"name":"cloud"},"spec":{"baseURL":"https://{resource}.cloud.example/v1","auth":"header:api-key"}}`)
	f.send("POST", "/api/connect", `{"host":"cloud","value":"k-one"}`).want(http.StatusBadRequest).holds("baseURL", "resource")
	f.send("POST", "/api/connect", `{"host":"cloud","baseURL":"https://mine.cloud.example/v1","value":"k-one"}`).want(200)
}

func TestConnect_StoresNothingWhenTheTestFails(t *testing.T) {
	for name, c := range map[string]struct {
		err    error
		status int
		text   string
	}{
		"refused key":   {&plan.UpstreamError{Status: 401, Class: "auth", Message: "Incorrect key"}, http.StatusUnprocessableEntity, "refuses the key"},
		"no such path":  {&plan.UpstreamError{Status: 404, Message: "not found"}, http.StatusUnprocessableEntity, "version segment"},
		"no answer":     {&plan.UpstreamError{Message: "connection refused"}, http.StatusBadGateway, "connection refused"},
		"broken host":   {&plan.UpstreamError{Status: 503, Message: "overloaded"}, http.StatusBadGateway, "overloaded"},
		"too slow":      {context.DeadlineExceeded, http.StatusBadGateway, "did not answer"},
		"unknown fault": {errors.New("secret internals"), http.StatusInternalServerError, "incident"},
	} {
		t.Run(name, func(t *testing.T) {
			f := startWith(t, &scripted{err: c.err})
			before := f.db.Catalog().Generation
			answer := f.send("POST", "/api/connect", `{"host":"acme","baseURL":"https://acme.example/v1","value":"key-one"}`).want(c.status).holds(c.text)
			if f.db.Catalog().Generation != before || strings.Contains(answer.text, "secret internals") || strings.Contains(answer.text, "key-one") {
				t.Errorf("something was stored, or told: %s", answer.text)
			}
		})
	}
}

func TestConnect_RefusesWhatIsWrongBeforeAnybodyIsCalled(t *testing.T) {
	up := &scripted{}
	f := startWith(t, up)
	for body, field := range map[string]string{
		`{"host":"","value":"k"}`:     "host",
		`{"host":"acme","value":"k"}`: "baseURL",
		`{"host":"acme","baseURL":"https://a.example/v1","value":"k","env":"K"}`:      "value",
		`{"host":"acme","baseURL":"https://a.example/v1","value":"sk-wr-x"}`:          "value",
		`{"host":"acme","baseURL":"http://169.254.169.254/v1","value":"k"}`:           "baseURL",
		`{"host":"Acme Inc","baseURL":"https://a.example/v1","value":"k"}`:            "host",
		`{"host":"acme","baseURL":"https://a.example/v1","auth":"bearer"}`:            "value",
		`{"host":"acme","baseURL":"https://a.example/v1","auth":"no","value":"k"}`:    "auth",
		`{"host":"acme","baseURL":"https://a.example/v1","shapes":["x"],"value":"k"}`: "shapes[0]",
	} {
		f.send("POST", "/api/connect", body).want(http.StatusBadRequest).holds(`"field":"` + field + `"`)
	}
	if up.calls > 0 {
		t.Errorf("the upstream was called %d times", up.calls)
	}
}

func TestConnect_ReadsKeysFromTheEnvironmentAndFilesOfTheServer(t *testing.T) {
	up := &scripted{}
	db := storetest.Open(t, func(o *store.Options) {
		o.Getenv = func(name string) string { return map[string]string{"ACME_KEY": "from-env"}[name] }
	})
	client := admin.NewLocalClient(admin.New(admin.Options{DB: db, Upstream: up}))
	connect := func(in admin.ConnectRequest) error {
		in.Host, in.BaseURL = "acme", "https://acme.example/v1"
		_, err := client.Connect(context.Background(), in)
		return err
	}
	if err := connect(admin.ConnectRequest{Env: "ACME_KEY"}); err != nil || up.key != "from-env" {
		t.Errorf("from the environment: key %q, %v", up.key, err)
	}
	file := filepath.Join(t.TempDir(), "key")
	if err := os.WriteFile(file, []byte("from-file\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := connect(admin.ConnectRequest{File: file}); err != nil || up.key != "from-file" {
		t.Errorf("from a file: key %q, %v", up.key, err)
	}
	var refused *admin.Problem
	if err := connect(admin.ConnectRequest{Env: "UNSET_KEY"}); !errors.As(err, &refused) || refused.Status != 422 ||
		!strings.Contains(refused.Error(), "does not see the environment variable UNSET_KEY") {
		t.Errorf("an unset variable: %v", err)
	}
	if err := connect(admin.ConnectRequest{File: file + "x"}); !errors.As(err, &refused) || refused.Status != 422 {
		t.Errorf("a missing file: %v", err)
	}
}

func TestDiscover_ListsAndBindsOnRequest(t *testing.T) {
	up := &scripted{models: []string{"m1", "m2"}}
	f := startWith(t, up)
	id := f.create(store.KindHost, hostBody)
	f.send("POST", "/api/hosts/by-id/"+id+"/discover", "").want(http.StatusConflict).holds("has no key")
	f.create(store.KindHostKey, `{"metadata":{"name":"a"},"spec":{"hostId":"up","source":{"kind":"stored"},"value":"key-one"}}`)
	f.create(store.KindModel, `{"metadata":{"name":"m1"},"spec":{}}`)
	f.send("POST", "/api/hosts/by-id/"+id+"/discover", "").want(200).holds(`{"name":"m1","bound":false,"created":false}`)
	found, err := f.client().Discover(context.Background(), id, true)
	if err != nil || len(found.Models) != 2 || !found.Models[1].Created || found.Models[0].Created || f.db.Catalog().HostBindings.Len() != 2 {
		t.Errorf("found %+v, %v", found, err)
	}
	f.send("POST", "/api/hosts/by-id/"+id+"/discover", "").want(200).holds(`{"name":"m1","bound":true,"created":false}`)
}

func TestConnect_NeedsARunningServer(t *testing.T) {
	f := start(t)
	f.send("POST", "/api/connect", `{"host":"acme","baseURL":"https://acme.example/v1","value":"k"}`).
		want(http.StatusServiceUnavailable).holds("relay serve")
}
