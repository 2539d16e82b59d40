package gateway_test

import (
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"

	"relay/gateway/gatewaytest"
	"relay/store"
)

// shapeOf is the shape of which a path speaks.
func shapeOf(path string) store.Shape {
	if plain, err := url.PathUnescape(path); err == nil {
		path = plain
	}
	switch {
	case strings.Contains(path, "/messages"), strings.HasPrefix(path, "/anthropic/"):
		return store.ShapeAnthropic
	case strings.Contains(path, "/v1beta"), strings.HasPrefix(path, "/gemini/"):
		return store.ShapeGemini
	case strings.HasPrefix(path, "/api/"):
		return store.ShapeOllama
	}
	return store.ShapeOpenAI
}

// toldIn is how a shape tells an error of the code that has this status
// elsewhere: its status, how the body begins, and what it holds.
func toldIn(shape store.Shape, status int, code string) (told int, begins, holds string) {
	switch shape {
	case store.ShapeAnthropic:
		told, begins = anthropics(status)
		return told, begins, `"},"request_id":"`
	case store.ShapeGemini:
		return status, fmt.Sprintf(`{"error":{"code":%d,"message":"`, status),
			fmt.Sprintf(`","status":"%s","details":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"%s","domain":"relay"`, googles(status), code)
	case store.ShapeOllama:
		return status, `{"error":"`, `"}`
	}
	return status, `{"error":{"message":"`, fmt.Sprintf(`,"code":"%s","param":null}`, code)
}

// anthropics is how Anthropic's shape tells an error of the status.
func anthropics(status int) (int, string) {
	types := map[int]string{
		401: "authentication_error", 403: "permission_error", 404: "not_found_error", 413: "request_too_large",
		429: "rate_limit_error", 500: "api_error", 502: "api_error", 503: "overloaded_error", 504: "api_error", 508: "api_error",
	}
	kind, known := types[status]
	if !known {
		kind = "invalid_request_error"
	}
	if status == 503 {
		status = 529
	}
	return status, `{"type":"error","error":{"type":"` + kind + `","message":"`
}

// googles is the name of the google.rpc.Code that goes with a status.
func googles(status int) string {
	names := map[int]string{
		401: "UNAUTHENTICATED", 403: "PERMISSION_DENIED", 404: "NOT_FOUND", 408: "DEADLINE_EXCEEDED", 429: "RESOURCE_EXHAUSTED",
		500: "INTERNAL", 502: "UNAVAILABLE", 503: "UNAVAILABLE", 504: "DEADLINE_EXCEEDED", 508: "INTERNAL",
	}
	if name, known := names[status]; known {
		return name
	}
	return "INVALID_ARGUMENT"
}

// overloaded is the status with which the kind's shape turns callers away.
func (k kind) overloaded() int {
	status, _, _ := toldIn(k.shape, 503, "overloaded")
	return status
}

// lastEvent is what the last event of a stream says, or the body that is none.
func (k kind) lastEvent(body string) string {
	if k.read == nil {
		return body
	}
	events := slices.DeleteFunc(k.read(body), func(event string) bool { return event == " ]" })
	if len(events) == 0 {
		return body
	}
	_, data, _ := strings.Cut(events[len(events)-1], " ")
	return data
}

// holdsError reports whether a text tells an error. A response says that it has
// none.
func holdsError(text string) bool {
	return strings.Contains(strings.ReplaceAll(text, `"error":null`, ""), `"error"`)
}

// mustParse fails the test unless every reader of the stream can read all of it.
func (k kind) mustParse(t *testing.T, after, body string) {
	t.Helper()
	whole := true
	switch k.contentType {
	case "application/json":
		whole = json.Valid([]byte(body))
	case "application/x-ndjson":
		for line := range strings.SplitSeq(body, "\n") {
			whole = whole && (strings.TrimSpace(line) == "" || json.Valid([]byte(line)))
		}
	}
	if !whole {
		t.Errorf("%s, %s: nobody can read %q", k.name, after, body)
	}
}

// mustEndIn fails the test unless a stream ends in an error of the shape. An array
// that is torn within an element cannot: its connection is cut.
func (k kind) mustEndIn(t *testing.T, after string, a gatewaytest.Answer, code string) {
	t.Helper()
	if k.contentType == "application/json" && a.Err != nil && !json.Valid([]byte(a.Body)) {
		return
	}
	wantShape(t, after, k, k.lastEvent(a.Body), code)
	if a.Err != nil {
		t.Errorf("%s, %s: %v", k.name, after, a.Err)
	}
}

// statusOf are the statuses that go with the codes within streams.
func statusOf(code string) int {
	switch code {
	case "upstream_timeout":
		return 504
	case "key_revoked":
		return 401
	}
	return 502
}

// wantShape fails the test unless the text is an error in the shape of the
// call.
func wantShape(t *testing.T, name string, k kind, text, code string) {
	t.Helper()
	_, begins, holds := toldIn(k.shape, statusOf(code), code)
	if !strings.HasPrefix(text, begins) || !strings.Contains(text, holds) {
		t.Errorf("%s: %q is not an error of the shape with %s", name, text, holds)
	}
}
