package wire

import (
	"math/bits"
	"strings"
)

// Tap is what has been read from one answer so far. The zero Tap is ready.
type Tap struct {
	Choices int // how many choices were asked for, see Members.Choices; 0 is 1. Set before the first event.

	Usage     Usage
	Reason    string  // why the answer ended, in the upstream's word; empty while unknown
	Done      bool    // the terminal event has come, by itself or glued to another
	NoChoices bool    // a whole answer without any choice
	Failure   Failure // the error object that came instead of, or within, the answer

	finished uint64   // choices that have ended, by index
	outline  *outline // of the long event whose pieces are being read, see Gather
}

const maxReason = 64 // bytes of a reason that are kept

// Finish notes that a choice has ended, and why.
func (t *Tap) Finish(index int64, reason string) {
	t.finished |= 1 << (uint64(index) % 64)
	t.Reason = internReason(reason)
}

// Finished reports whether every choice that was asked for has ended.
func (t *Tap) Finished() bool { return bits.OnesCount64(t.finished) >= max(t.Choices, 1) }

// Fails reads the failure that a document tells, if it tells one, and reports
// whether it does.
func (t *Tap) Fails(document []byte) bool {
	f, ok := FailureIn(document)
	if ok {
		t.Failure = f
	}
	return ok
}

// internReason keeps a reason that is cut from a buffer, without allocating
// for those that upstreams usually give. What of others is no rune, or cut, becomes U+FFFD.
func internReason(reason string) string {
	for _, known := range [...]string{
		"stop", "length", "tool_calls", "content_filter", "function_call",
		"end_turn", "tool_use", "max_tokens", "stop_sequence", "pause_turn", "refusal", "model_context_window_exceeded",
		"completed", "incomplete", "max_output_tokens",
		"STOP", "MAX_TOKENS", "SAFETY", "RECITATION", "LANGUAGE", "PROHIBITED_CONTENT", "MALFORMED_FUNCTION_CALL", "OTHER",
	} {
		if reason == known {
			return known
		}
	}
	return strings.ToValidUTF8(strings.Clone(reason[:min(len(reason), maxReason)]), "\uFFFD")
}
