package messages

import (
	"bytes"
	"encoding/base64"

	"relay/gateway/wire"
	"relay/gateway/wire/hub"
)

// mark writes a cache mark and ends the block.
func (b *body) mark(mark []byte) {
	if mark != nil {
		b.out = append(append(b.out, `,"cache_control":`...), mark...)
	}
	b.out = append(b.out, '}')
}

// text writes a block of text, unless it is blank.
func (b *body) text(t hub.Text, mark []byte) {
	if !t.Blank() {
		b.out = t.AppendAfter(next(b.out), `{"type":"text","text":`)
		b.mark(mark)
	}
}

// parts writes what a user has said, or a tool.
func (b *body) parts(parts []hub.Part) error {
	for i := range parts {
		p := &parts[i]
		switch p.Kind {
		case hub.PartImage:
			b.media(p, `{"type":"image"`)
		case hub.PartFile:
			if err := b.document(p); err != nil {
				return err
			}
		default:
			b.text(p.Text, p.Mark)
		}
	}
	return nil
}

// document writes a PDF, or text as such. Nothing else is taken as a document.
func (b *body) document(p *hub.Part) error {
	kind := p.MediaType.String()
	switch {
	case len(p.Data) == 0 || kind == "application/pdf":
		b.media(p, `{"type":"document"`)
		return nil
	case len(kind) > 5 && kind[:5] == "text/" || kind == "application/json":
		return b.plain(p)
	}
	return inexpressible("documents of the type "+kind, "Send text or a PDF")
}

// media writes an image or document by its data or address.
func (b *body) media(p *hub.Part, begin string) {
	b.out = append(append(next(b.out), begin...), `,"source":{"type":`...)
	if len(p.URL) > 0 {
		b.out = p.URL.AppendAfter(b.out, `"url","url":`)
	} else {
		b.out = p.MediaType.AppendAfter(b.out, `"base64","media_type":`)
		b.out = p.Data.AppendAfter(b.out, `,"data":`)
	}
	b.out = append(b.out, '}')
	b.title(p)
}

// plain writes a document that is text.
func (b *body) plain(p *hub.Part) error {
	text, err := base64.StdEncoding.DecodeString(p.Data.String())
	if err != nil {
		return wire.NewError(wire.CodeTranslateRequest, "The data of a document must be base64 (RFC 4648, standard alphabet).")
	}
	text = bytes.ToValidUTF8(text, []byte("\uFFFD"))
	b.out = append(next(b.out), `{"type":"document","source":{"type":"text","media_type":"text/plain","data":`...)
	b.out = append(hub.Text(appendEscaped(nil, text)).Append(b.out), '}')
	b.title(p)
	return nil
}

// title writes the name of a document, and ends the block.
func (b *body) title(p *hub.Part) {
	if p.Kind == hub.PartFile && !p.Name.Blank() {
		b.out = p.Name.AppendAfter(b.out, `,"title":`)
	}
	b.mark(p.Mark)
}

// thought writes what the provider has signed or redacted, as it came.
func (b *body) thought(i *hub.Item) {
	if i.Opaque.Kind == hub.OpaqueRedacted {
		b.out = i.Opaque.Data.AppendAfter(next(b.out), `{"type":"redacted_thinking","data":`)
	} else {
		b.out = i.Text.AppendAfter(next(b.out), `{"type":"thinking","thinking":`)
		b.out = i.Opaque.Data.AppendAfter(b.out, `,"signature":`)
	}
	b.out = append(b.out, '}')
}

func (b *body) call(i *hub.Item) (err error) {
	b.out = b.names.call(i.Call.ID).AppendAfter(next(b.out), `{"type":"tool_use","id":`)
	b.out = toolName(i.Call).AppendAfter(b.out, `,"name":`)
	b.out = append(b.out, `,"input":`...)
	if b.out, err = i.AppendArguments(b.out); err != nil {
		return err
	}
	b.mark(i.Mark)
	return nil
}

// result writes what a tool has said: one text as such, anything else as blocks.
func (b *body) result(i *hub.Item) error {
	b.out = b.names.result(i.Call.ID).AppendAfter(next(b.out), `{"type":"tool_result","tool_use_id":`)
	if err := b.resultContent(i.Parts); err != nil {
		return err
	}
	if i.Failed {
		b.out = append(b.out, `,"is_error":true`...)
	}
	b.mark(i.Mark)
	return nil
}

func (b *body) resultContent(parts []hub.Part) error {
	said := hub.Item{Parts: parts}
	switch {
	case said.Empty():
		return nil
	case len(parts) == 1 && parts[0].Kind == hub.PartText && parts[0].Mark == nil:
		b.out = parts[0].Text.AppendAfter(b.out, `,"content":`)
		return nil
	}
	b.out = append(b.out, `,"content":[`...)
	if err := b.parts(parts); err != nil {
		return err
	}
	b.out = append(b.out, ']')
	return nil
}
