package gateway

import (
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"relay/gateway/plan"
	"relay/gateway/wire"
	"relay/gateway/wire/gemini"
	"relay/store"
)

// listModels answers GET /v1/models with what the caller may reach. It is not
// metered.
func (x *exchange) listModels() error {
	if err := x.mayRead(); err != nil {
		return err
	}
	models := make([]wire.Model, 0, len(x.caller.Access.Models()))
	for _, m := range x.caller.Access.Models() {
		models = append(models, wireModel(m))
	}
	x.sendJSON(x.codec.AppendModels(nil, models))
	return nil
}

// showModel answers GET /v1/models/{id}; an id may hold slashes and colons,
// raw or escaped.
func (x *exchange) showModel() error {
	if err := x.mayRead(); err != nil {
		return err
	}
	id := behindModels(x.r)
	if plain, err := url.PathUnescape(id); err == nil {
		id = plain
	}
	m, _, ok := x.gen.plan.Find(id)
	if !ok || x.caller.Access.Route(m) == nil {
		return x.unknownModel(id)
	}
	model := wireModel(m)
	model.ID = id
	x.sendJSON(x.codec.AppendModel(nil, model))
	return nil
}

// behindModels is what stands behind /models/ in the path, as it was sent.
func behindModels(r *http.Request) string {
	_, rest, _ := strings.Cut(r.URL.EscapedPath(), "/models/")
	return rest
}

// behindModels answers what stands behind a path of models.
func (s *Server) behindModels() http.HandlerFunc {
	shown, shownGemini, calls := models()
	return func(w http.ResponseWriter, r *http.Request) {
		switch call := calls[calledVerb(r)]; {
		case call != nil:
			s.serve(w, r, call)
		case strings.Contains(r.URL.Path, "/v1beta/") && r.Method == http.MethodPost:
			s.notFound(w, r) // a verb that nobody knows
		case strings.Contains(r.URL.Path, "/v1beta/"):
			s.serve(w, r, shownGemini)
		default:
			s.serve(w, r, shown)
		}
	}
}

// calledVerb is the verb of a call of Gemini's, with what tells how its answer is
// to be streamed.
func calledVerb(r *http.Request) string {
	_, verb, _ := gemini.SplitPath(behindModels(r))
	if verb == "streamGenerateContent" && r.URL.Query().Get("alt") == "sse" {
		verb += "?alt=sse"
	}
	return verb
}

// mayRead checks the credential; without a ladder there is nothing to list.
func (x *exchange) mayRead() error {
	if err := x.authenticate(); err != nil {
		return err
	}
	if x.caller.Refused != nil {
		return refusedByPlan(x.caller.Refused)
	}
	return nil
}

func wireModel(m *plan.Model) wire.Model {
	owner := m.Provider
	if owner == "" {
		owner = "relay"
	}
	tagged := slices.ContainsFunc(m.Bindings, func(b *plan.Binding) bool { return b.Speaks(store.ShapeOllama) })
	return wire.Model{ID: m.Name, Created: m.Created.Unix(), OwnedBy: owner, Tagged: tagged}
}

func (x *exchange) sendJSON(body []byte) {
	x.status, x.began = http.StatusOK, true
	h := x.w.Header()
	h.Set("Content-Type", wire.ContentTypeJSON)
	h.Set("Content-Length", strconv.Itoa(len(body)))
	x.w.WriteHeader(http.StatusOK)
	_, _ = x.w.Write(body)
}
