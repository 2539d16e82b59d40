package admin_test

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"relay/admin"
)

const password = "correct horse"

// link makes the secret of a setup link.
func (f *fixture) link() string {
	f.t.Helper()
	return f.send("POST", "/api/setup-link", "").want(http.StatusCreated).at("secret")
}

// redeem makes user maria with a setup link as the page does, without any other
// credential.
func (f *fixture) redeem(secret string, headers ...string) *reply {
	f.t.Helper()
	return f.post("/api/setup", map[string]string{"setup": secret, "username": "maria", "password": password}, headers...)
}

// enter signs a user in as the page does.
func (f *fixture) enter(username, password string, headers ...string) *reply {
	f.t.Helper()
	return f.post("/api/session", map[string]string{"username": username, "password": password}, headers...)
}

// post sends JSON without a credential.
func (f *fixture) post(path string, body any, headers ...string) *reply {
	f.t.Helper()
	text, err := json.Marshal(body)
	if err != nil {
		f.t.Fatal(err)
	}
	return f.send("POST", path, string(text), append([]string{"Authorization", ""}, headers...)...)
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

// sent is the Cookie header with what an answer sets.
func (r *reply) sent() string {
	r.t.Helper()
	cookie := r.cookie()
	return cookie.Name + "=" + cookie.Value
}

// signIn returns the Cookie header of a browser in which maria is signed in, who
// is made first when nobody is there.
func (f *fixture) signIn() string {
	f.t.Helper()
	if f.db.Catalog().Users.Len() == 0 {
		return f.redeem(f.link()).want(http.StatusCreated).sent()
	}
	return f.enter("maria", password).want(http.StatusCreated).sent()
}

// as calls with a cookie only.
func (f *fixture) as(cookie, method, path, body string, headers ...string) *reply {
	f.t.Helper()
	return f.send(method, path, body, append([]string{"Authorization", "", "Cookie", cookie}, headers...)...)
}

func TestSession_OpensTheAPIUntilItIsSignedOut(t *testing.T) {
	f := start(t)
	f.as("", "GET", "/api/session", "").want(200).holds(`"signedIn":false`, `"setUp":false`)
	cookie := f.signIn()
	f.as(cookie, "GET", "/api/hosts", "").want(200)
	f.as(cookie, "POST", "/api/providers", `{"metadata":{"name":"a"},"spec":{}}`).want(http.StatusCreated)
	f.as(cookie, "GET", "/api/session", "").want(200).holds(`"signedIn":true`, `"setUp":true`, `"name":"maria"`, `"administrator":true`, `"until":"2026-12-01T00:00:00Z"`)
	gone := f.as(cookie, "DELETE", "/api/session", "").want(http.StatusNoContent).cookie()
	if gone.MaxAge >= 0 || gone.Value != "" {
		t.Errorf("sign-out leaves %v", gone)
	}
	f.as(cookie, "GET", "/api/hosts", "").want(401).holds("sign in again")
	f.as(cookie, "GET", "/api/session", "").want(200).holds(`"signedIn":false`)
	f.as("", "DELETE", "/api/session", "").want(http.StatusNoContent)
}

func TestSession_CookieIsOutOfReachOfPagesAndOtherSites(t *testing.T) {
	f := start(t)
	cookie := f.redeem(f.link()).want(http.StatusCreated).cookie()
	if !cookie.HttpOnly || cookie.SameSite != http.SameSiteStrictMode || cookie.Path != "/" || cookie.Domain != "" || cookie.Secure {
		t.Errorf("cookie %v", cookie)
	}
	if strings.HasPrefix(cookie.Name, "__Host-") || cookie.MaxAge != 7*24*3600 || len(cookie.Value) != 43 {
		t.Errorf("cookie %v", cookie)
	}
	r := httptest.NewRequest("POST", "https://localhost/api/session", strings.NewReader(`{"username":"maria","password":"`+password+`"}`))
	r.Header.Set("Content-Type", "application/json")
	r.TLS = &tls.ConnectionState{}
	w := httptest.NewRecorder()
	f.handler.ServeHTTP(w, r)
	secure := (&reply{t: t, status: w.Code, header: w.Header(), text: w.Body.String()}).want(http.StatusCreated).cookie()
	if !secure.Secure || !strings.HasPrefix(secure.Name, "__Host-") || secure.Path != "/" || secure.Domain != "" {
		t.Errorf("over TLS %v", secure)
	}
}

func TestSession_CookieIsSecureBehindAProxy(t *testing.T) {
	f := start(t, func(o *admin.Options) { o.BehindProxy = true })
	cookie := f.redeem(f.link()).want(http.StatusCreated).cookie()
	if !cookie.Secure || !strings.HasPrefix(cookie.Name, "__Host-") {
		t.Errorf("cookie %v", cookie)
	}
	f.as(cookie.Name+"="+cookie.Value, "GET", "/api/hosts", "").want(200)
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

func TestSession_EndsWhenTheOptionsSay(t *testing.T) {
	f := start(t, func(o *admin.Options) { o.SessionIdle, o.SessionMax = time.Minute, 3*time.Minute })
	cookie := f.signIn()
	for range 5 {
		f.as(cookie, "GET", "/api/hosts", "").want(200)
		f.now = f.now.Add(40 * time.Second)
	}
	f.as(cookie, "GET", "/api/hosts", "").want(401)
	cookie = f.signIn()
	f.now = f.now.Add(time.Minute)
	f.as(cookie, "GET", "/api/hosts", "").want(401)
}

func TestSession_LivesNoLongerForAClockSetBack(t *testing.T) {
	f := start(t)
	cookie := f.signIn()
	f.now = f.now.Add(-365 * 24 * time.Hour)
	f.as(cookie, "GET", "/api/hosts", "").want(200)
	f.now = f.now.Add(12 * time.Hour)
	f.as(cookie, "GET", "/api/hosts", "").want(401)
}

func TestSession_OutlivesARestart(t *testing.T) {
	f := start(t)
	cookie, ended := f.signIn(), f.signIn()
	f.as(ended, "DELETE", "/api/session", "").want(http.StatusNoContent)
	f.now = f.now.Add(11 * time.Hour)
	f.as(cookie, "GET", "/api/hosts", "").want(200)
	restarted := httptest.NewServer(admin.New(admin.Options{DB: f.db, Now: func() time.Time { return f.now }}))
	t.Cleanup(restarted.Close)
	next := &fixture{t: t, url: restarted.URL}
	f.now = f.now.Add(11 * time.Hour)
	next.as(cookie, "GET", "/api/hosts", "").want(200)
	next.as(ended, "GET", "/api/hosts", "").want(401)
}

func TestSession_IsReplacedAtSignIn(t *testing.T) {
	f := start(t)
	former := f.signIn()
	next := f.enter("maria", password, "Cookie", former).want(http.StatusCreated).sent()
	f.as(former, "GET", "/api/hosts", "").want(401)
	f.as(next, "GET", "/api/hosts", "").want(200)
}

func TestSession_WritesAreRefusedFromOtherOrigins(t *testing.T) {
	f := start(t)
	cookie := f.signIn()
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
		f.enter("maria", password, headers...).want(http.StatusForbidden)
	}
	f.enter("maria", password, "Content-Type", "text/plain").want(http.StatusUnsupportedMediaType)
	f.enter("maria", password, "Host", "evil.example").want(http.StatusMisdirectedRequest)
	f.as(cookie, "GET", "/api/hosts", "").want(200)
	f.enter("maria", password, "Origin", f.url, "Sec-Fetch-Site", "same-origin").want(http.StatusCreated)
}

func TestSession_SlowsGuessersDownAndNeverWhoIsSignedIn(t *testing.T) {
	f := start(t)
	cookie := f.signIn()
	name, _, _ := strings.Cut(cookie, "=")
	for range 5 {
		f.as(name+"=guess", "GET", "/api/hosts", "").want(401)
		f.enter("maria", "guess").want(401)
	}
	if answer := f.enter("maria", "guess").want(429); answer.header.Get("Retry-After") == "" {
		t.Errorf("header %v", answer.header)
	}
	f.enter("maria", password).want(429)
	f.as(name+"=guess", "GET", "/api/hosts", "").want(429)
	f.as(cookie, "GET", "/api/hosts", "").want(200)
	f.now = f.now.Add(61 * time.Second)
	for range 20 {
		f.enter("maria", password).want(http.StatusCreated)
	}
}

func TestSession_GuessersWhoCallAtOnceGetNoFurther(t *testing.T) {
	f := start(t)
	f.signIn()
	var wrong, slowed atomic.Int32
	var guesses sync.WaitGroup
	for range 40 {
		guesses.Go(func() {
			switch f.enter("maria", "guess").status {
			case 401:
				wrong.Add(1)
			case 429:
				slowed.Add(1)
			}
		})
	}
	guesses.Wait()
	if wrong.Load() != 10 || slowed.Load() != 30 {
		t.Errorf("%d guesses, %d slowed down", wrong.Load(), slowed.Load())
	}
}

func TestSession_CannotBeHadFromAnythingElse(t *testing.T) {
	f := start(t)
	f.signIn()
	f.send("POST", "/api/users", `{"metadata":{"name":"nobody"},"spec":{}}`).want(http.StatusCreated)
	f.send("POST", "/api/users", `{"metadata":{"name":"off"},"spec":{"disabled":true,"password":"`+password+`"}}`).want(http.StatusCreated)
	for _, body := range []string{`{}`, `{"username":"maria"}`, `{"username":"maria","password":""}`, `{"username":"maria","password":null}`, `{"token":"` + token + `"}`, `[]`, ``, `{"setup":"x"}`} {
		f.send("POST", "/api/session", body, "Authorization", "").want(http.StatusBadRequest)
	}
	wrong := f.enter("maria", "wrong").want(401).text
	for _, who := range [][2]string{{"nobody", password}, {"nobody", token}, {"off", password}, {"stranger", password}, {"system", password}} {
		if answer := f.enter(who[0], who[1]).want(401); answer.text != wrong {
			t.Errorf("%s is told from a wrong password: %s", who[0], answer.text)
		}
	}
	f.as("relay_session=", "GET", "/api/hosts", "").want(401)
	for _, path := range []string{"/api/session/", "/api/%73ession", "/api/session/../hosts", "/api/session;a", "//api/session", "/api/session/password", "/api/setup/", "/admin/organizations/default/limits", "/admin/"} {
		if answer := f.send("GET", path, "", "Authorization", ""); answer.status < 400 {
			t.Errorf("%s answers %d without a credential", path, answer.status)
		}
	}
}

func TestSession_LeavesNoSecretInTheLog(t *testing.T) {
	var log bytes.Buffer
	f := start(t, func(o *admin.Options) { o.Log = zerolog.New(&log) })
	secret := f.link()
	cookie := f.redeem(secret).want(http.StatusCreated).cookie()
	f.enter("maria", "a-wrong-password").want(401)
	f.as(cookie.Name+"="+cookie.Value+"x", "GET", "/api/hosts", "").want(401)
	for _, canary := range []string{secret, cookie.Value, password, "a-wrong-password"} {
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
	if err != nil || !strings.Contains(string(answer.Body), `"signedIn":true`) || !strings.Contains(string(answer.Body), `"kind":"local"`) {
		t.Errorf("answer %s, %v", answer.Body, err)
	}
}

// ends tells whether what do does to maria's account ends a session of hers.
func (f *fixture) ends(cookie string, do func(id string)) bool {
	f.t.Helper()
	f.as(cookie, "GET", "/api/version", "").want(200)
	do(f.db.Catalog().Users.ByName("maria").Metadata.ID)
	return f.as(cookie, "GET", "/api/version", "").status == 401
}

func TestSession_EndsAtOnceWithAChangeOfTheUserItsPasswordOrItsRoles(t *testing.T) {
	f := start(t)
	f.signIn()
	group := f.create("group", `{"metadata":{"name":"ops"},"spec":{"members":["maria"]}}`)
	role := f.create("role", `{"metadata":{"name":"looker"},"spec":{"rules":[{"kinds":["hosts"],"verbs":["get"]}]}}`)
	binding := f.create("role-binding", `{"metadata":{"name":"ops"},"spec":{"roleId":"looker","scope":{"kind":"system"},"subjects":[{"kind":"group","id":"ops"}]}}`)
	patch := func(path, body string) {
		t.Helper()
		f.send("PATCH", path, body, "Content-Type", "application/merge-patch+json").want(200)
	}
	for _, row := range []struct {
		name string
		do   func(id string)
	}{
		{"another password", func(id string) { patch("/api/users/by-id/"+id, `{"spec":{"password":"`+password+`"}}`) }},
		{"another address", func(id string) { patch("/api/users/by-id/"+id, `{"spec":{"email":"m@acme.example"}}`) }},
		{"a role of its own", func(string) {
			f.create("role-binding", `{"metadata":{"name":"own"},"spec":{"roleId":"looker","scope":{"kind":"organization","id":"default"},"subjects":[{"kind":"user","id":"maria"}]}}`)
		}},
		{"another rule of a role", func(string) {
			patch("/api/roles/by-id/"+role, `{"spec":{"rules":[{"kinds":["hosts"],"verbs":["list"]}]}}`)
		}},
		{"another scope of a role", func(string) {
			patch("/api/role-bindings/by-id/"+binding, `{"spec":{"scope":{"kind":"team","id":"default"}}}`)
		}},
		{"the group without her", func(string) { patch("/api/groups/by-id/"+group, `{"spec":{"members":null}}`) }},
	} {
		if cookie := f.signIn(); !f.ends(cookie, row.do) {
			t.Errorf("%s leaves the session open", row.name)
		}
	}
	cookie := f.signIn()
	if f.ends(cookie, func(string) {
		patch("/api/roles/by-id/"+role, `{"spec":{"rules":[{"kinds":["models"],"verbs":["list"]}]}}`)
	}) == false {
		t.Error("a change of a role that is bound to her directly leaves the session open")
	}
	cookie = f.signIn()
	if f.ends(cookie, func(string) { f.create("user", `{"metadata":{"name":"noor"},"spec":{}}`) }) {
		t.Error("another user ends the session")
	}
	if !f.ends(cookie, func(id string) { patch("/api/users/by-id/"+id, `{"spec":{"disabled":true}}`) }) {
		t.Error("a disabled user stays in")
	}
	f.enter("maria", password).want(401)
}

func TestPassword_IsChangedByItsUserWhoStaysSignedIn(t *testing.T) {
	f := start(t)
	here, elsewhere := f.signIn(), f.signIn()
	change := func(current, next string) *reply {
		return f.as(here, "POST", "/api/session/password", `{"current":"`+current+`","new":"`+next+`"}`)
	}
	change("wrong password", "battery staple").want(400).holds(`"field":"current"`)
	change(password, "short").want(400).holds(`"field":"new"`, "at least 8 bytes")
	change(password, "maria").want(400)
	here = change(password, "battery staple").want(200).sent()
	f.as(here, "GET", "/api/hosts", "").want(200)
	f.as(elsewhere, "GET", "/api/hosts", "").want(401)
	f.enter("maria", password).want(401)
	f.enter("maria", "battery staple").want(http.StatusCreated)
	f.send("POST", "/api/session/password", `{"current":"a","new":"battery staple"}`).want(409)
	for range 12 {
		change("wrong password", "battery staple")
	}
	change("battery staple", "another staple").want(429)
}
