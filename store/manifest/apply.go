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
}

// ApplyOptions says whose documents they are.
type ApplyOptions struct {
	// Source names what the documents come from when it applies the same text
	// again and again, such as a folder read at every start. A record is then
	// changed only when its own text has changed since this source last wrote
	// it. Empty: the documents always win.
	Source string
	// Force lets the documents win in any case.
	Force bool
	// Passwords are those of the users that the documents make. HashPasswords
	// returns them.
	Passwords Passwords
}

// The actions of a change.
const (
	ActionCreate    = "create"
	ActionUpdate    = "update"
	ActionUnchanged = "unchanged"
	ActionDrift     = "drift" // differs from the source's text, which has not changed since it wrote the record
)

// Change is what Apply did with one document.
type Change struct {
	Kind    store.Kind `json:"kind"`
	Name    string     `json:"name"`
	Action  string     `json:"action"`
	Members []string   `json:"members,omitempty"` // JSON paths that differed: spec.rules
}

// Apply puts the documents onto the catalog and returns a change for each, in
// their order. They may refer to each other in any order. Records are matched
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
			return nil, refusal(a.code, inFileOrder(docs, a.problems))
		}
	}
	changes := make([]Change, len(a.entries))
	for i, n := range a.entries {
		changes[i] = n.change
	}
	return changes, nil
}

// Check returns what Apply to a catalog of base would find wrong with the
// documents, and what would be wrong with the catalog afterwards.
func Check(base *store.Catalog, docs []Document) []FileProblem {
	draft := store.NewDraft(base)
	a := &applying{editor: draft}
	for i := range docs {
		a.entries = append(a.entries, &entry{doc: &docs[i]})
	}
	for _, step := range []func(){a.decode, a.create, a.update} {
		if step(); len(a.problems) > 0 {
			return inFileOrder(docs, a.problems)
		}
	}
	return inFileOrder(docs, Locate(docs, draft.Problems()))
}

func refusal(code store.Code, problems []FileProblem) error {
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
			a.refuse(store.CodeInvalid, p)
		}
		key := n.doc.key()
		if earlier := first[key]; earlier != nil && len(a.problems) == 0 {
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
