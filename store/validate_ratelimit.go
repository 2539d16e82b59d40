package store

import (
	"fmt"

	"relay/limiter"
)

const maxRules = 32

func (f *faults) rateLimit(s *RateLimitSpec) {
	switch {
	case len(s.Rules) == 0 && Enabled(s.Enabled):
		f.add("spec.rules", "must hold at least one rule; to let everything pass set enabled to false")
	case len(s.Rules) > maxRules:
		f.add("spec.rules", "must be at most %d", maxRules)
	}
	f.rules(s.Rules)
	f.known("spec.per", s.Per, perDimensions())
	f.match(s.Match)
	f.suspends(s.Suspend)
}

func (f *faults) rules(rules []limiter.Rule) {
	counters := map[string]int{}
	for i, rule := range rules {
		field := item("spec.rules", i)
		for _, fault := range rule.Check() {
			f.add(field+"."+fault.Field, "%s", fault.Message)
		}
		counter := fmt.Sprintf("%s %s %d", rule.Meter, rule.Strategy, rule.Window)
		if rule.Meter == limiter.MeterConcurrency {
			counter = string(rule.Meter)
		}
		if first, taken := counters[counter]; taken {
			f.addIf(field, sameCounter(rule, first))
			continue
		}
		counters[counter] = i
	}
}

func sameCounter(rule limiter.Rule, first int) string {
	if rule.Meter == limiter.MeterConcurrency {
		return fmt.Sprintf("counts concurrency as rules[%d] does: keep one such rule", first)
	}
	return fmt.Sprintf("has the meter, strategy and window of rules[%d]: keep the one with the smaller amount", first)
}
