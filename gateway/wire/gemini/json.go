package gemini

import (
	"iter"

	"relay/gateway/wire/hub"
)

// elements yields the elements of an array, or the one object that stands in its
// place. Nothing else yields anything.
func elements(value []byte) iter.Seq[[]byte] {
	if len(value) > 0 && value[0] == '{' {
		return func(yield func([]byte) bool) { yield(value) }
	}
	return hub.Elements(value)
}

// memberOf returns the value of a member in either of its spellings; nil when it
// is absent or null. Of several the last counts.
func memberOf(object []byte, name string) []byte {
	var room nameRoom
	var found []byte
	for said, value := range hub.Members(object) {
		if string(camel(said, &room)) == name && !hub.IsNull(value) {
			found = value
		}
	}
	return found
}

// textOf returns the text of a member; nil when it is absent or no text.
func textOf(object []byte, name string) hub.Text {
	t, _ := hub.TextOf(memberOf(object, name))
	return t
}

func isNumber(value []byte) bool {
	return len(value) > 0 && (value[0] == '-' || value[0] >= '0' && value[0] <= '9')
}
