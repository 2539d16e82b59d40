// Package http1 is an HTTP/1.1 client for one upstream: requests whose body is
// in memory, answers that are read as they come, connections that are kept.
//
// One goroutine makes a request: it takes an idle connection or dials, writes
// head and body at once, and reads the answer itself. Only a body too large for
// the buffers of a connection is written by a second goroutine, so that an
// upstream that answers early and stops reading neither dead-locks nor loses its
// answer.
//
//	client.go    a request from its first byte to the head of its answer
//	call.go      what can end a request under way, from any goroutine
//	request.go   the bytes of a request's head
//	conn.go      one connection: dialled, written to, given back or closed
//	link.go      asks a connection what has come while nobody read
//	idle.go      connections that wait for a request
//	answer.go    a message sent and its answer's heads read
//	reader.go    buffered reading of an answer
//	head.go      status line and field lines; field.go their bytes
//	framing.go   where an answer ends
//	body.go      the answer's body; chunks.go the chunked one
//
// The package promises: no request is sent twice unless nothing of it can have
// reached the server, and an error says which of both it is (Unsent); a
// cancelled call ends at once, whatever it waits for, and its connection is
// never used again; a connection is kept only when the answer was read to its
// end, both sides keep it, and not a byte too many has come. Answers are read by
// the strict rules of RFC 9112: what is ambiguous is an error.
//
// It is no general client: it follows no redirect, knows no proxy, no cookie, no
// compression, no trailer and no upgrade.
package http1
