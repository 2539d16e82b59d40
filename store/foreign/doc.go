// Package foreign reads the configurations of other gateways and tells in
// records of Relay what they say.
//
// LiteLLM reads a config.yaml of the LiteLLM proxy and an export of its virtual
// keys; OneAPI and NewAPI read exports of channels, tokens and users. Each
// returns a Result: records whose references hold names, which
// Result.WriteManifests writes as manifests, the values of provider keys that
// stood in the configuration, and a Report.
//
// The report has a row for everything that was read: taken over, approximated
// and how, or not supported and why. Nothing is dropped silently.
//
// # How things become records
//
//   - A deployment (a channel) is a model at a host with a provider key: a
//     HostBinding with its weight and priority, and a HostKey. A model and a host
//     are bound once, so where one name stands for several models of one host,
//     or with several weights, the host is there several times: openai, openai-2.
//   - A host whose base URL the shipped catalogue has is that host, and models
//     of the catalogue keep what it knows of them, prices too.
//   - A key may be used for the models of its deployments only, and has their
//     limits: a tier policy of its own.
//   - Callers are in an organization of their own, named after the gateway they
//     came from. Its policy grants what the gateway offered, at the hosts where it
//     did, and picks by weight.
//
// The package is pure: it opens no files, reads no environment but through the
// function it is given, and never puts a secret into a record or a row.
package foreign
