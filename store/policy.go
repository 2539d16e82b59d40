package store

import "relay/limiter"

// ModelRef grants models: "provider/", "provider/model", "model", each with an
// optional "@host", or "@host" alone. Leaving a part out is the wildcard. At
// rest names are ids: "<model id>", "<provider id>/", "@<host id>" and the
// first two followed by "@<host id>". The one name at rest is that of a model
// which the catalog does not know, at a host that forwards such: "NAME@<host
// id>".
type ModelRef string

// AccountRef names what a policy is bound to and usage is charged to:
// "organization:NAME", "team:NAME", "project:NAME", "service-account:NAME",
// "member:USER@PROJECT", and upstream "host:NAME", "host-account:NAME". At rest
// names are ids.
type AccountRef string

// PolicySpec is what a rung of the ladder allows and caps. Empty models grant
// everything that the pools reach.
type PolicySpec struct {
	Enabled           *bool        `json:"enabled,omitempty"`
	Models            []ModelRef   `json:"models,omitempty" ref:"model-ref"`
	Deny              []ModelRef   `json:"deny,omitempty" ref:"model-ref"`
	IncludeDeprecated bool         `json:"includeDeprecated,omitempty"`
	Pools             []Pool       `json:"pools,omitempty"`
	RateLimitID       string       `json:"rateLimitId,omitempty" ref:"rate-limit"`
	RLBindings        []RLBinding  `json:"rlBindings,omitempty"`
	Budgets           []Budget     `json:"budgets,omitempty"`
	PayloadLogging    *bool        `json:"payloadLogging,omitempty"`
	Endpoints         []string     `json:"endpoints,omitempty"`
	Capabilities      Capabilities `json:"capabilities,omitempty"`
	MaxInputTokens    *int64       `json:"maxInputTokens,omitempty"`
	BlockedParams     []string     `json:"blockedParams,omitempty"`
}

// Pool is an ordered choice of host keys. With neither list it holds every
// enabled host key, later ones too.
type Pool struct {
	Name       string   `json:"name"`
	HostKeyIDs []string `json:"hostKeyIds,omitempty" ref:"host-key"`
	HostIDs    []string `json:"hostIds,omitempty" ref:"host"`
	Selection  string   `json:"selection,omitempty" enum:"prioritized,round-robin,least-recently-used,weighted,affinity"`
}

// RLBinding puts a rate limit on each of some models, with counters per model.
type RLBinding struct {
	Models      []ModelRef `json:"models" ref:"model-ref"`
	RateLimitID string     `json:"rateLimitId" ref:"rate-limit"`
}

// Budget caps spending: US dollars as a decimal string per calendar period.
type Budget struct {
	Amount   string   `json:"amount"`
	Period   string   `json:"period" enum:"day,week,month,total"`
	OnExceed string   `json:"onExceed,omitempty" enum:"block,warn"`
	Unpriced string   `json:"unpriced,omitempty" enum:"allow,refuse"`
	Per      []string `json:"per,omitempty"`
}

// PolicyBindingSpec puts an account under a policy; an account is in one
// binding at most.
type PolicyBindingSpec struct {
	Enabled  *bool      `json:"enabled,omitempty"`
	PolicyID string     `json:"policyId" ref:"policy"`
	Account  AccountRef `json:"account" ref:"account"`
}

// RateLimitSpec is a named list of rules. Inside it a counter is known by
// meter, strategy and window together.
type RateLimitSpec struct {
	Enabled    *bool          `json:"enabled,omitempty"`
	Rules      []limiter.Rule `json:"rules,omitempty"`
	OnOutage   string         `json:"onOutage,omitempty" enum:"local,refuse,allow"`
	Charge     string         `json:"charge,omitempty" enum:"actual,reserve"`
	AtCap      string         `json:"atCap,omitempty" enum:"admit,refuse"`
	Per        []string       `json:"per,omitempty"`
	Match      *Match         `json:"match,omitempty"`
	Suspend    []Suspend      `json:"suspend,omitempty"`
	Standalone bool           `json:"standalone,omitempty"`
}

// Match selects requests: exactly one of all, any, not, or a leaf.
type Match struct {
	All   []Match `json:"all,omitempty"`
	Any   []Match `json:"any,omitempty"`
	Not   *Match  `json:"not,omitempty"`
	Dim   string  `json:"dim,omitempty"`
	Op    string  `json:"op,omitempty" enum:"eq,ne,in,regex"`
	Value any     `json:"value,omitempty"` // a string, or strings for in
}

// Suspend is a span of the day in which a limit is not enforced.
type Suspend struct {
	Timezone string   `json:"timezone,omitempty"`
	Days     []string `json:"days,omitempty"`
	Dates    []string `json:"dates,omitempty"`
	Start    string   `json:"start"`
	End      string   `json:"end"`
}
