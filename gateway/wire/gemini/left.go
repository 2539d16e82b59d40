package gemini

import "relay/gateway/wire/hub"

// left names what has been left out. system are the items that systemInstruction is
// made of, which is of texts.
func (w *writer) left(system []hub.Item) {
	left := w.to.Left
	if left == nil {
		return
	}
	left.AddParts(system, func(p *hub.Part) string {
		if p.Kind != hub.PartText {
			return hub.LeftSystemMedia
		}
		return ""
	})
	left.AddStrict(w.r.Tools)
	if f := &w.r.Format; f.Kind == hub.FormatSchema && !f.About.Blank() {
		left.Add(hub.LeftFormatAbout)
	}
	if _, said := w.budget(); !said && w.r.Reasoning.Effort != "" || w.r.Reasoning.Twice() {
		left.AddReasoning(w.r, hub.ReasoningEffort.String())
	}
	left.AddParts(w.r.Items[len(system):], func(p *hub.Part) string {
		switch {
		case p.LosesDetail():
			return hub.LeftDetail
		case p.Kind == hub.PartFile && !p.Name.Blank():
			return hub.LeftFileName
		}
		return ""
	})
}
