package responses

import (
	"crypto/sha256"
	"encoding/hex"

	"relay/gateway/wire/hub"
)

// putConversation writes instructions and input. What the system says at the start
// are the instructions, unless nothing else is said, or it is more than text.
func (b *body) putConversation() {
	system, rest := hub.Leading(b.r.Items)
	if len(rest) == 0 || !onlyTexts(system) {
		system, rest = nil, b.r.Items
	}
	if text := systemText(system); len(text) > 0 && b.member("instructions") {
		b.dst = text.Append(b.dst)
	}
	if b.member("input") {
		b.dst = append(b.dst, '[')
		b.putItems(rest)
		b.dst = append(b.dst, ']')
	}
}

func onlyTexts(items []hub.Item) bool {
	for i := range items {
		for p := range items[i].Parts {
			if items[i].Parts[p].Kind != hub.PartText {
				return false
			}
		}
	}
	return true
}

// systemText returns all that the system says, with blank lines between.
func systemText(items []hub.Item) hub.Text {
	var all hub.Text
	for i := range items {
		for _, p := range items[i].Parts {
			if p.Blank() {
				continue
			}
			if len(all) > 0 {
				all = append(all, blankLine...)
			}
			all = append(all, p.Text...)
		}
	}
	return all
}

func (b *body) putItems(items []hub.Item) {
	custom, next := customCalls(items), 0
	for i := range items {
		before := len(b.dst)
		next = max(next, i)
		item := &items[i]
		switch item.Kind {
		case hub.ItemMessage:
			b.putMessage(item)
		case hub.ItemReasoning:
			if next = follows(items, next); next < len(items) && items[next].Side() == hub.SideAssistant {
				b.putThought(item)
			}
		case hub.ItemCall:
			b.putCall(item)
		case hub.ItemResult:
			b.putResult(item, item.Call.Custom || custom[string(item.Call.ID)])
		}
		if len(b.dst) > before {
			b.dst = append(b.dst, ',')
		}
	}
	if b.dst[len(b.dst)-1] == ',' {
		b.dst = b.dst[:len(b.dst)-1]
	}
}

// customCalls returns the ids of calls of custom tools, whose results are items of
// another type; nil where there are none.
func customCalls(items []hub.Item) map[string]bool {
	var ids map[string]bool
	for i := range items {
		if c := &items[i]; c.Kind == hub.ItemCall && c.Call.Custom {
			if ids == nil {
				ids = map[string]bool{}
			}
			ids[string(c.Call.ID)] = true
		}
	}
	return ids
}

// follows returns the index, from one on, of what stands behind reasoning: only
// what the model itself went on with, since reasoning that leads to nothing is
// refused.
func follows(items []hub.Item, from int) int {
	for ; from < len(items); from++ {
		i := &items[from]
		if i.Kind != hub.ItemReasoning && (i.Side() != hub.SideAssistant || !i.Empty()) {
			break
		}
	}
	return from
}

// putThought writes reasoning of this shape and provider. Without its encrypted
// content, reasoning is refused; that of others never goes up.
func (b *body) putThought(i *hub.Item) {
	o := &i.Opaque
	if !o.For(shape, b.to.Provider) {
		return
	}
	b.dst = append(b.dst, `{"type":"reasoning"`...)
	if len(o.ID) > 0 {
		b.dst = o.ID.AppendAfter(b.dst, `,"id":`)
	}
	b.dst = append(b.dst, `,"summary":[`...)
	if len(i.Text) > 0 {
		b.dst = append(i.Text.AppendAfter(b.dst, `{"type":"summary_text","text":`), '}')
	}
	b.dst = append(o.Data.AppendAfter(b.dst, `],"encrypted_content":`), '}')
}

func (b *body) putCall(i *hub.Item) {
	c := &i.Call
	if c.Custom {
		b.dst = callID(c.ID).AppendAfter(b.dst, `{"type":"custom_tool_call","call_id":`)
	} else {
		b.dst = callID(c.ID).AppendAfter(b.dst, `{"type":"function_call","call_id":`)
	}
	b.dst = c.Name.AppendAfter(b.dst, `,"name":`)
	if len(c.Namespace) > 0 {
		b.dst = c.Namespace.AppendAfter(b.dst, `,"namespace":`)
	}
	switch {
	case c.Custom:
		b.dst = i.Arguments.AppendAfter(b.dst, `,"input":`)
	case len(i.Arguments) == 0:
		b.dst = append(b.dst, `,"arguments":"{}"`...)
	default:
		b.dst = i.Arguments.AppendAfter(b.dst, `,"arguments":`)
	}
	b.dst = append(b.dst, '}')
}

func (b *body) putResult(i *hub.Item, custom bool) {
	kind := `{"type":"function_call_output","call_id":`
	if custom {
		kind = `{"type":"custom_tool_call_output","call_id":`
	}
	b.dst = callID(i.Call.ID).AppendAfter(b.dst, kind)
	b.dst = append(b.dst, `,"output":`...)
	if len(i.Parts) == 0 {
		b.dst = append(b.dst, `""`...)
	} else {
		b.putParts(i.Parts, hub.RoleUser)
	}
	b.dst = append(b.dst, '}')
}

// callID returns the id of a call as OpenAI accepts it: of no more than 64
// characters. Of a longer one it is the hash.
func callID(id hub.Text) hub.Text {
	if len(id) <= 64 {
		return id
	}
	sum := sha256.Sum256(id.Plain())
	return hub.Text("call_" + hex.EncodeToString(sum[:24]))
}
