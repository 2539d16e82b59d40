package chat

import (
	"bytes"

	"relay/gateway/wire/hub"
)

// readContent reads what a message says: a text, or an array of parts. null, an
// empty array and nothing at all are no parts.
func readContent(value []byte) ([]hub.Part, *fault) {
	switch {
	case hub.IsNull(value):
		return nil, nil
	case value[0] == '"':
		t, _ := hub.TextOf(value)
		return []hub.Part{{Text: t}}, nil
	case value[0] != '[':
		return nil, bad("content", "must be a string or an array of parts")
	}
	var parts []hub.Part
	for value := range hub.Elements(value) {
		p, f := readPart(value)
		if f != nil {
			return nil, f.in("content", len(parts))
		}
		parts = append(parts, p)
	}
	return parts, nil
}

// contentPart is a part that is being read; inner is the member that is named as
// the part's type.
type contentPart struct{ kind, text, refusal, image, audio, file, mark []byte }

func readPart(value []byte) (p hub.Part, f *fault) {
	var c contentPart
	for name, value := range hub.Members(value) {
		if slot := c.slot(name); slot != nil {
			*slot = value
		}
	}
	p.Mark = mark(c.mark)
	kind, _ := hub.TextOf(c.kind)
	switch kind.String() {
	case "text":
		p.Text, f = needText("text", c.text)
	case "refusal":
		p.Kind = hub.PartRefusal
		p.Text, f = needText("refusal", c.refusal)
	case "image_url":
		f = readImage(&p, c.image)
	case "input_audio":
		f = readAudio(&p, c.audio)
	case "file":
		f = readFile(&p, c.file)
	default:
		f = bad("type", "must be text, image_url, input_audio, file or refusal")
	}
	return p, f
}

func (c *contentPart) slot(name []byte) *[]byte {
	switch string(name) {
	case "type":
		return &c.kind
	case "text":
		return &c.text
	case "refusal":
		return &c.refusal
	case "image_url":
		return &c.image
	case "input_audio":
		return &c.audio
	case "file":
		return &c.file
	case "cache_control":
		return &c.mark
	}
	return nil
}

func needText(member string, value []byte) (hub.Text, *fault) {
	t, ok := hub.TextOf(value)
	if !ok {
		return nil, bad(member, "must be a string")
	}
	return t, nil
}

// readImage reads an image, whose address some give without an object around it.
func readImage(p *hub.Part, value []byte) *fault {
	p.Kind = hub.PartImage
	address, ok := hub.TextOf(value)
	if !ok {
		address, _ = hub.TextOf(hub.MemberOf(value, "url"))
		p.Detail, _ = hub.TextOf(hub.MemberOf(value, "detail"))
	}
	if len(address) == 0 || !p.SetAddress(address) {
		return bad("image_url.url", "must be an address: https, or data with base64")
	}
	return nil
}

// readAudio reads audio. Its format is the second half of its media type.
func readAudio(p *hub.Part, value []byte) *fault {
	p.Kind = hub.PartAudio
	p.Data, _ = hub.TextOf(hub.MemberOf(value, "data"))
	format, _ := hub.TextOf(hub.MemberOf(value, "format"))
	if len(p.Data) == 0 || len(format) == 0 {
		return bad("input_audio", "must have data, in base64, and a format, such as wav")
	}
	p.MediaType = append(hub.Text("audio/"), format...)
	return nil
}

// readFile reads a document: its data, as an address or in plain base64, or its id.
func readFile(p *hub.Part, value []byte) *fault {
	p.Kind = hub.PartFile
	p.Name, _ = hub.TextOf(hub.MemberOf(value, "filename"))
	p.FileID, _ = hub.TextOf(hub.MemberOf(value, "file_id"))
	data, _ := hub.TextOf(hub.MemberOf(value, "file_data"))
	switch {
	case len(data) == 0 && len(p.FileID) > 0:
		return nil
	case len(data) == 0:
		return bad("file", "must have file_data or file_id")
	case bytes.IndexByte(data, ':') < 0:
		p.Data, p.MediaType = data, hub.Text("application/pdf")
	case !p.SetAddress(data):
		return bad("file.file_data", "must be base64, or an address: https, or data with base64")
	}
	p.FileID = nil
	return nil
}
