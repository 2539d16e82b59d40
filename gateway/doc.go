// Package gateway is the request path: it takes a call in a caller's shape and
// answers it from an upstream.
//
// The life of a request, and where each step lives:
//
//  1. server.go     listens, finds the endpoint, gives the request its id
//  2. auth.go       resolves the relay key from the headers alone
//  3. body.go       reads the body whole, under its cap and deadlines
//  4. route.go      scans the body, finds model and route in the compiled plan
//  5. admit.go      reserves every limit and budget of the caller, once
//  6. pool.go       picks the next key that is healthy and has room
//     breaker.go    what is known of each key's health
//  7. attempt.go    prepares, sends and classes one attempt on one key
//     upstream.go   transports and the addresses that may be dialled
//  8. stream.go     passes an event stream on as it comes
//     answer.go     passes a whole answer on
//  9. settle.go     commits or cancels, records usage and cost: once, on every
//     exit, before the last thing the caller waits for is written
//     durable.go    holds that back until usage is on disk, where usage is strict
//
// errors.go renders refusals in the caller's shape, observe.go counts and logs,
// models.go lists models. What policies allow is package plan; wire shapes are
// packages under wire.
//
// The package promises: a refusal happens before an upstream sees anything;
// nothing is retried once a byte has reached the caller; every reservation is
// released exactly once, whatever happens; a request reads one plan from start
// to end.
package gateway
