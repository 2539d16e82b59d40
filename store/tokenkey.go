package store

import (
	"crypto/ed25519"
	"crypto/rand"
	"encoding/json"
	"strings"
	"time"

	"github.com/google/uuid"
	"go.etcd.io/bbolt"
)

// TokenKey signs inference tokens, or did.
type TokenKey struct {
	ID      string
	Private ed25519.PrivateKey
	Until   time.Time // when the last token that it has signed expires; zero: it signs
}

// keptTokenKey is what is sealed of a key.
type keptTokenKey struct {
	Seed  []byte    `json:"seed"`
	Until time.Time `json:"until,omitzero"`
}

// Where token keys are sealed: there is no record of the kind.
const (
	tokenKeyKind  Kind   = "token-key"
	tokenKeyField string = "seed"
)

// TokenKeys opens the keys whose tokens still verify at the time; the one that
// signs, if there is one, comes first.
func (db *DB) TokenKeys(now time.Time) ([]TokenKey, error) {
	sealed, err := db.sealedTokenKeys()
	if err != nil {
		return nil, err
	}
	var keys []TokenKey
	for id, box := range sealed {
		key, err := db.openTokenKey(id, box)
		if err != nil {
			return nil, err
		}
		switch {
		case key.Until.IsZero():
			keys = append([]TokenKey{key}, keys...)
		case now.Before(key.Until):
			keys = append(keys, key)
		}
	}
	return keys, nil
}

func (db *DB) openTokenKey(id string, box []byte) (TokenKey, error) {
	var kept keptTokenKey
	text, err := db.masterKey().open(place{db.installation, tokenKeyKind, id, tokenKeyField}, box)
	if err == nil {
		err = json.Unmarshal(text, &kept)
	}
	if err != nil || len(kept.Seed) != ed25519.SeedSize {
		return TokenKey{}, &Error{Code: CodeDamaged, Message: "the key that signs inference tokens does not open", Err: err}
	}
	return TokenKey{id, ed25519.NewKeyFromSeed(kept.Seed), kept.Until}, nil
}

// sealedTokenKeys returns the sealed keys by id.
func (db *DB) sealedTokenKeys() (map[string][]byte, error) {
	found := map[string][]byte{}
	prefix := string(tokenKeyKind) + "\x00"
	err := db.view(func(tx *bbolt.Tx) error {
		cursor := tx.Bucket([]byte(secretsBucket)).Cursor()
		for key, value := cursor.Seek([]byte(prefix)); strings.HasPrefix(string(key), prefix); key, value = cursor.Next() {
			id, _, _ := strings.Cut(strings.TrimPrefix(string(key), prefix), "\x00")
			found[id] = append([]byte(nil), value...)
		}
		return nil
	})
	if err != nil {
		return nil, db.diskError("read the keys of inference tokens", err)
	}
	return found, nil
}

// RotateTokenKey makes the key that signs inference tokens from now on. The
// former one goes on verifying until the time by which its last token expires,
// and keys beyond theirs go.
func (e *Edit) RotateTokenKey(now, until time.Time) error {
	former, err := e.db.sealedTokenKeys()
	if err != nil {
		return err
	}
	for id, box := range former {
		key, err := e.db.openTokenKey(id, box)
		switch {
		case err != nil:
			return err
		case key.Until.IsZero():
			key.Until = until
			e.sealTokenKey(key)
		case !now.Before(key.Until):
			e.Seal(tokenKeyKind, id, tokenKeyField, Secret{})
		}
	}
	_, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		return err
	}
	e.sealTokenKey(TokenKey{ID: uuid.NewString(), Private: private})
	return nil
}

func (e *Edit) sealTokenKey(key TokenKey) {
	text, _ := json.Marshal(keptTokenKey{key.Private.Seed(), key.Until}) // bytes and times always encode
	e.Seal(tokenKeyKind, key.ID, tokenKeyField, NewSecret(string(text)))
}
