package generate

import "relay/gateway/wire/hub"

// request holds the members of a body that have members of their own, as they are
// written: they are read in an order of their own.
type request struct {
	r     *hub.Request
	names hub.ToolNames // once tools have been read

	input, instructions, sampling, reasoning, output, tools, cache, metadata, extensions []byte
}

// Decode reads a body:
//
//	sampling      temperature, top_p, top_k, max_tokens, stop, seed, frequency_penalty, presence_penalty
//	reasoning     effort (none to max), budget_tokens (-1: as many as the model likes), summary
//	output        format {type text, json_object or json_schema, name, description, schema, strict}, verbosity
//	tools         definitions, see decodeTools; choice auto, none, required or {name}; parallel
//	cache         instructions, tools: whether the provider is to cache what ends with them
//	extensions    {SHAPE: {…}}: members for hosts of that shape alone, added to the body as they are
//
// null is as good as absent.
func (Hub) Decode(body []byte, r *hub.Request) error {
	b := request{r: r, names: r.ToolNames(hub.Call.NameOfFlat)}
	if err := object("", body, b.keep); err != nil {
		return err
	}
	r.WantsUsage = true
	for _, read := range [...]func() error{
		b.readSampling, b.readReasoning, b.readOutput, b.readTools, b.readInstructions, b.readInput,
		b.readCache, b.readMetadata, b.readExtensions,
	} {
		if err := read(); err != nil {
			return err
		}
	}
	return nil
}

// keep puts a member aside, or reads it where it has but one value.
func (b *request) keep(name string, value []byte) error {
	switch name {
	case "model":
	case "stream":
		b.r.Streamed = hub.SwitchOf(value) == hub.Yes
	case "user":
		return setText(b.r, hub.User, name, value)
	case "input":
		b.input = value
	case "instructions":
		b.instructions = value
	case "sampling":
		b.sampling = value
	case "reasoning":
		b.reasoning = value
	case "output":
		b.output = value
	case "tools":
		b.tools = value
	case "cache":
		b.cache = value
	case "metadata":
		b.metadata = value
	case "extensions":
		b.extensions = value
	default:
		return unknown(name)
	}
	return nil
}

// readMetadata reads an object of texts.
func (b *request) readMetadata() error {
	some := false
	err := object("metadata", b.metadata, func(name string, value []byte) error {
		some = true
		_, err := text("metadata."+name, value)
		return err
	})
	if some {
		b.r.Set(hub.Metadata, "metadata", b.metadata)
	}
	return err
}

// ephemeral marks what a provider is to cache, as Anthropic writes it.
const ephemeral = `{"type":"ephemeral"}`

// readCache marks the last part of the instructions and the last tool.
func (b *request) readCache() error {
	return object("cache", b.cache, func(name string, value []byte) error {
		on, err := boolean("cache."+name, value)
		switch name {
		case "instructions":
			if on == hub.Yes {
				b.markInstructions()
			}
		case "tools":
			if n := len(b.r.Tools); on == hub.Yes && n > 0 {
				b.r.Tools[n-1].Mark = []byte(ephemeral)
			}
		default:
			return unknown("cache." + name)
		}
		return err
	})
}

func (b *request) markInstructions() {
	system, _ := hub.Leading(b.r.Items)
	if len(system) == 0 {
		return
	}
	if parts := system[len(system)-1].Parts; len(parts) > 0 {
		parts[len(parts)-1].Mark = []byte(ephemeral)
	}
}
