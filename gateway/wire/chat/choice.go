package chat

import (
	"relay/gateway/wire"
	"relay/gateway/wire/hub"
)

// choice is what a chunk or a whole answer says of the first choice, in JSON as it
// is written; nil is absent.
type choice struct {
	found bool

	content, refusal []byte
	reasoningContent []byte
	reasoning        []byte
	details          []byte
	toolCalls        []byte
	functionCall     []byte
	reason           []byte
	index            int64
}

// read reads a document. message is the name of the member in which the choice
// tells it. It reports whether the document is JSON.
func (c *choice) read(document []byte, message string) bool {
	w := wire.Walk(document)
	for more := w.Object(); more; more = w.Member() {
		if string(w.Name()) == "choices" {
			c.readChoices(&w, message)
		}
	}
	return w.End()
}

func (c *choice) readChoices(w *wire.Walker, message string) {
	for more := w.Array(); more; more = w.Element() {
		var one choice
		one.readChoice(w, w.Object(), message)
		if one.index == 0 && !c.found {
			*c, c.found = one, true
		}
	}
}

func (c *choice) readChoice(w *wire.Walker, more bool, message string) {
	for ; more; more = w.Member() {
		switch name := w.Name(); {
		case string(name) == "index":
			c.index = w.Index()
		case string(name) == "finish_reason":
			c.reason = w.Raw()
		case string(name) == message:
			c.readMessage(w)
		}
	}
}

func (c *choice) readMessage(w *wire.Walker) {
	for more := w.Object(); more; more = w.Member() {
		switch string(w.Name()) {
		case "content":
			c.content = w.Raw()
		case "refusal":
			c.refusal = w.Raw()
		case memberContent:
			c.reasoningContent = w.Raw()
		case memberReasoning:
			c.reasoning = w.Raw()
		case "reasoning_details":
			c.details = w.Raw()
		case "tool_calls":
			c.toolCalls = w.Raw()
		case "function_call":
			c.functionCall = w.Raw()
		}
	}
}

// says reports whether the choice has anything but thoughts.
func (c *choice) says() bool {
	return isTold(c.content) || isTold(c.refusal) || isTold(c.toolCalls) || isTold(c.functionCall) || c.ends()
}

// isTold reports whether a value is neither null nor empty.
func isTold(value []byte) bool { return !hub.IsNull(value) && !isEmpty(value) }

// ends reports whether the choice tells why it has ended.
func (c *choice) ends() bool { return len(c.reason) > len(`""`) && c.reason[0] == '"' }

// endReason returns why the choice has ended. Servers have words of their own for a
// limit that was met and for having been interrupted, which is as incomplete.
func (c *choice) endReason() hub.Reason {
	word, _ := hub.TextOf(c.reason)
	switch string(word) {
	case "stop", "eos", "end_turn", "stop_sequence":
		return hub.ReasonStop
	case "length", "max_tokens", "model_length", "insufficient_system_resource", "abort":
		return hub.ReasonLength
	case "tool_calls", "function_call", "tool_use":
		return hub.ReasonCalls
	case "content_filter":
		return hub.ReasonFilter
	}
	return hub.ReasonUnknown
}
