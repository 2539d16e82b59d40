package gateway

import (
	"context"

	"relay/gateway/plan"
	"relay/limiter"
)

// turns are the models that a request comes to, one after the other. The model
// whose turn it is stands in exchange.model, the way to its keys in
// exchange.way.
type turns struct {
	asked    *plan.Model // what the request named
	askedWay *plan.Route
	turned   bool           // the first has had its turn
	own      limiter.Ticket // limits of the present model that the caller's ticket does not hold
	reached  bool           // an upstream may have seen the request for the present model

	unknownTurn bool // what it has used there nobody may know
	untried     plan.Untried
}

// beginTurns readies the exchange for its first model. What the request named
// keeps its reservation in the caller's ticket.
func (x *exchange) beginTurns() {
	x.turns = turns{asked: x.model, askedWay: x.way}
	x.walk.Start(x.way)
	x.picker.reset(x)
	x.attemptsLeft = x.s.opt.MaxAttempts
}

// turn goes on with the next model that may be used and has room, and reports
// whether there is one.
func (x *exchange) turn() bool {
	for x.attemptsLeft > 0 && (!x.turned || !x.noFallback()) {
		r := x.walk.Next(x.draw)
		if r == nil {
			break
		}
		x.leave()
		x.turned = true
		x.model, x.way = r.Model, r
		x.picker.turn()
		if r.Model == x.asked || x.mayTurnTo(r) {
			return true
		}
	}
	return false
}

// noFallback reports whether the caller wants the first model or none.
func (x *exchange) noFallback() bool { return x.r.Header.Get("X-Relay-No-Fallback") == "1" }

// draw says which of an alias model's targets has its turn first: drawn by weight
// where weights are given, among those that can take the request.
func (x *exchange) draw(next []plan.Fallback) int {
	total := int64(0)
	for _, to := range next {
		total += x.share(to)
	}
	if total == 0 || !weighted(next) {
		return 0
	}
	drawn := x.s.opt.Random(total)
	for i, to := range next {
		if drawn -= x.share(to); drawn < 0 {
			return i
		}
	}
	return 0
}

func weighted(next []plan.Fallback) bool {
	for _, to := range next {
		if to.Weight > 0 {
			return true
		}
	}
	return false
}

// share is the target's weight, 1 where the others alone have one.
func (x *exchange) share(to plan.Fallback) int64 {
	if !to.Route.Any(x.takes) {
		return 0
	}
	return max(int64(to.Weight), 1)
}

// mayTurnTo reserves what limits the model, and those limits of the caller that ask
// for the model and count this one otherwise. The others have been charged
// already. A model that may not be used or has no room is passed over. What costs
// nothing reserves nothing.
func (x *exchange) mayTurnTo(r *plan.Route) bool {
	if !r.Has(x.takes) {
		return false
	}
	if !x.metered() {
		return true
	}
	if refused := x.caller.RefuseTurn(r, x.takes, x.start); refused != nil {
		x.untried.Refused(refused)
		return false
	}
	f := x.facts
	f.Model, f.Now = r.Model, x.s.clock.Now()
	x.own.Reset()
	for _, s := range x.caller.Selective {
		x.own.Add(s.Turns(&x.facts, &f))
	}
	x.addModelLimits(&x.own, &f)
	if refused := x.book(&x.own); refused != nil {
		x.untried.Refused(refused)
		return false
	}
	refusal, err := x.s.limiter.Reserve(x.r.Context(), f.Now, &x.own)
	switch {
	case err != nil && x.own.Len() > 0:
		x.untried.Refused(limiterUnavailable("The limits of model " + quoted(r.Model.Name)))
		return false
	case refusal.Refused():
		x.untried.Limited(refusal)
		return false
	}
	x.ticket.Join(&x.own)
	return true
}

// leave gives back what the present model holds, once none of its keys has
// answered.
func (x *exchange) leave() {
	if !x.turned {
		return
	}
	now, ctx := x.s.clock.Now(), context.Background()
	if x.unknownTurn {
		x.own.Keep()
	}
	if x.reached {
		x.s.limiter.Release(ctx, now, &x.own)
	} else {
		x.s.limiter.Cancel(ctx, now, &x.own)
	}
	x.reached, x.unknownTurn = false, false
	x.untried.Full(x.way, x.picker.full, x.picker.soonest)
}

// unanswered ends a request that no model has answered. It is recorded under
// what the caller asked for.
func (x *exchange) unanswered(last *outcome) error {
	x.leave()
	x.model, x.way = x.asked, x.askedWay
	if last != nil && x.call.instead != nil && last.knowsNot() {
		return x.call.instead(x)
	}
	return x.exhausted(last)
}
