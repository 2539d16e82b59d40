package gateway

import (
	"net/http"
	"strings"

	"github.com/gorilla/mux"
)

// Routes are all that is answered, as method and path in the spelling that
// documents use, with the other spellings of the path.
func (s *Server) Routes() (map[string][]string, error) {
	all := map[string][]string{}
	add := func(methods, path string) {
		for method := range strings.SplitSeq(methods, ",") {
			route := method + " " + s.canonical(path)
			all[route] = append(all[route], path)
		}
	}
	for path, e := range s.endpoints {
		add(methodsOf(e.method), path)
	}
	err := s.fallback.(*mux.Router).Walk(func(route *mux.Route, _ *mux.Router, _ []*mux.Route) error {
		path, err := route.GetPathTemplate()
		if err != nil {
			return err
		}
		methods, _ := route.GetMethods() // none: any
		for _, behind := range behind(path) {
			add(methodsOf(strings.Join(methods, ",")), behind)
		}
		return nil
	})
	return all, err
}

// methodsOf are what stands for any method, and one that is read.
func methodsOf(methods string) string {
	switch methods {
	case "":
		return http.MethodGet + "," + http.MethodPost
	case http.MethodGet + "," + http.MethodHead:
		return http.MethodGet
	}
	return methods
}

// behind are the paths that a template with a variable stands for.
func behind(template string) []string {
	before, _, variable := strings.Cut(template, "{id:.+}")
	if !variable {
		return []string{template}
	}
	paths := []string{before + "{model}"}
	_, _, calls := models()
	for verb := range calls {
		paths = append(paths, before+"{model}:"+verb)
	}
	return paths
}

// canonical is the path without the vendor before it, and with one version.
func (s *Server) canonical(path string) string {
	for _, vendor := range vendors[1:] {
		if rest, found := strings.CutPrefix(path, vendor+"/"); found {
			path = "/" + rest
			break
		}
	}
	path = strings.TrimPrefix(path, "/v1/v1")
	path = strings.TrimPrefix(path, "/v1")
	if strings.HasPrefix(path, "beta/") {
		return "/v1" + path
	}
	if _, versioned := s.endpoints["/v1"+path]; versioned || strings.HasPrefix(path, "/models/") {
		return "/v1" + path
	}
	return path
}
