package plan

import (
	"strconv"

	"relay/store"
)

// ExplainedFallback is a model that another goes on with, or that an alias model
// stands for.
type ExplainedFallback struct {
	Model      RecordName      `json:"model"`
	Of         string          `json:"of" doc:"The model that goes on with it."`
	Alias      bool            `json:"alias,omitempty" doc:"It stands for fallbacks of its own, which follow."`
	Weight     int             `json:"weight,omitempty"`
	Through    string          `json:"through,omitempty" doc:"The alias model through which alone the ladder allows it on these hosts."`
	Pools      []ExplainedPool `json:"pools"`
	PassedOver []PassedKey     `json:"passedOver"`
	Limits     []LimitState    `json:"limits" doc:"Of the model, reserved when its turn comes."`
	Takes      bool            `json:"takes" doc:"It can take the request now."`
	Reason     string          `json:"reason,omitempty" doc:"Why not."`
}

// fallbacks returns what the model goes on with, in the order in which a request
// comes to it when nothing is left to chance.
func (e *explainer) fallbacks() []ExplainedFallback {
	l := legs{explainer: e, out: []ExplainedFallback{}, seen: map[*Model]bool{e.model: true}}
	l.follow(e.model, e.way)
	return l.out
}

// legs is the making of that list.
type legs struct {
	*explainer
	out  []ExplainedFallback
	seen map[*Model]bool
}

func (l *legs) follow(m *Model, way *Route) {
	if way == nil {
		return
	}
	for _, to := range m.fallbacks {
		if l.seen[to.model] || len(l.seen) >= maxWalk {
			continue
		}
		l.seen[to.model] = true
		next := way.to(to.model)
		leg := l.on(to.model, next).leg(way, to.weight)
		l.out = append(l.out, leg)
		l.follow(to.model, next)
	}
}

// to returns the route of a model that the route goes on with, or nil.
func (r *Route) to(m *Model) *Route {
	for _, next := range r.Next {
		if next.Route.Model == m {
			return next.Route
		}
	}
	return nil
}

func (e *explainer) leg(from *Route, weight int) ExplainedFallback {
	out := ExplainedFallback{
		Model: RecordName{store.KindModel, e.model.ID, e.model.Name}, Of: from.Model.Name, Alias: e.model.Alias, Weight: weight,
		Pools: e.pools(), PassedOver: e.passedOver(), Limits: e.states(e.modelLimits(e.facts())),
	}
	if from.Model.Alias && !e.model.Alias && e.way != nil && e.way != e.caller.Access.Route(e.model) {
		out.Through = from.Model.Name
	}
	out.Reason = e.whyNoTurn()
	out.Takes = out.Reason == ""
	return out
}

// whyNoTurn says why the model would be passed over now; "" when it would not.
func (e *explainer) whyNoTurn() string {
	switch {
	case e.model.Disabled:
		return "it is switched off"
	case e.way == nil && !e.model.leadsSomewhere():
		return "no host serves it"
	case e.way == nil:
		return "the ladder does not allow it"
	case e.model.Alias:
		return ""
	}
	var u Untried
	if e.tries(&u) {
		return ""
	}
	if limit := u.Limit(); limit.Refused() {
		return "it is at a limit of its own; retry after " + strconv.FormatInt(limit.RetryAfter(), 10) + " s"
	}
	refused, _ := u.Verdict(e.model)
	if !e.way.Has(e.takes) && u.refused == nil {
		return "no key can take the request"
	}
	return refused.Message
}
