package chat

import (
	"bytes"
	"slices"

	"relay/gateway/wire/hub"
)

// conversation writes the messages of a request.
type conversation struct {
	dst      []byte
	empty    bool
	provider string // of the host that they go to
	asked    int    // the item with which the user has asked last
}

// appendMessages writes the conversation, and reports whether there is any.
func appendMessages(dst []byte, r *hub.Request, provider string) (_ []byte, said bool) {
	c := conversation{dst: dst, empty: true, provider: provider}
	for i := range r.Items {
		if r.Items[i].Kind == hub.ItemMessage && r.Items[i].Role == hub.RoleUser {
			c.asked = i
		}
	}
	if r.Format.Kind == hub.FormatJSON && !mentionsJSON(r.Items) {
		c.message("system", []hub.Part{{Text: hub.Text("Answer in JSON.")}})
	}
	at := 0
	for side, items := range hub.Turns(r.Items) {
		switch side {
		case hub.SideSystem:
			c.system(items)
		case hub.SideUser:
			c.user(items)
		case hub.SideAssistant:
			c.assistant(items, at > c.asked)
		}
		at += len(items)
	}
	return c.dst, !c.empty
}

// mentionsJSON reports whether a conversation says that JSON is wanted, without which
// OpenAI refuses to answer in it. Others need not be told.
func mentionsJSON(items []hub.Item) bool {
	for i := range items {
		for _, p := range items[i].Parts {
			if bytes.Contains(bytes.ToLower(p.Text), []byte("json")) {
				return true
			}
		}
	}
	return false
}

// begin begins a message of a role, up to its first member.
func (c *conversation) begin(role string) {
	if !c.empty {
		c.dst = append(c.dst, ',')
	}
	c.empty = false
	c.dst = append(append(append(c.dst, `{"role":"`...), role...), '"')
}

func (c *conversation) end() { c.dst = append(c.dst, '}') }

// system writes messages of the system where they stand, save empty ones.
func (c *conversation) system(items []hub.Item) {
	for i := range items {
		if !items[i].Empty() {
			c.message("system", items[i].Parts)
		}
	}
}

func (c *conversation) message(role string, parts []hub.Part) {
	c.begin(role)
	c.dst = appendContent(append(c.dst, `,"content":`...), parts)
	c.end()
}

// user writes a turn of the user. Results of tools come first, since they must
// follow the calls, and what they hold besides text next, since they may hold text
// alone.
func (c *conversation) user(items []hub.Item) {
	for i := range items {
		if items[i].Kind == hub.ItemResult {
			c.result(&items[i])
		}
	}
	for i := range items {
		if items[i].Kind == hub.ItemResult && slices.ContainsFunc(items[i].Parts, isMedia) {
			c.media(&items[i])
		}
	}
	for i := range items {
		if items[i].Kind == hub.ItemMessage && len(items[i].Parts) > 0 {
			c.message("user", items[i].Parts)
		}
	}
}

// result writes the text of a result.
func (c *conversation) result(item *hub.Item) {
	texts := item.Parts
	if slices.ContainsFunc(texts, isMedia) {
		texts = slices.DeleteFunc(slices.Clone(texts), isMedia)
	}
	c.begin("tool")
	c.dst = idOf(item.Call.ID).AppendAfter(c.dst, `,"tool_call_id":`)
	c.dst = appendContent(append(c.dst, `,"content":`...), texts)
	c.end()
}

// media writes what a result holds besides text.
func (c *conversation) media(item *hub.Item) {
	said := append(append(hub.Text("The result of the tool call "), idOf(item.Call.ID)...), " holds:"...)
	parts := []hub.Part{{Text: said}}
	for _, p := range item.Parts {
		if isMedia(p) {
			parts = append(parts, p)
		}
	}
	c.message("user", parts)
}

func isMedia(p hub.Part) bool { return p.Kind != hub.PartText && p.Kind != hub.PartRefusal }
