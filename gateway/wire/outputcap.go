package wire

import (
	"math"
	"strconv"
)

// Caps are places at which requests write how many tokens they want at most.
type Caps uint8

// The places. Each shape heeds its own.
const (
	CapMaxTokens           Caps = 1 << iota // max_tokens
	CapMaxCompletionTokens                  // max_completion_tokens
	CapMaxOutputTokens                      // max_output_tokens
	CapGenerationConfig                     // maxOutputTokens of Gemini's generationConfig
	CapNumPredict                           // num_predict of a local runner's options
	CapSampling                             // max_tokens of the sampling of Relay's own shape

	capElsewhere // where some reader might look
)

// AskedOutput returns how many tokens a request asks for at most: the largest cap that
// is written where some shape may write one, times the number of answers that are asked
// for. capped is false, and tokens 0, where that does not bound the answer: the provider
// decides. It does when a place that is heeded in the request's own shape holds a cap,
// and only caps: a cap that is written twice, once as null, is none for parsers that
// take the last.
//
// Caps in extensions of Relay's own shape, or in an extra_body, may take the place of
// the others: they raise a cap, and lift it where they are no positive number, as does
// a num_predict below 0. Names that readers without regard to case would take for a cap
// can raise one, and are none by themselves. Numbers of answers are n, best_of and
// candidateCount. Only positive numbers count, and fractions are rounded up. tokens is
// at most 1<<53.
//
// The body must have passed Scan. Nothing is allocated.
func AskedOutput(body []byte, heeded Caps) (tokens int64, capped bool) {
	a := asked{w: walkRequest(body), answers: 1}
	a.body()
	if !a.w.End() {
		return 0, false
	}
	if a.lifted || a.set&^a.unset&heeded == 0 {
		return 0, false
	}
	return times(a.cap, a.answers), true
}

// asked is what a request asks for.
type asked struct {
	w            Walker
	name         folded
	cap, answers int64
	set, unset   Caps // places with a cap, and with what is none
	within       bool // of what may take the place of other members
	lifted       bool
}

// body reads the members of a body, or of an extension of one.
func (a *asked) body() {
	for more := a.w.Object(); more; more = a.w.Member() {
		a.name.only(&a.w)
		switch string(a.name.bytes()) {
		case "maxcompletiontokens":
			a.limit(CapMaxCompletionTokens, "max_completion_tokens")
		case "maxtokens":
			a.limit(CapMaxTokens, "max_tokens")
		case "maxoutputtokens":
			a.limit(CapMaxOutputTokens, "max_output_tokens")
		case "n", "bestof", "candidatecount":
			a.answers = max(a.answers, a.count())
		case "generationconfig":
			a.settings("maxoutputtokens", CapGenerationConfig, "maxOutputTokens")
		case "options":
			a.settings("numpredict", CapNumPredict, "num_predict")
		case "sampling":
			a.settings("maxtokens", CapSampling, "max_tokens")
		case "extensions":
			a.extensions()
		case "extrabody":
			a.inside(a.body)
		}
	}
}

// settings reads an object within which a cap has the folded name.
func (a *asked) settings(limit string, place Caps, exact string) {
	for more := a.w.Object(); more; more = a.w.Member() {
		switch a.name.only(&a.w); string(a.name.bytes()) {
		case limit:
			a.limit(place, exact)
		case "candidatecount":
			a.answers = max(a.answers, a.count())
		}
	}
}

// extensions reads objects of members for one shape each.
func (a *asked) extensions() {
	for more := a.w.Object(); more; more = a.w.Member() {
		a.inside(a.body)
	}
}

// inside reads what may take the place of other members.
func (a *asked) inside(read func()) {
	before := a.within
	a.within = true
	read()
	a.within = before
}

// limit reads a cap. Google's JSON takes the spelling of its protocol buffers, too.
func (a *asked) limit(place Caps, exact string) {
	written := string(a.w.Name())
	if a.within || written != exact && (place != CapGenerationConfig || written != "max_output_tokens") {
		place = capElsewhere
	}
	negative := a.w.First() == '-'
	n := a.count()
	a.cap = max(a.cap, n)
	switch {
	case n > 0:
		a.set |= place
	default:
		a.unset |= place
		a.lifted = a.lifted || a.within || negative && exact == "num_predict"
	}
}

// count reads a number, rounded up; 0 for what is none, or not positive.
func (a *asked) count() int64 {
	first := a.w.First()
	number := a.w.Raw()
	if !isDigit(first) {
		return 0
	}
	if n, ok := small(number); ok {
		return n
	}
	n, _ := strconv.ParseFloat(string(number), 64) // beyond a float64 it is infinite
	return int64(min(math.Ceil(n), mostTokens))
}

// times multiplies two numbers of tokens, up to the most that is counted.
func times(a, b int64) int64 {
	if a > mostTokens/b {
		return mostTokens
	}
	return a * b
}
