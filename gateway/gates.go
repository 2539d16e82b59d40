package gateway

import (
	"relay/gateway/plan"
	"relay/gateway/wire"
)

// gate holds the request against what the policies above its caller ask of it: which
// parameters it holds, what it uses, and how large it is.
func (x *exchange) gate() error {
	g := x.caller.Gates
	if g == nil {
		return nil
	}
	if err := x.gateUse(g); err != nil {
		return err
	}
	if g.Weighs() && !x.sendsForm() {
		return refusedByGate(g.RefuseInput(x.inputTokens()))
	}
	return nil
}

// gateUse looks at what the endpoint, the body and the header tell.
func (x *exchange) gateUse(g *plan.Gates) error {
	if !g.Asks() {
		return nil
	}
	uses, err := x.inspect(g)
	if err != nil {
		return err
	}
	if r := g.RefuseEndpoint(x.call.name); r != nil {
		return refusedByGate(r)
	}
	for _, u := range capabilitiesUsed {
		if uses&u.uses != 0 {
			if r := g.RefuseUse(u.capability); r != nil {
				return refusedByGate(r)
			}
		}
	}
	return nil
}

// capabilitiesUsed are the capabilities of policies that a request uses by what it
// holds. Sound is understood or made; both are audio.
var capabilitiesUsed = [...]struct {
	uses       wire.Uses
	capability string
}{
	{wire.UsesStream, "streaming"}, {wire.UsesTools, "tools"}, {wire.UsesParallelTools, "parallelTools"}, {wire.UsesVision, "vision"},
	{wire.UsesAudioInput, "transcription"}, {wire.UsesAudioOutput, "speech"}, {wire.UsesAudioInput | wire.UsesAudioOutput, "audio"},
	{wire.UsesImageOutput, "images"}, {wire.UsesReasoning, "reasoning"}, {wire.UsesJSONMode, "jsonMode"},
	{wire.UsesSchema, "structuredOutputs"}, {wire.UsesPromptCache, "promptCache"},
}

// inspect finds what the request uses, or refuses it for a parameter that it holds.
func (x *exchange) inspect(g *plan.Gates) (wire.Uses, error) {
	if x.sendsForm() {
		return x.inspectForm(g)
	}
	found := wire.Inspect(x.body, g.Blocked)
	if err := refuseHeld(g, x.body, found); err != nil {
		return 0, err
	}
	if given := x.r.Header.Get(runnerOptions); given != "" {
		options := wire.InspectOptions([]byte(given), g.Blocked)
		if err := refuseHeld(g, []byte(given), options); err != nil {
			return 0, err
		}
		found.Uses |= options.Uses
	}
	if x.asksForStream() {
		found.Uses |= wire.UsesStream
	}
	return found.Uses, nil
}

// asksForStream reports whether the caller wants a stream. Sound comes as one in any
// case.
func (x *exchange) asksForStream() bool {
	return x.members.Streamed || x.streams() && x.call.streaming != streamsAlways || x.call.path == pathModel && x.streams()
}

// sendsForm reports whether the body is a form.
func (x *exchange) sendsForm() bool {
	_, form := x.call.naming.(byForm)
	return form
}

// inspectForm is inspect for a form. An image that is to be edited is looked at.
func (x *exchange) inspectForm(g *plan.Gates) (uses wire.Uses, err error) {
	fields, _ := wire.FormFields(x.r.Header.Get("Content-Type"), x.body)
	for _, field := range fields {
		if i := field.Index(x.body, g.Blocked); i >= 0 {
			return 0, blocked(g, i, string(field.Name.Of(x.body)))
		}
	}
	if x.call.path == pathImageEdits {
		uses |= wire.UsesVision
	}
	if x.members.Streamed {
		uses |= wire.UsesStream
	}
	return uses, nil
}

// refuseHeld refuses a body for a parameter that a policy blocks.
func refuseHeld(g *plan.Gates, body []byte, found wire.Inspection) error {
	if found.Held < 0 {
		return nil
	}
	name, _ := wire.Text(body, found.Name, nil)
	return blocked(g, found.Held, string(name))
}

func blocked(g *plan.Gates, index int, written string) error {
	e := refusedByPlan(g.RefuseBlocked(index, written))
	e.Param = written
	return e
}

// refusedByGate is refusedByPlan for what may be no refusal.
func refusedByGate(r *plan.Refused) error {
	if r == nil {
		return nil
	}
	return refusedByPlan(r)
}
