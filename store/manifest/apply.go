package manifest

import (
	"strings"

	"relay/store"
)

// Editor is where Apply puts records: a store.Edit, or a store.Draft.
type Editor interface {
	Catalog() *store.Catalog
	Put(rec store.AnyRecord) error
	SetPassword(id string, hash store.PasswordHash) error
	Delete(kind store.Kind, id string) error
	Forget(t store.Tombstone)
}

// ApplyOptions says whose documents they are.
type ApplyOptions struct {
	// Source names what the documents come from when it applies the same text
	// again and again, such as a folder read at every start. A record is then
	// changed only when its own text has changed since this source last wrote
	// it. Empty: the documents always win.
	Source string
	// Whole says that the documents are all that the source says, time and
	// again. It then takes over records that are as it says already, and what
	// it says no more it may say anew.
	Whole bool
	// Force lets the documents win in any case.
	Force bool
	// Prune deletes the records with these labels that the source has written
	// and says no more. Empty: none.
	Prune map[string]string
	// Passwords are those of the users that the documents make. HashPasswords
	// returns them.
	Passwords Passwords
}

// The actions of a change.
const (
	ActionCreate    = "create"
	ActionUpdate    = "update"
	ActionUnchanged = "unchanged"
	ActionDrift     = "drift" // is not as the source says, which has not changed since it wrote the record
	ActionDelete    = "delete"
)

// Change is what Apply did with one document, or with a record that it pruned.
type Change struct {
	Kind    store.Kind `json:"kind"`
	Name    string     `json:"name"`
	Action  string     `json:"action"`
	Members []string   `json:"members,omitempty" doc:"JSON paths that differ."`
	Note    string     `json:"note,omitempty" doc:"Why nothing was done."`
}

// Apply puts the documents onto the catalog and returns a change for each, in
// their order, and then one for each record that is pruned. They may refer to
// each other in any order. Records are matched
// by name, policy bindings by account, and documents of bindings get the name
// derived from it. A record becomes what its document says, save that what the
// server sets and an owner that is not given stay.
//
// What is wrong comes back at once, with file and line in the messages, as a
// *store.Error: CodeInvalid for what a document alone tells, CodeUnprocessable
// for names that nothing has. Faults of the catalog as a whole are told by the
// write around Apply.
func Apply(e Editor, docs []Document, o ApplyOptions) ([]Change, error) {
	a := &applying{editor: e, options: o}
	for i := range docs {
		a.entries = append(a.entries, &entry{doc: &docs[i]})
	}
	for _, step := range []func(){a.decode, a.create, a.update} {
		step()
		if len(a.problems) > 0 {
			return nil, Refused(a.code, inFileOrder(a.problems))
		}
	}
	changes := make([]Change, len(a.entries))
	for i, n := range a.entries {
		changes[i] = n.change
	}
	a.forget()
	pruned, err := a.prune()
	return append(changes, pruned...), err
}

// Refused is the error of documents with problems, whose places stand in its
// messages.
func Refused(code store.Code, problems []FileProblem) *store.Error {
	refused := &store.Error{Code: code}
	texts := make([]string, len(problems))
	for i, p := range problems {
		texts[i] = p.String()
		p.Message = p.place() + p.Message
		refused.Problems = append(refused.Problems, p.Problem)
	}
	refused.Message = strings.Join(texts, "; ")
	return refused
}

type applying struct {
	editor   Editor
	options  ApplyOptions
	entries  []*entry
	code     store.Code
	problems []FileProblem
}

// entry is one document on its way.
type entry struct {
	doc    *Document
	before store.AnyRecord // as stored before Apply; nil: there was none
	id     string
	broken bool // wrong in itself, or not to be made
	change Change
}

func (a *applying) refuse(code store.Code, p FileProblem) {
	if a.code == "" {
		a.code = code
	}
	a.problems = append(a.problems, p)
}

// decode checks each document alone, and that no two are the same record.
func (a *applying) decode() {
	first := map[string]*Document{}
	for _, n := range a.entries {
		for _, p := range n.doc.check() {
			n.broken = true
			a.refuse(store.CodeInvalid, p)
		}
		key := n.doc.key()
		if earlier := first[key]; earlier != nil && !n.broken {
			n.broken = true
			a.refuse(store.CodeInvalid, n.doc.problem("metadata.name", "is defined twice, first at "+strings.TrimSuffix(earlier.problem("", "").place(), ": ")))
		}
		first[key] = n.doc
	}
}

func (d *Document) key() string {
	if d.Kind == store.KindPolicyBinding && d.Metadata.Name == "" {
		return string(d.Kind) + " " + string(d.Spec)
	}
	return string(d.Kind) + " " + strings.ToLower(d.Metadata.Name)
}
