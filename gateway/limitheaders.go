package gateway

import (
	"net/http"
	"strconv"
	"strings"
	"time"

	"relay/gateway/plan"
	"relay/gateway/wire"
	"relay/limiter"
	"relay/store"
)

// LimitHeaders says which headers about Relay's own limits callers get.
type LimitHeaders uint8

// The modes of limits.headers.
const (
	LimitHeadersOff        LimitHeaders = iota // none
	LimitHeadersRejections                     // on a 429, of the rule that it names
	LimitHeadersAll                            // also on answers, of the tightest rules
)

// ShowLimits says which headers callers get from now on. New takes the first
// mode from the options.
func (s *Server) ShowLimits(mode LimitHeaders) { s.limitHeaders.Store(uint32(mode)) }

func (s *Server) shownLimits() LimitHeaders { return LimitHeaders(s.limitHeaders.Load()) }

// refusalHeaders tell of the rule that a 429 names. Reset is Retry-After, which
// may come from another refusing rule with a longer wait.
func (x *exchange) refusalHeaders(h http.Header, e *wire.Error) {
	l := x.refusal.Limit
	if l == nil || x.s.shownLimits() == LimitHeadersOff {
		return
	}
	name := l.Counter.Name()
	if name.Meter == limiter.MeterCost {
		return
	}
	h["X-Ratelimit-Limit"] = []string{strconv.FormatInt(l.Amount, 10)}
	h["X-Ratelimit-Remaining"] = []string{strconv.FormatInt(max(l.Amount-x.refusal.Used, 0), 10)}
	h["X-Ratelimit-Reset"] = []string{strconv.FormatInt(wire.RetrySeconds(e.RetryAfter), 10)}
	h["X-Ratelimit-Scope"] = []string{ruleScope(name)}
}

// ruleScope names a rule in short: rpm, tpd, concurrency, or meter/window.
func ruleScope(name limiter.Name) string {
	if name.Meter == limiter.MeterConcurrency {
		return "concurrency"
	}
	short := map[limiter.Meter]string{limiter.MeterRequests: "r", limiter.MeterTokens: "t"}[name.Meter]
	span := map[int64]string{1: "ps", 60: "pm", 3600: "ph", 86400: "pd"}[name.Window]
	if short == "" || span == "" || short == "t" && (span == "ps" || span == "ph") {
		return string(name.Meter) + "/" + store.FormatDuration(time.Duration(name.Window)*time.Second)
	}
	return short + span
}

// tightest are the rules with the least left, one a kind.
type tightest struct{ requests, tokens, concurrent room }

// room is what is left of one rule.
type room struct {
	limit *limiter.Limit
	left  int64
	reset time.Duration
}

// answerLimitHeaders tell, in place of the upstream's, what is left of the
// tightest rules that apply.
func (x *exchange) answerLimitHeaders(h http.Header) {
	if x.s.shownLimits() != LimitHeadersAll {
		return
	}
	for name := range h {
		if strings.HasPrefix(name, "X-Ratelimit-") || strings.HasPrefix(name, "Anthropic-Ratelimit-") {
			delete(h, name)
		}
	}
	if !x.metered() {
		return // no rule applies
	}
	var t tightest
	t.lookHeld(x, &x.caller.Held, &x.facts)
	if x.proxied {
		t.lookHeld(x, &x.caller.ProxyLimits, &x.facts)
		t.look(x, x.strangerLimits())
	}
	t.lookModel(x, &x.facts)
	if x.model != x.asked {
		f := x.facts
		f.Model = x.model
		t.lookHeld(x, &x.caller.Held, &f)
		t.lookModel(x, &f)
	}
	t.requests.tell(h, "Requests")
	t.tokens.tell(h, "Tokens")
	if c := t.concurrent; c.limit != nil {
		h["X-Ratelimit-Limit-Concurrent"] = []string{strconv.FormatInt(c.limit.Amount, 10)}
		h["X-Ratelimit-Remaining-Concurrent"] = []string{strconv.FormatInt(c.left, 10)}
	}
}

func (t *tightest) lookHeld(x *exchange, held *plan.Held, f *plan.Facts) {
	t.look(x, held.Limits)
	for _, s := range held.Selective {
		t.look(x, s.Limits(f))
	}
}

func (t *tightest) lookModel(x *exchange, f *plan.Facts) {
	for _, perModel := range x.caller.ModelLimits {
		limit := perModel.Of(f.Model)
		t.lookHeld(x, &limit.Held, f)
	}
	t.look(x, f.Model.Limits)
}

func (t *tightest) look(x *exchange, limits []*limiter.Limit) {
	for _, l := range limits {
		reading := x.s.opt.Readings.Read(x.s.clock.Now(), l.Counter)
		r := room{l, max(l.Amount-reading.Used, 0), reading.Reset}
		switch meter := reading.Name.Meter; {
		case meter == limiter.MeterRequests:
			t.requests.keep(r)
		case meter == limiter.MeterConcurrency:
			t.concurrent.keep(r)
		case meter.CountsTokens():
			t.tokens.keep(r)
		}
	}
}

func (r *room) keep(other room) {
	if r.limit == nil || other.left < r.left {
		*r = other
	}
}

func (r *room) tell(h http.Header, kind string) {
	if r.limit == nil {
		return
	}
	h["X-Ratelimit-Limit-"+kind] = []string{strconv.FormatInt(r.limit.Amount, 10)}
	h["X-Ratelimit-Remaining-"+kind] = []string{strconv.FormatInt(r.left, 10)}
	h["X-Ratelimit-Reset-"+kind] = []string{strconv.FormatInt(int64((r.reset+time.Second-1)/time.Second), 10) + "s"}
}
