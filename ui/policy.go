package ui

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"strings"
)

// policyFor is the content security policy of a page: scripts and styles from
// this server only, no text that becomes markup or code. The one inline script
// is the import map, which is no code and is named by its hash.
func policyFor(page []byte) string {
	scripts := "script-src 'self'"
	if text := importMap(page); text != nil {
		sum := sha256.Sum256(text)
		scripts += " 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
	}
	return strings.Join([]string{
		"default-src 'none'", scripts, "style-src 'self'", "img-src 'self' data:", "connect-src 'self'",
		"base-uri 'none'", "form-action 'self'", "frame-ancestors 'none'",
		"require-trusted-types-for 'script'", "trusted-types 'none'",
	}, "; ")
}

// importMap returns the text within the page's import map, or nil.
func importMap(page []byte) []byte {
	_, rest, found := bytes.Cut(page, []byte(`<script type="importmap">`))
	text, _, closed := bytes.Cut(rest, []byte("</script>"))
	if !found || !closed {
		return nil
	}
	return text
}

func secure(h http.Header, policy string) {
	h.Set("Content-Security-Policy", policy)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Permissions-Policy", "camera=(), geolocation=(), microphone=()")
}
