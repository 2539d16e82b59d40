package plan

import "relay/store"

// NewPricing compiles a price list as Compile does.
func NewPricing(rec *store.Pricing) (*Pricing, error) { return newPricing(rec) }
