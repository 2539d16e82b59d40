// Package catalogdata is the catalogue that Relay ships: who makes models, the
// hosts that serve them, the models, and what each host charges for them. It is
// data in YAML, embedded, each fact with its source and each price with the day
// on which it was last compared.
//
// # The files
//
//	catalog.yaml    the release of the catalogue, and the sources
//	hosts.yaml      the hosts, and the variables that hold their keys
//	PROVIDER.yaml   a provider, its models, and offers: a model at a host with
//	                its prices over time
//
// Any file may hold any list; Read puts them together. A row says since which
// release it is there, 1 when it does not.
//
// # How it becomes records
//
// Records turns every row into a record that belongs to the system: providers,
// hosts, models, one pricing and one binding an offer. Apply writes them within
// one change of the catalog. Its rule: what a user has changed stays as it is.
// A record is written anew only when the text here has changed since it was
// last written, and the record has not. Its origin keeps the hash of the spec as
// it was written, with names in the place of ids, so that either change shows.
//
// A record that is gone stays away. Without tombstones in the store that is told
// from a row that is new by the release: only rows of a later release than the
// newest row found are made. So a row comes back when a user deletes all rows of
// the newest release, and a renamed record is taken for a deleted one, which
// means that it gets no updates.
//
// The package holds no keys and makes none: EnvKeys tells discovery where they
// usually are.
package catalogdata
