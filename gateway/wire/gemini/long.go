package gemini

import (
	"bytes"

	"relay/gateway/wire"
)

// Of a chunk that is too long to be held, such as one with an image in it, two
// pieces are read: the first for what stands before the long part, the last for
// what stands behind it.

// readHead reads the members that the first piece holds whole. A chunk that
// begins as an error is one, although its end has not come.
func readHead(t *wire.Tap, head []byte) wire.Kind {
	var c chunk
	if c.parse(head); c.failing {
		t.Failure = wire.EventFailure(head)
		return wire.Failed
	}
	c.tell(t)
	return wire.Content
}

// readTail reads the last piece: from the end of a candidate, else from the
// members behind the candidates.
func readTail(t *wire.Tap, tail []byte) {
	for _, place := range [...]place{
		{`"finishReason"`, (*chunk).readFromCandidate}, {`"promptFeedback"`, (*chunk).readFromRoot}, {`"usageMetadata"`, (*chunk).readFromRoot},
	} {
		if place.read(t, tail) {
			return
		}
	}
}

func (c *chunk) readFromCandidate(w *wire.Walker) {
	c.readCandidate(w, w.Resume())
	c.readCandidates(w, w.Element())
	c.read(w, w.Member())
}

func (c *chunk) readFromRoot(w *wire.Walker) { c.read(w, w.Resume()) }

// place is a name within a chunk, and how what follows it is read.
type place struct {
	name string // in quotes
	from func(*chunk, *wire.Walker)
}

// mostTries bounds how many places of a name are tried.
const mostTries = 8

// read reads from the last place of the name from which the end of the document
// is reached: that shows how deep the name lies. It reports whether there was
// one.
func (p *place) read(t *wire.Tap, tail []byte) bool {
	end := len(tail)
	for range mostTries {
		if end = bytes.LastIndex(tail[:end], []byte(p.name)); end <= 0 {
			break
		}
		var c chunk
		w := wire.WalkWithin(tail, end)
		if p.from(&c, &w); tail[end-1] != '\\' && w.End() {
			c.tell(t)
			return true
		}
	}
	return false
}
