package chat

import "relay/gateway/wire"

// ReadEvent reads one event into the tap. One that is no JSON passes on as it
// is and tells nothing.
func (Codec) ReadEvent(t *wire.Tap, e *wire.Event) wire.Kind {
	switch {
	case e.Part == wire.PartLast:
		cutDone(t, e)
		readTail(t, e.Data)
		return wire.Content
	case string(e.Type) == "error":
		t.Failure = wire.EventFailure(e.Data)
		return wire.Failed
	case e.Part == wire.PartFirst:
		return readHead(t, e.Data)
	case e.Part == wire.PartNext:
		return wire.Content
	case !e.HasData:
		return wire.Silent
	case isDone(e.Data):
		t.Done = true
		return wire.Terminal
	}
	if cutDone(t, e); e.DropCut() {
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
	if c.tell(t); c.onlyUsage() {
		return wire.UsageOnly
	}
	return wire.Content
}

// ReadAnswer reads a whole answer. An answer without choices is still content.
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
	t.NoChoices, t.Done = c.choices == 0, true
	return wire.Content
}
