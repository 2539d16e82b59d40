// Package admin is the control API and its typed client: every record of the
// catalog over HTTP, relay keys, the connection of providers, manifests, usage,
// sign-in, who may do what, and the state of the process.
//
// [New] makes one handler. It is reached in three ways that answer alike: over
// TCP with a bearer token or the session of a browser, over a Unix socket that
// file permissions protect ([ServeSocket]), and in process ([NewLocalClient])
// by a command line that opened the database itself. A change is durable and
// reaches the request path before it is answered.
//
// A request passes, in this order: who calls (caller.go), the table of what each
// route asks for (needs.go), and in its handler the rows that it reads
// (rights.go) and the changes that it makes (rightswrite.go). What one may not
// see is answered as what does not exist. Every write and every refusal is in
// the audit log, by JSON paths and without values.
//
// Errors are problem details (RFC 9457) and never hold a submitted value.
// Secrets go in and never come out: the plaintext of a relay key is in the
// answer that makes it and nowhere else.
//
// The package knows nothing of the request path: what a running server adds
// comes through [relay/gateway/plan.Live].
package admin
