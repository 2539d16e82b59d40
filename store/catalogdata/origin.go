package catalogdata

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"reflect"

	"relay/store"
)

// The origin of the records that Apply writes.
const (
	OriginKind   = "catalog"
	OriginSource = "embedded"
)

// ours reports whether Apply has written the record and nobody else has taken
// it over since.
func ours(rec store.AnyRecord) bool {
	origin := rec.Meta().Origin
	return origin != nil && origin.Kind == OriginKind && origin.Source == OriginSource
}

// originOf returns the origin of a record that has names in its references.
func originOf(rec store.AnyRecord) *store.Origin {
	return &store.Origin{Kind: OriginKind, Source: OriginSource, Hash: hashOf(rec.SpecValue())}
}

// storedHash is the hash that the origin of a record of c would have if it were
// written as it is now. The record stays as it is.
func storedHash(c *store.Catalog, rec store.AnyRecord) (string, error) {
	text, err := json.Marshal(rec.SpecValue())
	if err != nil {
		return "", err
	}
	named := c.Of(rec.Kind()).New()
	if err := json.Unmarshal(text, named.SpecValue()); err != nil {
		return "", err
	}
	store.NameRefs(c, named)
	forgetSwitchedOn(named.SpecValue())
	return hashOf(named.SpecValue()), nil
}

// forgetSwitchedOn makes switched on the same as not said.
func forgetSwitchedOn(spec any) {
	enabled := reflect.ValueOf(spec).Elem().FieldByName("Enabled")
	if on, ok := enabled.Interface().(*bool); ok && store.Enabled(on) {
		enabled.SetZero()
	}
}

// hashOf recognises a spec by its JSON, which is the same for the same spec as
// long as members only come, are left out when they are empty, and keep their
// order.
func hashOf(spec any) string {
	text, _ := json.Marshal(spec) // specs of the catalogue are plain values, which always encode
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:16])
}
