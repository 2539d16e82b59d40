package store

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"sync"

	"go.etcd.io/bbolt"
)

// hostKeyValues remembers the values of host keys in clear.
type hostKeyValues struct {
	mu     sync.RWMutex
	stored map[valueRef]Secret
	files  map[string]*keyFile // by path
}

// valueRef names one value that a stored host key has or had.
type valueRef struct{ id, hash string }

func (v *hostKeyValues) reset() {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.stored, v.files = map[valueRef]Secret{}, map[string]*keyFile{}
}

func (v *hostKeyValues) remember(ref valueRef, value Secret) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.stored[ref] = value
}

func (v *hostKeyValues) forget(refs []valueRef) {
	v.mu.Lock()
	defer v.mu.Unlock()
	for _, ref := range refs {
		delete(v.stored, ref)
	}
}

func (v *hostKeyValues) recall(ref valueRef) (Secret, bool) {
	v.mu.RLock()
	defer v.mu.RUnlock()
	value, known := v.stored[ref]
	return value, known
}

// HostKeyValue returns the provider key to send upstream. A stored value is
// opened once and then remembered, an environment variable is read each time,
// and a file is looked at again every 10 seconds. The error names the host key,
// never a value, and says what to do. A compiler may call it for the candidate
// that it is given.
func (db *DB) HostKeyValue(k *HostKey) (Secret, error) {
	return db.hostKeyValue(k, db.fileValue)
}

// ReloadHostKeyValue is HostKeyValue, but reads a file now: for a key that the
// upstream has just refused.
func (db *DB) ReloadHostKeyValue(k *HostKey) (Secret, error) {
	return db.hostKeyValue(k, db.reloadFileValue)
}

func (db *DB) hostKeyValue(k *HostKey, fromFile func(path string) (Secret, error)) (value Secret, err error) {
	switch k.Spec.Source.Kind {
	case "stored":
		value, err = db.storedValue(k)
	case "env":
		value, err = db.envValue(k.Spec.Source.Env)
	case "file":
		value, err = fromFile(k.Spec.Source.Path)
	default:
		err = fmt.Errorf("has the unknown source %q", k.Spec.Source.Kind)
	}
	if err == nil && strings.HasPrefix(value.Reveal(), RelayKeyPrefix) {
		err = errors.New("holds a relay key of this gateway: give the key of the provider")
	}
	if err != nil {
		return Secret{}, fmt.Errorf("host key %s: %w", k.Metadata.Name, err)
	}
	return value, nil
}

func (db *DB) envValue(name string) (Secret, error) {
	value := db.options.Getenv(name)
	if value == "" {
		return Secret{}, fmt.Errorf("environment variable %s is unset or empty: set it and start again", name)
	}
	return NewSecret(value), nil
}

// storedValue opens the value that is in the database at present, which for a
// record of an earlier catalog may be a later one than the record's own.
func (db *DB) storedValue(k *HostKey) (Secret, error) {
	ref := valueRef{k.Metadata.ID, k.Spec.ValueHash}
	if value, known := db.values.recall(ref); known {
		return value, nil
	}
	value, err := db.Unseal(KindHostKey, k.Metadata.ID, valueField)
	if err != nil {
		return Secret{}, fmt.Errorf("%w: give its value again with relay hostkey rotate", err)
	}
	if valueHash(value) == ref.hash {
		db.values.remember(ref, value)
	}
	return value, nil
}

// Unseal opens what Edit.Seal has kept. It fails with CodeNotFound when there is
// nothing, and with CodeDamaged when it does not open.
func (db *DB) Unseal(kind Kind, id, field string) (Secret, error) {
	var sealed []byte
	err := db.view(func(tx *bbolt.Tx) error {
		sealed = bytes.Clone(tx.Bucket([]byte(secretsBucket)).Get([]byte(secretPrefix(rowRef{kind, id}) + field)))
		return nil
	})
	if err != nil {
		return Secret{}, db.diskError("read sealed value", err)
	}
	if sealed == nil {
		return Secret{}, &Error{Code: CodeNotFound, Message: "no value is stored"}
	}
	plain, err := db.masterKey().open(place{db.installation, kind, id, field}, sealed)
	if err != nil {
		return Secret{}, &Error{Code: CodeDamaged, Message: "its stored value does not open", Err: err}
	}
	return NewSecret(string(plain)), nil
}
