package store

import (
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"
)

// Edit is a change of the catalog in the making. It is valid, for one
// goroutine, while the function runs that Write has given it to.
type Edit struct {
	db      *DB
	base    *Catalog
	next    *Catalog
	now     time.Time // in UTC and whole seconds, as records keep it
	forked  map[Kind]bool
	touched map[rowRef]bool
	faults  map[rowRef][]Problem // by record, of its last Put
	secrets secretEdits
	buried  map[string]bool // keys of tombstones that were made or removed; nil: none
	shipped *Shipped        // the texts of the shipped catalogue from the edit on; nil: the present ones
	rekey   *masterKey      // that seals everything from the edit on; nil: the present one
	audit   AuditEntry      // of the change; who makes it is known before, the rest when it is written
}

// rowRef names the row of a record.
type rowRef struct {
	kind Kind
	id   string
}

func (db *DB) newEdit() *Edit {
	base := db.catalog.Load()
	next := *base
	next.Generation++
	return &Edit{
		db: db, base: base, next: &next,
		now:     db.now().Truncate(time.Second),
		forked:  map[Kind]bool{},
		touched: map[rowRef]bool{},
		faults:  map[rowRef][]Problem{},
		secrets: secretEdits{sealed: map[string][]byte{}},
	}
}

// Catalog returns the candidate as changed so far. What it holds must not be
// changed but by Put and Delete.
func (e *Edit) Catalog() *Catalog { return e.next }

// Put creates the record when it has no id, and else replaces the one with the
// id. It fills in rec: a new id (UUIDv7), a name when there is none (the former
// one, or one made from displayName, or for bindings from what they bind), the
// times of creation and change in whole seconds of UTC, ids for the names in
// reference members, and for host keys hint and hash in place of the value,
// which is sealed. A stored host key without a value keeps the former one.
//
// Put fails with CodeNotFound for an id that does not exist and with
// CodeConflict for a name that another record of the kind has, in any case.
// What is wrong with rec otherwise, Write tells at the end, for all records at
// once. Put keeps a copy; rec stays the caller's.
func (e *Edit) Put(rec AnyRecord) error {
	table := e.next.Of(rec.Kind())
	if table == nil {
		return ProblemsError(CodeInvalid, []Problem{{Field: "kind", Message: "is none that Relay knows"}})
	}
	former, err := e.former(table, rec.Meta())
	if err != nil {
		return err
	}
	ResolveRefs(e.next, rec) // what is left may be made later in this edit
	if err := e.nameRecord(table, rec, former); err != nil {
		return err
	}
	e.stamp(rec.Meta(), former)
	e.settleOrigin(rec, former)
	ref := rowRef{rec.Kind(), rec.Meta().ID}
	if key, ok := rec.(*HostKey); ok {
		e.keepValue(key, former)
	}
	e.faults[ref] = Validate(rec)
	if err := e.sealSecrets(rec, former); err != nil {
		return err
	}
	return e.place(table, rec)
}

func (e *Edit) former(table Records, m *Metadata) (AnyRecord, error) {
	if m.ID == "" {
		return nil, nil
	}
	former := table.Find(m.ID)
	if former == nil {
		return nil, notFound(table.Kind(), m.ID)
	}
	return former, nil
}

func notFound(kind Kind, id string) error {
	return &Error{Code: CodeNotFound, Message: fmt.Sprintf("no %s has the id %s", kind, id)}
}

func (e *Edit) stamp(m *Metadata, former AnyRecord) {
	m.CreatedAt, m.UpdatedAt = e.now, e.now
	if former != nil {
		m.CreatedAt = former.Meta().CreatedAt
		return
	}
	m.ID = uuid.Must(uuid.NewV7()).String()
}

// place puts onto the candidate what will be read back from the disk.
func (e *Edit) place(table Records, rec AnyRecord) error {
	ref := rowRef{rec.Kind(), rec.Meta().ID}
	text, err := encodeRecord(rec)
	if err != nil {
		return &Error{Code: CodeInvalid, Message: fmt.Sprintf("%s %s cannot be written as JSON", ref.kind, rec.Meta().Name), Err: err}
	}
	copied, err := decodeRecord(table, text)
	if err != nil {
		return &Error{Code: CodeInvalid, Message: fmt.Sprintf("%s %s cannot be read back from JSON", ref.kind, rec.Meta().Name), Err: err}
	}
	copied.Meta().Generation = e.next.Generation
	e.fork(table)
	e.touched[ref] = true
	table.put(copied)
	return nil
}

// fork gives the candidate a table of its own at the first change of a kind.
func (e *Edit) fork(table Records) {
	if !e.forked[table.Kind()] {
		e.forked[table.Kind()] = true
		table.fork()
	}
}

// Delete removes a record and its sealed values; of a record that a source has
// written a tombstone stays. It fails with CodeNotFound,
// and with CodeConflict when others refer to the record; the problems of the
// error name them.
func (e *Edit) Delete(kind Kind, id string) error {
	table := e.next.Of(kind)
	if table == nil || table.Find(id) == nil {
		return notFound(kind, id)
	}
	if err := e.checkUnused(table.Find(id)); err != nil {
		return err
	}
	ref := rowRef{kind, id}
	e.fork(table)
	e.touched[ref] = true
	delete(e.faults, ref)
	e.secrets.drop(ref)
	e.bury(table.Find(id))
	table.remove(id)
	return nil
}

func (e *Edit) checkUnused(rec AnyRecord) error {
	var problems []Problem
	var names []string
	for _, user := range References(e.next, rec.Kind(), rec.Meta().ID) {
		if user.Kind() == rec.Kind() && user.Meta().ID == rec.Meta().ID {
			continue
		}
		names = append(names, string(user.Kind())+" "+user.Meta().Name)
		problems = append(problems, Problem{Kind: user.Kind(), Name: user.Meta().Name, Message: "refers to it"})
	}
	if len(problems) == 0 {
		return nil
	}
	return &Error{
		Code:     CodeConflict,
		Message:  fmt.Sprintf("%s %s is still needed by %s: change or delete these first", rec.Kind(), rec.Meta().Name, strings.Join(names, ", ")),
		Problems: problems,
	}
}
