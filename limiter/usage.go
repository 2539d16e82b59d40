package limiter

import "math"

// Usage is what a request used, in tokens and nano-dollars. Negative members
// count as 0; sums stop at the largest int64.
type Usage struct {
	Input, CacheRead, CacheCreation, Output int64
	Reasoning                               int64
	ServerToolUseInput, ServerToolUseOutput int64
	CostNanos                               int64

	// Unknown says that not all of it is known. Where more was booked than is
	// known to be used, the booking stays.
	Unknown bool
}

// Of returns the part of the usage that the meter counts; 0 for requests and
// concurrency, which are not counted from an answer.
func (u *Usage) Of(m Meter) int64 {
	used := u.amounts()
	return used.by[codeOf(m)]
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

// amounts is what a request used by meter code, none below 0.
type amounts struct {
	by      [meterCodes]int64
	unknown bool // see Usage
}

func (u *Usage) amounts() amounts {
	input, output := max(0, u.Input), max(0, u.Output)
	read, creation := max(0, u.CacheRead), max(0, u.CacheCreation)
	return amounts{unknown: u.Unknown, by: [meterCodes]int64{
		codeTokens:              addCapped(addCapped(input, read), addCapped(creation, output)),
		codeInput:               input,
		codeOutput:              output,
		codeCacheRead:           read,
		codeCacheCreation:       creation,
		codeReasoning:           max(0, u.Reasoning),
		codeServerToolUseInput:  max(0, u.ServerToolUseInput),
		codeServerToolUseOutput: max(0, u.ServerToolUseOutput),
		codeCost:                max(0, u.CostNanos),
	}}
}

// addCapped adds b, which is not negative, to a and stops at the largest int64.
func addCapped(a, b int64) int64 { return min(a, math.MaxInt64-b) + b }
