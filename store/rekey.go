package store

import (
	"bytes"
	"crypto/rand"
	"encoding/base64"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"go.etcd.io/bbolt"
)

// MasterKeyState tells which master key seals the secrets of a database, and
// nothing by which it could be had.
type MasterKeyState struct {
	ID     string `json:"id" doc:"The first bytes of its SHA-256, in hex."`
	File   string `json:"file,omitempty" doc:"Where it lies; absent: RELAY_MASTER_KEY holds it."`
	Sealed int    `json:"sealed" doc:"Values that are sealed with it."`
	Former string `json:"former,omitempty" doc:"After a rotation: where the key lies that opens backups from before."`
}

// MasterKey tells about the present master key.
func (db *DB) MasterKey() (MasterKeyState, error) {
	state := MasterKeyState{ID: db.masterKey().id.String()}
	if db.options.MasterKey.IsZero() {
		state.File = db.options.MasterKeyFile
	}
	err := db.view(func(tx *bbolt.Tx) error {
		state.Sealed = tx.Bucket([]byte(secretsBucket)).Stats().KeyN
		return nil
	})
	if err != nil {
		return state, db.diskError("count sealed values", err)
	}
	return state, nil
}

// RotateMasterKey seals every secret with a new master key, in one transaction,
// and then puts the new key in the place of the file. Interrupted anywhere it is
// wholly done or not at all: until the transaction is on disk the new key lies
// beside the file, and Open takes the one that fits. The former key stays beside
// it under its id, for backups from before.
//
// It fails with CodeConflict when the key was not read from a file, and with
// CodeUnavailable when the disk refuses.
func (db *DB) RotateMasterKey(by Actor, address, action string) (MasterKeyState, error) {
	if !db.options.MasterKey.IsZero() {
		return MasterKeyState{}, &Error{Code: CodeConflict, Message: "the master key comes from RELAY_MASTER_KEY, which Relay cannot replace: start it with the key in a file (master_key_file) first"}
	}
	former := db.masterKey()
	_, err := db.Write(func(e *Edit) error {
		e.Audit(by, address, action)
		return e.reseal()
	})
	if err != nil {
		return MasterKeyState{}, err
	}
	if err := db.options.placeNextKey(); err != nil {
		return MasterKeyState{}, &Error{Code: CodeUnavailable, Message: fmt.Sprintf("secrets are sealed with the new master key, but that could not be put into %s: keep %s, the next start does it", db.options.MasterKeyFile, db.options.nextKeyFile()), Err: err}
	}
	state, err := db.MasterKey()
	state.Former = db.options.formerKeyFile(former.id)
	return state, err
}

// reseal makes a new master key, writes it beside the file of the present one,
// and seals everything with it.
func (e *Edit) reseal() error {
	if e.db.unsure != nil {
		return &Error{Code: CodeUnavailable, Message: "the last change could not be written, and nobody knows what the disk holds of it: change something, or start Relay again, and repeat"}
	}
	raw := make([]byte, masterKeySize)
	_, _ = rand.Read(raw) // never fails
	next, err := newMasterKey(raw)
	if err != nil {
		return err
	}
	if err := e.resealWith(next); err != nil {
		return err
	}
	if err := e.db.options.keepKeys(e.db.masterKey().id, raw); err != nil {
		return &Error{Code: CodeUnavailable, Message: "write the new master key beside " + e.db.options.MasterKeyFile, Err: err}
	}
	e.rekey = next
	return nil
}

func (e *Edit) resealWith(next *masterKey) error {
	present := e.db.masterKey()
	err := e.db.view(func(tx *bbolt.Tx) error {
		return tx.Bucket([]byte(secretsBucket)).ForEach(func(key, sealed []byte) error {
			at, err := placeOf(e.db.installation, key)
			if err != nil {
				return err
			}
			plain, err := present.open(at, sealed)
			if err != nil {
				return fmt.Errorf("%s of %s %s: %w", at.field, at.kind, at.id, err)
			}
			e.secrets.sealed[string(key)] = next.seal(at, plain)
			return nil
		})
	})
	if err != nil {
		return &Error{Code: CodeDamaged, Message: "a sealed value does not open, so that nothing was changed; relay db check names every one", Err: err}
	}
	return nil
}

// placeOf reads the key of a row of the secrets bucket.
func placeOf(installation string, key []byte) (place, error) {
	parts := strings.SplitN(string(key), "\x00", 3)
	if len(parts) != 3 {
		return place{}, fmt.Errorf("sealed value under the unknown key %q", key)
	}
	return place{installation, Kind(parts[0]), parts[1], parts[2]}, nil
}

// keepKeys writes the next key, and the present one under its id.
func (o Options) keepKeys(present keyID, next []byte) error {
	text, err := os.ReadFile(o.MasterKeyFile)
	if err != nil {
		return err
	}
	for path, content := range map[string][]byte{
		o.formerKeyFile(present): text,
		o.nextKeyFile():          []byte(base64.StdEncoding.EncodeToString(next) + "\n"),
	} {
		if err := os.Remove(path); err != nil && !os.IsNotExist(err) {
			return err
		}
		if err := makeNew(path, content); err != nil {
			return err
		}
	}
	return nil
}

// removeKeyDrafts removes what rotations have left that were cut off while they
// wrote a file.
func (o Options) removeKeyDrafts() {
	dir, name := filepath.Split(o.MasterKeyFile)
	entries, _ := os.ReadDir(filepath.Clean(dir))
	for _, entry := range entries {
		if rest, beside := strings.CutPrefix(entry.Name(), name+"."); beside && strings.Contains(rest, ".new-") {
			_ = os.Remove(filepath.Join(dir, entry.Name()))
		}
	}
}

// nextKeyFile holds the key of a rotation under way.
func (o Options) nextKeyFile() string { return o.MasterKeyFile + ".next" }

// formerKeyFile holds a key that was replaced.
func (o Options) formerKeyFile(id keyID) string { return o.MasterKeyFile + "." + id.String() }

// placeNextKey ends a rotation whose transaction is on disk.
func (o Options) placeNextKey() error {
	if err := os.Rename(o.nextKeyFile(), o.MasterKeyFile); err != nil {
		return err
	}
	return syncDir(filepath.Dir(o.MasterKeyFile))
}

// settleRotation finishes or forgets a rotation that was interrupted, by which
// key the database needs. Nothing is touched for a database that other keys
// seal.
func (db *DB) settleRotation(check []byte) error {
	o := db.options
	o.removeKeyDrafts()
	text, err := os.ReadFile(o.nextKeyFile())
	if err != nil || !o.MasterKey.IsZero() {
		return nil // no rotation was under way
	}
	needed, err := sealedBy(check)
	if err != nil {
		return err
	}
	if next, err := parseMasterKey(string(bytes.TrimSpace(text))); err == nil && next.id == needed {
		db.log.Info().Str("file", o.MasterKeyFile).Msg("master key rotated: the new key takes its place")
		return o.placeNextKey()
	}
	if present, err := readMasterKey(o); err == nil && present.id == needed {
		return os.Remove(o.nextKeyFile())
	}
	return nil
}
