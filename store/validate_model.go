package store

import (
	"maps"
	"slices"
	"strings"
	"time"

	"relay/limiter"
)

// Bounds of lists on models and bindings.
const (
	maxFallbacks = 5
	maxAliases   = 100
	maxTags      = 64
	maxWeight    = 1_000_000
)

func (f *faults) model(m *Metadata, s *ModelSpec) {
	f.aliases(m.Name, s.Aliases)
	f.fallbacks(m, s.Fallbacks)
	f.capabilities("spec.capabilities", s.Capabilities)
	f.count("spec.contextWindow", s.ContextWindow)
	f.count("spec.maxOutputTokens", s.MaxOutputTokens)
	f.date("spec.releaseDate", s.ReleaseDate)
	f.deprecation(s.Deprecation)
	f.tagNames(s.Tags)
	f.limits(s.Limits)
}

func (f *faults) aliases(name string, aliases []string) {
	if len(aliases) > maxAliases {
		f.add("spec.aliases", "must be at most %d", maxAliases)
	}
	for i, alias := range aliases {
		f.alias(item("spec.aliases", i), name, alias)
	}
	f.unique("spec.aliases", aliases)
}

func (f *faults) alias(field, name, alias string) {
	literal := strings.TrimSuffix(alias, "*")
	switch {
	case alias == "":
		f.add(field, "must not be empty")
	case strings.Contains(literal, "*"):
		f.add(field, "must hold no more than one *, at its end")
	case strings.EqualFold(alias, name):
		f.add(field, "is the model's own name: leave it out")
	case literal != "" && literal == alias:
		f.addIf(field, checkModelName(alias))
	case literal != "":
		// What stands before the star may end in the middle of a name.
		f.addIf(field, checkModelName(strings.TrimSuffix(literal, "/")))
	}
}

func (f *faults) fallbacks(m *Metadata, fallbacks []Fallback) {
	if len(fallbacks) > maxFallbacks {
		f.add("spec.fallbacks", "must be at most %d", maxFallbacks)
	}
	seen := map[string]bool{}
	for i, to := range fallbacks {
		field, key := item("spec.fallbacks", i), strings.ToLower(to.ModelID)
		switch {
		case key == "":
		case key == strings.ToLower(m.Name) || key == m.ID:
			f.add(field+".modelId", "must be another model")
		case seen[key]:
			f.add(field+".modelId", "is listed twice: name each model once")
		}
		seen[key] = true
		f.weight(field+".weight", to.Weight)
	}
}

func (f *faults) weight(field string, weight *int) {
	if weight != nil && (*weight < 1 || *weight > maxWeight) {
		f.add(field, "must be between 1 and %d; to send nothing there leave it out of the list or switch it off", maxWeight)
	}
}

func (f *faults) capabilities(field string, c Capabilities) {
	for _, name := range slices.Sorted(maps.Keys(c)) {
		if slices.Contains(CapabilityNames(), name) {
			continue
		}
		f.add(field+"."+name, "is not a capability: use %s", strings.Join(CapabilityNames(), ", "))
	}
}

func (f *faults) count(field string, n int64) {
	if n < 0 || n > limiter.MaxAmount {
		f.add(field, "must be between 0 and %d; leave it out if it is not known", int64(limiter.MaxAmount))
	}
}

func (f *faults) date(field, text string) {
	if text == "" {
		return
	}
	if _, err := time.Parse(time.DateOnly, text); err != nil {
		f.add(field, "must be a date such as 2026-01-31")
	}
}

func (f *faults) deprecation(d *Deprecation) {
	if d == nil {
		return
	}
	f.date("spec.deprecation.sunsetDate", d.SunsetDate)
	if d.Replacement != "" {
		f.addIf("spec.deprecation.replacement", checkModelName(d.Replacement))
	}
}

func (f *faults) tagNames(tags []string) {
	if len(tags) > maxTags {
		f.add("spec.tags", "must be at most %d", maxTags)
	}
	for i, tag := range tags {
		if tag == "" {
			f.add(item("spec.tags", i), "must not be empty")
		}
		f.addIf(item("spec.tags", i), checkLine(tag, maxLabelKey))
	}
	f.unique("spec.tags", tags)
}

// limits checks the shorthand that tenancy records, models and keys carry.
func (f *faults) limits(l *Limits) {
	if l == nil {
		return
	}
	for _, member := range []struct {
		name   string
		amount *int64
	}{
		{"rps", l.RPS}, {"rpm", l.RPM}, {"rph", l.RPH}, {"rpd", l.RPD},
		{"tpm", l.TPM}, {"tpd", l.TPD}, {"concurrency", l.Concurrency},
	} {
		if n := member.amount; n != nil && (*n <= 0 || *n > limiter.MaxAmount) {
			f.add("spec.limits."+member.name, "must be an integer above 0 and at most %d; to lift the limit leave it out", int64(limiter.MaxAmount))
		}
	}
}
