package chat

import (
	"strconv"

	"relay/gateway/wire/hub"
)

// readFormat reads what the answer's text must be like; response_format wins over
// the format of a local runner.
func (b *request) readFormat() *fault {
	if b.format == nil {
		return b.readRunnerFormat()
	}
	f := &b.r.Format
	kind, _ := hub.TextOf(hub.MemberOf(b.format, "type"))
	switch kind.String() {
	case "text":
	case "json_object":
		f.Kind = hub.FormatJSON
	case "json_schema":
		return readSchema(f, hub.MemberOf(b.format, "json_schema"))
	default:
		return bad("response_format.type", "must be text, json_object or json_schema")
	}
	return nil
}

func readSchema(f *hub.Format, value []byte) *fault {
	f.Kind = hub.FormatSchema
	for name, value := range hub.Members(value) {
		switch string(name) {
		case "schema":
			f.Schema = value
		case "name":
			f.Name, _ = hub.TextOf(value)
		case "description":
			f.About, _ = hub.TextOf(value)
		case "strict":
			f.Strict = hub.SwitchOf(value)
		}
	}
	if len(f.Schema) == 0 || f.Schema[0] != '{' {
		return bad("response_format.json_schema.schema", "must be a JSON schema")
	}
	return nil
}

func (b *request) readRunnerFormat() *fault {
	f := &b.r.Format
	switch value := b.runnerFormat; {
	case value == nil, string(value) == `""`:
	case string(value) == `"json"`:
		f.Kind = hub.FormatJSON
	case value[0] == '{':
		f.Kind, f.Schema = hub.FormatSchema, value
	default:
		return bad("format", `must be "json" or a JSON schema`)
	}
	return nil
}

// readReasoning reads how much the model may think: as a local runner is told, as
// other vendors of this shape are told, and as OpenAI is, of which the latter wins.
func (b *request) readReasoning() *fault {
	if !b.r.Reasoning.SetThink(b.think) {
		return bad("think", `must be true, false, or one of "low", "medium" and "high"`)
	}
	if f := b.readThinking(); f != nil {
		return f.in("thinking", -1)
	}
	if b.reasoning != nil && b.reasoning[0] != '{' {
		return bad("reasoning", "must be an object")
	}
	for name, value := range hub.Members(b.reasoning) {
		if f := b.readReasoningMember(string(name), value); f != nil {
			return f.in("reasoning", -1)
		}
	}
	return setEffort(&b.r.Reasoning, "reasoning_effort", b.effort)
}

// readThinking reads the switch that several vendors have, and Anthropic's budget.
func (b *request) readThinking() *fault {
	kind, _ := hub.TextOf(hub.MemberOf(b.thinking, "type"))
	switch {
	case b.thinking == nil:
		return nil
	case kind.Is("disabled"):
		b.r.Reasoning.Effort = "none"
		return nil
	case kind.Is("enabled"), kind.Is("adaptive"):
		b.r.Reasoning.Budget = -1
		return setBudget(&b.r.Reasoning, "budget_tokens", hub.MemberOf(b.thinking, "budget_tokens"))
	}
	return bad("type", "must be enabled, adaptive or disabled")
}

func (b *request) readReasoningMember(name string, value []byte) *fault {
	r := &b.r.Reasoning
	switch name {
	case "effort":
		return setEffort(r, name, value)
	case "max_tokens":
		return setBudget(r, name, value)
	case "enabled":
		switch {
		case hub.SwitchOf(value) == hub.No:
			r.Effort = "none"
		case hub.SwitchOf(value) == hub.Yes && r.Effort == "" && r.Budget == 0:
			r.Budget = -1
		}
	case "exclude":
		if hub.SwitchOf(value) == hub.Yes {
			r.Summary = "none"
		}
	default:
		b.r.AddUnknown("reasoning."+name, value)
	}
	return nil
}

func setEffort(r *hub.Reasoning, member string, value []byte) *fault {
	word, f := textOf(member, value)
	switch said := word.String(); said {
	case "":
	case "none", "minimal", "low", "medium", "high", "xhigh", "max":
		r.Effort = said
	default:
		return bad(member, "must be none, minimal, low, medium, high, xhigh or max")
	}
	return f
}

func setBudget(r *hub.Reasoning, member string, value []byte) *fault {
	switch n, err := strconv.ParseInt(string(value), 10, 64); {
	case hub.IsNull(value):
	case err != nil || n < 1:
		return bad(member, "must be a whole number of 1 or more")
	default:
		r.Budget = n
	}
	return nil
}
