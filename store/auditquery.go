package store

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"go.etcd.io/bbolt"
)

// AuditQuery selects entries of the audit log. What is empty selects all.
type AuditQuery struct {
	Since, Until time.Time // from Since on, before Until
	Actor        string    // kind, id or name
	Action       string
	Outcome      string
	Kind         Kind   // of a record that was changed
	Record       string // its id or name
	Limit        int    // at most
	Cursor       string // the next of the page before
}

// maxAuditScan bounds the rows that one transaction reads.
const maxAuditScan = 5000

// Audit returns a page of the audit log, newest first, and the cursor of the
// next one, "" on the last. It fails with CodeInvalid for a cursor that is none.
func (db *DB) Audit(q AuditQuery) (entries []AuditEntry, next string, err error) {
	from, err := q.start()
	if err != nil {
		return nil, "", err
	}
	for {
		var seen int
		err := db.view(func(tx *bbolt.Tx) (err error) {
			seen, err = q.read(tx, &from, &entries)
			return err
		})
		switch {
		case err != nil:
			return nil, "", db.damaged(err)
		case len(entries) == q.Limit:
			return entries, auditID(from), nil
		case seen < maxAuditScan:
			return entries, "", nil
		}
	}
}

// read adds the entries that are wanted, from the newest before the key on, and
// moves the key behind the last row that it has looked at.
func (q *AuditQuery) read(tx *bbolt.Tx, before *[]byte, entries *[]AuditEntry) (seen int, err error) {
	cursor := tx.Bucket([]byte(auditBucket)).Cursor()
	key, value := lastBelow(cursor, *before)
	since := auditKey(q.Since, 0)
	for ; key != nil && seen < maxAuditScan && len(*entries) < q.Limit; key, value = cursor.Prev() {
		if !q.Since.IsZero() && string(key) < string(since) {
			return 0, nil
		}
		seen++
		*before = slices.Clone(key)
		var entry AuditEntry
		text, err := unframe(auditBucket, key, value)
		if err == nil {
			err = json.Unmarshal(text, &entry)
		}
		if err != nil {
			return seen, err
		}
		if q.selects(&entry) {
			*entries = append(*entries, entry)
		}
	}
	return seen, nil
}

// start returns the key before which the page begins; nil: at the newest.
func (q *AuditQuery) start() ([]byte, error) {
	if q.Cursor != "" {
		key, err := base64.RawURLEncoding.DecodeString(q.Cursor)
		if err != nil || len(key) != 16 {
			return nil, &Error{Code: CodeInvalid, Message: "the cursor must be the next of a page of the same query"}
		}
		return key, nil
	}
	if q.Until.IsZero() {
		return nil, nil
	}
	return auditKey(q.Until, 0), nil
}

func auditID(key []byte) string { return base64.RawURLEncoding.EncodeToString(key) }

func (q *AuditQuery) selects(e *AuditEntry) bool {
	actor := q.Actor == "" || q.Actor == e.Actor.Kind || q.Actor == e.Actor.ID || strings.EqualFold(q.Actor, e.Actor.Name)
	return actor && (q.Action == "" || q.Action == e.Action) && (q.Outcome == "" || q.Outcome == e.Outcome) && q.selectsRecord(e)
}

func (q *AuditQuery) selectsRecord(e *AuditEntry) bool {
	if q.Kind == "" && q.Record == "" {
		return true
	}
	return slices.ContainsFunc(e.Records, func(r AuditRecord) bool {
		return (q.Kind == "" || q.Kind == r.Kind) && (q.Record == "" || q.Record == r.ID || strings.EqualFold(q.Record, r.Name))
	})
}

// pruneBatch bounds the rows that one transaction deletes.
const pruneBatch = 1000

// PruneAudit deletes the entries of before the time, in transactions so small
// that no other writer waits for long, and returns how many they were.
func (db *DB) PruneAudit(before time.Time) (deleted int, err error) {
	for {
		var n int
		err := db.update("prune the audit log", func(tx *bbolt.Tx) (err error) {
			n, err = deleteBefore(tx, auditBucket, auditKey(before, 0), pruneBatch)
			return err
		})
		deleted += n
		if err != nil || n < pruneBatch {
			return deleted, err
		}
	}
}

// deleteBefore deletes the rows before the key, so many at most.
func deleteBefore(tx *bbolt.Tx, bucket string, before []byte, most int) (int, error) {
	rows := tx.Bucket([]byte(bucket))
	var doomed [][]byte
	cursor := rows.Cursor()
	for key, _ := cursor.First(); key != nil && string(key) < string(before) && len(doomed) < most; key, _ = cursor.Next() {
		doomed = append(doomed, slices.Clone(key))
	}
	for _, key := range doomed {
		if err := rows.Delete(key); err != nil {
			return 0, fmt.Errorf("delete row %x of bucket %s: %w", key, bucket, err)
		}
	}
	return len(doomed), nil
}
