package cmd_test

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// apiDocument is an OpenAPI 3.1 document, and what is wrong with it.
// https://spec.openapis.org/oas/v3.1.1 says what may stand where.
type apiDocument struct {
	root   map[string]any
	faults []string
	ids    []string // of operations
}

// members are what an object must and may hold. Extensions may stand anywhere.
type members struct{ must, may string }

func documentMembers() map[string]members {
	return map[string]members{
		"document":        {"openapi info paths", "components security servers tags externalDocs webhooks jsonSchemaDialect"},
		"info":            {"title version", "summary description termsOfService contact license"},
		"server":          {"url", "description variables"},
		"components":      {"", "schemas responses parameters examples requestBodies headers securitySchemes links callbacks pathItems"},
		"path item":       {"", "summary description servers parameters get put post delete options head patch trace"},
		"operation":       {"responses", "tags summary description externalDocs operationId parameters requestBody callbacks deprecated security servers"},
		"parameter":       {"name in schema", "description required deprecated allowEmptyValue style explode allowReserved example examples"},
		"request body":    {"content", "description required"},
		"media type":      {"", "schema example examples encoding"},
		"response":        {"description", "headers content links"},
		"header":          {"schema", "description required deprecated style explode example examples"},
		"security scheme": {"type", "description name in scheme bearerFormat flows openIdConnectUrl"},
	}
}

// wrongWith returns the faults of a document, and the ids of its operations.
func wrongWith(root map[string]any) *apiDocument {
	d := &apiDocument{root: root}
	d.object("document", "", root)
	if version, _ := root["openapi"].(string); !regexp.MustCompile(`^3\.1\.\d+$`).MatchString(version) {
		d.fault("openapi", "is %q", version)
	}
	d.object("info", "info", root["info"])
	for i, server := range list(root["servers"]) {
		d.object("server", fmt.Sprintf("servers[%d]", i), server)
	}
	d.object("components", "components", root["components"])
	for name, schema := range object(member(root, "components", "schemas")) {
		d.name("components.schemas", name)
		d.schema("components.schemas."+name, schema)
	}
	for name, scheme := range object(member(root, "components", "securitySchemes")) {
		d.name("components.securitySchemes", name)
		d.securityScheme("components.securitySchemes."+name, scheme)
	}
	d.security("security", root["security"])
	d.paths(object(root["paths"]))
	return d
}

func object(value any) map[string]any {
	object, _ := value.(map[string]any)
	return object
}

func list(value any) []any {
	list, _ := value.([]any)
	return list
}

func (d *apiDocument) fault(at, format string, args ...any) {
	d.faults = append(d.faults, at+": "+fmt.Sprintf(format, args...))
}

// object checks the members of an object of a kind.
func (d *apiDocument) object(kind, at string, value any) {
	object, is := value.(map[string]any)
	if !is {
		d.fault(at, "is no object")
		return
	}
	known := documentMembers()[kind]
	for _, name := range strings.Fields(known.must) {
		if object[name] == nil {
			d.fault(at, "%s without %s", kind, name)
		}
	}
	for name := range object {
		if !slices.Contains(strings.Fields(known.must+" "+known.may), name) && !strings.HasPrefix(name, "x-") {
			d.fault(at, "%s with a member %s", kind, name)
		}
	}
}

func (d *apiDocument) name(at, name string) {
	if !regexp.MustCompile(`^[a-zA-Z0-9._-]+$`).MatchString(name) {
		d.fault(at, "%q is no name of a component", name)
	}
}

func (d *apiDocument) securityScheme(at string, value any) {
	d.object("security scheme", at, value)
	needs := map[any]string{"apiKey": "name in", "http": "scheme", "oauth2": "flows", "openIdConnect": "openIdConnectUrl", "mutualTLS": ""}
	names, known := needs[object(value)["type"]]
	if !known {
		d.fault(at, "is of no known type")
	}
	for _, name := range strings.Fields(names) {
		if object(value)[name] == nil {
			d.fault(at, "has no %s", name)
		}
	}
}

func (d *apiDocument) security(at string, value any) {
	for _, requirement := range list(value) {
		for name := range object(requirement) {
			if member(d.root, "components", "securitySchemes", name) == nil {
				d.fault(at, "names a scheme %s that is not there", name)
			}
		}
	}
}

func (d *apiDocument) paths(paths map[string]any) {
	alike := map[string]string{}
	variable := regexp.MustCompile(`\{[^}]*\}`)
	for path, item := range paths {
		if !strings.HasPrefix(path, "/") {
			d.fault(path, "does not begin with /")
		}
		if other, taken := alike[variable.ReplaceAllString(path, "{}")]; taken {
			d.fault(path, "is the same as %s", other)
		}
		alike[variable.ReplaceAllString(path, "{}")] = path
		d.object("path item", path, item)
		for method, operation := range object(item) {
			d.operation(path, method, operation)
		}
	}
}

func (d *apiDocument) operation(path, method string, value any) {
	at, operation := strings.ToUpper(method)+" "+path, object(value)
	d.object("operation", at, value)
	id, _ := operation["operationId"].(string)
	if slices.Contains(d.ids, id) || id == "" {
		d.fault(at, "operationId %q is empty or taken", id)
	}
	d.ids = append(d.ids, id)
	d.security(at, operation["security"])
	d.parameters(at, path, list(operation["parameters"]))
	if body := operation["requestBody"]; body != nil {
		if method == "get" || method == "delete" || method == "head" {
			d.fault(at, "a body has no meaning")
		}
		d.object("request body", at+" requestBody", body)
		d.content(at+" requestBody", object(body)["content"])
	}
	for status, response := range object(operation["responses"]) {
		d.response(at+" "+status, status, response)
	}
	if len(object(operation["responses"])) == 0 {
		d.fault(at, "has no responses")
	}
}

func (d *apiDocument) parameters(at, path string, parameters []any) {
	seen := []string{}
	for _, value := range parameters {
		d.object("parameter", at, value)
		p := object(value)
		name, place := fmt.Sprint(p["name"]), fmt.Sprint(p["in"])
		key := place + " " + name
		if slices.Contains(seen, key) || !slices.Contains([]string{"path", "query", "header", "cookie"}, place) {
			d.fault(at, "parameter %s in %s is there twice or nowhere", name, place)
		}
		seen = append(seen, key)
		if place == "path" && (p["required"] != true || !strings.Contains(path, "{"+name+"}")) {
			d.fault(at, "parameter %s is not required, or not in the path", name)
		}
		d.schema(at+" "+name, p["schema"])
	}
	for _, variable := range regexp.MustCompile(`\{([^}]*)\}`).FindAllStringSubmatch(path, -1) {
		if !slices.Contains(seen, "path "+variable[1]) {
			d.fault(at, "nothing describes {%s}", variable[1])
		}
	}
}

func (d *apiDocument) response(at, status string, value any) {
	if !regexp.MustCompile(`^([1-5](\d\d|XX)|default)$`).MatchString(status) {
		d.fault(at, "is no status")
	}
	d.object("response", at, value)
	for name, header := range object(object(value)["headers"]) {
		d.object("header", at+" "+name, header)
		d.schema(at+" "+name, object(header)["schema"])
	}
	d.content(at, object(value)["content"])
}

func (d *apiDocument) content(at string, value any) {
	for name, media := range object(value) {
		if !regexp.MustCompile(`^[\w.+-]+/[\w.+*-]+$`).MatchString(name) {
			d.fault(at, "%q is no media type", name)
		}
		d.object("media type", at+" "+name, media)
		if schema := object(media)["schema"]; schema != nil {
			d.schema(at+" "+name, schema)
		}
	}
}
