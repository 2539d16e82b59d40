package gemini

import (
	"relay/gateway/wire"
	"relay/gateway/wire/hub"
)

// AppendAnswer writes a whole answer as one candidate. Usage of which nothing is
// known is left out.
func (e *encoder) AppendAnswer(dst []byte, a *hub.Answer) []byte {
	dst = append(dst, candidateBegins...)
	for i := range a.Items {
		dst = e.item(dst, &a.Items[i])
	}
	usage := &a.Usage
	if a.Usage == (wire.Usage{}) {
		usage = nil
	}
	return e.end(e.rest(dst), a.Reason, usage)
}

// item writes an item. A call that was cut off is left out.
func (s *speech) item(dst []byte, item *hub.Item) []byte {
	switch item.Kind {
	case hub.ItemReasoning:
		return s.thought(dst, item)
	case hub.ItemCall:
		if item.Cut {
			return dst
		}
		return s.writeCall(dst, item)
	}
	for i := range item.Parts {
		dst = s.said(dst, &item.Parts[i])
	}
	return dst
}

// thought writes reasoning, if the caller wants it. A seal goes on its way as in a
// stream.
func (s *speech) thought(dst []byte, item *hub.Item) []byte {
	o := &item.Opaque
	if told := s.thoughts && len(item.Text) > 0; told {
		dst = s.rest(dst) // it belongs to the thought before
	}
	var signed hub.Text
	switch {
	case o.Shape == shape:
		signed = o.Data
	case o.Present():
		s.wait(o, item.Text)
	}
	switch {
	case s.thoughts && (len(item.Text) > 0 || signed != nil):
		return appendText(dst, item.Text, true, signed)
	case signed != nil:
		return appendText(dst, nil, false, signed)
	}
	return dst
}

func (s *speech) said(dst []byte, p *hub.Part) []byte {
	switch {
	case p.Kind != hub.PartText && p.Kind != hub.PartRefusal:
		return appendMedia(dst, p)
	case p.Opaque.Shape == shape:
		return appendText(dst, p.Text, false, p.Opaque.Data)
	case p.Opaque.Present():
		dst = s.rest(dst)
		s.wait(&p.Opaque, nil)
	}
	if len(p.Text) == 0 {
		return dst
	}
	return appendText(dst, p.Text, false, nil)
}
