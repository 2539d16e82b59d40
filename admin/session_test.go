package admin_test

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"relay/admin"
)

// link makes the secret of a setup link.
func (f *fixture) link() string {
	f.t.Helper()
	return f.send("POST", "/api/setup-link", "").want(http.StatusCreated).at("secret")
}

// redeem posts the secret as the page does, without any other credential.
func (f *fixture) redeem(secret string, headers ...string) *reply {
	f.t.Helper()
	body, err := json.Marshal(map[string]string{"setup": secret})
	if err != nil {
		f.t.Fatal(err)
	}
	return f.send("POST", "/api/session", string(body), append([]string{"Authorization", ""}, headers...)...)
}

// cookie returns the one cookie that an answer sets.
func (r *reply) cookie() *http.Cookie {
	r.t.Helper()
	set := (&http.Response{Header: r.header}).Cookies()
	if len(set) != 1 {
		r.t.Fatalf("%d cookies set: %v", len(set), set)
	}
	return set[0]
}

// signIn returns the Cookie header of a browser that is signed in.
func (f *fixture) signIn() string {
	f.t.Helper()
	cookie := f.redeem(f.link()).want(http.StatusCreated).cookie()
	return cookie.Name + "=" + cookie.Value
}

// as calls with a cookie only.
func (f *fixture) as(cookie, method, path, body string, headers ...string) *reply {
	f.t.Helper()
	return f.send(method, path, body, append([]string{"Authorization", "", "Cookie", cookie}, headers...)...)
}

func TestSession_OpensTheAPIUntilItIsSignedOut(t *testing.T) {
	f := start(t)
	cookie := f.signIn()
	f.as(cookie, "GET", "/api/hosts", "").want(200)
	f.as(cookie, "POST", "/api/providers", `{"metadata":{"name":"a"},"spec":{}}`).want(http.StatusCreated)
	f.as(cookie, "GET", "/api/session", "").want(200).holds(`"signedIn":true`, `"until":"2026-12-01T00:00:00Z"`)
	gone := f.as(cookie, "DELETE", "/api/session", "").want(http.StatusNoContent).cookie()
	if gone.MaxAge >= 0 || gone.Value != "" {
		t.Errorf("sign-out leaves %v", gone)
	}
	f.as(cookie, "GET", "/api/hosts", "").want(401).holds("relay setup --link")
	f.as(cookie, "GET", "/api/session", "").want(200).holds(`"signedIn":false`)
	f.as("", "DELETE", "/api/session", "").want(http.StatusNoContent)
}

func TestSession_CookieIsOutOfReachOfPagesAndOtherSites(t *testing.T) {
	f := start(t)
	cookie := f.redeem(f.link()).cookie()
	if !cookie.HttpOnly || cookie.SameSite != http.SameSiteStrictMode || cookie.Path != "/" || cookie.Domain != "" || cookie.Secure {
		t.Errorf("cookie %v", cookie)
	}
	if strings.HasPrefix(cookie.Name, "__Host-") || cookie.MaxAge != 7*24*3600 || len(cookie.Value) != 43 {
		t.Errorf("cookie %v", cookie)
	}
	r := httptest.NewRequest("POST", "https://localhost/api/session", strings.NewReader(`{"setup":"`+f.link()+`"}`))
	r.Header.Set("Content-Type", "application/json")
	r.TLS = &tls.ConnectionState{}
	w := httptest.NewRecorder()
	f.handler.ServeHTTP(w, r)
	secure := (&reply{t: t, status: w.Code, header: w.Header(), text: w.Body.String()}).want(http.StatusCreated).cookie()
	if !secure.Secure || !strings.HasPrefix(secure.Name, "__Host-") || secure.Path != "/" || secure.Domain != "" {
		t.Errorf("over TLS %v", secure)
	}
}

func TestSession_EndsWhenIdleAndAfterAWeekAtTheLatest(t *testing.T) {
	f := start(t)
	idle := f.signIn()
	f.now = f.now.Add(12*time.Hour - time.Second)
	f.as(idle, "GET", "/api/hosts", "").want(200)
	f.now = f.now.Add(12 * time.Hour)
	answer := f.as(idle, "GET", "/api/hosts", "").want(401)
	if gone := answer.cookie(); gone.MaxAge >= 0 {
		t.Errorf("the dead cookie stays: %v", gone)
	}
	busy := f.signIn()
	for range 16 {
		f.as(busy, "GET", "/api/hosts", "").want(200)
		f.now = f.now.Add(10*time.Hour + 30*time.Minute)
	}
	f.as(busy, "GET", "/api/hosts", "").want(401)
}

func TestSession_IsReplacedAtSignIn(t *testing.T) {
	f := start(t)
	former := f.signIn()
	cookie := f.redeem(f.link(), "Cookie", former).want(http.StatusCreated).cookie()
	next := cookie.Name + "=" + cookie.Value
	f.as(former, "GET", "/api/hosts", "").want(401)
	f.as(next, "GET", "/api/hosts", "").want(200)
}

func TestSession_WritesAreRefusedFromOtherOrigins(t *testing.T) {
	f := start(t)
	cookie, secret := f.signIn(), f.link()
	for _, headers := range [][]string{
		{"Origin", "https://evil.example"},
		{"Origin", "http://localhost:3000"},
		{"Origin", "null"},
		{"Sec-Fetch-Site", "cross-site"},
		{"Sec-Fetch-Site", "same-site"},
	} {
		f.as(cookie, "POST", "/api/providers", `{"metadata":{"name":"a"},"spec":{}}`, headers...).want(http.StatusForbidden)
		f.as(cookie, "DELETE", "/api/session", "", headers...).want(http.StatusForbidden)
		f.as(cookie, "POST", "/api/setup-link", "", headers...).want(http.StatusForbidden)
		f.redeem(secret, headers...).want(http.StatusForbidden)
	}
	f.redeem(secret, "Content-Type", "text/plain").want(http.StatusUnsupportedMediaType)
	f.redeem(secret, "Host", "evil.example").want(http.StatusMisdirectedRequest)
	f.as(cookie, "GET", "/api/hosts", "").want(200)
	f.redeem(secret, "Origin", f.url, "Sec-Fetch-Site", "same-origin").want(http.StatusCreated)
}

func TestSession_SlowsGuessersDownAndNeverWhoIsSignedIn(t *testing.T) {
	f := start(t)
	cookie, secret := f.signIn(), f.link()
	name, _, _ := strings.Cut(cookie, "=")
	for range 5 {
		f.as(name+"=guess", "GET", "/api/hosts", "").want(401)
		f.redeem("guess").want(401)
	}
	if answer := f.redeem("guess").want(429); answer.header.Get("Retry-After") == "" {
		t.Errorf("header %v", answer.header)
	}
	f.as(name+"=guess", "GET", "/api/hosts", "").want(429)
	f.as(cookie, "GET", "/api/hosts", "").want(200)
	f.redeem(secret).want(http.StatusCreated)
}

func TestSession_CannotBeHadFromAnythingElse(t *testing.T) {
	f := start(t)
	for _, body := range []string{`{}`, `{"setup":""}`, `{"setup":null}`, `{"token":"` + token + `"}`, `[]`, ``} {
		f.send("POST", "/api/session", body, "Authorization", "").want(http.StatusBadRequest)
	}
	f.redeem(token).want(401)
	f.redeem("").want(http.StatusBadRequest)
	f.as("relay_session=", "GET", "/api/hosts", "").want(401)
	for _, path := range []string{"/api/session/", "/api/%73ession", "/api/session/../hosts", "/api/session;a", "//api/session"} {
		if answer := f.send("GET", path, "", "Authorization", ""); answer.status < 400 {
			t.Errorf("%s answers %d without a credential", path, answer.status)
		}
	}
}

func TestSession_LeavesNoSecretInTheLog(t *testing.T) {
	var log bytes.Buffer
	f := start(t, func(o *admin.Options) { o.Log = zerolog.New(&log) })
	secret := f.link()
	cookie := f.redeem(secret).cookie()
	f.redeem(secret).want(401)
	f.as(cookie.Name+"="+cookie.Value+"x", "GET", "/api/hosts", "").want(401)
	for _, canary := range []string{secret, cookie.Value} {
		if strings.Contains(log.String(), canary) {
			t.Errorf("the log holds a secret: %s", &log)
		}
	}
	if !strings.Contains(log.String(), "sign-in refused") || !strings.Contains(log.String(), "signed in") {
		t.Errorf("log %s", &log)
	}
}

func TestSession_TellsTrustedCallersThatTheyAreSignedIn(t *testing.T) {
	f := start(t)
	answer, err := admin.NewLocalClient(f.handler).Do(context.Background(), "GET", "/api/session", nil, nil)
	if err != nil || !strings.Contains(string(answer.Body), `"signedIn":true`) {
		t.Errorf("answer %s, %v", answer.Body, err)
	}
}
