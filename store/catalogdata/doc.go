// Package catalogdata is the catalogue that Relay ships: who makes models, the
// hosts that serve them, the models, and what each host charges for them. It is
// data in YAML, embedded, each fact with its source and each price with the day
// on which it was last compared.
//
// # The files
//
//	catalog.yaml    the release of the catalogue, its date, and the sources
//	hosts.yaml      the hosts, and the variables that hold their keys
//	PROVIDER.yaml   a provider, its models, and offers: a model at a host with
//	                its prices over time
//	openweights.yaml
//	                open models at hosts that make none of their own
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
// A record that is gone stays away until its row changes: the store keeps a
// tombstone of it. A renamed record is taken for a deleted one, and gets no
// updates.
//
// # Other catalogues than the embedded one
//
// Text is a catalogue in one text, which ReadText reads: what relay catalog update
// takes, and what the store keeps of the present and the former one. Details tells
// what applying one changes, Withdraw takes back what only a newer one has, and
// WithPrices makes a catalogue of another project's map of prices.
//
// The package holds no keys and makes none: EnvKeys tells discovery where they
// usually are.
package catalogdata
