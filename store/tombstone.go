package store

import (
	"bytes"
	"encoding/json"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"
	"time"

	"go.etcd.io/bbolt"
)

// Tombstone is what a source last said of a record that is its own no more:
// deleted, renamed, or taken over by another source. The source makes the record
// again only when it says something else, which removes the tombstone.
type Tombstone struct {
	Kind   Kind      `json:"kind"`
	Name   string    `json:"name"`
	Origin Origin    `json:"origin"`
	Since  time.Time `json:"since"`
}

// tombstoneKey is the key of a tombstone in its bucket. Names compare without
// case.
func tombstoneKey(kind Kind, name string, origin Origin) string {
	return strings.Join([]string{string(kind), strings.ToLower(name), origin.Kind, origin.Source}, "\x00")
}

func (t Tombstone) key() string { return tombstoneKey(t.Kind, t.Name, t.Origin) }

func (t Tombstone) row() []byte {
	text, _ := json.Marshal(t) // plain texts and a time, which always encode
	return frame(tombstonesBucket, []byte(t.key()), text)
}

// Tombstones yields every tombstone in the order of kinds and names.
func (c *Catalog) Tombstones() iter.Seq[Tombstone] {
	return func(yield func(Tombstone) bool) {
		for _, key := range slices.Sorted(maps.Keys(c.tombstones)) {
			if !yield(c.tombstones[key]) {
				return
			}
		}
	}
}

// Tombstone returns the tombstone that a source has of a record.
func (c *Catalog) Tombstone(kind Kind, name string, origin Origin) (t Tombstone, found bool) {
	t, found = c.tombstones[tombstoneKey(kind, name, origin)]
	return t, found
}

// Forget removes a tombstone, so that its source makes the record again.
func (e *Edit) Forget(t Tombstone) {
	if _, found := e.next.tombstones[t.key()]; found {
		delete(e.ownTombstones(), t.key())
		e.buried[t.key()] = true
	}
}

// bury leaves a tombstone of a record that its source has lost. One that the
// edit has made itself leaves none.
func (e *Edit) bury(rec AnyRecord) {
	m := rec.Meta()
	if m.Origin == nil || e.base.Of(rec.Kind()).Find(m.ID) == nil {
		return
	}
	t := Tombstone{Kind: rec.Kind(), Name: m.Name, Origin: *m.Origin, Since: e.now}
	e.ownTombstones()[t.key()] = t
	e.buried[t.key()] = true
}

// settleOrigin keeps the tombstones in step with a record that is put in the
// place of another, or of none.
func (e *Edit) settleOrigin(rec, former AnyRecord) {
	if former != nil && former.Meta().Origin != nil && !sameText(former, rec) {
		e.bury(former)
	}
	if origin := rec.Meta().Origin; origin != nil {
		e.Forget(Tombstone{Kind: rec.Kind(), Name: rec.Meta().Name, Origin: *origin})
	}
}

// sameText reports whether a source knows both records by one name.
func sameText(a, b AnyRecord) bool {
	return b.Meta().Origin.SameSource(a.Meta().Origin) && strings.EqualFold(a.Meta().Name, b.Meta().Name)
}

// ownTombstones gives the candidate tombstones of its own at the first change.
func (e *Edit) ownTombstones() map[string]Tombstone {
	if e.buried == nil {
		e.buried = map[string]bool{}
		e.next.tombstones = maps.Clone(e.next.tombstones)
		if e.next.tombstones == nil {
			e.next.tombstones = map[string]Tombstone{}
		}
	}
	return e.next.tombstones
}

// tombstoneRows adds the tombstones that the edit has made and removed.
func (e *Edit) tombstoneRows(writes rowWrites) {
	for key := range e.buried {
		at := rowAt{tombstonesBucket, key}
		if t, found := e.next.tombstones[key]; found {
			writes[at] = t.row()
		} else if _, found := e.base.tombstones[key]; found {
			writes[at] = nil
		}
	}
}

// movedTombstones reports whether the edit has made or removed any.
func (e *Edit) movedTombstones() bool {
	for key := range e.buried {
		was, before := e.base.tombstones[key]
		is, after := e.next.tombstones[key]
		if before != after || was != is {
			return true
		}
	}
	return false
}

func loadTombstones(tx *bbolt.Tx, c *Catalog, found *catalogState) error {
	c.tombstones = map[string]Tombstone{}
	return eachRow(tx, tombstonesBucket, func(key, value []byte) error {
		t, err := decodeTombstone(key, value)
		if err != nil {
			return err
		}
		c.tombstones[t.key()] = t
		found.Digest ^= rowDigest(tombstonesBucket, key, value)
		return nil
	})
}

func decodeTombstone(key, value []byte) (t Tombstone, err error) {
	payload, err := unframe(tombstonesBucket, key, value)
	if err != nil {
		return t, err
	}
	if err := json.Unmarshal(payload, &t); err != nil {
		return t, fmt.Errorf("row %x of bucket %s: %w", key, tombstonesBucket, err)
	}
	if !bytes.Equal(key, []byte(t.key())) {
		return t, fmt.Errorf("row %x of bucket %s holds the tombstone of %s %s", key, tombstonesBucket, t.Kind, t.Name)
	}
	return t, nil
}
