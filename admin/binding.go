package admin

import (
	"relay/store"
)

// FoundModel is a model that a host lists: under which name callers ask for
// it, and what became of it.
type FoundModel struct {
	Name         string `json:"name" doc:"The name that callers use."`
	UpstreamName string `json:"upstreamName,omitempty" doc:"The host's own name, where it is another."`
	Bound        bool   `json:"bound" doc:"Requests for it can go to the host."`
	Created      bool   `json:"created" doc:"The model was not known before."`
}

// binder binds the models that a host lists.
type binder struct {
	edit *store.Edit
	host *store.Host
}

// bindAll makes what is missing of models and bindings. Names that no model
// can have are left out and noted.
func (b binder) bindAll(listed []string) (found []FoundModel, notes []string, err error) {
	for _, name := range listed {
		model, note, err := b.bind(name)
		switch {
		case err != nil:
			return nil, nil, err
		case note != "":
			notes = append(notes, note)
		default:
			found = append(found, model)
		}
	}
	return found, notes, nil
}

func (b binder) bind(name string) (found FoundModel, note string, err error) {
	model := knownModel(b.edit.Catalog(), name)
	if model == nil {
		model = b.discovered(name)
		if len(store.Validate(model)) > 0 {
			return found, "left out a listed model whose name no model can have", nil
		}
		if err := b.edit.Put(model); err != nil {
			return found, "", err
		}
		found.Created = true
	}
	found.describe(model, name)
	return found, "", b.ensure(model, name)
}

func (f *FoundModel) describe(model *store.Model, listed string) {
	f.Name, f.Bound = model.Metadata.Name, true
	if listed != f.Name {
		f.UpstreamName = listed
	}
}

func (b binder) discovered(name string) *store.Model {
	return signed(b.edit.Catalog(), &store.Model{Metadata: store.Metadata{
		Name:   name,
		Origin: &store.Origin{Kind: store.OriginDiscovery, Source: "host:" + b.host.Metadata.Name},
	}})
}

// ensure binds the model unless it is bound to the host already.
func (b binder) ensure(model *store.Model, upstream string) error {
	if bindingOf(b.edit.Catalog(), model.Metadata.ID, b.host.Metadata.ID) != nil {
		return nil
	}
	return b.edit.Put(b.binding(model, upstream))
}

func (b binder) binding(model *store.Model, upstream string) *store.HostBinding {
	c := b.edit.Catalog()
	taken := func(name string) bool { return c.HostBindings.ByName(name) != nil }
	binding := &store.HostBinding{
		Metadata: store.Metadata{
			Name:   store.NameFrom(model.Metadata.Name+" "+b.host.Metadata.Name, taken),
			Origin: &store.Origin{Kind: store.OriginDiscovery, Source: "host:" + b.host.Metadata.Name},
		},
		Spec: store.HostBindingSpec{ModelID: model.Metadata.ID, HostID: b.host.Metadata.ID},
	}
	if upstream != model.Metadata.Name {
		binding.Spec.UpstreamName = upstream
	}
	return signed(c, binding)
}

// knownModel returns the model that a listed name means: by name, alias, or
// provider/model. It is nil when the catalog has none or cannot tell which.
func knownModel(c *store.Catalog, listed string) *store.Model {
	probe := &store.HostBinding{Spec: store.HostBindingSpec{ModelID: listed}}
	if problems := store.ResolveRefs(c, probe); len(problems) > 0 {
		return nil
	}
	return c.Models.Get(probe.Spec.ModelID)
}

func bindingOf(c *store.Catalog, model, host string) *store.HostBinding {
	for binding := range c.HostBindings.All() {
		if binding.Spec.ModelID == model && binding.Spec.HostID == host {
			return binding
		}
	}
	return nil
}

// survey tells of listed models without changing anything.
func survey(c *store.Catalog, host *store.Host, listed []string) []FoundModel {
	found := make([]FoundModel, 0, len(listed))
	for _, name := range listed {
		row := FoundModel{Name: name}
		if model := knownModel(c, name); model != nil {
			row.describe(model, name)
			row.Bound = bindingOf(c, model.Metadata.ID, host.Metadata.ID) != nil
		}
		found = append(found, row)
	}
	return found
}
