package limiter

import (
	"fmt"
	"time"
)

// Meter names what a rule counts.
type Meter string

// The meters. input, cache read, cache creation and output are disjoint;
// reasoning is part of output.
const (
	MeterRequests            Meter = "requests"
	MeterConcurrency         Meter = "concurrency"
	MeterTokens              Meter = "tokens"
	MeterInput               Meter = "tokens.input"
	MeterOutput              Meter = "tokens.output"
	MeterCacheRead           Meter = "tokens.cache_read"
	MeterCacheCreation       Meter = "tokens.cache_creation"
	MeterReasoning           Meter = "tokens.reasoning"
	MeterServerToolUseInput  Meter = "tokens.server_tool_use_input"
	MeterServerToolUseOutput Meter = "tokens.server_tool_use_output"

	// MeterCost counts nano-dollars. Budgets use it; rules cannot.
	MeterCost Meter = "cost"
)

// Strategy is how a rule is written; Algorithm is what runs for it.
type Strategy string

// The strategies a rule may name.
const (
	SlidingWindow Strategy = "sliding-window"
	FixedWindow   Strategy = "fixed-window"
	TokenBucket   Strategy = "token-bucket"
	LeakyBucket   Strategy = "leaky-bucket"
	SessionWindow Strategy = "session-window"

	// Aligned starts over at every multiple of the window since the Unix epoch,
	// for tokens too. Shorthands use it under limits.key_windows: fixed; a rule
	// that a person writes cannot name it.
	Aligned Strategy = "aligned"
)

// Algorithm is what runs for a rule: for requests its strategy, else one of
// the names below.
type Algorithm string

// The algorithms that are no strategies.
const (
	AlgorithmGauge   Algorithm = "gauge"   // concurrency
	AlgorithmRing    Algorithm = "ring"    // tokens: a sliding window of 61 slots
	AlgorithmAligned Algorithm = "aligned" // strategy Aligned, requests and tokens
)

// Bounds of a rule. Amounts stay exact in a JavaScript number, and a year is
// the longest window: above it, a total budget is what is meant.
const (
	MaxAmount = 1<<53 - 1
	MaxWindow = 366 * 24 * 3600 // seconds
)

// Rule caps one meter over one window. In JSON the window is whole seconds.
type Rule struct {
	Meter    Meter    `json:"meter"`
	Amount   int64    `json:"amount"`
	Window   int64    `json:"window"`
	Strategy Strategy `json:"strategy"`
}

// WindowDuration returns the window as a duration.
func (r Rule) WindowDuration() time.Duration { return time.Duration(r.Window) * time.Second }

// Algorithm returns what runs for the rule.
func (r Rule) Algorithm() Algorithm {
	switch {
	case r.Meter == MeterConcurrency:
		return AlgorithmGauge
	case r.Strategy == Aligned:
		return AlgorithmAligned
	case r.Meter == MeterRequests:
		return Algorithm(r.Strategy)
	}
	return AlgorithmRing
}

// FieldError says which member of a rule is wrong and what to write instead.
type FieldError struct{ Field, Message string }

func (e FieldError) Error() string { return e.Field + ": " + e.Message }

// Check returns every fault of the rule, at most one a member.
func (r Rule) Check() []FieldError {
	var faults []FieldError
	add := func(field, format string, args ...any) {
		faults = append(faults, FieldError{field, fmt.Sprintf(format, args...)})
	}
	if !r.Meter.valid() {
		add("meter", "must be one of requests, concurrency, tokens, tokens.input, tokens.output, tokens.cache_read, tokens.cache_creation, tokens.reasoning, tokens.server_tool_use_input, tokens.server_tool_use_output")
	}
	switch {
	case r.Amount <= 0:
		add("amount", "must be an integer above 0; to lift a limit remove the rule or switch the rate limit off")
	case r.Amount > MaxAmount:
		add("amount", "must be at most %d", int64(MaxAmount))
	}
	switch {
	case r.Window <= 0:
		add("window", "must be a whole number of seconds above 0")
	case r.Window > MaxWindow:
		add("window", "must be at most 366 days")
	}
	if !r.Strategy.valid() {
		add("strategy", "must be one of sliding-window, fixed-window, token-bucket, leaky-bucket, session-window")
	}
	return faults
}

func (m Meter) valid() bool {
	switch m {
	case MeterRequests, MeterConcurrency, MeterTokens, MeterInput, MeterOutput, MeterCacheRead,
		MeterCacheCreation, MeterReasoning, MeterServerToolUseInput, MeterServerToolUseOutput:
		return true
	}
	return false
}

// CountsTokens reports whether the meter is charged at commit from the answer.
func (m Meter) CountsTokens() bool {
	return m.valid() && m != MeterRequests && m != MeterConcurrency
}

func (s Strategy) valid() bool {
	switch s {
	case SlidingWindow, FixedWindow, TokenBucket, LeakyBucket, SessionWindow:
		return true
	}
	return false
}
