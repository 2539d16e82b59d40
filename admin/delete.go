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
	Cascade bool   `query:"cascade" doc:"Also delete what is part of it, and take it out of lists that grant. Refused with 409 while something that narrows refers to it."`
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

// remove deletes the record and, with cascade, all that is part of it.
func remove(e *store.Edit, rec store.AnyRecord, cascade bool) error {
	if cascade {
		return newCascade(e.Catalog(), rec).apply(e)
	}
	if err := checkStays(rec); err != nil {
		return err
	}
	return e.Delete(rec.Kind(), rec.Meta().ID)
}

// checkStays refuses to delete what always exists.
func checkStays(rec store.AnyRecord) error {
	switch {
	case rec.Kind() == store.KindOrganization && rec.Meta().Name == defaultName:
		return defaultStays()
	case rec.Kind() == store.KindRole && store.IsBuiltinRole(rec.Meta().Name):
		return builtinStays()
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
