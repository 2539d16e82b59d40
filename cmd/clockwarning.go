package cmd

import (
	"fmt"
	"runtime/debug"
	"time"

	"relay/store"
)

// clockSlack is how far build machines may be ahead.
const clockSlack = 24 * time.Hour

// builtAt is when the commit was made that this binary was built from; zero when
// the build has not recorded it.
func builtAt() time.Time {
	build, _ := debug.ReadBuildInfo()
	if build == nil {
		return time.Time{}
	}
	for _, s := range build.Settings {
		if s.Key == "vcs.time" {
			at, _ := time.Parse(time.RFC3339, s.Value) // zero when it is none
			return at
		}
	}
	return time.Time{}
}

// clockWarnings tell of a clock that cannot be right.
func clockWarnings(now, built time.Time) []store.Problem {
	if !now.Add(clockSlack).Before(built) {
		return nil
	}
	return []store.Problem{{Message: fmt.Sprintf(
		"the clock says %s, which is before this Relay was made (%s): set it, since days of budgets, expiry of keys and certificates go by it",
		now.UTC().Format(time.DateOnly), built.UTC().Format(time.DateOnly))}}
}
