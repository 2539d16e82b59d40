package plan

import (
	"slices"

	"relay/store"
)

// AliasEffect is what an alias model leads to under a ladder.
type AliasEffect struct {
	Model   RecordName    `json:"model"`
	Targets []AliasTarget `json:"targets" doc:"In order."`
}

// AliasTarget is a model that an alias model leads to.
type AliasTarget struct {
	Model   RecordName `json:"model"`
	Weight  int        `json:"weight,omitempty"`
	Through bool       `json:"through,omitempty" doc:"The ladder allows it on these hosts through the alias only."`
	Hosts   []string   `json:"hosts" doc:"Where it may be called; empty: it is an alias model itself."`
}

// Forwarding is a host to which models that the catalogue does not know are
// sent under their own name.
type Forwarding struct {
	HostID string   `json:"hostId"`
	Host   string   `json:"host"`
	Every  bool     `json:"every" doc:"The ladder grants every such model there that it does not deny."`
	Models []string `json:"models,omitempty" doc:"Else those that it names."`
}

func (f *folding) alias(m *Model) AliasEffect {
	out := AliasEffect{Model: RecordName{store.KindModel, m.ID, m.Name}, Targets: []AliasTarget{}}
	for _, next := range f.caller.Access.Route(m).Next {
		to := next.Route.Model
		target := AliasTarget{Model: RecordName{store.KindModel, to.ID, to.Name}, Weight: next.Weight, Hosts: []string{}}
		target.Through = !to.Alias && f.caller.Access.Route(to) != next.Route
		for _, b := range next.Route.bindings {
			target.Hosts = append(target.Hosts, b.Host.Name())
		}
		out.Targets = append(out.Targets, target)
	}
	return out
}

// forwards returns the hosts that forward, as far as the ladder grants any of it
// and there is a key.
func (f *folding) forwards() []Forwarding {
	var out []Forwarding
	for _, h := range f.origin.Hosts {
		if !h.Forwards() {
			continue
		}
		to := Forwarding{HostID: h.Record.Metadata.ID, Host: h.Name(), Every: f.forwarded(anyUnknown, h)}
		if !to.Every {
			to.Models = f.namedUnknown(h)
		}
		if to.Every || len(to.Models) > 0 {
			out = append(out, to)
		}
	}
	return out
}

func (f *folding) forwarded(name string, h *Host) bool {
	r := f.origin.ForwardRoute(f.caller.Access, name, h)
	return r != nil && len(r.Pools) > 0
}

// namedUnknown returns the names of models that the catalog does not know and
// that some rung grants at the host by name.
func (f *folding) namedUnknown(h *Host) []string {
	var names []string
	for _, g := range f.caller.Access.grants {
		for _, r := range g.models {
			unknown := r.Model != "" && !store.IsID(r.Model) && r.Host == h.Record.Metadata.ID
			if unknown && !slices.Contains(names, r.Model) && f.forwarded(r.Model, h) {
				names = append(names, r.Model)
			}
		}
	}
	return names
}
