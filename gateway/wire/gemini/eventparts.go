package gemini

import "relay/gateway/wire/hub"

// part tells what a part of the answer says. What tools of Google's own have done
// is left out, as are pictures that the model has only thought of.
func (d *decoder) part(p *part, to hub.Sink) {
	switch {
	case p.call != nil:
		d.call(p, to)
	case p.inline != nil:
		d.media(p, to)
	case p.thought:
		d.text(p, hub.PartReasoning, to)
	default:
		d.text(p, hub.PartText, to)
	}
}

// text tells a text or thought. A signature that comes by itself behind something
// that is no text belongs to the reasoning.
func (d *decoder) text(p *part, of hub.PartKind, to hub.Sink) {
	if text, _ := hub.TextOf(p.text); len(text) > 0 {
		d.last = of
		to.Event(hub.Event{Kind: hub.EventDelta, Of: of, Text: text})
	}
	if p.signature == nil {
		return
	}
	if d.last != hub.PartText {
		of = hub.PartReasoning
	}
	d.sign(p, of, 0, nil, to)
}

// sign tells the signature of a part.
func (d *decoder) sign(p *part, of hub.PartKind, number int, id hub.Text, to hub.Sink) {
	if data := p.signed(); len(data) > 0 {
		o := hub.Opaque{Shape: shape, Provider: d.provider, ID: id, Data: data}
		to.Event(hub.Event{Kind: hub.EventOpaque, Of: of, Part: number, Opaque: o})
	}
}

// call tells a call, which comes whole.
func (d *decoder) call(p *part, to hub.Sink) {
	id, name := textOf(p.call, "id"), textOf(p.call, "name")
	if len(name) == 0 {
		return
	}
	call := d.tools.Call(id, name)
	d.parts++
	d.last = hub.PartCall
	e := hub.Event{Kind: hub.EventPart, Of: hub.PartCall, Part: d.parts, Call: call}
	to.Event(e)
	e.Kind = hub.EventDelta
	if e.Text = argumentsOf(memberOf(p.call, "args"), call.Custom); len(e.Text) > 0 {
		to.Event(e)
	}
	d.sign(p, hub.PartCall, d.parts, id, to)
	e.Kind, e.Text = hub.EventPartEnd, nil
	to.Event(e)
}

func argumentsOf(args []byte, custom bool) hub.Text {
	switch {
	case custom:
		return hub.CustomText(args)
	case args == nil:
		return hub.Text("{}")
	}
	return hub.Quote(string(args))
}

// media tells a picture or sound.
func (d *decoder) media(p *part, to hub.Sink) {
	media := hub.Part{Data: standard(textOf(p.inline, "data")), MediaType: textOf(p.inline, "mimeType")}
	kind, ok := kindOf(media.MediaType.String())
	if p.thought || !ok || kind == hub.PartFile || len(media.Data) == 0 {
		return
	}
	d.parts++
	d.last = kind
	to.Event(hub.Event{Kind: hub.EventPart, Of: kind, Part: d.parts, Media: media})
}
