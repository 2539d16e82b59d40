package gemini

import (
	"bytes"

	"relay/gateway/wire/hub"
)

// message writes the parts of a message. There is no role for a system message
// within the conversation: its texts are marked.
func (w *writer) message(item *hub.Item) {
	before, after := "", ""
	if item.Role == hub.RoleSystem {
		before, after = `<system>\n`, `\n</system>`
	}
	for i := range item.Parts {
		switch p := &item.Parts[i]; {
		case !w.saysPart(*p):
		case p.Kind == hub.PartText || p.Kind == hub.PartRefusal:
			w.say(p, before, after)
		default:
			w.inline(p)
		}
	}
}

// say writes a text.
func (w *writer) say(p *hub.Part, before, after string) {
	w.part()
	w.dst = append(append(w.dst, `{"text":"`...), before...)
	w.dst = append(append(append(w.dst, p.Text...), after...), '"')
	if w.mine(&p.Opaque) {
		w.text("thoughtSignature", p.Opaque.Data)
	}
	w.dst = append(w.dst, '}')
}

// thought writes reasoning that this host has signed. Without a text it is the
// signature that Google's answers end with.
func (w *writer) thought(item *hub.Item) {
	if !w.mine(&item.Opaque) {
		return
	}
	w.part()
	w.dst = item.Text.AppendAfter(w.dst, `{"text":`)
	if len(item.Text) > 0 {
		w.dst = append(w.dst, `,"thought":true`...)
	}
	w.text("thoughtSignature", item.Opaque.Data)
	w.dst = append(w.dst, '}')
}

// media writes the parts that are no text.
func (w *writer) media(parts []hub.Part) {
	for i := range parts {
		if p := &parts[i]; p.Kind != hub.PartText && p.Kind != hub.PartRefusal {
			w.inline(p)
		}
	}
}

func (w *writer) inline(p *hub.Part) {
	w.part()
	w.dst = mediaType(p).AppendAfter(w.dst, `{"inlineData":{"mimeType":`)
	w.text("data", p.Data)
	w.dst = append(w.dst, "}}"...)
}

// mediaType returns the type of media, which Google insists on. Sounds may come
// with the name of their format alone.
func mediaType(p *hub.Part) hub.Text {
	switch t := p.MediaType; {
	case p.Kind == hub.PartAudio && len(t) > 0 && bytes.IndexByte(t, '/') < 0:
		return append(hub.Text("audio/"), t...)
	case len(t) > 0:
		return t
	}
	switch p.Kind {
	case hub.PartImage:
		return hub.Text("image/png")
	case hub.PartAudio:
		return hub.Text("audio/wav")
	}
	return hub.Text("application/pdf")
}
