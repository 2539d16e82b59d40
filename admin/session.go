package admin

import (
	"crypto/sha256"
	"sync"
	"time"
)

// A session ends when it has been idle for so long, and at the latest so long
// after sign-in.
const (
	sessionIdle = 12 * time.Hour
	sessionMax  = 7 * 24 * time.Hour
)

const maxSessions = 1000

// sessions are the browsers that are signed in, by the SHA-256 of their ids.
// They are kept in memory only: a restart signs everybody out. The zero value
// is ready, and safe for concurrent use.
type sessions struct {
	mu   sync.Mutex
	open map[[sha256.Size]byte]lifetime
}

type lifetime struct{ began, seen time.Time }

func (l lifetime) until() time.Time {
	last := l.began.Add(sessionMax)
	if idle := l.seen.Add(sessionIdle); idle.Before(last) {
		return idle
	}
	return last
}

// begin opens a session and returns its id, 256 random bits. Beyond 1,000 it
// ends the one that was idle longest.
func (s *sessions) begin(now time.Time) string {
	id, now := randomText(32), onTheWall(now)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.makeRoom(now)
	if s.open == nil {
		s.open = map[[sha256.Size]byte]lifetime{}
	}
	s.open[sha256.Sum256([]byte(id))] = lifetime{began: now, seen: now}
	return id
}

// use keeps the session with the id from being idle and tells until when it
// lasts; ok is false when there is none.
func (s *sessions) use(id string, now time.Time) (until time.Time, ok bool) {
	key, now := sha256.Sum256([]byte(id)), onTheWall(now)
	s.mu.Lock()
	defer s.mu.Unlock()
	life, ok := s.open[key]
	if !ok {
		return time.Time{}, false
	}
	if !now.Before(life.until()) {
		delete(s.open, key)
		return time.Time{}, false
	}
	life.seen = now
	s.open[key] = life
	return life.until(), true
}

// end signs out whoever has the id.
func (s *sessions) end(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.open, sha256.Sum256([]byte(id)))
}

// onTheWall makes the hours count in which a laptop sleeps.
func onTheWall(now time.Time) time.Time { return now.Round(0) }

func (s *sessions) makeRoom(now time.Time) {
	var idlest [sha256.Size]byte
	var since time.Time
	for key, life := range s.open {
		if !now.Before(life.until()) {
			delete(s.open, key)
		} else if since.IsZero() || life.seen.Before(since) {
			idlest, since = key, life.seen
		}
	}
	if len(s.open) >= maxSessions {
		delete(s.open, idlest)
	}
}
