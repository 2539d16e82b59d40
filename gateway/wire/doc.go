// Package wire is what Relay knows about bytes on the wire and nothing about
// keys, hosts or limits: where the members of a request body stand, where the
// events of a stream begin and end, what an answer reports as used, and how an
// error is told.
//
// Requests and answers of the caller's own shape pass through byte for byte.
// Scan finds the members that Relay must read, Splice writes the body with
// those few ranges replaced, Splitter cuts a stream into events without
// touching them, and a Codec reads what each event means into a Tap. The codecs
// of one shape live in a package of their own below this one. Requests and answers
// that change their shape go through package hub.
//
// Codecs read JSON with a Walker: member by member, in one pass that also checks
// the document, without building anything. Requests are read strictly, so that
// no two parsers can read them differently; answers by the grammar alone.
//
// Nothing here reads a clock, dials or logs. Values are for one goroutine at a
// time, except codecs, which hold no state.
package wire
