package messages

import "relay/gateway/wire/hub"

// reasonOf reads why an answer has ended (stop_reason).
func reasonOf(t hub.Text) hub.Reason {
	switch t.String() {
	case "end_turn":
		return hub.ReasonStop
	case "stop_sequence":
		return hub.ReasonStopSequence
	case "max_tokens", "model_context_window_exceeded":
		return hub.ReasonLength
	case "tool_use":
		return hub.ReasonCalls
	case "refusal":
		return hub.ReasonRefusal
	case "pause_turn":
		return hub.ReasonPause
	}
	return hub.ReasonUnknown
}

// reasonName writes why an answer has ended.
func reasonName(r hub.Reason) string {
	switch r {
	case hub.ReasonStopSequence:
		return "stop_sequence"
	case hub.ReasonLength:
		return "max_tokens"
	case hub.ReasonCalls:
		return "tool_use"
	case hub.ReasonFilter, hub.ReasonRefusal:
		return "refusal"
	case hub.ReasonPause:
		return "pause_turn"
	}
	return "end_turn"
}
