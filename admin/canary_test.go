package admin_test

import (
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"relay/store"
)

// schemaNode is what the canaries need to know of an OpenAPI schema.
type schemaNode struct {
	Ref        string                 `json:"$ref"`
	Type       any                    `json:"type"`
	Properties map[string]*schemaNode `json:"properties"`
	Items      *schemaNode            `json:"items"`
	Additional any                    `json:"additionalProperties"`
}

type openAPI struct {
	Paths map[string]map[string]struct {
		OperationID string `json:"operationId"`
		Parameters  []struct{ Name, In string }
		RequestBody *struct {
			Content map[string]struct{ Schema *schemaNode }
		} `json:"requestBody"`
	}
	Components struct{ Schemas map[string]*schemaNode }
}

// aviary sends canaries and looks for them in refusals.
type aviary struct {
	*company
	api  openAPI
	sent int
	told map[string]bool
}

func newAviary(t *testing.T) *aviary {
	t.Helper()
	a := &aviary{company: startCompany(t, stopped), told: map[string]bool{}}
	text := a.send("GET", "/api/openapi.json", "").want(200).text
	if err := json.Unmarshal([]byte(text), &a.api); err != nil {
		t.Fatal(err)
	}
	return a
}

// next returns a text that has never been sent: two in three are names that
// records could have, the others none.
func (a *aviary) next() string {
	a.sent++
	if a.sent%200 == 0 {
		a.now = a.now.Add(time.Minute)
	}
	return fmt.Sprintf([]string{"canary%dx", "canary-%d-x", "Canary<%d>\"X"}[a.sent%3], a.sent)
}

// release sends a request, and fails the test when its refusal holds the canary.
func (a *aviary) release(where, canary, method, path, body string, headers ...string) {
	a.t.Helper()
	if method == "PATCH" {
		headers = append(headers, "Content-Type", "application/merge-patch+json")
	}
	answer := a.send(method, path, body, headers...)
	if answer.status < 400 {
		return
	}
	escaped, _ := json.Marshal(canary)
	for _, form := range []string{canary, strings.Trim(string(escaped), `"`), url.PathEscape(canary), url.QueryEscape(canary)} {
		if all := answer.text + fmt.Sprint(answer.header); strings.Contains(all, form) && !a.told[where] {
			a.told[where] = true
			a.t.Errorf("%s comes back: %d %s", where, answer.status, answer.text)
		}
	}
}

// leaves lists the paths of members of a schema, as builders of a body with a
// value there.
func (a *aviary) leaves(s *schemaNode, path string, depth int, each func(path string, build func(value any) any)) {
	if s == nil || depth > 6 {
		return
	}
	if s.Ref != "" {
		s = a.api.Components.Schemas[strings.TrimPrefix(s.Ref, "#/components/schemas/")]
	}
	each(path, func(value any) any { return value })
	for name, member := range s.Properties {
		a.leaves(member, path+"."+name, depth+1, func(at string, build func(any) any) {
			each(at, func(value any) any { return map[string]any{name: build(value)} })
		})
	}
	a.leaves(s.Items, path+"[]", depth+1, func(at string, build func(any) any) {
		each(at, func(value any) any { return []any{build(value)} })
	})
	if s.Additional != nil && s.Additional != false {
		each(path+".*", func(value any) any { return map[string]any{"member": value} })
	}
}

// overlay puts a body over a valid one.
func overlay(base, over any) any {
	object, isObject := over.(map[string]any)
	under, alike := base.(map[string]any)
	if !isObject || !alike {
		return over
	}
	merged := map[string]any{}
	for name, value := range under {
		merged[name] = value
	}
	for name, value := range object {
		merged[name] = overlay(under[name], value)
	}
	return merged
}

// valid returns a body of the kind of a path that is right, under another name.
func (a *aviary) valid(path string) any {
	for _, row := range companyRows() {
		kind, body, _ := strings.Cut(row, " ")
		if !strings.HasPrefix(path+"/", "/api/"+store.Kind(kind).Plural()+"/") {
			continue
		}
		var base map[string]any
		if err := json.Unmarshal([]byte(body), &base); err != nil {
			a.t.Fatal(err)
		}
		a.sent++
		base["metadata"] = map[string]any{"name": fmt.Sprintf("fresh-%d", a.sent)}
		return base
	}
	return nil
}

// located are the members by which a refusal of an apply says which document it
// means.
func located() []string {
	return []string{".documents[].file", ".documents[].metadata.name"}
}

func TestRefusals_NeverHoldWhatWasSent(t *testing.T) {
	a := newAviary(t)
	for template, methods := range a.api.Paths {
		for method, op := range methods {
			method = strings.ToUpper(method)
			if op.OperationID == "sign-out" || op.OperationID == "backup" {
				continue
			}
			path := a.fill(template)
			for _, p := range op.Parameters {
				a.parameter(op.OperationID, method, template, path, p.In, p.Name)
			}
			if op.RequestBody == nil {
				continue
			}
			if whole, changes := methods["put"]; method == "PATCH" && changes {
				op.RequestBody = whole.RequestBody // what may be sent in part
			}
			for _, content := range op.RequestBody.Content {
				a.body(op.OperationID, method, path, content.Schema)
			}
		}
	}
	if a.sent < 2000 {
		t.Errorf("only %d canaries were sent", a.sent)
	}
}

func (a *aviary) parameter(id, method, template, path, in, name string) {
	canary := a.next()
	where := id + " " + in + "." + name
	body := ""
	if method != "GET" && method != "DELETE" {
		body = "{}"
	}
	switch in {
	case "path":
		a.release(where, canary, method, strings.NewReplacer("{"+name+"}", url.PathEscape(canary)).Replace(template), body)
	case "query":
		a.release(where, canary, method, path+"?"+name+"="+url.QueryEscape(canary), body)
		a.release(where, canary, method, path+"?unknown="+url.QueryEscape(canary), body)
	case "header":
		a.release(where, canary, method, path, body, name, url.QueryEscape(canary))
	}
}

func (a *aviary) body(id, method, path string, schema *schemaNode) {
	a.leaves(schema, "", 0, func(at string, build func(any) any) {
		if id == "apply" && slices.Contains(located(), at) {
			return
		}
		for _, base := range []any{map[string]any{}, a.valid(path)} {
			canary := a.next()
			text, err := json.Marshal(overlay(base, build(canary)))
			if err != nil {
				a.t.Fatal(err)
			}
			a.release(id+" "+at, canary, method, path, string(text))
		}
	})
}

func TestRefusals_OfBrokenBodiesNeverHoldThem(t *testing.T) {
	f := start(t)
	for _, body := range []string{
		`{"metadata":{"name":"canary"`, `canary`, `{"metadata":{"name":"canary"},"metadata":{}}`, `"canary"`, `["canary"]`, `{"metadata":{"name":"canary"}} canary`,
		`{"metadata":"canary"}`, "{\"metadata\":{\"name\":\"canary\xff\"}}", `{"spec":{"canary":1}`,
	} {
		for _, path := range []string{"/api/hosts", "/api/relay-keys", "/api/users", "/api/apply", "/api/session", "/api/setup", "/api/auth/token"} {
			answer := f.send("POST", path, body)
			if answer.status < 400 || strings.Contains(strings.ReplaceAll(answer.text, "there is no such member", ""), "canary") {
				t.Errorf("%s %s: %d %s", path, body, answer.status, answer.text)
			}
		}
	}
}
