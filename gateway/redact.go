package gateway

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"net/url"
	"strings"

	"relay/gateway/plan"
	"relay/gateway/wire"
)

const (
	redaction = "[redacted]"
	leastTail = 8  // bytes of a secret at the end of a text that was cut
	leastForm = 12 // bytes of a form that may stand within other words
)

// redacted replaces the key in text of an upstream before it goes anywhere,
// however the upstream has written it. A text that ends within the key loses
// what there is of it.
func redacted(text string, k *plan.HostKey) string { return newRedactor(k).text(text) }

// redactor takes one key out of many texts.
type redactor struct {
	spelled  []string
	replacer *strings.Replacer // nil: there is no key
}

func newRedactor(k *plan.HostKey) redactor {
	secret := k.Value.Reveal()
	if secret == "" {
		return redactor{}
	}
	r := redactor{spelled: writtenForms(secret)}
	pairs := make([]string, 0, 2*len(r.spelled))
	for _, s := range r.spelled {
		pairs = append(pairs, s, redaction)
	}
	r.replacer = strings.NewReplacer(pairs...)
	return r
}

func (r redactor) text(text string) string {
	if r.replacer == nil {
		return text
	}
	text = r.replacer.Replace(text)
	for _, s := range r.spelled {
		text = withoutTail(text, s)
	}
	return text
}

// redactFailure replaces the key in all that a failure says.
func redactFailure(f *wire.Failure, k *plan.HostKey) {
	r := newRedactor(k)
	for _, text := range [...]*string{&f.Code, &f.Type, &f.Param, &f.Message} {
		*text = r.text(*text)
	}
}

// dropEchoes leaves out headers that hold the key.
func dropEchoes(h http.Header, k *plan.HostKey) {
	r := newRedactor(k)
	for name, values := range h {
		if all := strings.Join(values, "\n"); r.text(all) != all {
			h.Del(name)
		}
	}
}

// writtenForms are the ways in which upstreams write a secret, longer ones before
// those that they begin with.
func writtenForms(secret string) []string {
	var plain bytes.Buffer
	e := json.NewEncoder(&plain)
	e.SetEscapeHTML(false)
	_ = e.Encode(secret)            // text always encodes
	html, _ := json.Marshal(secret) // so here
	inJSON, inHTML := strings.Trim(plain.String(), "\"\n"), strings.Trim(string(html), `"`)
	inQuery, inPath := url.QueryEscape(secret), url.PathEscape(secret)
	forms := []string{
		secret, inQuery, inPath, lowerHex(inQuery), lowerHex(inPath),
		inJSON, inHTML, strings.ReplaceAll(inJSON, "/", `\/`), strings.ReplaceAll(inHTML, "/", `\/`),
	}
	inHex := hex.EncodeToString([]byte(secret))
	forms = append(forms, inHex, strings.ToUpper(inHex))
	for _, alphabet := range [...]*base64.Encoding{base64.StdEncoding, base64.URLEncoding} {
		forms = append(forms, alphabet.EncodeToString([]byte(secret)), alphabet.WithPadding(base64.NoPadding).EncodeToString([]byte(secret)))
		forms = append(forms, within64(alphabet, secret)...)
	}
	return forms
}

// lowerHex writes the digits of percent-encoding in lower case, as some
// libraries do.
func lowerHex(escaped string) string {
	b := []byte(escaped)
	for i := 0; i+2 < len(b); i++ {
		if b[i] == '%' {
			copy(b[i+1:i+3], bytes.ToLower(b[i+1:i+3]))
			i += 2
		}
	}
	return string(b)
}

// within64 is what is left of a secret in the base64 of a longer text, such as
// user:secret, at each of the three places where it may begin.
func within64(alphabet *base64.Encoding, secret string) (forms []string) {
	for before := range 3 {
		text := alphabet.EncodeToString(append(make([]byte, before), secret...))
		whole := (before + len(secret)) / 3 * 4 // characters that what follows does not change
		if first := [...]int{0, 2, 3}[before]; whole-first >= leastForm {
			forms = append(forms, text[first:whole])
		}
	}
	return forms
}

// withoutTail replaces the beginning of a secret that the text ends with.
func withoutTail(text, secret string) string {
	for n := min(len(secret)-1, len(text)); n >= leastTail; n-- {
		if strings.HasSuffix(text, secret[:n]) {
			return text[:len(text)-n] + redaction
		}
	}
	return text
}
