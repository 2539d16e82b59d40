package chat

import (
	"relay/gateway/wire"
	"relay/gateway/wire/hub"
)

// appendThoughts writes the thoughts of a message that its host has told itself, in
// the members in which it has told them: the details, which must come back as they
// were; and a bare text, of which the data of its opaque part is the name of the
// member. Hosts that want it back want it in the turn that goes on, and some refuse
// it in others.
func appendThoughts(dst []byte, items []hub.Item, provider string, current bool) []byte {
	before := `,"reasoning_details":[`
	for i := range items {
		if item := &items[i]; isOwn(&item.Opaque, provider) && !isMemberName(item.Opaque.Data) {
			if told := toldDetail(item); told != nil {
				dst = append(append(dst, before...), told...)
				before = ","
			}
		}
	}
	if before == "," {
		dst = append(dst, ']')
	}
	if current {
		dst = appendBare(dst, items, provider)
	}
	return dst
}

// isOwn reports whether an opaque part is from a host of this shape and the same
// provider. Where a provider is not known this shape's hosts have too little in
// common to be taken for one.
func isOwn(o *hub.Opaque, provider string) bool { return o.Shape == shape && o.Provider == provider }

// isMemberName reports whether the data of an opaque part are the name of a member
// of bare thoughts.
func isMemberName(data hub.Text) bool { return data.Is(memberContent) || data.Is(memberReasoning) }

const memberContent, memberReasoning = "reasoning_content", "reasoning"

func appendBare(dst []byte, items []hub.Item, provider string) []byte {
	var name, said hub.Text
	for i := range items {
		if item := &items[i]; isOwn(&item.Opaque, provider) && isMemberName(item.Opaque.Data) {
			name, said = item.Opaque.Data, append(said, item.Text...)
		}
	}
	if len(said) == 0 {
		return dst
	}
	return said.Append(append(name.AppendAfter(dst, ","), ':'))
}

// toldDetail returns a detail as its host has told it; nil when it is none. The text
// of a thought came in pieces, of which the detail held the last.
func toldDetail(item *hub.Item) []byte {
	told := item.Opaque.Data.Plain()
	if wire.Scan(told, &wire.Members{}) != nil {
		return nil
	}
	if kind, _ := hub.TextOf(hub.MemberOf(told, "type")); !kind.Is(detailText) {
		return told
	}
	whole := item.Text.AppendAfter(nil, `{"text":`)
	for name, value := range hub.Members(told) {
		if string(name) != "text" {
			whole = append(append(wire.AppendText(whole, ",", string(name)), ':'), value...)
		}
	}
	return append(whole, '}')
}
