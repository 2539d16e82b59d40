package plan_test

import (
	"testing"

	"relay/gateway/wire/messages"
	"relay/store"
)

func message(usage string) string {
	return `{"id":"m","type":"message","role":"assistant","content":[{"type":"text","text":"hi"}],"stop_reason":"end_turn","usage":` + usage + `}`
}

// messageStream tells the prompt at its start and the output at its end.
func messageStream(start, end string) string {
	return "event: message_start\ndata: " + `{"type":"message_start","message":{"id":"m","type":"message","role":"assistant","content":[],"usage":` + start + `}}` + "\n\n" +
		"event: content_block_start\ndata: " + `{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}` + "\n\n" +
		"event: content_block_delta\ndata: " + `{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"hi"}}` + "\n\n" +
		"event: content_block_stop\ndata: " + `{"type":"content_block_stop","index":0}` + "\n\n" +
		"event: message_delta\ndata: " + `{"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":` + end + `}` + "\n\n" +
		"event: message_stop\ndata: " + `{"type":"message_stop"}` + "\n\n"
}

const hourWrites = `{"input_tokens":100,"cache_creation_input_tokens":400,"cache_read_input_tokens":0,"cache_creation":{"ephemeral_5m_input_tokens":0,"ephemeral_1h_input_tokens":400},"output_tokens":50}`

// The first two are case B83.
func TestCost_OfMessages(t *testing.T) {
	check(t, []answered{
		// 3 x 3000 + 12304 x 3750 + 550 x 15000
		{name: "cache writes are billed once", codec: messages.Codec{}, answer: message(`{"input_tokens":3,"cache_creation_input_tokens":12304,"cache_read_input_tokens":0,"output_tokens":550}`), model: "claude-sonnet-4-6 at anthropic", want: 54_399_000},
		{name: "cache writes are billed once, streamed", codec: messages.Codec{}, answer: messageStream(`{"input_tokens":3,"cache_creation_input_tokens":12304,"cache_read_input_tokens":0,"output_tokens":1}`, `{"output_tokens":550}`), model: "claude-sonnet-4-6 at anthropic", want: 54_399_000},
		// 7 x 1000 + 9000 x 100 + 993 x 1250 + 20 x 5000
		{name: "read from the cache and written to it", codec: messages.Codec{}, answer: message(`{"input_tokens":7,"cache_read_input_tokens":9000,"cache_creation_input_tokens":993,"output_tokens":20}`), model: "claude-haiku-4-5 at anthropic", want: 2_248_250},
		// the same, told in whole once more at the end of the stream
		{name: "told twice in a stream", codec: messages.Codec{}, answer: messageStream(`{"input_tokens":7,"cache_read_input_tokens":9000,"cache_creation_input_tokens":993,"output_tokens":1}`, `{"input_tokens":7,"cache_read_input_tokens":9000,"cache_creation_input_tokens":993,"output_tokens":20}`), model: "claude-haiku-4-5 at anthropic", want: 2_248_250},
		// 10 x 1000 + 1000 x 1250 + 2000 x 2000 + 10 x 5000
		{name: "writes of both lifetimes", codec: messages.Codec{}, answer: message(`{"input_tokens":10,"cache_creation_input_tokens":3000,"cache_read_input_tokens":0,"cache_creation":{"ephemeral_5m_input_tokens":1000,"ephemeral_1h_input_tokens":2000},"output_tokens":10}`), model: "claude-haiku-4-5 at anthropic", want: 5_310_000},
		// 1 x 5000 + 100 x 6250 + 200 x 10000 + 1 x 25000
		{name: "writes told by lifetime only", codec: messages.Codec{}, answer: message(`{"input_tokens":1,"cache_creation":{"ephemeral_5m_input_tokens":100,"ephemeral_1h_input_tokens":200},"output_tokens":1}`), model: "claude-opus-4-8 at anthropic", want: 2_655_000},
		// 20 x 5000 + 1000 x 25000: the 800 are within the 1000
		{name: "thinking within output", codec: messages.Codec{}, answer: message(`{"input_tokens":20,"output_tokens":1000,"output_tokens_details":{"thinking_tokens":800}}`), model: "claude-opus-5 at anthropic", want: 25_100_000},
		// 150000 x 3000 + 50000 x 300 + 100 x 15000: together they are not above 200000
		{name: "at the edge of a tier", codec: messages.Codec{}, answer: message(`{"input_tokens":150000,"cache_read_input_tokens":50000,"output_tokens":100}`), model: "claude-sonnet-4-5 at anthropic", want: 466_500_000},
		// 150000 x 6000 + 50001 x 600 + 100 x 22500
		{name: "above the edge", codec: messages.Codec{}, answer: message(`{"input_tokens":150000,"cache_read_input_tokens":50001,"output_tokens":100}`), model: "claude-sonnet-4-5 at anthropic", want: 932_250_600},
		// 100 x 2000 + 400 x 2500 + 50 x 10000: no price of an hour is known of that time
		{name: "writes of an hour before a price change", codec: messages.Codec{}, answer: message(hourWrites), model: "claude-sonnet-5 at anthropic", at: "2026-08-31T23:59:59Z", want: 1_700_000},
		// 100 x 3000 + 400 x 6000 + 50 x 15000
		{name: "writes of an hour after it", codec: messages.Codec{}, answer: message(hourWrites), model: "claude-sonnet-5 at anthropic", at: "2026-09-01", want: 3_450_000},
		// (10 + 300) x 5000 + (20 + 40) x 25000: an advisor without a price of its own
		{name: "a tool of the provider", codec: messages.Codec{}, answer: message(`{"input_tokens":10,"output_tokens":20,"iterations":[{"type":"advisor_message","input_tokens":300,"output_tokens":40}]}`), model: "claude-opus-5 at anthropic", want: 3_050_000},
		// 10 x 5000 + 20 x 25000 + 300 x 1000 + 40 x 2000
		{name: "a tool with prices of its own", codec: messages.Codec{}, answer: message(`{"input_tokens":10,"output_tokens":20,"iterations":[{"type":"advisor_message","input_tokens":300,"output_tokens":40}]}`), rates: []store.Rate{
			per("tokens.input", "per_million", "5"), per("tokens.output", "per_million", "25"),
			per("tokens.server_tool_use_input", "per_million", "1"), per("tokens.server_tool_use_output", "per_million", "2"),
		}, want: 930_000},
	})
}
