package messages

import (
	"strconv"

	"relay/gateway/wire/hub"
)

// block holds the members of a content block, of a request or an answer, as they
// are written; nil where they are absent or null.
type block struct {
	kind hub.Text
	mark []byte // cache_control

	text, thinking, signature, data []byte
	source, content, title, context []byte
	id, name, input                 []byte
	result, failed                  []byte // tool_use_id and is_error
}

func readBlock(value []byte) (b block) {
	for name, member := range hub.Members(value) {
		if hub.IsNull(member) {
			continue
		}
		if string(name) == "type" {
			b.kind = textOf(member)
			continue
		}
		if place := b.place(name); place != nil {
			*place = member
		}
	}
	return b
}

// eachBlock reads content, which is a text or an array of blocks. The paths that
// it gives are those of the blocks.
func eachBlock(content []byte, path string, take func(b block, path string) error) error {
	switch {
	case hub.IsNull(content):
		return nil
	case content[0] == '"':
		return take(block{kind: hub.Text("text"), text: content}, path)
	case content[0] != '[':
		return hub.Bad(path, "must be a text or an array of content blocks")
	}
	n := 0
	for element := range hub.Elements(content) {
		if err := take(readBlock(element), path+"["+strconv.Itoa(n)+"]"); err != nil {
			return err
		}
		n++
	}
	return nil
}

func (b *block) place(name []byte) *[]byte {
	switch string(name) {
	case "cache_control":
		return &b.mark
	case "text":
		return &b.text
	case "thinking":
		return &b.thinking
	case "signature":
		return &b.signature
	case "data":
		return &b.data
	case "source":
		return &b.source
	case "content":
		return &b.content
	case "title":
		return &b.title
	case "context":
		return &b.context
	case "id":
		return &b.id
	case "name", "tool_name":
		return &b.name
	case "input":
		return &b.input
	case "tool_use_id":
		return &b.result
	case "is_error":
		return &b.failed
	}
	return nil
}

// appendEscaped writes JSON, or the inside of a JSON string, as the inside of a
// JSON string (RFC 8259, section 7).
func appendEscaped(dst, json []byte) []byte {
	const hex = "0123456789abcdef"
	done := 0
	for i, c := range json {
		if c >= ' ' && c != '"' && c != '\\' {
			continue
		}
		dst = append(dst, json[done:i]...)
		done = i + 1
		switch c {
		case '"', '\\':
			dst = append(dst, '\\', c)
		case '\n':
			dst = append(dst, `\n`...)
		case '\t':
			dst = append(dst, `\t`...)
		default:
			dst = append(dst, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
		}
	}
	return append(dst, json[done:]...)
}
