package gateway

import (
	"time"

	"relay/gateway/wire"
	"relay/gateway/wire/gemini"
)

// complete answers a call that generates: the numbered list of doc.go.
func (x *exchange) complete() error {
	if err := x.accept(); err != nil {
		return err
	}
	x.takePlace()
	name, err := x.call.naming.read(x)
	if err != nil {
		return err
	}
	x.identify()
	if err := x.route(name); err != nil {
		return err
	}
	if err := x.gate(); err != nil {
		return err
	}
	if x.loads() {
		return nil
	}
	if err := x.admit(); err != nil {
		return err
	}
	return x.forward()
}

// accept takes a request in hand: who calls, and the whole body.
func (x *exchange) accept() error {
	if err := x.authenticate(); err != nil {
		return err
	}
	if err := x.readTags(); err != nil {
		return err
	}
	if err := x.readBody(); err != nil {
		return err
	}
	return x.enter()
}

// forward tries the keys of one model after the other until one answers or none
// is left.
func (x *exchange) forward() error {
	x.beginTurns()
	var last *outcome
	for x.turn() {
		for x.attemptsLeft > 0 {
			c, ok := x.picker.next(x.s.now())
			if !ok {
				break
			}
			if !x.awaitKept(c) {
				return x.unkept()
			}
			o := x.try(c)
			if o == nil {
				return nil
			}
			last = decisive(last, o)
			if !x.mayGoOn(o) {
				return x.unanswered(last)
			}
		}
		if last != nil && last.unfit {
			break
		}
	}
	return x.unanswered(last)
}

// mayGoOn reports whether another key, or another model, may be tried after the
// outcome.
func (x *exchange) mayGoOn(o *outcome) bool {
	switch {
	case o.final || x.began || x.r.Context().Err() != nil:
		return false
	case o.class == classNetwork:
		return x.r.Header.Get("X-Relay-No-Retry") != "1"
	}
	return o.class != classRequest
}

// try makes attempts on one key: one, and more only while nothing was sent.
// It returns nil once the caller has an answer.
func (x *exchange) try(c candidate) *outcome {
	x.trying = c.trial
	if o := x.prepare(c); o != nil {
		x.picker.passHost(c.Key.Host)
		x.giveUp(c, o)
		return o
	}
	before := x.reached
	x.reached = true // unless it turns out otherwise
	for dial := 0; ; dial++ {
		x.attemptsLeft--
		o := x.attempt(c)
		if o == nil {
			return nil
		}
		again := o.notSent && o.class == classUnreachable && dial < len(redialWaits) && x.mayRedial(c) && !x.began
		if again && x.pause(redialWaits[dial]) {
			continue
		}
		x.reached = before || !o.notSent
		x.giveUp(c, o)
		return o
	}
}

// composeRoom is how much longer than the caller's body the outgoing one may be
// without a second allocation.
const composeRoom = 128

// compose writes the body as the key's host gets it: the caller's bytes with
// the model's upstream name, asking for usage where the shape wants to be
// asked.
func (x *exchange) compose(c candidate) []byte {
	edits := x.changes(c)
	room := len(x.body) + composeRoom
	switch {
	case !x.gen.hosts[c.Key.Host.Index].sender.forgets():
		return wire.Splice(make([]byte, 0, room), x.body, edits...) // while that of the key before may still be read
	case len(edits) == 0:
		return x.body
	}
	if cap(x.composed) < room {
		x.composed = make([]byte, 0, room)
	}
	x.composed = wire.Splice(x.composed[:0], x.body, edits...)
	return x.composed
}

// changes are what the body as the caller sent it lacks. In proxy mode it is left
// alone.
func (x *exchange) changes(c candidate) []wire.Edit {
	if x.proxied {
		return nil
	}
	edits := x.call.naming.rename(x, x.edits[:0], c.Binding.UpstreamName)
	if x.streams() {
		if edit, ok := x.call.codec.AskUsage(x.body, &x.members); ok {
			edits = append(edits, edit)
		}
	}
	return edits
}

// giveUp gives the key's reservation back and tells its breaker.
func (x *exchange) giveUp(c candidate, o *outcome) {
	now := x.s.clock.Now()
	x.trying = trial{}
	x.mayHaveUsed(o)
	if o.notSent {
		x.s.limiter.Cancel(x.r.Context(), now, &x.upstream)
	} else {
		x.s.limiter.Release(x.r.Context(), now, &x.upstream)
	}
	switch o.class {
	case classUnreachable:
		x.picker.down.add(c.Key.Host.Index)
		c.trial.withdraw()
	case classNone, classRequest:
		c.trial.withdraw()
	default:
		x.failed(c, o.class, o.failure.RetryAfter, o.reason())
	}
}

// attempt makes one try and notes it.
func (x *exchange) attempt(c candidate) *outcome {
	x.sent = time.Now()
	a := &attempt{x: x, c: c, up: x.gen.hosts[c.Key.Host.Index], start: x.sent}
	x.key = c.Key
	x.watch(a)
	defer x.vigil.end()
	o := x.await(a)
	defer a.close()
	if o == nil {
		o = x.pass(a)
	}
	x.note(a, o)
	return o
}

// await waits for the answer's headers without the floor.
func (x *exchange) await(a *attempt) *outcome {
	x.vigil.leave(a.start)
	defer x.vigil.back()
	return a.send()
}

// pass gives the caller what the upstream answers, unless it is a refusal.
func (x *exchange) pass(a *attempt) *outcome {
	switch status := a.resp.StatusCode; {
	case status < 200 || status > 599:
		return &outcome{class: classServerError, status: status, err: wire.NewError(wire.CodeUpstreamInvalid, "Host "+a.host()+" answered with a status that means nothing here.")}
	case status >= 300:
		return a.refused()
	}
	x.answer, x.said = a.c.Binding, a.resp.StatusCode
	x.tap, x.context = wire.Tap{Choices: x.choices()}, x.contextLimit()
	x.beginTranslation()
	if framing := x.framing(a.resp.Header.Get("Content-Type")); framing != wire.FramingNone {
		return x.stream(a, framing)
	}
	return x.whole(a)
}

// choices is how many answers the request asks for.
func (x *exchange) choices() int {
	switch {
	case x.translated():
		return 1
	case x.answer != nil && x.answer.Params != nil:
		return x.adaptedChoices()
	case x.call.path == pathModel:
		return gemini.Choices(x.body)
	}
	return x.members.Choices(x.body)
}

// framing is how the answer is cut. Gemini's streams come in two forms, and an
// upstream may answer in the other one.
func (x *exchange) framing(contentType string) wire.Framing {
	x.reader = x.spoken.codec
	if !x.streams() {
		return wire.FramingNone
	}
	framing := x.reader.Framing(contentType)
	if x.spoken.path == pathModel && framing == wire.FramingEvents {
		x.reader = gemini.Codec{}
	}
	if x.codec = x.call.codec; !x.translated() {
		x.codec = x.reader
	}
	return framing
}
