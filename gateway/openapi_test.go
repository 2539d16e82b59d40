package gateway_test

import (
	"encoding/json"
	"strings"
	"testing"

	"relay/gateway/gatewaytest"
	"relay/store"
)

func TestOpenAPI_NamesEveryEndpointAndEachIsServed(t *testing.T) {
	r, up := newStand(t)
	up.Otherwise(gatewaytest.JSON(200, `{}`))
	a := gatewaytest.Do(t, r.addr, "GET /openapi.json HTTP/1.1\r\nHost: a\r\n\r\n")
	var document struct {
		OpenAPI string                                `json:"openapi"`
		Paths   map[string]map[string]json.RawMessage `json:"paths"`
	}
	if err := json.Unmarshal([]byte(a.Body), &document); err != nil || a.Status != 200 || document.OpenAPI != "3.1.0" {
		t.Fatalf("got %d %.300s, %v", a.Status, a.Body, err)
	}
	for _, path := range []string{
		"/v1/chat/completions", "/v1/responses", "/v1/messages", "/v1/messages/count_tokens", "/v1/embeddings", "/v1/completions",
		"/v1/rerank", "/v1/moderations", "/v1/images/generations", "/v1/images/edits", "/v1/audio/speech", "/v1/audio/transcriptions",
		"/v1/audio/translations", "/v1/models", "/v1/models/{model}", "/v1/usage", "/v1beta/models", "/v1beta/models/{model}",
		"/v1beta/models/{model}:generateContent", "/v1beta/models/{model}:streamGenerateContent", "/v1beta/models/{model}:countTokens",
		"/v1beta/models/{model}:embedContent", "/v1beta/models/{model}:batchEmbedContents",
		"/api/chat", "/api/generate", "/api/embed", "/api/embeddings", "/api/show", "/api/tags", "/api/ps", "/api/version",
	} {
		if document.Paths[path] == nil {
			t.Errorf("%s is not in the document", path)
		}
	}
	key := r.key("laptop", store.RelayKeySpec{})
	for path, methods := range document.Paths {
		for method := range methods {
			text := strings.ToUpper(method) + " " + strings.ReplaceAll(path, "{model}", "nobody") + " HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer " + key + "\r\nContent-Length: 0\r\n\r\n"
			if a := gatewaytest.Do(t, r.addr, text); a.Status == 405 || strings.Contains(a.Body, "Nothing is served") {
				t.Errorf("%s %s: got %d %s", method, path, a.Status, a.Body)
			}
		}
	}
}
