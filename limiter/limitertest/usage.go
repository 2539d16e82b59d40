package limitertest

import "relay/limiter"

// counted returns what a meter counts of a usage.
func counted(u limiter.Usage, meter limiter.Meter) int64 {
	switch meter {
	case limiter.MeterTokens:
		sum := add(max(0, u.Input), max(0, u.CacheRead))
		return add(add(sum, max(0, u.CacheCreation)), max(0, u.Output))
	case limiter.MeterInput:
		return u.Input
	case limiter.MeterOutput:
		return u.Output
	case limiter.MeterCacheRead:
		return u.CacheRead
	case limiter.MeterCacheCreation:
		return u.CacheCreation
	case limiter.MeterReasoning:
		return u.Reasoning
	case limiter.MeterServerToolUseInput:
		return u.ServerToolUseInput
	case limiter.MeterServerToolUseOutput:
		return u.ServerToolUseOutput
	case limiter.MeterCost:
		return u.CostNanos
	}
	return 0
}
