package upstream

import (
	"strings"
)

// object is a JSON object.
type object = map[string]any

// pieces cuts a text as a provider streams it: word by word.
func pieces(text string) []string { return strings.SplitAfter(text, " ") }

// arguments are those of the call of add, in the pieces in which they stream.
func arguments() []string { return []string{`{"a":`, `17,"b"`, `:25}`} }

func wholeArguments() string { return strings.Join(arguments(), "") }

// sum are the arguments as an object.
func sum() object { return object{"a": 17, "b": 25} }

// said is the text of an answer that calls no tool.
func said(hasResult bool) string {
	if hasResult {
		return Sum
	}
	return Text
}
