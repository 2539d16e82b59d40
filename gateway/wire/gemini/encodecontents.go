package gemini

import (
	"slices"

	"relay/gateway/wire/hub"
)

// system writes systemInstruction, a part for each text.
func (w *writer) system(items []hub.Item) {
	begun := false
	for i := range items {
		for p := range items[i].Parts {
			part := &items[i].Parts[p]
			if part.Kind != hub.PartText || part.Blank() {
				continue
			}
			if !begun {
				w.name("systemInstruction")
				w.dst = append(w.dst, `{"parts":[`...)
			}
			begun = true
			w.part()
			w.dst = append(part.Text.AppendAfter(w.dst, `{"text":`), '}')
		}
	}
	if begun {
		w.dst = append(w.dst, "]}"...)
	}
}

// part begins a part of the array that is being written.
func (w *writer) part() {
	if w.dst[len(w.dst)-1] != '[' {
		w.dst = append(w.dst, ',')
	}
}

// contents writes the conversation. What one side says without a break is one
// content, for Google wants the sides to take turns.
func (w *writer) contents(items []hub.Item) error {
	w.name("contents")
	w.dst = append(w.dst, '[')
	for len(items) > 0 {
		turn := w.turn(items)
		w.at = len(w.r.Items) - len(items)
		if err := w.content(turn); err != nil {
			return err
		}
		items = items[len(turn):]
	}
	w.dst = append(w.dst, ']')
	return nil
}

// turn returns the items that are one content. Items that say nothing do not end
// it.
func (w *writer) turn(items []hub.Item) []hub.Item {
	begun, model := false, false
	for i := range items {
		if !w.says(&items[i]) {
			continue
		}
		if said := items[i].Side() == hub.SideAssistant; !begun {
			begun, model = true, said
		} else if said != model {
			return items[:i]
		}
	}
	return items
}

// says reports whether an item has anything that goes up.
func (w *writer) says(i *hub.Item) bool {
	switch i.Kind {
	case hub.ItemMessage:
		return slices.ContainsFunc(i.Parts, w.saysPart)
	case hub.ItemReasoning:
		return w.mine(&i.Opaque)
	}
	return true
}

// saysPart reports whether a part goes up: Google refuses blank texts, save those
// that a signature belongs to.
func (w *writer) saysPart(p hub.Part) bool {
	return p.Kind != hub.PartText && p.Kind != hub.PartRefusal || !p.Text.Blank() || w.mine(&p.Opaque)
}

// mine reports whether the host may see an opaque part.
func (w *writer) mine(o *hub.Opaque) bool { return o.For(shape, w.to.Provider) }

func (w *writer) content(turn []hub.Item) error {
	first := slices.IndexFunc(turn, func(i hub.Item) bool { return w.says(&i) })
	if first < 0 {
		return nil
	}
	w.part()
	if turn[first].Side() == hub.SideAssistant {
		w.dst = append(w.dst, `{"role":"model","parts":[`...)
		return w.end(w.model(turn))
	}
	w.dst = append(w.dst, `{"role":"user","parts":[`...)
	return w.end(w.user(turn))
}

func (w *writer) end(err error) error {
	w.dst = append(w.dst, "]}"...)
	return err
}

// user writes what stands between two turns of the model: the results of its
// calls, which Google wants first, the media in them, then all else.
func (w *writer) user(turn []hub.Item) error {
	for i := range turn {
		if turn[i].Kind == hub.ItemResult {
			if err := w.result(&turn[i]); err != nil {
				return err
			}
		}
	}
	for i := range turn {
		if turn[i].Kind == hub.ItemResult {
			w.media(turn[i].Parts)
		}
	}
	for i := range turn {
		if turn[i].Kind == hub.ItemMessage {
			w.message(&turn[i])
		}
	}
	return nil
}

// model writes a turn of the model.
func (w *writer) model(turn []hub.Item) error {
	called := false
	for i := range turn {
		item := &turn[i]
		switch item.Kind {
		case hub.ItemMessage:
			w.message(item)
		case hub.ItemReasoning:
			w.thought(item)
		case hub.ItemCall:
			if err := w.call(item, !called); err != nil {
				return err
			}
			called = true
		}
	}
	return nil
}
