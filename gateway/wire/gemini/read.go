package gemini

import "relay/gateway/wire"

// ReadEvent reads one event into the tap. One that is no JSON passes on as it
// is and tells nothing.
func (Codec) ReadEvent(t *wire.Tap, e *wire.Event) wire.Kind {
	switch {
	case e.Part == wire.PartNext:
		return wire.Content
	case e.Part == wire.PartLast:
		readTail(t, e.Data)
		return wire.Content
	case string(e.Type) == "error":
		t.Failure = wire.EventFailure(e.Data)
		return wire.Failed
	case e.Part == wire.PartFirst:
		return readHead(t, e.Data)
	case !e.HasData:
		return readBare(t, e)
	case e.DropCut():
		return wire.Silent
	}
	return readChunk(t, e.Data)
}

// readChunk reads a chunk that is held as a whole.
func readChunk(t *wire.Tap, data []byte) wire.Kind {
	var c chunk
	switch {
	case !c.parse(data):
		return wire.Content
	case c.failed() && t.Fails(data):
		return wire.Failed
	}
	c.tell(t)
	return wire.Content
}

// readBare reads a block without data. Google ends a stream that fails with the
// error object alone, over several lines and without field names; its clients
// look for that.
func readBare(t *wire.Tap, e *wire.Event) wire.Kind {
	if len(e.Raw) > 0 && (e.Raw[0] == '{' || e.Raw[0] == '[') && t.Fails(e.Raw) {
		return wire.Failed
	}
	return wire.Silent
}

// ReadAnswer reads a whole answer. One without candidates is still content: that
// of a prompt that was blocked, which says why, has none.
func (Codec) ReadAnswer(t *wire.Tap, body []byte) wire.Kind {
	var c chunk
	switch {
	case !c.parse(body):
		return wire.Invalid
	case c.failed() && t.Fails(body):
		return wire.Failed
	case c.first != '{':
		return wire.Invalid
	}
	c.tell(t)
	t.NoChoices, t.Done = c.candidates == 0 && !isReason(c.blocked), true
	return wire.Content
}
