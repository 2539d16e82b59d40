package chat

import (
	"strconv"

	"relay/gateway/wire/hub"
)

// fault says which member of a value is not what it must be. Readers of values
// within others return it by the path that they know; nil is no fault.
type fault struct{ member, what string }

func bad(member, what string) *fault { return &fault{member, what} }

// in puts the path of the surrounding member before that of the fault. name is
// where it is; index, unless negative, which element of it.
func (f *fault) in(name string, index int) *fault {
	if index >= 0 {
		name += "[" + strconv.Itoa(index) + "]"
	}
	if f.member != "" {
		name += "." + f.member
	}
	f.member = name
	return f
}

// refusal returns the error of a fault: none when there is no fault.
func (f *fault) refusal() error {
	if f == nil {
		return nil
	}
	return hub.Bad(f.member, f.what)
}

// textOf reads a text; absent and null are nil.
func textOf(member string, value []byte) (hub.Text, *fault) {
	if hub.IsNull(value) {
		return nil, nil
	}
	t, ok := hub.TextOf(value)
	if !ok {
		return nil, bad(member, "must be a string")
	}
	return t, nil
}

// mark returns a cache mark; nil when it is null.
func mark(value []byte) []byte {
	if hub.IsNull(value) {
		return nil
	}
	return value
}
