package store

import "slices"

// Compiler is given a candidate catalog before it is written. It returns what
// puts the compiled candidate to use, and every error it has found. Swap is
// called at most once, when the write is on disk.
type Compiler func(next *Catalog) (swap func(), errors []Problem)

// knownProblems are those of the present catalog: a write is refused for those
// that it adds only.
type knownProblems struct {
	of       *Catalog // the catalog that checked belongs to
	checked  []Problem
	compiled []Problem
}

// SetCompiler compiles the present catalog and puts it to use, whatever errors
// there are, and from then on every write passes c. It returns the errors.
func (db *DB) SetCompiler(c Compiler) []Problem {
	db.writing.Lock()
	defer db.writing.Unlock()
	swap, problems := c(db.Catalog())
	db.compiler, db.known.compiled = c, problems
	if swap != nil {
		swap()
	}
	return problems
}

// Write changes the catalog: all that change does to the Edit, or nothing. It
// returns the catalog that holds from then on, once the change is on disk and
// the compiled catalog in use. A change that leaves every record as it was
// writes nothing and keeps the generation.
//
// It fails with the error that change returns, with CodeInvalid for what single
// records show to be wrong, with CodeSharedState for limits where none may be in
// force, with CodeUnprocessable for what the catalog as a whole would gain in
// errors, each with all Problems at once, and with CodeUnavailable when the disk
// refuses; the write may then still be found done after a restart. Writes wait
// for each other. Change must not call Write.
func (db *DB) Write(change func(e *Edit) error) (*Catalog, error) {
	db.writing.Lock()
	defer db.writing.Unlock()
	e := db.newEdit()
	done := false
	defer func() {
		if !done {
			db.values.forget(e.secrets.opened)
		}
	}()
	if err := change(e); err != nil {
		return nil, err
	}
	problems, err := e.finish()
	if err != nil {
		return nil, err
	}
	if e.unchanged() {
		return e.base, nil
	}
	if err := e.CheckLimits(); err != nil {
		return nil, err
	}
	admitted, err := db.admit(e, problems)
	if err != nil {
		return nil, err
	}
	if err := db.commit(e); err != nil {
		return nil, err
	}
	done = true
	db.use(e, admitted)
	return e.next, nil
}

// admission is a candidate that may be written.
type admission struct {
	swap  func()
	known knownProblems
}

// admit refuses a candidate for the errors that it adds.
func (db *DB) admit(e *Edit, unresolved []Problem) (admission, error) {
	if db.known.of != e.base {
		db.known.of, db.known.checked = e.base, e.base.Check()
	}
	a := admission{swap: func() {}, known: knownProblems{of: e.next, checked: e.next.Check()}}
	added := addedProblems(db.known.checked, append(unresolved, withoutFields(a.known.checked, unresolved)...))
	if err := ProblemsError(CodeUnprocessable, added); err != nil || db.compiler == nil {
		return a, err
	}
	swap, problems := db.compiler(e.next)
	if swap != nil {
		a.swap = swap
	}
	a.known.compiled = problems
	return a, ProblemsError(CodeUnprocessable, addedProblems(db.known.compiled, problems))
}

// use puts a written candidate in the place of the present catalog.
func (db *DB) use(e *Edit, a admission) {
	db.known = a.known
	db.catalog.Store(e.next)
	a.swap()
	db.options.OnAudit(e.audit)
	db.values.forget(e.formerValues())
}

// withoutFields leaves out problems of members that told has a problem of.
func withoutFields(problems, told []Problem) []Problem {
	return slices.DeleteFunc(slices.Clone(problems), func(p Problem) bool {
		return slices.ContainsFunc(told, func(t Problem) bool {
			return t.Kind == p.Kind && t.Name == p.Name && t.Field == p.Field
		})
	})
}

// addedProblems returns those of problems that are not known, each once.
func addedProblems(known, problems []Problem) []Problem {
	seen := make(map[Problem]bool, len(known))
	for _, p := range known {
		seen[p] = true
	}
	var added []Problem
	for _, p := range problems {
		if !seen[p] {
			seen[p] = true
			added = append(added, p)
		}
	}
	return added
}
