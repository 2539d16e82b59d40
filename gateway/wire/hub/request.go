package hub

import (
	"slices"
	"strings"

	"relay/gateway/wire"
)

// Request is what a caller asks a model for. It is not changed once it has been
// decoded and refers to the body it was read from.
type Request struct {
	Items     []Item // the conversation; what the caller calls instructions or system comes first
	Tools     []Tool
	Choice    Choice
	Parallel  Switch // whether several calls may come at once
	Format    Format
	Reasoning Reasoning

	Params [NumMembers]Member // of simple values, by Param

	Unknown    []Member    // what the caller's shape does not know, or Relay does not
	Extensions []Extension // for one shape of upstream alone
	Streamed   bool        // the caller waits for a stream
	WantsUsage bool        // and for the usage in it, where its shape asks for that
	Echo       []Member    // what answers of the caller's shape repeat of its body
}

// Member is a member of the caller's body.
type Member struct {
	Name  string // as the caller's shape calls it, such as generationConfig.topP
	Value []byte // JSON as it was written; nil: the member is absent
}

// Format is what the text of the answer must be.
type Format struct {
	Kind   FormatKind
	Schema []byte // of FormatSchema: JSON Schema as the caller wrote it
	Name   Text   // of the schema; may be empty
	About  Text   // what the schema is for; may be empty
	Strict Switch
}

// FormatKind is the kind of a Format.
type FormatKind uint8

const (
	FormatText   FormatKind = iota
	FormatJSON              // any JSON object
	FormatSchema            // JSON by a schema
)

// Reasoning says how much the model may think before it answers.
type Reasoning struct {
	Effort  string // none, minimal, low, medium, high, xhigh or max; empty: not said
	Budget  int64  // tokens; 0: not said; -1: as many as the model likes
	Summary string // auto, concise, detailed or none: whether thoughts are told; empty: not said
	Think   string // what a caller tells a local runner, see SetThink; it says the same; empty: not said
}

// Asked reports whether the caller said anything of reasoning.
func (r Reasoning) Asked() bool { return r != Reasoning{} }

// AsEffort returns the effort, that of a budget by its tokens where a shape knows
// efforts alone: low up to 1024, medium up to 4096; empty: the model's own.
func (r Reasoning) AsEffort() string {
	switch {
	case r.Effort != "" || r.Budget <= 0:
		return r.Effort
	case r.Budget <= 1024:
		return "low"
	case r.Budget <= 4096:
		return "medium"
	}
	return "high"
}

// Off reports whether the caller wants none.
func (r Reasoning) Off() bool { return r.Effort == "none" }

// Extension is members for the upstreams of one shape.
type Extension struct {
	Shape  string
	Object []byte // a JSON object, whose members are added to the body
}

// Target is what the body that goes up must fit.
type Target struct {
	Model     string // by which the host knows the model
	Provider  string // of the host, see Opaque; empty: unknown
	Streamed  bool
	MaxOutput int64 // most tokens that the model gives; 0: unknown
	Left      *Left // takes what Encode leaves out; may be nil
}

// Param returns the value of a parameter; nil when the caller gave none.
func (r *Request) Param(p Param) []byte { return r.Params[p].Value }

// Set keeps the value of a parameter, unless it is null.
func (r *Request) Set(p Param, name string, value []byte) {
	if !IsNull(value) {
		r.Params[p] = Member{Name: name, Value: value}
	}
}

// AddUnknown keeps a member that no shape's upstream gets: up to mostUnknown, each
// name once and as a header can tell it.
func (r *Request) AddUnknown(name string, value []byte) {
	name = told(name)
	known := slices.ContainsFunc(r.Unknown, func(m Member) bool { return m.Name == name })
	if !known && len(r.Unknown) < mostUnknown {
		r.Unknown = append(r.Unknown, Member{Name: name, Value: value})
	}
}

const mostUnknown, longestTold = 32, 64

// told returns a caller's name for something as it may stand in a list in a header:
// visible ASCII, 64 bytes at most.
func told(name string) string {
	return strings.Map(func(r rune) rune {
		if r <= ' ' || r > '~' || r == ',' {
			return '?'
		}
		return r
	}, name[:min(len(name), longestTold)])
}

// Extension returns the caller's members for one shape; nil when there are none.
func (r *Request) Extension(shape string) []byte {
	for _, e := range r.Extensions {
		if e.Shape == shape {
			return e.Object
		}
	}
	return nil
}

// Bad is the refusal of a body whose member is not what its shape says. member is
// its path, such as messages[2].content; what says what it must be.
func Bad(member, what string) *wire.Error {
	e := wire.Errorf(wire.CodeTranslateRequest, "%s %s.", member, what)
	e.Param = member
	return e
}
