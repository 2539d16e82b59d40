package ollama

import (
	"bytes"

	"relay/gateway/wire"
)

// Of a line that is too long to be held two pieces are read: the first for what
// stands before the long part, the last for what stands behind it. The last line
// of a generation may hold its whole context, a number for each token, between
// the word that it is the last and its counts.

// readHead reads the members that the first piece holds whole. A line that
// begins as an error is one, although its end has not come.
func readHead(t *wire.Tap, head []byte) wire.Kind {
	var l line
	if l.parse(whole(head)); l.failing {
		t.Failure = wire.EventFailure(head)
		return wire.Failed
	}
	l.tell(t)
	return wire.Content
}

// whole leaves out what may be the first half of a number.
func whole(head []byte) []byte { return bytes.TrimRight(head, "-+.eE0123456789") }

// readTail reads the last piece. The line ends the stream where one of its ends
// says so; where neither holds the word, by what only a last line has.
func readTail(t *wire.Tap, e *wire.Event) wire.Kind {
	var l line
	if l.parseEnd(e.Data) {
		l.done = l.done || l.ending
		l.tell(t)
	} else if e.Missing != "" {
		return wire.Content // it breaks off, for all that can be seen
	}
	if !t.Finished() {
		return wire.Content
	}
	t.Done = true
	return wire.Terminal
}

// parseEnd reads from the first place in the tail from which the members of an
// object lead to the end of the document: that shows that it is the outermost.
func (l *line) parseEnd(tail []byte) bool {
	for at := 0; ; at++ {
		next := bytes.IndexByte(tail[at:], '"')
		if next < 0 {
			return false
		}
		if at += next; at > 0 && tail[at-1] == '\\' {
			continue
		}
		*l = line{}
		w := wire.WalkWithin(tail, at)
		if l.read(&w, w.Resume()); w.End() {
			return true
		}
	}
}
