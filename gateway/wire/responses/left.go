package responses

import "relay/gateway/wire/hub"

// left names what has been left out: budgets have no bound where the model may think
// as it likes, documents that are not sent along have no name, results of tools tell
// errors by their texts alone.
func (b *body) left() {
	left := b.to.Left
	if left == nil {
		return
	}
	if b.r.Reasoning.Budget < 0 && b.r.Reasoning.Effort == "" || b.r.Reasoning.Twice() {
		left.AddReasoning(b.r, hub.ReasoningBudget.String())
	}
	left.AddFailed(b.r.Items)
	left.AddParts(b.r.Items, func(p *hub.Part) string {
		if p.Kind == hub.PartFile && !p.Name.Blank() && len(p.FileID)+len(p.URL) > 0 {
			return hub.LeftFileName
		}
		return ""
	})
}
