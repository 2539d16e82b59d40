package foreign

import (
	"slices"
	"strings"

	"relay/store"
)

// refs translates the models of a key or a team. all says that it may use every
// model.
func (l *litellm) refs(subject string, names []string) (refs []store.ModelRef, all bool) {
	var found []string
	for _, name := range names {
		switch name {
		case "all-proxy-models", "all-team-models", "*":
			return nil, true
		case "no-default-models":
			continue
		}
		more := l.refsOf(name)
		if len(more) == 0 {
			l.report.add(Unsupported, subject, "may use %s, which no deployment offers", name)
		}
		for _, ref := range more {
			if !slices.Contains(found, ref) {
				found = append(found, ref)
			}
		}
	}
	for _, ref := range found {
		if m := l.find(ref); m != nil && !m.alias {
			for _, next := range m.fallbacks {
				if !slices.Contains(found, next) {
					l.report.add(Approximated, subject, "goes on from %s with %s only when the key is granted that, too", ref, next)
				}
			}
		}
	}
	return modelRefs(found), false
}

// refsOf translates one name: an access group, a wildcard, or a model.
func (l *litellm) refsOf(name string) []string {
	if group := l.groups[name]; group != nil {
		return group
	}
	written, _ := modelName(name)
	if m := l.find(written); m != nil {
		return []string{m.name}
	}
	for _, p := range l.patterns {
		prefix, _ := wildcard(p.name)
		_, all := wildcard(name)
		rest, matches := strings.CutPrefix(name, prefix)
		switch {
		case p.name == name:
			return []string{"@" + p.host}
		case matches && !all && rest != "":
			return []string{rest + "@" + p.host}
		}
	}
	return nil
}
