package store

import (
	"cmp"
	"encoding/json"
	"fmt"
	"time"

	"go.etcd.io/bbolt"
)

// Keys of the meta bucket.
const (
	metaSchema       = "schema"       // number of the format of everything else
	metaInstallation = "installation" // id of the installation, as text
	metaKeyCheck     = "keyCheck"     // a sealed value by which a master key is recognised
	metaCatalog      = "catalog"      // catalogState
	metaUsage        = "usage"        // usageState
)

// catalogState describes the rows of the catalog as a whole. By it a row is
// missed that a damaged page no longer shows.
type catalogState struct {
	Generation uint64 `json:"generation"`
	Rows       int    `json:"rows"`
	Digest     uint64 `json:"digest,string"` // of every row, in any order
}

// usageState describes the usage bucket as a whole.
type usageState struct {
	Events   uint64    `json:"events"`           // number of events
	Sequence uint64    `json:"sequence"`         // the last number given to an event
	Through  time.Time `json:"through,omitzero"` // everything recorded before is in the database
	Running  time.Time `json:"running,omitzero"` // since when the process runs that writes events; zero once it has stopped as it should
	Open     int       `json:"open,omitempty"`   // requests that were to leave an event and had not ended
	Recent   int       `json:"recent,omitempty"` // events of the largest of the recent batches
}

// meta is what the meta bucket holds.
type meta struct {
	schema       int
	installation string
	keyCheck     []byte
	catalog      catalogState
	usage        usageState
}

// readSchema reads the one row whose place and form every version shares.
func readSchema(tx *bbolt.Tx) (int, error) {
	bucket := tx.Bucket([]byte(metaBucket))
	if bucket == nil {
		return 0, fmt.Errorf("it is not a database of Relay: there is no bucket %s", metaBucket)
	}
	var found int
	err := getMeta(bucket, metaSchema, &found)
	return found, err
}

// readMeta reads the meta bucket of a database of the present schema or an older
// one.
func readMeta(tx *bbolt.Tx) (m meta, err error) {
	if m.schema, err = readSchema(tx); err != nil {
		return m, err
	}
	for _, name := range bucketsOf(m.schema) {
		if tx.Bucket([]byte(name)) == nil {
			return m, fmt.Errorf("bucket %s is missing", name)
		}
	}
	bucket := tx.Bucket([]byte(metaBucket))
	return m, cmp.Or(
		getMeta(bucket, metaInstallation, &m.installation),
		getMeta(bucket, metaKeyCheck, &m.keyCheck),
		getMeta(bucket, metaCatalog, &m.catalog),
		getMeta(bucket, metaUsage, &m.usage),
	)
}

func getMeta(bucket *bbolt.Bucket, key string, into any) error {
	value := bucket.Get([]byte(key))
	if value == nil {
		return fmt.Errorf("row %s of bucket %s is missing", key, metaBucket)
	}
	payload, err := unframe(metaBucket, []byte(key), value)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(payload, into); err != nil {
		return fmt.Errorf("row %s of bucket %s: %w", key, metaBucket, err)
	}
	return nil
}

func putMeta(tx *bbolt.Tx, key string, value any) error {
	row, err := encodeMeta(key, value)
	if err != nil {
		return err
	}
	return tx.Bucket([]byte(metaBucket)).Put([]byte(key), row)
}

func encodeMeta(key string, value any) ([]byte, error) {
	payload, err := json.Marshal(value)
	if err != nil {
		return nil, err
	}
	return frame(metaBucket, []byte(key), payload), nil
}
