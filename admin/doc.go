// Package admin is the control API and its typed client: every record of the
// catalog over HTTP, relay keys, the connection of providers, manifests, usage
// and the state of the process.
//
// [New] makes one handler. It is reached in three ways that answer alike: over
// TCP with a bearer token or the session of a browser, over a Unix socket that
// file permissions protect ([ServeSocket]), and in process ([NewLocalClient])
// by a command line that opened the database itself. A change is durable and
// reaches the request path before it is answered.
//
// Errors are problem details (RFC 9457) and never hold a submitted value.
// Secrets go in and never come out: the plaintext of a relay key is in the
// answer that makes it and nowhere else.
//
// The package knows nothing of the request path: what a running server adds
// comes through [relay/gateway/plan.Live].
package admin
