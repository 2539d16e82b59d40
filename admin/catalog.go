package admin

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"relay/store"
)

// Catalogue is the catalogue of hosts, models and prices that Relay ships, or has
// been given since. It is safe for concurrent use.
type Catalogue interface {
	// State tells which one the records come from.
	State() (CatalogueState, error)
	// Compare applies that one once more, and tells where records differ.
	Compare(e *store.Edit) ([]CatalogueChange, error)
	// Update puts another in its place, Rollback the former one. Records that
	// somebody has edited stay as they are.
	Update(e *store.Edit, in CatalogueUpdate) ([]CatalogueChange, error)
	Rollback(e *store.Edit) ([]CatalogueChange, error)
}

// CatalogueState tells which catalogue the shipped records come from.
type CatalogueState struct {
	CatalogueText
	AgeDays int             `json:"ageDays" doc:"Days since its date."`
	Warning string          `json:"warning,omitempty" doc:"That it is older than 60 days."`
	Former  *CatalogueText  `json:"former,omitempty" doc:"That a rollback goes back to."`
	Hosts   []CatalogueHost `json:"hosts" doc:"In the order in which keys are looked for."`
}

// CatalogueText is one catalogue.
type CatalogueText struct {
	Release int       `json:"release"`
	Date    string    `json:"date"`
	Source  string    `json:"source" doc:"embedded, or the file or URL that it was read from."`
	Since   time.Time `json:"since"`
}

// CatalogueHost is what the catalogue knows of a host beside its record.
type CatalogueHost struct {
	Name       string            `json:"name"`
	Env        []string          `json:"env,omitempty" doc:"Variables that usually hold its key, best first."`
	Values     map[string]string `json:"values,omitempty" doc:"Variables that hold what its base URL leaves open."`
	Pricing    string            `json:"pricing,omitempty" doc:"The vendor's page of prices."`
	Unverified bool              `json:"unverified,omitempty" doc:"Nobody has confirmed it outside of its source."`
}

// CatalogueChange is what becomes of one record.
type CatalogueChange struct {
	Kind    store.Kind `json:"kind"`
	Name    string     `json:"name"`
	Action  string     `json:"action" doc:"create, update, delete; drift or kept: somebody has edited the record, which stays; needed: others refer to it."`
	Members []string   `json:"members,omitempty" doc:"Of its spec, that differ."`
	Prices  []string   `json:"prices,omitempty" doc:"What becomes of each rate."`
}

// CatalogueUpdate puts another catalogue in the place of the present one.
type CatalogueUpdate struct {
	Text   string `json:"text" minLength:"1" doc:"The catalogue as YAML, in one document."`
	Source string `json:"source" minLength:"1" maxLength:"300" doc:"Where it was read from."`
	Force  bool   `json:"force,omitempty" doc:"Also when its release is not newer."`
	DryRun bool   `json:"dryRun,omitempty" doc:"Answer what would change, and change nothing."`
}

// CatalogueChanged tells what became, or would become, of the records.
type CatalogueChanged struct {
	CatalogueText
	Changes    []CatalogueChange `json:"changes"`
	DryRun     bool              `json:"dryRun"`
	Generation uint64            `json:"generation" doc:"Of the catalog afterwards."`
}

type catalogueStateOutput struct{ Body CatalogueState }

type catalogueChangedOutput struct {
	Generation uint64 `header:"X-Relay-Generation"`
	Body       CatalogueChanged
}

type catalogueRollback struct {
	DryRun bool `json:"dryRun,omitempty" doc:"Answer what would change, and change nothing."`
}

func (s *server) catalogueRoutes(api huma.API) {
	state := operation(http.MethodGet, "/api/catalog", "get-catalog", "Which catalogue of hosts, models and prices the shipped records come from")
	huma.Register(api, state, func(context.Context, *struct{}) (*catalogueStateOutput, error) {
		if s.Catalogue == nil {
			return nil, s.refusal(noCatalogue())
		}
		now, err := s.Catalogue.State()
		if err != nil {
			return nil, s.refusal(err)
		}
		return &catalogueStateOutput{Body: now}, nil
	})
	diff := operation(http.MethodGet, "/api/catalog/diff", "diff-catalog", "Where shipped records differ from the catalogue that they come from")
	huma.Register(api, diff, func(ctx context.Context, _ *struct{}) (*catalogueChangedOutput, error) {
		return s.changeCatalogue(ctx, true, func(e *store.Edit) ([]CatalogueChange, error) { return s.Catalogue.Compare(e) })
	})
	update := operation(http.MethodPost, "/api/catalog/update", "update-catalog", "Put another catalogue in the place of the present one")
	huma.Register(api, update, func(ctx context.Context, in *struct{ Body CatalogueUpdate }) (*catalogueChangedOutput, error) {
		return s.changeCatalogue(ctx, in.Body.DryRun, func(e *store.Edit) ([]CatalogueChange, error) { return s.Catalogue.Update(e, in.Body) })
	})
	rollback := operation(http.MethodPost, "/api/catalog/rollback", "rollback-catalog", "Go back to the former catalogue")
	huma.Register(api, rollback, func(ctx context.Context, in *struct{ Body catalogueRollback }) (*catalogueChangedOutput, error) {
		return s.changeCatalogue(ctx, in.Body.DryRun, func(e *store.Edit) ([]CatalogueChange, error) { return s.Catalogue.Rollback(e) })
	})
}

func noCatalogue() error {
	return &store.Error{Code: store.CodeUnavailable, Message: "this Relay has no catalogue"}
}

// changeCatalogue makes a change in one write, or only tries it.
func (s *server) changeCatalogue(ctx context.Context, dryRun bool, change func(e *store.Edit) ([]CatalogueChange, error)) (*catalogueChangedOutput, error) {
	if s.Catalogue == nil {
		return nil, s.refusal(noCatalogue())
	}
	out := &catalogueChangedOutput{Body: CatalogueChanged{DryRun: dryRun}}
	c, err := s.writeAs(ctx, store.VerbApply, func(e *store.Edit) error {
		changes, err := change(e)
		out.Body.Changes = append([]CatalogueChange{}, changes...)
		if err == nil && dryRun {
			err = errDryRun
		}
		return err
	})
	if errors.Is(err, errDryRun) {
		c, err = s.DB.Catalog(), nil
		errandOf(ctx).quiet = true
	}
	if err != nil {
		return nil, s.refusal(err)
	}
	now, err := s.Catalogue.State()
	if err != nil {
		return nil, s.refusal(err)
	}
	out.Body.CatalogueText = now.CatalogueText
	out.Generation, out.Body.Generation = c.Generation, c.Generation
	return out, nil
}

// Catalogue tells which catalogue the shipped records come from.
func (c *Client) Catalogue(ctx context.Context) (*CatalogueState, error) {
	return get[CatalogueState](ctx, c, "/api/catalog", nil)
}

// DiffCatalogue tells where shipped records differ from their catalogue.
func (c *Client) DiffCatalogue(ctx context.Context) (*CatalogueChanged, error) {
	return get[CatalogueChanged](ctx, c, "/api/catalog/diff", nil)
}

// UpdateCatalogue puts another catalogue in the place of the present one.
func (c *Client) UpdateCatalogue(ctx context.Context, in CatalogueUpdate) (*CatalogueChanged, error) {
	return call[CatalogueChanged](ctx, c, request{method: http.MethodPost, path: "/api/catalog/update", body: in})
}

// RollbackCatalogue goes back to the former catalogue.
func (c *Client) RollbackCatalogue(ctx context.Context, dryRun bool) (*CatalogueChanged, error) {
	return call[CatalogueChanged](ctx, c, request{method: http.MethodPost, path: "/api/catalog/rollback", body: catalogueRollback{dryRun}})
}
