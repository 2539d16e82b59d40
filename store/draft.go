package store

import (
	"slices"

	"github.com/google/uuid"
)

// Draft is a change of a catalog that is never written: what a check works on
// that has no database. It is for one goroutine.
type Draft struct {
	base, next *Catalog
	forked     map[Kind]bool
	touched    []target
}

// NewDraft begins a draft upon base, which stays as it is.
func NewDraft(base *Catalog) *Draft {
	next := *base
	return &Draft{base: base, next: &next, forked: map[Kind]bool{}}
}

// Catalog returns the catalog as changed so far.
func (d *Draft) Catalog() *Catalog { return d.next }

// Put takes rec over: it creates the record when it has no id, and else
// replaces the one with the id. It fails with CodeConflict for a name that
// another record of the kind has; what is wrong otherwise, Problems tells.
func (d *Draft) Put(rec AnyRecord) error {
	kind, m := rec.Kind(), rec.Meta()
	table := d.next.Of(kind)
	if other := table.FindByName(m.Name); other != nil && other.Meta().ID != m.ID {
		return ProblemsError(CodeConflict, []Problem{{Kind: kind, Name: m.Name, Field: "metadata.name", Message: "is taken: choose another name"}})
	}
	if m.ID == "" {
		m.ID = uuid.Must(uuid.NewV7()).String()
	}
	if !d.forked[kind] {
		d.forked[kind] = true
		table.fork()
	}
	table.put(rec)
	if t := (target{kind, m.ID}); !slices.Contains(d.touched, t) {
		d.touched = append(d.touched, t)
	}
	return nil
}

// SetPassword keeps nothing: a draft is never written.
func (d *Draft) SetPassword(string, PasswordHash) error { return nil }

// Delete takes a record away.
func (d *Draft) Delete(kind Kind, id string) error {
	table := d.next.Of(kind)
	if table == nil || table.Find(id) == nil {
		return notFound(kind, id)
	}
	if !d.forked[kind] {
		d.forked[kind] = true
		table.fork()
	}
	table.remove(id)
	d.touched = slices.DeleteFunc(d.touched, func(t target) bool { return t == target{kind, id} })
	return nil
}

// Forget does nothing: a draft is never written, and leaves no tombstones.
func (d *Draft) Forget(Tombstone) {}

// Problems returns what is wrong with the records that were put, and what is
// wrong with the catalog as a whole that was not so before.
func (d *Draft) Problems() []Problem {
	var problems []Problem
	for _, t := range d.touched {
		problems = append(problems, Validate(d.next.Of(t.kind).Find(t.id))...)
	}
	before := d.base.Check()
	for _, p := range d.next.Check() {
		if !slices.Contains(before, p) {
			problems = append(problems, p)
		}
	}
	return problems
}
