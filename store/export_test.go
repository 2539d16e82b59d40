package store

import (
	"encoding/binary"
	"reflect"
	"unsafe"
)

// HookWrites has hook called in place of every write to the database file that
// bbolt makes; nil undoes that. Write is what bbolt would have done, and meta
// tells whether it ends a transaction.
func HookWrites(db *DB, hook func(meta bool, write func() (int, error)) (int, error)) {
	db.gate.Lock()
	defer db.gate.Unlock()
	ops := reflect.ValueOf(db.bolt).Elem().FieldByName("ops").FieldByName("writeAt")
	field := (*func([]byte, int64) (int, error))(unsafe.Pointer(ops.UnsafeAddr()))
	*field = func(b []byte, offset int64) (int, error) {
		write := func() (int, error) { return db.file.WriteAt(b, offset) }
		if hook == nil {
			return write()
		}
		return hook(offset < 2*int64(db.bolt.Info().PageSize), write)
	}
}

// SealEvent makes an encoded event of its fields, whatever they hold.
func SealEvent(fields []byte) []byte {
	b := append([]byte{eventVersion, 0, 0, 0, 0}, fields...)
	binary.BigEndian.PutUint32(b[1:], eventSum(b))
	return b
}
