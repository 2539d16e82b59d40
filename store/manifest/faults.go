package manifest

import (
	"cmp"
	"slices"
	"strings"

	"relay/store"
)

// check returns the faults that the document shows by itself.
func (d *Document) check() []FileProblem {
	var problems []FileProblem
	for _, p := range d.faults() {
		problems = append(problems, d.problem(p.Field, p.Message))
	}
	return problems
}

// faults is check without places. Fields are JSON paths.
func (d *Document) faults() []store.Problem {
	rec, err := d.record()
	if err != nil {
		return []store.Problem{{Field: "spec", Message: err.Error()}}
	}
	if key, ok := rec.(*store.HostKey); ok && !key.Spec.Value.IsZero() {
		return []store.Problem{{Field: "spec.value", Message: noValues}}
	}
	var problems []store.Problem
	for _, p := range store.Validate(rec) {
		if p.Field == "metadata.name" && d.Kind == store.KindPolicyBinding && d.Metadata.Name == "" {
			continue // derived from the account once that is known
		}
		if strings.HasSuffix(p.Field, "].window") && d.Lines[p.Field] == 0 {
			p.Message = "must be given: write a duration such as 1m"
		}
		problems = append(problems, p)
	}
	return problems
}

// isFresh reports whether a fault of a document that could not be read whole is
// one of a member that was read, and no consequence of those told already.
func (d *Document) isFresh(p store.Problem, told []FileProblem) bool {
	if d.Lines[p.Field] == 0 {
		return false
	}
	path := manifestPath(p.Field)
	return !slices.ContainsFunc(told, func(t FileProblem) bool {
		return strings.HasPrefix(t.Field, path) || strings.HasPrefix(path, t.Field)
	})
}

// named tells of which record the problems are, which may not have been known
// yet when they were found.
func (b *builder) named() []FileProblem {
	for i := range b.problems {
		b.problems[i].Kind, b.problems[i].Name = b.doc.Kind, cmp.Or(b.problems[i].Name, b.doc.Metadata.Name)
	}
	return b.problems
}
