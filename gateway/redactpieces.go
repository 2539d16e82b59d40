package gateway

import (
	"bytes"

	"relay/gateway/wire"
)

// pieceRedactor takes one key out of an event whose pieces go on before anybody
// knows whether it is an error. It holds back as much as the end of a piece may
// hold of the key.
type pieceRedactor struct {
	whole   redactor
	forms   [][]byte
	longest int
	held    []byte
}

func newPieceRedactor(r redactor) *pieceRedactor {
	p := &pieceRedactor{whole: r}
	for _, form := range r.spelled {
		p.forms = append(p.forms, []byte(form))
		p.longest = max(p.longest, len(form))
	}
	return p
}

// take returns what may go on once the piece has come: all there is with the
// last one.
func (p *pieceRedactor) take(piece []byte, last bool) (out []byte) {
	text := append(p.held, piece...)
	safe := max(0, len(text)-max(p.longest-1, 0))
	if last {
		safe = len(text)
	}
	for {
		at, length := p.first(text)
		if at < 0 || at >= safe {
			break
		}
		out = append(append(out, text[:at]...), redaction...)
		text = text[at+length:]
		safe = max(0, safe-at-length)
	}
	out = append(out, text[:safe]...)
	p.held = bytes.Clone(text[safe:])
	return out
}

// rest is what was held back of an event that is broken off, without the
// beginning of the key that it may end with.
func (p *pieceRedactor) rest() []byte {
	text := p.whole.text(string(p.held))
	p.held = nil
	return []byte(text)
}

// first finds the first form in the text, of several at one place the longest.
func (p *pieceRedactor) first(text []byte) (at, length int) {
	at = -1
	for _, form := range p.forms {
		if i := bytes.Index(text, form); i >= 0 && (at < 0 || i < at || i == at && len(form) > length) {
			at, length = i, len(form)
		}
	}
	return at, length
}

// queuePiece passes a piece of a long event on without the key.
func (x *exchange) queuePiece(a *attempt, e *wire.Event) {
	x.write("")
	x.send(x.withoutKey(a, e), []byte(e.Missing))
}

// withoutKey is the event's bytes without the key, or those of its pieces that
// may go on with this one.
func (x *exchange) withoutKey(a *attempt, e *wire.Event) []byte {
	if e.Part == wire.PartWhole {
		return []byte(redacted(string(e.Raw), a.c.Key))
	}
	if e.Part == wire.PartFirst || x.pieces == nil {
		x.pieces = newPieceRedactor(newRedactor(a.c.Key))
	}
	return x.pieces.take(e.Raw, e.Part == wire.PartLast)
}
