package foreign

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"relay/store"
	"relay/store/catalogdata"
)

// builder collects what a configuration says and makes records of it.
type builder struct {
	origin  string // litellm, one-api, new-api: names the organization and its policy
	report  *Report
	data    *catalogdata.Data
	shipped map[string]store.AnyRecord // the catalogue's records, by kind and name
	names   *namer
	env     func(string) (string, bool)

	hosts     []*host
	models    []*model
	byModel   map[string]*model
	secrets   map[string]store.Secret // by host key
	variables []string
	budgeted  bool // somebody has a budget, so prices matter

	records []store.AnyRecord
}

func newBuilder(origin string, o Options) (*builder, error) {
	data, err := o.Catalogue, error(nil)
	if data == nil {
		data, err = catalogdata.Load()
	}
	if err != nil {
		return nil, err
	}
	b := &builder{
		origin: origin, report: &Report{}, data: data, shipped: map[string]store.AnyRecord{}, names: newNamer(),
		env: o.LookupEnv, byModel: map[string]*model{}, secrets: map[string]store.Secret{},
	}
	for _, rec := range data.Records() {
		b.shipped[shippedKey(rec.Kind(), rec.Meta().Name)] = rec
		if rec.Kind() != store.KindModel {
			b.names.keep(rec.Kind(), rec.Meta().Name)
		}
	}
	for _, kind := range []store.Kind{store.KindOrganization, store.KindTeam, store.KindProject, store.KindPolicy} {
		b.names.keep(kind, "default") // of first boot
	}
	return b, nil
}

func shippedKey(kind store.Kind, name string) string {
	return string(kind) + " " + strings.ToLower(name)
}

// variable returns what an environment variable holds.
func (b *builder) variable(name string) (string, bool) {
	if b.env == nil {
		return "", false
	}
	value, set := b.env(name)
	return value, set && value != ""
}

// addHost makes another host for the endpoint of a deployment. The first one of
// an endpoint of the catalogue is that of the catalogue itself, unless callers
// know it by the prefix of a wildcard.
func (b *builder) addHost(d deployment) *host {
	h := &host{endpoint: d.endpoint, audience: d.audience, bindings: map[string]*binding{}}
	wish := cmp.Or(d.endpoint.host, hostWish(d.endpoint.base))
	prefix, wild := wildcard(d.model)
	prefix = strings.TrimSuffix(prefix, "/")
	wild = wild && prefix != "" && !strings.Contains(prefix, "/")
	if d.endpoint.shipped && !b.has(d.endpoint.host) && (!wild || strings.EqualFold(prefix, d.endpoint.host)) {
		h.name = d.endpoint.host
		b.hosts = append(b.hosts, h)
		return h
	}
	if wild {
		wish = prefix
	}
	h.name, h.emitted = b.names.free(store.KindHost, wish), true
	b.hosts = append(b.hosts, h)
	if wild && !strings.EqualFold(h.name, prefix) {
		b.report.add(Approximated, d.subject, "callers write NAME@%s or %s/NAME, since %q cannot be the name of this host", h.name, h.name, prefix)
	}
	return h
}

func (b *builder) has(name string) bool {
	return slices.ContainsFunc(b.hosts, func(h *host) bool { return h.name == name })
}

func (b *builder) put(rec store.AnyRecord) {
	if rec.Meta().Labels == nil {
		rec.Meta().Labels = map[string]string{}
	}
	rec.Meta().Labels[Label] = b.origin
	b.records = append(b.records, rec)
}

// finish makes the records of hosts, keys, models and bindings.
func (b *builder) finish() {
	for _, h := range b.hosts {
		b.putHost(h)
		b.putKeys(h)
		if k := h.open; k != nil && (len(k.rules) > 0 || k.budget != nil) {
			b.bindPolicy(b.putTier(h, k, false), "host:"+h.name)
		}
		b.putBindings(h)
	}
	b.putModels()
}

func (b *builder) putHost(h *host) {
	forwards := ""
	if h.wild {
		forwards = "forward"
	}
	if !h.emitted {
		return
	}
	e := h.endpoint
	rec := &store.Host{
		Metadata: store.Metadata{Name: h.name},
		Spec:     store.HostSpec{BaseURL: e.base, Auth: e.auth, Shapes: e.shapes, Headers: e.headers, UnknownModels: forwards, Insecure: unencrypted(e)},
	}
	if e.caFree {
		rec.Spec.TLS = &store.HostTLS{InsecureSkipVerify: true}
	}
	b.put(rec)
}

// putKeys makes the keys of a host. Where they are for different models, or have
// limits, each gets a tier policy.
func (b *builder) putKeys(h *host) {
	apart := slices.ContainsFunc(h.keys, func(k *hostKey) bool { return !slices.Equal(k.grants, h.keys[0].grants) })
	for _, k := range h.keys {
		rec := &store.HostKey{Metadata: store.Metadata{Name: k.name}, Spec: store.HostKeySpec{HostID: h.name}}
		rec.Spec.Source = store.KeySource{Kind: "env", Env: k.key.env}
		if k.key.env == "" {
			rec.Spec.Source = store.KeySource{Kind: "stored"}
		}
		if k.off {
			rec.Spec.Enabled = off()
		}
		if apart || len(k.rules) > 0 || k.budget != nil {
			rec.Spec.TierPolicyID = b.putTier(h, k, apart)
		}
		b.put(rec)
	}
}

func (b *builder) putTier(h *host, k *hostKey, apart bool) string {
	policy := &store.Policy{Metadata: store.Metadata{Name: b.names.free(store.KindPolicy, "tier "+k.name), Owner: &store.Ref{Kind: store.KindHost, ID: h.name}}}
	if apart {
		policy.Spec.Models = modelRefs(k.grants)
	}
	if k.budget != nil {
		policy.Spec.Budgets = []store.Budget{*k.budget}
	}
	made := map[string]string{}
	for _, grant := range k.grants {
		rules := k.rules[grant]
		if len(rules) == 0 {
			continue
		}
		text := fmt.Sprint(rules)
		if made[text] == "" {
			made[text] = b.names.free(store.KindRateLimit, k.name)
			b.put(&store.RateLimit{Metadata: store.Metadata{Name: made[text]}, Spec: store.RateLimitSpec{Rules: rules}})
		}
		policy.Spec.RLBindings = append(policy.Spec.RLBindings, store.RLBinding{Models: modelRefs([]string{grant}), RateLimitID: made[text]})
	}
	b.put(policy)
	return policy.Metadata.Name
}

func modelRefs(texts []string) []store.ModelRef {
	refs := make([]store.ModelRef, len(texts))
	for i, text := range texts {
		refs[i] = store.ModelRef(text)
	}
	return refs
}

func off() *bool { return new(bool) }
