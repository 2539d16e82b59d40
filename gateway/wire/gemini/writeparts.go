package gemini

import "relay/gateway/wire/hub"

// speech writes the parts of an answer.
type speech struct {
	thoughts bool         // the caller wants them
	call     hub.Item     // that is open
	untold   hub.Text     // what was thought in the open part, where the caller does not want it
	sealed   []hub.Opaque // of reasoning in another shape, on their way
	called   bool         // a call has been written
}

// take writes the parts that an event of a stream adds.
func (s *speech) take(dst []byte, e *hub.Event) []byte {
	switch e.Kind {
	case hub.EventDelta:
		return s.delta(dst, e)
	case hub.EventPart:
		return s.part(dst, e)
	case hub.EventOpaque:
		return s.opaque(dst, e)
	case hub.EventPartEnd:
		if e.Of == hub.PartCall && !e.Cut {
			return s.writeCall(dst, &s.call)
		}
	}
	return dst
}

func (s *speech) delta(dst []byte, e *hub.Event) []byte {
	switch e.Of {
	case hub.PartCall:
		s.call.Arguments = append(s.call.Arguments, e.Text...)
		return dst
	case hub.PartReasoning:
		if !s.thoughts {
			s.untold = append(s.untold, e.Text...)
			return dst
		}
		return appendText(s.rest(dst), e.Text, true, nil)
	}
	return appendText(dst, e.Text, false, nil)
}

func (s *speech) part(dst []byte, e *hub.Event) []byte {
	switch e.Of {
	case hub.PartCall:
		c := &s.call.Call
		c.ID, c.Name, c.Custom = append(c.ID[:0], e.Call.ID...), append(c.Name[:0], e.Call.NameOfFlat()...), e.Call.Custom
		s.call.Arguments, s.call.Opaque = s.call.Arguments[:0], hub.Opaque{}
	case hub.PartImage, hub.PartAudio, hub.PartFile:
		return appendMedia(dst, &e.Media)
	case hub.PartReasoning:
		s.untold = s.untold[:0]
	}
	return dst
}

// opaque takes what belongs to the open part. Clients keep signatures on calls better
// than on thoughts and empty texts, so that those of another shape wait for the next
// call, and ride there, all on one, or on an empty text: at the end, or before a
// thought that they do not belong to.
func (s *speech) opaque(dst []byte, e *hub.Event) []byte {
	o := &e.Opaque
	switch {
	case e.Of == hub.PartCall:
		s.call.Opaque = hub.Opaque{Shape: shape, Data: append(hub.Text(nil), signature(o)...)}
	case o.Shape != shape:
		s.wait(o, s.untold)
	case e.Of == hub.PartText || e.Of == hub.PartReasoning:
		return appendText(dst, nil, e.Of == hub.PartReasoning && s.thoughts, o.Data)
	}
	return dst
}

// signature returns what goes to the caller for an opaque part.
func signature(o *hub.Opaque) hub.Text {
	if o.Shape == shape {
		return o.Data
	}
	return o.Seal()
}

// wait keeps a part for the next call. What it signs goes with it where the caller is
// not told: the host wants both back.
func (s *speech) wait(o *hub.Opaque, untold hub.Text) {
	kept := o.Clone()
	if kept.Kind == hub.OpaqueSignature && !s.thoughts {
		kept.Signed = append(hub.Text(nil), untold...)
	}
	s.sealed = append(s.sealed, kept)
}

// rest writes what has found no call.
func (s *speech) rest(dst []byte) []byte {
	if len(s.sealed) == 0 {
		return dst
	}
	return appendText(dst, nil, false, s.seal())
}

// seal is that of all that waits; nil: nothing does.
func (s *speech) seal() hub.Text {
	if len(s.sealed) == 0 {
		return nil
	}
	seal := hub.SealAll(s.sealed)
	s.sealed = s.sealed[:0]
	return seal
}

// writeCall writes a call, with its signature or the seal of what waits. The first is
// signed in any case, since without that Google does not take it back.
func (s *speech) writeCall(dst []byte, item *hub.Item) []byte {
	if item.Opaque.Present() {
		dst = s.rest(dst)
	}
	signed := s.seal()
	switch {
	case item.Opaque.Present():
		signed = signature(&item.Opaque)
	case signed == nil && !s.called:
		signed = hub.Unsigned()
	}
	s.called = true
	dst = item.Call.ID.AppendAfter(between(dst), `{"functionCall":{"id":`)
	dst = item.Call.NameOfFlat().AppendAfter(dst, `,"name":`)
	dst = append(appendArgs(append(dst, `,"args":`...), item), '}')
	return append(appendSignature(dst, signed), '}')
}

// appendArgs writes the arguments on one line. Google's are always an object.
func appendArgs(dst []byte, item *hub.Item) []byte {
	start := len(dst)
	dst, err := item.AppendArguments(dst)
	if err != nil {
		dst = append(item.Arguments.AppendAfter(dst[:start], `{"input":`), '}')
	}
	for i, c := range dst[start:] {
		if c == '\n' || c == '\r' {
			dst[start+i] = ' '
		}
	}
	return dst
}

// between writes what stands between a part and those before it.
func between(dst []byte) []byte {
	if dst[len(dst)-1] != '[' {
		dst = append(dst, ',')
	}
	return dst
}

func appendText(dst []byte, t hub.Text, thought bool, signed hub.Text) []byte {
	dst = t.AppendAfter(between(dst), `{"text":`)
	if thought {
		dst = append(dst, `,"thought":true`...)
	}
	return append(appendSignature(dst, signed), '}')
}

func appendSignature(dst []byte, signed hub.Text) []byte {
	if signed != nil {
		dst = signed.AppendAfter(dst, `,"thoughtSignature":`)
	}
	return dst
}

func appendMedia(dst []byte, p *hub.Part) []byte {
	dst = p.MediaType.AppendAfter(between(dst), `{"inlineData":{"mimeType":`)
	dst = p.Data.AppendAfter(dst, `,"data":`)
	return append(dst, "}}"...)
}
