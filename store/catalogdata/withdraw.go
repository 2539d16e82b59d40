package catalogdata

import (
	"errors"
	"slices"

	"relay/store"
)

// What Withdraw does with a row.
const (
	ActionDelete = "delete" // the record was as it had been written, and nobody needs it
	ActionNeeded = "needed" // left alone: others refer to it
)

// Withdraw deletes the records of the rows that d has and former has not, where
// nobody has edited them and nobody needs them. They leave no trace: a catalogue
// that has the rows makes them again.
func (d *Data) Withdraw(e *store.Edit, former *Data) (Changes, error) {
	staying := map[need]bool{}
	for _, r := range former.rows() {
		staying[r.self()] = true
	}
	a := newApplying(e)
	var changes Changes
	for _, r := range slices.Backward(d.rows()) { // what refers goes before what it refers to
		stored := a.find(r.rec)
		if staying[r.self()] || stored == nil || !ours(stored) {
			continue
		}
		action, err := withdraw(e, stored)
		if err != nil {
			return nil, err
		}
		changes = append(changes, Change{Kind: stored.Kind(), Name: stored.Meta().Name, Action: action})
	}
	return changes, nil
}

func withdraw(e *store.Edit, rec store.AnyRecord) (action string, err error) {
	m := *rec.Meta()
	now, err := store.NamedSpecHash(e.Catalog(), rec)
	if err != nil {
		return "", err
	}
	if now != m.Origin.Hash {
		return ActionDrift, nil
	}
	var fault *store.Error
	switch err := e.Delete(rec.Kind(), m.ID); {
	case errors.As(err, &fault) && fault.Code == store.CodeConflict:
		return ActionNeeded, nil
	case err != nil:
		return "", err
	}
	if t, found := e.Catalog().Tombstone(rec.Kind(), m.Name, *m.Origin); found {
		e.Forget(t)
	}
	return ActionDelete, nil
}
