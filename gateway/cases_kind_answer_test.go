package gateway_test

import (
	"fmt"

	"relay/gateway/gatewaytest"
)

func chatAnswer(input, output int64) []string {
	return []string{fmt.Sprintf(`{"id":"c1","object":"chat.completion","model":"m","choices":[{"index":0,"message":{"role":"assistant","content":"hello"},"finish_reason":"stop"}],"usage":{"prompt_tokens":%d,"completion_tokens":%d,"total_tokens":%d}}`, input, output, input+output)}
}

func chatEvents(input, output int64) []string {
	usage := fmt.Sprintf(`{"choices":[],"usage":{"prompt_tokens":%d,"completion_tokens":%d,"total_tokens":%d}}`, input, output, input+output)
	return []string{deltaEvent, finishEvent, gatewaytest.Data(usage), doneEvent}
}

func messagesAnswer(input, output int64) []string {
	return []string{fmt.Sprintf(`{"id":"m1","type":"message","role":"assistant","model":"m","content":[{"type":"text","text":"hello"}],"stop_reason":"end_turn","usage":{"input_tokens":%d,"output_tokens":%d}}`, input, output)}
}

func messagesEvents(input, output int64) []string {
	return []string{
		fmt.Sprintf("event: message_start\ndata: {\"type\":\"message_start\",\"message\":{\"id\":\"m1\",\"usage\":{\"input_tokens\":%d,\"output_tokens\":1}}}\n\n", input),
		messageText,
		fmt.Sprintf("event: message_delta\ndata: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"end_turn\"},\"usage\":{\"output_tokens\":%d}}\n\n", output),
		messageStop,
	}
}

// embeddingsAnswer has no output to tell apart.
func embeddingsAnswer(input, output int64) []string {
	return []string{fmt.Sprintf(`{"object":"list","data":[{"object":"embedding","index":0,"embedding":[0.5]}],"model":"m","usage":{"prompt_tokens":%d,"total_tokens":%d}}`, input+output, input+output)}
}

func responsesAnswer(input, output int64) []string {
	return []string{fmt.Sprintf(`{"id":"r1","object":"response","status":"completed","error":null,"incomplete_details":null,"model":"m","output":[{"type":"message","id":"i1","role":"assistant","content":[{"type":"output_text","text":"hello"}]}],"usage":{"input_tokens":%d,"input_tokens_details":{"cached_tokens":0},"output_tokens":%d,"output_tokens_details":{"reasoning_tokens":0},"total_tokens":%d}}`, input, output, input+output)}
}

func responsesEvents(input, output int64) []string {
	named := func(number int, name, members string) string {
		return fmt.Sprintf("event: %s\ndata: {\"type\":\"%s\",\"sequence_number\":%d,%s}\n\n", name, name, number, members)
	}
	return []string{
		named(0, "response.created", `"response":{"id":"r1","object":"response","status":"in_progress","error":null,"output":[],"usage":null}`),
		named(1, "response.output_text.delta", `"item_id":"i1","output_index":0,"content_index":0,"delta":"hello"`),
		named(2, "response.completed", `"response":`+responsesAnswer(input, output)[0]),
	}
}

func geminiAnswer(input, output int64) []string {
	return []string{fmt.Sprintf(`{"candidates":[{"content":{"parts":[{"text":"hello"}],"role":"model"},"finishReason":"STOP","index":0}],"usageMetadata":{"promptTokenCount":%d,"candidatesTokenCount":%d,"totalTokenCount":%d},"modelVersion":"m"}`, input, output, input+output)}
}

// geminiChunks are those of both kinds of streams. Each ends in the same words,
// by which a reader knows that it is over.
func geminiChunks(input, output int64) []string {
	return []string{
		fmt.Sprintf(`{"candidates":[{"content":{"parts":[{"text":"hel"}],"role":"model"},"index":0}],"usageMetadata":{"promptTokenCount":%d,"totalTokenCount":%d},"modelVersion":"m"}`, input, input),
		`{"candidates":[{"content":{"parts":[{"text":"lo"}],"role":"model"},"index":0}],"modelVersion":"m"}`,
		fmt.Sprintf(`{"candidates":[{"content":{"parts":[{"text":""}],"role":"model"},"finishReason":"STOP","index":0}],"usageMetadata":{"promptTokenCount":%d,"candidatesTokenCount":%d,"totalTokenCount":%d},"modelVersion":"m"}`, input, output, input+output),
	}
}

// geminiEvents end their lines as Google's servers do.
func geminiEvents(input, output int64) (events []string) {
	for _, chunk := range geminiChunks(input, output) {
		events = append(events, "data: "+chunk+"\r\n\r\n")
	}
	return events
}

func geminiElements(input, output int64) []string {
	chunks := geminiChunks(input, output)
	return []string{"[" + chunks[0], "\n,\r\n" + chunks[1], "\n,\r\n" + chunks[2], "\n]"}
}

func ollamaAnswer(input, output int64) []string {
	return []string{fmt.Sprintf(`{"model":"m","created_at":"2026-03-02T12:00:00Z","message":{"role":"assistant","content":"hello"},"done":true,"done_reason":"stop","total_duration":5,"load_duration":1,"prompt_eval_count":%d,"prompt_eval_duration":1,"eval_count":%d,"eval_duration":1}`, input, output)}
}

func ollamaLines(input, output int64) []string {
	piece := func(text string) string {
		return `{"model":"m","created_at":"2026-03-02T12:00:00Z","message":{"role":"assistant","content":"` + text + `"},"done":false}` + "\n"
	}
	return []string{
		piece("hel"), piece("lo"),
		fmt.Sprintf(`{"model":"m","created_at":"2026-03-02T12:00:00Z","message":{"role":"assistant","content":""},"done":true,"done_reason":"stop","total_duration":5,"prompt_eval_count":%d,"eval_count":%d}`, input, output) + "\n",
	}
}
