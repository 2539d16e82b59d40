package cmd_test

import (
	"context"
	"encoding/json"
	"io"
	"maps"
	"mime"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"relay/store"
)

// document reads an OpenAPI document and fails the test for what is wrong with
// it.
func (c control) document(path string) *apiDocument {
	c.t.Helper()
	d := wrongWith(c.row(path))
	for _, fault := range d.faults {
		c.t.Errorf("%s: %s", path, fault)
	}
	if len(d.ids) < 20 {
		c.t.Errorf("%s has %d operations", path, len(d.ids))
	}
	return d
}

// peopled makes a row of every kind that first boot leaves empty.
func (s *serving) peopled() {
	s.t.Helper()
	for _, row := range []string{
		`pricings {"metadata":{"name":"free"},"spec":{"currency":"USD","rates":[{"meter":"requests","unit":"per_unit","amount":"0"}]}}`,
		`host-accounts {"metadata":{"name":"up-1"},"spec":{"hostId":"up"}}`,
		`host-keys {"metadata":{"name":"up-key"},"spec":{"hostId":"up","source":{"kind":"stored"},"value":"provider-0123456789"}}`,
		`users {"metadata":{"name":"maria"},"spec":{"password":"correct horse","email":"maria@example.com"}}`,
		`groups {"metadata":{"name":"guests"},"spec":{"members":["maria"]}}`,
		`role-bindings {"metadata":{"name":"guests"},"spec":{"roleId":"viewer","scope":{"kind":"project","id":"default"},"subjects":[{"kind":"group","id":"guests"}]}}`,
		`admin-tokens {"metadata":{"name":"ci"},"spec":{"roleIds":["viewer"]}}`,
		`settings {"metadata":{"name":"webhook"},"spec":{"url":"https://hooks.example/x","secret":"canary-secret"}}`,
	} {
		plural, body, _ := strings.Cut(row, " ")
		s.control.must(http.StatusCreated, http.MethodPost, "/api/"+plural, body)
	}
	s.chat(http.StatusOK, s.done("", "key", "add", "alice", "--rpm", "10", "--budget", "5/day"), "echo-mini")
}

// TestOpenAPI_OfTheControlAPIIsValidAndHolds reads the document of the control
// API as OpenAPI 3.1 and calls every operation in it: what is answered is what
// the document says.
func TestOpenAPI_OfTheControlAPIIsValidAndHolds(t *testing.T) {
	s := connected(t, nil)
	s.peopled()
	d := s.control.document("/api/openapi.json")
	paths := object(d.root["paths"])
	for _, path := range slices.Sorted(maps.Keys(paths)) {
		for _, method := range slices.Sorted(maps.Keys(object(paths[path]))) {
			s.asDescribed(d, strings.ToUpper(method), path, object(object(paths[path])[method]))
		}
	}
}

// asDescribed calls an operation and compares the answer with the document.
// Writes carry an ETag that nothing has.
func (s *serving) asDescribed(d *apiDocument, method, path string, operation map[string]any) {
	s.t.Helper()
	at := method + " " + path
	status, kind, text := s.try(method, s.filled(path))
	described, known := object(operation["responses"])[status].(map[string]any)
	if !known {
		described = object(object(operation["responses"])["default"])
	}
	if described == nil || !known && status < "400" {
		s.t.Errorf("%s: %s is not described: %s", at, status, text)
		return
	}
	content := object(described["content"])
	if len(content) == 0 && text == "" {
		return
	}
	media, known := content[kind]
	if !known {
		s.t.Errorf("%s: %s is answered as %q, described as %v", at, status, kind, slices.Collect(maps.Keys(content)))
		return
	}
	if !strings.HasSuffix(kind, "json") {
		return
	}
	var value any
	if err := json.Unmarshal([]byte(text), &value); err != nil {
		s.t.Errorf("%s: %v", at, err)
	}
	for _, fault := range d.fits(status, value, object(media)["schema"]) {
		s.t.Errorf("%s: %s", at, fault)
	}
}

// filled puts the first row of the kind into a path.
func (s *serving) filled(path string) string {
	s.t.Helper()
	for _, kind := range store.Kinds() {
		if prefix := "/api/" + kind.Plural() + "/"; strings.HasPrefix(path, prefix) && strings.Contains(path, "{") {
			items := list(s.control.row(strings.TrimSuffix(prefix, "/") + "?limit=1")["items"])
			if len(items) == 0 {
				s.t.Fatalf("there is no row of kind %s", kind)
			}
			id := member(object(items[0]), "metadata", "id").(string)
			return strings.NewReplacer("{id}", id, "{ref}", id).Replace(path)
		}
	}
	return strings.NewReplacer("{org_id}", "default", "/api/accounts/{ref}", "/api/accounts/organization:default").Replace(path)
}

// try calls and returns status, media type and body. Of a stream it reads the
// beginning.
func (s *serving) try(method, path string) (status, kind, text string) {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(s.t.Context(), 20*time.Second)
	defer cancel()
	body := ""
	if method != http.MethodGet && method != http.MethodDelete {
		body = "{}"
	}
	r, err := http.NewRequestWithContext(ctx, method, strings.TrimSuffix(s.control.url, "/")+path, strings.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+s.control.token)
	r.Header.Set("If-Match", `"0"`)
	if body != "" {
		r.Header.Set("Content-Type", map[bool]string{true: "application/merge-patch+json", false: "application/json"}[method == http.MethodPatch])
	}
	answer, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		s.t.Fatal(err)
	}
	defer answer.Body.Close()
	kind, _, _ = mime.ParseMediaType(answer.Header.Get("Content-Type"))
	status, _, _ = strings.Cut(answer.Status, " ")
	if kind == "text/event-stream" {
		return status, kind, "begun"
	}
	all, err := io.ReadAll(answer.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	return status, kind, string(all)
}

func TestOpenAPI_OfTheInferenceSideIsValid(t *testing.T) {
	s := startServing(t, dataDir(t), nil)
	control{t, s.inference, ""}.document("/openapi.json")
}

func TestOpenAPI_CheckFindsWhatIsWrong(t *testing.T) {
	for text, fault := range map[string]string{
		`{"openapi":"3.0.3","info":{"title":"x","version":"1"},"paths":{}}`:                                                                                         `openapi: is "3.0.3"`,
		`{"openapi":"3.1.0","info":{"title":"x"},"paths":{}}`:                                                                                                       "info without version",
		`{"openapi":"3.1.0","info":{"title":"x","version":"1"},"paths":{"a":{}}}`:                                                                                   "does not begin with /",
		`{"openapi":"3.1.0","info":{"title":"x","version":"1"},"paths":{"/{a}":{"get":{"operationId":"a","responses":{"200":{"description":"OK"}}}}}}`:              "nothing describes {a}",
		`{"openapi":"3.1.0","info":{"title":"x","version":"1"},"paths":{"/a":{"get":{"operationId":"a","responses":{"2000":{"description":"OK"}}}}}}`:               "is no status",
		`{"openapi":"3.1.0","info":{"title":"x","version":"1"},"paths":{},"components":{"schemas":{"A":{"type":"string","nullable":true}}}}`:                        "keyword nullable",
		`{"openapi":"3.1.0","info":{"title":"x","version":"1"},"paths":{},"components":{"schemas":{"A":{"$ref":"#/components/schemas/B"}}}}`:                        "keyword $ref",
		`{"openapi":"3.1.0","info":{"title":"x","version":"1"},"paths":{},"security":[{"key":[]}]}`:                                                                 "names a scheme key",
		`{"openapi":"3.1.0","info":{"title":"x","version":"1"},"paths":{},"components":{"schemas":{"A":{"type":"object","properties":{"a":{}},"required":["b"]}}}}`: "requires b",
	} {
		if d := wrongWith(decoded(t, text)); !strings.Contains(strings.Join(d.faults, "\n"), fault) {
			t.Errorf("%s: found %q, not %q", text, d.faults, fault)
		}
	}
}
