package responses

import "relay/gateway/wire/hub"

// putMessage writes a message. One of the model's that says nothing, as it stands
// beside calls, is left out.
func (b *body) putMessage(i *hub.Item) {
	if len(i.Parts) == 0 || i.Role == hub.RoleAssistant && i.Empty() {
		return
	}
	role := `{"type":"message","role":"user","content":`
	switch i.Role {
	case hub.RoleAssistant:
		role = `{"type":"message","role":"assistant","content":`
	case hub.RoleSystem:
		role = `{"type":"message","role":"system","content":`
	}
	b.dst = append(b.dst, role...)
	b.putParts(i.Parts, i.Role)
	b.dst = append(b.dst, '}')
}

// putParts writes what is said: one text as text, anything else as parts.
func (b *body) putParts(parts []hub.Part, by hub.Role) {
	if len(parts) == 1 && parts[0].Kind == hub.PartText {
		b.dst = parts[0].Text.Append(b.dst)
		return
	}
	b.dst = append(b.dst, '[')
	for p := range parts {
		if p > 0 {
			b.dst = append(b.dst, ',')
		}
		b.dst = appendPart(b.dst, &parts[p], by)
	}
	b.dst = append(b.dst, ']')
}

func appendPart(dst []byte, p *hub.Part, by hub.Role) []byte {
	switch {
	case p.Kind == hub.PartImage:
		return appendImage(dst, p)
	case p.Kind == hub.PartFile:
		return appendFile(dst, p)
	case p.Kind == hub.PartRefusal && by == hub.RoleAssistant:
		dst = p.Text.AppendAfter(dst, `{"type":"refusal","refusal":`)
	case by == hub.RoleAssistant:
		dst = p.Text.AppendAfter(dst, `{"type":"output_text","text":`)
	default:
		dst = p.Text.AppendAfter(dst, `{"type":"input_text","text":`)
	}
	return append(dst, '}')
}

// appendImage writes an image. OpenAI's schema has detail in all of them.
func appendImage(dst []byte, p *hub.Part) []byte {
	dst = append(dst, `{"type":"input_image",`...)
	if len(p.FileID) > 0 {
		dst = p.FileID.AppendAfter(dst, `"file_id":`)
	} else {
		dst = p.AppendAddress(append(dst, `"image_url":`...))
	}
	if len(p.Detail) == 0 {
		return append(dst, `,"detail":"auto"}`...)
	}
	return append(p.Detail.AppendAfter(dst, `,"detail":`), '}')
}

// appendFile writes a document. One that is sent along must have a name, by which
// OpenAI knows how to read it.
func appendFile(dst []byte, p *hub.Part) []byte {
	dst = append(dst, `{"type":"input_file",`...)
	switch {
	case len(p.FileID) > 0:
		return append(p.FileID.AppendAfter(dst, `"file_id":`), '}')
	case len(p.URL) > 0:
		return append(p.URL.AppendAfter(dst, `"file_url":`), '}')
	}
	dst = p.FileName().AppendAfter(dst, `"filename":`)
	return append(p.AppendAddress(append(dst, `,"file_data":`...)), '}')
}
