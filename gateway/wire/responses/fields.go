package responses

import (
	"slices"

	"relay/gateway/wire/hub"
)

// fields are the members of an item, or of a part of one, that the hub knows, as
// they were written.
type fields struct {
	typ, id, status, role, content            []byte
	callID, name, namespace, arguments, input []byte
	output, summary, encrypted, result, tools []byte
	text, refusal, imageURL, detail, audio    []byte
	fileData, fileURL, fileID, filename       []byte
	mark                                      []byte
}

// read takes the members of an object. Of two with one name the last counts.
func (f *fields) read(object []byte) {
	for name, value := range hub.Members(object) {
		if slot := f.slot(name); slot != nil {
			*slot = value
		} else {
			readMark(&f.mark, name, value)
		}
	}
}

// kind is the type; that of a message may be left out, and that of an item by
// reference.
func (f *fields) kind() string {
	if t, ok := hub.TextOf(f.typ); ok {
		return t.String()
	}
	switch {
	case f.role != nil:
		return "message"
	case f.id != nil:
		return "item_reference"
	}
	return ""
}

func (f *fields) slot(name []byte) *[]byte {
	switch string(name) {
	case "type":
		return &f.typ
	case "id":
		return &f.id
	case "status":
		return &f.status
	case "role":
		return &f.role
	case "content":
		return &f.content
	case "call_id":
		return &f.callID
	case "name":
		return &f.name
	case "namespace":
		return &f.namespace
	case "arguments":
		return &f.arguments
	case "input":
		return &f.input
	case "output":
		return &f.output
	case "summary":
		return &f.summary
	case "encrypted_content":
		return &f.encrypted
	case "result":
		return &f.result
	case "tools":
		return &f.tools
	}
	return f.inner(name)
}

// inner goes on with the members of parts.
func (f *fields) inner(name []byte) *[]byte {
	switch string(name) {
	case "text":
		return &f.text
	case "refusal":
		return &f.refusal
	case "image_url":
		return &f.imageURL
	case "detail":
		return &f.detail
	case "input_audio":
		return &f.audio
	case "file_data":
		return &f.fileData
	case "file_url":
		return &f.fileURL
	case "file_id":
		return &f.fileID
	case "filename":
		return &f.filename
	}
	return nil
}

// readMark takes what tells a cache where to end: cache_control in the words of
// Anthropic, which some clients write into every shape, and OpenAI's own
// prompt_cache_breakpoint, which says the same.
func readMark(mark *[]byte, name, value []byte) {
	switch {
	case hub.IsNull(value):
	case string(name) == "cache_control":
		*mark = value
	case string(name) == "prompt_cache_breakpoint" && *mark == nil:
		*mark = []byte(`{"type":"ephemeral"}`)
	}
}

// toolFields are the members of a tool, and of a choice among them.
type toolFields struct {
	typ, name, description, parameters, strict, format []byte
	tools, mode, webAccess, mark                       []byte
	others                                             [][]byte // names of those that say more
}

func (f *toolFields) read(object []byte) {
	for name, value := range hub.Members(object) {
		if slot := f.slot(name); slot != nil {
			*slot = value
			continue
		}
		before := f.mark
		readMark(&f.mark, name, value)
		if before == nil && f.mark == nil && !hub.IsNull(value) && value[0] != 'f' {
			f.others = append(f.others, slices.Clone(name))
		}
	}
}

func (f *toolFields) slot(name []byte) *[]byte {
	switch string(name) {
	case "type":
		return &f.typ
	case "name":
		return &f.name
	case "description":
		return &f.description
	case "parameters":
		return &f.parameters
	case "strict":
		return &f.strict
	case "format":
		return &f.format
	case "tools":
		return &f.tools
	case "mode":
		return &f.mode
	case "external_web_access":
		return &f.webAccess
	}
	return nil
}
