package cmd_test

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
)

// control is a control API and the token that opens it.
type control struct {
	t          *testing.T
	url, token string
}

// send makes a call and returns its status and answer.
func (c control) send(method, path, body string) (int, string) {
	c.t.Helper()
	req, err := http.NewRequestWithContext(c.t.Context(), method, strings.TrimSuffix(c.url, "/")+path, strings.NewReader(body))
	if err != nil {
		c.t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+c.token)
	switch method {
	case http.MethodPatch:
		req.Header.Set("Content-Type", "application/merge-patch+json")
	case http.MethodPost, http.MethodPut:
		req.Header.Set("Content-Type", "application/json")
	}
	answer, err := http.DefaultTransport.RoundTrip(req)
	if err != nil {
		c.t.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		c.t.Fatal(err)
	}
	return answer.StatusCode, string(text)
}

// must is send, and fails the test for any status but the one that is given.
func (c control) must(status int, method, path, body string) string {
	c.t.Helper()
	got, text := c.send(method, path, body)
	if got != status {
		c.t.Fatalf("%s %s: %d, want %d: %s", method, path, got, status, text)
	}
	return text
}

// row reads a record.
func (c control) row(path string) map[string]any {
	c.t.Helper()
	return decoded(c.t, c.must(http.StatusOK, http.MethodGet, path, ""))
}

// id returns the id of the record at the path.
func (c control) id(path string) string {
	c.t.Helper()
	return member(c.row(path), "metadata", "id").(string)
}

func decoded(t *testing.T, text string) map[string]any {
	t.Helper()
	object := map[string]any{}
	if err := json.Unmarshal([]byte(text), &object); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	return object
}

func encoded(t *testing.T, value any) string {
	t.Helper()
	text, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// member follows the names of members into an object.
func member(object map[string]any, names ...string) any {
	var value any = object
	for _, name := range names {
		object, _ := value.(map[string]any)
		value = object[name]
	}
	return value
}
