package gateway

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"net/url"
	"strings"

	"relay/gateway/plan"
	"relay/gateway/wire"
)

const (
	redaction = "[redacted]"
	leastTail = 8 // bytes of a secret at the end of a text that was cut
)

// redacted replaces the key in text of an upstream before it goes anywhere,
// however the upstream has written it. A text that ends within the key loses
// what there is of it.
func redacted(text string, k *plan.HostKey) string {
	secret := k.Value.Reveal()
	if secret == "" {
		return text
	}
	spelled := writtenForms(secret)
	pairs := make([]string, 0, 2*len(spelled))
	for _, s := range spelled {
		pairs = append(pairs, s, redaction)
	}
	text = strings.NewReplacer(pairs...).Replace(text)
	for _, s := range spelled {
		text = withoutTail(text, s)
	}
	return text
}

// redactFailure replaces the key in all that a failure says.
func redactFailure(f *wire.Failure, k *plan.HostKey) {
	for _, text := range [...]*string{&f.Code, &f.Type, &f.Param, &f.Message} {
		*text = redacted(*text, k)
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
	b := []byte(secret)
	return []string{
		secret, url.QueryEscape(secret), url.PathEscape(secret),
		inJSON, inHTML, strings.ReplaceAll(inJSON, "/", `\/`), strings.ReplaceAll(inHTML, "/", `\/`),
		base64.StdEncoding.EncodeToString(b), base64.RawStdEncoding.EncodeToString(b),
		base64.URLEncoding.EncodeToString(b), base64.RawURLEncoding.EncodeToString(b),
	}
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
