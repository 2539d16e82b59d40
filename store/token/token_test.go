package token_test

import (
	"crypto/ed25519"
	"encoding/base64"
	"errors"
	"strings"
	"testing"
	"time"

	"relay/store/token"
)

const issuer = "installation-1"

func noon() time.Time { return time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC) }

func key(seed byte) ed25519.PrivateKey {
	return ed25519.NewKeyFromSeed([]byte(strings.Repeat(string(rune(seed)), ed25519.SeedSize)))
}

func claims() token.Claims {
	return token.Claims{ID: "t-1", User: "u-1", Project: "p-1", Version: 3, Issued: noon(), Expires: noon().Add(time.Hour)}
}

func verifier(keys ...token.Key) *token.Verifier { return token.NewVerifier(issuer, keys) }

func public(id string, seed byte) token.Key {
	return token.Key{ID: id, Public: key(seed).Public().(ed25519.PublicKey)}
}

func TestVerify_ReturnsWhatWasSigned(t *testing.T) {
	text := token.Sign(issuer, "k1", key('a'), claims())
	got, err := verifier(public("k0", 'z'), public("k1", 'a')).Verify(text, noon().Add(time.Minute))
	if err != nil || got != claims() {
		t.Errorf("claims %+v, %v", got, err)
	}
	if !token.Looks(text) || token.Looks("sk-wr-a.b.c") || token.Looks("eyJhbGci") {
		t.Error("tokens are not told by their looks")
	}
}

func TestVerify_EndsWithTheTokenAndWithItsKey(t *testing.T) {
	text := token.Sign(issuer, "k1", key('a'), claims())
	v := verifier(public("k1", 'a'))
	if _, err := v.Verify(text, noon().Add(time.Hour-time.Second)); err != nil {
		t.Errorf("a second before: %v", err)
	}
	if got, err := v.Verify(text, noon().Add(time.Hour)); !errors.Is(err, token.ErrExpired) || got.ID != "t-1" {
		t.Errorf("at its end: %+v, %v", got, err)
	}
	retired := public("k1", 'a')
	retired.Until = noon().Add(time.Minute)
	if _, err := verifier(retired).Verify(text, noon()); err != nil {
		t.Errorf("under a key that is to end: %v", err)
	}
	if _, err := verifier(retired).Verify(text, retired.Until); !errors.Is(err, token.ErrInvalid) {
		t.Errorf("under a key that has ended: %v", err)
	}
}

func TestVerify_RefusesWhatAnotherHasSigned(t *testing.T) {
	right := token.Sign(issuer, "k1", key('a'), claims())
	head, rest, _ := strings.Cut(right, ".")
	body, signature, _ := strings.Cut(rest, ".")
	part := func(text string) string { return base64.RawURLEncoding.EncodeToString([]byte(text)) }
	noUser := claims()
	noUser.User = ""
	for name, text := range map[string]string{
		"another key":           token.Sign(issuer, "k1", key('b'), claims()),
		"a key nobody knows":    token.Sign(issuer, "k2", key('a'), claims()),
		"another installation":  token.Sign("installation-2", "k1", key('a'), claims()),
		"no user":               token.Sign(issuer, "k1", key('a'), noUser),
		"no algorithm":          part(`{"alg":"none","kid":"k1"}`) + "." + body + ".",
		"another algorithm":     part(`{"alg":"HS256","kid":"k1"}`) + "." + body + "." + signature,
		"another body":          head + "." + part(`{"iss":"installation-1","aud":"relay:inference","sub":"u-2","project":"p-1","jti":"t","exp":99999999999}`) + "." + signature,
		"no signature":          head + "." + body + ".",
		"padded signature":      right + "=",
		"a changed last letter": right[:len(right)-1] + string(right[len(right)-1]^1),
		"one part":              "eyJhbGciOiJFZERTQSJ9",
		"four parts":            right + ".x",
		"nothing":               "",
		"no JSON":               part("{") + "." + part("{") + "." + signature,
		"a long text":           strings.Repeat("a", 5000) + "." + body + "." + signature,
	} {
		if got, err := verifier(public("k1", 'a')).Verify(text, noon()); !errors.Is(err, token.ErrInvalid) || got != (token.Claims{}) {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
}

func TestKnows_TellsTokensOfItsKeysByTheirHeader(t *testing.T) {
	v := verifier(public("k1", 'a'))
	right := token.Sign(issuer, "k1", key('a'), claims())
	head, _, _ := strings.Cut(right, ".")
	for text, want := range map[string]bool{
		right:                true,
		right[:len(right)-2]: true, // a forgery is no other issuer's
		head + "..":          true,
		head:                 false,
		"":                   false,
		"eyJ..":              false,
		right + ".x":         false,
		"sk-wr-" + right:     false,
		token.Sign(issuer, "k2", key('a'), claims()): false,
	} {
		if v.Knows(text) != want {
			t.Errorf("%q is known: %t", text, !want)
		}
	}
	if (*token.Verifier)(nil).Knows(right) {
		t.Error("without keys a token is known")
	}
}

func TestVerify_TellsWhenItsKeyEnds(t *testing.T) {
	until := public("k1", 'a')
	until.Until = noon().Add(time.Minute)
	if got, err := verifier(until).Verify(token.Sign(issuer, "k1", key('a'), claims()), noon()); err != nil || !got.KeyUntil.Equal(until.Until) {
		t.Errorf("%+v, %v", got, err)
	}
}

func BenchmarkVerify(b *testing.B) {
	text, v := token.Sign(issuer, "k1", key('a'), claims()), verifier(public("k1", 'a'))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := v.Verify(text, noon()); err != nil {
			b.Fatal(err)
		}
	}
}
