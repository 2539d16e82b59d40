package gemini

import (
	"relay/gateway/wire"
	"relay/gateway/wire/hub"
)

// part is a part of a content, of a request or an answer, in JSON as it was
// written. Members that are absent or null are nil.
type part struct {
	text      []byte
	thought   bool
	signature []byte
	inline    []byte // inlineData
	file      []byte // fileData
	call      []byte // functionCall
	response  []byte // functionResponse
	server    []byte // the first of what tells of tools that Google runs
	serverAs  string
	unknown   []byte // the first of what Relay does not know
	unknownAs string
}

// read reads a part; of anything but an object it reads nothing.
func (p *part) read(w *wire.Walker) {
	for more := w.Object(); more; more = w.Member() {
		switch string(w.Name()) {
		case "text":
			p.text = present(w)
		case "thought":
			p.thought = string(w.Raw()) == "true"
		case "thoughtSignature", "thought_signature":
			p.signature = present(w)
		case "inlineData", "inline_data":
			p.inline = present(w)
		case "fileData", "file_data":
			p.file = present(w)
		case "functionCall", "function_call":
			p.call = present(w)
		case "functionResponse", "function_response":
			p.response = present(w)
		case "executableCode", "codeExecutionResult", "toolCall", "toolResponse",
			"executable_code", "code_execution_result", "tool_call", "tool_response":
			name := string(w.Name())
			keepFirst(&p.server, &p.serverAs, name, present(w))
		case "partMetadata", "part_metadata": // the caller's own
		default:
			name := string(w.Name())
			keepFirst(&p.unknown, &p.unknownAs, name, present(w))
		}
	}
}

// present reads a value; nil when it is null.
func present(w *wire.Walker) []byte {
	if value := w.Raw(); !hub.IsNull(value) {
		return value
	}
	return nil
}

func keepFirst(kept *[]byte, as *string, name string, value []byte) {
	if *kept == nil && value != nil {
		*kept, *as = value, name
	}
}

// signed returns what the signature of the part says; nil: it has none.
func (p *part) signed() hub.Text {
	t, _ := hub.TextOf(p.signature)
	return t
}
