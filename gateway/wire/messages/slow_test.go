package messages_test

import (
	"testing"
	"unicode/utf8"

	"relay/gateway/wire"
	"relay/gateway/wire/messages"
	"relay/gateway/wire/wiretest"
)

// slowMessage reads a message object by encoding/json alone.
func slowMessage(tap *wire.Tap, v wiretest.Value) {
	if reason := v.Last("stop_reason").Reason(); reason != "" {
		tap.Finish(0, reason)
	}
	tap.Usage.Merge(slowUsage(v))
}

// slowUsage takes the last usage, which is flagged where it is not the only
// one.
func slowUsage(v wiretest.Value) (usage wire.Usage) {
	for _, m := range v.Members {
		if m.Name == "usage" && m.Value.Kind == '{' {
			last := usageOf(m.Value)
			last.Flagged = last.Flagged || usage != (wire.Usage{})
			usage = last
		}
	}
	return usage
}

// tally is what a usage object or an iteration says.
type tally struct {
	input, read, created, created5m, created1h, output, thinking, toolIn, toolOut int64
}

func (n tally) written() int64 { return max(n.created, n.created5m+n.created1h) }

func tallyOf(u *wire.Usage, v wiretest.Value) (n tally) {
	meters := map[string]*int64{
		"input_tokens": &n.input, "output_tokens": &n.output, "cache_read_input_tokens": &n.read, "cache_creation_input_tokens": &n.created,
		"cache_creation.ephemeral_5m_input_tokens": &n.created5m, "cache_creation.ephemeral_1h_input_tokens": &n.created1h,
		"output_tokens_details.thinking_tokens": &n.thinking, "server_tool_use.input_tokens": &n.toolIn, "server_tool_use.output_tokens": &n.toolOut,
	}
	for _, m := range v.Members {
		if meter := meters[m.Name]; meter != nil {
			*meter = m.Value.Count(u)
		}
		for _, inner := range m.Value.Members {
			if meter := meters[m.Name+"."+inner.Name]; meter != nil {
				*meter = inner.Value.Count(u)
			}
		}
	}
	return n
}

func usageOf(v wiretest.Value) (u wire.Usage) {
	n := tallyOf(&u, v)
	written, hour := n.written(), n.created1h
	var all []tally
	for _, m := range v.Members {
		if m.Name != "iterations" {
			continue
		}
		all = nil
		for _, iteration := range m.Value.Elements {
			i := tallyOf(&u, iteration)
			switch iteration.Last("type").Text {
			case "compaction":
				all = append(all, i)
			case "advisor_message":
				all = append(all, tally{toolIn: i.input + i.read + i.written(), toolOut: i.output})
			}
		}
	}
	for _, i := range all {
		n.input, n.read, n.output, n.thinking = n.input+i.input, n.read+i.read, n.output+i.output, n.thinking+i.thinking
		n.toolIn, n.toolOut = n.toolIn+i.toolIn, n.toolOut+i.toolOut
		written, hour = written+i.written(), hour+i.created1h
	}
	u.Input, u.CacheRead, u.CacheCreation, u.Output = capped(&u, n.input), capped(&u, n.read), capped(&u, written), capped(&u, n.output)
	u.CacheCreation1h, u.Reasoning = u.Part(hour, u.CacheCreation), u.Part(n.thinking, u.Output)
	u.ServerToolUseInput, u.ServerToolUseOutput = capped(&u, n.toolIn), capped(&u, n.toolOut)
	return u
}

func capped(u *wire.Usage, n int64) int64 { return u.Part(n, wire.MaxCount) }

func compareAnswer(t *testing.T, body []byte) (kind wire.Kind) {
	t.Helper()
	var want wire.Tap
	switch v, ok := wiretest.Parse(body); {
	case !ok:
		kind = wire.Invalid
	case v.IsError():
		kind = wire.Failed
	case v.Kind != '{':
		kind = wire.Invalid
	default:
		slowMessage(&want, v)
		want.Done, want.NoChoices = true, v.Last("content").Kind != '['
	}
	var got wire.Tap
	same(t, body, messages.Codec{}.ReadAnswer(&got, body), got, kind, want)
	return kind
}

// compareEvent holds an event without a name against what its type says.
func compareEvent(t *testing.T, data []byte) {
	t.Helper()
	var want wire.Tap
	kind := wire.Content
	v, ok := wiretest.Parse(data)
	switch name := v.Last("type"); {
	case !ok:
	case name.Kind == '"' && name.Text == "ping":
		kind = wire.Silent
	case name.Kind == '"' && name.Text == "message_start":
		for _, m := range v.Members {
			if m.Name == "message" {
				slowMessage(&want, m.Value)
			}
		}
	case name.Kind == '"' && name.Text == "message_delta":
		for _, m := range v.Members {
			if reason := m.Value.Last("stop_reason").Reason(); m.Name == "delta" && reason != "" {
				want.Finish(0, reason)
			}
		}
		want.Usage.Merge(slowUsage(v))
	case name.Kind == '"' && name.Text == "message_stop":
		kind, want.Done = wire.Terminal, true
	case name.Kind == '"' && (name.Text == "content_block_delta" || name.Text == "content_block_start" || name.Text == "content_block_stop"):
	case v.IsError():
		kind = wire.Failed
	}
	var got wire.Tap
	e := wire.Event{HasData: true, Data: data, Raw: data}
	same(t, data, messages.Codec{}.ReadEvent(&got, &e), got, kind, want)
}

func same(t *testing.T, document []byte, kind wire.Kind, got wire.Tap, wantKind wire.Kind, want wire.Tap) {
	t.Helper()
	if wantKind == wire.Failed {
		wiretest.CheckFailure(t, got.Failure)
		got.Failure = wire.Failure{}
	}
	if !utf8.Valid(document) {
		got.Reason, want.Reason = "", "" // U+FFFD once, or for every byte
	}
	if kind != wantKind || got != want {
		t.Fatalf("%q:\nread   %d %+v\nslowly %d %+v", document, kind, got, wantKind, want)
	}
	wiretest.CheckUsage(t, got.Usage)
}

// documents are what mutations start from.
var documents = []string{
	answer("hi \\u96e8 雨", startUsage),
	`{"type":"message_start","message":{"content":[],"stop_reason":null,"usage":` + startUsage + `}}`,
	`{"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":42,"output_tokens_details":{"thinking_tokens":7},"server_tool_use":{"input_tokens":1,"output_tokens":2}}}`,
	`{"content":[],"usage":{"input_tokens":8,"iterations":[{"type":"compaction","input_tokens":100,"cache_creation":{"ephemeral_1h_input_tokens":5}},{"type":"advisor_message","input_tokens":1,"output_tokens":2}]}}`,
	`{"type":"message_stop"}`, `{"type":"ping"}`, `{"type":"error","error":{"type":"overloaded_error","message":"m"}}`, `[{"error":"x"}]`,
	`{"content":null,"usage":{"input_tokens":-1,"output_tokens":1e308,"cache_read_input_tokens":1.5,"cache_creation_input_tokens":9223372036854775808}}`,
}

var spices = []string{
	`"usage":{"input_tokens":3},`, `"usage":null,`, `"error":{"a":1},`, `"error":null,`, `"content":[],`, `"stop_reason":"refusal",`, `"type":"error",`, `"type":"message_stop",`,
	"{", "}", "[", "]", ",", ":", `"`, `\`, `\u0075`, `\ud83d`, "-", "1", "9", "e", ".", "true", "null", " ", "\n", "\x00", "\xff",
}

func TestReadAnswer_ReadsWhatEncodingJSONReads(t *testing.T) {
	wiretest.Mutations(t, 13, documents, spices, compareAll)
}

func compareAll(t *testing.T, document []byte) wire.Kind {
	t.Helper()
	compareEvent(t, document)
	return compareAnswer(t, document)
}

func FuzzReadAnswer(f *testing.F) {
	for _, document := range documents {
		f.Add([]byte(document))
	}
	f.Fuzz(func(t *testing.T, document []byte) { compareAll(t, document) })
}
