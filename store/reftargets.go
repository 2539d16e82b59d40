package store

// RefTarget is a record that another refers to.
type RefTarget struct {
	Path string // of the member: spec.rateLimitId
	Kind Kind
	ID   string // or a name that is not resolved
}

// Targets returns what a record refers to, in the order of its members. A
// member that names two records stands there twice.
func Targets(rec AnyRecord) []RefTarget {
	var all []RefTarget
	eachRef(rec, func(s refSite) {
		for _, t := range s.targets() {
			all = append(all, RefTarget{s.path, t.kind, t.id})
		}
	})
	return all
}
