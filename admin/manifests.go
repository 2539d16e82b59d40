package admin

import (
	"bytes"
	"context"
	"errors"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"relay/store"
	"relay/store/manifest"
)

// ApplyRequest puts manifests onto the catalog, all or nothing.
type ApplyRequest struct {
	Documents []manifest.Document    `json:"documents" doc:"Manifests as JSON, with names in the place of ids."`
	Unread    []manifest.FileProblem `json:"unread,omitempty" doc:"What is wrong with documents that could not be read and are not here. With any, nothing is applied, and all that is wrong is answered."`
	DryRun    bool                   `json:"dryRun,omitempty" doc:"Answer what would change, and change nothing."`
	Force     bool                   `json:"force,omitempty" doc:"Also overwrite what was changed since the same source wrote it."`
	Source    string                 `json:"source,omitempty" doc:"What the documents come from, when it applies the same ones again and again. Without it they always win."`
	Prune     map[string]string      `json:"prune,omitempty" doc:"Delete the records with these labels that the source has written and says no more."`
}

// Applied tells what became, or would become, of each document.
type Applied struct {
	Changes    []manifest.Change `json:"changes"`
	DryRun     bool              `json:"dryRun"`
	Generation uint64            `json:"generation" doc:"Of the catalog afterwards."`
}

type applyInput struct {
	IfMatch string `header:"If-Match" doc:"The generation of the catalog, in quotes: refused with 412 when it has changed since."`
	Body    ApplyRequest
}

type applyOutput struct {
	Generation uint64 `header:"X-Relay-Generation"`
	Body       Applied
}

type exportOutput struct {
	ContentType string `header:"Content-Type"`
	Generation  uint64 `header:"X-Relay-Generation"`
	Body        []byte
}

func (s *server) manifestRoutes(api huma.API) {
	apply := operation(http.MethodPost, "/api/apply", "apply", "Apply manifests in one write")
	huma.Register(api, apply, func(ctx context.Context, in *applyInput) (*applyOutput, error) {
		out, err := s.apply(ctx, in)
		if err != nil {
			return nil, s.located(err)
		}
		return out, nil
	})
	export := operation(http.MethodGet, "/api/export", "export", "The whole catalog as manifests, without secrets")
	export.Responses = yamlResponse()
	huma.Register(api, export, func(context.Context, *struct{}) (*exportOutput, error) {
		c, text := s.DB.Catalog(), &bytes.Buffer{}
		if err := manifest.Export(c, text); err != nil {
			return nil, s.refusal(err)
		}
		return &exportOutput{ContentType: yamlType, Generation: c.Generation, Body: text.Bytes()}, nil
	})
}

const yamlType = "application/yaml"

func yamlResponse() map[string]*huma.Response {
	return map[string]*huma.Response{"200": {
		Description: "OK",
		Content:     map[string]*huma.MediaType{yamlType: {Schema: &huma.Schema{Type: huma.TypeString}}},
	}}
}

// errDryRun ends a write that is only tried.
var errDryRun = errors.New("dry run")

// tried returns what the write is going to be refused for, with the places of
// the documents.
func tried(base *store.Catalog, e *store.Edit, documents []manifest.Document, o manifest.ApplyOptions) error {
	if found := manifest.Check(base, documents, o, nil); len(found) > 0 {
		return manifest.Refused(store.CodeUnprocessable, found)
	}
	return e.CheckLimits()
}

// whole adds to what an apply was refused for all else that is wrong.
func whole(err error, base *store.Catalog, documents []manifest.Document, o manifest.ApplyOptions) error {
	var refused *store.Error
	if !errors.As(err, &refused) || len(refused.Problems) == 0 {
		return err
	}
	if all := manifest.Check(base, documents, o, nil); len(all) > len(refused.Problems) {
		return manifest.Refused(refused.Code, all)
	}
	return err
}

func (s *server) apply(ctx context.Context, in *applyInput) (*applyOutput, error) {
	if err := errandOf(ctx).mayApply(s.DB.Catalog(), in.Body.Documents); err != nil {
		return nil, err
	}
	if unread := in.Body.Unread; len(unread) > 0 {
		found := manifest.Check(s.DB.Catalog(), in.Body.Documents, manifest.ApplyOptions{Source: in.Body.Source, Force: in.Body.Force}, unread)
		return nil, errandOf(ctx).withoutHints(s.DB.Catalog(), manifest.Refused(store.CodeInvalid, found))
	}
	passwords, err := manifest.HashPasswords(ctx, s.DB.Catalog(), in.Body.Documents, s.Passwords)
	if err != nil {
		return nil, err
	}
	var changes []manifest.Change
	c, err := s.writeAs(ctx, store.VerbApply, func(e *store.Edit) error {
		if !matches(in.IfMatch, s.DB.Catalog().Generation) {
			return &store.Error{Code: store.CodeStale, Message: "the catalog has changed since it was read; look at what would change now and repeat"}
		}
		options := manifest.ApplyOptions{Source: in.Body.Source, Force: in.Body.Force, Prune: in.Body.Prune, Passwords: passwords}
		base, err := s.DB.Catalog(), error(nil)
		if changes, err = manifest.Apply(e, in.Body.Documents, options); err != nil {
			return whole(err, base, in.Body.Documents, options)
		}
		if err := errandOf(ctx).mayPrune(base, e); err != nil {
			return err
		}
		if err := tried(base, e, in.Body.Documents, options); err != nil || !in.Body.DryRun {
			return err
		}
		return errDryRun
	})
	if errors.Is(err, errDryRun) {
		c, err = s.DB.Catalog(), nil
		errandOf(ctx).quiet = true
	}
	if err != nil {
		return nil, err
	}
	return &applyOutput{
		Generation: c.Generation,
		Body:       Applied{Changes: changes, DryRun: in.Body.DryRun, Generation: c.Generation},
	}, nil
}

// mayApply reports at once when the caller may apply none of a kind. What the
// documents change is held against its rights row by row afterwards.
func (k *errand) mayApply(c *store.Catalog, documents []manifest.Document) error {
	access := k.access(c)
	for i := range documents {
		if kind := documents[i].Kind; c.Of(kind) != nil && !access.AllowsAnywhere(kind.Plural(), store.VerbApply) {
			return forbidden(string(store.VerbApply), kind.Plural())
		}
	}
	return nil
}

// mayPrune holds what an apply deletes against the right to delete, which the
// right to apply does not give, and keeps what always exists.
func (k *errand) mayPrune(base *store.Catalog, e *store.Edit) error {
	w := &writing{errand: k, base: base, next: e.Catalog()}
	full := k.caller != nil && (k.full || k.access(base).Full())
	for _, change := range e.Changes() {
		if change.After != nil {
			continue
		}
		if err := checkStays(change.Before); err != nil {
			return err
		}
		if err := w.allow(change); err != nil && !full {
			return err
		}
	}
	return nil
}
