package admin

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"relay/gateway/plan"
	"relay/store"
)

type policyLimitsOutput struct {
	Generation uint64 `header:"X-Relay-Generation"`
	Body       plan.PolicyLimits
}

func (s *server) policyLimitsRoute(api huma.API) {
	op := operation(http.MethodGet, "/api/policies/{ref}/rate-limits", "get-policy-rate-limits", "Show what a policy counts, of which models, and where its counters stand")
	huma.Register(api, op, func(_ context.Context, in *refInput) (*policyLimitsOutput, error) {
		out, err := s.policyLimits(unescaped(in.Ref))
		if err != nil {
			return nil, s.refusal(err)
		}
		return out, nil
	})
}

func (s *server) policyLimits(ref string) (*policyLimitsOutput, error) {
	p, err := s.plan()
	if err != nil {
		return nil, err
	}
	policy, err := find(p.Catalog(), store.KindPolicy, ref)
	if err != nil {
		return nil, err
	}
	out, err := plan.LimitsOf(p, policy.Meta().ID, s.observed())
	if err != nil {
		return nil, err
	}
	return &policyLimitsOutput{Generation: p.Generation, Body: out}, nil
}
