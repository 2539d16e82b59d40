package generate

import (
	"relay/gateway/wire"
	"relay/gateway/wire/hub"
)

// writer writes an answer. It keeps of an open item its names and what is opaque.
type writer struct {
	r      *hub.Reply
	number int64 // of the next event
	item   int64 // index of the open item, -1 before the first

	call   hub.Call
	opaque hub.Opaque
}

// Append writes the event that tells of an event of the hub, if there is one.
func (w *writer) Append(dst []byte, e hub.Event) []byte {
	switch e.Kind {
	case hub.EventStart:
		dst = w.appendHead(w.appendEvent(dst, "generation.created"))
		return append(dst, ",\"status\":\"in_progress\"}}\n\n"...)
	case hub.EventPart:
		w.item++
		w.call, w.opaque = keepCall(w.call, e.Call), hub.Opaque{}
		dst = w.appendItem(dst, "item.started")
		return append(appendBegun(dst, &e), "}}\n\n"...)
	case hub.EventDelta:
		return w.appendDelta(dst, &e)
	case hub.EventOpaque:
		w.opaque = keepOpaque(e.Opaque)
	case hub.EventPartEnd:
		dst = appendNames(w.appendItem(dst, "item.completed"), e.Of, w.call)
		return append(appendStatus(dst, e.Cut, &w.opaque, w.call), "}}\n\n"...)
	case hub.EventFinish:
		dst = w.appendHead(w.appendEvent(dst, "generation.completed"))
		dst = w.appendEnd(appendReason(dst, e.Reason), e.Usage)
		return append(dst, "}\n\n"...)
	}
	return dst
}

// appendEvent begins an event, up to the member behind its number.
func (w *writer) appendEvent(dst []byte, name string) []byte {
	dst = append(append(dst, "event: "...), name...)
	dst = append(append(dst, "\ndata: {\"type\":\""...), name...)
	dst = wire.AppendNumber(dst, `","sequence_number":`, w.number)
	w.number++
	return append(dst, ',')
}

// appendHead writes the member generation, up to the status.
func (w *writer) appendHead(dst []byte) []byte {
	return w.appendWho(append(dst, `"generation":`...))
}

// appendWho begins the object of an answer.
func (w *writer) appendWho(dst []byte) []byte {
	dst = append(append(dst, `{"id":"gen_`...), w.r.ID...)
	dst = wire.AppendNumber(dst, `","object":"generation","created_at":`, w.r.Created)
	return wire.AppendText(dst, `,"model":`, w.r.Model)
}

// appendItem begins an event of the open item, up to the members of item.
func (w *writer) appendItem(dst []byte, name string) []byte {
	dst = wire.AppendNumber(w.appendEvent(dst, name), `"item_index":`, w.item)
	return append(dst, `,"item":{`...)
}

func (w *writer) appendDelta(dst []byte, e *hub.Event) []byte {
	dst = wire.AppendNumber(w.appendEvent(dst, "item.delta"), `"item_index":`, w.item)
	switch e.Of {
	case hub.PartCall:
		dst = append(dst, `,"kind":"arguments"`...)
	case hub.PartReasoning:
		dst = append(dst, `,"kind":"reasoning"`...)
	default:
		dst = append(dst, `,"kind":"text"`...)
	}
	return append(e.Text.AppendAfter(dst, `,"delta":`), "}\n\n"...)
}

// keepCall copies the names of a call, which are good only as long as their event,
// into the room of another.
func keepCall(room, c hub.Call) hub.Call {
	return hub.Call{
		ID: append(room.ID[:0], c.ID...), Name: append(room.Name[:0], c.NameOfFlat()...), Custom: c.Custom,
	}
}

func keepOpaque(o hub.Opaque) hub.Opaque {
	o.ID, o.Data = append(hub.Text(nil), o.ID...), append(hub.Text(nil), o.Data...)
	return o
}

// appendBegun writes the members of an item as it begins: text that is to come is
// empty, media are all there.
func appendBegun(dst []byte, e *hub.Event) []byte {
	dst = appendNames(dst, e.Of, e.Call)
	switch e.Of {
	case hub.PartReasoning:
		return append(dst, `,"summary":[],"content":""`...)
	case hub.PartCall:
		return append(dst, `,"arguments":""`...)
	}
	media := e.Media
	media.Kind = e.Of
	return append(appendPart(append(dst, `,"content":[`...), &media), ']')
}

// appendNames writes what an item is.
func appendNames(dst []byte, of hub.PartKind, c hub.Call) []byte {
	switch of {
	case hub.PartReasoning:
		return append(dst, `"type":"reasoning"`...)
	case hub.PartCall:
		dst = c.ID.AppendAfter(dst, `"type":"function_call","call_id":`)
		dst = c.NameOfFlat().AppendAfter(dst, `,"name":`)
		if c.Custom {
			dst = append(dst, `,"custom":true`...)
		}
		return dst
	}
	return append(dst, `"type":"message","role":"assistant"`...)
}

// appendStatus writes how an item ended, and what is opaque of it. That of a call
// keeps the id of the call, which its provider may not have given.
func appendStatus(dst []byte, cut bool, o *hub.Opaque, c hub.Call) []byte {
	if cut {
		dst = append(dst, `,"status":"incomplete"`...)
	} else {
		dst = append(dst, `,"status":"completed"`...)
	}
	if !o.Present() {
		return dst
	}
	sealed := *o
	if len(sealed.ID) == 0 {
		sealed.ID = c.ID
	}
	return sealed.Seal().AppendAfter(dst, `,"opaque":`)
}

// appendPart writes a part of a message.
func appendPart(dst []byte, p *hub.Part) []byte {
	switch p.Kind {
	case hub.PartText:
		dst = p.Text.AppendAfter(dst, `{"type":"text","text":`)
	case hub.PartRefusal:
		dst = p.Text.AppendAfter(dst, `{"type":"refusal","text":`)
	case hub.PartImage:
		dst = appendMedia(append(dst, `{"type":"image"`...), p)
	case hub.PartAudio:
		dst = appendMedia(append(dst, `{"type":"audio"`...), p)
	default:
		dst = appendMedia(append(dst, `{"type":"file"`...), p)
	}
	return append(dst, '}')
}

func appendMedia(dst []byte, p *hub.Part) []byte {
	for _, m := range [...]struct {
		before string
		text   hub.Text
	}{
		{`,"data":`, p.Data}, {`,"media_type":`, p.MediaType}, {`,"url":`, p.URL},
		{`,"file_id":`, p.FileID}, {`,"name":`, p.Name},
	} {
		if len(m.text) > 0 {
			dst = m.text.AppendAfter(dst, m.before)
		}
	}
	return dst
}
