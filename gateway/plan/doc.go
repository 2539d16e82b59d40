// Package plan folds the catalog into what the request path reads.
//
// Compile turns one store.Catalog into one immutable Plan: the hash of a relay
// key leads to its Caller, a model's name to its Model, and the two together to
// a Route: the host keys to try, in order. Every rate limit and budget is
// already a pointer to its counter, so a request parses nothing and scans
// nothing. A Plan is compiled anew for each generation of the catalog; counters
// live in the limiter's registry and outlive it.
//
// Explain, Effective and LimitsOf answer administrators from the same plan, by
// the same code that made it: what a caller would get, and why.
//
// The package promises that each rung of the ladder only narrows what the rung
// above allows, and that a limit which cannot be enforced refuses instead of
// letting pass. It makes no calls, reads no clock and keeps no state.
package plan
