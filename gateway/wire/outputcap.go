package wire

import (
	"math"
	"strconv"
)

// AskedOutput returns how many tokens a request of any shape asks for at most: the
// largest cap that is written where a shape may write one, times the number of answers
// that are asked for. capped is false, and tokens 0, where there is no cap: then the
// provider decides.
//
// Caps are max_completion_tokens, max_tokens, max_output_tokens and maxOutputTokens of
// the body, maxOutputTokens of Gemini's generationConfig, num_predict of a local
// runner's options, max_tokens of the sampling of Relay's own shape, and any of them
// in the extensions of that, or in an extra_body. Numbers of answers are n, best_of and candidateCount. Only
// positive numbers count, fractions are rounded up, and of members of one name the
// largest counts. Names that readers without regard to case would take for a cap can
// raise one, and are none by themselves. tokens is at most 1<<53.
//
// The body must have passed Scan. Nothing is allocated.
func AskedOutput(body []byte) (tokens int64, capped bool) {
	a := asked{w: walkRequest(body), answers: 1}
	a.body()
	if !a.w.End() || !a.capped {
		return 0, false
	}
	return times(a.cap, a.answers), true
}

// asked is what a request asks for.
type asked struct {
	w            Walker
	name         folded
	cap, answers int64
	capped       bool // by a name that every reader takes for one
}

// body reads the members of a body, or of an extension of one.
func (a *asked) body() {
	for more := a.w.Object(); more; more = a.w.Member() {
		a.name.only(&a.w)
		switch string(a.name.bytes()) {
		case "maxcompletiontokens", "maxtokens", "maxoutputtokens":
			a.limit()
		case "n", "bestof", "candidatecount":
			a.answers = max(a.answers, a.count())
		case "generationconfig":
			a.settings("maxoutputtokens")
		case "options":
			a.settings("numpredict")
		case "sampling":
			a.settings("maxtokens")
		case "extensions":
			a.extensions()
		case "extrabody":
			a.body()
		}
	}
}

// settings reads an object within which a cap has the folded name.
func (a *asked) settings(limit string) {
	for more := a.w.Object(); more; more = a.w.Member() {
		switch a.name.only(&a.w); string(a.name.bytes()) {
		case limit:
			a.limit()
		case "candidatecount":
			a.answers = max(a.answers, a.count())
		}
	}
}

// extensions reads objects of members for one shape each.
func (a *asked) extensions() {
	for more := a.w.Object(); more; more = a.w.Member() {
		a.body()
	}
}

// limit reads a cap.
func (a *asked) limit() {
	isExact := isCap(a.w.Name())
	n := a.count()
	a.cap = max(a.cap, n)
	a.capped = a.capped || isExact && n > 0
}

// isCap reports whether a name is one of those that providers write themselves.
func isCap(name []byte) bool {
	switch string(name) {
	case "max_completion_tokens", "max_tokens", "max_output_tokens", "maxOutputTokens", "num_predict":
		return true
	}
	return false
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
