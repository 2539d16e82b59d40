package cmd_test

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"relay/gateway/echo"
)

// evidence is what has been shown, by where.
type evidence struct {
	t     *testing.T
	where []string
	text  []string
}

func (e *evidence) add(where, text string) {
	e.where, e.text = append(e.where, where), append(e.text, text)
}

// acquit fails the test when a secret was shown in any form.
func (e *evidence) acquit(secrets map[string]string) {
	e.t.Helper()
	for name, secret := range secrets {
		for form, written := range written(secret) {
			for i, text := range e.text {
				if at := strings.Index(text, written); at >= 0 {
					e.t.Errorf("%s shows %s (%s): …%q…", e.where[i], name, form, text[max(0, at-80):min(len(text), at+len(written)+20)])
				}
			}
		}
	}
}

// written are the forms in which a secret can stand in a text.
func written(secret string) map[string]string {
	inJSON, _ := json.Marshal(secret)
	return map[string]string{
		"clear": secret, "most of it": secret[:len(secret)*3/4], "JSON": strings.Trim(string(inJSON), `"`),
		"query": url.QueryEscape(secret), "path": url.PathEscape(secret),
		"base64": base64.RawStdEncoding.EncodeToString([]byte(secret)), "base64 for URL": base64.RawURLEncoding.EncodeToString([]byte(secret)),
		"hex": hex.EncodeToString([]byte(secret)),
	}
}

// rude is an upstream that says each caller's key back when it refuses it: all
// keys but the right one, and the right one for model rude.
func rude(t *testing.T, key string) string {
	t.Helper()
	polite := echo.Handler(echo.Options{Key: key, Models: []string{"echo-mini", "rude", "rude-400", "rude-429"}})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		shown := r.Header.Get("Authorization") + r.Header.Get("X-Api-Key")
		body, _ := io.ReadAll(r.Body)
		r.Body = io.NopCloser(bytes.NewReader(body))
		status := 0
		switch {
		case !strings.Contains(shown, key), strings.Contains(string(body), `"rude"`):
			status = http.StatusUnauthorized
		case strings.Contains(string(body), `"rude-400"`):
			status = http.StatusBadRequest
		case strings.Contains(string(body), `"rude-429"`):
			status = http.StatusTooManyRequests
		default:
			polite.ServeHTTP(w, r)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		_ = json.NewEncoder(w).Encode(map[string]any{"error": map[string]string{"message": "Incorrect API key provided: " + shown, "type": "invalid_request_error", "code": shown}})
	}))
	t.Cleanup(server.Close)
	return server.URL + "/v1"
}
