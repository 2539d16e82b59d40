package chat

import (
	"bytes"
	"strings"

	"relay/gateway/wire/hub"
)

// Hub is chat completions on the hub, for callers and hosts. It implements
// hub.Codec.
//
// Hosts of this shape are many and strict: what is not in OpenAI's own reference
// is not sent to them, cache marks and top_k among it. Custom tools, which OpenAI
// alone has in this shape, go up as functions of one argument; names of tools and
// ids of calls that OpenAI would not take are made to fit, see nameOf. Where an
// answer must be JSON and nothing in the conversation says so, a message of the
// system does. Thoughts go back to a host in the members in which it has told
// them, see appendThoughts, and to no other: many refuse them.
//
// Callers are told thoughts in reasoning_content, and what belongs to them and
// must come back in reasoning_details, see detail. Images and audio are left out
// of answers. The older functions, function_call and role function are refused.
type Hub struct{}

var _ hub.Codec = Hub{}

// shape is the name of the shape in bindings.
const shape = "openai"

// Shape returns openai.
func (Hub) Shape() string { return shape }

// Returns reports whether the body may hold details that Relay has written.
func (Hub) Returns(body []byte) bool {
	const member = `"reasoning_details"`
	rest, found := hub.After(body, member, strings.IndexByte(member, '_'))
	for found {
		if _, rest, found = bytes.Cut(rest, []byte(`"format"`)); found && isOurs(rest) {
			return true
		}
	}
	return false
}

// Decoder returns a reader of one answer to the request.
func (Hub) Decoder(r *hub.Request, provider string) hub.Decoder {
	return &decoder{calls: calls{tools: r.ToolNames(nameOf)}, thought: thought{provider: provider}}
}

// Encoder returns a writer of one answer.
func (Hub) Encoder(r *hub.Reply) hub.Encoder { return newWriter(r) }
