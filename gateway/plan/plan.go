package plan

import (
	"net/netip"
	"strings"
	"time"

	"relay/limiter"
	"relay/store"
)

// Plan is one generation of the catalog, ready for requests. Immutable.
type Plan struct {
	Generation uint64
	Hosts      []*Host    // enabled hosts
	HostKeys   []*HostKey // usable keys; HostKey.Index is the place in this list
	Pools      int        // number of Pool.Index values
	Warnings   []store.Problem

	callers  map[[32]byte]*Caller
	names    nameIndex
	compiled *compiler // what the plan was made with; for questions
}

// Catalog returns the records that the plan was compiled from.
func (p *Plan) Catalog() *store.Catalog { return p.compiled.catalog }

// Caller returns the caller whose credential has the SHA-256, or nil.
func (p *Plan) Caller(sum [32]byte) *Caller { return p.callers[sum] }

// Callers returns the number of credentials the plan knows.
func (p *Plan) Callers() int { return len(p.callers) }

// Caller is one relay key with all that its ladder allows and limits.
type Caller struct {
	KeyID, KeyName, Prefix string

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

	// Refused is set when no request of the caller can pass.
	Refused *Refused

	Limits      []*limiter.Limit // of rungs and key; the model's come with the route
	ModelLimits []ModelLimits    // of policies that limit per model
	Unpriced    *limiter.Source  // a budget that refuses unpriced models
	Access      *Access
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

// ModelLimit is what one policy puts on one model.
type ModelLimit struct {
	Limits  []*limiter.Limit
	Refused *Refused
}

// Model is a model that may be asked for.
type Model struct {
	ID, Name             string
	Provider, ProviderID string // name and record id of who makes it; empty when not said
	Created              time.Time
	Disabled             bool
	Deprecated           bool
	Bindings             []*Binding // enabled ones, by priority
	Limits               []*limiter.Limit
	Refused              *Refused // a limit of the model that cannot be enforced
}

// Binding is a model on a host.
type Binding struct {
	Model        *Model
	Host         *Host
	Shapes       []store.Shape
	UpstreamName string
	Pricing      *Pricing // nil: unpriced
	Priority     int
	Weight       int
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
	Value     store.Secret
	// ValueHash is the key of the breaker: another value begins closed.
	ValueHash string
	Limits    []*limiter.Limit // of the host, the host account and the key's tier
	PerModel  []ModelLimits
	grants    []grant
	refused   *Refused // a limit above the key cannot be enforced
}

// Access is what a ladder allows: a route for each model it may use.
type Access struct {
	routes map[*Model]*Route
	list   []*Model
}

// Route returns the model's route, or nil when the ladder does not allow it.
func (a *Access) Route(m *Model) *Route { return a.routes[m] }

// Models returns the models to list, in the order of their names.
func (a *Access) Models() []*Model { return a.list }

// Route is where requests for a model may go.
type Route struct {
	Model *Model
	Pools []Pool
	// Dropped tells why keys that the pools name cannot be used because of a
	// limit that cannot be enforced; nil when none was.
	Dropped *Refused
}

// Pool is the candidates of one pool for one model, by binding priority and
// then in the pool's own order.
type Pool struct {
	Index      int // distinct among the plan's pools
	Name       string
	Selection  string
	Candidates []Candidate
}

// Candidate is a key on which to try a request.
type Candidate struct {
	Key     *HostKey
	Binding *Binding
}

// Takes reports whether the candidate can take a request in the shape that is
// pinned to the host; a nil pin is none.
func (c Candidate) Takes(pin *Host, s store.Shape) bool {
	return (pin == nil || c.Key.Host == pin) && c.Binding.Speaks(s)
}

// nameIndex finds models by what callers write.
type nameIndex struct {
	exact    map[string]*Model // as written, and in lower case
	patterns []pattern         // longest prefix first
	hosts    map[string]*Host
	sorted   []string // real names, for near matches
}

type pattern struct {
	prefix string
	model  *Model
}

// Find resolves a model name of a request: a name, an alias, provider/model,
// each with an optional @host. host is nil when none is named; ok is false
// when the model or the host is not known.
func (p *Plan) Find(name string) (m *Model, host *Host, ok bool) {
	if m := p.names.model(name); m != nil {
		return m, nil, true
	}
	at := strings.LastIndexByte(name, '@')
	if at < 0 {
		return nil, nil, false
	}
	m, host = p.names.model(name[:at]), p.names.host(name[at+1:])
	return m, host, m != nil && host != nil
}

func (n *nameIndex) host(name string) *Host { return n.hosts[strings.ToLower(name)] }

func (n *nameIndex) model(name string) *Model {
	if m := n.exact[name]; m != nil {
		return m
	}
	lower := strings.ToLower(name)
	if m := n.exact[lower]; m != nil {
		return m
	}
	for _, p := range n.patterns {
		if strings.HasPrefix(lower, p.prefix) {
			return p.model
		}
	}
	return nil
}
