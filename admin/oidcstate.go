package admin

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"time"
)

// begunLife is how long somebody may take to sign in at an identity provider.
const begunLife = 10 * time.Minute

// begunSignIn is what a sign-in at an identity provider has begun with. The
// browser keeps it in a sealed cookie, so that nothing of it lies here and only
// the browser that has begun can end it.
type begunSignIn struct {
	State    string    `json:"s"`
	Nonce    string    `json:"n"`
	Verifier string    `json:"v"` // of RFC 7636
	Expires  time.Time `json:"e"`
}

// begunCookies seals what is in these cookies with a key of this run.
type begunCookies struct{ box cipher.AEAD }

func newBegunCookies() begunCookies {
	key := make([]byte, 32)
	_, _ = rand.Read(key) // never fails
	block, err := aes.NewCipher(key)
	if err != nil {
		panic(err) // the length of the key is right
	}
	box, err := cipher.NewGCM(block)
	if err != nil {
		panic(err) // AES has the block size that it wants
	}
	return begunCookies{box}
}

func (c begunCookies) seal(b begunSignIn) string {
	text, _ := json.Marshal(b) // texts and times always encode
	nonce := make([]byte, c.box.NonceSize())
	_, _ = rand.Read(nonce) // never fails
	return base64.RawURLEncoding.EncodeToString(c.box.Seal(nonce, nonce, text, nil))
}

func (c begunCookies) open(text string) (b begunSignIn, ok bool) {
	sealed, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil || len(sealed) < c.box.NonceSize() {
		return b, false
	}
	plain, err := c.box.Open(nil, sealed[:c.box.NonceSize()], sealed[c.box.NonceSize():], nil)
	return b, err == nil && json.Unmarshal(plain, &b) == nil
}

// begunCookie is sent along when the provider sends the browser back, which a
// strict one is not.
func (s *server) begunCookie(r *http.Request, value string) http.Cookie {
	name, age := "relay_oidc_"+s.DB.InstallationID(), int(begunLife/time.Second)
	if s.overTLS(r) {
		name = "__Host-" + name
	}
	if value == "" {
		age = -1
	}
	return http.Cookie{Name: name, Value: value, Path: "/", MaxAge: age, HttpOnly: true, Secure: s.overTLS(r), SameSite: http.SameSiteLaxMode}
}

// begun returns what the browser has begun with, if its time is not over.
func (s *server) begun(r *http.Request) (b begunSignIn, ok bool) {
	cookie, err := r.Cookie(s.begunCookie(r, "").Name)
	if err != nil {
		return b, false
	}
	b, ok = s.begunCookies.open(cookie.Value)
	return b, ok && s.Now().Before(b.Expires)
}
