package messages

import (
	"iter"

	"relay/gateway/wire/hub"
)

// conversation is what of a request's items goes up.
type conversation struct {
	system   []*hub.Item
	items    []*hub.Item
	provider string
	begun    bool // it ends with words of the assistant, which the answer goes on from
}

// conversationOf leaves out what says nothing and thoughts that are not the
// provider's. Where there is nothing but instructions the last one is what the
// model is asked.
func conversationOf(r *hub.Request, provider string) *conversation {
	c := &conversation{provider: provider}
	system, rest := hub.Leading(r.Items)
	c.system, c.items = c.kept(system), c.kept(rest)
	if n := len(c.system); len(c.items) == 0 && n > 0 {
		c.items, c.system = c.system[n-1:], c.system[:n-1]
	}
	c.begin()
	return c
}

func (c *conversation) kept(items []hub.Item) []*hub.Item {
	kept := make([]*hub.Item, 0, len(items))
	for i := range items {
		if c.says(&items[i]) {
			kept = append(kept, &items[i])
		}
	}
	return kept
}

func (c *conversation) says(i *hub.Item) bool {
	if i.Kind == hub.ItemReasoning {
		return i.Opaque.For(shape, c.provider)
	}
	return !i.Empty()
}

// begin finds out whether the answer is begun. Thoughts must not stand there.
func (c *conversation) begin() {
	end := len(c.items)
	start := end
	for start > 0 && !isUser(c.items[start-1]) {
		start--
	}
	kept := c.items[:start]
	for _, i := range c.items[start:end] {
		if i.Kind != hub.ItemReasoning {
			kept = append(kept, i)
			c.begun = true
		}
	}
	c.items = kept
}

// isUser reports whether the item belongs to a turn of the user, as system messages
// within a conversation do.
func isUser(i *hub.Item) bool { return i.Side() != hub.SideAssistant }

// turns yields the items in runs of one side.
func (c *conversation) turns() iter.Seq[[]*hub.Item] {
	return func(yield func([]*hub.Item) bool) {
		for items := c.items; len(items) > 0; {
			n := 1
			for n < len(items) && isUser(items[n]) == isUser(items[0]) {
				n++
			}
			if !yield(items[:n]) {
				return
			}
			items = items[n:]
		}
	}
}

// lacksThought reports whether tools have been called since the user last spoke, by
// turns of which none begins with a thought: that is refused while the model is
// given a budget to think.
func (c *conversation) lacksThought() bool {
	lacks, thought := false, false
	for turn := range c.turns() {
		switch {
		case isUser(turn[0]) && !hasKind(turn, hub.ItemResult):
			lacks, thought = false, false
		case hasKind(turn, hub.ItemCall):
			thought = thought || turn[0].Kind == hub.ItemReasoning
			lacks = !thought
		}
	}
	return lacks
}

func hasKind(items []*hub.Item, kind hub.ItemKind) bool {
	for _, i := range items {
		if i.Kind == kind {
			return true
		}
	}
	return false
}
