package plan

import (
	"fmt"

	"relay/limiter"
	"relay/store"
)

// Input is what Compile reads.
type Input struct {
	Catalog  *store.Catalog
	Registry *limiter.Registry
	// KeyValue gives the plaintext of a host key.
	KeyValue func(*store.HostKey) (store.Secret, error)
	Switches
	Open     bool   // requests without a credential run as service account local
	Timezone string // of budget periods; empty: UTC
	Proxy    ProxySwitch

	// RBAC lets users have credentials only where a role binding lets them mint
	// some; without it in every project.
	RBAC bool
}

// Switches say how limits count that do not say so themselves: the process-wide
// switches of limits.
type Switches struct {
	AtCap         limiter.AtCap
	Reserve       bool  // token limits book what a request may use before it is sent
	AlignKeys     bool  // shorthands of keys and models run in windows aligned to UTC
	DefaultOutput int64 // tokens of output that are booked where a request does not say; 0: it must say
}

// Compile folds the catalog into a plan. Records that cannot be used are left
// out or refuse the requests they govern, and stand in Plan.Warnings.
func Compile(in Input) *Plan {
	c := &compiler{
		Input:   in,
		catalog: in.Catalog,
		plan:    &Plan{Generation: in.Catalog.Generation, DefaultOutput: in.DefaultOutput, callers: map[[32]byte]*Caller{}},
		hosts:   map[string]*Host{}, models: map[string]*Model{}, keys: map[string]*HostKey{},
		pricings: map[string]*Pricing{}, bound: map[store.AccountRef]*store.Policy{},
		limits: map[limiter.Name]*limiter.Limit{}, sources: map[sourceKey]*limiter.Source{},
		accesses: map[string]*Access{}, modelLimits: map[string]ModelLimits{}, turns: map[string]int{},
		rights: map[string]store.Access{}, selectives: map[limiter.Name]*Selective{},
	}
	c.splitter = func(limits []*limiter.Limit, by []dimension) splitter { return in.Registry.Split(limits, bound(by)) }
	c.standalones = standalones(in.Catalog)
	c.counter = func(name limiter.Name) *limiter.Counter { return in.Registry.Use(in.Catalog.Generation, name) }
	c.plan.compiled = c
	c.bindPolicies()
	c.compileHosts()
	c.compileModels()
	c.unknown = c.unknownModels()
	c.compileHostKeys()
	c.warnOfTiers()
	c.plan.names = c.indexNames()
	c.compileCallers()
	c.compileControl()
	c.compileProxy()
	return c.plan
}

type compiler struct {
	Input
	catalog *store.Catalog
	plan    *Plan

	hosts    map[string]*Host // by record id, enabled ones
	models   map[string]*Model
	keys     map[string]*HostKey
	unknown  []*Model // for which policies limit what the catalog does not know
	pricings map[string]*Pricing
	bound    map[store.AccountRef]*store.Policy

	counter     func(limiter.Name) *limiter.Counter
	known       map[limiter.Name]*limiter.Limit // of the plan that a question is about
	limits      map[limiter.Name]*limiter.Limit
	sources     map[sourceKey]*limiter.Source
	accesses    map[string]*Access
	modelLimits map[string]ModelLimits
	turns       map[string]int
	rights      map[string]store.Access // of users, by id

	standalones     []*store.RateLimit
	splitter        func([]*limiter.Limit, []dimension) splitter
	selectives      map[limiter.Name]*Selective // by what their counters' names have in common
	knownSelectives map[limiter.Name]*Selective // of the plan that is gone on with
}

func (c *compiler) warn(rec store.AnyRecord, field, format string, args ...any) {
	c.plan.Warnings = append(c.plan.Warnings, store.Problem{
		Kind: rec.Kind(), Name: rec.Meta().Name, Field: field, Message: fmt.Sprintf(format, args...),
	})
}

func (c *compiler) bindPolicies() {
	for b := range c.catalog.PolicyBindings.All() {
		if !store.Enabled(b.Spec.Enabled) {
			continue
		}
		policy := c.catalog.Policies.Get(b.Spec.PolicyID)
		if policy == nil {
			policy = missingPolicy(b)
		}
		c.bound[b.Spec.Account] = policy
	}
}

// missingPolicy stands for a policy that a binding names and nobody has: it is
// switched off, so that what it governs is refused.
func missingPolicy(b *store.PolicyBinding) *store.Policy {
	off := false
	return &store.Policy{
		Metadata: store.Metadata{ID: b.Spec.PolicyID, Name: b.Spec.PolicyID},
		Spec:     store.PolicySpec{Enabled: &off},
	}
}

func (c *compiler) compileHosts() {
	for rec := range c.catalog.Hosts.All() {
		if !store.Enabled(rec.Spec.Enabled) {
			c.warn(rec, "spec.enabled", "is switched off: nothing is sent to this host")
			continue
		}
		h := &Host{Record: rec, Index: len(c.plan.Hosts), served: map[string]*Model{}}
		c.hosts[rec.Metadata.ID] = h
		c.plan.Hosts = append(c.plan.Hosts, h)
	}
}
