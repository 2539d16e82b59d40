package admin_test

import (
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"math/big"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"relay/admin"
	"relay/store"
)

// issuer is a small identity provider: everybody who comes is let in as the
// person that it is set to.
type issuer struct {
	t   *testing.T
	url string
	key *rsa.PrivateKey
	now func() time.Time

	mu     sync.Mutex
	claims map[string]any        // of the person
	codes  map[string]url.Values // what each code was asked for with
	spoil  func(claims map[string]any)
	down   bool
	secret string
}

const (
	clientID     = "relay"
	clientSecret = "canary-client-secret"
)

func startIssuer(t *testing.T, now func() time.Time) *issuer {
	t.Helper()
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	i := &issuer{t: t, key: key, now: now, codes: map[string]url.Values{}, secret: clientSecret, spoil: func(map[string]any) {}}
	listener := httptest.NewServer(http.HandlerFunc(i.serve))
	t.Cleanup(listener.Close)
	i.url = listener.URL
	i.is(map[string]any{"sub": "7", "email": "maria@acme.example", "email_verified": true, "preferred_username": "Maria.S", "name": "Maria S", "groups": []string{"research", "ops"}})
	return i
}

// is sets who comes next.
func (i *issuer) is(claims map[string]any) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.claims = claims
}

func (i *issuer) serve(w http.ResponseWriter, r *http.Request) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.down {
		http.Error(w, "down", http.StatusServiceUnavailable)
		return
	}
	switch r.URL.Path {
	case "/.well-known/openid-configuration":
		i.answer(w, map[string]any{
			"issuer": i.url, "authorization_endpoint": i.url + "/authorize", "token_endpoint": i.url + "/token", "jwks_uri": i.url + "/keys",
			"id_token_signing_alg_values_supported": []string{"RS256"},
		})
	case "/keys":
		number := base64.RawURLEncoding.EncodeToString
		i.answer(w, map[string]any{"keys": []any{map[string]any{
			"kty": "RSA", "alg": "RS256", "use": "sig", "kid": "1", "n": number(i.key.N.Bytes()), "e": number(big.NewInt(int64(i.key.E)).Bytes()),
		}}})
	case "/authorize":
		i.authorize(w, r)
	case "/token":
		i.token(w, r)
	default:
		http.NotFound(w, r)
	}
}

func (i *issuer) answer(w http.ResponseWriter, body any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(body)
}

func (i *issuer) authorize(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	for name, want := range map[string]string{"client_id": clientID, "response_type": "code", "code_challenge_method": "S256"} {
		if q.Get(name) != want {
			i.t.Errorf("%s is %q", name, q.Get(name))
		}
	}
	if len(q.Get("state")) < 40 || len(q.Get("nonce")) < 40 || len(q.Get("code_challenge")) != 43 || !strings.Contains(q.Get("scope"), "openid") {
		i.t.Errorf("asked with %v", q)
	}
	code := "code-" + q.Get("state")[:8]
	i.codes[code] = q
	back := url.Values{"code": {code}, "state": {q.Get("state")}, "session_state": {"of-the-provider"}}
	http.Redirect(w, r, q.Get("redirect_uri")+"?"+back.Encode(), http.StatusFound)
}

func (i *issuer) token(w http.ResponseWriter, r *http.Request) {
	id, secret, _ := r.BasicAuth()
	if id == "" {
		id, secret = r.PostFormValue("client_id"), r.PostFormValue("client_secret")
	}
	asked, known := i.codes[r.PostFormValue("code")]
	delete(i.codes, r.PostFormValue("code"))
	challenge := sha256.Sum256([]byte(r.PostFormValue("code_verifier")))
	if id != clientID || secret != i.secret || !known || base64.RawURLEncoding.EncodeToString(challenge[:]) != asked.Get("code_challenge") {
		w.WriteHeader(http.StatusBadRequest)
		i.answer(w, map[string]string{"error": "invalid_grant"})
		return
	}
	claims := map[string]any{"iss": i.url, "aud": clientID, "nonce": asked.Get("nonce"), "iat": i.now().Unix(), "exp": i.now().Add(time.Minute).Unix()}
	for name, value := range i.claims {
		claims[name] = value
	}
	i.spoil(claims)
	i.answer(w, map[string]any{"access_token": "a", "token_type": "Bearer", "id_token": i.sign(claims)})
}

func (i *issuer) sign(claims map[string]any) string {
	part := func(v any) string {
		text, _ := json.Marshal(v)
		return base64.RawURLEncoding.EncodeToString(text)
	}
	signed := part(map[string]string{"alg": "RS256", "kid": "1"}) + "." + part(claims)
	sum := sha256.Sum256([]byte(signed))
	signature, err := rsa.SignPKCS1v15(rand.Reader, i.key, crypto.SHA256, sum[:])
	if err != nil {
		i.t.Fatal(err)
	}
	return signed + "." + base64.RawURLEncoding.EncodeToString(signature)
}

// federated is a Relay at which people sign in by an issuer.
type federated struct {
	*fixture
	issuer *issuer
	oidc   *admin.OIDC
}

func startFederated(t *testing.T, adjust ...func(*admin.OIDC)) *federated {
	t.Helper()
	f := &federated{oidc: &admin.OIDC{ClientID: clientID, ClientSecret: store.NewSecret(clientSecret), Open: true, GroupsClaim: "groups"}}
	f.fixture = start(t, func(o *admin.Options) {
		o.Authz, o.OIDC = admin.AuthzRBAC, f.oidc
		f.issuer = startIssuer(t, o.Now)
		f.oidc.Issuer = f.issuer.url
		for _, change := range adjust {
			change(f.oidc)
		}
	})
	f.issuer.mu.Lock()
	defer f.issuer.mu.Unlock()
	return f
}

// walk signs a browser in at the issuer and returns what Relay answers when it
// comes back. The path of the callback is taken from what the issuer was told.
func (f *federated) walk(change ...func(back *url.URL, headers []string) []string) *reply {
	f.t.Helper()
	begun := f.as("", "GET", "/api/auth/oidc/login", "").want(http.StatusFound)
	answer, err := http.DefaultTransport.RoundTrip(httptestGet(f.t, begun.header.Get("Location")))
	if err != nil {
		f.t.Fatal(err)
	}
	_ = answer.Body.Close()
	back, err := url.Parse(answer.Header.Get("Location"))
	if err != nil {
		f.t.Fatal(err)
	}
	headers := []string{"Authorization", "", "Cookie", begun.sent(), "Sec-Fetch-Site", "cross-site"}
	for _, alter := range change {
		headers = alter(back, headers)
	}
	return f.send("GET", "/api/auth/oidc/callback?"+back.RawQuery, "", headers...)
}

func httptestGet(t *testing.T, target string) *http.Request {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, target, nil)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// cookieNamed returns the Cookie header with a cookie that an answer sets.
func (r *reply) cookieNamed(part string) string {
	r.t.Helper()
	for _, cookie := range (&http.Response{Header: r.header}).Cookies() {
		if strings.Contains(cookie.Name, part) && cookie.Value != "" {
			return cookie.Name + "=" + cookie.Value
		}
	}
	r.t.Fatalf("no %s cookie in %v", part, r.header)
	return ""
}

func TestOIDC_SignsABrowserInAsWhoTheProviderSays(t *testing.T) {
	f := startFederated(t)
	f.as("", "GET", "/api/session", "").want(200).holds(`"oidc":true`)
	login := f.as("", "GET", "/api/auth/oidc/login", "").want(http.StatusFound).cookie()
	if !login.HttpOnly || login.SameSite != http.SameSiteLaxMode || login.MaxAge != 600 {
		t.Errorf("cookie %v", login)
	}
	back := f.walk().want(http.StatusSeeOther)
	if got := back.header.Get("Location"); got != "../../../" {
		t.Errorf("sent to %s", got)
	}
	cookie := back.cookieNamed("relay_session")
	f.as(cookie, "GET", "/api/session", "").want(200).holds(`"name":"maria-s"`, `"signedIn":true`)
	f.as(cookie, "GET", "/api/hosts", "").want(403)
	user := f.db.Catalog().Users.ByName("maria-s")
	if user.Spec.Email != "maria@acme.example" || user.Spec.HasPassword || !slices.Equal(user.Spec.Groups, []string{"ops", "research"}) || user.Metadata.DisplayName != "Maria S" ||
		*user.Spec.Identity != (store.Identity{Issuer: f.issuer.url, Subject: "7", Email: "maria@acme.example"}) {
		t.Errorf("user %+v", user)
	}
	generation := f.db.Catalog().Generation
	f.walk().want(http.StatusSeeOther)
	if got := f.db.Catalog().Generation; got != generation || f.db.Catalog().Users.Len() != 1 {
		t.Errorf("a second sign-in wrote: generation %d after %d", got, generation)
	}
	f.enter("maria-s", "").want(400)
	f.enter("maria-s", password).want(401)
	entries := f.logged("?action=sign-in&actor=maria-s&outcome=done")
	if len(entries) != 2 || entries[0].Address != "127.0.0.1" {
		t.Errorf("audit %+v", entries)
	}
}

func TestOIDC_RefusesWhatWasNotBegunHereOrIsNotRight(t *testing.T) {
	for name, row := range map[string]struct {
		change func(back *url.URL, headers []string) []string
		spoil  func(claims map[string]any)
		secret string
		fault  string
	}{
		"another state": {change: func(back *url.URL, h []string) []string {
			back.RawQuery = strings.Replace(back.RawQuery, "&state=", "&state=x", 1)
			return h
		}, fault: "expired"},
		"no cookie":        {change: func(_ *url.URL, h []string) []string { return []string{"Authorization", ""} }, fault: "expired"},
		"a cookie of none": {change: func(_ *url.URL, h []string) []string { h[3] = strings.Replace(h[3], "=", "=AAAA", 1); return h }, fault: "expired"},
		"a refusal":        {change: func(back *url.URL, h []string) []string { back.RawQuery += "&error=access_denied"; return h }, fault: "denied"},
		"another code": {change: func(back *url.URL, h []string) []string {
			back.RawQuery = strings.Replace(back.RawQuery, "code=code-", "code=x", 1)
			return h
		}, fault: "denied"},
		"another nonce":     {spoil: func(c map[string]any) { c["nonce"] = "other" }, fault: "denied"},
		"no nonce":          {spoil: func(c map[string]any) { delete(c, "nonce") }, fault: "denied"},
		"another audience":  {spoil: func(c map[string]any) { c["aud"] = "another client" }, fault: "denied"},
		"another issuer":    {spoil: func(c map[string]any) { c["iss"] = "https://evil.example" }, fault: "denied"},
		"an expired token":  {spoil: func(c map[string]any) { c["exp"] = 1 }, fault: "denied"},
		"another secret":    {secret: "another", fault: "denied"},
		"no subject at all": {spoil: func(c map[string]any) { c["sub"] = "" }, fault: ""},
	} {
		t.Run(name, func(t *testing.T) {
			f := startFederated(t)
			if row.spoil != nil {
				f.issuer.spoil = row.spoil
			}
			if row.secret != "" {
				f.issuer.secret = row.secret
			}
			var changes []func(*url.URL, []string) []string
			if row.change != nil {
				changes = append(changes, row.change)
			}
			back := f.walk(changes...)
			if got := back.header.Get("Location"); row.fault != "" && got != "../../../#sign-in="+row.fault {
				t.Errorf("%d, sent to %s", back.status, got)
			}
			if strings.Contains(strings.Join(back.header.Values("Set-Cookie"), " "), "relay_session") || f.db.Catalog().Users.Len() != 0 {
				t.Errorf("somebody is signed in: %v", back.header)
			}
		})
	}
}

func TestOIDC_ASignInWorksOnceAndForTenMinutes(t *testing.T) {
	f := startFederated(t)
	var again string
	var cookies []string
	f.walk(func(back *url.URL, h []string) []string { again, cookies = back.RawQuery, h; return h }).want(http.StatusSeeOther)
	replayed := f.send("GET", "/api/auth/oidc/callback?"+again, "", cookies...)
	if got := replayed.header.Get("Location"); got != "../../../#sign-in=denied" {
		t.Errorf("a replay is sent to %s", got)
	}
	late := f.walk(func(_ *url.URL, h []string) []string { f.now = f.now.Add(10 * time.Minute); return h })
	if got := late.header.Get("Location"); got != "../../../#sign-in=expired" {
		t.Errorf("after ten minutes sent to %s", got)
	}
}

func TestOIDC_LetsKnownPeopleInOnlyWhenRegistrationIsClosed(t *testing.T) {
	f := startFederated(t, func(o *admin.OIDC) { o.Open, o.Admins = false, []string{"boss@acme.example", "sub-9"} })
	closed := func() {
		t.Helper()
		if got := f.walk().header.Get("Location"); got != "../../../#sign-in=closed" {
			t.Errorf("sent to %s", got)
		}
	}
	closed()
	id := f.create(store.KindUser, `{"metadata":{"name":"maria"},"spec":{"email":"Maria@acme.example"}}`)
	f.issuer.is(map[string]any{"sub": "7", "email": "maria@acme.example", "email_verified": false})
	closed()
	f.issuer.is(map[string]any{"sub": "7", "email": "maria@acme.example", "email_verified": "true"})
	f.walk().want(http.StatusSeeOther).cookieNamed("relay_session")
	f.issuer.is(map[string]any{"sub": "8", "email": "maria@acme.example", "email_verified": true})
	closed()
	f.issuer.is(map[string]any{"sub": "7"})
	f.walk().want(http.StatusSeeOther).cookieNamed("relay_session")
	f.send("PATCH", "/api/users/by-id/"+id, `{"spec":{"disabled":true}}`, "Content-Type", "application/merge-patch+json").want(200)
	if got := f.walk().header.Get("Location"); got != "../../../#sign-in=disabled" {
		t.Errorf("a disabled user is sent to %s", got)
	}
	f.issuer.is(map[string]any{"sub": "1", "email": "BOSS@acme.example", "email_verified": true})
	f.as(f.walk().cookieNamed("relay_session"), "GET", "/api/session", "").want(200).holds(`"administrator":true`, `"name":"boss"`)
	f.issuer.is(map[string]any{"sub": "sub-9"})
	f.as(f.walk().cookieNamed("relay_session"), "GET", "/api/hosts", "").want(200)
	f.issuer.is(map[string]any{"sub": "2", "email": "boss@acme.example", "email_verified": false})
	closed()
}

func TestOIDC_TakesTheRoleFromWhomNobodyNamesAnyMore(t *testing.T) {
	f := startFederated(t, func(o *admin.OIDC) { o.Admins = []string{"maria@acme.example"} })
	cookie := f.walk().cookieNamed("relay_session")
	f.as(cookie, "GET", "/api/hosts", "").want(200)
	if err := admin.EnsureNamed(f.db, f.oidc); err != nil || f.db.Catalog().RoleBindings.Len() != 1 {
		t.Errorf("%d bindings, %v", f.db.Catalog().RoleBindings.Len(), err)
	}
	f.oidc.Admins = nil
	if err := admin.EnsureNamed(f.db, f.oidc); err != nil {
		t.Fatal(err)
	}
	f.as(cookie, "GET", "/api/hosts", "").want(401)
	if n := f.db.Catalog().RoleBindings.Len(); n != 0 {
		t.Errorf("%d bindings are left", n)
	}
}

func TestOIDC_GroupsOfTheProviderCarryTheirRoles(t *testing.T) {
	f := startFederated(t)
	if err := admin.EnsureRoles(f.db); err != nil {
		t.Fatal(err)
	}
	f.create(store.KindGroup, `{"metadata":{"name":"research"},"spec":{}}`)
	f.create(store.KindRoleBinding, `{"metadata":{"name":"research"},"spec":{"roleId":"viewer","scope":{"kind":"system"},"subjects":[{"kind":"group","id":"research"}]}}`)
	cookie := f.walk().cookieNamed("relay_session")
	f.as(cookie, "GET", "/api/hosts", "").want(200)
	f.issuer.is(map[string]any{"sub": "7", "groups": "ops"})
	next := f.walk().cookieNamed("relay_session")
	f.as(next, "GET", "/api/hosts", "").want(403)
	f.as(cookie, "GET", "/api/hosts", "").want(401)
}

func TestOIDC_SaysWhenTheProviderIsAwayAndRecoversByItself(t *testing.T) {
	f := startFederated(t)
	f.issuer.down = true
	if got := f.as("", "GET", "/api/auth/oidc/login", "").want(http.StatusSeeOther).header.Get("Location"); got != "../../../#sign-in=unavailable" {
		t.Errorf("sent to %s", got)
	}
	f.issuer.mu.Lock()
	f.issuer.down = false
	f.issuer.mu.Unlock()
	f.walk().want(http.StatusSeeOther).cookieNamed("relay_session")
}

func TestOIDC_IsNotThereWithoutAProvider(t *testing.T) {
	f := start(t)
	f.as("", "GET", "/api/auth/oidc/login", "").want(404).holds("auth.oidc")
	f.as("", "GET", "/api/auth/oidc/callback?code=x&state=y", "").want(404)
	f.as("", "POST", "/api/auth/oidc/login", "{}").want(405)
}

func TestOIDC_MakesUsernamesThatAreFree(t *testing.T) {
	f := startFederated(t)
	for i, row := range []struct {
		claims map[string]any
		want   string
	}{
		{map[string]any{"preferred_username": "maria@acme.example"}, "maria"},
		{map[string]any{"preferred_username": "Maria"}, "maria-2"},
		{map[string]any{"email": "noor@acme.example", "email_verified": true}, "noor"},
		{map[string]any{"name": "\u202eΩ", "email": "not an address", "email_verified": true}, "not-an-address"},
		{map[string]any{}, "s5"},
		{map[string]any{"name": strings.Repeat("n", 500)}, strings.Repeat("n", 63)},
	} {
		row.claims["sub"] = "s" + string(rune('1'+i))
		f.issuer.is(row.claims)
		f.walk().want(http.StatusSeeOther).cookieNamed("relay_session")
		if f.db.Catalog().Users.ByName(row.want) == nil {
			t.Errorf("%v is not %s", row.claims, row.want)
		}
	}
}
