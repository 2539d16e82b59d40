package gateway_test

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"time"

	"github.com/google/uuid"

	"relay/store"
	"relay/store/token"
)

// user makes a user who may do everything.
func (r *rig) user(name string) *store.User {
	r.tb.Helper()
	r.account()
	u := put(r, name, store.UserSpec{})
	role := put(r, "boss", store.RoleSpec{Rules: []store.RoleRule{{Kinds: []string{store.AnyRule}, Verbs: []store.Verb{store.AnyRule}}}})
	r.grant("boss-"+name, role.Metadata.ID, store.System(), u.Metadata.ID)
	return u
}

func (r *rig) grant(name, role string, scope store.Ref, user string) {
	r.tb.Helper()
	put(r, name, store.RoleBindingSpec{RoleID: role, Scope: scope, Subjects: []store.Ref{{Kind: store.KindUser, ID: user}}})
}

// rotateTokenKey makes the key that signs tokens from now on; the former one goes
// on for so long.
func (r *rig) rotateTokenKey(former time.Duration) {
	r.tb.Helper()
	now := time.Now()
	if _, err := r.db.Write(func(e *store.Edit) error { return e.RotateTokenKey(now, now.Add(former)) }); err != nil {
		r.tb.Fatal(err)
	}
}

func (r *rig) signingKey() store.TokenKey {
	r.tb.Helper()
	keys, err := r.db.TokenKeys(time.Now())
	if err != nil {
		r.tb.Fatal(err)
	}
	if len(keys) == 0 {
		r.rotateTokenKey(time.Hour)
		return r.signingKey()
	}
	return keys[0]
}

// claims are those of an hour's token of the user in the project.
func (r *rig) claims(user, project string) token.Claims {
	r.tb.Helper()
	now := time.Now()
	return token.Claims{
		ID: uuid.NewString(), User: r.record(store.KindUser, user), Project: r.record(store.KindProject, project),
		Version: r.db.Catalog().Users.ByName(user).Spec.TokenVersion, Issued: now, Expires: now.Add(time.Hour),
	}
}

func (r *rig) signed(c token.Claims) string {
	r.tb.Helper()
	key := r.signingKey()
	return token.Sign(r.db.InstallationID(), key.ID, key.Private, c)
}

// mint makes a token of the user in the project.
func (r *rig) mint(user, project string) (text, id string) {
	r.tb.Helper()
	c := r.claims(user, project)
	return r.signed(c), c.ID
}

// userKey makes a relay key of the user in the project.
func (r *rig) userKey(name, user, project string, caps store.RelayKeySpec) string {
	r.tb.Helper()
	plaintext := "sk-wr-" + name + "-0123456789"
	sum := sha256.Sum256([]byte(plaintext))
	caps.KeyHash, caps.Principal = hex.EncodeToString(sum[:]), store.Ref{Kind: store.KindUser, ID: r.record(store.KindUser, user)}
	caps.ProjectID = r.record(store.KindProject, project)
	put(r, name, caps)
	return plaintext
}

// foreignToken is what an agent has of its vendor.
func foreignToken() string {
	part := func(text string) string { return base64.RawURLEncoding.EncodeToString([]byte(text)) }
	return part(`{"alg":"RS256","typ":"JWT","kid":"vendor-1"}`) + "." + part(`{"iss":"https://vendor.example","sub":"me","exp":99999999999}`) + "." + part("signature")
}
