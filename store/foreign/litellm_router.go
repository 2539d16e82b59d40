package foreign

import (
	"fmt"
	"slices"
	"strings"

	"relay/store"
)

// readRouting takes aliases and fallbacks over, and tells of the rest of how
// LiteLLM picks a deployment.
func (l *litellm) readRouting(router, module *object) error {
	if err := l.readAliases(router); err != nil {
		return err
	}
	var general []string
	for _, section := range []*object{router, module} {
		general = append(general, texts(section.take("default_fallbacks"))...)
		for _, entry := range section.list("fallbacks") {
			general = append(general, l.readFallbacks(entry)...)
		}
	}
	l.fallBackAll(general)
	switch strategy := router.text("routing_strategy"); strategy {
	case "", "simple-shuffle":
		l.report.add(Taken, "setting routing_strategy", "by weight: the pool of policy litellm selects weighted, each in its turn")
	default:
		l.report.add(Approximated, "setting routing_strategy", "%s: by weight instead; limits of provider keys, breakers and Retry-After keep requests away from what has no room", strategy)
	}
	if module.boolean("drop_params") {
		l.report.add(Approximated, "setting litellm_settings.drop_params", "what a shape cannot say is dropped in translation and named in X-Relay-Dropped-Params")
	}
	return nil
}

// readAliases reads model_group_alias: {alias: model}, or {alias: {model,
// hidden}}. An alias of an alias stands for what that one stands for.
func (l *litellm) readAliases(router *object) error {
	aliases := router.object("model_group_alias")
	if aliases == nil {
		return nil
	}
	target := func(name string) string {
		if entry := aliases.object(name); entry != nil {
			if entry.boolean("hidden") {
				l.report.add(Approximated, "alias "+name, "is listed: Relay hides no name that may be called")
			}
			return entry.text("model")
		}
		return aliases.text(name)
	}
	for _, name := range aliases.names {
		end, seen := target(name), []string{name}
		for slices.Contains(aliases.names, end) {
			if slices.Contains(seen, end) {
				return fmt.Errorf("model_group_alias goes round in a circle: %s", strings.Join(append(seen, end), ", "))
			}
			seen = append(seen, end)
			end = target(end)
		}
		if l.find(name) != nil {
			l.report.add(Unsupported, "alias "+name, "model_list has the name, too, and wins")
			continue
		}
		if err := l.aliasFor("alias "+name, name, end); err != nil {
			return err
		}
	}
	return nil
}

// readFallbacks reads one element of fallbacks, {model: [targets]}, and returns
// the targets of "*", which are everybody's.
func (l *litellm) readFallbacks(value any) (general []string) {
	entry, _ := value.(*object)
	if entry == nil {
		return nil
	}
	for _, name := range entry.names {
		targets := entry.take(name)
		if name == "*" {
			general = append(general, texts(targets)...)
			continue
		}
		written, _ := modelName(name)
		m, subject := l.find(written), "fallbacks "+name
		if m == nil {
			l.report.add(Unsupported, subject, "of a model that no deployment offers by itself")
			continue
		}
		if list, ok := targets.([]any); ok && slices.ContainsFunc(list, func(v any) bool { _, plain := v.(string); return !plain }) {
			l.report.add(Unsupported, subject, "with parameters of their own: name a model that has them")
		}
		l.fallBack(subject, m, texts(targets))
		if len(m.fallbacks) > 0 {
			l.report.add(Taken, subject, "then %s", strings.Join(m.fallbacks, ", "))
		}
	}
	return general
}

// fallBackAll gives the fallbacks of everybody to the models that have none. Those
// that everybody falls back on do so themselves no more.
func (l *litellm) fallBackAll(targets []string) {
	if len(targets) == 0 {
		return
	}
	last := map[string]bool{}
	for _, text := range targets {
		last[l.reach(text)] = true
	}
	for _, m := range slices.Clone(l.models) {
		if len(m.fallbacks) == 0 && !last[m.name] {
			l.fallBack("setting default_fallbacks", m, targets)
		}
	}
	l.report.add(Approximated, "setting default_fallbacks", "fallbacks of every model without its own, save of themselves; models behind a wildcard have none")
}

// moduleBudget is what the whole proxy may spend.
func (l *litellm) moduleBudget(module *object) *store.Budget {
	amount, ok := module.number("max_budget")
	span := module.text("budget_duration")
	if !ok || amount <= 0 {
		return nil
	}
	l.budgeted = true
	budget, note := budgetOf(amount, span)
	if note == "" {
		l.report.add(Taken, "setting litellm_settings.max_budget", "budget of policy litellm, for each organization")
	} else {
		l.report.add(Approximated, "setting litellm_settings.max_budget", "budget of policy litellm, for each organization; %s", note)
	}
	return budget
}
