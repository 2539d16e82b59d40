package hub

import "relay/gateway/wire"

// Codec is a shape on the hub. Codecs hold no state and are safe for concurrent
// use.
type Codec interface {
	// Shape is the shape's name in bindings, such as openai.
	Shape() string
	// Fates says what requests of this shape can express.
	Fates() *Fates

	// Decode reads a caller's body, which has passed wire.Scan, into an empty
	// Request. Errors are *wire.Error.
	Decode(body []byte, r *Request) error
	// Encode appends the body that goes up. The request has passed Check with the
	// codec's Fates; what only the values show to be inexpressible is refused
	// with a *wire.Error. The same request gives the same bytes, always.
	Encode(dst []byte, r *Request, to Target) ([]byte, error)

	// Decoder returns a reader of one upstream answer to the request.
	Decoder(r *Request, provider string) Decoder
	// Encoder returns a writer of one answer to the caller.
	Encoder(r *Reply) Encoder
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
