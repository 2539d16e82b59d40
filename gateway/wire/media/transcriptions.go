package media

import (
	"bytes"

	"relay/gateway/wire"
)

// Transcriptions is the codec of audio written down, in its own language or in
// English. It implements wire.Codec.
type Transcriptions struct{ base }

var _ wire.Codec = Transcriptions{}

// ReadAnswer reads a whole answer: JSON, or plain text and subtitles, which go
// on as they are and report nothing. The first byte tells which.
func (Transcriptions) ReadAnswer(t *wire.Tap, body []byte) wire.Kind { return readAny(t, body) }

// readAny reads an answer that is JSON or something else. Of the latter only one
// without any bytes is no answer.
func readAny(t *wire.Tap, body []byte) wire.Kind {
	var r report
	switch rest := bytes.TrimLeft(body, " \t\r\n"); {
	case len(body) == 0:
		return wire.Invalid
	case len(rest) > 0 && rest[0] == '{':
		return r.readAnswer(t, body)
	}
	t.Done = true
	return wire.Content
}
