package plan

import (
	"net/netip"
	"time"

	"relay/limiter"
	"relay/store"
)

// Plan is one generation of the catalog, ready for requests. It does not change,
// but for callers that are made when they are first asked for. Safe for
// concurrent use.
type Plan struct {
	Generation uint64
	Hosts      []*Host    // enabled hosts
	HostKeys   []*HostKey // usable keys; HostKey.Index is the place in this list
	Turns      []string   // names, that outlive plans, of the turns that Pool.Turn points to
	Warnings   []store.Problem

	// DefaultOutput is how many tokens of output are booked for a request that does
	// not bound them; 0: it must.
	DefaultOutput int64

	Control        *limiter.Split // the system's limit on the control API, by client address; nil: none
	ControlRefused *Refused       // that limit cannot be enforced

	Proxy *Proxy // nil: proxy mode is switched off

	// Local is the caller of requests without a credential; nil unless
	// Input.Open, and while its service account does not exist.
	Local *Caller

	callers  map[[32]byte]*Caller
	names    nameIndex
	members  members
	compiled *compiler // what the plan was made with; for questions, and members
}

// Catalog returns the records that the plan was compiled from.
func (p *Plan) Catalog() *store.Catalog { return p.compiled.catalog }

// Caller returns the caller whose credential has the SHA-256, or nil.
func (p *Plan) Caller(sum [32]byte) *Caller { return p.callers[sum] }

// Callers returns the number of credentials the plan knows.
func (p *Plan) Callers() int { return len(p.callers) }

// Caller is one credential with all that its ladder allows and limits: a relay
// key, the user and project of an inference token, or the service account that
// requests without a credential run as.
type Caller struct {
	KeyID, KeyName, Prefix string     // of a token: USER@PROJECT, which outlives it, by ids and by names
	Credential             store.Kind // relay-key, KindToken, or service-account for the local caller
	Token                  *Token     // nil: it is none

	// Ended is why the credential is none any more, for the sake of its user.
	Ended *Refused

	Disabled  bool
	ExpiresAt time.Time // zero: never
	RevokedAt time.Time // zero: not revoked
	// Until ends a former plaintext's grace after a rotation; zero for the
	// current one.
	Until        time.Time
	AllowedCIDRs []netip.Prefix
	Endpoints    []map[string]bool // one set a rung that names endpoints
	Tenancy      Tenancy
	PolicyIDs    []string // of every rung, widest first
	TrustUser    bool     // the end user that a request names is believed
	UserHeader   string   // in canonical form: where else it may be named

	// Refused is set when no request of the caller can pass.
	Refused *Refused

	Proxied      bool            // the caller of requests without a relay key, in proxy mode
	ProxyLimits  Held            // the system's, in proxy mode
	ProxyRefused *Refused        // that limit cannot be enforced
	Held                         // of rungs and key; the model's come with the route
	ModelLimits  []ModelLimits   // of policies that limit per model
	Unpriced     *limiter.Source // a budget that refuses unpriced models
	Access       *Access
	Gates        *Gates // nil: nothing is asked of requests themselves

	party *party
}

// Tenancy names the accounts that a request is charged to, by record id.
type Tenancy struct {
	Organization, Team, Project string
	Principal                   store.Ref
}

// Refused is a refusal that the catalog itself implies.
type Refused struct {
	Code    string // of the table of error codes
	Message string
	By      string // limit, budget or what else refuses; empty: what the code tells
}

// ModelLimits gives the limits that a policy puts on each model by rlBindings.
// A model without an entry is not limited by that policy.
type ModelLimits map[*Model]ModelLimit

// Of returns what limits the model.
func (l ModelLimits) Of(m *Model) ModelLimit {
	if m.like != nil {
		m = m.like
	}
	return l[m]
}

// ModelLimit is what one policy puts on one model.
type ModelLimit struct {
	Held
	Refused *Refused
}

// Model is a model that may be asked for.
type Model struct {
	ID, Name             string // of one that the catalog does not know: its name, twice
	Provider, ProviderID string // name and record id of who makes it; empty when not said
	Created              time.Time
	Disabled             bool
	Deprecated           bool
	Alias                bool       // no host is bound to it: it stands for its fallbacks
	Unknown              bool       // the catalog does not know it
	Bindings             []*Binding // enabled ones, by priority
	Limits               []*limiter.Limit

	makerID   string     // of its provider, as the record says
	bound     bool       // a binding names it, if only one that is switched off
	fallbacks []fallback // in order
	like      *Model     // of an unknown one: that for which policies limit it
}

// Label returns the model's name for metrics: that of every model that the
// catalog does not know is one, since callers make these up.
func (m *Model) Label() string {
	if m.Unknown {
		return "unknown"
	}
	return m.Name
}

// Binding is a model on a host.
type Binding struct {
	Model        *Model
	Host         *Host
	Shapes       []store.Shape
	UpstreamName string
	Pricing      *Pricing // nil: unpriced
	// CachesPrompts is set where a request in shape anthropic that says nothing of
	// caches is marked as one whose prompt is to be kept.
	CachesPrompts bool

	Params   *Params // nil: members go up as they are
	Priority int
	Weight   int
}

// Speaks reports whether the host takes the shape for this model.
func (b *Binding) Speaks(s store.Shape) bool {
	for _, have := range b.Shapes {
		if have == s {
			return true
		}
	}
	return false
}

// Host is an upstream endpoint.
type Host struct {
	Record *store.Host
	Index  int
	Keys   []*HostKey

	served map[string]*Model // by what the host calls them, in lower case
}

// Name returns the host's name.
func (h *Host) Name() string { return h.Record.Metadata.Name }

// HostKey is a usable provider key, or the anonymous key of a host that wants
// none.
type HostKey struct {
	Index     int
	ID, Name  string
	Host      *Host
	AccountID string
	Anonymous bool
	Proxied   bool // stands for the callers' own keys of the host
	// Seed and AccountSeed are fixed numbers of the key and of the account that
	// it shares a prompt cache with, for affinity. Keys of one account have the
	// same AccountSeed.
	Seed, AccountSeed uint64
	Value             store.Secret
	// ValueHash is the key of the breaker: another value begins closed.
	ValueHash string
	Held      // of the host, the host account and the key's tier
	PerModel  []ModelLimits
	grants    []grant
	refused   *Refused // a limit above the key cannot be enforced
}
