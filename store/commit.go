package store

import (
	"bytes"
	"maps"
	"strings"

	"go.etcd.io/bbolt"
)

// rowAt names a row of any bucket.
type rowAt struct{ bucket, key string }

// rowWrites are rows to write, nil for those to delete.
type rowWrites map[rowAt][]byte

func (w rowWrites) apply(tx *bbolt.Tx) error {
	for at, value := range w {
		bucket, err := tx.Bucket([]byte(at.bucket)), error(nil)
		if value == nil {
			err = bucket.Delete([]byte(at.key))
		} else {
			err = bucket.Put([]byte(at.key), value)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// commit writes the rows of the edit. When that fails it is not known what the
// disk holds, so the next commit first puts back what was there.
func (db *DB) commit(e *Edit) error {
	const doing = "write the catalog"
	writes := e.rows()
	formers, err := db.formers(e, writes)
	if err != nil {
		return db.diskError(doing, err)
	}
	state := db.stateAfter(e, writes, formers)
	if present := db.masterKey(); e.rekey != nil {
		db.key.Store(present.with(e.rekey)) // whoever reads meanwhile may find either
	}
	all := maps.Clone(db.unsure)
	if all == nil {
		all = rowWrites{}
	}
	maps.Copy(all, writes)
	err = db.update(doing, func(tx *bbolt.Tx) error {
		if err := all.apply(tx); err != nil {
			return err
		}
		return putMeta(tx, metaCatalog, state)
	})
	if err != nil {
		db.unsure = formers
		return err
	}
	db.state, db.unsure = state, nil
	if present := db.masterKey(); e.rekey != nil {
		db.key.Store(e.rekey.with(present))
	}
	return nil
}

// rows returns the rows that the edit writes and deletes, the audit log's too,
// but for sealed values that go with their record.
func (e *Edit) rows() rowWrites {
	writes := rowWrites{}
	for ref := range e.touched {
		key := first(rowKey(ref.id))
		at := rowAt{ref.kind.Plural(), string(key)}
		rec := e.next.Of(ref.kind).Find(ref.id)
		if rec == nil {
			writes[at] = nil
			continue
		}
		writes[at] = encodeRow(ref.kind, key, e.next.Generation, first(encodeRecord(rec)))
	}
	e.tombstoneRows(writes)
	e.shippedRows(writes)
	for key, sealed := range e.secrets.sealed {
		writes[rowAt{secretsBucket, key}] = sealed
	}
	if e.rekey != nil {
		writes[rowAt{metaBucket, metaKeyCheck}] = first(encodeMeta(metaKeyCheck, sealCheck(e.rekey, e.db.installation)))
	}
	at, entry := e.auditRow()
	writes[at] = entry
	return writes
}

// formers adds the sealed values that go to writes, and returns what the rows
// of it and of db.unsure have been so far.
func (db *DB) formers(e *Edit, writes rowWrites) (rowWrites, error) {
	formers := rowWrites{}
	err := db.view(func(tx *bbolt.Tx) error {
		for _, prefix := range e.secrets.dropped {
			db.dropSecrets(tx, prefix, writes)
		}
		for at := range writes {
			formers[at] = bytes.Clone(tx.Bucket([]byte(at.bucket)).Get([]byte(at.key)))
		}
		return nil
	})
	maps.Copy(formers, db.unsure)
	return formers, err
}

// dropSecrets adds the deletion of every sealed value under the prefix, of those
// too that an undone deletion brings back.
func (db *DB) dropSecrets(tx *bbolt.Tx, prefix string, writes rowWrites) {
	cursor := tx.Bucket([]byte(secretsBucket)).Cursor()
	for key, _ := cursor.Seek([]byte(prefix)); strings.HasPrefix(string(key), prefix); key, _ = cursor.Next() {
		writes[rowAt{secretsBucket, string(key)}] = nil
	}
	for at := range db.unsure {
		if at.bucket == secretsBucket && strings.HasPrefix(at.key, prefix) {
			writes[at] = nil
		}
	}
}

func (db *DB) stateAfter(e *Edit, writes, formers rowWrites) catalogState {
	state := db.state
	state.Generation = e.next.Generation
	for at, value := range writes {
		if at.bucket == secretsBucket || at.bucket == auditBucket || at.bucket == metaBucket || at.bucket == shippedBucket {
			continue // sealed values guard themselves, and the others are no part of the catalog
		}
		if former := formers[at]; former != nil {
			state.Rows -= recordsIn(at)
			state.Digest ^= rowDigest(at.bucket, []byte(at.key), former)
		}
		if value != nil {
			state.Rows += recordsIn(at)
			state.Digest ^= rowDigest(at.bucket, []byte(at.key), value)
		}
	}
	return state
}

// recordsIn is how many records a row of the catalog holds: a tombstone is none.
func recordsIn(at rowAt) int {
	if at.bucket == tombstonesBucket {
		return 0
	}
	return 1
}
