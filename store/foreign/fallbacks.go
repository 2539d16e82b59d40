package foreign

import (
	"fmt"
	"slices"
	"strings"
)

// mostFallbacks is how many one model may have.
const mostFallbacks = 5

// fallBack lets a model go on with others. Targets that nothing has are told.
func (b *builder) fallBack(subject string, m *model, targets []string) {
	for _, text := range targets {
		target := b.reach(text)
		switch {
		case target == "":
			b.report.add(Unsupported, subject, "falls back on %q, which no deployment offers", text)
		case strings.EqualFold(target, m.name):
			b.report.add(Unsupported, subject, "falls back on itself: Relay tries every key of a model before it goes on")
		case slices.Contains(m.fallbacks, target):
		case len(m.fallbacks) == mostFallbacks:
			b.report.add(Unsupported, subject, "has more than %d fallbacks: those after them are left out", mostFallbacks)
		default:
			m.fallbacks = append(m.fallbacks, target)
		}
	}
}

// reach returns the name of the model that a reference of the configuration
// means: one that is deployed, or one of the catalogue at a host that forwards.
func (b *builder) reach(text string) string {
	name, _ := modelName(text)
	if m := b.find(name); m != nil {
		return m.name
	}
	prefix, rest, found := strings.Cut(name, "/")
	if !found {
		return ""
	}
	for _, h := range b.hosts {
		if h.wild && strings.EqualFold(h.name, prefix) && b.offer(rest, h.name) != nil {
			return b.offer(rest, h.name).Spec.ModelID
		}
	}
	return ""
}

// aliasFor makes a name that stands for a model. Where the catalogue has a model
// of that name, the deployments are bound under the name as well, since a model
// with hosts cannot stand for another.
func (b *builder) aliasFor(subject, alias, target string) error {
	name, ok := modelName(alias)
	if !ok {
		b.report.add(Unsupported, subject, "cannot be the name of a model in Relay")
		return nil
	}
	if b.find(name) != nil {
		return fmt.Errorf("%s: a model has this name already", subject)
	}
	reached := b.reach(target)
	if reached == "" {
		b.report.add(Unsupported, subject, "stands for %q, which no deployment offers", target)
		return nil
	}
	if b.shipped[shippedKey("model", name)] != nil {
		b.bindAlso(name, reached)
		b.report.add(Taken, subject, "bound where %s is, since the catalogue has a model of this name", reached)
		return nil
	}
	m := b.addModel(name)
	m.alias, m.fallbacks = true, []string{reached}
	b.report.add(Taken, subject, "alias model for %s", reached)
	return nil
}

// bindAlso binds another name wherever a model is bound.
func (b *builder) bindAlso(name, target string) {
	for _, h := range b.hosts {
		there := h.bindings[strings.ToLower(target)]
		if there == nil {
			continue
		}
		also := *there
		also.model = name
		h.bindings[strings.ToLower(name)] = &also
		for _, k := range h.keys {
			if slices.Contains(k.grants, target) {
				k.grants = append(k.grants, name)
				if rules := k.rules[target]; len(rules) > 0 {
					k.rules[name] = rules
				}
			}
		}
	}
	if b.find(name) == nil {
		b.addModel(name)
	}
}

// cutCircles leaves out the fallbacks that lead back to where they come from:
// Relay follows a chain to its end, so a circle has none.
func (b *builder) cutCircles() {
	const (
		open = 1 + iota
		done
	)
	state := map[string]int{}
	var walk func(m *model)
	walk = func(m *model) {
		state[m.name] = open
		m.fallbacks = slices.DeleteFunc(m.fallbacks, func(name string) bool {
			next := b.find(name)
			switch {
			case next == nil:
				return false
			case state[next.name] == open:
				b.report.add(Unsupported, "fallbacks "+m.name, "falls back on %s, which falls back on it: the circle is cut here", name)
				return true
			case state[next.name] == 0:
				walk(next)
			}
			return false
		})
		state[m.name] = done
	}
	for _, m := range b.models {
		if state[m.name] == 0 {
			walk(m)
		}
	}
}
