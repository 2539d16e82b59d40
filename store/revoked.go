package store

import (
	"encoding/binary"
	"maps"
	"sync"
	"sync/atomic"
	"time"

	"go.etcd.io/bbolt"
)

// revocations are the inference tokens that are revoked one by one, until they
// would have expired: their ids, and when that is.
type revocations struct {
	writing sync.Mutex
	current atomic.Pointer[map[string]time.Time]
	told    atomic.Pointer[func(id string)]
}

// OnTokenRevoked has f called with the id of every inference token that is
// revoked by its id from now on, once TokenRevoked tells so too. It takes the
// place of the f before. f must neither wait for long nor write to the database.
func (db *DB) OnTokenRevoked(f func(id string)) { db.revoked.told.Store(&f) }

// TokenRevoked reports whether the inference token with the id is revoked. It
// takes no lock.
func (db *DB) TokenRevoked(id string) bool {
	current := db.revoked.current.Load()
	if current == nil {
		return false
	}
	_, revoked := (*current)[id]
	return revoked
}

// RevokeToken revokes the inference token with the id, which expires at the
// time; after it nothing is kept of it.
func (db *DB) RevokeToken(id string, expires time.Time) error {
	db.revoked.writing.Lock()
	defer db.revoked.writing.Unlock()
	next, over := db.revoked.still(db.now())
	err := db.update("revoke a token", func(tx *bbolt.Tx) error {
		bucket := tx.Bucket([]byte(revokedBucket))
		for _, id := range over {
			if err := bucket.Delete([]byte(id)); err != nil {
				return err
			}
		}
		when := binary.BigEndian.AppendUint64(nil, uint64(expires.Unix()))
		return bucket.Put([]byte(id), frame(revokedBucket, []byte(id), when))
	})
	if err != nil {
		return err
	}
	next[id] = expires
	db.revoked.current.Store(&next)
	if tell := db.revoked.told.Load(); tell != nil {
		(*tell)(id)
	}
	return nil
}

// still copies those that have not expired, and names the others.
func (r *revocations) still(now time.Time) (next map[string]time.Time, over []string) {
	next = map[string]time.Time{}
	if current := r.current.Load(); current != nil {
		next = maps.Clone(*current)
	}
	for id, expires := range next {
		if now.After(expires) {
			over = append(over, id)
			delete(next, id)
		}
	}
	return next, over
}

func (db *DB) loadRevoked() error {
	all := map[string]time.Time{}
	err := db.view(func(tx *bbolt.Tx) error {
		return eachRow(tx, revokedBucket, func(key, value []byte) error {
			when, err := unframe(revokedBucket, key, value)
			if err != nil || len(when) != 8 {
				return err
			}
			all[string(key)] = time.Unix(int64(binary.BigEndian.Uint64(when)), 0)
			return nil
		})
	})
	db.revoked.current.Store(&all)
	return err
}
