package admin

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"relay/store"
)

type createInput struct {
	Body json.RawMessage
}

type replaceInput struct {
	ID      string `path:"id"`
	IfMatch string `header:"If-Match" doc:"An ETag: refused with 412 when the record has changed since."`
	Body    json.RawMessage
}

type changeInput struct {
	ID      string          `path:"id"`
	IfMatch string          `header:"If-Match" doc:"An ETag: refused with 412 when the record has changed since."`
	Body    json.RawMessage `contentType:"application/merge-patch+json"`
}

func (r *resource[S]) createRoute() {
	op := withBody(r.operation(http.MethodPost, "", "create", "Create"), r.schema)
	huma.Register(r.api, answering(op, http.StatusCreated, r.schema), func(ctx context.Context, in *createInput) (*createdOutput, error) {
		rec, err := r.decode(in.Body)
		if err != nil {
			return nil, r.refusal(err)
		}
		password, err := r.hashed(ctx, in.Body)
		if err != nil {
			return nil, r.refusal(err)
		}
		c, err := r.write(ctx, func(e *store.Edit) error { return r.put(e, rec, nil, password, in.Body) })
		if err != nil {
			return nil, r.refusal(err)
		}
		return r.created(c, rec.Metadata.ID)
	})
}

func (r *resource[S]) replaceRoute() {
	op := withBody(r.operation(http.MethodPut, "/by-id/{id}", "replace", "Replace the whole record"), r.schema)
	huma.Register(r.api, answering(op, http.StatusOK, r.schema), func(ctx context.Context, in *replaceInput) (*rowOutput, error) {
		return r.update(ctx, in.ID, in.IfMatch, in.Body, func(*store.Record[S]) (json.RawMessage, error) { return in.Body, nil })
	})
}

func (r *resource[S]) changeRoute() {
	op := r.operation(http.MethodPatch, "/by-id/{id}", "change", "Change members (JSON merge patch, RFC 7396)")
	huma.Register(r.api, answering(op, http.StatusOK, r.schema), func(ctx context.Context, in *changeInput) (*rowOutput, error) {
		return r.update(ctx, in.ID, in.IfMatch, in.Body, func(stored *store.Record[S]) (json.RawMessage, error) {
			merged, err := mergedInto(stored, in.Body)
			if err != nil {
				return nil, err
			}
			return merged, validated(r.api, r.schema, merged)
		})
	})
}

// update puts what body makes of the stored record in its place. What was sent
// may hold a password.
func (r *resource[S]) update(ctx context.Context, id, ifMatch string, sent json.RawMessage, body func(*store.Record[S]) (json.RawMessage, error)) (*rowOutput, error) {
	password, err := r.hashed(ctx, sent)
	if err != nil {
		return nil, r.refusal(err)
	}
	c, err := r.write(ctx, func(e *store.Edit) error {
		stored, err := current[S](e.Catalog(), r.kind, id, ifMatch)
		if err != nil {
			return err
		}
		text, err := body(stored)
		if err != nil {
			return err
		}
		rec, err := r.decode(text)
		if err != nil {
			return err
		}
		return r.put(e, rec, stored, password, text)
	})
	if err != nil {
		return nil, r.refusal(err)
	}
	return r.row(c, c.Of(r.kind).Find(id))
}

func (r *resource[S]) decode(body json.RawMessage) (*store.Record[S], error) {
	rec := new(store.Record[S])
	if err := decodeJSON(body, rec); err != nil {
		return nil, invalid(store.Problem{Message: err.Error()})
	}
	return rec, nil
}

// put writes rec in the place of stored, or as a new record when that is nil. A
// user gets the password, if there is one.
func (r *resource[S]) put(e *store.Edit, rec, stored *store.Record[S], password store.PasswordHash, body json.RawMessage) error {
	former := new(store.Record[S])
	if stored != nil {
		former = stored
	}
	if err := keepReadOnly(rec, former); err != nil {
		return err
	}
	if err := settle(rec, former); err != nil {
		return err
	}
	if err := r.place(e, rec, former, body); err != nil || password.IsZero() {
		return err
	}
	return e.SetPassword(rec.Metadata.ID, password)
}

// settle applies what single kinds ask of a change.
func settle(rec, former store.AnyRecord) error {
	switch rec := rec.(type) {
	case *store.HostKey:
		return settleHostKey(rec, former.(*store.HostKey))
	case *store.RelayKey:
		settleRelayKey(rec, former.(*store.RelayKey))
	case *store.RateLimit:
		return keepSystemLimit(rec, former.(*store.RateLimit))
	case *store.Organization:
		return keepDefault(rec, former.(*store.Organization))
	case *store.User:
		return settleUser(rec)
	case *store.Role:
		return keepBuiltinRole(rec, former.(*store.Role))
	case *store.AdminToken:
		settleAdminToken(rec, former.(*store.AdminToken))
	case *store.Setting:
		return keepSection(rec, former.(*store.Setting))
	}
	return nil
}

// place writes the record, and then compares the names that were sent beside
// references with what these have turned out to be.
func (r *resource[S]) place(e *store.Edit, rec, former *store.Record[S], body json.RawMessage) error {
	if binding, ok := any(rec).(*store.PolicyBinding); ok {
		if err := checkUnbound(e.Catalog(), binding); err != nil {
			return err
		}
	}
	if err := e.Put(rec); err != nil {
		return err
	}
	return checkNames(e.Catalog(), rec, former, body)
}

// alter changes a copy of the record and writes it, for a caller who has the
// verb.
func (r *resource[S]) alter(ctx context.Context, verb store.Verb, id, ifMatch string, change func(*store.Record[S]) error) (*store.Catalog, error) {
	return r.writeAs(ctx, verb, func(e *store.Edit) error { return alter(e, r.kind, id, ifMatch, change) })
}

// alter puts a changed copy of the record in its place.
func alter[S any](e *store.Edit, kind store.Kind, id, ifMatch string, change func(*store.Record[S]) error) error {
	stored, err := current[S](e.Catalog(), kind, id, ifMatch)
	if err != nil {
		return err
	}
	rec, err := copyOf(stored)
	if err != nil {
		return err
	}
	if err := change(rec); err != nil {
		return err
	}
	return e.Put(rec)
}

// copyOf returns a record that shares nothing with the catalog's.
func copyOf[S any](rec *store.Record[S]) (*store.Record[S], error) {
	text, err := json.Marshal(rec)
	if err != nil {
		return nil, fmt.Errorf("copy %s %s: %w", rec.Kind(), rec.Metadata.Name, err)
	}
	copied := new(store.Record[S])
	if err := json.Unmarshal(text, copied); err != nil {
		return nil, fmt.Errorf("copy %s %s: %w", rec.Kind(), rec.Metadata.Name, err)
	}
	copied.Metadata.Generation = rec.Metadata.Generation
	return copied, nil
}
