package ollama

import "relay/gateway/wire/hub"

// leave names what Encode leaves out of a request. Thoughts are always told, so that
// there is no way to have none told.
func leave(r *hub.Request, left *hub.Left) {
	if left == nil {
		return
	}
	if len(r.Tools) > 0 && r.Choice.Mode == hub.ChoiceNone {
		left.Add(hub.LeftTools)
	} else {
		left.AddStrict(r.Tools)
	}
	if f := &r.Format; f.Kind == hub.FormatSchema && !f.About.Blank() {
		left.Add(hub.LeftFormatAbout)
	}
	if r.Reasoning.Twice() && r.Reasoning.Think == "" {
		left.Add(hub.ReasoningEffort.String())
	}
	if r.Reasoning.Budget < 0 && thinkOf(r.Reasoning) == "" {
		left.Add(hub.ReasoningBudget.String())
	}
	if r.Reasoning.Summary == "none" && !r.Reasoning.Off() {
		left.Add(hub.ReasoningSummary.String())
	}
	switch said := r.Param(hub.Truncation); string(said) {
	case "", truncateYes, truncateNo:
	default:
		left.AddParam(r, hub.Truncation)
	}
	left.AddFailed(r.Items)
	left.AddParts(r.Items, func(p *hub.Part) string {
		if p.LosesDetail() {
			return hub.LeftDetail
		}
		return ""
	})
}
