// Package token signs and verifies inference tokens: JSON Web Tokens (RFC 7519)
// of one user in one project, signed with Ed25519 (EdDSA, RFC 8037). It is pure:
// keys and the time are arguments, and whether a token is revoked is asked
// elsewhere, by its id and by the version of its user.
//
// Whoever takes requests makes a [Verifier] of the keys that are valid, once,
// and asks it for every credential that it knows by its header. A verified token
// is let in when store.DB.TokenRevoked denies its id, its user exists, is not
// disabled and has the version of the token, and may mint in its project.
package token

import (
	"crypto/ed25519"
	"encoding/base64"
	"encoding/json"
	"errors"
	"strings"
	"time"

	"relay/store"
)

// Claims are what a token says.
type Claims struct {
	ID      string // unique
	User    string // id of the record
	Project string // id of the record
	Version int64  // of the user's tokens when it was made
	Issued  time.Time
	Expires time.Time

	KeyUntil time.Time // when the key ends that it was verified with; zero: no end
}

// Key verifies what its private half has signed.
type Key struct {
	ID     string
	Public ed25519.PublicKey
	Until  time.Time // zero: no end
}

// Keys are what verifies the tokens of the store's keys.
func Keys(kept []store.TokenKey) []Key {
	public := make([]Key, len(kept))
	for i, key := range kept {
		public[i] = Key{ID: key.ID, Public: key.Private.Public().(ed25519.PublicKey), Until: key.Until}
	}
	return public
}

// The reasons for which a token is not let in.
var (
	ErrInvalid = errors.New("the token is not one of this Relay")
	ErrExpired = errors.New("the token has expired")
)

const (
	algorithm = "EdDSA"
	audience  = "relay:inference"
	maxLength = 4 << 10 // bytes
)

type header struct {
	Algorithm string `json:"alg"`
	Type      string `json:"typ"`
	KeyID     string `json:"kid"`
}

type payload struct {
	Issuer   string `json:"iss"`
	Audience string `json:"aud"`
	Subject  string `json:"sub"`
	Project  string `json:"project"`
	Version  int64  `json:"version"`
	ID       string `json:"jti"`
	Issued   int64  `json:"iat"` // seconds since 1970
	Expires  int64  `json:"exp"`
}

// Sign writes a token. The issuer names the installation; times are kept in
// whole seconds.
func Sign(issuer, keyID string, key ed25519.PrivateKey, c Claims) string {
	signed := headerOf(keyID) + "." + encode(payload{
		Issuer: issuer, Audience: audience, Subject: c.User, Project: c.Project, Version: c.Version,
		ID: c.ID, Issued: c.Issued.Unix(), Expires: c.Expires.Unix(),
	})
	return signed + "." + base64.RawURLEncoding.EncodeToString(ed25519.Sign(key, []byte(signed)))
}

// headerOf is the first part of every token of a key. Tokens are recognised by
// it as it is written.
func headerOf(keyID string) string { return encode(header{algorithm, "JWT", keyID}) }

func encode(part any) string {
	text, _ := json.Marshal(part) // texts and numbers always encode
	return base64.RawURLEncoding.EncodeToString(text)
}

// Looks reports whether a credential has the form of a token.
func Looks(text string) bool {
	return strings.HasPrefix(text, "eyJ") && strings.Count(text, ".") == 2
}

// Verifier knows the tokens of one installation. It is immutable, and safe for
// concurrent use.
type Verifier struct {
	issuer string
	keys   map[string]Key // by the header of their tokens
}

// NewVerifier makes a verifier of the keys.
func NewVerifier(issuer string, keys []Key) *Verifier {
	v := &Verifier{issuer: issuer, keys: make(map[string]Key, len(keys))}
	for _, key := range keys {
		v.keys[headerOf(key.ID)] = key
	}
	return v
}

// Knows reports whether a credential begins as the tokens of a key of this
// installation do. Tokens of other issuers do not. A nil Verifier knows none.
func (v *Verifier) Knows(text string) bool {
	if v == nil || !Looks(text) {
		return false
	}
	_, known := v.keys[text[:strings.IndexByte(text, '.')]]
	return known
}

// Verify returns what a token says. It fails with ErrExpired for one that was
// right, and with ErrInvalid for anything else.
func (v *Verifier) Verify(text string, now time.Time) (Claims, error) {
	if len(text) > maxLength {
		return Claims{}, ErrInvalid
	}
	signed, signature, found := cutLast(text)
	head, body, two := strings.Cut(signed, ".")
	if !found || !two {
		return Claims{}, ErrInvalid
	}
	key, ok := v.keys[head]
	ok = ok && (key.Until.IsZero() || now.Before(key.Until))
	raw, err := base64.RawURLEncoding.Strict().DecodeString(signature)
	if !ok || err != nil || !ed25519.Verify(key.Public, []byte(signed), raw) {
		return Claims{}, ErrInvalid
	}
	return v.claims(body, key.Until, now)
}

func cutLast(text string) (before, after string, found bool) {
	at := strings.LastIndexByte(text, '.')
	if at < 0 {
		return "", "", false
	}
	return text[:at], text[at+1:], true
}

func (v *Verifier) claims(body string, until, now time.Time) (Claims, error) {
	var p payload
	if !decode(body, &p) || p.Issuer != v.issuer || p.Audience != audience || p.ID == "" || p.Subject == "" || p.Project == "" {
		return Claims{}, ErrInvalid
	}
	c := Claims{
		ID: p.ID, User: p.Subject, Project: p.Project, Version: p.Version,
		Issued: time.Unix(p.Issued, 0).UTC(), Expires: time.Unix(p.Expires, 0).UTC(),
		KeyUntil: until,
	}
	if !now.Before(c.Expires) {
		return c, ErrExpired
	}
	return c, nil
}

func decode(part string, into any) bool {
	text, err := base64.RawURLEncoding.Strict().DecodeString(part)
	return err == nil && json.Unmarshal(text, into) == nil
}
