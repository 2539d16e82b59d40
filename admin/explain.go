package admin

import (
	"cmp"
	"context"
	"net/http"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"relay/gateway/plan"
	"relay/store"
)

// ExplainRequest asks what would become of a request: of a relay key, or of any
// key of an account that has no caps of its own.
type ExplainRequest struct {
	Credential string `json:"credential,omitempty" doc:"A relay key, by name or id."`
	Account    string `json:"account,omitempty" doc:"Instead: an account such as team:NAME, or its id."`
	Model      string `json:"model" minLength:"1" maxLength:"512" doc:"As a request names it: a name, an alias, provider/model, host/NAME, each with @host."`
	Endpoint   string `json:"endpoint,omitempty" doc:"As policies name it; absent: chat."`
	User       string `json:"user,omitempty" maxLength:"128" doc:"The end user that the request would name."`
}

type explainInput struct{ Body ExplainRequest }

type explainOutput struct {
	Generation uint64 `header:"X-Relay-Generation"`
	Body       plan.Explanation
}

// explainRoutes answer from the plan in use and call nothing.
func (s *server) explainRoutes(api huma.API) {
	op := operation(http.MethodPost, "/api/explain", "explain", "Say what would become of a request, and why")
	huma.Register(api, op, func(ctx context.Context, in *explainInput) (*explainOutput, error) {
		if err := errandOf(ctx).mayExplain(s.DB.Catalog(), in.Body); err != nil {
			return nil, s.refusal(err)
		}
		out, err := s.explain(in.Body)
		if err != nil {
			return nil, s.refusal(err)
		}
		return out, nil
	})
	s.effectiveRoute(api)
	s.policyLimitsRoute(api)
}

func (s *server) explain(in ExplainRequest) (*explainOutput, error) {
	p, err := s.plan()
	if err != nil {
		return nil, err
	}
	q, err := question(p.Catalog(), in)
	if err != nil {
		return nil, err
	}
	q.Observed = s.observed()
	out, err := plan.Explain(p, q)
	if err != nil {
		return nil, err
	}
	return &explainOutput{Generation: p.Generation, Body: out}, nil
}

func question(c *store.Catalog, in ExplainRequest) (plan.Question, error) {
	q := plan.Question{Model: in.Model, User: in.User, Endpoint: cmp.Or(in.Endpoint, store.EndpointChat)}
	if (in.Credential == "") == (in.Account == "") {
		return q, invalid(store.Problem{Field: "credential", Message: "give either a credential or an account"})
	}
	if !slices.Contains(store.Endpoints(), q.Endpoint) {
		return q, invalid(store.Problem{Field: "endpoint", Message: "must be one of " + strings.Join(store.Endpoints(), ", ")})
	}
	if in.Account != "" {
		account, err := findAccount(c, in.Account)
		q.Account = account
		return q, err
	}
	key, err := find(c, store.KindRelayKey, in.Credential)
	if err != nil {
		return q, err
	}
	q.KeyID = key.Meta().ID
	return q, nil
}

// plan returns the plan in use.
func (s *server) plan() (*plan.Plan, error) {
	if s.Plan != nil {
		if p := s.Plan(); p != nil {
			return p, nil
		}
	}
	return nil, problem(http.StatusServiceUnavailable, "there is no plan yet: Relay is starting; try again shortly")
}

// observed is what is known of this moment.
func (s *server) observed() plan.Observed {
	seen := plan.Observed{Now: s.Now(), Live: s.Live}
	if s.Counters != nil {
		seen.Counters, seen.AsOf = s.Counters, s.Counters.AsOf()
	}
	return seen
}
