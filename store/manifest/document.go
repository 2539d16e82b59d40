package manifest

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"relay/store"
)

// APIVersion is the version that every document names.
const APIVersion = "relay/v1"

// Document is one record as a manifest gives it, in the form in which it travels
// to the server: spec has the members of the API, and its references hold names.
type Document struct {
	File     string          `json:"file,omitempty"`
	Line     int             `json:"line,omitempty"`
	Kind     store.Kind      `json:"kind"`
	Metadata Metadata        `json:"metadata"`
	Spec     json.RawMessage `json:"spec"`

	// KeepStored makes the source of a host key a stand-in for a stored value:
	// a key that has one keeps it.
	KeepStored bool `json:"keepStored,omitempty"`

	// Lines holds the lines of members by their JSON path: spec.rules[0].window.
	Lines map[string]int `json:"lines,omitempty"`
}

// Metadata is the part of a record's envelope that a manifest gives.
type Metadata struct {
	Name        string            `json:"name,omitempty"`
	DisplayName string            `json:"displayName,omitempty"`
	Description string            `json:"description,omitempty"`
	Labels      map[string]string `json:"labels,omitempty"`
	Annotations map[string]string `json:"annotations,omitempty"`
	Owner       *store.Ref        `json:"owner,omitempty"` // id holds a name
}

// FileProblem is one fault of a document. Line is 0 when it is not known.
type FileProblem struct {
	File string `json:"file,omitempty"`
	Line int    `json:"line,omitempty"`
	store.Problem
}

// String writes file, line, record, member and message in one line.
func (p FileProblem) String() string { return p.place() + p.Problem.String() }

func (p FileProblem) place() string {
	switch {
	case p.File == "":
		return ""
	case p.Line == 0:
		return p.File + ": "
	}
	return fmt.Sprintf("%s:%d: ", p.File, p.Line)
}

// Locate finds the places in docs that the problems speak of.
func Locate(docs []Document, problems []store.Problem) []FileProblem {
	located := make([]FileProblem, len(problems))
	for i, p := range problems {
		located[i] = FileProblem{Problem: p}
		for d := range docs {
			if docs[d].Kind == p.Kind && strings.EqualFold(docs[d].Metadata.Name, p.Name) {
				located[i] = docs[d].problem(p.Field, p.Message)
				break
			}
		}
	}
	return located
}

// inFileOrder sorts problems by file and line.
func inFileOrder(problems []FileProblem) []FileProblem {
	slices.SortStableFunc(problems, func(a, b FileProblem) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line))
	})
	return problems
}

// Problem places a fault of the member at the JSON path field.
func (d *Document) Problem(field, message string) FileProblem { return d.problem(field, message) }

// problem places a fault of the member at the JSON path field.
func (d *Document) problem(field, message string) FileProblem {
	return FileProblem{
		File: d.File, Line: d.lineOf(field),
		Problem: store.Problem{Kind: d.Kind, Name: d.Metadata.Name, Field: manifestPath(field), Message: message},
	}
}

// lineOf returns the line of a member, or of what is nearest around it.
func (d *Document) lineOf(field string) int {
	for path := field; path != ""; path = path[:max(0, strings.LastIndexAny(path, ".["))] {
		if line := d.Lines[path]; line > 0 {
			return line
		}
	}
	return d.Line
}

// manifestPath writes a JSON path with the member names of manifests.
func manifestPath(field string) string {
	segments := strings.Split(field, ".")
	for i, segment := range segments {
		name, index, _ := strings.Cut(segment, "[")
		if index != "" {
			index = "[" + index
		}
		segments[i] = manifestName(name) + index
		if slices.Contains([]string{"labels", "annotations", "headers", "rename", "defaults"}, name) {
			break // what follows is a key of the map
		}
	}
	return strings.Join(segments, ".")
}

// record decodes the document into a new record without id.
func (d *Document) record() (store.AnyRecord, error) {
	table := new(store.Catalog).Of(d.Kind)
	if table == nil {
		return nil, errors.New("is none that this version knows")
	}
	rec := table.New()
	decoder := json.NewDecoder(strings.NewReader(cmp.Or(string(d.Spec), "{}")))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(rec.SpecValue()); err != nil {
		return nil, decodeFault(err)
	}
	m := rec.Meta()
	m.Name, m.DisplayName, m.Description = d.Metadata.Name, d.Metadata.DisplayName, d.Metadata.Description
	m.Labels, m.Annotations = d.Metadata.Labels, d.Metadata.Annotations
	if d.Metadata.Owner != nil {
		owner := *d.Metadata.Owner
		m.Owner = &owner
	}
	return rec, nil
}

// decodeFault says what is wrong without repeating what was sent.
func decodeFault(err error) error {
	var mismatch *json.UnmarshalTypeError
	if errors.As(err, &mismatch) {
		return fmt.Errorf("has the wrong type at %s", mismatch.Field)
	}
	if name, found := strings.CutPrefix(err.Error(), "json: unknown field "); found {
		return fmt.Errorf("has no member %s", name)
	}
	return errors.New("is not the spec of such a record in JSON")
}

// hash recognises what the document says, however it is laid out.
func (d *Document) hash() string {
	text, _ := json.Marshal(struct {
		Kind       store.Kind
		Metadata   Metadata
		Spec       json.RawMessage
		KeepStored bool
	}{d.Kind, d.Metadata, d.withoutPassword(), d.KeepStored})
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:16])
}
