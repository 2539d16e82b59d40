package hub

// Caller is the half of a shape that its callers meet.
type Caller interface {
	// Shape is the shape's name in bindings, such as openai.
	Shape() string
	// Decode reads a caller's body, which has passed wire.Scan, into an empty
	// Request. Errors are *wire.Error.
	Decode(body []byte, r *Request) error
	// Encoder returns a writer of one answer to the caller.
	Encoder(r *Reply) Encoder
	// Returns reports whether a body may hold what Encoders have written into
	// earlier answers and hosts of the shape itself do not take: what other hosts
	// have told of their thoughts, and seals. It is asked of every body.
	Returns(body []byte) bool
}

// Upstream is the half of a shape that hosts speak.
type Upstream interface {
	// Shape is the shape's name in bindings, such as openai.
	Shape() string
	// Fates says what requests of this shape can express.
	Fates() *Fates
	// Encode appends the body that goes up. The request has passed Check with the
	// Fates; what only the values show to be inexpressible is refused with a
	// *wire.Error, what they show to be a hint that cannot be told is left out and
	// named to the target's Left. The same request gives the same bytes, always.
	Encode(dst []byte, r *Request, to Target) ([]byte, error)
	// Decoder returns a reader of one upstream answer to the request.
	Decoder(r *Request, provider string) Decoder
}
