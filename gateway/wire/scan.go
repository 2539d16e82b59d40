package wire

import (
	"bytes"
	"fmt"
)

// MaxModelName bounds the name of a model, in characters.
const MaxModelName = 299

// Members says where the values of those top-level members stand that Relay
// reads. An absent member has the zero Range. Where a member other than model
// and stream stands twice, the last one counts, as it does for the usual JSON
// libraries.
type Members struct {
	Model, Stream, StreamOptions     Range
	Messages, Tools, N               Range
	MaxTokens, MaxCompletionTokens   Range
	User, SafetyIdentifier, Metadata Range
	Options                          Range // of a local runner
	Runner                           Range // num_ctx, keep_alive or think, which mean something to a local runner alone
	Steering                         Range // name of a member by which callers try to name an upstream, see IsSteering
	Close                            int   // where the closing brace of the body stands
	Streamed                         bool  // stream is true
	Whole                            bool  // stream is false
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
	w := walkRequest(body)
	if w.First() != '{' {
		return notAnObject(body, w.at)
	}
	for more := w.Object(); more; more = w.Member() {
		name, value := w.named, w.Value()
		if !w.OK() {
			break
		}
		if err := m.record(body, w.Name(), name, value); err != nil {
			return err
		}
	}
	m.Close = w.at - 1
	if !w.End() {
		return unreadable(whereOf(w.fault), whyOf(w.fault).String())
	}
	return nil
}

// record keeps the value of one member if Relay reads it.
func (m *Members) record(body, text []byte, name, value Range) error {
	slot := m.slot(text)
	switch {
	case slot == nil:
		if IsSteering(text) {
			m.Steering = name
		}
		return refuseVariant(text, name)
	case slot == &m.Stream:
		m.Streamed, m.Whole = body[value.Start] == 't', body[value.Start] == 'f'
		if c := body[value.Start]; c != 't' && c != 'f' && c != 'n' {
			return unreadable(value.Start, `the member "stream" must be true or false`)
		}
		fallthrough
	case slot == &m.Model:
		if slot.Present() {
			return unreadable(name.Start, fmt.Sprintf("the member %q stands twice; send it once", string(text)))
		}
	}
	*slot = value
	return nil
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
	case "options":
		return &m.Options
	case "num_ctx", "keep_alive", "think":
		return &m.Runner
	}
	return nil
}

// refuseVariant refuses a name that only a parser without regard to case would
// take for model or stream. Folding is Unicode's: ſtream is such a name.
func refuseVariant(text []byte, name Range) error {
	for _, exact := range [...]string{"model", "stream"} {
		if len(text) <= len(exact)+1 && bytes.EqualFold(text, []byte(exact)) {
			return unreadable(name.Start, fmt.Sprintf("the member %q must be written %q", string(text), exact))
		}
	}
	return nil
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

func notAnObject(body []byte, at int) error {
	switch {
	case len(body) == 0:
		return unreadable(0, "it is empty; send a JSON object")
	case bytes.HasPrefix(body, []byte("\xef\xbb\xbf")):
		return unreadable(0, "it begins with a byte order mark; send plain UTF-8")
	}
	return unreadable(at, "it must be a JSON object")
}

// unreadable says what is wrong with a body, and at which byte.
func unreadable(at int, why string) error {
	return NewError(CodeParseError, fmt.Sprintf("The request body cannot be read: %s (byte %d).", why, at))
}
