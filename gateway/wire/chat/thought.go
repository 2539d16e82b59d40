package chat

import "relay/gateway/wire/hub"

// thought reads the thoughts of an answer into parts, numbered from 0. A server
// tells them in details, or bare in a member of text; where it does both, the bare
// text says the same once more.
type thought struct {
	provider string
	part     int
	begun    bool
	sealed   bool   // the part has what belongs to it
	index    int64  // of the details that the part is made of; bareIndex
	member   string // that tells bare text, while its part is open
}

const bareIndex = -1

// read passes on the thoughts of a chunk or answer.
func (t *thought) read(c *choice, to hub.Sink) {
	if c.details == nil || !haveText(c.details) {
		t.bare(c, to)
	}
	for value := range hub.Elements(c.details) {
		t.detail(value, to)
	}
}

func haveText(details []byte) bool {
	for value := range hub.Elements(details) {
		if d := readDetail(value); len(d.thought()) > 0 {
			return true
		}
	}
	return false
}

// detail passes on a detail. Its opaque part is the detail as a whole.
func (t *thought) detail(value []byte, to hub.Sink) {
	d, index := readDetail(value), indexOf(value)
	t.delta(d.thought(), index, to)
	if len(d.signature)+len(d.data) > 0 {
		kind := hub.OpaqueEncrypted
		if d.kind.Is(detailText) {
			kind = hub.OpaqueSignature
		}
		t.seal(hub.Quote(string(value)), kind, index, to)
	}
}

func indexOf(detail []byte) int64 {
	index := int64(0)
	for _, c := range hub.MemberOf(detail, "index") {
		if c < '0' || c > '9' || index > 1<<32 {
			return 0
		}
		index = 10*index + int64(c-'0')
	}
	return index
}

// bare passes on a bare text.
func (t *thought) bare(c *choice, to hub.Sink) {
	said, member := c.reasoningContent, memberContent
	if !isTold(said) {
		said, member = c.reasoning, memberReasoning
	}
	if text, _ := hub.TextOf(said); len(text) > 0 {
		t.delta(text, bareIndex, to)
		t.member = member
	}
}

// delta passes on a piece of a thought.
func (t *thought) delta(text hub.Text, index int64, to hub.Sink) {
	if len(text) > 0 {
		t.open(index)
		to.Event(hub.Event{Kind: hub.EventDelta, Of: hub.PartReasoning, Part: t.part, Text: text})
	}
}

// open goes on to the next part where the present one is another or complete.
func (t *thought) open(index int64) {
	if t.begun && (t.sealed || index != t.index) {
		t.part++
	}
	t.begun, t.sealed, t.index, t.member = true, false, index, ""
}

// seal passes on what belongs to a thought: to the bare one that is open, if there
// is one.
func (t *thought) seal(data hub.Text, kind hub.OpaqueKind, index int64, to hub.Sink) {
	if t.member != "" {
		index = bareIndex
	}
	t.open(index)
	t.sealed = true
	to.Event(hub.Event{Kind: hub.EventOpaque, Of: hub.PartReasoning, Part: t.part, Opaque: hub.Opaque{
		Shape: shape, Provider: t.provider, Kind: kind, Data: data,
	}})
}

// end ends a bare thought, because something else begins. What belongs to it is the
// name of the member in which the server wants it back, see appendThoughts.
func (t *thought) end(to hub.Sink) {
	if t.member != "" {
		t.seal(hub.Text(t.member), hub.OpaqueSignature, bareIndex, to)
	}
}
