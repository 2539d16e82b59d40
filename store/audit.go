package store

import (
	"encoding/binary"
	"encoding/json"
	"time"
)

// AuditEntry tells one thing that somebody did, or was refused: a write, a
// sign-in, a call that was not allowed. It holds JSON paths and never values.
type AuditEntry struct {
	ID         string        `json:"id"`
	Time       time.Time     `json:"time"`
	Actor      Actor         `json:"actor"`
	Address    string        `json:"address,omitempty" doc:"Where it came from: an IP address, or socket or process."`
	Action     string        `json:"action" doc:"The operation of the API, such as replace-host or sign-in; or what Relay does by itself."`
	Outcome    string        `json:"outcome" enum:"done,refused"`
	Status     int           `json:"status,omitempty" doc:"The HTTP status of the answer."`
	Reason     string        `json:"reason,omitempty" doc:"Why it was refused."`
	Generation uint64        `json:"generation,omitempty" doc:"Of the catalog, when a write made it."`
	Records    []AuditRecord `json:"records,omitempty"`
	More       int           `json:"more,omitempty" doc:"Records beyond the first 100."`
}

// Actor is who did it.
type Actor struct {
	Kind string `json:"kind" enum:"user,admin-token,token-file,local,system,anonymous" doc:"local is whoever may use the socket or the data directory; system is Relay itself."`
	ID   string `json:"id,omitempty"`
	Name string `json:"name,omitempty"`
}

// AuditRecord is a record that was changed, or was to be.
type AuditRecord struct {
	Kind    Kind     `json:"kind"`
	ID      string   `json:"id,omitempty"`
	Name    string   `json:"name,omitempty"`
	Change  string   `json:"change,omitempty" enum:"create,update,delete"`
	Members []string `json:"members,omitempty" doc:"The JSON paths that differ."`
}

// The outcomes of what is audited.
const (
	AuditDone    = "done"
	AuditRefused = "refused"
)

// maxAuditRecords bounds the records that one entry names.
const maxAuditRecords = 100

// SystemActor is Relay itself.
func SystemActor() Actor { return Actor{Kind: "system"} }

// auditKey orders entries by time; the number tells those of one moment apart.
func auditKey(at time.Time, number uint64) []byte {
	key := binary.BigEndian.AppendUint64(make([]byte, 0, 16), uint64(at.UnixNano()))
	return binary.BigEndian.AppendUint64(key, number)
}

// row gives the entry its id, and makes its row.
func (e *AuditEntry) row(number uint64) (key, value []byte) {
	key = auditKey(e.Time, number)
	e.ID = auditID(key)
	text, _ := json.Marshal(e) // texts and numbers always encode
	return key, frame(auditBucket, key, text)
}
