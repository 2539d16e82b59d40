package admin

import (
	"context"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"relay/limiter"
	"relay/store"
)

// CounterResetter sets counters of the limiter to zero. It is safe for
// concurrent use.
type CounterResetter interface {
	// Reset sets what the counters with a matching name have counted to zero and
	// returns how many they are. What is in flight stays. The usage writer puts
	// it on disk with what it writes next.
	Reset(matches func(limiter.Name) bool) (counters int)
}

// resetPatience is for the disk to take a reset.
const resetPatience = 10 * time.Second

// CounterReset is what came of a reset.
type CounterReset struct {
	Counters int `json:"counters" doc:"How many counters stand at zero now, on disk too."`
}

type resetOutput struct{ Body CounterReset }

type resetLimitInput struct {
	ID   string `path:"id"`
	Body *resetLimitRequest
}

type resetLimitRequest struct {
	Subject string `json:"subject,omitempty" maxLength:"512" doc:"Only what this subject counts: team:NAME, key:NAME, host-key:NAME, or with an id. Absent: everybody's."`
}

type resetBudgetInput struct {
	ID   string `path:"id"`
	Body resetBudgetRequest
}

type resetBudgetRequest struct {
	Period string `json:"period" enum:"day,week,month,total" doc:"Of the budget that starts over."`
}

// resetRoutes set counters to zero, for good: they answer once the disk has it.
func (s *server) resetRoutes(api huma.API) {
	op := operation(http.MethodPost, "/api/rate-limits/by-id/{id}/reset", "reset-rate-limit", "Set what a rate limit has counted to zero")
	huma.Register(api, op, func(ctx context.Context, in *resetLimitInput) (*resetOutput, error) {
		return s.answerReset(ctx, in.counters)
	})
	resetBudgetRoute(s, api, store.KindPolicy, func(p store.PolicySpec) []store.Budget { return p.Budgets })
	resetBudgetRoute(s, api, store.KindRelayKey, func(k store.RelayKeySpec) []store.Budget { return k.Budgets })
}

func resetBudgetRoute[S any](s *server, api huma.API, kind store.Kind, budgets func(S) []store.Budget) {
	op := operation(http.MethodPost, "/api/"+kind.Plural()+"/by-id/{id}/reset-budget", "reset-budget-of-"+string(kind), "Set what was spent of a budget to zero")
	huma.Register(api, op, func(ctx context.Context, in *resetBudgetInput) (*resetOutput, error) {
		return s.answerReset(ctx, func(c *store.Catalog) (func(limiter.Name) bool, error) {
			rec, err := current[S](c, kind, in.ID, "")
			if err != nil {
				return nil, err
			}
			return in.counters(rec, budgets(rec.Spec))
		})
	})
}

// answerReset resets the counters that choose picks.
func (s *server) answerReset(ctx context.Context, choose func(*store.Catalog) (func(limiter.Name) bool, error)) (*resetOutput, error) {
	matches, err := choose(s.DB.Catalog())
	if err != nil {
		return nil, s.refusal(err)
	}
	if s.Resets == nil {
		return nil, needsServer()
	}
	counters := s.Resets.Reset(matches)
	ctx, cancel := context.WithTimeout(ctx, resetPatience)
	defer cancel()
	if err := s.DB.FlushUsage(ctx); err != nil {
		return nil, s.refusal(&store.Error{Code: store.CodeUnavailable, Err: err,
			Message: "the counters stand at zero, but the disk has not taken that yet, and a crash would bring them back: repeat it once usage is being written again"})
	}
	return &resetOutput{Body: CounterReset{Counters: counters}}, nil
}

// ResetRateLimit sets what the rate limit with the id has counted to zero: for
// everybody, or for one subject such as team:NAME or key:NAME.
func (c *Client) ResetRateLimit(ctx context.Context, id, subject string) (*CounterReset, error) {
	return call[CounterReset](ctx, c, request{method: http.MethodPost, path: byID(store.KindRateLimit, id) + "/reset", body: resetLimitRequest{subject}})
}

// ResetBudget sets what was spent of the budget for the period to zero, of the
// policy or the relay key with the id.
func (c *Client) ResetBudget(ctx context.Context, kind store.Kind, id, period string) (*CounterReset, error) {
	return call[CounterReset](ctx, c, request{method: http.MethodPost, path: byID(kind, id) + "/reset-budget", body: resetBudgetRequest{period}})
}
