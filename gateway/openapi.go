package gateway

import (
	"encoding/json"
	"net/http"
	"strings"
)

// openAPI answers GET /openapi.json: the endpoints in their documented
// spelling. What goes in and comes out is the vendor's, whose documents say more.
func (s *Server) openAPI() http.HandlerFunc {
	document, err := json.Marshal(s.apiDocument())
	if err != nil {
		panic(err) // texts and maps alone
	}
	return func(w http.ResponseWriter, r *http.Request) {
		if s.door.refuse(r) != nil {
			s.notFound(w, r)
			return
		}
		s.plain(w, r, http.StatusOK, "application/openapi+json", document)
	}
}

// object is a JSON object of the document.
type object map[string]any

func (s *Server) apiDocument() object {
	paths := object{}
	for path, e := range s.documented() {
		paths[path] = e.operations(path)
	}
	return object{
		"openapi": "3.1.0",
		"info": object{
			"title": "Relay, the inference side", "version": s.opt.Version,
			"description": "Endpoints of several vendors. Bodies are the vendors' own and pass through; errors of Relay come in the shape of the endpoint.",
		},
		"servers":  []object{{"url": s.opt.BaseURL}},
		"security": []object{{"bearer": []string{}}, {"x-api-key": []string{}}, {"x-goog-api-key": []string{}}},
		"components": object{"securitySchemes": object{
			"bearer":         object{"type": "http", "scheme": "bearer"},
			"x-api-key":      object{"type": "apiKey", "in": "header", "name": "x-api-key"},
			"x-goog-api-key": object{"type": "apiKey", "in": "header", "name": "x-goog-api-key"},
		}},
		"paths": paths,
	}
}

// documented are the endpoints by the path under which documents name them.
func (s *Server) documented() map[string]*endpoint {
	all := map[string]*endpoint{}
	for path, e := range s.endpoints {
		if isDocumented(path) && (e.name != "" || e.method == http.MethodGet) { // not what is always refused
			all[path] = e
		}
	}
	shown, shownGemini, calls := models()
	all["/v1/models/{model}"], all["/v1beta/models/{model}"] = shown, shownGemini
	for verb, e := range calls {
		if !strings.Contains(verb, "?") {
			all["/v1beta/models/{model}:"+verb] = e
		}
	}
	return all
}

// operations is what a path of the document takes.
func (e *endpoint) operations(path string) object {
	operation := object{
		"operationId": strings.Trim(strings.NewReplacer("/", "-", "{", "", "}", "", ":", "-", "_", "-").Replace(strings.ToLower(e.method)+path), "-"),
		"tags":        []string{string(e.shape)},
		"responses": object{
			"200":     object{"description": "What the upstream answers."},
			"default": object{"description": "An error in the endpoint's shape.", "content": object{"application/json": object{}}},
		},
	}
	if e.method == http.MethodPost {
		operation["requestBody"] = object{"required": true, "content": object{e.bodyType(): object{"schema": object{"type": "object"}}}}
	}
	if strings.Contains(path, "{model}") {
		operation["parameters"] = []object{{"name": "model", "in": "path", "required": true, "schema": object{"type": "string"}}}
	}
	return object{strings.ToLower(e.method): operation}
}

func (e *endpoint) bodyType() string {
	if suffixes[e.path].form {
		return "multipart/form-data"
	}
	return "application/json"
}
