package gateway

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"relay/gateway/plan"
	"relay/gateway/wire"
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
	_, id, _ := strings.Cut(x.r.URL.EscapedPath(), "/models/")
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
	return wire.Model{ID: m.Name, Created: m.Created.Unix(), OwnedBy: owner}
}

func (x *exchange) sendJSON(body []byte) {
	x.status, x.began = http.StatusOK, true
	h := x.w.Header()
	h.Set("Content-Type", wire.ContentTypeJSON)
	h.Set("Content-Length", strconv.Itoa(len(body)))
	x.w.WriteHeader(http.StatusOK)
	_, _ = x.w.Write(body)
}
