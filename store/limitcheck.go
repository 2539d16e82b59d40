package store

import "reflect"

// CheckLimits fails with CodeSharedState when the edit so far puts a limit in
// force, or changes one, where Options.RefuseLimits says that none may be: the
// problems name them all. Records may keep and lose the limits that they have,
// unless it is the edit that makes limits refused. Write does the same.
func (e *Edit) CheckLimits() error {
	why := e.db.options.RefuseLimits(e.next)
	if why == "" {
		return nil
	}
	former := map[limitPlace]any{}
	if e.db.options.RefuseLimits(e.base) != "" {
		for _, limit := range e.base.limitsInForce() {
			former[limit.limitPlace] = limit.says
		}
	}
	return refusedLimits(why, e.next.limitsInForce(), former)
}

// CheckLimits fails with CodeSharedState when limits are in force under the
// present catalog and Options.RefuseLimits says that none may be.
func (db *DB) CheckLimits() error {
	c := db.Catalog()
	why := db.options.RefuseLimits(c)
	if why == "" {
		return nil
	}
	return refusedLimits(why, c.limitsInForce(), nil)
}

// refusedLimits returns the error for those limits that are not as former says.
func refusedLimits(why string, limits []limitInForce, former map[limitPlace]any) error {
	var problems []Problem
	for _, limit := range limits {
		if before, there := former[limit.limitPlace]; there && reflect.DeepEqual(before, limit.says) {
			continue
		}
		problems = append(problems, Problem{Kind: limit.kind, Name: limit.name, Field: limit.field, Message: "is a limit that no other process would count"})
	}
	if len(problems) == 0 {
		return nil
	}
	return &Error{Code: CodeSharedState, Message: why, Problems: problems}
}
