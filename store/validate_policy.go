package store

import (
	"slices"

	"relay/limiter"
)

const (
	maxRefs  = 1000
	maxPools = 50
)

// Dimensions that per may split counters by, and that match may test.
func perDimensions() []string {
	return []string{"team", "project", "member", "key", "user", "model", "endpoint"}
}

func (f *faults) policy(m *Metadata, s *PolicySpec) {
	f.modelRefs("spec.models", s.Models)
	f.modelRefs("spec.deny", s.Deny)
	f.pools(m, s.Pools)
	f.policyLimits(s)
	f.budgets(s.Budgets)
	f.known("spec.endpoints", s.Endpoints, Endpoints())
	f.capabilities("spec.capabilities", s.Capabilities)
	if n := s.MaxInputTokens; n != nil && (*n <= 0 || *n > limiter.MaxAmount) {
		f.add("spec.maxInputTokens", "must be an integer above 0; leave it out for no bound")
	}
	f.members("spec.blockedParams", s.BlockedParams)
}

func (f *faults) modelRefs(field string, refs []ModelRef) {
	if len(refs) > maxRefs {
		f.add(field, "must be at most %d", maxRefs)
	}
	for i, ref := range refs {
		_, err := ParseModelRef(ref)
		f.addErr(item(field, i), err)
	}
	f.unique(field, texts(refs))
}

func (f *faults) pools(m *Metadata, pools []Pool) {
	if len(pools) > 0 && m.Owner != nil && m.Owner.Kind == KindHost {
		f.add("spec.pools", "must be left out of a tier policy: it governs keys and does not choose among them")
	}
	if len(pools) > maxPools {
		f.add("spec.pools", "must be at most %d", maxPools)
	}
	names := make([]string, len(pools))
	for i, pool := range pools {
		names[i] = pool.Name
		f.pool(item("spec.pools", i), pool)
		if pool.Name != "" && slices.Contains(names[:i], pool.Name) {
			f.add(item("spec.pools", i)+".name", "is the name of an earlier pool: choose another")
		}
	}
}

func (f *faults) pool(field string, p Pool) {
	if p.Name == "" {
		f.add(field+".name", "must not be empty: name the pool, for example main")
	} else {
		f.addIf(field+".name", checkLabel(p.Name))
	}
	if len(p.HostKeyIDs) > 0 && len(p.HostIDs) > 0 {
		f.add(field, "must name host keys or hosts, not both: split it into two pools")
	}
	f.refList(field+".hostKeyIds", p.HostKeyIDs)
	f.refList(field+".hostIds", p.HostIDs)
}

func (f *faults) refList(field string, refs []string) {
	if len(refs) > maxRefs {
		f.add(field, "must be at most %d", maxRefs)
	}
	for i, ref := range refs {
		if ref == "" {
			f.add(item(field, i), "must not be empty")
		}
	}
	f.unique(field, refs)
}

func (f *faults) policyLimits(s *PolicySpec) {
	if s.RateLimitID != "" && len(s.RLBindings) > 0 {
		f.add("spec.rlBindings", "must not stand beside a rate limit for the whole policy: keep one of the two")
	}
	for i, b := range s.RLBindings {
		field := item("spec.rlBindings", i) + ".models"
		if len(b.Models) == 0 {
			f.add(field, "must name at least one model; for one limit over all models set the policy's rate limit")
		}
		f.modelRefs(field, b.Models)
	}
}

// budgets checks the budgets of a policy or a relay key.
func (f *faults) budgets(budgets []Budget) {
	periods := map[string]bool{}
	for i, b := range budgets {
		field := item("spec.budgets", i)
		nanos, err := ParseNanoDollars(b.Amount)
		f.addErr(field+".amount", err)
		if err == nil && nanos == 0 {
			f.add(field+".amount", "must be above 0; to stop spending switch the policy or the key off")
		}
		if b.Period != "" && periods[b.Period] {
			f.add(field+".period", "has a budget already: one a period")
		}
		periods[b.Period] = true
		f.known(field+".per", b.Per, perDimensions())
	}
}
