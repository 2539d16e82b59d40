package wire

import (
	"bytes"
	"fmt"
)

// Bounds of a request body.
const (
	MaxDepth     = 128 // objects and arrays within each other, the body's own object included
	MaxModelName = 300 // characters
)

// Members says where the values of those top-level members stand that Relay
// reads. An absent member has the zero Range. Where a member other than model
// and stream stands twice, the last one counts, as it does for the usual JSON
// libraries.
type Members struct {
	Model, Stream, StreamOptions     Range
	Messages, Tools, N               Range
	MaxTokens, MaxCompletionTokens   Range
	User, SafetyIdentifier, Metadata Range
	Steering                         Range // name of a member by which callers try to name an upstream, see IsSteering
	Close                            int   // where the closing brace of the body stands
	Streamed                         bool  // stream is true
}

// Scan checks a whole request body and finds its members in one pass, without
// allocating. The body must be one JSON object (RFC 8259) in valid UTF-8,
// without byte order mark, lone surrogates, numbers beyond a float64 or more
// than MaxDepth levels. Names compare exactly, after their escapes are read.
// model and stream may stand once, and no other spelling of the two may, since
// parsers that ignore case would read it instead; stream must be true, false or
// null. The error is an *Error with CodeParseError that names the byte.
func Scan(body []byte, m *Members) error {
	*m = Members{}
	s := scanner{body: body}
	s.space()
	if s.peek() != '{' {
		return s.notAnObject()
	}
	for more := s.enter('}'); more; more = s.next('}') {
		name, ok := s.name()
		start := s.at
		if !ok || !s.value() {
			break
		}
		s.record(m, name, Range{start, s.at})
	}
	m.Close = s.at - 1
	s.space()
	if s.ok() && s.at < len(body) {
		s.fail("data after the end of the object", s.at)
	}
	return s.err()
}

// record keeps the value of one member if Relay reads it.
func (s *scanner) record(m *Members, name, value Range) {
	var room [longestName]byte
	text := s.nameText(name, room[:0])
	slot := m.slot(text)
	switch {
	case slot == nil:
		s.refuseVariant(text, name)
		if IsSteering(text) {
			m.Steering = name
		}
		return
	case slot == &m.Stream:
		m.Streamed = s.body[value.Start] == 't'
		if c := s.body[value.Start]; c != 't' && c != 'f' && c != 'n' {
			s.fault(value.Start, "the member %q must be true or false", string(text))
		}
		fallthrough
	case slot == &m.Model:
		if slot.Present() {
			s.fault(name.Start, "the member %q stands twice; send it once", string(text))
		}
	}
	*slot = value
}

// slot returns where the value of the named member is kept, or nil.
func (m *Members) slot(name []byte) *Range {
	switch string(name) {
	case "model":
		return &m.Model
	case "stream":
		return &m.Stream
	case "stream_options":
		return &m.StreamOptions
	case "messages":
		return &m.Messages
	case "tools":
		return &m.Tools
	case "n":
		return &m.N
	case "max_tokens":
		return &m.MaxTokens
	case "max_completion_tokens":
		return &m.MaxCompletionTokens
	case "user":
		return &m.User
	case "safety_identifier":
		return &m.SafetyIdentifier
	case "metadata":
		return &m.Metadata
	}
	return nil
}

// refuseVariant faults a name that only a parser without regard to case would
// take for model or stream. Folding is Unicode's: ſtream is such a name.
func (s *scanner) refuseVariant(text []byte, name Range) {
	for _, exact := range [...]string{"model", "stream"} {
		if len(text) <= len(exact)+1 && bytes.EqualFold(text, []byte(exact)) {
			s.fault(name.Start, "the member %q must be written %q", string(text), exact)
		}
	}
}

// IsSteering reports whether a member of this name would tell some gateways
// and servers whom to call with which credential.
func IsSteering(name []byte) bool {
	switch string(name) {
	case "api_base", "base_url", "api_key", "custom_host", "custom_llm_provider", "extra_headers":
		return true
	}
	return false
}

func (s *scanner) notAnObject() error {
	switch {
	case len(s.body) == 0:
		s.fault(0, "it is empty; send a JSON object")
	case bytes.HasPrefix(s.body, []byte("\xef\xbb\xbf")):
		s.fault(0, "it begins with a byte order mark; send plain UTF-8")
	default:
		s.fault(s.at, "it must be a JSON object")
	}
	return s.err()
}

// err returns what is wrong with the body.
func (s *scanner) err() error {
	if s.ok() {
		return nil
	}
	return NewError(CodeParseError, fmt.Sprintf("The request body cannot be read: %s (byte %d).", s.why, s.where))
}
