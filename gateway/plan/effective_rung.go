package plan

import (
	"fmt"
	"slices"

	"relay/store"
)

// RungEffect is what one rung contributes. What is absent narrows nothing.
type RungEffect struct {
	Rung              string             `json:"rung" enum:"organization,team,project,principal,host,host-account"`
	Record            RecordName         `json:"record"`
	Policy            *RecordName        `json:"policy,omitempty" doc:"The policy that is bound to it."`
	Models            []string           `json:"models,omitempty"`
	Deny              []string           `json:"deny,omitempty"`
	IncludeDeprecated bool               `json:"includeDeprecated,omitempty"`
	Pools             []RungPool         `json:"pools,omitempty"`
	Endpoints         []string           `json:"endpoints,omitempty"`
	Capabilities      store.Capabilities `json:"capabilities,omitempty"`
	MaxInputTokens    *int64             `json:"maxInputTokens,omitempty"`
	BlockedParams     []string           `json:"blockedParams,omitempty"`
	Limits            []LimitState       `json:"limits" doc:"The limits on the record itself, written out, and those and the budgets of the policy."`
	ModelLimits       []RungModelLimit   `json:"modelLimits,omitempty" doc:"What the policy counts per model; the first entry that names a model counts."`
	Refusal           *WouldRefuse       `json:"refusal,omitempty" doc:"What every request under the rung gets."`
}

// RungPool is a pool as a policy has it. With neither list it holds every
// enabled host key.
type RungPool struct {
	Name      string   `json:"name"`
	Selection string   `json:"selection"`
	HostKeys  []string `json:"hostKeys,omitempty"`
	Hosts     []string `json:"hosts,omitempty"`
}

// RungModelLimit is a rate limit on each of some models.
type RungModelLimit struct {
	Models    []string   `json:"models"`
	RateLimit RecordName `json:"rateLimit"`
}

func (f *folding) rung(r rung) RungEffect {
	out := RungEffect{Rung: r.scope.String(), Record: RecordName{r.kind, r.id, r.name}}
	only := f.alone(r)
	out.Limits, out.Refusal = f.seen.describe(f.compiler, only.Held), only.Refused.told()
	out.addPolicy(f.compiler, r.policy)
	return out
}

// addPolicy tells what the policy narrows; nil is none.
func (out *RungEffect) addPolicy(c *compiler, p *store.Policy) {
	if p == nil {
		return
	}
	policy := nameOf(p)
	out.Policy = &policy
	out.Models, out.Deny = c.namesIn(p, "spec.modelNames"), c.namesIn(p, "spec.denyNames")
	out.IncludeDeprecated, out.Endpoints = p.Spec.IncludeDeprecated, p.Spec.Endpoints
	out.Capabilities, out.MaxInputTokens, out.BlockedParams = p.Spec.Capabilities, p.Spec.MaxInputTokens, p.Spec.BlockedParams
	for i, pool := range p.Spec.Pools {
		path := fmt.Sprintf("spec.pools[%d].", i)
		out.Pools = append(out.Pools, RungPool{
			Name: pool.Name, Selection: selectionOf(pool.Selection, c.keysOf(pool)),
			HostKeys: c.namesIn(p, path+"hostKeyNames"), Hosts: c.namesIn(p, path+"hostNames"),
		})
	}
	for i, b := range p.Spec.RLBindings {
		limit := RecordName{store.KindRateLimit, b.RateLimitID, c.nameOf(store.KindRateLimit, b.RateLimitID)}
		out.ModelLimits = append(out.ModelLimits, RungModelLimit{c.namesIn(p, fmt.Sprintf("spec.rlBindings[%d].modelNames", i)), limit})
	}
}

// poolOwner returns the policy of the lowest rung that defines pools; nil when
// none does.
func (a *asked) poolOwner() *RecordName {
	for _, r := range slices.Backward(a.ladder.rungs) {
		if r.policy != nil && len(r.policy.Spec.Pools) > 0 {
			owner := nameOf(r.policy)
			return &owner
		}
	}
	return nil
}

// heldFor is what the requests for a model are held against because of the model.
func heldFor(m *Model, all []ModelLimits) Held {
	var held Held
	for _, perModel := range all {
		held.add(perModel.Of(m).Held)
	}
	held.add(Held{Limits: m.Limits})
	return held
}
