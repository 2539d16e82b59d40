package admin

import (
	"fmt"

	"relay/limiter"
	"relay/store"
)

// EnsureSystemLimits makes the system's rate limits that are missing, as they
// are shipped, in one write. Present ones are left as they are.
func EnsureSystemLimits(db *store.DB) error {
	_, err := db.Write(func(e *store.Edit) error {
		for _, rec := range systemLimits() {
			if e.Catalog().RateLimits.ByName(rec.Metadata.Name) != nil {
				continue
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
