package store

import (
	"errors"
	"io/fs"
	"os"
	"time"

	"github.com/google/uuid"
	"go.etcd.io/bbolt"
)

// make makes the master key, when there is none, and then the database. It is
// filled under another name, so that a power cut leaves either all of it or
// nothing, and two processes that start together end up with one.
func (db *DB) make() error {
	key, err := firstMasterKey(db.options)
	if err != nil {
		return err
	}
	err = buildNew(db.path(), func(draft *os.File) error {
		return fillNew(draft.Name(), key)
	})
	if err != nil && !errors.Is(err, fs.ErrExist) {
		return db.diskError("make database "+db.path(), err)
	}
	return nil
}

func fillNew(path string, key *masterKey) error {
	options := *bbolt.DefaultOptions
	options.Timeout = time.Second
	bolt, err := bbolt.Open(path, 0o600, &options)
	if err != nil {
		return err
	}
	err = bolt.Update(func(tx *bbolt.Tx) error {
		if err := addBuckets(tx, bucketNames()); err != nil {
			return err
		}
		return putFirstMeta(tx, key)
	})
	return errors.Join(err, bolt.Close())
}

func putFirstMeta(tx *bbolt.Tx, key *masterKey) error {
	installation := uuid.NewString()
	return errors.Join(
		putMeta(tx, metaSchema, schema),
		putMeta(tx, metaInstallation, installation),
		putMeta(tx, metaKeyCheck, sealCheck(key, installation)),
		putMeta(tx, metaCatalog, catalogState{}),
		putMeta(tx, metaUsage, usageState{}),
	)
}

// sealCheck seals the value by which a master key is recognised.
func sealCheck(key *masterKey, installation string) []byte {
	return key.seal(keyCheckPlace(installation), []byte("relay"))
}

// keyCheckPlace is where the value belongs by which a master key is recognised.
func keyCheckPlace(installation string) place {
	return place{installation: installation, field: "key check"}
}
