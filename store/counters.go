package store

import (
	"bytes"

	"go.etcd.io/bbolt"
)

func putCounters(tx *bbolt.Tx, states map[string][]byte) error {
	bucket := tx.Bucket([]byte(countersBucket))
	for name, state := range states {
		err := error(nil)
		if state == nil {
			err = bucket.Delete([]byte(name))
		} else {
			err = bucket.Put([]byte(name), frame(countersBucket, []byte(name), state))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// counter is a row of the counters bucket.
type counter struct {
	name  string
	state []byte
}

// Counters calls each for every counter in the database, in the order of their
// names, and stops at the first error. It is for the time before traffic: what
// is written meanwhile may be missed.
func (db *DB) Counters(each func(name string, state []byte) error) error {
	const page = 1000
	var rows []counter
	for after := ""; ; after = rows[len(rows)-1].name {
		err := db.view(func(tx *bbolt.Tx) (err error) {
			rows, err = readCounters(tx, after, page)
			return err
		})
		if err != nil {
			return db.damaged(err)
		}
		for _, row := range rows {
			if err := each(row.name, row.state); err != nil {
				return err
			}
		}
		if len(rows) < page {
			return nil
		}
	}
}

// readCounters copies out the rows that follow a name.
func readCounters(tx *bbolt.Tx, after string, most int) ([]counter, error) {
	var rows []counter
	cursor := tx.Bucket([]byte(countersBucket)).Cursor()
	key, value := cursor.Seek([]byte(after))
	if string(key) == after {
		key, value = cursor.Next()
	}
	for ; key != nil && len(rows) < most; key, value = cursor.Next() {
		state, err := unframe(countersBucket, key, value)
		if err != nil {
			return nil, err
		}
		rows = append(rows, counter{string(key), bytes.Clone(state)})
	}
	return rows, nil
}
