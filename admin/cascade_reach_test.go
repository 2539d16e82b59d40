package admin_test

import (
	"encoding/hex"
	"slices"
	"strings"

	"relay/gateway/plan"
	"relay/limiter"
	"relay/store"
)

// served is a model as a host calls it.
type served struct{ host, model string }

// way is what holds for a call that reaches one: the counters of caller, model
// and host key, with their amounts.
type way map[limiter.Name]int64

// reach is every way of one relay key to every served model.
type reach map[served][]way

// prober asks plans what their relay keys may do.
type prober struct {
	registry *limiter.Registry
	names    []string // to ask for
}

// newProber makes a prober that asks for all that the catalog names.
func newProber(c *store.Catalog) *prober {
	p := &prober{registry: limiter.NewRegistry()}
	for m := range c.Models.All() {
		p.names = append(append(p.names, m.Metadata.Name), m.Spec.Aliases...)
	}
	for b := range c.HostBindings.All() {
		p.names = append(p.names, calledBy(c, b).model)
	}
	for _, name := range slices.Clone(p.names) {
		for h := range c.Hosts.All() {
			p.names = append(p.names, name+"@"+h.Metadata.Name)
		}
	}
	return p
}

func calledBy(c *store.Catalog, b *store.HostBinding) served {
	name := b.Spec.UpstreamName
	if name == "" {
		name = c.Models.Get(b.Spec.ModelID).Metadata.Name
	}
	return served{c.Hosts.Get(b.Spec.HostID).Metadata.Name, name}
}

// of returns the reach of every relay key of a catalog, by the key's name.
func (p *prober) of(c *store.Catalog) map[string]reach {
	compiled := plan.Compile(plan.Input{
		Catalog: c, Registry: p.registry,
		KeyValue: func(k *store.HostKey) (store.Secret, error) { return store.NewSecret("sk-" + k.Metadata.Name), nil },
	})
	all := map[string]reach{}
	for key := range c.RelayKeys.All() {
		var sum [32]byte
		_, _ = hex.Decode(sum[:], []byte(key.Spec.KeyHash))
		found := reach{}
		if caller := compiled.Caller(sum); caller != nil && caller.Refused == nil {
			for _, name := range p.names {
				found.ask(compiled, caller, name)
			}
		}
		all[key.Metadata.Name] = found
	}
	return all
}

// ask adds where a request for the name may go, by the rules of routing.
func (r reach) ask(p *plan.Plan, caller *plan.Caller, name string) {
	m, pin, known := p.Find(name)
	if known {
		if way := caller.Access.Route(m); way != nil && !m.Disabled {
			r.walk(caller, way, pin)
		}
		return
	}
	bare, host, ok := p.Unknown(name)
	if !ok {
		return
	}
	hosts := p.ForwardHosts(caller.Access, bare)
	if host != nil {
		hosts = []*plan.Host{host}
	}
	for _, h := range hosts {
		if way := p.ForwardRoute(caller.Access, bare, h); way != nil {
			r.walk(caller, way, nil)
		}
	}
}

func (r reach) walk(caller *plan.Caller, route *plan.Route, pin *plan.Host) {
	var w plan.Walk
	w.Start(route)
	for at := w.Next(func([]plan.Fallback) int { return 0 }); at != nil; at = w.Next(func([]plan.Fallback) int { return 0 }) {
		if caller.RefuseModelLimit(at.Model) != nil {
			continue
		}
		for _, pool := range at.Pools {
			for _, c := range pool.Candidates {
				if pin == nil || c.Key.Host == pin {
					to := served{c.Key.Host.Name(), c.Binding.UpstreamName}
					r[to] = append(r[to], wayOf(caller, at.Model, c))
				}
			}
		}
	}
}

// wayOf gathers what counts. Without a price no budget does. Counters of models
// that the catalog does not know are shared by these, so the model is left out.
func wayOf(caller *plan.Caller, m *plan.Model, c plan.Candidate) way {
	limits := slices.Concat(caller.Limits, m.Limits, c.Key.Limits)
	for _, perModel := range slices.Concat(caller.ModelLimits, c.Key.PerModel) {
		limits = append(limits, perModel.Of(m).Limits...)
	}
	w := way{}
	for _, l := range limits {
		name := l.Counter.Name()
		name.Model = ""
		if name.Meter != limiter.MeterCost || c.Binding.Pricing != nil {
			w[name] = l.Amount
		}
	}
	return w
}

// asTightAs reports whether all that the other way is held to holds for w.
func (w way) asTightAs(other way) bool {
	for name, amount := range other {
		if mine, there := w[name]; !there || mine > amount {
			return false
		}
	}
	return true
}

// widened tells which relay keys may do more after than before: reach what they
// did not, or with less in the way. Of names that no binding made known, the
// ladder has said before what may be done, so hosts that forward them are
// looked at for what they serve by a binding.
func widened(p *prober, before, after *store.Catalog) []string {
	bound := map[served]bool{}
	for b := range before.HostBindings.All() {
		bound[calledBy(before, b)] = true
	}
	had := p.of(before)
	var found []string
	for key, now := range p.of(after) {
		for to, ways := range now {
			for _, w := range ways {
				asBefore := slices.ContainsFunc(had[key][to], func(former way) bool { return w.asTightAs(former) })
				if bound[to] && !asBefore {
					found = append(found, key+" to "+to.model+" at "+to.host)
				}
			}
		}
	}
	slices.Sort(found)
	return slices.Compact(found)
}

// snapshot keeps a catalog that an edit goes on changing.
func snapshot(c *store.Catalog) *store.Catalog {
	var all []store.AnyRecord
	for _, kind := range store.Kinds() {
		for rec := range c.Of(kind).Each() {
			all = append(all, rec)
		}
	}
	return store.NewCatalog(all...)
}

func texts(problems []store.Problem) string {
	var all []string
	for _, p := range problems {
		all = append(all, p.String())
	}
	return strings.Join(all, "; ")
}

func wantNoneWider(t interface {
	Helper()
	Errorf(string, ...any)
}, before, after *store.Catalog) {
	t.Helper()
	if wider := widened(newProber(before), before, after); len(wider) > 0 {
		t.Errorf("after the deletion there is more way than before: %s", strings.Join(wider, ", "))
	}
	if added := after.Check(); len(added) > 0 {
		t.Errorf("the deletion left: %s", texts(added))
	}
}
