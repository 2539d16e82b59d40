package store

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"time"

	"go.etcd.io/bbolt"
)

// Bounds of a page of events.
const (
	DefaultEventLimit = 100
	MaxEventLimit     = 1000
)

// scanChunk is how many rows one reading transaction looks at.
const scanChunk = 2000

// EventQuery selects usage events. Zero members select everything; the texts
// must be equal to those of the event.
type EventQuery struct {
	Since, Until time.Time // from Since on, and before Until

	Model        string
	Host         string
	HostKey      string
	Credential   string // id of the relay key
	Principal    string // id
	Organization string
	Team         string
	Project      string
	User         string
	RequestID    string
	ErrorKind    string
	StatusClass  int // 2 for 200 to 299, and so on

	Limit  int    // of a page; default 100, at most 1,000
	Cursor string // the next of the page before
}

// Matches reports whether the event has every text and the status class that
// the query names. The time is not compared.
func (q *EventQuery) Matches(e *Event) bool {
	same := func(want, have string) bool { return want == "" || want == have }
	return same(q.Model, e.Model) && same(q.Host, e.Host) && same(q.HostKey, e.HostKey) &&
		same(q.Credential, e.Credential.ID) && same(q.Principal, e.Principal.ID) &&
		same(q.Organization, e.Organization) && same(q.Team, e.Team) && same(q.Project, e.Project) &&
		same(q.User, e.User) && same(q.RequestID, e.RequestID) && same(q.ErrorKind, e.ErrorKind) &&
		(q.StatusClass == 0 || q.StatusClass == e.Status/100)
}

// Events returns a page of events, the newest first, and the cursor of the next
// page, "" after the last. It fails with CodeInvalid for a cursor that Events
// has not made and for a limit out of range, and with CodeDamaged when an event
// in the way does not match its checksum.
func (db *DB) Events(q EventQuery) (page []Event, next string, err error) {
	if q.Limit < 0 || q.Limit > MaxEventLimit {
		return nil, "", queryError("limit", fmt.Sprintf("must be between 1 and %d", MaxEventLimit))
	}
	if q.Limit == 0 {
		q.Limit = DefaultEventLimit
	}
	from, err := q.upperBound()
	if err != nil {
		return nil, "", err
	}
	err = db.scan(q, from, func(e *Event) bool {
		if len(page) == q.Limit {
			key := eventKey(page[q.Limit-1].At, page[q.Limit-1].Seq)
			next = base64.RawURLEncoding.EncodeToString(key[:])
			return false
		}
		page = append(page, *e)
		return true
	})
	if err != nil {
		return nil, "", err
	}
	return page, next, nil
}

func queryError(field, message string) error {
	return ProblemsError(CodeInvalid, []Problem{{Field: field, Message: message}})
}

// upperBound is the key that every selected event lies below; nil: there is
// none.
func (q *EventQuery) upperBound() ([]byte, error) {
	var bound []byte
	if !q.Until.IsZero() {
		key := eventKey(q.Until, 0)
		bound = key[:]
	}
	if q.Cursor == "" {
		return bound, nil
	}
	cursor, err := base64.RawURLEncoding.DecodeString(q.Cursor)
	if err != nil || len(cursor) != eventKeySize {
		return nil, queryError("cursor", "must be the next of an earlier page")
	}
	if bound == nil || bytes.Compare(cursor, bound) < 0 {
		bound = cursor
	}
	return bound, nil
}

// scan calls each for the selected events below a key, newest first, until it
// returns false. No transaction lasts longer than a chunk.
func (db *DB) scan(q EventQuery, below []byte, each func(e *Event) bool) error {
	s := eventScan{query: &q, below: below, each: each}
	if !q.Since.IsZero() {
		key := eventKey(q.Since, 0)
		s.since = key[:]
	}
	s.reader.ids = map[[idSize]byte]string{}
	for !s.done {
		if err := db.view(s.chunk); err != nil {
			return db.damaged(err)
		}
	}
	return nil
}

// eventScan is a walk over events from new to old.
type eventScan struct {
	query  *EventQuery
	since  []byte // the least key
	below  []byte // every key left to look at is below; nil: no bound
	each   func(e *Event) bool
	done   bool
	reader eventReader
}

func (s *eventScan) chunk(tx *bbolt.Tx) error {
	cursor := tx.Bucket([]byte(usageBucket)).Cursor()
	key, value := lastBelow(cursor, s.below)
	for range scanChunk {
		if key == nil || bytes.Compare(key, s.since) < 0 {
			s.done = true
			return nil
		}
		if err := s.row(key, value); err != nil || s.done {
			return err
		}
		s.below = append(s.below[:0:0], key...)
		key, value = cursor.Prev()
	}
	return nil
}

func (s *eventScan) row(key, value []byte) error {
	var e Event
	if err := s.reader.readRow(key, value, &e); err != nil {
		return eventFault(key, err)
	}
	if s.query.Matches(&e) && !s.each(&e) {
		s.done = true
	}
	return nil
}

// lastBelow moves to the last key below the bound.
func lastBelow(cursor *bbolt.Cursor, bound []byte) (key, value []byte) {
	if bound == nil {
		return cursor.Last()
	}
	if key, _ := cursor.Seek(bound); key == nil {
		return cursor.Last()
	}
	return cursor.Prev()
}
