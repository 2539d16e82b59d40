package ollama

import (
	"bytes"
	"fmt"

	"relay/gateway/wire"
)

// Show is the codec of /api/show. Its answers are never streamed and use nothing.
type Show struct{ Codec }

var _ wire.Codec = Show{}

// Framing returns FramingNone: what a model is, is never streamed.
func (Show) Framing(string) wire.Framing { return wire.FramingNone }

// ReadAnswer reads a whole answer.
func (Show) ReadAnswer(t *wire.Tap, body []byte) wire.Kind {
	switch first, ok := object(body); {
	case !ok:
		return wire.Invalid
	case t.Fails(body):
		return wire.Failed
	case first != '{':
		return wire.Invalid
	}
	t.Done = true
	return wire.Content
}

// object returns the byte that a document begins with, and whether it is JSON.
func object(document []byte) (first byte, ok bool) {
	w := wire.Walk(document)
	return w.First(), w.End()
}

// ModelName returns the name of the model that a body of /api/show asks about,
// and where it stands: in model, or in name where model is absent, null or empty,
// as Ollama's own command sends it. The body is read as strictly as by wire.Scan,
// name included. The name is a part of the body where it has no escapes, else
// built in room. The error is an *wire.Error with CodeParseError or
// CodeMissingModel.
func ModelName(body, room []byte) (name []byte, at wire.Range, err error) {
	var m wire.Members
	if err := wire.Scan(body, &m); err != nil {
		return nil, wire.Range{}, err
	}
	other, err := findName(body)
	if err != nil {
		return nil, wire.Range{}, err
	}
	switch {
	case isBlank(body, m.Model) && !isBlank(body, other):
		m.Model = other
	case !isBlank(body, other) && !same(body, m.Model, other):
		return nil, wire.Range{}, wire.NewError(wire.CodeParseError, `The request names one model in "model" and another in "name"; send "model" alone.`)
	}
	name, err = m.ModelName(body, room)
	return name, m.Model, err
}

// findName finds the member name. It may stand once, and no other spelling of it
// may.
func findName(body []byte) (at wire.Range, err error) {
	w := wire.Walk(body)
	for more := w.Object(); more; more = w.Member() {
		switch name := w.Name(); {
		case !bytes.EqualFold(name, []byte("name")):
		case string(name) != "name":
			err = wire.NewError(wire.CodeParseError, fmt.Sprintf(`The request body cannot be read: the member %q must be written "name".`, string(name)))
		case at.Present():
			err = wire.NewError(wire.CodeParseError, `The request body cannot be read: the member "name" stands twice; send it once.`)
		default:
			at = w.Value()
		}
	}
	return at, err
}

// isBlank reports whether a member is absent, null or empty.
func isBlank(body []byte, r wire.Range) bool {
	value := string(r.Of(body))
	return value == "" || value == "null" || value == `""`
}

func same(body []byte, a, b wire.Range) bool {
	x, isText := wire.Text(body, a, nil)
	y, isToo := wire.Text(body, b, nil)
	return isText && isToo && bytes.Equal(x, y)
}
