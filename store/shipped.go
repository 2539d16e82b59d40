package store

import (
	"encoding/json"
	"time"

	"go.etcd.io/bbolt"
)

// Shipped tells which text of the catalogue that Relay ships the records of its
// origin were last written from, and from which before. The texts are opaque
// here.
type Shipped struct {
	Present *ShippedText `json:"present,omitempty"` // nil: none has ever been written
	Former  *ShippedText `json:"former,omitempty"`  // that a rollback goes back to; nil: there is none
	Refused int          `json:"refused,omitempty"` // the release that a rollback has gone back from; 0: none
}

// ShippedText is one text of the catalogue.
type ShippedText struct {
	Release int       `json:"release"`
	Date    string    `json:"date"`   // of the release: YYYY-MM-DD
	Source  string    `json:"source"` // embedded, or the file or URL that it was read from
	Since   time.Time `json:"since"`  // when it was written
	Text    []byte    `json:"text"`
}

// shippedKey is the one key of the bucket. The texts are large, so that they lie
// apart from rows that are written often.
const shippedKey = "shipped"

// Shipped returns the texts that are kept; none in a database of which no text
// was ever told.
func (db *DB) Shipped() (s Shipped, err error) {
	err = db.view(func(tx *bbolt.Tx) error {
		value := tx.Bucket([]byte(shippedBucket)).Get([]byte(shippedKey))
		if value == nil {
			return nil
		}
		payload, err := unframe(shippedBucket, []byte(shippedKey), value)
		if err != nil {
			return db.damaged(err)
		}
		return json.Unmarshal(payload, &s)
	})
	return s, err
}

// SetShipped keeps other texts, in the transaction of the edit.
func (e *Edit) SetShipped(s Shipped) { e.shipped = &s }

func (e *Edit) shippedRows(writes rowWrites) {
	if e.shipped == nil {
		return
	}
	text, _ := json.Marshal(e.shipped) // plain texts and times, which always encode
	writes[rowAt{shippedBucket, shippedKey}] = frame(shippedBucket, []byte(shippedKey), text)
}
