package catalogdata

import "relay/store"

// The origin of the records that Apply writes.
const (
	OriginKind   = store.OriginCatalog
	OriginSource = "embedded"
)

// ours reports whether Apply has written the record and nobody else has taken
// it over since.
func ours(rec store.AnyRecord) bool {
	return rec.Meta().Origin.SameSource(&store.Origin{Kind: OriginKind, Source: OriginSource})
}

// originOf returns the origin of a record that has names in its references.
func originOf(rec store.AnyRecord) *store.Origin {
	return &store.Origin{Kind: OriginKind, Source: OriginSource, Hash: store.SpecHash(rec.SpecValue())}
}
