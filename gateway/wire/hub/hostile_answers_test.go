package hub_test

import (
	"strconv"
	"strings"

	"relay/gateway/wire"
	"relay/gateway/wire/hub"
)

// hostileAnswer is an answer that is made to be slow to translate: events of a
// stream, or a whole answer where it has but one and is no stream. It holds n of
// something, or is refused because that is more than Relay takes.
type hostileAnswer struct {
	host, name string
	streamed   bool
	events     func(n int) []string
}

// numbered is n events. In a form, # is the number of the event.
func numbered(n int, form string) []string {
	events := make([]string, n)
	for i := range events {
		events[i] = strings.ReplaceAll(form, "#", strconv.Itoa(i))
	}
	return events
}

// interleaved is n parts that begin before any ends, and then n pieces of them,
// each of another part than the one before.
func interleaved(n int, begin, piece string) []string {
	return append(numbered(n, begin), numbered(n, piece)...)
}

// alternating is pieces of two parts in turn, of which the first never ends.
func alternating(n int, begin, first, second string) []string {
	events := []string{strings.ReplaceAll(begin, "#", "0"), strings.ReplaceAll(begin, "#", "1")}
	for range n {
		events = append(events, first, second)
	}
	return events
}

func hostileAnswers() []hostileAnswer {
	whole := func(host, name, before, element, after string) hostileAnswer {
		return hostileAnswer{host, name, false, func(n int) []string { return []string{before + many(n, element) + after} }}
	}
	const (
		chatCall     = `{"index":#,"id":"c#","type":"function","function":{"name":"t#","arguments":"{}"}}`
		chatDelta    = `{"choices":[{"index":0,"delta":{"tool_calls":[{"index":#,"id":"c#","function":{"name":"t#","arguments":"{"}}]}}]}`
		chatPiece    = `{"choices":[{"index":0,"delta":{"tool_calls":[{"index":#,"function":{"arguments":" "}}]}}]}`
		messageBegin = `{"type":"content_block_start","index":#,"content_block":{"type":"tool_use","id":"c#","name":"t#","input":{}}}`
		messagePiece = `{"type":"content_block_delta","index":#,"delta":{"type":"input_json_delta","partial_json":"{"}}`
		itemBegin    = `{"type":"response.output_item.added","output_index":#,"item":{"type":"function_call","id":"f#","call_id":"c#","name":"t#","arguments":""}}`
		itemPiece    = `{"type":"response.function_call_arguments.delta","output_index":#,"delta":"{"}`
	)
	return []hostileAnswer{
		whole("openai", "calls", `{"choices":[{"index":0,"message":{"role":"assistant","content":null,"tool_calls":[`, chatCall, `]},"finish_reason":"tool_calls"}]}`),
		whole("openai", "parts", `{"choices":[{"index":0,"message":{"role":"assistant","content":[`, `{"type":"text","text":"x"}`, `]},"finish_reason":"stop"}]}`),
		whole("openai", "details", `{"choices":[{"index":0,"message":{"role":"assistant","content":"x","reasoning_details":[`, `{"type":"reasoning.encrypted","data":"x","index":#}`, `]},"finish_reason":"stop"}]}`),
		whole("openai_responses", "calls", `{"status":"completed","output":[`, `{"type":"function_call","id":"f#","call_id":"c#","name":"t#","arguments":"{}"}`, `]}`),
		whole("openai_responses", "one item", `{"status":"completed","output":[`, `{"type":"function_call","id":"f","call_id":"c#","name":"t#","arguments":"{}"}`, `]}`),
		whole("openai_responses", "parts", `{"status":"completed","output":[{"type":"message","id":"m","content":[`, `{"type":"output_text","text":"x"}`, `]}]}`),
		whole("anthropic", "calls", `{"type":"message","content":[`, `{"type":"tool_use","id":"c#","name":"t#","input":{}}`, `],"stop_reason":"tool_use"}`),
		whole("anthropic", "thoughts", `{"type":"message","content":[`, `{"type":"thinking","thinking":"x","signature":"s"}`, `],"stop_reason":"end_turn"}`),
		whole("gemini", "calls", `{"candidates":[{"content":{"parts":[`, `{"functionCall":{"name":"t#","args":{}}}`, `]},"finishReason":"STOP"}]}`),
		whole("gemini", "thoughts", `{"candidates":[{"content":{"parts":[`, `{"text":"x","thought":true,"thoughtSignature":"s"},{"text":"y"}`, `]},"finishReason":"STOP"}]}`),
		whole("ollama", "calls", `{"message":{"role":"assistant","content":"","tool_calls":[`, `{"function":{"name":"t#","arguments":{}}}`, `]},"done":true}`),
		{"openai", "nested parts", false, func(n int) []string {
			const levels = 300
			return []string{`{"choices":[{"index":0,"message":{"content":` + strings.Repeat(`[{"type":"text","text":`, levels) + `[` + many(n, `"x"`) + `]` + strings.Repeat(`}]`, levels) + `},"finish_reason":"stop"}]}`}
		}},
		{"openai", "interleaved", true, func(n int) []string { return interleaved(n, chatDelta, chatPiece) }},
		{"anthropic", "interleaved", true, func(n int) []string { return interleaved(n, messageBegin, messagePiece) }},
		{"openai_responses", "interleaved", true, func(n int) []string { return interleaved(n, itemBegin, itemPiece) }},
		{"anthropic", "open texts", true, func(n int) []string {
			return interleaved(n, `{"type":"content_block_start","index":#,"content_block":{"type":"text","text":""}}`, `{"type":"content_block_delta","index":#,"delta":{"type":"signature_delta","signature":"s"}}`)
		}},
		{"anthropic", "alternating", true, func(n int) []string {
			return alternating(n, messageBegin, strings.ReplaceAll(messagePiece, "#", "0"), strings.ReplaceAll(messagePiece, "#", "1"))
		}},
		{"openai", "long arguments", true, func(n int) []string {
			begun := []string{strings.ReplaceAll(chatDelta, "#", "0"), `{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"\"` + strings.Repeat("x", 50*n) + `"}}]}}]}`}
			return append(begun, numbered(min(n, 2000), strings.ReplaceAll(chatDelta, `"index":#`, `"index":9#`))...)
		}},
		{"openai", "white space", true, func(n int) []string {
			return append(numbered(n, `{"choices":[{"index":0,"delta":{"content":"\n"}}]}`), `{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}`)
		}},
		{"openai", "ends", true, func(n int) []string {
			return append(numbered(min(n, 4000), chatDelta), numbered(n, `{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}`)...)
		}},
	}
}

// play plays the answer to a request for a sink. An error is the refusal of what is
// more than Relay takes.
func (h *hostileAnswer) play(events []string, r *hub.Request, to hub.Sink) error {
	decoder, sequence := shapes()[rank(h.host)].up.Decoder(r, "p"), hub.NewSequence(to, replyID)
	for _, event := range events {
		e := wire.Event{HasData: true, Data: []byte(event)}
		var err error
		if h.streamed {
			err = decoder.Event(&e, sequence)
		} else {
			err = decoder.Answer(e.Data, sequence)
		}
		if err == nil {
			err = sequence.Err()
		}
		if err != nil {
			return err
		}
	}
	sequence.Finish(&wire.Usage{})
	return nil
}
