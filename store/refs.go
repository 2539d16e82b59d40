package store

import (
	"fmt"
	"slices"
	"strings"
)

// Targets of a ref tag that are no kinds.
const (
	refModels       = "model-ref"
	refAccount      = "account"
	refVirtualGroup = "virtual group" // of the service accounts of a project
)

// ResolveRefs turns the names in rec's references into ids, in place; ids stay
// as they are, whether or not such a record exists. It returns a problem for
// every name that c does not hold or that can be read in more than one way.
// References that are malformed are left to Validate. rec must not be shared.
func ResolveRefs(c *Catalog, rec AnyRecord) []Problem {
	f := &faults{kind: rec.Kind(), name: rec.Meta().Name}
	eachRef(rec, func(s refSite) {
		resolved, fault := s.resolve(c)
		if fault != "" {
			f.addIf(s.path, fault)
			return
		}
		s.value.SetString(resolved)
	})
	return f.problems
}

// NameRefs is the inverse of ResolveRefs: it puts names in the place of the ids
// in rec's references. Ids of records that do not exist stay. rec must not be
// shared.
func NameRefs(c *Catalog, rec AnyRecord) {
	eachRef(rec, func(s refSite) { s.value.SetString(s.named(c)) })
}

// References returns every record that refers to the record of the kind with
// the id, in the order of Kinds and names.
func References(c *Catalog, kind Kind, id string) []AnyRecord {
	var found []AnyRecord
	for _, k := range Kinds() {
		for rec := range c.Of(k).Each() {
			if refersTo(rec, kind, id) {
				found = append(found, rec)
			}
		}
	}
	return found
}

func refersTo(rec AnyRecord, kind Kind, id string) bool {
	found := false
	eachRef(rec, func(s refSite) {
		found = found || slices.Contains(s.targets(), target{kind, id})
	})
	return found
}

func (s refSite) resolve(c *Catalog) (resolved, fault string) {
	text := s.value.String()
	switch s.ref {
	case refModels:
		ref, fault := c.resolveModelRef(ModelRef(text))
		return string(ref), fault
	case refAccount:
		ref, fault := c.resolveAccountRef(AccountRef(text))
		return string(ref), fault
	case refVirtualGroup:
		id, fault := c.resolveName(KindProject, strings.TrimPrefix(text, groupOfProjectsPrefix))
		return groupOfProjectsPrefix + id, fault
	case string(KindModel):
		return c.resolveOneModel(text)
	}
	return c.resolveName(Kind(s.ref), text)
}

// named returns the reference with names in the place of ids.
func (s refSite) named(c *Catalog) string {
	text := s.value.String()
	switch s.ref {
	case refModels:
		return string(c.nameModelRef(ModelRef(text)))
	case refAccount:
		return string(c.nameAccountRef(AccountRef(text)))
	case refVirtualGroup:
		return groupOfProjectsPrefix + c.nameOf(KindProject, strings.TrimPrefix(text, groupOfProjectsPrefix))
	}
	return c.nameOf(Kind(s.ref), text)
}

// resolveOneModel resolves a reference that must lead to exactly one model.
func (c *Catalog) resolveOneModel(text string) (id, fault string) {
	if IsID(text) {
		return text, ""
	}
	readings := slices.DeleteFunc(c.readModel(text), func(r reading) bool { return r.parts.Model == "" })
	switch len(readings) {
	case 0:
		return "", c.unknown(KindModel, text)
	case 1:
		return readings[0].parts.Model, ""
	}
	return "", ambiguous(readings)
}

func (c *Catalog) resolveName(kind Kind, text string) (id, fault string) {
	if text == "" || IsID(text) {
		return text, ""
	}
	if rec := c.Of(kind).FindByName(text); rec != nil {
		return rec.Meta().ID, ""
	}
	return "", c.unknown(kind, text)
}

func (c *Catalog) unknown(kind Kind, name string) string {
	var names []string
	for rec := range c.Of(kind).Each() {
		names = append(names, rec.Meta().Name)
	}
	fault := fmt.Sprintf("no %s has this name", kind)
	if near := Nearest(name, names); near != "" {
		return fault + ": did you mean " + near + "?"
	}
	return fault
}

// nameOf returns the name of the record, or text itself when there is none.
func (c *Catalog) nameOf(kind Kind, text string) string {
	table := c.Of(kind)
	if table == nil || text == "" {
		return text
	}
	if rec := table.Find(text); rec != nil {
		return rec.Meta().Name
	}
	return text
}
