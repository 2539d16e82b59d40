package hub_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/tidwall/gjson"
)

// accumulated is the whole answer that a client of the shape makes of a stream,
// as far as it sends it back.
func accumulated(t *testing.T, shape, stream string) string {
	t.Helper()
	events := dataOf(shape, stream)
	switch shape {
	case "openai":
		return fmt.Sprintf(`{"choices":[{"message":%s}]}`, accumulateChat(events))
	case "openai_responses":
		return gjson.Get(events[len(events)-1], "response").Raw
	case "anthropic":
		return fmt.Sprintf(`{"content":[%s]}`, strings.Join(accumulateMessages(events), ","))
	case "gemini":
		return fmt.Sprintf(`{"candidates":[{"content":{"role":"model","parts":[%s]}}]}`, strings.Join(accumulateGemini(events), ","))
	case "ollama":
		return fmt.Sprintf(`{"message":%s}`, accumulateOllama(events))
	}
	return fmt.Sprintf(`{"output":[%s]}`, strings.Join(accumulateGenerate(events), ","))
}

// dataOf are the documents of a stream that Relay has written.
func dataOf(shape, stream string) (documents []string) {
	for line := range strings.Lines(stream) {
		data, found := strings.CutPrefix(strings.TrimSpace(line), "data: ")
		if shape == "ollama" || found && data != "[DONE]" {
			documents = append(documents, data)
		}
	}
	return documents
}

// object writes members that are JSON, those that are empty left out.
func object(members ...[2]string) string {
	written := []string{}
	for _, m := range members {
		if m[1] != "" {
			written = append(written, fmt.Sprintf("%q:%s", m[0], m[1]))
		}
	}
	return "{" + strings.Join(written, ",") + "}"
}

// quoted is a text as JSON; nothing for an empty one.
func quoted(text string) string {
	if text == "" {
		return ""
	}
	written, _ := json.Marshal(text)
	return string(written)
}

// listed is a list as JSON; nothing for an empty one.
func listed(elements []string) string {
	if len(elements) == 0 {
		return ""
	}
	return "[" + strings.Join(elements, ",") + "]"
}

func accumulateChat(events []string) string {
	var content, thoughts string
	var details, calls, inputs []string
	for _, event := range events {
		delta := gjson.Get(event, "choices.0.delta")
		content += delta.Get("content").Str
		thoughts += delta.Get("reasoning_content").Str
		for _, d := range delta.Get("reasoning_details").Array() {
			details = append(details, d.Raw)
		}
		for _, call := range delta.Get("tool_calls").Array() {
			if call.Get("id").Exists() {
				calls, inputs = append(calls, call.Raw), append(inputs, "")
			}
			inputs[call.Get("index").Int()] += call.Get("function.arguments").Str + call.Get("custom.input").Str
		}
	}
	for i := range calls {
		calls[i] = finishedCall(gjson.Parse(calls[i]), inputs[i])
	}
	return object([2]string{"role", `"assistant"`}, [2]string{"content", cmp.Or(quoted(content), "null")},
		[2]string{"reasoning_content", quoted(thoughts)}, [2]string{"reasoning_details", listed(details)}, [2]string{"tool_calls", listed(calls)})
}

func finishedCall(call gjson.Result, said string) string {
	kind, input := call.Get("type").Str, "arguments"
	if kind == "custom" {
		input = "input"
	}
	inner := object([2]string{"name", call.Get(kind + ".name").Raw}, [2]string{input, quoted(said)})
	return object([2]string{"id", call.Get("id").Raw}, [2]string{"type", quoted(kind)}, [2]string{kind, inner})
}

func accumulateMessages(events []string) (blocks []string) {
	var text, signature, input string
	for _, event := range events {
		delta := gjson.Get(event, "delta")
		switch gjson.Get(event, "type").Str {
		case "content_block_start":
			blocks = append(blocks, gjson.Get(event, "content_block").Raw)
			text, signature, input = "", "", ""
		case "content_block_delta":
			text += delta.Get("text").Str + delta.Get("thinking").Str
			signature += delta.Get("signature").Str
			input += delta.Get("partial_json").Str
		case "content_block_stop":
			last := &blocks[len(blocks)-1]
			*last = finishedBlock(*last, text, signature, input)
		}
	}
	return blocks
}

func finishedBlock(block, text, signature, input string) string {
	switch b := gjson.Parse(block); b.Get("type").Str {
	case "text":
		return object([2]string{"type", `"text"`}, [2]string{"text", quoted(text)})
	case "thinking":
		return object([2]string{"type", `"thinking"`}, [2]string{"thinking", quoted(text)}, [2]string{"signature", quoted(signature)})
	case "tool_use":
		return object([2]string{"type", `"tool_use"`}, [2]string{"id", b.Get("id").Raw}, [2]string{"name", b.Get("name").Raw}, [2]string{"input", input})
	}
	return block
}

func accumulateGemini(events []string) (parts []string) {
	for _, event := range events {
		for _, part := range gjson.Get(event, "candidates.0.content.parts").Array() {
			parts = append(parts, part.Raw)
		}
	}
	return parts
}

func accumulateOllama(events []string) string {
	var content, thoughts string
	var calls []string
	for _, event := range events {
		content += gjson.Get(event, "message.content").Str
		thoughts += gjson.Get(event, "message.thinking").Str
		for _, call := range gjson.Get(event, "message.tool_calls").Array() {
			calls = append(calls, call.Raw)
		}
	}
	return object([2]string{"role", `"assistant"`}, [2]string{"content", `"` + strings.Trim(quoted(content), `"`) + `"`},
		[2]string{"thinking", quoted(thoughts)}, [2]string{"tool_calls", listed(calls)})
}

func accumulateGenerate(events []string) (items []string) {
	started, text := "", ""
	for _, event := range events {
		switch gjson.Get(event, "type").Str {
		case "item.started":
			started, text = gjson.Get(event, "item").Raw, ""
		case "item.delta":
			text += gjson.Get(event, "delta").Str
		case "item.completed":
			items = append(items, finishedItem(gjson.Parse(started), gjson.Get(event, "item"), text))
		}
	}
	return items
}

func finishedItem(started, completed gjson.Result, text string) string {
	kind, opaque := started.Get("type"), [2]string{"opaque", completed.Get("opaque").Raw}
	switch kind.Str {
	case "function_call":
		return object([2]string{"type", kind.Raw}, [2]string{"call_id", started.Get("call_id").Raw}, [2]string{"name", started.Get("name").Raw},
			[2]string{"custom", started.Get("custom").Raw}, [2]string{"arguments", quoted(text)}, opaque)
	case "reasoning":
		return object([2]string{"type", kind.Raw}, [2]string{"content", `"` + strings.Trim(quoted(text), `"`) + `"`}, opaque)
	}
	return object([2]string{"type", kind.Raw}, [2]string{"role", `"assistant"`}, [2]string{"content", quoted(text)}, opaque)
}
