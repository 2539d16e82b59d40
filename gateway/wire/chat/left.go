package chat

import "relay/gateway/wire/hub"

// leave names what Encode leaves out of a request.
func leave(r *hub.Request, left *hub.Left) {
	if left == nil {
		return
	}
	if r.Reasoning.Budget < 0 && effortOf(r.Reasoning) == "" || r.Reasoning.Twice() {
		left.AddReasoning(r, hub.ReasoningBudget.String())
	}
	if tier := r.Param(hub.ServiceTier); tier != nil && string(tier) != `"auto"` && len(appendTier(nil, tier)) == 0 {
		left.AddParam(r, hub.ServiceTier)
	}
	left.AddFailed(r.Items)
	left.AddParts(r.Items, func(p *hub.Part) string {
		switch {
		case p.LosesDetail() && !hasDetail(p):
			return hub.LeftDetail
		case p.Kind == hub.PartFile && len(p.FileID) > 0 && !p.Name.Blank():
			return hub.LeftFileName
		}
		return ""
	})
}
