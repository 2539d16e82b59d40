package chat

import (
	"bytes"

	"relay/gateway/wire"
)

const (
	done       = "[DONE]"
	whiteSpace = " \t\r\n"
)

// isDone reports whether data is [DONE], once or several times.
func isDone(data []byte) bool {
	rest, found := bytes.CutPrefix(bytes.TrimSpace(data), []byte(done))
	return found && (len(rest) == 0 || isDone(rest))
}

// cutDone notes a [DONE] that is glued to a chunk, as one more data line or on
// the chunk's own line, and leaves it out: a client would take the two for one
// chunk and fail to read it. Nearly every chunk ends in its brace and is let go
// at the first look.
func cutDone(t *wire.Tap, e *wire.Event) {
	if n := len(e.Data); n == 0 || e.Data[n-1] == '}' {
		return
	}
	chunk, glued := beforeDone(e.Data)
	at := bytes.LastIndex(e.Raw, []byte(done))
	if !glued || at < 0 || !bytes.HasSuffix(chunk, []byte("}")) {
		return
	}
	t.Done, e.Data = true, chunk
	raw, _ := beforeDone(e.Raw[:at+len(done)])
	e.Keep(len(raw), "\n\n")
}

// beforeDone returns what stands before the [DONE] that text ends with, before
// any that it repeats, and before their field names.
func beforeDone(text []byte) (before []byte, found bool) {
	before = bytes.TrimRight(text, whiteSpace)
	for {
		rest, ends := bytes.CutSuffix(before, []byte(done))
		if !ends {
			return before, found
		}
		rest = bytes.TrimSuffix(bytes.TrimRight(rest, whiteSpace), []byte("data:"))
		before, found = bytes.TrimRight(rest, whiteSpace), true
	}
}
