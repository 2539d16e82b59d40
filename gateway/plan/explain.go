package plan

import (
	"slices"
	"strings"
	"time"

	"relay/limiter"
	"relay/store"
)

// Question asks what would become of a request: one of a relay key, or one of
// any key of an account that has no caps of its own.
type Question struct {
	KeyID    string           // of a relay key
	Account  store.AccountRef // without KeyID; holds an id
	Model    string           // as the request would name it
	Endpoint string           // as policies name it
	User     string           // the end user that it would name; empty: none
	Observed
}

// Observed is what is known of the moment that a question is about.
type Observed struct {
	Now      time.Time // against which keys expire and prices hold
	Counters Counters  // nil: nothing is counted
	Live     Live      // nil: no server runs
	AsOf     time.Time // without a server: when the counts were last written; zero: never
}

// Counters tells what limits stand at and charges nothing. It is safe for
// concurrent use.
type Counters interface {
	Read(*limiter.Counter) limiter.Reading
	Judge([]*limiter.Limit) limiter.Refusal // what a reserve would say now
}

// RecordName is a record for people and for programs.
type RecordName struct {
	Kind store.Kind `json:"kind"`
	ID   string     `json:"id"`
	Name string     `json:"name"`
}

// Explanation says what would become of a request, and why.
type Explanation struct {
	Allowed    bool            `json:"allowed"`
	Refusal    *WouldRefuse    `json:"refusal,omitempty" doc:"What the caller would get instead of an answer."`
	Credential *RecordName     `json:"credential,omitempty"`
	Account    *RecordName     `json:"account,omitempty" doc:"Without credential: the account whose keys were asked about."`
	Model      string          `json:"model" doc:"As it was asked for."`
	Endpoint   string          `json:"endpoint"`
	Rungs      []RungVerdict   `json:"rungs" doc:"The ladder, widest rung first."`
	Route      *ExplainedRoute `json:"route,omitempty" doc:"Absent when there is no such model."`
	Limits     []LimitState    `json:"limits" doc:"Limits and budgets of the caller, in the order in which a refusal names them."`
	Notes      []string        `json:"notes" doc:"What the answer cannot take into account."`
	Live       bool            `json:"live" doc:"A server runs: counters and keys are as they stand."`
	AsOf       time.Time       `json:"asOf,omitzero" doc:"Without a server: when counters were last written; absent: never."`
}

// Explain answers the question from the plan and calls nothing. It fails with
// a *store.Error when there is no such key or account.
func Explain(p *Plan, q Question) (Explanation, error) {
	asked, err := p.ask(q.KeyID, q.Account)
	if err != nil {
		return Explanation{}, err
	}
	e := &explainer{asked: asked, Question: q}
	if q.Live != nil {
		e.keyStates, e.hostStates = q.Live.KeyStates(), q.Live.HostStates()
	}
	e.path, e.call = callOf(q.Endpoint)
	e.asksFor = e.find()
	out := Explanation{
		Model: q.Model, Endpoint: q.Endpoint, Refusal: e.refusal(), Rungs: e.rungs(), Route: e.route(),
		Limits: e.states(e.limits()), Notes: e.notes(), Live: q.Live != nil,
	}
	out.Allowed = out.Refusal == nil
	if q.KeyID != "" {
		out.Credential = &asked.subject
	} else {
		out.Account = &asked.subject
	}
	if q.Live == nil {
		out.AsOf = q.AsOf
	}
	return out, nil
}

// explainer is one question under way.
type explainer struct {
	*asked
	Question
	path string // that a request to the endpoint has
	call Call

	asksFor *Model // nil: there is none of the name
	model   *Model // that is looked at: the same, or one that it goes on with
	pin     *Host
	way     *Route   // of model; nil: the ladder does not allow it
	unclear *Refused // a bare name that more than one host lists
	remarks []string // about a name that the catalog does not know

	keyStates  map[string]KeyState // nil: no server runs
	hostStates map[string]HostState
}

// find looks the model up as a request would, and returns it.
func (e *explainer) find() *Model {
	m, pin, ok := e.plan.Find(e.Model)
	if !ok {
		e.findUnknown()
		return e.model
	}
	e.model, e.pin = m, pin
	if e.caller.Access != nil {
		e.way = e.caller.Access.Route(m)
	}
	return m
}

// on looks at another model of the request.
func (e *explainer) on(m *Model, way *Route) *explainer {
	other := *e
	other.model, other.way = m, way
	return &other
}

func (e *explainer) takes(c Candidate) bool { return c.Takes(e.pin, e.call) }

// limits returns all that the request would be held against.
func (e *explainer) limits() []*limiter.Limit {
	f := e.facts()
	limits := e.caller.of(f)
	if e.model == nil {
		return limits
	}
	return appendLimits(limits, e.modelLimits(f))
}

// modelLimits returns what the request is held against because of the model.
func (e *explainer) modelLimits(f *Facts) []*limiter.Limit {
	held := heldFor(e.model, e.caller.ModelLimits)
	return held.of(f)
}

// facts are what limits could ask of the request.
func (e *explainer) facts() *Facts {
	return &Facts{
		Caller: e.caller, Model: e.model, Asked: e.Model, Endpoint: e.Endpoint, User: e.User,
		Now: limiter.Instant{V: e.Now.UnixNano(), Wall: e.Now.UnixNano()},
	}
}

func (e *explainer) notes() []string {
	notes := append([]string{}, e.remarks...)
	if nets := e.ladder.key.Spec.AllowedCIDRs; len(nets) > 0 {
		notes = append(notes, "The key may be used from "+strings.Join(nets, ", ")+" only; the address of the caller is not looked at here.")
	}
	if e.User == "" && e.countsUsers() {
		notes = append(notes, "Limits that count end users apart are not shown: they apply to requests that name one.")
	}
	if slices.ContainsFunc(e.limits(), func(l *limiter.Limit) bool { return l.Reserve }) {
		notes = append(notes, "Token limits that book before the call are judged without a booking: how much it is depends on the request.")
	}
	if e.KeyID == "" {
		notes = append(notes, "This is about "+e.ladder.who+" that has no caps of its own; limits that count per key are shown unused.")
	}
	notes = append(notes, e.caller.Gates.notes()...)
	return append(notes, e.chances()...)
}

// countsUsers reports whether some limit of the caller asks for the end user.
func (e *explainer) countsUsers() bool {
	return slices.ContainsFunc(e.caller.Selective, func(s *Selective) bool {
		return slices.Contains(s.by, byUser) || s.when != nil && s.when.asks(func(d dimension) bool { return d == byUser })
	})
}

// chances tells what differs from request to request.
func (e *explainer) chances() []string {
	var notes []string
	if e.model != nil && e.model.Alias && e.model.weighted() {
		notes = append(notes, "Which model comes first is drawn by weight for each request; the others follow in the order shown.")
	}
	chosen := e.way.each(func(r *Route) bool {
		return slices.ContainsFunc(r.Pools, func(p Pool) bool { return p.Selection == Affinity && len(p.Candidates) > 1 })
	})
	if chosen {
		notes = append(notes, "Which key comes first in a pool with affinity depends on the conversation.")
	}
	return notes
}

// callOf returns the path under which callers reach an endpoint, and how they call
// there.
func callOf(endpoint string) (path string, call Call) {
	path, shape := pathOf(endpoint)
	return path, Call{Shape: shape, Endpoint: endpoint}
}

func pathOf(endpoint string) (path string, shape store.Shape) {
	switch endpoint {
	case store.EndpointChat:
		return "/v1/chat/completions", store.ShapeOpenAI
	case store.EndpointResponses:
		return "/v1/responses", store.ShapeResponses
	case store.EndpointMessages:
		return "/v1/messages", store.ShapeAnthropic
	case store.EndpointGemini:
		return "/v1beta/models", store.ShapeGemini
	case store.EndpointOllama:
		return "/api/chat", store.ShapeOllama
	case store.EndpointImages:
		return "/v1/images/generations", store.ShapeOpenAI
	case store.EndpointSpeech, store.EndpointTranscriptions, store.EndpointTranslations:
		return "/v1/audio/" + endpoint, store.ShapeOpenAI
	}
	return "/v1/" + endpoint, store.ShapeOpenAI
}
