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
	Documents []manifest.Document `json:"documents" doc:"Manifests as JSON, with names in the place of ids."`
	DryRun    bool                `json:"dryRun,omitempty" doc:"Answer what would change, and change nothing."`
	Force     bool                `json:"force,omitempty" doc:"Also overwrite what was changed since the same source wrote it."`
	Source    string              `json:"source,omitempty" doc:"What the documents come from, when it applies the same ones again and again."`
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

// tried returns what the write would have been refused for, or errDryRun.
func tried(base *store.Catalog, e *store.Edit, documents []manifest.Document) error {
	found := manifest.Check(base, documents)
	if len(found) == 0 {
		if err := e.CheckLimits(); err != nil {
			return err
		}
		return errDryRun
	}
	problems := make([]store.Problem, len(found))
	for i, p := range found {
		problems[i] = p.Problem
	}
	return unprocessable(problems...)
}

func (s *server) apply(ctx context.Context, in *applyInput) (*applyOutput, error) {
	if err := errandOf(ctx).mayApply(s.DB.Catalog(), in.Body.Documents); err != nil {
		return nil, err
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
		options := manifest.ApplyOptions{Source: in.Body.Source, Force: in.Body.Force, Passwords: passwords}
		var err error
		changes, err = manifest.Apply(e, in.Body.Documents, options)
		if err != nil || !in.Body.DryRun {
			return err
		}
		return tried(s.DB.Catalog(), e, in.Body.Documents)
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
