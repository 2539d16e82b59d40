package store

import "relay/limiter"

// ModelSpec is a model that callers may ask for. An alias may end in one "*".
type ModelSpec struct {
	Enabled         *bool        `json:"enabled,omitempty"`
	ProviderID      string       `json:"providerId,omitempty" ref:"provider"`
	Aliases         []string     `json:"aliases,omitempty"`
	Fallbacks       []Fallback   `json:"fallbacks,omitempty"`
	Capabilities    Capabilities `json:"capabilities,omitempty"`
	ContextWindow   int64        `json:"contextWindow,omitempty"`
	MaxOutputTokens int64        `json:"maxOutputTokens,omitempty"`
	ReleaseDate     string       `json:"releaseDate,omitempty"`
	Deprecation     *Deprecation `json:"deprecation,omitempty"`
	Tags            []string     `json:"tags,omitempty"`
	Limits          *Limits      `json:"limits,omitempty"`
}

// Fallback is a model to go on with when every candidate has failed. With
// weights on a model that has no bindings, the first pick is weighted.
type Fallback struct {
	ModelID string `json:"modelId" ref:"model"`
	Weight  *int   `json:"weight,omitempty"`
}

// Capabilities says what a model can do, or what a policy allows: chat,
// embeddings, streaming, tools, parallelTools, vision, transcription, speech,
// reasoning, jsonMode, structuredOutputs, promptCache.
type Capabilities map[string]bool

// Deprecation tells how long a model stays.
type Deprecation struct {
	Status      string `json:"status" enum:"active,deprecated,sunset"`
	SunsetDate  string `json:"sunsetDate,omitempty"`
	Replacement string `json:"replacement,omitempty"`
}

// Limits is the shorthand for rate limits: requests per second, minute, hour
// and day, tokens per minute and day, requests in flight. Absent members do
// not limit; each present one is above 0.
type Limits struct {
	RPS         *int64 `json:"rps,omitempty"`
	RPM         *int64 `json:"rpm,omitempty"`
	RPH         *int64 `json:"rph,omitempty"`
	RPD         *int64 `json:"rpd,omitempty"`
	TPM         *int64 `json:"tpm,omitempty"`
	TPD         *int64 `json:"tpd,omitempty"`
	Concurrency *int64 `json:"concurrency,omitempty"`
	Charge      string `json:"charge,omitempty" enum:"actual,reserve"`
	AtCap       string `json:"atCap,omitempty" enum:"admit,refuse"`
	OnOutage    string `json:"onOutage,omitempty" enum:"local,refuse,allow"`
}

// PricingSpec prices usage. Rates are unique by meter, aboveTokens and from.
type PricingSpec struct {
	Enabled  *bool  `json:"enabled,omitempty"`
	Currency string `json:"currency" enum:"USD"`
	Rates    []Rate `json:"rates"`
}

// Rate is the price of one meter: a decimal amount of dollars per unit, from
// and until a date (YYYY-MM-DD, until is exclusive), for requests whose input
// is above aboveTokens.
type Rate struct {
	Meter       string `json:"meter"`
	Unit        string `json:"unit" enum:"per_million,per_thousand,per_unit"`
	Amount      string `json:"amount"`
	AboveTokens int64  `json:"aboveTokens,omitempty"`
	From        string `json:"from,omitempty"`
	To          string `json:"to,omitempty"`
}

// Rules writes the shorthand out: sliding windows of 1 s, 60 s, 3,600 s and
// 86,400 s for requests, 60 s and 86,400 s for tokens, and requests in flight.
func (l *Limits) Rules() []limiter.Rule {
	if l == nil {
		return nil
	}
	var rules []limiter.Rule
	add := func(meter limiter.Meter, amount *int64, window int64) {
		if amount != nil {
			rules = append(rules, limiter.Rule{Meter: meter, Amount: *amount, Window: window, Strategy: limiter.SlidingWindow})
		}
	}
	add(limiter.MeterRequests, l.RPS, 1)
	add(limiter.MeterRequests, l.RPM, 60)
	add(limiter.MeterRequests, l.RPH, 3600)
	add(limiter.MeterRequests, l.RPD, 86400)
	add(limiter.MeterTokens, l.TPM, 60)
	add(limiter.MeterTokens, l.TPD, 86400)
	add(limiter.MeterConcurrency, l.Concurrency, 60)
	return rules
}
