package store

import (
	"cmp"
	"slices"
)

// finish resolves names that Put could not resolve yet, and takes back what has
// not changed. It fails with all faults of single records, and returns the
// references that lead nowhere.
func (e *Edit) finish() (unresolved []Problem, err error) {
	var faults []Problem
	for _, ref := range e.refs() {
		faults = append(faults, e.faults[ref]...)
	}
	if err := ProblemsError(CodeInvalid, faults); err != nil {
		return nil, err
	}
	for _, ref := range e.refs() {
		problems, err := e.settle(ref)
		if err != nil {
			return nil, err
		}
		unresolved = append(unresolved, problems...)
	}
	return unresolved, nil
}

// refs returns the touched records in the order of kinds and ids.
func (e *Edit) refs() []rowRef {
	order := map[Kind]int{}
	for i, kind := range Kinds() {
		order[kind] = i
	}
	refs := make([]rowRef, 0, len(e.touched))
	for ref := range e.touched {
		refs = append(refs, ref)
	}
	slices.SortFunc(refs, func(a, b rowRef) int {
		return cmp.Or(order[a.kind]-order[b.kind], cmp.Compare(a.id, b.id))
	})
	return refs
}

func (e *Edit) settle(ref rowRef) ([]Problem, error) {
	table := e.next.Of(ref.kind)
	rec, former := table.Find(ref.id), e.base.Of(ref.kind).Find(ref.id)
	if rec == nil {
		if former == nil {
			delete(e.touched, ref) // made and deleted in this edit
		}
		return nil, nil
	}
	problems := ResolveRefs(e.next, rec)
	if former != nil && sameRecord(rec, former) {
		delete(e.touched, ref)
		table.put(former)
		return nil, nil
	}
	return addedProblems(e.formerlyUnresolved(table, former), problems), e.place(table, rec)
}

// formerlyUnresolved returns the references of the former record that led
// nowhere already.
func (e *Edit) formerlyUnresolved(table Records, former AnyRecord) []Problem {
	if former == nil {
		return nil
	}
	text, err := encodeRecord(former)
	if err != nil {
		return nil
	}
	copied, err := decodeRecord(table, text)
	if err != nil {
		return nil
	}
	return ResolveRefs(e.base, copied)
}

// sameRecord reports whether two records differ in nothing but the time of
// their last change.
func sameRecord(rec, former AnyRecord) bool {
	changed := rec.Meta().UpdatedAt
	rec.Meta().UpdatedAt = former.Meta().UpdatedAt
	a, errA := encodeRecord(rec)
	rec.Meta().UpdatedAt = changed
	b, errB := encodeRecord(former)
	return errA == nil && errB == nil && string(a) == string(b)
}

func (e *Edit) unchanged() bool {
	return len(e.touched) == 0 && len(e.secrets.sealed) == 0 && e.rekey == nil && e.shipped == nil && !e.movedTombstones()
}

// formerValues names the values of host keys that the edit has replaced.
func (e *Edit) formerValues() []valueRef {
	var refs []valueRef
	for ref := range e.touched {
		former := e.base.HostKeys.Get(ref.id)
		if former == nil {
			continue
		}
		if now := e.next.HostKeys.Get(ref.id); now == nil || now.Spec.ValueHash != former.Spec.ValueHash {
			refs = append(refs, valueRef{ref.id, former.Spec.ValueHash})
		}
	}
	return refs
}
