package messages

import "relay/gateway/wire/hub"

// system writes the instructions before the conversation, with their marks.
func (b *body) system() error {
	if len(b.talk.system) == 0 {
		return nil
	}
	b.out = append(b.out, `,"system":[`...)
	for _, item := range b.talk.system {
		for p := range item.Parts {
			part := &item.Parts[p]
			if part.Kind != hub.PartText && part.Kind != hub.PartRefusal {
				return inexpressible("media in system messages", "Put them into a message of the user")
			}
			b.text(part.Text, part.Mark)
		}
	}
	b.out = append(b.out, ']')
	return nil
}

// messages writes the conversation: turns of the user and the assistant, one after
// the other.
func (b *body) messages() error {
	b.out = append(b.out, `,"messages":[`...)
	for turn := range b.talk.turns() {
		write, role := b.assistantTurn, `{"role":"assistant","content":[`
		if isUser(turn[0]) {
			write, role = b.userTurn, `{"role":"user","content":[`
		}
		b.out = append(next(b.out), role...)
		if err := write(turn); err != nil {
			return err
		}
		b.out = append(b.out, "]}"...)
	}
	b.out = append(b.out, ']')
	return nil
}

// userTurn writes results of tools before everything else.
func (b *body) userTurn(turn []*hub.Item) error {
	for _, item := range turn {
		if item.Kind == hub.ItemResult {
			if err := b.result(item); err != nil {
				return err
			}
		}
	}
	for _, item := range turn {
		if item.Kind == hub.ItemResult {
			continue
		}
		parts := item.Parts
		if item.Role == hub.RoleSystem {
			parts = b.instruction(parts)
		}
		if err := b.parts(parts); err != nil {
			return err
		}
	}
	return nil
}

// instruction writes the texts of a system message within the conversation as one
// text, and returns the parts that are none.
func (b *body) instruction(parts []hub.Part) (others []hub.Part) {
	var mark []byte
	text := hub.Text(`<system>`)
	for p := range parts {
		switch part := &parts[p]; {
		case part.Kind != hub.PartText && part.Kind != hub.PartRefusal:
			others = append(others, *part)
		case !part.Text.Blank():
			if len(text) > len(`<system>`) {
				text = append(text, `\n`...)
			}
			text = append(append(text, `\n`...), part.Text...)
			if part.Mark != nil {
				mark = part.Mark
			}
		}
	}
	if len(text) > len(`<system>`) {
		b.text(append(text, `\n</system>`...), mark)
	}
	return others
}

func (b *body) assistantTurn(turn []*hub.Item) error {
	for _, item := range turn {
		switch item.Kind {
		case hub.ItemReasoning:
			b.thought(item)
		case hub.ItemCall:
			if err := b.call(item); err != nil {
				return err
			}
		default:
			b.words(item.Parts, b.talk.begun && item == b.talk.items[len(b.talk.items)-1])
		}
	}
	return nil
}

// words writes what the assistant has said. The last text of an answer that is
// begun must not end with white space.
func (b *body) words(parts []hub.Part, last bool) {
	for len(parts) > 0 && last && parts[len(parts)-1].Text.Blank() {
		parts = parts[:len(parts)-1]
	}
	for p := range parts {
		text := parts[p].Text
		if last && p == len(parts)-1 {
			text = trimEnd(text)
		}
		b.text(text, parts[p].Mark)
	}
}

// trimEnd takes white space from the end of a text.
func trimEnd(t hub.Text) hub.Text {
	for n := len(t); n > 0; n = len(t) {
		switch {
		case t[n-1] == ' ':
			t = t[:n-1]
		case n > 1 && (t[n-1] == 'n' || t[n-1] == 'r' || t[n-1] == 't') && isEscape(t[:n-1]):
			t = t[:n-2]
		default:
			return t
		}
	}
	return t
}

// isEscape reports whether a text ends with a backslash that begins an escape.
func isEscape(t hub.Text) bool {
	n := 0
	for n < len(t) && t[len(t)-1-n] == '\\' {
		n++
	}
	return n%2 == 1
}
