package admin

import (
	"slices"

	"relay/store"
)

// cut takes the records that go out of the lists of those that stay.
func (d *cascade) cut(e *store.Edit) error {
	for rec := range d.staying() {
		if !d.hasMember(rec) {
			continue
		}
		left, err := d.without(rec)
		if err != nil {
			return err
		}
		if err := e.Put(left); err != nil {
			return err
		}
	}
	return nil
}

func (d *cascade) hasMember(rec store.AnyRecord) bool {
	return slices.ContainsFunc(store.Targets(rec), func(to store.RefTarget) bool {
		return d.gone[to.ID] && d.bondOf(rec, to.Path) == member
	})
}

// without returns a copy of the record whose lists lack what goes.
func (d *cascade) without(rec store.AnyRecord) (store.AnyRecord, error) {
	switch rec := rec.(type) {
	case *store.Group:
		return edited(rec, func(s *store.GroupSpec) { s.Members = d.ids(s.Members) })
	case *store.RoleBinding:
		return edited(rec, func(s *store.RoleBindingSpec) { s.Subjects = d.subjects(s.Subjects) })
	case *store.Model:
		return edited(rec, func(s *store.ModelSpec) { s.Fallbacks = d.fallbacks(s.Fallbacks) })
	case *store.RelayKey:
		return edited(rec, func(s *store.RelayKeySpec) { s.Models = d.models(s.Models) })
	case *store.Policy:
		return edited(rec, func(s *store.PolicySpec) {
			s.Models = d.models(s.Models)
			for i := range s.Pools {
				s.Pools[i].HostKeyIDs, s.Pools[i].HostIDs = d.ids(s.Pools[i].HostKeyIDs), d.ids(s.Pools[i].HostIDs)
			}
		})
	}
	return rec, nil
}

func edited[S any](rec *store.Record[S], change func(*S)) (store.AnyRecord, error) {
	left, err := copyOf(rec)
	if err != nil {
		return nil, err
	}
	change(&left.Spec)
	return left, nil
}

func (d *cascade) ids(list []string) []string {
	return kept(list, func(id string) bool { return d.gone[id] })
}

func (d *cascade) models(list []store.ModelRef) []store.ModelRef {
	return kept(list, d.leadsAway)
}

func (d *cascade) fallbacks(list []store.Fallback) []store.Fallback {
	return kept(list, func(f store.Fallback) bool { return d.gone[f.ModelID] })
}

func (d *cascade) subjects(list []store.Ref) []store.Ref {
	return kept(list, func(s store.Ref) bool { return d.gone[store.ProjectOfGroup(s)] || d.gone[s.ID] })
}

// leadsAway reports whether the reference names something that goes.
func (d *cascade) leadsAway(ref store.ModelRef) bool {
	parts, err := store.ParseModelRef(ref)
	return err == nil && (d.gone[parts.Model] || d.gone[parts.Provider] || d.gone[parts.Host])
}

// kept returns the items that do not go; nil when none stays.
func kept[T any](list []T, goes func(T) bool) []T {
	var left []T
	for _, one := range list {
		if !goes(one) {
			left = append(left, one)
		}
	}
	return left
}

// disown takes the owners from records that go anyway: a tier policy belongs to
// a host that refers to it, and neither could go first.
func disown(e *store.Edit, doomed []store.AnyRecord) error {
	for _, rec := range doomed {
		policy, ok := rec.(*store.Policy)
		if !ok || policy.Metadata.Owner == nil {
			continue
		}
		free, err := copyOf(policy)
		if err != nil {
			return err
		}
		free.Metadata.Owner = nil
		if err := e.Put(free); err != nil {
			return err
		}
	}
	return nil
}

// removeAll deletes records that refer to each other, those first that no other
// refers to any more.
func removeAll(e *store.Edit, doomed []store.AnyRecord) error {
	for len(doomed) > 0 {
		var needed []store.AnyRecord
		var fault error
		for _, rec := range doomed {
			if err := e.Delete(rec.Kind(), rec.Meta().ID); err != nil {
				needed, fault = append(needed, rec), err
			}
		}
		if len(needed) == len(doomed) {
			return fault
		}
		doomed = needed
	}
	return nil
}
