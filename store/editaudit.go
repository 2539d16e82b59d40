package store

import (
	"encoding/binary"
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strings"

	"go.etcd.io/bbolt"
)

// automatic is the action of a write that nobody asked for: first boot,
// discovery, an upgrade of the catalogue.
const automatic = "automatic"

// Audit says who makes the change, from where, and by which operation. Without
// it the change counts as Relay's own. The entry is written with the change.
func (e *Edit) Audit(by Actor, address, action string) {
	e.audit.Actor, e.audit.Address, e.audit.Action = by, address, action
}

// Change is a record before and after a change; nil where there is none.
type Change struct{ Before, After AnyRecord }

// Changes returns what the edit has changed so far, in the order of kinds and
// ids, without records that are as they were.
func (e *Edit) Changes() []Change {
	var changes []Change
	for _, ref := range e.refs() {
		c := Change{e.base.Of(ref.kind).Find(ref.id), e.next.Of(ref.kind).Find(ref.id)}
		if c.Before == nil && c.After == nil {
			continue
		}
		if c.Before == nil || c.After == nil || len(e.changedMembers(c.Before, c.After, secretPrefix(ref))) > 0 {
			changes = append(changes, c)
		}
	}
	return changes
}

// auditRow completes the entry of a change that is about to be written.
func (e *Edit) auditRow() (at rowAt, value []byte) {
	if e.audit.Action == "" {
		e.audit.Actor, e.audit.Action = SystemActor(), automatic
	}
	e.audit.Time, e.audit.Outcome, e.audit.Generation = e.db.now(), AuditDone, e.next.Generation
	e.audit.Records, e.audit.More = nil, 0
	for _, ref := range e.refs() {
		if len(e.audit.Records) == maxAuditRecords {
			e.audit.More++
			continue
		}
		e.audit.Records = append(e.audit.Records, e.changeOf(ref))
	}
	key, value := e.audit.row(e.db.audited.Add(1))
	return rowAt{auditBucket, string(key)}, value
}

func (e *Edit) changeOf(ref rowRef) AuditRecord {
	before, after := e.base.Of(ref.kind).Find(ref.id), e.next.Of(ref.kind).Find(ref.id)
	change := AuditRecord{Kind: ref.kind, ID: ref.id}
	switch {
	case after == nil:
		change.Name, change.Change = before.Meta().Name, "delete"
	case before == nil:
		change.Name, change.Change = after.Meta().Name, "create"
	default:
		change.Name, change.Change = after.Meta().Name, "update"
		change.Members = e.changedMembers(before, after, secretPrefix(ref))
	}
	return change
}

func (e *Edit) changedMembers(before, after AnyRecord, secrets string) []string {
	paths := Differences(before, after)
	for key := range e.secrets.sealed {
		if field, of := strings.CutPrefix(key, secrets); of {
			paths = append(paths, "spec."+field)
		}
	}
	slices.Sort(paths)
	return slices.Compact(paths)
}

// Differences returns the JSON paths of the members in which two records of a
// kind differ, lists as a whole, without what every change touches.
func Differences(before, after AnyRecord) []string {
	var paths []string
	differ("", plain(before), plain(after), &paths)
	return slices.DeleteFunc(paths, func(path string) bool { return path == "metadata.updatedAt" })
}

func plain(rec AnyRecord) any {
	var value any
	text, _ := json.Marshal(rec) // records always encode
	_ = json.Unmarshal(text, &value)
	return value
}

func differ(path string, a, b any, paths *[]string) {
	left, isObject := a.(map[string]any)
	right, alike := b.(map[string]any)
	if !isObject || !alike {
		if !reflect.DeepEqual(a, b) {
			*paths = append(*paths, path)
		}
		return
	}
	names := maps.Clone(left)
	maps.Copy(names, right)
	for _, name := range slices.Sorted(maps.Keys(names)) {
		differ(strings.TrimPrefix(path+"."+name, "."), left[name], right[name], paths)
	}
}

// AppendAudit writes an entry about something that has changed no record: a
// sign-in, a refusal. It fills in id and time.
func (db *DB) AppendAudit(entry AuditEntry) error {
	entry.Time = db.now()
	key, value := entry.row(db.audited.Add(1))
	err := db.update("write the audit log", func(tx *bbolt.Tx) error {
		return tx.Bucket([]byte(auditBucket)).Put(key, value)
	})
	if err == nil {
		db.options.OnAudit(entry)
	}
	return err
}

// resumeAudit goes on counting where the last run has ended.
func (db *DB) resumeAudit() error {
	return db.view(func(tx *bbolt.Tx) error {
		if key, _ := tx.Bucket([]byte(auditBucket)).Cursor().Last(); len(key) == 16 {
			db.audited.Store(binary.BigEndian.Uint64(key[8:]))
		}
		return nil
	})
}
