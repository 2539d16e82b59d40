package hub

import "relay/gateway/wire"

// Codec is a shape on the hub that both callers and hosts speak. Codecs hold no
// state and are safe for concurrent use.
type Codec interface {
	Caller
	Upstream
}

// Decoder reads an upstream's answer into events. Usage and errors are not among
// them: the shape's wire.Codec reads those.
type Decoder interface {
	// Event reads one whole event with data of a stream. An error says what is
	// wrong with it in a few words that follow "the answer".
	Event(e *wire.Event, to Sink) error
	// Answer reads a whole answer with status 2xx.
	Answer(body []byte, to Sink) error
}

// Encoder writes an answer as its caller's shape has it.
type Encoder interface {
	// Append writes what an event of a Sequence adds to a stream. With EventFinish
	// that is all to the stream's end, the terminal event included.
	Append(dst []byte, e Event) []byte
	// AppendAnswer writes a whole answer.
	AppendAnswer(dst []byte, a *Answer) []byte
}

// Reply is what answers tell of the call besides what the model says.
type Reply struct {
	Request *Request
	ID      string // unique to the answer: letters, digits, - and _
	Model   string // as the caller asked for it
	Created int64  // Unix seconds
	Details []byte // a JSON object for callers of the canonical shape that ask for it; nil: none
}
