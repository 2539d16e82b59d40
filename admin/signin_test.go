package admin_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"relay/admin"
	"relay/store"
)

func TestSignIn_OpensTheAPIForTheTokenOnly(t *testing.T) {
	f := start(t)
	for credential, want := range map[string]int{
		"Bearer " + token:       200,
		"bearer " + token:       200,
		"":                      401,
		"Bearer":                401,
		"Bearer " + token + "x": 401,
		"Bearer " + token[:20]:  401,
		"Basic " + token:        401,
		"Bearer sk-wr-" + token: 401,
		token:                   401,
	} {
		for _, path := range []string{"/api/hosts", "/api/status", "/api/version", "/api/openapi.json", "/api/export", "/api/nothing"} {
			want := want
			if want == 200 && path == "/api/nothing" {
				want = 404
			}
			answer := f.send("GET", path, "", "Authorization", credential).want(want)
			if want == 401 && (answer.header.Get("WWW-Authenticate") == "" || answer.header.Get("Content-Type") != "application/problem+json") {
				t.Errorf("%s: header %v", path, answer.header)
			}
		}
		f.now = f.now.Add(time.Minute)
	}
	f.send("GET", "/api/hosts", "", "Authorization", "Bearer sk-wr-x").want(401).holds("a relay key calls models")
}

func TestSignIn_IsClosedWithoutAToken(t *testing.T) {
	f := start(t, func(o *admin.Options) { o.Token = store.Secret{} })
	f.send("GET", "/api/hosts", "", "Authorization", "Bearer ").want(401)
	f.send("GET", "/api/hosts", "", "Authorization", "").want(401)
}

func TestSignIn_SlowsGuessersDownAndNeverTheToken(t *testing.T) {
	f := start(t)
	for range 10 {
		f.send("GET", "/api/hosts", "", "Authorization", "Bearer guess").want(401)
	}
	answer := f.send("GET", "/api/hosts", "", "Authorization", "Bearer guess").want(429)
	if got := answer.header.Get("Retry-After"); got != "61" && got != "60" {
		t.Errorf("Retry-After %q", got)
	}
	f.send("GET", "/api/hosts", "").want(200)
	f.now = f.now.Add(61 * time.Second)
	f.send("GET", "/api/hosts", "", "Authorization", "Bearer guess").want(401)
}

func TestSignIn_TrustsNoHeader(t *testing.T) {
	f := start(t)
	for _, name := range []string{"X-Forwarded-For", "X-Real-IP", "Forwarded", "X-Relay-Trusted", "X-Original-URL", "X-HTTP-Method-Override"} {
		f.send("GET", "/api/hosts", "", "Authorization", "", name, "127.0.0.1").want(401)
	}
	for _, path := range []string{"//api/hosts", "/api/../api/hosts", "/%61pi/hosts", "/api/hosts;x", "/API/hosts", "/api//hosts"} {
		if answer := f.send("GET", path, "", "Authorization", ""); answer.status < 400 {
			t.Errorf("%s answers %d without a credential", path, answer.status)
		}
	}
}

func TestListener_AnswersUnderLoopbackAndConfiguredNamesOnly(t *testing.T) {
	f := start(t, func(o *admin.Options) { o.AllowedHosts = []string{"Relay.example"} })
	for host, want := range map[string]int{
		"localhost": 200, "localhost:8081": 200, "127.0.0.1:1": 200, "[::1]:8081": 200, "relay.example:443": 200, "relay.example.": 200,
		"evil.example": 421, "127.0.0.1.evil.example": 421, "10.0.0.5": 421, "localhost.evil.example:80": 421,
	} {
		f.send("GET", "/api/version", "", "Host", host).want(want)
		f.send("GET", "/readyz", "", "Host", host).want(want)
	}
	f.send("GET", "/livez", "", "Host", "10.0.0.5:8081").want(200)
}

func TestWrites_AreRefusedFromOtherOriginsAndInOtherForms(t *testing.T) {
	f := start(t)
	body := `{"metadata":{"name":"a"},"spec":{}}`
	for _, headers := range [][]string{
		{"Origin", "https://evil.example"},
		{"Sec-Fetch-Site", "cross-site"},
		{"Origin", "null"},
	} {
		f.send("POST", "/api/providers", body, headers...).want(http.StatusForbidden)
	}
	for _, kind := range []string{"", "text/plain", "application/x-www-form-urlencoded", "application/json; charset=latin1", "application/merge-patch+json", "multipart/form-data"} {
		f.send("POST", "/api/providers", body, "Content-Type", kind).want(http.StatusUnsupportedMediaType)
	}
	if got := f.db.Catalog().Providers.Len(); got != 0 {
		t.Errorf("%d providers were made", got)
	}
	f.send("POST", "/api/providers", body, "Origin", f.url, "Content-Type", "application/json; charset=UTF-8").want(http.StatusCreated)
}

func TestAnswers_CarrySecurityHeaders(t *testing.T) {
	f := start(t)
	for _, path := range []string{"/api/hosts", "/api/nothing"} {
		header := f.send("GET", path, "").header
		if header.Get("X-Content-Type-Options") != "nosniff" || header.Get("Cache-Control") != "no-store" {
			t.Errorf("%s: %v", path, header)
		}
	}
}

func TestListener_TellsMethodsApartAndAnswersInJSON(t *testing.T) {
	f := start(t)
	for path, allow := range map[string]string{
		"/api/hosts":         "GET, POST",
		"/api/hosts/x":       "GET",
		"/api/hosts/by-id/x": "PUT, PATCH, DELETE",
		"/api/connect":       "POST",
		"/livez":             "GET, HEAD",
	} {
		method := "OPTIONS"
		answer := f.send(method, path, "").want(http.StatusMethodNotAllowed).holds(`"status":405`)
		if got := answer.header.Get("Allow"); got != allow {
			t.Errorf("%s allows %q, want %q", path, got, allow)
		}
	}
	f.send("GET", "/api/hosts/", "").want(404).holds(`"status":404`)
	f.send("GET", "/nothing", "").want(404).holds(`"status":404`)
}

func TestTrusted_NeedsNoTokenInProcess(t *testing.T) {
	f := start(t, func(o *admin.Options) { o.Token = store.Secret{} })
	client := admin.NewLocalClient(f.handler)
	if status, err := client.Status(context.Background()); err != nil || status.Version != "1.2.3" || status.Live {
		t.Errorf("status %+v, %v", status, err)
	}
}

func TestClient_ReturnsRefusalsAsProblems(t *testing.T) {
	f := start(t)
	wrong, err := admin.NewRemoteClient(f.url, store.NewSecret("wrong"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(wrong.Close)
	_, err = wrong.Status(context.Background())
	var refused *admin.Problem
	if !errors.As(err, &refused) || refused.Status != 401 {
		t.Errorf("error %v", err)
	}
	if _, err := admin.NewRemoteClient("localhost:8081", store.Secret{}); err == nil {
		t.Error("an address without a scheme is taken")
	}
	gone, err := admin.NewRemoteClient("http://127.0.0.1:1", store.Secret{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := gone.Status(context.Background()); !errors.Is(err, admin.ErrUnreachable) {
		t.Errorf("nobody answers: %v", err)
	}
}

func TestClient_CarriesRecordsThereAndBack(t *testing.T) {
	ctx := context.Background()
	f := start(t)
	for i, c := range []*admin.Client{f.client(), admin.NewLocalClient(f.handler)} {
		host := &store.Host{Metadata: store.Metadata{Name: fmt.Sprintf("h%d", i)}, Spec: store.HostSpec{BaseURL: "https://h.example/v1", Auth: "bearer"}}
		host, err := admin.Create(ctx, c, host)
		if err != nil {
			t.Fatal(err)
		}
		key := &store.HostKey{Metadata: store.Metadata{Name: fmt.Sprintf("k%d", i)}, Spec: store.HostKeySpec{
			HostID: host.Metadata.Name, Source: store.KeySource{Kind: "stored"}, Value: store.NewSecret("the-value"),
		}}
		if key, err = admin.Create(ctx, c, key); err != nil || key.Spec.HostID != host.Metadata.ID {
			t.Fatalf("key %+v, %v", key, err)
		}
		if opened, err := f.db.HostKeyValue(key); err != nil || opened.Reveal() != "the-value" {
			t.Errorf("the value did not arrive: %v", err)
		}
		read, err := admin.Get[store.HostSpec](ctx, c, host.Metadata.Name)
		if err != nil {
			t.Fatal(err)
		}
		read.Spec.AllowPrivate = true
		if _, err = admin.Update(ctx, c, read); err != nil {
			t.Errorf("update: %v", err)
		}
		var refused *admin.Problem
		if _, err = admin.Update(ctx, c, read); !errors.As(err, &refused) || refused.Status != 412 {
			t.Errorf("a second update of the same reading: %v", err)
		}
		if refs, err := c.References(ctx, store.KindHost, host.Metadata.ID); err != nil || len(refs) != 1 {
			t.Errorf("references %v, %v", refs, err)
		}
		err = c.Delete(ctx, store.KindHost, host.Metadata.ID, false)
		if !errors.As(err, &refused) || refused.Status != 409 || !strings.Contains(err.Error(), key.Metadata.Name) {
			t.Errorf("delete: %v", err)
		}
		if err := c.Delete(ctx, store.KindHost, host.Metadata.ID, true); err != nil {
			t.Errorf("cascade: %v", err)
		}
	}
}
