package admin_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"relay/admin"
	"relay/store"
)

func TestSetupLink_OpensOnce(t *testing.T) {
	f := start(t)
	secret := f.link()
	if len(secret) != 43 {
		t.Errorf("a secret of %d characters", len(secret))
	}
	f.redeem("guess").want(401).holds("relay setup --link")
	f.redeem(secret).want(http.StatusCreated).holds(`"administrator":true`)
	f.redeem(secret).want(404)
	f.send("POST", "/api/setup-link", "").want(http.StatusConflict).holds("is set up")
	if users := f.db.Catalog().Users.Len(); users != 1 {
		t.Errorf("%d users", users)
	}
}

func TestSetup_ReportsWhatIsWrongAndKeepsTheLink(t *testing.T) {
	f := start(t)
	secret := f.link()
	for field, body := range map[string]map[string]string{
		"username": {"setup": secret, "username": "Not A Name", "password": password},
		"password": {"setup": secret, "username": "maria", "password": "short"},
		"email":    {"setup": secret, "username": "maria", "password": password, "email": "nowhere"},
	} {
		f.post("/api/setup", body).want(400).holds(`"field":"` + field + `"`)
	}
	f.post("/api/setup", map[string]string{"setup": secret, "username": "correct-horse", "password": "Correct-Horse"}).want(400).holds("must not be the username")
	f.post("/api/setup", map[string]string{"setup": "guess", "username": "Not A Name", "password": "x"}).want(401)
	f.redeem(secret).want(http.StatusCreated)
}

func TestSetup_IsDoneByWhoeverHasTheLinkHoweverManyGuess(t *testing.T) {
	f := start(t)
	secret := f.link()
	for range 10 {
		f.redeem("guess").want(401)
	}
	f.redeem("guess").want(429)
	f.redeem(secret).want(http.StatusCreated)
}

func TestSetup_MakesNoCommonPasswordValid(t *testing.T) {
	f := start(t)
	for _, name := range []string{"admin", "root", "relay", "default"} {
		f.enter(name, "admin").want(401)
		f.enter(name, "password").want(401)
		f.now = f.now.Add(time.Minute)
	}
}

func TestSetupLink_OpensOnceHoweverManyTry(t *testing.T) {
	f := start(t)
	secret := f.link()
	var opened atomic.Int32
	var tries sync.WaitGroup
	for range 8 {
		tries.Go(func() {
			if f.redeem(secret).status == http.StatusCreated {
				opened.Add(1)
			}
		})
	}
	tries.Wait()
	if opened.Load() != 1 {
		t.Errorf("opened %d times", opened.Load())
	}
}

func TestSetupLink_OpensForHalfAnHour(t *testing.T) {
	f := start(t)
	secret := f.link()
	f.now = f.now.Add(30*time.Minute - time.Second)
	f.redeem(secret).want(http.StatusCreated)
}

func TestSetupLink_OpensNothingAfterHalfAnHour(t *testing.T) {
	f := start(t)
	secret := f.link()
	f.now = f.now.Add(30 * time.Minute)
	f.redeem(secret).want(401)
}

func TestSetupLink_ReplacesTheOneBefore(t *testing.T) {
	f := start(t)
	former, next := f.link(), f.link()
	f.redeem(former).want(401)
	f.redeem(next).want(http.StatusCreated)
}

func TestSetupLink_OutlivesARestartAsAHashOnly(t *testing.T) {
	f := start(t)
	secret := f.link()
	path := filepath.Join(f.db.Dir(), "setup.link")
	text, err := os.ReadFile(path)
	if err != nil || strings.Contains(string(text), secret) {
		t.Errorf("the file: %v, the secret is in it: %v", err, strings.Contains(string(text), secret))
	}
	if stat, err := os.Stat(path); err != nil || stat.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v", stat.Mode(), err)
	}
	restarted := httptest.NewServer(admin.New(admin.Options{DB: f.db, Token: store.NewSecret(token), Now: func() time.Time { return f.now }}))
	t.Cleanup(restarted.Close)
	(&fixture{t: t, url: restarted.URL}).redeem(secret).want(http.StatusCreated)
	f.redeem(secret).want(404)
	if _, err := os.Stat(path); !os.IsNotExist(err) {
		t.Errorf("the used file is still there: %v", err)
	}
}

func TestSetupLink_IsMadeByAdministratorsOnly(t *testing.T) {
	f := start(t, func(o *admin.Options) { o.ControlURL = "http://127.0.0.1:8081/" })
	f.send("POST", "/api/setup-link", "", "Authorization", "").want(401)
	f.send("POST", "/api/setup-link", "", "Authorization", "Bearer sk-wr-x").want(401)
	f.send("GET", "/api/setup-link", "").want(http.StatusMethodNotAllowed)
	link, err := admin.NewLocalClient(f.handler).NewSetupLink(context.Background())
	if err != nil || link.URL != "http://127.0.0.1:8081/#setup="+link.Secret || !link.Expires.Equal(f.now.Add(30*time.Minute)) {
		t.Fatalf("link %+v, %v", link, err)
	}
	if got := link.At("https://relay.example/relay"); got != "https://relay.example/relay/#setup="+link.Secret {
		t.Errorf("elsewhere %s", got)
	}
}

func TestSetupLink_OpensNothingFromADamagedFile(t *testing.T) {
	f := start(t)
	secret := f.link()
	for _, text := range []string{"", "{}", "null", "not JSON", `{"sha256":"","expires":"2999-01-01T00:00:00Z"}`} {
		if err := os.WriteFile(filepath.Join(f.db.Dir(), "setup.link"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		f.redeem(secret).want(401)
		f.now = f.now.Add(time.Minute)
	}
	f.redeem(f.link()).want(http.StatusCreated)
}
