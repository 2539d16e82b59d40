package admin

import (
	"fmt"
	"slices"

	"github.com/rs/zerolog"

	"relay/store"
)

// EnsureSystemLimits makes the system's rate limits that are missing, as they
// are shipped, in one write. Present ones are left as they are. A rate limit
// of somebody else that has the name of a missing one gives it up, which the
// log tells: it gets the name with -2 behind it, and keeps what it counts and
// who refers to it.
func EnsureSystemLimits(db *store.DB, log zerolog.Logger) error {
	_, err := db.Write(func(e *store.Edit) error {
		for _, rec := range store.ShippedLimits() {
			if e.Catalog().SystemLimit(rec.Metadata.Name) != nil {
				continue
			}
			if err := giveUpName(e, rec.Metadata.Name, log); err != nil {
				return err
			}
			if err := e.Put(rec); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("make the system's rate limits: %w", err)
	}
	return nil
}

// giveUpName renames the rate limit of the name, if there is one.
func giveUpName(e *store.Edit, name string, log zerolog.Logger) error {
	table := e.Catalog().Of(store.KindRateLimit)
	holder := e.Catalog().RateLimits.ByName(name)
	if holder == nil {
		return nil
	}
	renamed := *holder
	renamed.Metadata.Name = store.NameFrom(name, func(name string) bool { return table.FindByName(name) != nil })
	log.Warn().Str("name", name).Str("renamed", renamed.Metadata.Name).Msg("rate limit is renamed: its name is that of a limit of the system")
	return e.Put(&renamed)
}

// keepSystemLimit keeps a limit of the system what it is: Relay finds it by
// its owner and its name.
func keepSystemLimit(rec, former *store.RateLimit) error {
	if !isSystemLimit(former) {
		return nil
	}
	m := &rec.Metadata
	switch owner := m.Owner; {
	case m.Name != "" && m.Name != former.Metadata.Name:
		return invalid(store.Problem{Kind: rec.Kind(), Name: former.Metadata.Name, Field: "metadata.name", Message: "must stay: Relay finds this limit of the system by its name"})
	case owner != nil && owner.Kind != store.KindSystem:
		return invalid(store.Problem{Kind: rec.Kind(), Name: former.Metadata.Name, Field: "metadata.owner", Message: "must stay the system: leave it out"})
	}
	m.Owner = former.Metadata.Owner
	return nil
}

func isSystemLimit(rec *store.RateLimit) bool {
	return rec.Metadata.OfSystem() && slices.ContainsFunc(store.ShippedLimits(), func(shipped *store.RateLimit) bool { return shipped.Metadata.Name == rec.Metadata.Name })
}
