package store

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"time"
)

// eventKeySize is the size of a key of the usage bucket: nanoseconds since the
// Unix epoch and the number of the event, 8 bytes each, so that keys are in the
// order of time.
const eventKeySize = 16

func eventKey(at time.Time, sequence uint64) (key [eventKeySize]byte) {
	binary.BigEndian.PutUint64(key[:], uint64(max(0, at.UnixNano())))
	binary.BigEndian.PutUint64(key[8:], sequence)
	return key
}

// eventFault says which event a fault is of.
func eventFault(key []byte, err error) error {
	if len(key) != eventKeySize {
		return fmt.Errorf("usage event %x: %w", key, err)
	}
	at := time.Unix(0, int64(binary.BigEndian.Uint64(key))).UTC()
	return fmt.Errorf("usage event %d of %s: %w", eventSequence(key), at.Format(time.RFC3339Nano), err)
}

func eventSequence(key []byte) uint64 { return binary.BigEndian.Uint64(key[8:]) }

// bindEvent mixes the key of an event into its checksum, so that a flipped bit
// of the key is noticed like one of the event.
func bindEvent(key, encoded []byte) {
	if len(encoded) >= eventHeader {
		sum := binary.BigEndian.Uint32(encoded[1:])
		binary.BigEndian.PutUint32(encoded[1:], sum^eventKeySum(key))
	}
}

func eventKeySum(key []byte) uint32 {
	return crc32.Checksum(key, crc32.MakeTable(crc32.Castagnoli))
}
