package chat

import "relay/gateway/wire"

// Of a chunk that is too long to be held two pieces are read: the first for
// what stands before the long part, the last for what stands behind it.

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

// readTail reads the last piece: from the end of a choice, else from the usage.
func readTail(t *wire.Tap, tail []byte) {
	_ = readFrom(t, tail, `"finish_reason"`, (*chunk).readFromChoice) || readFrom(t, tail, `"usage"`, (*chunk).readFromRoot)
}

func (c *chunk) readFromChoice(w *wire.Walker) {
	c.readChoice(w, w.Resume())
	c.readChoices(w, w.Element())
	c.read(w, w.Member())
}

func (c *chunk) readFromRoot(w *wire.Walker) { c.read(w, w.Resume()) }

// readFrom reads from the last place of the quoted name that shows how deep it
// lies, and reports whether there was one.
func readFrom(t *wire.Tap, tail []byte, quoted string, read func(*chunk, *wire.Walker)) bool {
	var c chunk
	found := wire.FromLast(tail, quoted, func(w *wire.Walker) {
		c = chunk{}
		read(&c, w)
	})
	if found {
		c.tell(t)
	}
	return found
}
