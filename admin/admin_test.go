package admin_test

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"relay/admin"
	"relay/store"
	"relay/store/storetest"
)

const token = "test-admin-token-0123456789"

// fixture is a control listener on loopback over a fresh database that has had
// its first boot.
type fixture struct {
	t       *testing.T
	db      *store.DB
	handler http.Handler
	url     string
	now     time.Time
}

func start(t *testing.T, adjust ...func(*admin.Options)) *fixture {
	t.Helper()
	f := &fixture{t: t, db: storetest.Open(t), now: time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)}
	if err := admin.FirstBoot(f.db); err != nil {
		t.Fatal(err)
	}
	o := admin.Options{
		DB: f.db, Version: "1.2.3", Token: store.NewSecret(token), Passwords: store.NewPasswords(store.PasswordCost{MemoryKiB: 8, Passes: 1}),
		Now: func() time.Time { return f.now },
	}
	for _, change := range adjust {
		change(&o)
	}
	f.handler = admin.New(o)
	listener := httptest.NewServer(f.handler)
	t.Cleanup(listener.Close)
	f.url = listener.URL
	return f
}

func (f *fixture) client() *admin.Client {
	f.t.Helper()
	c, err := admin.NewRemoteClient(f.url, store.NewSecret(token))
	if err != nil {
		f.t.Fatal(err)
	}
	f.t.Cleanup(c.Close)
	return c
}

// reply is an answer read whole.
type reply struct {
	t      *testing.T
	status int
	header http.Header
	text   string
}

// send makes a request with the token. Headers come in pairs and win over the
// usual ones; an empty value removes one.
func (f *fixture) send(method, path, body string, headers ...string) *reply {
	f.t.Helper()
	r, err := http.NewRequestWithContext(context.Background(), method, f.url+path, strings.NewReader(body))
	if err != nil {
		f.t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+token)
	if method != http.MethodGet && method != http.MethodDelete {
		r.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i < len(headers); i += 2 {
		setHeader(r, headers[i], headers[i+1])
	}
	answer, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		f.t.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		f.t.Fatal(err)
	}
	return &reply{t: f.t, status: answer.StatusCode, header: answer.Header, text: string(text)}
}

func setHeader(r *http.Request, name, value string) {
	switch {
	case name == "Host":
		r.Host = value
	case value == "":
		r.Header.Del(name)
	default:
		r.Header.Set(name, value)
	}
}

// want fails the test unless the status is the one expected.
func (r *reply) want(status int) *reply {
	r.t.Helper()
	if r.status != status {
		r.t.Fatalf("status %d, want %d: %s", r.status, status, r.text)
	}
	return r
}

// holds fails the test unless the answer has all the texts.
func (r *reply) holds(texts ...string) *reply {
	r.t.Helper()
	for _, text := range texts {
		if !strings.Contains(r.text, text) {
			r.t.Errorf("the answer lacks %q: %s", text, r.text)
		}
	}
	return r
}

func (r *reply) json() map[string]any {
	r.t.Helper()
	value := map[string]any{}
	if err := json.Unmarshal([]byte(r.text), &value); err != nil {
		r.t.Fatalf("not JSON: %v: %s", err, r.text)
	}
	return value
}

// at returns the string at a path of members.
func (r *reply) at(path ...string) string {
	r.t.Helper()
	var value any = r.json()
	for _, step := range path {
		object, _ := value.(map[string]any)
		value = object[step]
	}
	text, _ := value.(string)
	return text
}

func (r *reply) id() string { return r.at("metadata", "id") }

// create makes a record and returns its id.
func (f *fixture) create(kind store.Kind, body string) string {
	f.t.Helper()
	return f.send("POST", "/api/"+kind.Plural(), body).want(http.StatusCreated).id()
}
