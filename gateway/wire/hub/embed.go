package hub

import "slices"

// Embeds is a request for embeddings, whichever shape told it.
type Embeds struct {
	Inputs     []Text
	Single     bool   // the caller's shape takes one input and answers with one vector
	Dimensions []byte // number; nil: not said
	Base64     bool   // the caller wants vectors as base64 of little-endian float32
	Task       Text   // what the vectors are for; empty: not said
	Title      Text
	Dropped    []string // members that no shape's upstream gets
}

// Drop notes a member that no shape's upstream gets, as Request.AddUnknown does.
func (e *Embeds) Drop(name string) {
	if name = told(name); len(e.Dropped) < mostUnknown && !slices.Contains(e.Dropped, name) {
		e.Dropped = append(e.Dropped, name)
	}
}

// Untold are the names of what a shape leaves out that takes texts alone.
func (e *Embeds) Untold() []string {
	untold := slices.Clone(e.Dropped)
	if len(e.Task) > 0 {
		untold = append(untold, "taskType")
	}
	if len(e.Title) > 0 {
		untold = append(untold, "title")
	}
	return untold
}

// Vectors are the answer: one JSON array of numbers for each input, in order, as
// the upstream wrote them.
type Vectors [][]byte

// EmbedCodec is a shape's embeddings on the hub. It holds no state.
type EmbedCodec interface {
	// Shape is the shape's name in bindings.
	Shape() string
	// DecodeEmbeds reads a caller's body, which has passed wire.Scan. Errors are
	// *wire.Error: inputs given as tokens are refused.
	DecodeEmbeds(body []byte, e *Embeds) error
	// EncodeEmbeds appends the body that goes up, and returns the names of what
	// the shape cannot express and leaves out.
	EncodeEmbeds(dst []byte, e *Embeds, to Target) (body []byte, dropped []string, err error)
	// ReadVectors reads an answer with status 2xx.
	ReadVectors(body []byte) (Vectors, error)
	// AppendVectors writes the answer for the caller. prompt is how many tokens
	// were read.
	AppendVectors(dst []byte, v Vectors, e *Embeds, model string, prompt int64) []byte
}
