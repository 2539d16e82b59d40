// Package hub is what all wire shapes have in common: the request, the events of
// an answer and the whole answer, in Relay's own words. A Codec reads one shape
// into them and writes them in its shape, so that a caller of any shape is
// served by an upstream of any other and no converter knows two shapes.
//
// The life of a translated call:
//
//  1. request.go   Codec.Decode reads the caller's body into a Request of items
//     (item.go), tools (tool.go) and parameters (param.go)
//  2. check.go     Check holds it against the Fates of the upstream's shape: what
//     cannot be expressed is refused, what is a mere hint is left out and told
//  3. codec.go     Codec.Encode writes the body that goes up
//  4. event.go     a Decoder reads the answer into events, whole or streamed
//  5. sequence.go  a Sequence puts them into order: one part open at a time
//  6. codec.go     an Encoder writes them for the caller as they come, or
//     answer.go folds them into an Answer, which Codec.AppendAnswer writes
//
// Texts and JSON values are slices of the documents they were read from and are
// never changed; see Text. What an Event holds is good until the call it was
// given to returns. Opaque reasoning rides along as opaque.go says. embed.go is
// the same for embeddings.
package hub
