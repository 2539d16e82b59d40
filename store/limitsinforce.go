package store

import "reflect"

// limitPlace is a member of a record that limits something.
type limitPlace struct {
	kind      Kind
	id, field string
}

// limitInForce is a limit or budget that is enforced, by itself or once a policy
// is bound.
type limitInForce struct {
	limitPlace
	name string // of the record
	says any    // what else has changed when it differs
}

// limitsInForce lists what limits and budgets are enforced, in the order of
// kinds and names. What is switched off enforces none, and a limit of the system
// that is as shipped counts only where a policy names it.
func (c *Catalog) limitsInForce() []limitInForce {
	w := limitWalk{catalog: c}
	for _, kind := range Kinds() {
		for rec := range c.Of(kind).Each() {
			w.record(rec)
		}
	}
	return w.found
}

type limitWalk struct {
	catalog *Catalog
	found   []limitInForce
}

func (w *limitWalk) add(rec AnyRecord, field string, says any) {
	m := rec.Meta()
	w.found = append(w.found, limitInForce{limitPlace{rec.Kind(), m.ID, field}, m.Name, says})
}

func (w *limitWalk) record(rec AnyRecord) {
	switch rec := rec.(type) {
	case *RateLimit:
		if limits(rec) && !asShipped(rec) {
			w.add(rec, "spec", withoutSwitch(rec.Spec))
		}
	case *Policy:
		w.policy(rec)
	case *RelayKey:
		if s := rec.Spec; Enabled(s.Enabled) && s.RevokedAt == nil {
			w.shorthand(rec, nil, s.Limits)
			w.budgets(rec, s.Budgets)
		}
	case *Organization:
		w.shorthand(rec, rec.Spec.Enabled, rec.Spec.Limits)
	case *Team:
		w.shorthand(rec, rec.Spec.Enabled, rec.Spec.Limits)
	case *Project:
		w.shorthand(rec, rec.Spec.Enabled, rec.Spec.Limits)
	case *ServiceAccount:
		w.shorthand(rec, rec.Spec.Enabled, rec.Spec.Limits)
	case *Model:
		w.shorthand(rec, rec.Spec.Enabled, rec.Spec.Limits)
	}
}

// limits reports whether the rate limit refuses anything.
func limits(rec *RateLimit) bool {
	return rec != nil && Enabled(rec.Spec.Enabled) && len(rec.Spec.Rules) > 0
}

// asShipped reports whether the rate limit is one of the system that is on, and
// as it was shipped.
func asShipped(rec *RateLimit) bool {
	for _, shipped := range ShippedLimits() {
		if rec.Metadata.OfSystem() && rec.Metadata.Name == shipped.Metadata.Name {
			return limits(shipped) && reflect.DeepEqual(withoutSwitch(rec.Spec), withoutSwitch(shipped.Spec))
		}
	}
	return false
}

// withoutSwitch is what a rate limit says but for whether it is on.
func withoutSwitch(s RateLimitSpec) RateLimitSpec {
	s.Enabled = nil
	return s
}

func (w *limitWalk) shorthand(rec AnyRecord, enabled *bool, limits *Limits) {
	if Enabled(enabled) && len(limits.Rules()) > 0 {
		w.add(rec, "spec.limits", *limits)
	}
}

func (w *limitWalk) budgets(rec AnyRecord, budgets []Budget) {
	if len(budgets) > 0 {
		w.add(rec, "spec.budgets", budgets)
	}
}

func (w *limitWalk) policy(rec *Policy) {
	s := rec.Spec
	if !Enabled(s.Enabled) {
		return
	}
	if limits(w.catalog.RateLimits.Get(s.RateLimitID)) {
		w.add(rec, "spec.rateLimitId", s.RateLimitID)
	}
	for _, b := range s.RLBindings {
		if limits(w.catalog.RateLimits.Get(b.RateLimitID)) {
			w.add(rec, "spec.rlBindings", s.RLBindings)
			break
		}
	}
	w.budgets(rec, s.Budgets)
}
