package responses

import "relay/gateway/wire/hub"

func (d *decoding) readParallel(value []byte) error {
	d.r.Parallel = hub.SwitchOf(value)
	if d.r.Parallel == hub.Unset && !hub.IsNull(value) {
		return hub.Bad("parallel_tool_calls", "must be true or false")
	}
	return nil
}

// readText reads what the text of the answer must be.
func (d *decoding) readText(value []byte) error {
	if !hub.IsNull(value) && value[0] != '{' {
		return hub.Bad("text", "must be an object")
	}
	for name, inner := range hub.Members(value) {
		switch {
		case hub.IsNull(inner):
		case string(name) == "format":
			if err := d.readFormat(inner); err != nil {
				return err
			}
		case string(name) == "verbosity":
			if string(inner) != `"medium"` {
				d.r.Set(hub.Verbosity, "text.verbosity", inner)
			}
		default:
			d.leaveOut("text." + string(name))
		}
	}
	return nil
}

func (d *decoding) readFormat(value []byte) error {
	f := hub.Format{}
	var kind hub.Text
	for name, inner := range hub.Members(value) {
		switch string(name) {
		case "type":
			kind, _ = hub.TextOf(inner)
		case "schema":
			f.Schema = inner
		case "name":
			f.Name, _ = hub.TextOf(inner)
		case "description":
			f.About, _ = hub.TextOf(inner)
		case "strict":
			f.Strict = hub.SwitchOf(inner)
		}
	}
	switch kind.String() {
	case "text":
		f = hub.Format{}
	case "json_object":
		f = hub.Format{Kind: hub.FormatJSON}
	case "json_schema":
		f.Kind = hub.FormatSchema
		if len(f.Schema) == 0 || f.Schema[0] != '{' {
			return hub.Bad("text.format.schema", "must be a JSON schema")
		}
	default:
		return hub.Bad("text.format.type", "must be text, json_object or json_schema")
	}
	d.r.Format = f
	return nil
}

// readReasoning reads how much the model may think. generate_summary is what
// summary was called at first.
func (d *decoding) readReasoning(value []byte) error {
	if !hub.IsNull(value) && value[0] != '{' {
		return hub.Bad("reasoning", "must be an object")
	}
	for name, inner := range hub.Members(value) {
		if hub.IsNull(inner) {
			continue
		}
		said, isText := hub.TextOf(inner)
		switch string(name) {
		case "effort":
			d.r.Reasoning.Effort = said.String()
		case "summary", "generate_summary":
			d.r.Reasoning.Summary = said.String()
		default:
			d.leaveOut("reasoning." + string(name))
			continue
		}
		if !isText {
			return hub.Bad("reasoning."+string(name), "must be a text")
		}
	}
	return nil
}

// readInclude reads what answers are to hold besides. Reasoning is in every
// translated answer in a form that can be sent back.
func (d *decoding) readInclude(value []byte) error {
	if !hub.IsNull(value) && value[0] != '[' {
		return hub.Bad("include", "must be an array")
	}
	for extra := range hub.Elements(value) {
		said, _ := hub.TextOf(extra)
		switch said.String() {
		case "reasoning.encrypted_content":
		case "message.output_text.logprobs":
			d.r.Set(hub.Logprobs, "include", value)
		default:
			d.r.Set(hub.Include, "include", value)
		}
	}
	return nil
}

// readStreamOptions takes include_obfuscation: false for what is done anyway.
func (d *decoding) readStreamOptions(value []byte) {
	for name, inner := range hub.Members(value) {
		if string(name) != "include_obfuscation" || hub.SwitchOf(inner) == hub.Yes {
			d.r.Set(hub.StreamOptions, "stream_options", value)
		}
	}
}
