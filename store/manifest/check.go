package manifest

import (
	"slices"
	"strings"

	"relay/store"
)

// Check returns everything that Apply with these options to a catalog of base
// would find wrong with the documents, and what would be wrong with the catalog afterwards, together
// with what Read has found wrong already, in the order of files and lines.
// Nothing is told twice: a reference to a document that is wrong itself counts
// as good.
func Check(base *store.Catalog, docs []Document, o ApplyOptions, read []FileProblem) []FileProblem {
	draft := store.NewDraft(base)
	a := &applying{editor: draft, options: o}
	for i := range docs {
		a.entries = append(a.entries, &entry{doc: &docs[i]})
	}
	a.decode()
	broken := a.standIns(draft, read)
	a.create()
	a.update()
	found := append(slices.Clone(read), a.problems...)
	for _, p := range Locate(docs, draft.Problems()) {
		if !a.suspect(draft.Catalog(), p, broken) && !slices.Contains(found, p) {
			found = append(found, p)
		}
	}
	return inFileOrder(found)
}

// standIns makes records for the documents that are wrong in themselves, so that
// others can refer to them, and returns their ids.
func (a *applying) standIns(draft *store.Draft, read []FileProblem) map[string]bool {
	ids := map[string]bool{}
	for _, p := range append(slices.Clone(read), a.problems...) {
		table := draft.Catalog().Of(p.Kind)
		if table == nil || p.Name == "" || a.isGood(p.Kind, p.Name) {
			continue
		}
		rec := table.FindByName(p.Name)
		if rec == nil {
			rec = table.New()
			rec.Meta().Name = p.Name
			if draft.Put(rec) != nil {
				continue
			}
		}
		ids[rec.Meta().ID] = true
	}
	return ids
}

func (a *applying) isGood(kind store.Kind, name string) bool {
	return slices.ContainsFunc(a.entries, func(n *entry) bool {
		return !n.broken && n.doc.Kind == kind && strings.EqualFold(n.doc.Metadata.Name, name)
	})
}

// suspect reports whether a fault may come from a document that is wrong itself
// and has been told of.
func (a *applying) suspect(c *store.Catalog, p FileProblem, broken map[string]bool) bool {
	rec := store.AnyRecord(nil)
	if table := c.Of(p.Kind); table != nil {
		rec = table.FindByName(p.Name)
	}
	if rec == nil {
		return false
	}
	if broken[rec.Meta().ID] || a.isBroken(p) {
		return true
	}
	return slices.ContainsFunc(store.Targets(rec), func(t store.RefTarget) bool { return broken[t.ID] })
}

func (a *applying) isBroken(p FileProblem) bool {
	return slices.ContainsFunc(a.entries, func(n *entry) bool {
		return n.broken && n.doc.Kind == p.Kind && strings.EqualFold(n.doc.Metadata.Name, p.Name)
	})
}
