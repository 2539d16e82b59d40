package cmd

import (
	"errors"
	"fmt"

	"relay/store"
)

// refuseLimits says why no limit may be in force under a catalog, or "": the
// strict profile wants counters that all processes share, or to be told that
// there is one process.
func (c *Config) refuseLimits(catalog *store.Catalog) string {
	if c.limits(catalog).Profile != "strict" || c.State.Backend != "memory" || c.Shared.AllowLocal {
		return ""
	}
	where := "setting limits says profile strict"
	if c.Written[profileKey] {
		where = "limits.profile is strict"
	}
	return where + ", but each Relay counts for itself (state.backend: memory), so that several would admit a limit several times over; " +
		"if this is the only Relay, on purpose, write shared_state.allow_process_local_throttling: true into its configuration; " +
		"several need shared counters in Redis (state.backend: redis)"
}

const maxNamedLimits = 50

// checkStoredLimits refuses to start with limits that may not be in force.
func (e *engine) checkStoredLimits() error {
	var refused *store.Error
	if err := e.db.CheckLimits(); !errors.As(err, &refused) {
		return err
	}
	faults := []string{"limits are stored that must not be in force: " + refused.Message}
	for i, p := range refused.Problems {
		if i == maxNamedLimits {
			faults = append(faults, fmt.Sprintf("and %d more", len(refused.Problems)-i))
			break
		}
		faults = append(faults, fmt.Sprintf("%s %s, %s", p.Kind, p.Name, p.Field))
	}
	return &configError{faults}
}
