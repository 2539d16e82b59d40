package gateway_test

import (
	"fmt"
	"strconv"
	"testing"
	"time"

	"relay/gateway"
	"relay/gateway/gatewaytest"
	"relay/limiter"
	"relay/store"
)

// upstreamHeaders are what a provider tells of its own limits.
func upstreamHeaders() map[string]string {
	return map[string]string{
		"X-Ratelimit-Limit-Requests": "9000", "X-Ratelimit-Remaining-Tokens": "149984", "X-Ratelimit-Reset-Tokens": "6m0s",
		"X-Ratelimit-Of-Its-Own": "x", "Anthropic-Ratelimit-Requests-Remaining": "48",
	}
}

// saysOfItsOwn is the answer with such headers.
func (k kind) saysOfItsOwn(status int, body string, input, output int64) gatewaytest.Script {
	var lines []string
	for name, value := range upstreamHeaders() {
		lines = append(lines, name+": "+value)
	}
	texts := k.answer(input, output)
	switch {
	case status != 200:
		texts = []string{body}
	case k.streamed:
		return gatewaytest.Join(gatewaytest.Head(200, append(lines, "Content-Type: "+k.contentType, "Transfer-Encoding: chunked")...), gatewaytest.Chunk(texts...), gatewaytest.LastChunk())
	}
	lines = append(lines, "Content-Type: application/json", "Content-Length: "+strconv.Itoa(len(texts[0])))
	return gatewaytest.Join(gatewaytest.Head(status, lines...), gatewaytest.Raw(texts[0]))
}

// modes are all that limits.headers may say.
func modes() []gateway.LimitHeaders {
	return []gateway.LimitHeaders{gateway.LimitHeadersOff, gateway.LimitHeadersRejections, gateway.LimitHeadersAll}
}

// without are headers that an answer has not, beside those that it has.
func without(has map[string]string, names ...string) map[string]string {
	all := map[string]string{}
	for _, name := range names {
		all[name] = ""
	}
	for name, value := range has {
		all[name] = value
	}
	return all
}

// answerHeaders are Relay's own of answers, and rejectionHeaders of refusals.
func answerHeaders() []string {
	return []string{
		"X-Ratelimit-Limit-Requests", "X-Ratelimit-Remaining-Requests", "X-Ratelimit-Reset-Requests", "X-Ratelimit-Limit-Tokens",
		"X-Ratelimit-Remaining-Tokens", "X-Ratelimit-Reset-Tokens", "X-Ratelimit-Limit-Concurrent", "X-Ratelimit-Remaining-Concurrent",
		"X-Ratelimit-Of-Its-Own", "Anthropic-Ratelimit-Requests-Remaining",
	}
}

func rejectionHeaders() []string {
	return []string{"X-Ratelimit-Limit", "X-Ratelimit-Remaining", "X-Ratelimit-Reset", "X-Ratelimit-Scope"}
}

// roomLeft are the headers of an answer: amounts, what is left, and when all is
// again.
func roomLeft(requests, left int64, reset string, tokens, leftTokens int64, resetTokens string, flight, leftFlight int64) map[string]string {
	n := func(n int64) string { return strconv.FormatInt(n, 10) }
	return map[string]string{
		"X-Ratelimit-Limit-Requests": n(requests), "X-Ratelimit-Remaining-Requests": n(left), "X-Ratelimit-Reset-Requests": reset,
		"X-Ratelimit-Limit-Tokens": n(tokens), "X-Ratelimit-Remaining-Tokens": n(leftTokens), "X-Ratelimit-Reset-Tokens": resetTokens,
		"X-Ratelimit-Limit-Concurrent": n(flight), "X-Ratelimit-Remaining-Concurrent": n(leftFlight),
	}
}

// The head of a stream goes out before it is known what the stream takes, and
// while it is in flight.
func TestLimitHeaders_OfAnswersAreTheTightestRulesOrTheUpstreams(t *testing.T) {
	r, up := newStand(t)
	key := r.key("laptop", store.RelayKeySpec{Limits: &store.Limits{RPM: int64p(9), TPM: int64p(1000), Concurrency: int64p(5)}})
	edit(r, "acme", func(o *store.Organization) { o.Spec.Limits = &store.Limits{RPH: int64p(8), TPD: int64p(1e6)} })
	edit(r, "bots", func(p *store.Project) { p.Spec.Limits = &store.Limits{TPM: int64p(900), RPD: int64p(100)} })
	for _, k := range shapes() {
		edit(r, k.model, func(m *store.Model) { m.Spec.Limits = &store.Limits{Concurrency: int64p(3)} })
	}
	r.eachKind(t, kinds(), func(t *testing.T, k kind) {
		for _, mode := range modes()[:2] {
			r.server.ShowLimits(mode)
			up.Play(k.saysOfItsOwn(200, "", 7, 3))
			a := r.ask(k, key)
			r.want(a, 200, "")
			r.tells(k, a, without(upstreamHeaders(), append(answerHeaders(), rejectionHeaders()...)...))
		}
		r.server.ShowLimits(gateway.LimitHeadersAll)
		for calls := range int64(3) {
			up.Play(k.saysOfItsOwn(200, "", 7, 3))
			a := r.ask(k, key)
			r.want(a, 200, "")
			tokens, inFlight := 900-10*(calls+3), int64(0)
			if k.streamed {
				tokens, inFlight = tokens+10, 1
			}
			own := roomLeft(8, 8-(calls+3), "3660s", 900, tokens, "61s", 3, 3-inFlight)
			r.tells(k, a, without(own, append(answerHeaders(), rejectionHeaders()...)...))
		}
	})
}

// Rules that do not count the call are not told of, whatever they have left.
func TestLimitHeaders_OfAnswersAreThoseOfTheRulesThatCountTheCall(t *testing.T) {
	r, up := newStand(t)
	r.server.ShowLimits(gateway.LimitHeadersAll)
	r.perUser([]string{"user"}, sliding(limiter.MeterRequests, 4, time.Minute), sliding(limiter.MeterTokens, 100, time.Hour), sliding(limiter.MeterConcurrency, 2, time.Minute))
	r.standalone("others", 1, leaf("team", "eq", "nobody"))
	r.standalone("pinned", 3, leaf("model_name", "regex", "@"))
	put(r, "noon", store.RateLimitSpec{Standalone: true, Suspend: []store.Suspend{{Start: "11:00", End: "13:00"}}, Rules: oneRequest()})
	key, free := r.key("front", trusting()), r.key("free", store.RelayKeySpec{})
	edit(r, "front", func(k *store.RelayKey) { k.Spec.Limits = &store.Limits{RPM: int64p(99)} })
	for _, k := range shapes() {
		r.aside(k, reliefOf(k), &store.Limits{RPM: int64p(2), TPM: int64p(50)})
		r.aside(k, frontOf(k), nil, reliefOf(k))
	}
	r.eachKind(t, kinds(), func(t *testing.T, k kind) {
		tell := func(asked kind, key string, want map[string]string, headers ...string) {
			t.Helper()
			a := r.ask(asked, key, headers...)
			r.want(a, 200, "")
			r.tells(k, a, without(want, append(answerHeaders(), rejectionHeaders()...)...))
		}
		now := func(whole, streamed int64) int64 {
			if k.streamed {
				return streamed
			}
			return whole
		}
		reset := map[bool]string{false: "61s", true: "0s"}[k.streamed]
		hour := map[bool]string{false: "3660s", true: "0s"}[k.streamed]
		for _, user := range []string{"maria", "jose"} {
			up.Play(k.says(7, 3))
			tell(k, key, roomLeft(4, 3, "61s", 100, now(90, 100), hour, 2, now(2, 1)), userHeader+": "+user)
		}
		up.Play(k.says(7, 3))
		tell(k.of(k.model+"@"+k.host()), key, map[string]string{"X-Ratelimit-Limit-Requests": "3", "X-Ratelimit-Remaining-Requests": "2", "X-Ratelimit-Reset-Requests": "61s"})
		up.Play(k.says(7, 3))
		tell(k, key, map[string]string{"X-Ratelimit-Limit-Requests": "99", "X-Ratelimit-Remaining-Requests": "95", "X-Ratelimit-Reset-Requests": "61s"})
		up.Play(fails(), k.says(7, 3))
		tell(k.of(frontOf(k)), key, map[string]string{
			"X-Ratelimit-Limit-Requests": "2", "X-Ratelimit-Remaining-Requests": "1", "X-Ratelimit-Reset-Requests": "61s",
			"X-Ratelimit-Limit-Tokens": "50", "X-Ratelimit-Remaining-Tokens": fmt.Sprint(now(40, 50)), "X-Ratelimit-Reset-Tokens": reset,
		})
		up.Play(k.saysOfItsOwn(200, "", 7, 3))
		tell(k, free, nil)
	})
}

// A key that a provider refuses rests for the model, so each call has its own.
func TestLimitHeaders_OfAnUpstreamsOwnRefusalGoOnInEveryMode(t *testing.T) {
	const body = `{"error":{"message":"slow down","type":"rate_limit_error"}}`
	r, up := newStand(t)
	key := r.key("laptop", store.RelayKeySpec{Limits: &store.Limits{RPM: int64p(100)}})
	for i, mode := range modes() {
		r.server.ShowLimits(mode)
		for j, k := range kinds() {
			name := fmt.Sprintf("of-%d-%d", i, j)
			r.aside(k, name, nil)
			up.Play(k.saysOfItsOwn(429, body, 0, 0))
			a := r.ask(k.of(name), key)
			r.want(a, 429, body)
			r.tells(k, a, without(upstreamHeaders(), rejectionHeaders()...))
			r.tells(k, a, map[string]string{"X-Relay-Refused-By": "upstream:" + k.host()})
		}
	}
}

func TestLimitHeaders_OfAnswersTellOfTheLimitsOfProxyMode(t *testing.T) {
	r, up := newStand(t)
	r.server.ShowLimits(gateway.LimitHeadersAll)
	r.systemLimit(store.SystemProxy, sliding(limiter.MeterRequests, 5, time.Minute))
	r.systemLimit(store.SystemProxyAnonymous, sliding(limiter.MeterRequests, 4, time.Minute))
	r.proxying(true)
	key := r.key("laptop", store.RelayKeySpec{Limits: &store.Limits{RPM: int64p(9)}})
	r.eachKind(t, kinds(), func(t *testing.T, k kind) {
		for caller, limit := range map[string]int64{key: 5, "": 4} {
			up.Play(k.saysOfItsOwn(200, "", 7, 3))
			a := r.ask(k, "", proxied(caller)...)
			r.want(a, 200, "")
			want := map[string]string{"X-Ratelimit-Limit-Requests": fmt.Sprint(limit), "X-Ratelimit-Remaining-Requests": fmt.Sprint(limit - 1), "X-Ratelimit-Reset-Requests": "61s"}
			r.tells(k, a, without(want, append(answerHeaders(), rejectionHeaders()...)...))
		}
	})
}
