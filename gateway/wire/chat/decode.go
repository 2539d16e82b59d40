package chat

import "relay/gateway/wire/hub"

// Decode reads a caller's body
// (https://platform.openai.com/docs/api-reference/chat/create). Beside OpenAI's
// members it knows those by which many callers of this shape steer reasoning,
// sampling and local runners.
func (Hub) Decode(body []byte, r *hub.Request) error {
	b := request{r: r}
	for name, value := range hub.Members(body) {
		if hub.IsNull(value) || b.keep(name, value) {
			continue
		}
		if f := b.param(string(name), value); f != nil {
			return f.refusal()
		}
	}
	return b.read().refusal()
}

// request is a body that is being read: the members that make sense together.
type request struct {
	r                          *hub.Request
	messages                   []byte
	tools, choice, parallel    []byte
	format, runnerFormat       []byte
	completionTokens, tokens   []byte
	thinking, reasoning, think []byte
	effort                     []byte
	streamOptions              []byte
}

// keep keeps a member that is read once all are known. model has been read.
func (b *request) keep(name, value []byte) bool {
	slot := b.slot(name)
	if slot != nil {
		*slot = value
		return true
	}
	if string(name) == "stream" {
		b.r.Streamed = value[0] == 't'
		return true
	}
	return string(name) == "model"
}

func (b *request) slot(name []byte) *[]byte {
	switch string(name) {
	case "messages":
		return &b.messages
	case "tools":
		return &b.tools
	case "tool_choice":
		return &b.choice
	case "parallel_tool_calls":
		return &b.parallel
	case "response_format":
		return &b.format
	case "format":
		return &b.runnerFormat
	case "max_completion_tokens":
		return &b.completionTokens
	case "max_tokens":
		return &b.tokens
	case "thinking":
		return &b.thinking
	case "reasoning":
		return &b.reasoning
	case "think":
		return &b.think
	case "reasoning_effort":
		return &b.effort
	case "stream_options":
		return &b.streamOptions
	}
	return nil
}

// read reads the members that were kept.
func (b *request) read() *fault {
	for _, step := range [...]func() *fault{
		b.readLimit, b.readStreamOptions, b.readFormat, b.readReasoning, b.readTools, b.readChoice, b.readMessages,
	} {
		if f := step(); f != nil {
			return f
		}
	}
	return nil
}

// readLimit reads the bound of the output. The younger name wins.
func (b *request) readLimit() *fault {
	name, value := "max_completion_tokens", b.completionTokens
	if value == nil {
		name, value = "max_tokens", b.tokens
	}
	if value != nil && !isCount(value) {
		return bad(name, "must be a whole number of 1 or more")
	}
	b.r.Set(hub.MaxTokens, name, value)
	return nil
}

// readStreamOptions reads whether usage is told in a stream. That the stream be
// padded is on unless the caller turns it off.
func (b *request) readStreamOptions() *fault {
	if b.streamOptions != nil && b.streamOptions[0] != '{' {
		return bad("stream_options", "must be an object")
	}
	for name, value := range hub.Members(b.streamOptions) {
		switch string(name) {
		case includeUsage:
			b.r.WantsUsage = string(value) == "true"
		case includeObfuscation:
			if hub.SwitchOf(value) == hub.No {
				b.r.Set(hub.StreamOptions, "stream_options."+includeObfuscation, value)
			}
		default:
			b.r.AddUnknown("stream_options."+string(name), value)
		}
	}
	return nil
}

const includeObfuscation = "include_obfuscation"
