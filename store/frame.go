package store

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"

	"go.etcd.io/bbolt"
)

// Buckets beside the one that each kind has under its plural name.
const (
	secretsBucket  = "secrets"
	metaBucket     = "meta"
	usageBucket    = "usage"
	countersBucket = "counters"
	sessionsBucket = "sessions"
	revokedBucket  = "revoked"
	auditBucket    = "audit"

	tombstonesBucket = "tombstones"
	shippedBucket    = "shipped"
)

// bucketNames lists every bucket.
func bucketNames() []string {
	names := []string{metaBucket, secretsBucket, usageBucket, countersBucket, sessionsBucket, revokedBucket, auditBucket, tombstonesBucket, shippedBucket}
	for _, kind := range Kinds() {
		names = append(names, kind.Plural())
	}
	return names
}

// A frame is a version byte, a CRC-32C and a payload. The checksum covers
// bucket and key too, since bbolt notices flipped bytes in neither.
const (
	frameVersion = 1
	frameHeader  = 5
)

func frame(bucket string, key, payload []byte) []byte {
	value := make([]byte, frameHeader, frameHeader+len(payload))
	value[0] = frameVersion
	binary.BigEndian.PutUint32(value[1:], frameSum(bucket, key, payload))
	return append(value, payload...)
}

// unframe returns the payload, which is part of value.
func unframe(bucket string, key, value []byte) ([]byte, error) {
	if len(value) < frameHeader {
		return nil, fmt.Errorf("row %x of bucket %s is cut short", key, bucket)
	}
	if value[0] != frameVersion {
		return nil, fmt.Errorf("row %x of bucket %s has the unknown format %d", key, bucket, value[0])
	}
	payload := value[frameHeader:]
	if binary.BigEndian.Uint32(value[1:]) != frameSum(bucket, key, payload) {
		return nil, fmt.Errorf("row %x of bucket %s does not match its checksum", key, bucket)
	}
	return payload, nil
}

func frameSum(bucket string, key, payload []byte) uint32 {
	table := crc32.MakeTable(crc32.Castagnoli)
	sum := crc32.Update(0, table, append([]byte(bucket), 0))
	sum = crc32.Update(sum, table, key)
	return crc32.Update(sum, table, payload)
}

// eachRow visits the rows of a bucket; a database of an older schema may lack
// it.
func eachRow(tx *bbolt.Tx, bucket string, visit func(key, value []byte) error) error {
	if b := tx.Bucket([]byte(bucket)); b != nil {
		return b.ForEach(visit)
	}
	return nil
}
