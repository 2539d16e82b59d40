package responses

import (
	"relay/gateway/wire/hub"
)

// added takes the beginning of an item. A call is told once it has a name.
func (d *decoder) added(s *step, to hub.Sink) {
	var f fields
	f.read(s.item)
	kind, ok := partKind(f.kind())
	if !ok {
		return
	}
	i := d.open(s.output, kind)
	i.setID(&f)
	if kind == hub.PartCall {
		d.begin(i, &f, to)
	}
}

func (i *seen) setID(f *fields) {
	if id, ok := hub.TextOf(f.id); ok && i.id == "" {
		i.id = string(id)
	}
}

// partKind tells what becomes of an item; ok is false for those of tools that the
// provider runs.
func partKind(kind string) (p hub.PartKind, ok bool) {
	switch kind {
	case "message":
		return hub.PartText, true
	case "reasoning":
		return hub.PartReasoning, true
	case "function_call", "custom_tool_call":
		return hub.PartCall, true
	}
	return 0, false
}

func (d *decoder) begin(i *seen, f *fields, to hub.Sink) {
	name, ok := hub.TextOf(f.name)
	if i.begun || !ok || len(name) == 0 {
		return
	}
	i.begun = true
	c := hub.Call{Name: name, Custom: f.kind() == "custom_tool_call"}
	c.ID, _ = hub.TextOf(f.callID)
	c.Namespace, _ = hub.TextOf(f.namespace)
	to.Event(hub.Event{Kind: hub.EventPart, Of: hub.PartCall, Part: number(i.index, 0), Call: c})
}

// ended takes an item as a whole and tells what has not been told of it.
func (d *decoder) ended(index int64, item []byte, to hub.Sink) {
	var f fields
	f.read(item)
	kind, ok := partKind(f.kind())
	if !ok {
		return
	}
	i := d.open(index, kind)
	if i.through || i.kind != kind {
		return
	}
	i.setID(&f)
	i.through = true
	switch kind {
	case hub.PartCall:
		d.endCall(i, &f, to)
	case hub.PartReasoning:
		d.endThought(i, &f, to)
	default:
		endMessage(i, &f, to)
	}
}

func endMessage(i *seen, f *fields, to hub.Sink) {
	content := int64(0)
	for raw := range hub.Elements(f.content) {
		if content >= i.next {
			tellPart(raw, number(i.index, content), to)
		}
		content++
	}
}

func tellPart(raw []byte, part int, to hub.Sink) {
	var f fields
	f.read(raw)
	switch f.kind() {
	case "output_text":
		tell(to, hub.PartText, part, f.text)
	case "refusal":
		tell(to, hub.PartRefusal, part, f.refusal)
	}
}

func (d *decoder) endCall(i *seen, f *fields, to hub.Sink) {
	if d.begin(i, f, to); !i.begun {
		return
	}
	part := number(i.index, 0)
	if !i.pieces && f.kind() == "custom_tool_call" {
		tell(to, hub.PartCall, part, f.input)
	} else if !i.pieces {
		tell(to, hub.PartCall, part, f.arguments)
	}
	status, _ := hub.TextOf(f.status)
	to.Event(hub.Event{Kind: hub.EventPartEnd, Of: hub.PartCall, Part: part, Cut: status.Is("incomplete")})
}

func (d *decoder) endThought(i *seen, f *fields, to hub.Sink) {
	part := number(i.index, 0)
	if !i.pieces {
		t := joined(f.summary)
		if len(t) == 0 {
			t = joined(f.content)
		}
		if len(t) > 0 {
			to.Event(hub.Event{Kind: hub.EventDelta, Of: hub.PartReasoning, Part: part, Text: t})
		}
	}
	if t, ok := hub.TextOf(f.encrypted); ok && len(t) > 0 {
		id, _ := hub.TextOf(f.id)
		o := hub.Opaque{Shape: shape, Provider: d.provider, Kind: hub.OpaqueEncrypted, ID: id, Data: t}
		to.Event(hub.Event{Kind: hub.EventOpaque, Of: hub.PartReasoning, Part: part, Opaque: o})
	}
	to.Event(hub.Event{Kind: hub.EventPartEnd, Of: hub.PartReasoning, Part: part})
}

// finish takes a response that has ended.
func (d *decoder) finish(object []byte, to hub.Sink) {
	var status, details, output []byte
	for name, value := range hub.Members(object) {
		switch string(name) {
		case "status":
			status = value
		case "incomplete_details":
			details = value
		case "output":
			output = value
		}
	}
	said, _ := hub.TextOf(status)
	why, _ := hub.TextOf(hub.MemberOf(details, "reason"))
	to.Event(hub.Event{Kind: hub.EventFinish, Reason: reasonOf(said.String(), why.String())})
	index := int64(0)
	for item := range hub.Elements(output) {
		if index == mostItems {
			d.err = errItems
		}
		if d.err == nil {
			d.ended(d.indexOf(item, index), item, to)
		}
		index++
	}
}

// indexOf returns the index by which an item of the finished response is known
// from the stream: that of its id, since some servers leave items out there.
func (d *decoder) indexOf(item []byte, index int64) int64 {
	if len(d.items) == 0 {
		return index
	}
	id, _ := hub.TextOf(hub.MemberOf(item, "id"))
	for i := range d.items {
		if len(id) > 0 && d.items[i].id == string(id) {
			return d.items[i].index
		}
	}
	return index
}

// reasonOf returns why a response has ended. One that was cancelled, or is
// incomplete for a reason that is not known, is cut off.
func reasonOf(status, why string) hub.Reason {
	switch {
	case why == "content_filter":
		return hub.ReasonFilter
	case why != "", status == "incomplete", status == "cancelled":
		return hub.ReasonLength
	}
	return hub.ReasonStop
}
