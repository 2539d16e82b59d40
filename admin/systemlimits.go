package admin

import (
	"fmt"
	"slices"

	"github.com/rs/zerolog"

	"relay/limiter"
	"relay/store"
)

// EnsureSystemLimits makes the system's rate limits that are missing, as they
// are shipped, in one write. Present ones are left as they are. A rate limit
// of somebody else that has the name of a missing one gives it up, which the
// log tells: it gets the name with -2 behind it, and keeps what it counts and
// who refers to it.
func EnsureSystemLimits(db *store.DB, log zerolog.Logger) error {
	_, err := db.Write(func(e *store.Edit) error {
		for _, rec := range systemLimits() {
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
	return rec.Metadata.OfSystem() && slices.ContainsFunc(systemLimits(), func(shipped *store.RateLimit) bool { return shipped.Metadata.Name == rec.Metadata.Name })
}

// systemLimits are the limits as shipped: all sliding windows.
func systemLimits() []*store.RateLimit {
	return []*store.RateLimit{
		systemLimit(store.SystemControlAPI, "The control API, per client address.", false,
			requests(10, 1), requests(300, 60)),
		systemLimit(store.SystemInferenceAPI, "The inference API, per relay key.", false),
		systemLimit(store.SystemProxy, "Proxy mode, per relay key.", false),
		systemLimit(store.SystemProxyAnonymous, "Proxy mode without a relay key, per client address.", true,
			requests(60, 60), sliding(limiter.MeterTokens, 5000, 60), sliding(limiter.MeterConcurrency, 10, 60)),
	}
}

func systemLimit(name, description string, enabled bool, rules ...limiter.Rule) *store.RateLimit {
	return &store.RateLimit{
		Metadata: store.Metadata{Name: name, Description: description, Owner: &store.Ref{Kind: store.KindSystem}},
		Spec:     store.RateLimitSpec{Enabled: &enabled, Rules: rules},
	}
}

func requests(amount, window int64) limiter.Rule {
	return sliding(limiter.MeterRequests, amount, window)
}

func sliding(meter limiter.Meter, amount, window int64) limiter.Rule {
	return limiter.Rule{Meter: meter, Amount: amount, Window: window, Strategy: limiter.SlidingWindow}
}
