package admin

import (
	"crypto/sha256"
	"sync"
	"time"

	"github.com/rs/zerolog"

	"relay/store"
)

// A session ends when it has been idle for so long, and at the latest so long
// after sign-in, unless the options say otherwise.
const (
	sessionIdle = 12 * time.Hour
	sessionMax  = 7 * 24 * time.Hour
)

const maxSessions = 1000

// seenInterval is how old the time of last use may be on disk: a session that
// is used all the time is written so often and not at every request.
const seenInterval = 5 * time.Minute

// sessions are the browsers that are signed in, by the SHA-256 of their ids.
// They are kept in memory and on disk. They are safe for concurrent use.
type sessions struct {
	db        *store.DB
	log       zerolog.Logger
	idle, max time.Duration

	mu   sync.Mutex
	open map[[sha256.Size]byte]*openSession
	time steadyTime
}

type openSession struct {
	store.Session
	kept time.Time // Seen, as it is on disk
}

// newSessions takes up what the last run has left.
func newSessions(o Options) *sessions {
	s := &sessions{db: o.DB, log: o.Log, idle: o.SessionIdle, max: o.SessionMax, open: map[[sha256.Size]byte]*openSession{}}
	if s.idle <= 0 {
		s.idle = sessionIdle
	}
	if s.max <= 0 {
		s.max = sessionMax
	}
	kept, err := o.DB.Sessions()
	if err != nil {
		s.log.Error().Err(err).Msg("sessions cannot be read: everybody has to sign in again")
	}
	for _, one := range kept {
		s.open[one.Hash] = &openSession{one, one.Seen}
		if one.Seen.After(s.time.reached) {
			s.time.reached = one.Seen
		}
	}
	return s
}

// until is when a session ends unless it is used before.
func (s *sessions) until(one *openSession) time.Time {
	last := one.Began.Add(s.max)
	if idle := one.Seen.Add(s.idle); idle.Before(last) {
		return idle
	}
	return last
}

// begin opens a session of a user whose rights have the stamp, and returns its
// id, 256 random bits. Beyond 1,000 sessions it ends the one that was idle
// longest. A disk that takes no writes keeps nobody out.
func (s *sessions) begin(user, stamp string, now time.Time) string {
	id := randomText(32)
	s.mu.Lock()
	now = s.time.at(now)
	one := store.Session{Hash: sha256.Sum256([]byte(id)), User: user, Stamp: stamp, Began: now, Seen: now}
	ended := s.makeRoom(now)
	s.open[one.Hash] = &openSession{one, now}
	s.mu.Unlock()
	s.forget(ended)
	if err := s.db.PutSession(one); err != nil {
		s.log.Warn().Err(err).Msg("the session is not on disk and ends with this run")
	}
	return id
}

// use keeps the session with the id from being idle. It returns what is known
// of it and until when it lasts; ok is false when there is none.
func (s *sessions) use(id string, now time.Time) (found store.Session, until time.Time, ok bool) {
	key := sha256.Sum256([]byte(id))
	s.mu.Lock()
	now = s.time.at(now)
	one := s.open[key]
	if one == nil || !now.Before(s.until(one)) {
		delete(s.open, key)
		s.mu.Unlock()
		if one != nil {
			s.forget([][sha256.Size]byte{key})
		}
		return store.Session{}, time.Time{}, false
	}
	one.Seen = now
	stale := one.Seen.Sub(one.kept) >= seenInterval
	if stale {
		one.kept = one.Seen
	}
	found, until = one.Session, s.until(one)
	s.mu.Unlock()
	if stale {
		_ = s.db.PutSession(found) // it then counts as idle for some minutes more after a restart
	}
	return found, until, true
}

// peek is use without keeping the session from being idle.
func (s *sessions) peek(id string, now time.Time) (store.Session, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	one := s.open[sha256.Sum256([]byte(id))]
	if one == nil || !s.time.at(now).Before(s.until(one)) {
		return store.Session{}, false
	}
	return one.Session, true
}

// end ends the session with the id, if there is one.
func (s *sessions) end(id string) {
	if id == "" {
		return
	}
	key := sha256.Sum256([]byte(id))
	s.mu.Lock()
	_, was := s.open[key]
	delete(s.open, key)
	s.mu.Unlock()
	if was {
		s.forget([][sha256.Size]byte{key})
	}
}

// endOf ends every session of the user.
func (s *sessions) endOf(user string) {
	var ended [][sha256.Size]byte
	s.mu.Lock()
	for key, one := range s.open {
		if one.User == user {
			ended = append(ended, key)
			delete(s.open, key)
		}
	}
	s.mu.Unlock()
	s.forget(ended)
}

// forget takes sessions off the disk. One that stays there is refused by its
// stamp or its time.
func (s *sessions) forget(ended [][sha256.Size]byte) {
	if err := s.db.DeleteSessions(ended...); err != nil {
		s.log.Warn().Err(err).Msg("an ended session is still on disk")
	}
}

// makeRoom ends what is over and, when that is not enough, what was idle
// longest, and names what it has ended. The caller holds the lock.
func (s *sessions) makeRoom(now time.Time) (ended [][sha256.Size]byte) {
	var idlest [sha256.Size]byte
	var since time.Time
	for key, one := range s.open {
		if !now.Before(s.until(one)) {
			ended = append(ended, key)
		} else if since.IsZero() || one.Seen.Before(since) {
			idlest, since = key, one.Seen
		}
	}
	if len(s.open)-len(ended) >= maxSessions {
		ended = append(ended, idlest)
	}
	for _, key := range ended {
		delete(s.open, key)
	}
	return ended
}

// steadyTime goes on with the wall clock while a laptop sleeps, and with the
// monotonic clock while the wall clock stands or is set back: no session lives
// longer for it.
type steadyTime struct {
	read    time.Time // the last reading of both clocks
	reached time.Time // never goes back
}

// at returns the time for a reading of the clocks.
func (t *steadyTime) at(now time.Time) time.Time {
	wall := now.Round(0)
	if t.read.IsZero() {
		t.read = now
		if wall.After(t.reached) {
			t.reached = wall
		}
		return t.reached
	}
	step := max(now.Sub(t.read), wall.Sub(t.read.Round(0)), 0)
	t.read, t.reached = now, t.reached.Add(step)
	return t.reached
}
