package chat

import (
	"crypto/sha256"
	"encoding/hex"

	"relay/gateway/wire/hub"
)

// OpenAI's bounds of what other shapes name more freely, in characters.
const (
	longestID   = 40 // of a call
	longestName = 64 // of a tool: letters, digits, _ and -
	longestUser = 64
)

// digested returns a text that stands for another: how it begins, and a digest that
// tells it apart, the same for the same text.
func digested(begins []byte, of hub.Text) hub.Text {
	sum := sha256.Sum256(of.Plain())
	return hex.AppendEncode(append(begins, '_'), sum[:8])
}

// idOf returns the id of a call as hosts of this shape take it.
func idOf(id hub.Text) hub.Text {
	if len(id) <= longestID {
		return id
	}
	return digested([]byte("call"), id)
}

// nameOf returns the name of a tool as hosts of this shape take it.
func nameOf(c hub.Call) hub.Text {
	name := c.NameOfFlat()
	fits := len(name) <= longestName
	for _, b := range name {
		fits = fits && inName(b)
	}
	if fits {
		return name
	}
	var begins []byte
	for _, b := range name.Plain() {
		if len(begins) < 40 && inName(b) {
			begins = append(begins, b)
		}
	}
	return digested(begins, name)
}

func inName(b byte) bool {
	return b == '_' || b == '-' || b >= '0' && b <= '9' || b|0x20 >= 'a' && b|0x20 <= 'z'
}
