package store_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"relay/store"
	"relay/store/storetest"
)

func quick() *store.Passwords { return store.NewPasswords(store.PasswordCost{MemoryKiB: 8, Passes: 1}) }

func mustHash(t *testing.T, p *store.Passwords, text string) store.PasswordHash {
	t.Helper()
	hash, err := p.Hash(t.Context(), store.NewSecret(text))
	if err != nil {
		t.Fatal(err)
	}
	return hash
}

func TestPasswords_MatchTheirOwnHashOnly(t *testing.T) {
	p := quick()
	hash, again := mustHash(t, p, "correct horse"), mustHash(t, p, "correct horse")
	if hash == again {
		t.Error("two hashes of one password are alike: there is no salt")
	}
	for name, row := range map[string]struct {
		hash     store.PasswordHash
		password string
		want     bool
	}{
		"the password":       {hash, "correct horse", true},
		"another":            {hash, "correct horsf", false},
		"nothing":            {hash, "", false},
		"no hash":            {store.PasswordHash{}, "correct horse", false},
		"no hash, no text":   {store.PasswordHash{}, "", false},
		"the empty password": {mustHash(t, p, "x"), "", false},
	} {
		if got, err := p.Matches(t.Context(), row.hash, store.NewSecret(row.password)); err != nil || got != row.want {
			t.Errorf("%s: %v, %v", name, got, err)
		}
	}
	if text := fmt.Sprintf("%v %+v %s", hash, hash, hash); strings.Contains(text, "argon2") {
		t.Errorf("a hash prints as %s", text)
	}
}

func TestPasswords_OfAnotherCostStillMatch(t *testing.T) {
	hash := mustHash(t, quick(), "correct horse")
	dearer := store.NewPasswords(store.PasswordCost{MemoryKiB: 16, Passes: 2})
	if got, err := dearer.Matches(t.Context(), hash, store.NewSecret("correct horse")); err != nil || !got {
		t.Errorf("%v, %v", got, err)
	}
}

func TestPasswords_WaitForTheirTurnAndGiveUpWithTheCaller(t *testing.T) {
	p := store.NewPasswords(store.PasswordCost{MemoryKiB: 8 << 10, Passes: 8})
	ctx, cancel := context.WithCancel(t.Context())
	var hashing sync.WaitGroup
	var mu sync.Mutex
	given := 0
	for range 8 {
		hashing.Go(func() {
			if _, err := p.Hash(ctx, store.NewSecret("x")); errors.Is(err, context.Canceled) {
				mu.Lock()
				given++
				mu.Unlock()
			}
		})
	}
	cancel()
	hashing.Wait()
	if given == 0 {
		t.Error("nobody gave up, so that all hashed at once")
	}
}

func TestSetPassword_KeepsTheHashSealedAndRevokesTokens(t *testing.T) {
	db, p := storetest.Open(t), quick()
	user := &store.User{Metadata: store.Metadata{Name: "maria"}}
	set := func(password string) *store.User {
		c, err := db.Write(func(e *store.Edit) error {
			if user.Metadata.ID == "" {
				if err := e.Put(user); err != nil {
					return err
				}
			}
			return e.SetPassword(user.Metadata.ID, mustHash(t, p, password))
		})
		if err != nil {
			t.Fatal(err)
		}
		return c.Users.ByName("maria")
	}
	first := set("correct horse")
	if !first.Spec.HasPassword || first.Spec.TokenVersion != 0 {
		t.Errorf("first %+v", first.Spec)
	}
	second := set("battery staple")
	if second.Spec.TokenVersion != 1 {
		t.Errorf("version %d after a change", second.Spec.TokenVersion)
	}
	hash, err := db.PasswordHash(second)
	if err != nil {
		t.Fatal(err)
	}
	for password, want := range map[string]bool{"correct horse": false, "battery staple": true} {
		if got, _ := p.Matches(t.Context(), hash, store.NewSecret(password)); got != want {
			t.Errorf("%s matches: %v", password, got)
		}
	}
	if _, err := db.Write(func(e *store.Edit) error { return e.Delete(store.KindUser, user.Metadata.ID) }); err != nil {
		t.Fatal(err)
	}
	if hash, err := db.PasswordHash(second); err != nil || !hash.IsZero() {
		t.Errorf("after the user: %v, %v", hash.IsZero(), err)
	}
}

func TestPut_TakesNoPasswordInClear(t *testing.T) {
	db := storetest.Open(t)
	user := &store.User{Metadata: store.Metadata{Name: "maria"}, Spec: store.UserSpec{Password: store.NewSecret("correct horse")}}
	if _, err := db.Write(func(e *store.Edit) error { return e.Put(user) }); err == nil || strings.Contains(err.Error(), "horse") {
		t.Errorf("error %v", err)
	}
	if db.Catalog().Users.Len() != 0 {
		t.Error("the user was written")
	}
}

func TestWebhookSecret_IsKeptSealedUntilAnotherIsGiven(t *testing.T) {
	db := storetest.Open(t)
	rec := &store.Setting{Metadata: store.Metadata{Name: "webhook"}, Spec: store.SettingSpec{URL: "https://hooks.example/x", Secret: store.NewSecret("sign-with-this")}}
	write(t, db, rec)
	rec.Spec.Secret = store.Secret{}
	rec.Spec.URL = "https://hooks.example/y"
	c := write(t, db, rec)
	if got := c.Settings.ByName("webhook").Spec; !got.HasSecret || !got.Secret.IsZero() {
		t.Errorf("setting %+v", got)
	}
	if secret, err := db.WebhookSecret(); err != nil || secret.Reveal() != "sign-with-this" {
		t.Errorf("%q, %v", secret.Reveal(), err)
	}
}

func TestTokenTTL_IsBoundedByADay(t *testing.T) {
	for spec, want := range map[string][2]time.Duration{
		`{}`:                                   {time.Hour, 24 * time.Hour},
		`{"defaultTTL":"30m","maxTTL":"2h"}`:   {30 * time.Minute, 2 * time.Hour},
		`{"maxTTL":"10m"}`:                     {10 * time.Minute, 10 * time.Minute},
		`{"defaultTTL":"240h","maxTTL":"60d"}`: {24 * time.Hour, 24 * time.Hour},
	} {
		c := catalogOf(t, "setting tokens "+spec)
		if usual, most := c.TokenTTL(); usual != want[0] || most != want[1] {
			t.Errorf("%s: %s, %s", spec, usual, most)
		}
	}
}
