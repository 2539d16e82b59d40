package messages

import "relay/gateway/wire/hub"

// appendParts reads a block that is part of what a message or result says.
func appendParts(parts []hub.Part, b block, path string) ([]hub.Part, error) {
	switch b.kind.String() {
	case "text":
		return appendText(parts, b.text, b.mark, path+".text")
	case "image":
		return appendMedia(parts, hub.Part{Kind: hub.PartImage, Mark: b.mark}, b.source, path+".source")
	case "document":
		return appendDocument(parts, b, path)
	case "search_result":
		return appendFound(parts, b, path)
	case "tool_reference":
		return appendText(parts, b.name, b.mark, path+".tool_name")
	case "compaction": // a summary of what went before, which is still there
		if b.content == nil {
			return parts, nil
		}
		return appendText(parts, b.content, b.mark, path+".content")
	case "":
		return parts, hub.Bad(path+".type", "must be the type of a content block")
	}
	return parts, foreign(b.kind, path)
}

func appendText(parts []hub.Part, value, mark []byte, path string) ([]hub.Part, error) {
	text, ok := hub.TextOf(value)
	if !ok {
		return parts, hub.Bad(path, "must be a text")
	}
	return append(parts, hub.Part{Text: text, Mark: mark}), nil
}

// appendMedia reads an image or document that is held as base64, by its address or
// by the id of a file.
func appendMedia(parts []hub.Part, p hub.Part, source []byte, path string) ([]hub.Part, error) {
	member, ok := "data", false
	switch textOf(hub.MemberOf(source, "type")).String() {
	case "base64":
		p.MediaType = textOf(hub.MemberOf(source, "media_type"))
		p.Data, ok = hub.TextOf(hub.MemberOf(source, member))
	case "url":
		member = "url"
		url, isText := hub.TextOf(hub.MemberOf(source, member))
		ok = isText && p.SetAddress(url)
	case "file":
		member = "file_id"
		p.FileID, ok = hub.TextOf(hub.MemberOf(source, member))
	default:
		return parts, hub.Bad(path+".type", "must be base64, url or file")
	}
	if !ok {
		return parts, hub.Bad(path+"."+member, "must be a text that says where the media are")
	}
	return append(parts, p), nil
}

// appendDocument reads a document. Of one that is text the title goes before it.
func appendDocument(parts []hub.Part, b block, path string) ([]hub.Part, error) {
	title := textOf(b.title)
	kind := textOf(hub.MemberOf(b.source, "type"))
	isText := kind.Is("text") || kind.Is("content")
	if isText {
		parts = appendSaid(parts, title)
	}
	parts = appendSaid(parts, textOf(b.context))
	switch {
	case kind.Is("text"):
		return appendText(parts, hub.MemberOf(b.source, "data"), b.mark, path+".source.data")
	case kind.Is("content"):
		return appendNested(parts, hub.MemberOf(b.source, "content"), b.mark, path+".source.content")
	}
	return appendMedia(parts, hub.Part{Kind: hub.PartFile, Name: title, Mark: b.mark}, b.source, path+".source")
}

// appendFound reads a result of a search as text: its title, where it was found and
// what it says.
func appendFound(parts []hub.Part, b block, path string) ([]hub.Part, error) {
	parts = appendSaid(parts, textOf(b.title))
	parts = appendSaid(parts, textOf(b.source))
	return appendNested(parts, b.content, b.mark, path+".content")
}

// appendNested reads the text or blocks that a block holds. The mark goes to the
// last part.
func appendNested(parts []hub.Part, content, mark []byte, path string) ([]hub.Part, error) {
	before := len(parts)
	err := eachBlock(content, path, func(b block, path string) (err error) {
		if !b.kind.Is("text") && !b.kind.Is("image") {
			return hub.Bad(path+".type", "must be text or image")
		}
		parts, err = appendParts(parts, b, path)
		return err
	})
	if mark != nil && len(parts) > before {
		parts[len(parts)-1].Mark = mark
	}
	return parts, err
}

func appendSaid(parts []hub.Part, text hub.Text) []hub.Part {
	if text.Blank() {
		return parts
	}
	return append(parts, hub.Part{Text: text})
}
