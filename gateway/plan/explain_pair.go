package plan

import (
	"slices"
	"strings"
)

// pair is a model on a host, as the request for a model may come to it: chain
// begins with the model that is asked for and goes through alias models.
type pair struct {
	chain []*Model
	host  *Host
}

func (p pair) model() *Model { return p.chain[len(p.chain)-1] }

// judgeHosts looks at each pair that the model stands for.
func (e *explainer) judgeHosts(v *RungVerdict, s saying) {
	var reasons []string
	allowed := 0
	pairs := e.pairs()
	for _, at := range pairs {
		reason := e.denial(s, at, pairs)
		switch {
		case reason == "":
			allowed++
		case !slices.Contains(reasons, reason):
			reasons = append(reasons, reason)
		}
		if at.host == nowhere {
			continue
		}
		verdict := HostVerdict{ID: at.host.Record.Metadata.ID, Host: at.host.Name(), Allowed: reason == "", Reason: reason}
		if len(at.chain) > 1 {
			verdict.Model = at.model().Name
		}
		v.Hosts = append(v.Hosts, verdict)
	}
	v.Reason = strings.Join(reasons, "; ")
	switch {
	case allowed == 0:
		v.Verdict, v.Code = "refuses", "model_not_allowed"
	case len(reasons) > 0:
		v.Verdict = "narrows"
	default:
		v.Verdict, v.Reason = "allows", s.owner+" grants "+e.model.Name
		if s.grant.all {
			v.Reason = s.owner + " grants every model"
		}
	}
}

// pairs returns what the model stands for; the model nowhere when that is
// nothing.
func (e *explainer) pairs() []pair {
	left := maxWalk
	pairs := e.model.pairs(nil, &left)
	if pairs == nil {
		return []pair{{[]*Model{e.model}, nowhere}}
	}
	return pairs
}

func (m *Model) pairs(above []*Model, left *int) []pair {
	if *left == 0 || slices.Contains(above, m) {
		return nil
	}
	*left--
	chain := append(slices.Clip(above), m)
	var pairs []pair
	if !m.Alias {
		for _, b := range m.Bindings {
			pairs = append(pairs, pair{chain, b.Host})
		}
		return pairs
	}
	for _, to := range m.fallbacks {
		if !to.model.Disabled {
			pairs = append(pairs, to.model.pairs(chain, left)...)
		}
	}
	return pairs
}

// denial says why the grant does not hold for the pair; "" when it does.
func (e *explainer) denial(s saying, at pair, pairs []pair) string {
	for _, m := range at.chain {
		for i, ref := range s.grant.deny {
			if matches(ref, m, at.host) {
				return s.owner + " denies " + s.denied[i]
			}
		}
	}
	name := e.model.Name
	switch {
	case s.grant.allowsThrough(at.chain, at.host):
		return ""
	case !e.model.Alias && slices.ContainsFunc(pairs, func(other pair) bool { return s.grant.allowsThrough(other.chain, other.host) }):
		return s.owner + " grants " + name + " on other hosts than " + at.host.Name()
	case e.model.Alias && s.grant.allowsThrough(at.chain[:1], at.host):
		return s.owner + " grants " + name + ", but not " + at.model().Name + " at " + at.host.Name()
	}
	return name + " is not among the models of " + s.owner
}
