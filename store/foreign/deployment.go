package foreign

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"relay/limiter"
	"relay/store"
)

// deployment is one model at one upstream with one key, as the foreign gateway
// has it.
type deployment struct {
	subject  string // what rows call it
	model    string // what callers ask for; ends in * where that is any name
	upstream string // what the upstream calls the model
	endpoint endpoint
	key      credential
	off      bool       // the key is switched off
	audience []string   // groups that may use it; none: everybody
	weight   int        // 0: like the others
	shares   [3]float64 // by which the weight is told, most important first
	order    int
	rules    []limiter.Rule
	budget   *store.Budget
	params   *store.BindingParams
	rates    []store.Rate
	facts    store.ModelSpec // what is known of the model
}

// endpoint is where a deployment is called.
type endpoint struct {
	host    string // of the catalogue, or a wish for the name
	shipped bool   // the catalogue has it so
	base    string
	auth    string
	shapes  []store.Shape
	headers map[string]string
	caFree  bool // certificates are not verified
}

// credential is a provider key: the variable that holds it, or the value.
type credential struct {
	env   string
	value store.Secret
}

func (c credential) none() bool { return c.env == "" && c.value.IsZero() }

func (e endpoint) same(o endpoint) bool {
	return e.base == o.base && e.auth == o.auth && e.shipped == o.shipped && e.caFree == o.caFree &&
		slices.Equal(e.shapes, o.shapes) && maps.Equal(e.headers, o.headers)
}

// wildcard returns what stands before the star of a name that ends in one.
func wildcard(name string) (prefix string, ok bool) { return strings.CutSuffix(name, "*") }

// host is a host in the making: an endpoint, and what is bound there. Where an
// endpoint needs several hosts, they are its variants.
type host struct {
	name     string
	endpoint endpoint
	audience []string
	emitted  bool // has a record of its own
	wild     bool // forwards any model
	bindings map[string]*binding
	keys     []*hostKey
	open     *hostKey // what limits calls without a key; nil: nothing
}

// binding is a model at a host.
type binding struct {
	model, upstream string
	weight, order   int
	params          *store.BindingParams
	rates           []store.Rate
}

func (b *binding) same(o *binding) bool {
	return b.upstream == o.upstream && b.weight == o.weight && b.order == o.order &&
		equalJSON(b.params, o.params) && slices.Equal(b.rates, o.rates)
}

func equalJSON(a, b any) bool {
	x, errX := json.Marshal(a)
	y, errY := json.Marshal(b)
	return errX == nil && errY == nil && string(x) == string(y)
}

// hostKey is a provider key in the making, and what it may be used for.
type hostKey struct {
	name   string
	key    credential
	off    bool
	grants []string // model references, without hosts
	rules  map[string][]limiter.Rule
	budget *store.Budget
}

// grant is how a deployment is referred to where its host is known.
func (d *deployment) grant(h *host) string {
	if _, wild := wildcard(d.model); wild {
		return "@" + h.name
	}
	return d.model
}

// place puts a deployment at a host: the first variant of its endpoint where the
// model is not bound yet, or is bound the same way.
func (b *builder) place(d deployment) {
	_, wild := wildcard(d.model)
	want := &binding{model: d.model, upstream: d.upstream, weight: d.weight, order: d.order, params: d.params, rates: d.rates}
	for _, h := range b.hosts {
		if !h.endpoint.same(d.endpoint) || !slices.Equal(h.audience, d.audience) || wild && !b.answers(h, d.model) {
			continue
		}
		there := h.bindings[strings.ToLower(d.model)]
		if there == nil || wild || there.same(want) {
			b.bind(h, d, want)
			return
		}
	}
	b.bind(b.addHost(d), d, want)
}

// answers reports whether callers who write the prefix of a wildcard reach the
// host.
func (b *builder) answers(h *host, pattern string) bool {
	prefix, _ := wildcard(pattern)
	return prefix == "" || strings.EqualFold(strings.TrimSuffix(prefix, "/"), h.name) || !strings.HasSuffix(prefix, "/")
}

func (b *builder) bind(h *host, d deployment, want *binding) {
	if _, wild := wildcard(d.model); wild {
		h.wild = true
	} else {
		h.bindings[strings.ToLower(d.model)] = want
		b.learn(d)
	}
	b.give(h, d)
}

// give lets a key be used for the deployment. A key with a budget is one of its
// own, since budgets of a key count all that it is used for.
func (b *builder) give(h *host, d deployment) {
	grant := d.grant(h)
	if d.key.none() {
		h.limit(d, grant)
		return
	}
	for _, k := range h.keys {
		if k.key != d.key || k.off != d.off || k.budget != nil || d.budget != nil {
			continue
		}
		if slices.Contains(k.grants, grant) {
			b.report.add(Approximated, d.subject, "is there twice with the same key: the two are one")
		} else {
			k.grants = append(k.grants, grant)
		}
		if len(d.rules) > 0 {
			k.rules[grant] = together(k.rules[grant], d.rules)
		}
		return
	}
	k := &hostKey{key: d.key, off: d.off, grants: []string{grant}, rules: map[string][]limiter.Rule{}, budget: d.budget}
	k.name = b.names.free(store.KindHostKey, keyWish(h, d.key))
	if len(d.rules) > 0 {
		k.rules[grant] = d.rules
	}
	h.keys = append(h.keys, k)
	if !d.key.value.IsZero() {
		b.secrets[k.name] = d.key.value
	} else {
		b.variables = append(b.variables, d.key.env)
	}
}

func keyWish(h *host, key credential) string {
	if key.env != "" {
		return key.env
	}
	return h.name + " key"
}

// limit notes limits of a deployment without a key: they lie on the host.
func (h *host) limit(d deployment, grant string) {
	if h.open == nil {
		h.open = &hostKey{name: "host " + h.name, rules: map[string][]limiter.Rule{}}
	}
	if !slices.Contains(h.open.grants, grant) {
		h.open.grants = append(h.open.grants, grant)
	}
	if len(d.rules) > 0 {
		h.open.rules[grant] = together(h.open.rules[grant], d.rules)
	}
	if d.budget != nil {
		h.open.budget = d.budget
	}
}

// together adds up the rules of two deployments that have become one.
func together(a, b []limiter.Rule) []limiter.Rule {
	out := slices.Clone(a)
	for _, rule := range b {
		same := func(r limiter.Rule) bool { return r.Meter == rule.Meter && r.Window == rule.Window }
		if i := slices.IndexFunc(out, same); i < 0 {
			out = append(out, rule)
		} else {
			out[i].Amount += rule.Amount
		}
	}
	return out
}
