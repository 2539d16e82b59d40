package messages

import (
	"bytes"

	"relay/gateway/wire"
)

// cacheMark makes Anthropic keep all of a prompt up to it for five minutes
// (docs.anthropic.com, prompt caching; at most four a request).
const cacheMark = `"cache_control":{"type":"ephemeral"}`

// MarkCache appends to dst the request with a cache mark on its last block of system
// text, its last tool and the end of its last user turn, all other bytes as they are.
// Whoever sets marks knows better: a request that holds one is appended as it is. The
// body must have passed wire.Scan.
func MarkCache(dst, body []byte) []byte {
	if bytes.Contains(body, []byte(`"cache_control"`)) {
		return append(dst, body...)
	}
	p := promptOf(body)
	edits := appendMark(make([]wire.Edit, 0, 3), body, p.system)
	if last := lastOf(body, p.tools, nil); last.Present() {
		edits = markObject(edits, body, last)
	}
	if turn := lastOf(body, p.messages, ofUser); turn.Present() {
		content, _ := wire.Member(body, turn, "content")
		edits = appendMark(edits, body, content)
	}
	return wire.Splice(dst, body, edits...)
}

// prompt is where the parts of a request stand that are cached.
type prompt struct{ system, tools, messages wire.Range }

func promptOf(body []byte) (p prompt) {
	w := wire.Walk(body)
	for more := w.Object(); more; more = w.Member() {
		switch string(w.Name()) {
		case "system":
			p.system = w.Value()
		case "tools":
			p.tools = w.Value()
		case "messages":
			p.messages = w.Value()
		default:
			w.Skip()
		}
	}
	return p
}

// appendMark marks a text, or the last of a list of blocks.
func appendMark(edits []wire.Edit, body []byte, content wire.Range) []wire.Edit {
	switch {
	case !content.Present() || string(content.Of(body)) == `""`:
		return edits
	case body[content.Start] == '"':
		return append(edits, wire.Edit{At: content, Text: `[{"type":"text","text":` + string(content.Of(body)) + `,` + cacheMark + `}]`})
	}
	if last := lastOf(body, content, nil); last.Present() {
		return markObject(edits, body, last)
	}
	return edits
}

// markObject marks a block or tool. Thoughts and empty texts cannot be marked.
func markObject(edits []wire.Edit, body []byte, object wire.Range) []wire.Edit {
	if body[object.Start] != '{' || object.End-object.Start < len(`{"":0}`) {
		return edits
	}
	kind, _ := wire.Member(body, object, "type")
	text, _ := wire.Member(body, object, "text")
	switch string(kind.Of(body)) {
	case `"thinking"`, `"redacted_thinking"`:
		return edits
	case `"text"`:
		if string(text.Of(body)) == `""` {
			return edits
		}
	}
	end := object.End - 1
	return append(edits, wire.Edit{At: wire.Range{Start: end, End: end}, Text: "," + cacheMark})
}

// lastOf returns the last element of a list that is wanted; nil wants all.
func lastOf(body []byte, list wire.Range, wanted func(body []byte, element wire.Range) bool) (last wire.Range) {
	if !list.Present() || body[list.Start] != '[' {
		return last
	}
	w := wire.Walk(list.Of(body))
	for more := w.Array(); more; more = w.Element() {
		at := w.Value()
		element := wire.Range{Start: list.Start + at.Start, End: list.Start + at.End}
		if wanted == nil || wanted(body, element) {
			last = element
		}
	}
	return last
}

func ofUser(body []byte, message wire.Range) bool {
	role, _ := wire.Member(body, message, "role")
	return string(role.Of(body)) == `"user"`
}
