package plan

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"relay/limiter"
	"relay/store"
)

// tally is the counting of one policy's limits.
type tally struct {
	*compiler
	made   map[limiter.Name]*limiter.Limit // that there are
	policy *store.Policy
	seen   *Observed
}

// granted returns the models that the policy grants on some host, by name.
func (t *tally) granted() []*Model {
	g := t.newGrant(t.policy.Spec.Models, t.policy.Spec.Deny, t.policy.Spec.IncludeDeprecated)
	var out []*Model
	for rec := range t.catalog.Models.All() {
		m := t.models[rec.Metadata.ID]
		left := maxWalk
		if slices.ContainsFunc(m.pairs(nil, &left), func(p pair) bool { return g.allowsThrough(p.chain, p.host) }) {
			out = append(out, m)
		}
	}
	return out
}

// entries returns the places of the entries that name the model.
func (t *tally) entries(m *Model) []int {
	var out []int
	for i, b := range t.policy.Spec.RLBindings {
		if namesModel(b.Models, m) {
			out = append(out, i)
		}
	}
	return out
}

// countedBy returns the models of which the entry is the first to name them.
func (t *tally) countedBy(entry int, granted []*Model) []*Model {
	return slices.DeleteFunc(slices.Clone(granted), func(m *Model) bool {
		entries := t.entries(m)
		return len(entries) == 0 || entries[0] != entry
	})
}

func (t *tally) overlaps(granted []*Model) []LimitOverlap {
	var out []LimitOverlap
	for _, m := range granted {
		entries := t.entries(m)
		if len(entries) < 2 {
			continue
		}
		overlap := LimitOverlap{Model: m.Name, Counts: t.limitName(entries[0])}
		for _, i := range entries[1:] {
			overlap.Ignored = append(overlap.Ignored, t.limitName(i))
		}
		out = append(out, overlap)
	}
	return out
}

func (t *tally) limitName(entry int) string {
	return t.nameOf(store.KindRateLimit, t.policy.Spec.RLBindings[entry].RateLimitID)
}

// unthrottled returns the models that no rate limit counts by any rule.
func unthrottled(granted []*Model, limits []PolicyLimit) []string {
	out := []string{}
	for _, m := range granted {
		counts := func(l PolicyLimit) bool { return l.Enabled && len(l.Rules) > 0 && slices.Contains(l.Models, m.Name) }
		if !slices.ContainsFunc(limits, counts) {
			out = append(out, m.Name)
		}
	}
	return out
}

func (t *tally) limit(id string, models []*Model, all bool) PolicyLimit {
	out := PolicyLimit{ID: id, Name: t.nameOf(store.KindRateLimit, id), Default: all, Models: []string{}, Rules: []PolicyRule{}}
	for _, m := range models {
		out.Models = append(out.Models, m.Name)
	}
	rec := t.catalog.RateLimits.Get(id)
	if rec == nil {
		return out
	}
	out.Enabled = store.Enabled(rec.Spec.Enabled)
	for _, rule := range rec.Spec.Rules {
		out.Rules = append(out.Rules, t.rule(id, rule, models, all))
	}
	return out
}

func (t *tally) rule(limitID string, rule limiter.Rule, models []*Model, all bool) PolicyRule {
	out := PolicyRule{Rule: rule, Algorithm: string(rule.Algorithm()), Counters: []RuleCounter{}}
	known := counterName(t.policy.Metadata.ID, limitID, "", "", "", rule)
	for name, l := range t.made {
		model := t.models[name.Model]
		own := name
		own.Subject, own.Model, own.Per = "", "", ""
		if own == known && (all && model == nil || slices.Contains(models, model)) {
			out.Counters = append(out.Counters, t.counterOf(l, name))
		}
	}
	out.leaveOut()
	slices.SortFunc(out.Counters, func(a, b RuleCounter) int {
		return cmp.Or(cmp.Compare(a.Subject, b.Subject), cmp.Compare(a.Model, b.Model), cmp.Compare(a.Per, b.Per))
	})
	for _, c := range out.Counters {
		if c.Used > out.Used {
			out.Used, out.ResetSeconds = c.Used, c.ResetSeconds
		}
	}
	return out
}

// mostCounters is how many counters of a rule are told: end users have one each.
const mostCounters = 200

// leaveOut keeps the counters that stand highest.
func (r *PolicyRule) leaveOut() {
	if len(r.Counters) <= mostCounters {
		return
	}
	slices.SortFunc(r.Counters, func(a, b RuleCounter) int { return cmp.Or(cmp.Compare(b.Used, a.Used), cmp.Compare(a.Per, b.Per)) })
	r.Others = len(r.Counters) - mostCounters
	r.Counters = r.Counters[:mostCounters]
}

// withValues adds the limits of the values that have counters of their own under
// the owner's limits. made is left as it is.
func (p *Plan) withValues(made map[limiter.Name]*limiter.Limit, owner string) map[limiter.Name]*limiter.Limit {
	all := maps.Clone(made)
	bases := map[limiter.Name]*limiter.Limit{} // by name
	for name, l := range made {
		if name.Owner == owner {
			bases[name] = l
		}
	}
	for _, counter := range p.compiled.Registry.Counters(func(n limiter.Name) bool { return n.Owner == owner }) {
		name := counter.Name()
		base := name
		per, _, split := strings.Cut(strings.TrimPrefix(name.Per, staticPer(name.Per)), "=")
		base.Per = staticPer(name.Per) + per
		if l := bases[base]; split && l != nil {
			limit := *l
			limit.Counter = counter
			all[name] = &limit
		}
	}
	return all
}

func (t *tally) counterOf(l *limiter.Limit, name limiter.Name) RuleCounter {
	s := t.stateOf(l)
	t.seen.read(&s, l)
	return RuleCounter{
		Subject: t.named(name.Subject, ":"), Model: s.Model, Per: t.namedAll(name.Per), SharedBy: s.SharedBy,
		Used: s.Used, Amount: s.Amount, ResetSeconds: s.ResetSeconds, Refuses: s.Refuses,
	}
}

// named puts the name of a record for its id in kind:id, or kind=id.
func (t *tally) named(ref, separator string) string {
	kind, id, _ := strings.Cut(ref, separator)
	of := store.Kind(kind)
	if user, project, ofMember := strings.Cut(id, "@"); ofMember { // stands for the key of its inference tokens
		return kind + separator + t.nameOf(store.KindUser, user) + "@" + t.nameOf(store.KindProject, project)
	}
	if kind == "key" {
		of = store.KindRelayKey
	}
	return kind + separator + t.nameOf(of, id)
}

func (t *tally) namedAll(per string) string {
	var parts []string
	for _, part := range splitPer(per) {
		switch {
		case part.id == "":
			parts = append(parts, part.name)
		case part.name == byUser.String() || part.name == byEndpoint.String():
			parts = append(parts, part.name+"="+part.id)
		default:
			parts = append(parts, t.named(part.name+"="+part.id, "="))
		}
	}
	return strings.Join(parts, ",")
}
