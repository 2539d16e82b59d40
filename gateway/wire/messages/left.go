package messages

import "relay/gateway/wire/hub"

// left names what has been left out, see Hub.
func (b *body) left() {
	left := b.to.Left
	if left == nil {
		return
	}
	b.leftOfThinking(left)
	if b.leavesStop() {
		left.AddParam(b.r, hub.Stop)
	}
	left.AddStrict(b.r.Tools)
	b.leftOfFormat(left)
	left.AddParts(b.r.Items, func(p *hub.Part) string {
		switch {
		case p.LosesDetail():
			return hub.LeftDetail
		case p.Mark != nil && p.Blank():
			return hub.CacheMarks.String()
		}
		return ""
	})
}

// leftOfThinking names thinking that is not asked for, else what must not stand
// beside it. A value that means the same as none is not missed.
func (b *body) leftOfThinking(left *hub.Left) {
	if !b.think.on() {
		if thinks(b.r.Reasoning) {
			left.AddReasoning(b.r, hub.LeftReasoning)
		}
		return
	}
	if t := b.r.Param(hub.Temperature); t != nil && number(t) != 1 {
		left.AddParam(b.r, hub.Temperature)
	}
	if p := b.r.Param(hub.TopP); p != nil && number(p) < leastTopP {
		left.AddParam(b.r, hub.TopP)
	}
	if b.r.Param(hub.TopK) != nil {
		left.AddParam(b.r, hub.TopK)
	}
	switch {
	case !b.r.Reasoning.Twice():
	case b.think.adaptive:
		left.Add(hub.ReasoningBudget.String())
	default:
		left.Add(hub.ReasoningEffort.String())
	}
	if b.r.Reasoning.Summary == "none" && versionOf(b.to.Model) < adaptiveOnly { // later ones tell no thoughts unasked
		left.Add(hub.ReasoningSummary.String())
	}
}

// leavesStop reports whether a text that ends the answer is left out.
func (b *body) leavesStop() bool {
	said := b.r.Param(hub.Stop)
	if text, ok := hub.TextOf(said); ok {
		return text.Blank()
	}
	for element := range hub.Elements(said) {
		if text := textOf(element); text.Blank() {
			return true
		}
	}
	return false
}

// leftOfFormat names what is said of the answer's schema: a tool that stands for it
// has a description and need not be followed to the letter, output_config.format is
// always, and has none.
func (b *body) leftOfFormat(left *hub.Left) {
	_, answers := answerTool(b.r)
	switch f := &b.r.Format; {
	case f.Kind != hub.FormatSchema:
	case answers && f.Strict == hub.Yes:
		left.Add(hub.LeftFormatStrict)
	case !answers && !f.About.Blank():
		left.Add(hub.LeftFormatAbout)
	}
}
