// Package gateway is the request path: it takes a call in a caller's shape and
// answers it from an upstream.
//
// The life of a request, and where each step lives:
//
//  1. server.go     listens, serve.go gives the request its id, endpoints.go
//     finds what answers it; models.go what stands behind a path of models
//     connections.go keeps the number of callers' connections under a bound
//     door.go       refuses names and pages that must not call, cors.go tells
//     browsers which may
//  2. auth.go       resolves the credential from the headers alone
//     token.go      verifies inference tokens
//     identity.go   tells for whom, in which project, and who may come without a key
//     tags.go       reads what else they say of the request
//  3. body.go       reads the body whole, under its cap and deadlines
//     encoding.go   unpacks it
//     overload.go   turns away what is too much, share.go by whose share
//     linger.go     ends connections of callers who were refused early
//     media.go      bounds uploads and text to be spoken
//  4. naming.go     finds the model's name, route.go model and route in the
//     compiled plan
//     unknown.go    finds the host of a model that the catalog does not know
//     modellists.go what such hosts list
//     gates.go      what policies ask of the request itself
//  5. admit.go      reserves every limit and budget of the caller, once
//  6. fallback.go   goes from model to model until one answers
//     pool.go       picks the next key that is healthy and has room
//     selection.go  by what the pool chooses, affinity.go for a conversation
//     breaker.go    what is known of each key's health
//  7. translate.go  writes the request in another shape where the host does not speak
//     the caller's, tongue.go which shapes there are
//     params.go     adapts it to what the host takes, paramsform.go where it is a form
//     attempt.go    prepares, sends and classes one attempt on one key
//     redial.go     dials a host again that could not be reached
//     target.go     where it goes, upheader.go the header lines that go up
//     upstream.go   one host: URLs, health; sender.go its connections
//     dialrules.go  the addresses that may be dialled
//     drain.go      reads an answer on for a caller that has gone
//  8. stream.go     passes an event stream on as it comes
//     reply.go      writes it, streamend.go ends it
//     keepalive.go  fills its silences, and cuts an upstream that stays silent
//     revoke.go     cuts it when its credential is revoked
//     answer.go     passes a whole answer on
//     translatestream.go writes either in the caller's shape
//     gunzip.go     unpacks either, under a cap
//     exhausted.go  says what the caller sees when no key has answered
//  9. settle.go     commits or cancels, records usage and cost: once, on every
//     exit, before the last thing the caller waits for is written
//     durable.go    holds that back until usage is on disk, where usage is strict
//
// errors.go renders refusals in the caller's shape; observe.go counts (series.go)
// and logs. unmetered.go answers what costs nothing, models.go and ollamacalls.go
// tell of models, proxy.go serves callers with an upstream credential of their
// own, openapi.go and nowhere.go say what is served and what is not. What
// policies allow is package plan; wire shapes are packages under wire.
//
// The package promises: a refusal happens before an upstream sees anything;
// nothing is retried once a byte has reached the caller; every reservation is
// released exactly once, whatever happens; a request reads one plan from start
// to end; nothing is held for a caller whose request is not complete, save the
// bytes of its body.
package gateway
