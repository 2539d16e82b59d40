package store

import (
	"context"
	"fmt"

	"go.etcd.io/bbolt"
)

// Verify reads everything in the database and calls each for every fault: pages
// of bbolt, records, events and counters that are not as they were written, and
// sealed values that do not open. Writes wait meanwhile. It returns an error
// when it could not go on, and need not be called for what Open finds itself.
func (db *DB) Verify(each func(fault string)) error {
	db.writing.Lock()
	defer db.writing.Unlock()
	db.gate.Lock()
	defer db.gate.Unlock()
	err := db.view(func(tx *bbolt.Tx) error {
		if err := db.checkLength(tx); err != nil {
			return err
		}
		return verifier{context.Background(), db, tx, each}.everything()
	})
	if err != nil {
		return db.damaged(err)
	}
	return nil
}

type verifier struct {
	ctx  context.Context
	db   *DB
	tx   *bbolt.Tx
	each func(fault string)
}

// everything reads the rows before bbolt checks its pages: that takes place on
// another goroutine, where a page outside of the file would end the process.
func (v verifier) everything() error {
	v.catalog()
	if err := v.usage(); err != nil {
		return err
	}
	for _, bucket := range []string{countersBucket, sessionsBucket, revokedBucket, auditBucket, shippedBucket} {
		v.framed(bucket)
	}
	if err := v.secrets(); err != nil {
		return err
	}
	for err := range v.tx.Check() {
		v.fault(err)
	}
	return nil
}

func (v verifier) fault(err error) {
	if err != nil {
		v.each(err.Error())
	}
}

// catalog names every row that cannot be read, and else what is wrong with them
// as a whole.
func (v verifier) catalog() {
	m, err := readMeta(v.tx)
	v.fault(err)
	if err != nil || v.rows() > 0 {
		return
	}
	_, err = loadCatalog(v.tx, m.catalog)
	v.fault(err)
}

func (v verifier) rows() (faults int) {
	c := NewCatalog()
	for _, kind := range Kinds() {
		_ = eachRow(v.tx, kind.Plural(), func(key, value []byte) error {
			if _, err := decodeRow(c.Of(kind), key, value); err != nil {
				v.fault(err)
				faults++
			}
			return nil
		})
	}
	_ = eachRow(v.tx, tombstonesBucket, func(key, value []byte) error {
		if _, err := decodeTombstone(key, value); err != nil {
			v.fault(err)
			faults++
		}
		return nil
	})
	return faults
}

// usage reads every event, and compares their number with what the last batch
// says.
func (v verifier) usage() error {
	var reader eventReader
	found := uint64(0)
	err := v.tx.Bucket([]byte(usageBucket)).ForEach(func(key, value []byte) error {
		var e Event
		if err := reader.readRow(key, value, &e); err != nil {
			v.fault(eventFault(key, err))
		}
		found++
		return v.ctx.Err()
	})
	if err != nil {
		return err
	}
	m, err := readMeta(v.tx)
	if err == nil && m.usage.Events != found {
		v.fault(fmt.Errorf("the usage bucket holds %d events where it should hold %d", found, m.usage.Events))
	}
	return nil
}

// framed names the rows of a bucket that are not as they were written.
func (v verifier) framed(bucket string) {
	_ = eachRow(v.tx, bucket, func(key, value []byte) error {
		_, err := unframe(bucket, key, value)
		v.fault(err)
		return nil
	})
}

func (v verifier) secrets() error {
	return v.tx.Bucket([]byte(secretsBucket)).ForEach(func(key, sealed []byte) error {
		at, err := placeOf(v.db.installation, key)
		if err != nil {
			v.fault(err)
			return nil
		}
		if _, err := v.db.masterKey().open(at, sealed); err != nil {
			v.fault(fmt.Errorf("%s of %s %s: %w", at.field, at.kind, at.id, err))
		}
		return nil
	})
}
