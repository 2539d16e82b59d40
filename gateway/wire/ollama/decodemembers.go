package ollama

import "relay/gateway/wire/hub"

// request reads the members that /api/chat and /api/generate have in common.
type request struct {
	r       *hub.Request
	options []byte
	whole   bool // a stream is not wanted
}

// read takes one member. The model's name is the gateway's to read.
func (b *request) read(name, value []byte) error {
	r := b.r
	switch string(name) {
	case "model":
	case "stream":
		b.whole = value[0] == 'f'
	case "options":
		b.options = value
	case "format":
		return decodeFormat(&r.Format, "format", value)
	case "think":
		if !r.Reasoning.SetThink(value) {
			return hub.Bad("think", `must be true, false, or one of "low", "medium" and "high"`)
		}
	case "keep_alive":
		r.Set(hub.KeepAlive, "keep_alive", value)
	case "truncate":
		setTruncation(r, value)
	case "logprobs":
		if value[0] != 'f' {
			r.Set(hub.Logprobs, "logprobs", value)
		}
	case "top_logprobs":
		if string(value) != "0" {
			r.Set(hub.TopLogprobs, "top_logprobs", value)
		}
	case "_debug_render_only":
		if !saysNothing(value) {
			r.Set(hub.RawPrompt, "_debug_render_only", value)
		}
	default:
		if !hub.IsNull(value) {
			r.AddUnknown(string(name), value)
		}
	}
	return nil
}

// finish reads what must be read once all members are known.
func (b *request) finish() error {
	b.r.Streamed, b.r.WantsUsage = !b.whole, true
	if hub.IsNull(b.options) {
		return nil
	}
	if b.options[0] != '{' {
		return hub.Bad("options", "must be an object")
	}
	return decodeOptions(b.r, b.options)
}

// setTruncation takes what is to become of a conversation that is too long.
func setTruncation(r *hub.Request, value []byte) {
	switch hub.SwitchOf(value) {
	case hub.Yes:
		r.Set(hub.Truncation, "truncate", []byte(truncateYes))
	case hub.No:
		r.Set(hub.Truncation, "truncate", []byte(truncateNo))
	}
}

// decodeFormat reads what the answer must be. member is where it was found.
func decodeFormat(f *hub.Format, member string, value []byte) error {
	*f = hub.Format{}
	switch {
	case hub.IsNull(value), string(value) == `""`:
	case value[0] == '{':
		f.Kind, f.Schema = hub.FormatSchema, value
	case string(value) == `"json"`:
		f.Kind = hub.FormatJSON
	default:
		return hub.Bad(member, `must be, or hold as its format, "json" or a JSON schema`)
	}
	return nil
}
