package admin

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"relay/store"
)

// Ceiling is what an organization may use at most, under the names that tools
// written for other gateways know. Null is no ceiling.
type Ceiling struct {
	RPM         *int64 `json:"rpm_limit" required:"false" nullable:"true" doc:"Requests in any minute."`
	TPM         *int64 `json:"tpm_limit" required:"false" nullable:"true" doc:"Tokens in any minute."`
	Concurrency *int64 `json:"max_concurrency" required:"false" nullable:"true" doc:"Requests in flight."`
}

type ceilingInput struct {
	ID string `path:"org_id" doc:"The name or the id."`
}

type setCeilingInput struct {
	ID      string `path:"org_id" doc:"The name or the id."`
	IfMatch string `header:"If-Match" doc:"An ETag: refused with 412 when the organization has changed since."`
	Body    Ceiling
}

type ceilingOutput struct {
	ETag       string `header:"ETag"`
	Generation uint64 `header:"X-Relay-Generation"`
	Body       Ceiling
}

const ceilingPath = "/admin/organizations/{org_id}/limits"

func (s *server) ceilingRoutes(api huma.API) {
	show := operation(http.MethodGet, ceilingPath, "get-organization-limits", "What an organization may use at most")
	show.Tags = []string{"organizations"}
	huma.Register(api, show, func(_ context.Context, in *ceilingInput) (*ceilingOutput, error) {
		c := s.DB.Catalog()
		rec, err := find(c, store.KindOrganization, unescaped(in.ID))
		if err != nil {
			return nil, s.refusal(err)
		}
		return ceilingOf(c, rec.(*store.Organization)), nil
	})
	set := operation(http.MethodPut, ceilingPath, "set-organization-limits", "Set what an organization may use at most; what is absent has no ceiling")
	set.Tags = []string{"organizations"}
	huma.Register(api, set, func(ctx context.Context, in *setCeilingInput) (*ceilingOutput, error) {
		out, err := s.setCeiling(ctx, in)
		if err != nil {
			return nil, s.refusal(err)
		}
		return out, nil
	})
}

func ceilingOf(c *store.Catalog, rec *store.Organization) *ceilingOutput {
	out := &ceilingOutput{ETag: etag(rec), Generation: c.Generation}
	if limits := rec.Spec.Limits; limits != nil {
		out.Body = Ceiling{limits.RPM, limits.TPM, limits.Concurrency}
	}
	return out
}

// setCeiling leaves limits that have no name here as they are.
func (s *server) setCeiling(ctx context.Context, in *setCeilingInput) (*ceilingOutput, error) {
	named, err := find(s.DB.Catalog(), store.KindOrganization, unescaped(in.ID))
	if err != nil {
		return nil, err
	}
	id := named.Meta().ID
	c, err := s.write(ctx, func(e *store.Edit) error {
		return alter(e, store.KindOrganization, id, in.IfMatch, in.Body.put)
	})
	if err != nil {
		return nil, err
	}
	return ceilingOf(c, c.Organizations.Get(id)), nil
}

func (b *Ceiling) put(rec *store.Organization) error {
	limits := store.Limits{}
	if rec.Spec.Limits != nil {
		limits = *rec.Spec.Limits
	}
	limits.RPM, limits.TPM, limits.Concurrency = b.RPM, b.TPM, b.Concurrency
	rec.Spec.Limits = &limits
	if limits == (store.Limits{}) {
		rec.Spec.Limits = nil
	}
	return nil
}
