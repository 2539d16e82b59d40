package store

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"reflect"
)

// The kinds of origins.
const (
	OriginCatalog     = "catalog"
	OriginFile        = "file"
	OriginDiscovery   = "discovery"
	OriginEnvironment = "environment"
)

// SameSource reports whether both are of one source. Nobody's origin is nil.
func (o *Origin) SameSource(other *Origin) bool {
	return o != nil && other != nil && o.Kind == other.Kind && o.Source == other.Source
}

// SourceText is what a source says of one record, held against what it said
// before and against what the record has become.
type SourceText struct {
	Kind   Kind
	Name   string
	Origin Origin    // with the hash of the text
	Stored AnyRecord // the record that the text means; nil: there is none
	Edited bool      // the record is not as a source has written it
	Force  bool      // a person wants the text to win
}

// Ruling is what becomes of a record of which a source has a text.
type Ruling int

// What the rule of Rule says.
const (
	RuleCreate Ruling = iota // make the record
	RuleWrite                // give it the text
	RuleDrift                // leave it, and tell that it differs
	RuleGone                 // do not make it: it was deleted, or is known under another name
)

// Rule is the one rule by which sources and people share records. A source
// writes a record only when its own text has changed since it last wrote it; a
// record that was edited in between is then given the text of a file, and left
// alone by all other sources. A record that is gone comes back with another text
// of its source. A source that has never spoken of a record makes it, or takes
// it over when it is a file.
func (c *Catalog) Rule(t SourceText) Ruling {
	news := t.Force || c.saysNews(t)
	switch {
	case t.Stored == nil && news:
		return RuleCreate
	case t.Stored == nil:
		return RuleGone
	case t.Force, news && t.Origin.Kind == OriginFile:
		return RuleWrite
	case news && !t.Edited && t.Stored.Meta().Origin.SameSource(&t.Origin):
		return RuleWrite
	}
	return RuleDrift
}

// saysNews reports whether a source says something else than when it last wrote
// the record. What it last wrote stands in the record, and in a tombstone when
// the record is gone or somebody else's; without a hash it counts as the same.
func (c *Catalog) saysNews(t SourceText) bool {
	last, said := "", false
	if t.Stored != nil && t.Stored.Meta().Origin.SameSource(&t.Origin) {
		last, said = t.Stored.Meta().Origin.Hash, true
	} else if grave, found := c.Tombstone(t.Kind, t.Name, t.Origin); found {
		last, said = grave.Origin.Hash, true
	}
	return !said || last != "" && last != t.Origin.Hash
}

// SpecHash recognises a spec by its JSON, which is the same for the same spec as
// long as members only come, are left out when they are empty, and keep their
// order.
func SpecHash(spec any) string {
	text, _ := json.Marshal(spec) // specs are plain values, which always encode
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:16])
}

// NamedSpecHash is SpecHash of a record of c with names in its references, for
// which switched on is the same as not said. The record stays as it is.
func NamedSpecHash(c *Catalog, rec AnyRecord) (string, error) {
	named, err := specCopy(c, rec)
	if err != nil {
		return "", err
	}
	NameRefs(c, named)
	return SpecHash(named.SpecValue()), nil
}

// OwnSpecHash is SpecHash of a record with ids in its references, for which
// switched on is the same as not said. It knows a record within its database.
func OwnSpecHash(c *Catalog, rec AnyRecord) (string, error) {
	own, err := specCopy(c, rec)
	if err != nil {
		return "", err
	}
	return SpecHash(own.SpecValue()), nil
}

// specCopy copies a spec, and leaves out that it is switched on.
func specCopy(c *Catalog, rec AnyRecord) (AnyRecord, error) {
	text, err := json.Marshal(rec.SpecValue())
	if err != nil {
		return nil, err
	}
	copied := c.Of(rec.Kind()).New()
	if err := json.Unmarshal(text, copied.SpecValue()); err != nil {
		return nil, err
	}
	enabled := reflect.ValueOf(copied.SpecValue()).Elem().FieldByName("Enabled")
	if enabled.IsValid() {
		if on, ok := enabled.Interface().(*bool); ok && Enabled(on) {
			enabled.SetZero()
		}
	}
	return copied, nil
}
