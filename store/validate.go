package store

import (
	"fmt"
	"strings"
)

// Validate returns every fault that rec shows by itself, whatever else the
// catalog holds. References may be names or ids. No message repeats a secret.
func Validate(rec AnyRecord) []Problem {
	f := &faults{kind: rec.Kind(), name: rec.Meta().Name}
	f.metadata(rec.Meta())
	f.tags(rec)
	f.spec(rec)
	return f.problems
}

// faults gathers what is wrong with one record.
type faults struct {
	kind     Kind
	name     string
	problems []Problem
}

func (f *faults) add(field, format string, args ...any) {
	f.problems = append(f.problems, Problem{Kind: f.kind, Name: f.name, Field: field, Message: fmt.Sprintf(format, args...)})
}

// addIf adds a fault unless message is empty.
func (f *faults) addIf(field, message string) {
	if message != "" {
		f.add(field, "%s", message)
	}
}

// addErr adds a fault when there is an error.
func (f *faults) addErr(field string, err error) {
	if err != nil {
		f.add(field, "%s", err.Error())
	}
}

func (f *faults) spec(rec AnyRecord) {
	switch spec := rec.SpecValue().(type) {
	case *ProviderSpec:
		f.provider(spec)
	case *HostSpec:
		f.host(spec)
	case *ModelSpec:
		f.model(rec.Meta(), spec)
	case *HostBindingSpec:
		f.hostBinding(spec)
	case *PricingSpec:
		f.pricing(spec)
	case *HostKeySpec:
		f.hostKey(spec)
	case *RateLimitSpec:
		f.rateLimit(spec)
	case *PolicySpec:
		f.policy(rec.Meta(), spec)
	case *PolicyBindingSpec:
		f.accountRef("spec.account", spec.Account)
	case *OrganizationSpec:
		f.limits(spec.Limits)
	case *TeamSpec:
		f.limits(spec.Limits)
	case *ProjectSpec:
		f.limits(spec.Limits)
	case *ServiceAccountSpec:
		f.limits(spec.Limits)
	case *RelayKeySpec:
		f.relayKey(spec)
	case *UserSpec:
		f.user(rec.Meta(), spec)
	case *GroupSpec:
		f.group(spec)
	case *RoleSpec:
		f.role(spec)
	case *RoleBindingSpec:
		f.roleBinding(spec)
	case *AdminTokenSpec:
		f.adminToken(spec)
	case *SettingSpec:
		f.setting(rec.Meta(), spec)
	}
}

// item returns the path of the i-th element of a list.
func item(field string, i int) string { return fmt.Sprintf("%s[%d]", field, i) }

// unique adds a fault for every value that an earlier element already has,
// without regard to case.
func (f *faults) unique(field string, values []string) {
	seen := make(map[string]bool, len(values))
	for i, value := range values {
		key := strings.ToLower(value)
		if seen[key] {
			f.add(item(field, i), "is listed twice: name each once")
		}
		seen[key] = true
	}
}

// known adds a fault for every value that is none of the choices, and for every
// repeated one.
func (f *faults) known(field string, values, choices []string) {
	for i, value := range values {
		f.choice(item(field, i), value, choices)
	}
	f.unique(field, values)
}

func (f *faults) choice(field, value string, choices []string) {
	for _, choice := range choices {
		if value == choice {
			return
		}
	}
	f.add(field, "must be one of %s", strings.Join(choices, ", "))
}

func texts[T ~string](values []T) []string {
	out := make([]string, len(values))
	for i, value := range values {
		out[i] = string(value)
	}
	return out
}
