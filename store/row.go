package store

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"fmt"

	"github.com/google/uuid"
	"go.etcd.io/bbolt"
)

// generationSize is the size of what stands before the JSON of a record.
const generationSize = 8

// rowKey returns the 16 bytes under which a record is kept.
func rowKey(id string) ([]byte, error) {
	if !IsID(id) {
		return nil, fmt.Errorf("%q is not a record id", id)
	}
	key, err := uuid.Parse(id)
	return key[:], err
}

// encodeRow returns the row of a record that was changed in the generation.
func encodeRow(kind Kind, key []byte, generation uint64, text []byte) []byte {
	payload := binary.BigEndian.AppendUint64(make([]byte, 0, generationSize+len(text)), generation)
	return frame(kind.Plural(), key, append(payload, text...))
}

// decodeRow reads a row into a new record of the kind.
func decodeRow(table Records, key, value []byte) (AnyRecord, error) {
	bucket := table.Kind().Plural()
	payload, err := unframe(bucket, key, value)
	if err != nil {
		return nil, err
	}
	if len(payload) < generationSize {
		return nil, fmt.Errorf("row %x of bucket %s is cut short", key, bucket)
	}
	rec, err := decodeRecord(table, payload[generationSize:])
	if err != nil {
		return nil, fmt.Errorf("row %x of bucket %s: %w", key, bucket, err)
	}
	rec.Meta().Generation = binary.BigEndian.Uint64(payload)
	if id, err := rowKey(rec.Meta().ID); err != nil || !bytes.Equal(id, key) {
		return nil, fmt.Errorf("row %x of bucket %s holds the record %q", key, bucket, rec.Meta().ID)
	}
	return rec, nil
}

func encodeRecord(rec AnyRecord) ([]byte, error) { return json.Marshal(rec) }

func decodeRecord(table Records, text []byte) (AnyRecord, error) {
	rec := table.New()
	return rec, json.Unmarshal(text, rec)
}

// rowDigest is what a row adds to catalogState.Digest, by exclusive or.
func rowDigest(bucket string, key, value []byte) uint64 {
	hash := sha256.New()
	hash.Write(append([]byte(bucket), 0))
	hash.Write(key)
	hash.Write(value)
	return binary.BigEndian.Uint64(hash.Sum(nil))
}

// loadCatalog reads every record and compares them with what the meta bucket
// says about them.
func loadCatalog(tx *bbolt.Tx, want catalogState) (*Catalog, error) {
	c := NewCatalog()
	c.Generation = want.Generation
	found := catalogState{Generation: want.Generation}
	for _, kind := range Kinds() {
		if err := loadTable(tx, c.Of(kind), &found); err != nil {
			return nil, err
		}
	}
	if err := loadTombstones(tx, c, &found); err != nil {
		return nil, err
	}
	if found.Rows != want.Rows {
		return nil, fmt.Errorf("the catalog holds %d records where it should hold %d", found.Rows, want.Rows)
	}
	if found.Digest != want.Digest {
		return nil, fmt.Errorf("the catalog does not match its checksum: a record is gone or stands for another")
	}
	return c, nil
}

func loadTable(tx *bbolt.Tx, table Records, found *catalogState) error {
	name := table.Kind().Plural()
	return eachRow(tx, name, func(key, value []byte) error {
		rec, err := decodeRow(table, key, value)
		if err != nil {
			return err
		}
		if other := table.FindByName(rec.Meta().Name); other != nil {
			return fmt.Errorf("bucket %s holds two records of the name %q", name, rec.Meta().Name)
		}
		table.put(rec)
		found.Rows++
		found.Digest ^= rowDigest(name, key, value)
		return nil
	})
}
