package store

import (
	"bytes"
	"encoding/json"
	"time"

	"go.etcd.io/bbolt"
)

// Session is a browser that is signed in, known by the SHA-256 of its id.
type Session struct {
	Hash  [32]byte  `json:"-"`
	User  string    `json:"user"`  // id
	Stamp string    `json:"stamp"` // of what the user was and might do at sign-in
	Began time.Time `json:"began"`
	Seen  time.Time `json:"seen"` // when it was last used, or somewhat before
}

// PutSession writes the session, in the place of the one of the same hash.
func (db *DB) PutSession(s Session) error {
	text, _ := json.Marshal(s) // texts and times always encode
	return db.update("write a session", func(tx *bbolt.Tx) error {
		return tx.Bucket([]byte(sessionsBucket)).Put(s.Hash[:], frame(sessionsBucket, s.Hash[:], text))
	})
}

// DeleteSessions removes the sessions with the hashes. Those that do not exist
// are passed over.
func (db *DB) DeleteSessions(hashes ...[32]byte) error {
	if len(hashes) == 0 {
		return nil
	}
	return db.update("end a session", func(tx *bbolt.Tx) error {
		for i := range hashes {
			if err := tx.Bucket([]byte(sessionsBucket)).Delete(hashes[i][:]); err != nil {
				return err
			}
		}
		return nil
	})
}

// Sessions returns all sessions, also those whose time is over. They are at most
// as many as somebody has let begin.
func (db *DB) Sessions() ([]Session, error) {
	var all []Session
	err := db.view(func(tx *bbolt.Tx) error {
		return eachRow(tx, sessionsBucket, func(key, value []byte) error {
			var s Session
			text, err := unframe(sessionsBucket, key, value)
			if err == nil {
				err = json.Unmarshal(text, &s)
			}
			if err != nil {
				return err
			}
			s.Hash = [32]byte(bytes.Clone(key))
			all = append(all, s)
			return nil
		})
	})
	if err != nil {
		return nil, db.damaged(err)
	}
	return all, nil
}
