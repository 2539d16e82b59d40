package plan

import (
	"slices"
	"strings"

	"relay/store"
)

// LocalAccount is the name of the service account that requests without a
// credential run as.
const LocalAccount = "local"

// anyUnknown is the id of what stands for every model that the catalog does not
// know, where a policy limits them together. No model has a space in its name.
const anyUnknown = "unknown models"

// maxUnknownName is how long the name of such a model may be, in bytes.
const maxUnknownName = 256

// Forwards reports whether the host takes models that the catalog does not
// know.
func (h *Host) Forwards() bool { return h.Record.Spec.UnknownModels == "forward" }

// serve notes that the host calls the model so.
func (h *Host) serve(name string, m *Model) {
	if name = strings.ToLower(name); h.served[name] == nil {
		h.served[name] = m
	}
}

// calls returns the model that the host calls so in one of its bindings, or
// nil. Such a name is no unknown model, whether the binding is switched on or
// not: else it would lead around what limits, prices and denies the model.
func (h *Host) calls(name string) *Model {
	name = strings.ToLower(name)
	if m := h.served[name]; m != nil {
		return m
	}
	if slices.Contains(h.shapes(), store.ShapeOllama) {
		return h.served[otherTag(name)]
	}
	return nil
}

// Unknown takes the name of a model that Find does not find apart: NAME@host or
// host/NAME at a host that forwards such, or a bare name, for which host is nil.
// ok is false when nothing can be meant by it.
func (p *Plan) Unknown(name string) (bare string, host *Host, ok bool) {
	bare, host = p.pinned(name)
	if host == nil {
		bare = name
	}
	return bare, host, forwardable(bare) && (host == nil || host.Forwards())
}

// forwardable reports whether a host may be asked for a model of the name: one
// that also stands in a path without an escape, and is not meant for another
// host or as the id of a record.
func forwardable(name string) bool {
	if name == "" || len(name) > maxUnknownName || store.IsID(name) {
		return false
	}
	for _, c := range []byte(name) {
		if c <= ' ' || c > '~' || strings.IndexByte(`"'\?#%&<>*`, c) >= 0 {
			return false
		}
	}
	for segment := range strings.SplitSeq(name, "/") {
		if segment == "" || segment == "." || segment == ".." {
			return false
		}
	}
	at := strings.LastIndexByte(name, '@')
	return at < 0 || strings.Contains(name[at:], "/")
}

// unknownModels returns what policies limit of models that the catalog does not
// know: each that an entry names, and all others together. Nobody can make
// counters by making names up.
func (c *compiler) unknownModels() []*Model {
	models := []*Model{{ID: anyUnknown, Name: anyUnknown, Unknown: true}}
	for p := range c.catalog.Policies.All() {
		for _, entry := range p.Spec.RLBindings {
			for _, r := range readable(entry.Models) {
				if r.Model == "" || store.IsID(r.Model) || like(models, r.Model) != models[0] {
					continue
				}
				models = append(models, &Model{ID: r.Model, Name: r.Model, Unknown: true})
			}
		}
	}
	return models
}

// like returns the model of the name, or the one that stands for all.
func like(models []*Model, name string) *Model {
	for _, m := range models[1:] {
		if strings.EqualFold(m.ID, name) {
			return m
		}
	}
	return models[0]
}

// ForwardRoute returns the route of a model that the catalog does not know to a
// host that forwards such, under its own name and in the host's shapes, or nil
// when some rung grants neither everything, the host, nor that very name. A
// route without pools has no key.
func (p *Plan) ForwardRoute(a *Access, name string, host *Host) *Route {
	m := &Model{ID: name, Name: name, Unknown: true, like: like(p.compiled.unknown, name)}
	f := fold{compiler: p.compiled, grants: a.grants, pools: a.pools}
	if !host.Forwards() || !f.allowed(m, host) {
		return nil
	}
	b := &Binding{Model: m, Host: host, Shapes: host.shapes(), UpstreamName: name, Weight: 1}
	m.Bindings = []*Binding{b}
	return newRoute(m, m.Bindings, a.pools, func(p *poolKeys) int { return p.unknownTurn })
}

// ForwardHosts returns the hosts to which the access leads for a model of the
// name that the catalog does not know, in the plan's order.
func (p *Plan) ForwardHosts(a *Access, name string) []*Host {
	var hosts []*Host
	for _, h := range p.Hosts {
		if !h.Forwards() || len(h.Keys) == 0 {
			continue
		}
		if r := p.ForwardRoute(a, name, h); r != nil && len(r.Pools) > 0 {
			hosts = append(hosts, h)
		}
	}
	return hosts
}

// Listed is a bare name that a host lists.
type Listed struct {
	Host  *Host
	Name  string // as the host spells it
	Model *Model // that the host calls so in a binding; nil: the catalog does not know it
}

// Listing returns which of the hosts list the name, by what listed says of each,
// and those of which it does not know the list.
func (p *Plan) Listing(hosts []*Host, name string, listed func(hostID, name string) (spelling string, known bool)) (found []Listed, unread []*Host) {
	for _, h := range hosts {
		switch spelling, known := listed(h.Record.Metadata.ID, name); {
		case !known:
			unread = append(unread, h)
		case spelling != "":
			found = append(found, Listed{h, spelling, h.calls(spelling)})
		}
	}
	return found, unread
}

// RefuseListed refuses a bare name that more than one host lists.
func RefuseListed(name string, found []Listed) *Refused {
	pins := make([]string, len(found))
	for i, l := range found {
		pins[i] = Quoted(name + "@" + l.Host.Name())
	}
	return &Refused{Code: "model_not_found", Message: "More than one host lists a model " + Quoted(name) + "; write " + strings.Join(pins, " or ") + "."}
}
