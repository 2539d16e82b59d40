package plan

import (
	"cmp"
	"slices"
	"strconv"
	"time"

	"relay/limiter"
	"relay/store"
)

// ExplainedRoute is where requests for a model may go: the keys to try, in
// order, those that are passed over, and the models to go on with.
type ExplainedRoute struct {
	Model      RecordName          `json:"model" doc:"Without an id: the catalogue does not know it, and it is sent under its own name."`
	Alias      bool                `json:"alias,omitempty" doc:"No host is bound to it: it stands for its fallbacks."`
	PinnedHost string              `json:"pinnedHost,omitempty" doc:"The host that the request names."`
	Pools      []ExplainedPool     `json:"pools" doc:"In order: the next when no key of one can take the request."`
	PassedOver []PassedKey         `json:"passedOver" doc:"Keys at the model's hosts that the route leaves out."`
	Fallbacks  []ExplainedFallback `json:"fallbacks" doc:"Models to go on with, in order."`
}

// ExplainedPool is one pool and the keys of it that the model can use.
type ExplainedPool struct {
	Name      string         `json:"name"`
	Selection string         `json:"selection"`
	Policy    *RecordName    `json:"policy,omitempty" doc:"Whose pool it is; absent: every enabled host key."`
	Keys      []ExplainedKey `json:"keys"`
}

// ExplainedKey is a host key on which the request may be tried.
type ExplainedKey struct {
	HostID       string       `json:"hostId"`
	Host         string       `json:"host"`
	HostKeyID    string       `json:"hostKeyId"`
	HostKey      string       `json:"hostKey"`
	Anonymous    bool         `json:"anonymous,omitempty" doc:"The host wants no key."`
	UpstreamName string       `json:"upstreamName" doc:"What the host calls the model."`
	Translated   store.Shape  `json:"translated,omitempty" doc:"Into which shape the request is translated, if that can express it; absent: it passes as it is."`
	Priority     int          `json:"priority"`
	Price        *Price       `json:"price,omitempty" doc:"Absent: unpriced."`
	State        *KeyState    `json:"state,omitempty" doc:"Of its breaker, where a server runs."`
	Health       *HostState   `json:"health,omitempty" doc:"Of its host, where a server runs."`
	Limits       []LimitState `json:"limits" doc:"Of its host, its host account and its tier."`
	Takes        bool         `json:"takes" doc:"It can take the request now."`
	Reason       string       `json:"reason,omitempty" doc:"Why not."`
}

// Price is what a million tokens cost, in dollars, where there is a price list.
type Price struct {
	PricingID        string `json:"pricingId"`
	Pricing          string `json:"pricing"`
	InputPerMillion  string `json:"inputPerMillion,omitempty"`
	OutputPerMillion string `json:"outputPerMillion,omitempty"`
}

func (e *explainer) route() *ExplainedRoute {
	if e.model == nil {
		return nil
	}
	out := &ExplainedRoute{
		Model: RecordName{store.KindModel, e.model.ID, e.model.Name}, Alias: e.model.Alias,
		Pools: e.pools(), PassedOver: e.passedOver(), Fallbacks: e.fallbacks(),
	}
	if e.model.Unknown {
		out.Model.ID = ""
	}
	if e.pin != nil {
		out.PinnedHost = e.pin.Name()
	}
	return out
}

func (e *explainer) pools() []ExplainedPool {
	out := []ExplainedPool{}
	if e.way == nil {
		return out
	}
	for _, pool := range e.way.Pools {
		shown := ExplainedPool{Name: pool.Name, Selection: pool.Selection, Policy: e.poolOwner()}
		for _, c := range pool.Candidates {
			shown.Keys = append(shown.Keys, e.candidate(c))
		}
		if pool.Selection == Prioritized {
			slices.SortStableFunc(shown.Keys, firstAsIs)
		}
		out = append(out, shown)
	}
	return out
}

// firstAsIs orders keys by priority, and within one those first whose host takes the
// request as it is.
func firstAsIs(a, b ExplainedKey) int {
	byPriority := cmp.Compare(a.Priority, b.Priority)
	switch {
	case byPriority != 0 || (a.Translated == "") == (b.Translated == ""):
		return byPriority
	case a.Translated == "":
		return -1
	}
	return 1
}

func (e *explainer) candidate(c Candidate) ExplainedKey {
	k := ExplainedKey{
		HostID: c.Key.Host.Record.Metadata.ID, Host: c.Key.Host.Name(), HostKeyID: c.Key.ID, HostKey: c.Key.Name, Anonymous: c.Key.Anonymous,
		UpstreamName: c.Binding.UpstreamName, Translated: c.Binding.translated(e.call), Priority: c.Binding.Priority, Price: e.price(c.Binding.Pricing),
		State: stateIn(e.keyStates, c.Key.ID), Health: stateIn(e.hostStates, c.Key.Host.Record.Metadata.ID),
		Limits: e.states(e.upstreamLimits(c)), Reason: e.whyNot(c),
	}
	k.Takes = k.Reason == ""
	return k
}

func stateIn[T any](states map[string]T, id string) *T {
	if state, known := states[id]; known {
		return &state
	}
	return nil
}

// whyNot says why the candidate cannot take the request now, or "".
func (e *explainer) whyNot(c Candidate) string {
	switch {
	case e.pin != nil && c.Key.Host != e.pin:
		return "the request names host " + e.pin.Name()
	case !c.Binding.Takes(e.call):
		return c.Key.Host.Name() + " does not speak " + string(e.call.Shape) + " for this model"
	case e.benched(c):
		return benchedText(e.keyStates[c.Key.ID])
	}
	if r := e.judge(e.upstreamLimits(c)); r.Refused() {
		return "it is at its own limit; retry after " + strconv.FormatInt(r.RetryAfter(), 10) + " s"
	}
	return ""
}

// benched reports whether the breaker holds the candidate's key back for its
// model.
func (e *explainer) benched(c Candidate) bool {
	switch state := e.keyStates[c.Key.ID]; state.State {
	case "open":
		return true
	case "resting":
		return len(state.Models) == 0 || slices.Contains(state.Models, c.Binding.Model.ID)
	}
	return false
}

func benchedText(s KeyState) string {
	what := "its breaker is open"
	if s.State == "resting" {
		what = "it rests, as its provider asked,"
	}
	text := what + " until " + s.Until.UTC().Format(time.RFC3339)
	if s.Reason != "" {
		text += ": " + s.Reason
	}
	return text
}

// upstreamLimits returns the limits of the candidate's host, host account and
// tier.
func (e *explainer) upstreamLimits(c Candidate) []*limiter.Limit {
	f := e.facts()
	f.Model = c.Binding.Model
	limits := c.Key.of(f)
	for _, perModel := range c.Key.PerModel {
		held := perModel.Of(f.Model).Held
		limits = appendLimits(limits, held.of(f))
	}
	return limits
}

func (e *explainer) price(p *Pricing) *Price {
	if p == nil {
		return nil
	}
	return &Price{
		PricingID: p.ID, Pricing: e.nameOf(store.KindPricing, p.ID),
		InputPerMillion: p.perMillion("tokens.input", e.Now), OutputPerMillion: p.perMillion("tokens.output", e.Now),
	}
}

// perMillion returns what a million units cost in dollars; "" without a rate.
func (p *Pricing) perMillion(meter string, at time.Time) string {
	r, ok := p.find(meter, 0, at)
	if !ok {
		return ""
	}
	return store.FormatNanoDollars(r.pico * 1000)
}
