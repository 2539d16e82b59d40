package gateway

import (
	"relay/gateway/plan"
	"relay/gateway/wire"
	"relay/gateway/wire/gemini"
	"relay/gateway/wire/messages"
)

// adapt makes the body that is ready to go up one that the binding's host takes. The
// error is the refusal of one that the host cannot take.
func (x *exchange) adapt(b *plan.Binding) error {
	if err := x.adaptParams(b); err != nil {
		return err
	}
	if b.CachesPrompts && x.spoken.path == pathMessages {
		x.outgoing = messages.MarkCache(make([]byte, 0, len(x.outgoing)+cacheRoom), x.outgoing)
	}
	return nil
}

// cacheRoom is how much longer cache marks make a body.
const cacheRoom = 256

func (x *exchange) adaptParams(b *plan.Binding) error {
	x.cutOut = nil
	switch p := b.Params; {
	case p == nil:
		return nil
	case x.sendsForm():
		return x.adaptForm(b)
	default:
		if i := wire.Held(x.outgoing, p.Refuse); i >= 0 {
			return refusedParam(b, p.Refused[i])
		}
		x.outgoing = x.adapted(p, x.outgoing)
		return nil
	}
}

// adapted returns the body as the host takes it, in memory of its own where it differs.
// What costs nothing does not ask for answers, so that nothing is filled in.
func (x *exchange) adapted(p *plan.Params, body []byte) []byte {
	if len(p.Dropped) > 0 {
		cut, held := wire.Cut(make([]byte, 0, len(body)), body, p.Drop)
		x.noteCut(p, held)
		body = cut
	}
	if len(p.Renamed) > 0 {
		body = wire.Rename(make([]byte, 0, len(body)+composeRoom), body, p.Rename, p.Renamed)
	}
	for _, m := range p.Moves {
		body = moved(m, body)
	}
	if len(p.Filled) > 0 && !x.call.unmetered {
		body = wire.Fill(make([]byte, 0, len(body)+composeRoom), body, p.Filled, p.Values)
	}
	return body
}

// adaptedChoices is how many answers the host has been asked for.
func (x *exchange) adaptedChoices() int {
	if x.call.path == pathModel {
		return gemini.Choices(x.outgoing)
	}
	var m wire.Members
	if x.sendsForm() {
		m.N = x.members.N
		return m.Choices(x.body)
	}
	_ = wire.Scan(x.outgoing, &m) // it is made of a body that has passed
	return m.Choices(x.outgoing)
}

// noteCut notes which members the host does not get. That Relay asks for usage is not
// the caller's doing.
func (x *exchange) noteCut(p *plan.Params, held uint64) {
	for i, name := range p.Dropped {
		if held&(1<<i) != 0 && (name != "stream_options" || x.members.StreamOptions.Present()) {
			x.cutOut = append(x.cutOut, name)
		}
	}
}

// moved takes a member to another object, where it stays out if there is one of its
// name.
func moved(m plan.Move, body []byte) []byte {
	value := string(wire.Take(body, m.From))
	if value == "" {
		return body
	}
	body, _ = wire.Cut(make([]byte, 0, len(body)), body, m.Path)
	return wire.Fill(make([]byte, 0, len(body)+composeRoom), body, []string{m.To}, []string{value})
}

func refusedParam(b *plan.Binding, name string) *wire.Error {
	e := wire.Errorf(wire.CodeUnsupportedParam, "Host %s does not take %s for model %s. Leave it out, or use a model whose host does.", b.Host.Name(), name, quoted(b.Model.Name))
	e.Param = name
	return e
}

// passHost passes over what is left of a host's keys, of which one has shown that the
// host cannot take the request. It does not count as a key that was tried.
func (p *picker) passHost(h *plan.Host) {
	p.tried--
	for _, k := range h.Keys {
		p.passed.add(k.Index)
	}
}
