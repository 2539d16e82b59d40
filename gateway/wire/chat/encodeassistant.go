package chat

import (
	"slices"

	"relay/gateway/wire/hub"
)

// assistant writes a turn of the model. Where it calls tools all of it is one
// message, since the results must follow the calls; else each message stands for
// itself, with the thoughts before it. current says that the user has asked
// nothing since.
func (c *conversation) assistant(items []hub.Item, current bool) {
	if slices.ContainsFunc(items, isCall) {
		c.spoken(items, current)
		return
	}
	from := 0
	for i := range items {
		if items[i].Kind == hub.ItemMessage {
			c.spoken(items[from:i+1], current)
			from = i + 1
		}
	}
}

func isCall(i hub.Item) bool { return i.Kind == hub.ItemCall }

// spoken writes items as one message. One that says nothing is left out. Beside
// calls nothing is null: several servers insist on the member.
func (c *conversation) spoken(items []hub.Item, current bool) {
	parts, called := wordsOf(items), slices.ContainsFunc(items, isCall)
	if len(parts) == 0 && !called {
		return
	}
	c.begin("assistant")
	c.dst = append(c.dst, `,"content":`...)
	if len(parts) == 0 {
		c.dst = append(c.dst, "null"...)
	} else {
		c.dst = appendContent(c.dst, parts)
	}
	c.dst = appendThoughts(c.dst, items, c.provider, current)
	if called {
		c.dst = appendCalls(c.dst, items)
	}
	c.end()
}

// wordsOf returns what is said in the items, blank texts left out.
func wordsOf(items []hub.Item) []hub.Part {
	var words []hub.Part
	for i := range items {
		for _, p := range items[i].Parts {
			if !p.Blank() {
				words = append(words, p)
			}
		}
	}
	return words
}

func appendCalls(dst []byte, items []hub.Item) []byte {
	before := `,"tool_calls":[`
	for i := range items {
		if items[i].Kind == hub.ItemCall {
			dst = appendCall(append(dst, before...), &items[i])
			before = ","
		}
	}
	return append(dst, ']')
}

// appendCall writes a call. A custom one is that of the function that stands in its
// place.
func appendCall(dst []byte, item *hub.Item) []byte {
	dst = idOf(item.Call.ID).AppendAfter(dst, `{"id":`)
	dst = nameOf(item.Call).AppendAfter(dst, `,"type":"function","function":{"name":`)
	arguments := item.Arguments
	switch {
	case item.Call.Custom:
		arguments = hub.Quote(string(append(arguments.AppendAfter(nil, `{"input":`), '}')))
	case len(arguments) == 0:
		arguments = hub.Text("{}")
	}
	return append(arguments.AppendAfter(dst, `,"arguments":`), "}}"...)
}
