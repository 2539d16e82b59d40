package responses

import (
	"relay/gateway/wire"
	"relay/gateway/wire/hub"
)

// decoding reads a caller's body.
type decoding struct {
	r                                *hub.Request
	instructions, input, tools, pick []byte
	think                            []byte
	at                               place
}

// Decode reads the body of POST /responses. Instructions come first, as a message
// of the system. What OpenAI keeps, such as items by reference, is refused, and so
// are items of tools that it runs; those that only tell what such a tool has done
// are left out.
func (Hub) Decode(body []byte, r *hub.Request) error {
	d := decoding{r: r}
	r.WantsUsage = true
	for name, value := range hub.Members(body) {
		if err := d.member(name, value); err != nil {
			return err
		}
	}
	for _, read := range [...]func() error{d.readThink, d.readInstructions, d.readInput, d.readTools, d.readChoice} {
		if err := read(); err != nil {
			return err
		}
	}
	d.returnOpaque()
	return nil
}

func (d *decoding) member(name, value []byte) error {
	d.echo(name, value)
	switch string(name) {
	case "model":
	case "stream":
		d.r.Streamed = d.r.Streamed || string(value) == "true"
	case "instructions":
		d.instructions = value
	case "input":
		d.input = value
	case "tools":
		d.tools = value
	case "tool_choice":
		d.pick = value
	case "think":
		d.think = value
	case "parallel_tool_calls":
		return d.readParallel(value)
	case "text":
		return d.readText(value)
	case "reasoning":
		return d.readReasoning(value)
	case "include":
		return d.readInclude(value)
	case "stream_options":
		d.readStreamOptions(value)
	default:
		return d.simple(name, value)
	}
	return nil
}

// leaveOut notes that a member is not taken.
func (d *decoding) leaveOut(name string) { d.r.AddUnknown(name, nil) }

func (d *decoding) readThink() error {
	if !d.r.Reasoning.SetThink(d.think) {
		return hub.Bad("think", `must be true, false, or one of "low", "medium" and "high"`)
	}
	return nil
}

// unsupported refuses what only a host of the shape could do.
func unsupported(member, what string) error {
	e := wire.Errorf(wire.CodeUnsupportedParam,
		"%s %s, which only a host that speaks openai_responses can take. Leave it out, or use a model whose host does.", member, what)
	e.Param = member
	return e
}
