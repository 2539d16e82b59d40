package ollama

import (
	"bytes"

	"relay/gateway/wire"
	"relay/gateway/wire/hub"
)

// decodeOptions reads the options. Those that mean something elsewhere become
// parameters, the rest stays together for a runner.
func decodeOptions(r *hub.Request, object []byte) error {
	var rest runnerOptions
	for name, value := range hub.Members(object) {
		p, known := paramOf(name)
		switch {
		case hub.IsNull(value):
		case !known || p == hub.MaxTokens && value[0] == '-': // no limit
			rest.add(name, value)
		case p == hub.Stop:
			if err := setStop(r, value); err != nil {
				return err
			}
		case !isNumber(value):
			return hub.Bad("options."+string(name), "must be a number")
		default:
			r.Set(p, "options."+string(name), value)
		}
	}
	rest.set(r, "options")
	return nil
}

// setStop keeps a list of texts that end an answer, or one.
func setStop(r *hub.Request, value []byte) error {
	if value[0] != '"' && value[0] != '[' {
		return hub.Bad("options.stop", "must be a list of texts")
	}
	for stop := range hub.Elements(value) {
		if stop[0] != '"' {
			return hub.Bad("options.stop", "must be a list of texts")
		}
	}
	if !saysNothing(value) {
		r.Set(hub.Stop, "options.stop", value)
	}
	return nil
}

func paramOf(name []byte) (p hub.Param, known bool) {
	for _, o := range options() {
		if string(name) == o.name {
			return o.param, true
		}
	}
	return 0, false
}

func isNumber(value []byte) bool { return value[0] == '-' || value[0] >= '0' && value[0] <= '9' }

// runnerOptions is an object of options that is being written.
type runnerOptions []byte

func (o *runnerOptions) add(name, value []byte) {
	before := ","
	if len(*o) == 0 {
		before = "{"
	}
	*o = append(append(wire.AppendText(*o, before, string(name)), ':'), value...)
}

func (o *runnerOptions) set(r *hub.Request, name string) {
	if len(*o) > 0 {
		r.Set(hub.RunnerOptions, name, append(*o, '}'))
	}
}

// ReadOptions puts an object into the request that is for a local runner alone:
// num_ctx, keep_alive, think, format and truncate mean what they do in a body of
// /api/chat, all other members are options, as are those of a member options. They
// count before what the body says. name is where the object was found, for
// refusals and for the names of what a shape cannot express. The error is a
// *wire.Error.
func ReadOptions(name string, object []byte, r *hub.Request) error {
	if err := wire.Scan(object, &wire.Members{}); err != nil {
		return hub.Bad(name, "must be a JSON object, such as {\"num_ctx\":16384}")
	}
	var rest runnerOptions
	for member, value := range hub.Members(object) {
		if string(member) != "options" {
			if err := readOption(name, member, value, r, &rest); err != nil {
				return err
			}
			continue
		}
		for member, value := range hub.Members(value) {
			if err := readOption(name, member, value, r, &rest); err != nil {
				return err
			}
		}
	}
	addOther(&rest, r.Param(hub.RunnerOptions))
	rest.set(r, name)
	return nil
}

func readOption(from string, name, value []byte, r *hub.Request, rest *runnerOptions) error {
	switch string(name) {
	case "num_ctx":
		if !hub.IsNull(value) && !isNumber(value) {
			return hub.Bad(from, "must hold a num_ctx that is a number")
		}
		r.Set(hub.NumCtx, from, value)
	case "keep_alive":
		r.Set(hub.KeepAlive, from, value)
	case "truncate":
		setTruncation(r, value)
	case "format":
		return decodeFormat(&r.Format, from, value)
	case "think":
		if !r.Reasoning.SetThink(value) {
			return hub.Bad(from, `must hold a think that is true, false, "low", "medium" or "high"`)
		}
	case "model", "stream", "messages", "tools", "prompt":
		return hub.Bad(from, "holds "+string(name)+", which belongs into the body")
	default:
		if !hub.IsNull(value) {
			rest.add(name, value)
		}
	}
	return nil
}

// addOther adds the options of another object that are not among them.
func addOther(o *runnerOptions, other []byte) {
	own := append(bytes.Clone(*o), '}')
	for name, value := range hub.Members(other) {
		if hub.MemberOf(own, string(name)) == nil {
			o.add(name, value)
		}
	}
}
