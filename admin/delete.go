package admin

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"relay/store"
)

type deleteInput struct {
	ID      string `path:"id"`
	IfMatch string `header:"If-Match" doc:"An ETag: refused with 412 when the record has changed since."`
	Cascade bool   `query:"cascade" doc:"Also delete every record that refers to this one, and so on."`
}

func (r *resource[S]) deleteRoute() {
	op := r.operation(http.MethodDelete, "/by-id/{id}", "delete", "Delete")
	huma.Register(r.api, op, func(ctx context.Context, in *deleteInput) (*noOutput, error) {
		c, err := r.write(ctx, func(e *store.Edit) error {
			stored, err := current[S](e.Catalog(), r.kind, in.ID, in.IfMatch)
			if err != nil {
				return err
			}
			return remove(e, stored, in.Cascade)
		})
		if err != nil {
			return nil, r.refusal(err)
		}
		return &noOutput{Generation: c.Generation}, nil
	})
}

// remove deletes the record and, with cascade, all that depends on it.
func remove(e *store.Edit, rec store.AnyRecord, cascade bool) error {
	switch {
	case rec.Kind() == store.KindOrganization && rec.Meta().Name == defaultName:
		return defaultStays()
	case rec.Kind() == store.KindRole && store.IsBuiltinRole(rec.Meta().Name):
		return builtinStays()
	case !cascade:
		return e.Delete(rec.Kind(), rec.Meta().ID)
	}
	if err := detach(e, rec); err != nil {
		return err
	}
	doomed := append(dependents(e.Catalog(), rec), rec)
	if err := disown(e, doomed); err != nil {
		return err
	}
	return removeAll(e, doomed)
}

// dependents returns every record that refers to rec, directly or through
// others.
func dependents(c *store.Catalog, rec store.AnyRecord) []store.AnyRecord {
	seen := map[string]bool{rec.Meta().ID: true}
	var found []store.AnyRecord
	for next := []store.AnyRecord{rec}; len(next) > 0; next = next[1:] {
		for _, other := range store.References(c, next[0].Kind(), next[0].Meta().ID) {
			if id := other.Meta().ID; !seen[id] {
				seen[id] = true
				found, next = append(found, other), append(next, other)
			}
		}
	}
	return found
}

// disown takes the owners from records that go anyway: a tier policy belongs to
// a host that refers to it, and neither could go first.
func disown(e *store.Edit, doomed []store.AnyRecord) error {
	for _, rec := range doomed {
		policy, ok := rec.(*store.Policy)
		if !ok || policy.Metadata.Owner == nil {
			continue
		}
		free, err := copyOf(policy)
		if err != nil {
			return err
		}
		free.Metadata.Owner = nil
		if err := e.Put(free); err != nil {
			return err
		}
	}
	return nil
}

// removeAll deletes records that refer to each other, those first that no other
// refers to any more.
func removeAll(e *store.Edit, doomed []store.AnyRecord) error {
	for len(doomed) > 0 {
		var needed []store.AnyRecord
		var fault error
		for _, rec := range doomed {
			if err := e.Delete(rec.Kind(), rec.Meta().ID); err != nil {
				needed, fault = append(needed, rec), err
			}
		}
		if len(needed) == len(doomed) {
			return fault
		}
		doomed = needed
	}
	return nil
}

// Reference is a record that refers to another.
type Reference struct {
	Kind store.Kind `json:"kind"`
	ID   string     `json:"id"`
	Name string     `json:"name"`
}

type referencesOutput struct {
	Generation uint64 `header:"X-Relay-Generation"`
	Body       references
}

type references struct {
	Items []Reference `json:"items"`
	Total int         `json:"total"`
}

func (r *resource[S]) referencesRoute() {
	op := r.operation(http.MethodGet, "/by-id/{id}/references", "references-of", "List the records that refer to it")
	huma.Register(r.api, op, func(ctx context.Context, in *idInput) (*referencesOutput, error) {
		c := r.DB.Catalog()
		if _, err := current[S](c, r.kind, in.ID, ""); err != nil {
			return nil, r.refusal(err)
		}
		out := &referencesOutput{Generation: c.Generation}
		out.Body.Items = []Reference{}
		k := errandOf(ctx)
		for _, rec := range store.References(c, r.kind, in.ID) {
			if !k.sees(c, rec) {
				continue
			}
			out.Body.Items = append(out.Body.Items, Reference{rec.Kind(), rec.Meta().ID, rec.Meta().Name})
		}
		out.Body.Total = len(out.Body.Items)
		return out, nil
	})
}
