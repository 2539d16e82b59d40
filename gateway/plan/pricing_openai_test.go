package plan_test

import (
	"testing"

	"relay/gateway/wire/chat"
	"relay/gateway/wire/media"
	"relay/gateway/wire/responses"
	"relay/store"
)

func chatAnswer(usage string) string {
	return `{"id":"c","object":"chat.completion","choices":[{"index":0,"message":{"role":"assistant","content":"hi"},"finish_reason":"stop"}],"usage":` + usage + `}`
}

// chatStream has a usage in its last chunk, as include_usage asks for it.
func chatStream(usage string) string {
	return `data: {"id":"c","choices":[{"index":0,"delta":{"role":"assistant","content":"hi"},"finish_reason":null}],"usage":null}` + "\n\n" +
		`data: {"id":"c","choices":[{"index":0,"delta":{},"finish_reason":"stop"}],"usage":null}` + "\n\n" +
		`data: {"id":"c","choices":[],"usage":` + usage + `}` + "\n\ndata: [DONE]\n\n"
}

func responseAnswer(usage string) string {
	return `{"id":"r","object":"response","status":"completed","output":[{"type":"message","role":"assistant","content":[{"type":"output_text","text":"hi"}]}],"usage":` + usage + `}`
}

func responseStream(usage string) string {
	return "event: response.created\ndata: " + `{"type":"response.created","response":{"id":"r","status":"in_progress","usage":null}}` + "\n\n" +
		"event: response.output_text.delta\ndata: " + `{"type":"response.output_text.delta","delta":"hi"}` + "\n\n" +
		"event: response.completed\ndata: " + `{"type":"response.completed","response":` + responseAnswer(usage) + `}` + "\n\n"
}

const (
	reasoned  = `{"prompt_tokens":75,"completion_tokens":1186,"total_tokens":1261,"prompt_tokens_details":{"cached_tokens":0},"completion_tokens_details":{"reasoning_tokens":1024}}`
	written   = `{"prompt_tokens":20000,"completion_tokens":100,"total_tokens":20100,"prompt_tokens_details":{"cached_tokens":4000,"cache_write_tokens":6000}}`
	longInput = `{"prompt_tokens":272001,"completion_tokens":1,"total_tokens":272002}`
	spoken    = `{"prompt_tokens":1000,"completion_tokens":120,"total_tokens":1120,"prompt_tokens_details":{"text_tokens":30,"audio_tokens":970},"completion_tokens_details":{"text_tokens":20,"audio_tokens":100}}`
)

func TestCost_OfChatCompletions(t *testing.T) {
	check(t, []answered{
		// 1000 x 400 + 200 x 1600
		{name: "plain", codec: chat.Completions{}, answer: chatAnswer(`{"prompt_tokens":1000,"completion_tokens":200,"total_tokens":1200}`), model: "gpt-4.1-mini at openai", want: 720_000},
		// (10000 - 8960) x 400 + 8960 x 100 + 50 x 1600
		{name: "cached", codec: chat.Completions{}, answer: chatAnswer(`{"prompt_tokens":10000,"completion_tokens":50,"total_tokens":10050,"prompt_tokens_details":{"cached_tokens":8960}}`), model: "gpt-4.1-mini at openai", want: 1_392_000},
		// 9 x 150 + 9 x 600
		{name: "streamed", codec: chat.Completions{}, answer: chatStream(`{"prompt_tokens":9,"completion_tokens":9,"total_tokens":18}`), model: "gpt-4o-mini at openai", want: 6_750},
		// (2006 - 1920) x 2500 + 1920 x 1250 + 300 x 10000
		{name: "streamed and cached", codec: chat.Completions{}, answer: chatStream(`{"prompt_tokens":2006,"completion_tokens":300,"total_tokens":2306,"prompt_tokens_details":{"cached_tokens":1920}}`), model: "gpt-4o at openai", want: 5_615_000},
		// 75 x 2000 + 1186 x 8000: the 1024 are within the 1186
		{name: "reasoning within output", codec: chat.Completions{}, answer: chatAnswer(reasoned), model: "o3 at openai", want: 9_638_000},
		// (20000 - 4000 - 6000) x 2000 + 4000 x 200 + 6000 x 2500 + 100 x 12000
		{name: "written to the cache", codec: chat.Completions{}, answer: chatAnswer(written), model: "gpt-5.6-terra at openai", want: 37_000_000},
		// 100 x 140 + 900 x 2.8 + 10 x 280
		{name: "cached in DeepSeek's words", codec: chat.Completions{}, answer: chatAnswer(`{"prompt_tokens":1000,"completion_tokens":10,"total_tokens":1010,"prompt_cache_hit_tokens":900,"prompt_cache_miss_tokens":100}`), model: "deepseek-v4-flash at deepseek", want: 19_320},
		// 100 x 3.625 + 1 x 870 = 1232.5, rounded half up
		{name: "half a nano-dollar", codec: chat.Completions{}, answer: chatAnswer(`{"prompt_tokens":100,"completion_tokens":1,"total_tokens":101,"prompt_cache_hit_tokens":100}`), model: "deepseek-v4-pro at deepseek", want: 1_233},
		// 488 x 150 + 512 x 75 + 20 x 600
		{name: "an open model at one host", codec: chat.Completions{}, answer: chatAnswer(`{"prompt_tokens":1000,"completion_tokens":20,"total_tokens":1020,"prompt_tokens_details":{"cached_tokens":512}}`), model: "openai/gpt-oss-120b at groq", want: 123_600},
		// 1000 x 39 + 20 x 190: no price of cached tokens there
		{name: "the same model at another", codec: chat.Completions{}, answer: chatAnswer(`{"prompt_tokens":1000,"completion_tokens":20,"total_tokens":1020,"prompt_tokens_details":{"cached_tokens":512}}`), model: "openai/gpt-oss-120b at deepinfra", want: 42_800},
		// 14 x 3000 + 100 x 15000 + 1 x 14000000
		{name: "a price for the request on top", codec: chat.Completions{}, answer: chatAnswer(`{"prompt_tokens":14,"completion_tokens":100,"total_tokens":114}`), model: "sonar-pro at perplexity", want: 15_542_000},
		// 8 x 20
		{name: "embeddings", codec: chat.Embeddings{}, answer: `{"object":"list","data":[{"object":"embedding","index":0,"embedding":[0.1]}],"usage":{"prompt_tokens":8,"total_tokens":8}}`, model: "text-embedding-3-small at openai", want: 160},
	})
}

func TestCost_OfResponses(t *testing.T) {
	check(t, []answered{
		// 36 x 2500 + 87 x 15000
		{name: "plain", codec: responses.Codec{}, answer: responseAnswer(`{"input_tokens":36,"input_tokens_details":{"cached_tokens":0},"output_tokens":87,"output_tokens_details":{"reasoning_tokens":64},"total_tokens":123}`), model: "gpt-5.4 at openai", want: 1_395_000},
		// (3000 - 2048) x 750 + 2048 x 75 + 400 x 4500
		{name: "streamed and cached", codec: responses.Codec{}, answer: responseStream(`{"input_tokens":3000,"input_tokens_details":{"cached_tokens":2048},"output_tokens":400,"output_tokens_details":{"reasoning_tokens":0},"total_tokens":3400}`), model: "gpt-5.4-mini at openai", want: 2_667_600},
		// 272000 x 2500 + 1000 x 15000: as many as the tier says are not above it
		{name: "at the edge of a tier", codec: responses.Codec{}, answer: responseStream(`{"input_tokens":272000,"output_tokens":1000,"total_tokens":273000}`), model: "gpt-5.4 at openai", want: 695_000_000},
		// 272001 x 5000 + 1000 x 22500: the tier is the price of all of it
		{name: "above the edge", codec: responses.Codec{}, answer: responseStream(`{"input_tokens":272001,"output_tokens":1000,"total_tokens":273001}`), model: "gpt-5.4 at openai", want: 1_382_505_000},
		// 100000 x 5000 + 200000 x 500 + 10 x 22500: cached input counts towards the tier
		{name: "above the edge with cached input", codec: responses.Codec{}, answer: responseAnswer(`{"input_tokens":300000,"input_tokens_details":{"cached_tokens":200000},"output_tokens":10,"total_tokens":300010}`), model: "gpt-5.4 at openai", want: 600_225_000},
	})
}

// Each answer on the last moment of a price and on the first of the next.
func TestCost_OnBothSidesOfAPriceChange(t *testing.T) {
	check(t, []answered{
		// 75 x 10000 + 1186 x 40000
		{name: "o3 before", codec: chat.Completions{}, answer: chatAnswer(reasoned), model: "o3 at openai", at: "2025-06-09T23:59:59.999999999Z", want: 48_190_000},
		// 75 x 2000 + 1186 x 8000
		{name: "o3 after", codec: chat.Completions{}, answer: chatAnswer(reasoned), model: "o3 at openai", at: "2025-06-10", want: 9_638_000},
		// the same moment, as a clock west of Greenwich shows it
		{name: "o3 after, elsewhere", codec: chat.Completions{}, answer: chatAnswer(reasoned), model: "o3 at openai", at: "2025-06-09T17:00:00-07:00", want: 9_638_000},
		// 10000 x 2500 + 4000 x 250 + 6000 x 3125 + 100 x 15000
		{name: "cache writes before", codec: chat.Completions{}, answer: chatAnswer(written), model: "gpt-5.6-terra at openai", at: "2026-07-29", want: 46_250_000},
		// 10000 x 2000 + 4000 x 200 + 6000 x 2500 + 100 x 12000
		{name: "cache writes after", codec: chat.Completions{}, answer: chatAnswer(written), model: "gpt-5.6-terra at openai", at: "2026-07-30", want: 37_000_000},
		// 272001 x 2500 + 1 x 15000: no tier is known of that time
		{name: "long input before", codec: chat.Completions{}, answer: chatAnswer(longInput), model: "gpt-5.6-terra at openai", at: "2026-07-29", want: 680_017_500},
		// 272001 x 4000 + 1 x 18000
		{name: "long input after", codec: chat.Completions{}, answer: chatAnswer(longInput), model: "gpt-5.6-terra at openai", at: "2026-07-30", want: 1_088_022_000},
	})
}

func TestCost_OfSoundAndImages(t *testing.T) {
	text := []store.Rate{per("tokens.input", "per_million", "2.50"), per("tokens.output", "per_million", "10")}
	sound := append(text[:2:2], per("tokens.audio_input", "per_million", "40"), per("tokens.audio_output", "per_million", "80"))
	pictures := []store.Rate{per("tokens.input", "per_million", "5"), per("tokens.output", "per_million", "40")}
	check(t, []answered{
		// 30 x 2500 + 970 x 40000 + 20 x 10000 + 100 x 80000
		{name: "sound with prices of its own", codec: chat.Completions{}, answer: chatAnswer(spoken), rates: sound, want: 47_075_000},
		// 1000 x 2500 + 120 x 10000
		{name: "sound at the price of text", codec: chat.Completions{}, answer: chatStream(spoken), rates: text, want: 3_700_000},
		// 50 x 5000 + 4160 x 40000
		{name: "an image by its tokens", codec: media.Images{}, answer: `{"created":1,"data":[{"b64_json":"AA=="}],"usage":{"input_tokens":50,"output_tokens":4160,"total_tokens":4210,"input_tokens_details":{"text_tokens":10,"image_tokens":40}}}`, rates: pictures, want: 166_650_000},
		// 2 x 40000000
		{name: "images by the piece", codec: media.Images{}, answer: `{"created":1,"data":[{"url":"https://a.example/1"},{"url":"https://a.example/2"}]}`, rates: []store.Rate{per("images", "per_unit", "0.04")}, want: 80_000_000},
		// 9 x 100000: 0.006 dollars a minute
		{name: "a transcription by its length", codec: media.Transcriptions{}, answer: `{"text":"hi","usage":{"type":"duration","seconds":9}}`, rates: []store.Rate{per("seconds", "per_unit", "0.0001")}, want: 900_000},
		// 14 x 40000 + 45 x 10000
		{name: "a transcription by its tokens", codec: media.Transcriptions{}, answer: `{"text":"hi","usage":{"type":"tokens","input_tokens":14,"input_token_details":{"text_tokens":0,"audio_tokens":14},"output_tokens":45,"total_tokens":59}}`, rates: sound, want: 1_010_000},
		// 75 x 2500 + 162 x 10000 + 1024 x 60000: reasoning with a price of its own leaves the output
		{name: "reasoning with a price of its own", codec: chat.Completions{}, answer: chatAnswer(reasoned), rates: append(text[:2:2], per("tokens.reasoning", "per_million", "60")), want: 63_247_500},
		// (1000 + 120) x 1000: one price for all tokens
		{name: "one price for all", codec: chat.Completions{}, answer: chatAnswer(spoken), rates: []store.Rate{per("tokens", "per_thousand", "0.001")}, want: 1_120_000},
		{name: "free is not unpriced", codec: chat.Completions{}, answer: chatAnswer(spoken), rates: []store.Rate{per("tokens.input", "per_million", "0"), per("tokens.output", "per_million", "0")}, want: 0},
	})
}
