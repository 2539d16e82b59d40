package gateway

import (
	"strings"

	"relay/gateway/plan"
	"relay/gateway/wire"
	"relay/limiter"
	"relay/store"
)

// booking is how much limits that are charged before the call book for the
// request, in tokens.
type booking struct {
	estimate      int64 // of the input; 0: nobody has asked
	sized         bool  // the rest is worked out
	input, output int64
	bounded       bool // there is a bound for output
}

// book tells a ticket what its limits book. It refuses a request that does not
// say how much it may use, and one that a limit can never take.
func (x *exchange) book(t *limiter.Ticket) *plan.Refused {
	input, output := t.Books()
	if !input && !output {
		return nil
	}
	x.size()
	_, param := x.bound()
	if output && !x.booking.bounded {
		return &plan.Refused{Code: wire.CodeOutputLimitRequired, By: "limit", Message: "A limit of this key counts tokens before the call, so the request must say how many it may generate: set " + param + "."}
	}
	t.Estimate(x.booking.input, x.booking.output)
	if l, tokens := t.Oversized(); l != nil {
		return &plan.Refused{Code: wire.CodeRequestTooLargeLimit, By: "limit", Message: plan.OversizedText(l, tokens, param)}
	}
	return nil
}

// size works out what the request may use, once.
func (x *exchange) size() {
	b := &x.booking
	if b.sized {
		return
	}
	b.sized, b.bounded = true, true
	if x.sendsForm() {
		b.input = x.formTokens()
		return
	}
	b.input = x.inputTokens()
	if _, speaks := x.call.naming.(bySpeech); speaks {
		b.output = wire.SpeechTokens(wire.SpokenChars(spokenText(x.body)))
		return
	}
	if !x.generates() {
		return
	}
	if b.output, b.bounded = x.askedOutput(); !b.bounded && x.gen.plan.DefaultOutput > 0 {
		b.output, b.bounded = x.gen.plan.DefaultOutput*int64(x.choices()), true
	}
}

// askedOutput is how many tokens the body, and the header with options of a local
// runner, ask for at most.
func (x *exchange) askedOutput() (tokens int64, bounded bool) {
	heeded, _ := x.bound()
	tokens, bounded = wire.AskedOutput(x.body, heeded)
	given := x.r.Header.Get(runnerOptions)
	if !strings.Contains(given, "num_predict") {
		return tokens, bounded
	}
	more, capped := wire.AskedOutput([]byte(`{"options":`+given+`}`), wire.CapNumPredict)
	return max(tokens, more), capped && bounded
}

// bound is where the caller's shape bounds what is generated, for the scan and for
// people.
func (x *exchange) bound() (at wire.Caps, param string) {
	switch x.call.name {
	case store.EndpointChat:
		return wire.CapMaxTokens | wire.CapMaxCompletionTokens, "max_completion_tokens"
	case store.EndpointResponses:
		return wire.CapMaxOutputTokens, "max_output_tokens"
	case store.EndpointGemini:
		return wire.CapGenerationConfig, "generationConfig.maxOutputTokens"
	case store.EndpointOllama:
		return wire.CapNumPredict, "options.num_predict"
	case store.EndpointGenerate:
		return wire.CapSampling, "sampling.max_tokens"
	}
	return wire.CapMaxTokens, "max_tokens"
}

// generates reports whether the answer is as long as the model makes it.
func (x *exchange) generates() bool {
	return x.call.hub != nil || x.call.name == store.EndpointCompletions
}

// tokensPerPicture is what an image takes that is sent to be edited.
const tokensPerPicture = 1500

// formTokens is what the files of a form may use: sound by its length, or where it
// does not tell it, by its size and by how long it may be; pictures by their
// number.
func (x *exchange) formTokens() int64 {
	var form wire.Form
	if wire.ScanForm(x.r.Header.Get("Content-Type"), x.body, &form) != nil {
		return 0 // it has been read before
	}
	// The bytes besides the files are a prompt, and what frames it.
	text := int64(len(x.body)-form.FileBytes) / 2
	if x.call.name == store.EndpointImages {
		return text + tokensPerPicture*int64(max(form.Files, 1))
	}
	seconds, known := wire.WAVSeconds(form.File.Of(x.body))
	tokens := wire.AudioTokens(int64(form.FileBytes), seconds, known)
	if most := x.s.opt.Media.MaxAudioSeconds; most > 0 && !known {
		tokens = min(tokens, wire.AudioTokens(0, float64(most), true))
	}
	return text + tokens
}

// inputTokens estimates the tokens of a JSON body, once.
func (x *exchange) inputTokens() int64 {
	if x.booking.estimate == 0 {
		x.booking.estimate = wire.EstimateTokens(x.body)
	}
	return x.booking.estimate
}

// mayHaveUsed notes that an attempt without an answer may have used what nobody
// reports: then what was booked for it stays.
func (x *exchange) mayHaveUsed(o *outcome) {
	if !o.notSent && o.status == 0 && (o.class == classNetwork || o.class == classNone) {
		x.unknown, x.unknownTurn = true, true
		x.upstream.Keep()
	}
}

// usageUnknown reports whether what the request used is not known whole.
func (x *exchange) usageUnknown() bool {
	if x.answer == nil {
		return x.unknown
	}
	return !x.tap.Usage.Present || x.errorKind != "" || x.callerGone || x.unknown
}
