package messages

import (
	"strconv"

	"relay/gateway/wire/hub"
)

// keep takes the opaque part of the open part. That of a call stands in a block
// before it: after it where the call has been begun.
func (w *writer) keep(dst []byte, o hub.Opaque) []byte {
	switch {
	case w.of == hub.PartCall && !w.open:
		return w.redacted(dst, sealOf(&o, w.call.ID))
	case w.of == hub.PartCall, w.of == hub.PartReasoning:
		w.opaque = o
		w.opaque.ID, w.opaque.Data = copyOf(o.ID), copyOf(o.Data)
	}
	return dst
}

// end writes what the open part ends with.
func (w *writer) end(dst []byte, cut bool) []byte {
	switch w.of {
	case hub.PartReasoning:
		return w.endThought(dst)
	case hub.PartCall:
		return w.endCall(dst, cut)
	}
	return w.stop(dst)
}

// endCall ends a call. The input of one that has been cut off stays as it is, so
// that nobody takes it for whole.
func (w *writer) endCall(dst []byte, cut bool) []byte {
	switch {
	case !w.open && cut:
		return dst
	case !w.open:
		dst = w.beginCall(dst)
	}
	if w.call.Custom && !cut {
		dst = w.delta(dst, hub.Text(`\"}`))
	}
	dst = w.stop(dst)
	if w.opaque.Present() {
		dst = w.redacted(dst, sealOf(&w.opaque, w.call.ID))
	}
	return dst
}

// beginCall begins the block of a call, behind a mark where it needs one.
func (w *writer) beginCall(dst []byte) []byte {
	if !w.marked && needsMark(w.reply.Request, w.call.ID) {
		dst = w.redacted(dst, hub.Unsigned())
	}
	return w.begin(dst)
}

// needsMark reports whether a call of an answer without thoughts has to be known
// again when it comes back, since Anthropic would not take it as it is: behind a
// call it wants thoughts while there is a budget for them, and not every id will do.
func needsMark(r *hub.Request, id hub.Text) bool {
	return r != nil && r.Reasoning.Budget > 0 || !fits(id.Plain())
}

// endThought signs a thought. One of which there is no text is a block of its own
// kind, as is what its own host has redacted.
func (w *writer) endThought(dst []byte) []byte {
	switch {
	case !w.opaque.Present():
		return w.sign(dst, hub.Unsigned())
	case isRedacted(&w.opaque, w.open):
		return w.redacted(w.sign(dst, hub.Unsigned()), seal(&w.opaque))
	case !w.open:
		dst = w.begin(dst)
		if len(w.held) > 0 {
			dst = w.delta(dst, w.held)
		}
	}
	return w.sign(dst, seal(&w.opaque))
}

// sign ends the block of a thought, if one is open, with its signature.
func (w *writer) sign(dst []byte, signature hub.Text) []byte {
	if !w.open {
		return dst
	}
	return w.stop(w.deltaOf(dst, `,"delta":{"type":"signature_delta","signature":`, signature))
}

// redacted writes a block of redacted_thinking.
func (w *writer) redacted(dst []byte, data hub.Text) []byte {
	dst = append(dst, "event: content_block_start\ndata: {\"type\":\"content_block_start\",\"index\":"...)
	dst = strconv.AppendInt(dst, int64(w.index), 10)
	dst = data.AppendAfter(dst, `,"content_block":{"type":"redacted_thinking","data":`)
	dst = append(dst, "}}\n\n"...)
	w.open, w.marked = true, true
	return w.stop(dst)
}

// isRedacted reports whether an opaque part stands in place of a text.
func isRedacted(o *hub.Opaque, hasText bool) bool {
	if o.Shape == shape {
		return o.Kind == hub.OpaqueRedacted
	}
	return !hasText
}

// seal is what a caller gets to keep of an opaque part: what came from a host of
// the shape itself goes on as it is.
func seal(o *hub.Opaque) hub.Text {
	if o.Shape == shape {
		return o.Data
	}
	return o.Seal()
}

// sealOf is the seal of what belongs to a call, by whose id it is found again.
func sealOf(o *hub.Opaque, call hub.Text) hub.Text {
	sealed := *o
	if len(sealed.ID) == 0 {
		sealed.ID = call
	}
	return sealed.Seal()
}
