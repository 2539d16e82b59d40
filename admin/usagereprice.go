package admin

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"relay/gateway/plan"
	"relay/store"
)

// RepriceRequest selects the events whose cost is worked out anew.
type RepriceRequest struct {
	Since  string `json:"since" minLength:"1" doc:"A time (RFC 3339), or how long ago: 24h, 7d."`
	Until  string `json:"until,omitempty" doc:"Likewise; events before it. Absent: now."`
	DryRun bool   `json:"dryRun,omitempty" doc:"Answer what would change, and change nothing."`
}

type repriceInput struct{ Body RepriceRequest }

type repriceOutput struct{ Body store.Repriced }

func (s *server) repriceRoute(api huma.API) {
	op := operation(http.MethodPost, "/api/usage/reprice", "reprice-usage",
		"Work out the cost of recorded usage anew, with the present price lists as they are for the time of each request")
	huma.Register(api, op, func(ctx context.Context, in *repriceInput) (*repriceOutput, error) {
		sums, err := s.reprice(ctx, &in.Body)
		if err != nil {
			return nil, s.refusal(err)
		}
		errandOf(ctx).quiet = in.Body.DryRun
		return &repriceOutput{Body: sums}, nil
	})
}

// reprice leaves out what is recorded after it has begun: that has its price.
func (s *server) reprice(ctx context.Context, in *RepriceRequest) (store.Repriced, error) {
	q := store.RepriceQuery{DryRun: in.DryRun}
	var err error
	if q.Since, err = s.moment("since", in.Since); err != nil {
		return store.Repriced{}, err
	}
	if q.Until, err = s.moment("until", in.Until); err != nil {
		return store.Repriced{}, err
	}
	if q.Until.IsZero() {
		q.Until = s.Now()
	}
	s.settleUsage(ctx)
	return s.DB.Reprice(ctx, q, plan.NewPriceBook(s.DB.Catalog()).Price)
}

// Reprice works out the cost of recorded usage anew.
func (c *Client) Reprice(ctx context.Context, in RepriceRequest) (*store.Repriced, error) {
	return call[store.Repriced](ctx, c, request{method: http.MethodPost, path: "/api/usage/reprice", body: in})
}
