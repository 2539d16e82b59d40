package limiter

import "math"

// Usage is what a request used, in tokens and nano-dollars. Negative members
// count as 0; sums stop at the largest int64.
type Usage struct {
	Input, CacheRead, CacheCreation, Output int64
	Reasoning                               int64
	ServerToolUseInput, ServerToolUseOutput int64
	CostNanos                               int64
}

// Of returns the part of the usage that the meter counts; 0 for requests and
// concurrency, which are not counted from an answer.
func (u *Usage) Of(m Meter) int64 {
	counts := u.counts()
	return counts[codeOf(m)]
}

// meterCode is a Meter as a small number, so that a commit finds a counter's
// part of the usage by index.
type meterCode uint8

const (
	codeRequests meterCode = iota
	codeConcurrency
	codeTokens
	codeInput
	codeOutput
	codeCacheRead
	codeCacheCreation
	codeReasoning
	codeServerToolUseInput
	codeServerToolUseOutput
	codeCost
	meterCodes
)

func (c meterCode) countsTokens() bool { return c >= codeTokens && c <= codeServerToolUseOutput }

// codeOf returns codeRequests for a meter it does not know.
func codeOf(m Meter) meterCode {
	switch m {
	case MeterConcurrency:
		return codeConcurrency
	case MeterTokens:
		return codeTokens
	case MeterInput:
		return codeInput
	case MeterOutput:
		return codeOutput
	case MeterCacheRead:
		return codeCacheRead
	case MeterCacheCreation:
		return codeCacheCreation
	case MeterReasoning:
		return codeReasoning
	case MeterServerToolUseInput:
		return codeServerToolUseInput
	case MeterServerToolUseOutput:
		return codeServerToolUseOutput
	case MeterCost:
		return codeCost
	}
	return codeRequests
}

// counts returns the usage by meter code.
func (u *Usage) counts() [meterCodes]int64 {
	input, output := max(0, u.Input), max(0, u.Output)
	read, creation := max(0, u.CacheRead), max(0, u.CacheCreation)
	return [meterCodes]int64{
		codeTokens:              addCapped(addCapped(input, read), addCapped(creation, output)),
		codeInput:               input,
		codeOutput:              output,
		codeCacheRead:           read,
		codeCacheCreation:       creation,
		codeReasoning:           max(0, u.Reasoning),
		codeServerToolUseInput:  max(0, u.ServerToolUseInput),
		codeServerToolUseOutput: max(0, u.ServerToolUseOutput),
		codeCost:                max(0, u.CostNanos),
	}
}

// addCapped adds b, which is not negative, to a and stops at the largest int64.
func addCapped(a, b int64) int64 { return min(a, math.MaxInt64-b) + b }
