package admin

import (
	"regexp"
	"strings"

	"relay/store"
)

// bond is what becomes of a record when another that it refers to goes by
// cascade.
type bond int

const (
	narrows bond = iota // it holds somebody back: nothing goes
	part                // it goes as well: without the other it means nothing
	member              // it stays without the entry, of which the rest grants less
)

// bonds is the table of references by kind and member. A member that is not
// there narrows. Owners are told apart by bondOf.
func bonds() map[string]bond {
	return map[string]bond{
		"model spec.providerId":            part,
		"host-binding spec.modelId":        part,
		"host-binding spec.hostId":         part,
		"host-account spec.hostId":         part,
		"host-key spec.hostId":             part,
		"host-key spec.accountId":          part,
		"team spec.organizationId":         part,
		"project spec.teamId":              part,
		"service-account spec.projectId":   part,
		"relay-key spec.principal.id":      part,
		"relay-key spec.projectId":         part,
		"relay-key spec.account":           part,
		"policy-binding spec.account":      part,
		"role-binding spec.roleId":         part,
		"role-binding spec.scope.id":       part,
		"admin-token spec.roleIds[]":       part,
		"admin-token spec.scope.id":        part,
		"group spec.members[]":             member,
		"role-binding spec.subjects[].id":  member,
		"model spec.fallbacks[].modelId":   member,
		"policy spec.models[]":             member,
		"policy spec.pools[].hostKeyIds[]": member,
		"policy spec.pools[].hostIds[]":    member,
		"relay-key spec.models[]":          member,
	}
}

// cascade is a deletion with all that goes with it. Nobody may do more after it
// than before: what is part of something goes with it, lists that grant lose
// entries, and what narrows refuses it.
type cascade struct {
	catalog *store.Catalog
	table   map[string]bond
	gone    map[string]bool // by id
	records []store.AnyRecord
}

// newCascade finds what goes with the record.
func newCascade(c *store.Catalog, rec store.AnyRecord) *cascade {
	d := &cascade{catalog: c, table: bonds(), gone: map[string]bool{}}
	d.take(rec)
	for grown := true; grown; {
		grown = false
		for other := range d.staying() {
			if d.goes(other) {
				d.take(other)
				grown = true
			}
		}
	}
	return d
}

// apply makes the deletion, or refuses it and names all that it must not take
// away.
func (d *cascade) apply(e *store.Edit) error {
	for _, rec := range d.records {
		if err := checkStays(rec); err != nil {
			return err
		}
	}
	if err := d.refusal(); err != nil {
		return err
	}
	if err := d.cut(e); err != nil {
		return err
	}
	if err := disown(e, d.records); err != nil {
		return err
	}
	return removeAll(e, d.records)
}

func (d *cascade) refusal() error {
	problems := d.narrowing()
	if len(problems) == 0 {
		return nil
	}
	texts := make([]string, len(problems))
	for i, p := range problems {
		texts[i] = words(p.Kind) + " " + p.Name + " " + p.Message
	}
	rec := d.records[0]
	return &store.Error{
		Code: store.CodeConflict, Problems: problems,
		Message: "to delete " + words(rec.Kind()) + " " + rec.Meta().Name + " with what is part of it would leave somebody with more than before: " +
			strings.Join(texts, "; ") + ": change or delete these first",
	}
}

// words is a kind as people write it.
func words(kind store.Kind) string { return strings.ReplaceAll(string(kind), "-", " ") }

func (d *cascade) take(rec store.AnyRecord) {
	d.gone[rec.Meta().ID] = true
	d.records = append(d.records, rec)
}

// staying yields the records that do not go.
func (d *cascade) staying() func(func(store.AnyRecord) bool) {
	return func(yield func(store.AnyRecord) bool) {
		for _, kind := range store.Kinds() {
			for rec := range d.catalog.Of(kind).Each() {
				if !d.gone[rec.Meta().ID] && !yield(rec) {
					return
				}
			}
		}
	}
}

// goes reports whether the record is part of one that goes. A role binding of
// nobody who stays goes as well.
func (d *cascade) goes(rec store.AnyRecord) bool {
	for _, to := range store.Targets(rec) {
		if d.gone[to.ID] && d.bondOf(rec, to.Path) == part {
			return true
		}
	}
	binding, ok := rec.(*store.RoleBinding)
	return ok && len(binding.Spec.Subjects) > 0 && len(d.subjects(binding.Spec.Subjects)) == 0
}

// index is the place of an item in the path of a member.
var index = regexp.MustCompile(`\[\d+\]`)

func (d *cascade) bondOf(rec store.AnyRecord, path string) bond {
	if path == ownerPath {
		return bondOfOwned(rec)
	}
	return d.table[string(rec.Kind())+" "+index.ReplaceAllString(path, "[]")]
}

const ownerPath = "metadata.owner.id"

// bondOfOwned tells what becomes of a record whose owner goes. Most are the
// owner's; but what holds others back without their naming it stays.
func bondOfOwned(rec store.AnyRecord) bond {
	switch rec := rec.(type) {
	case *store.PolicyBinding, *store.Setting:
		return narrows
	case *store.RateLimit:
		if rec.Spec.Standalone {
			return narrows
		}
	}
	return part
}
