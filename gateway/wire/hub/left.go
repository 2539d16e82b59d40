package hub

import (
	"cmp"
	"slices"
)

// Left collects the names of what Encode leaves out for the values that a request
// holds, where Check cannot see that: each once, in the order in which they come. A
// nil *Left takes none. It is not safe for concurrent use.
type Left struct{ names []string }

// Names of what is left out and is no Param.
const (
	LeftReasoning    = "reasoning" // all that is said of it
	LeftTools        = "tools"
	LeftStrict       = "tools[].strict"
	LeftFormatStrict = "json_schema.strict"
	LeftFormatAbout  = "json_schema.description"
	LeftDetail       = "image detail"
	LeftFileName     = "file name"
	LeftFailed       = "is_error" // of results of tools
	LeftSystemMedia  = "media in system messages"
)

// Add takes a name, which may stand in a list in a header.
func (l *Left) Add(name string) {
	if l != nil && !slices.Contains(l.names, name) {
		l.names = append(l.names, name)
	}
}

// AddParam takes a member with a simple value, by the name that the caller has for
// it.
func (l *Left) AddParam(r *Request, p Param) { l.Add(cmp.Or(r.Params[p].Name, p.String())) }

// AddExtension takes a member of the caller's for hosts of one shape. There is a
// bound to how many are named.
func (l *Left) AddExtension(shape, name string) {
	if l != nil && len(l.names) < mostUnknown {
		l.Add("extensions." + shape + "." + told(name))
	}
}

// After returns what has been left out already, and behind it what has been taken
// and is not among that.
func (l *Left) After(already []string) []string {
	if l == nil {
		return already
	}
	for _, name := range l.names {
		if !slices.Contains(already, name) {
			already = append(already, name)
		}
	}
	return already
}
