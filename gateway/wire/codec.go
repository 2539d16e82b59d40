package wire

// Codec reads the answers of one wire shape and writes what Relay itself says
// in it. Codecs hold no state and are safe for concurrent use. Methods that
// begin with Append write to the end of dst.
type Codec interface {
	// Shape is the shape's name in bindings, such as openai.
	Shape() string

	// WantsUsage reports whether a scanned request asks for usage in the
	// stream, and AskUsage returns the edit that makes it ask; false when none
	// is needed or the request is such that none can be made.
	WantsUsage(body []byte, m *Members) bool
	AskUsage(body []byte, m *Members) (Edit, bool)

	// Framing tells how an answer with status 2xx to a request that asked for a
	// stream is cut. FramingNone is a whole answer all the same.
	Framing(contentType string) Framing
	// ReadEvent reads the next event of an upstream's stream into the tap. Where
	// the terminal event is glued to it, ReadEvent leaves that out of the event
	// (Event.Keep) and sets Tap.Done: the stream ends behind this event.
	ReadEvent(t *Tap, e *Event) Kind
	// ReadAnswer reads a whole answer with status 2xx into the tap.
	ReadAnswer(t *Tap, body []byte) Kind
	// Complete reports whether a stream that has ended cleanly was whole. One
	// that was, and had no terminal event, is given the Terminal.
	Complete(t *Tap) bool

	// Terminal is the event that ends a stream to callers, whichever way the
	// upstream wrote it, or left it out. Where it is empty the upstream's own
	// terminal event goes on as it came.
	Terminal() string
	// KeepAlive is what fills a stream's silences; empty where the shape has
	// nothing for that.
	KeepAlive() string
	// StreamType is the content type of a stream that Relay begins while its
	// upstream is still silent; empty where it cannot begin one.
	StreamType() string

	// Status is the HTTP status with which the shape tells an error.
	Status(e *Error) int
	// AppendError writes the body of an error answer, AppendErrorEvent the
	// event that ends a stream instead of the terminal one. Where it writes
	// nothing the connection is cut.
	AppendError(dst []byte, e *Error) []byte
	AppendErrorEvent(dst []byte, e *Error) []byte

	// AppendModels writes the answer that lists models, AppendModel one of them.
	AppendModels(dst []byte, models []Model) []byte
	AppendModel(dst []byte, model Model) []byte
}

// Model is one entry of a model list.
type Model struct {
	ID          string
	DisplayName string // for people; empty is the ID
	Created     int64  // Unix seconds
	OwnedBy     string
	Tagged      bool // an Ollama host serves it, to which a name without a tag is NAME:latest
}

// Kind says what an event or answer is to the forwarder.
type Kind uint8

const (
	Content   Kind = iota // goes on as it is
	Silent                // comment, blank line, ping or dropped rest: not an answer
	UsageOnly             // reports usage and nothing else: for callers that asked for it
	Terminal              // ends the stream: kept back until limits are settled, see Codec.Terminal
	Failed                // an error object, see Tap.Failure
	Invalid               // a whole answer that is empty or not a JSON object
)
