package plan_test

import (
	"testing"

	"relay/gateway/wire/gemini"
	"relay/store"
)

func generated(usage string) string {
	return `{"candidates":[{"index":0,"content":{"role":"model","parts":[{"text":"hi"}]},"finishReason":"STOP"}],"usageMetadata":` + usage + `}`
}

// generatedStream tells with each chunk what was used so far.
func generatedStream(first, last string) string {
	return `data: {"candidates":[{"index":0,"content":{"role":"model","parts":[{"text":"hi"}]}}],"usageMetadata":` + first + "}\n\n" +
		"data: " + generated(last) + "\n\n"
}

const heard = `{"promptTokenCount":500,"candidatesTokenCount":10,"totalTokenCount":510,"promptTokensDetails":[{"modality":"TEXT","tokenCount":100},{"modality":"AUDIO","tokenCount":400}]}`

func TestCost_OfGeneratedContent(t *testing.T) {
	sound := []store.Rate{
		per("tokens.input", "per_million", "0.30"), per("tokens.output", "per_million", "2.50"), per("tokens.audio_input", "per_million", "1.00"),
	}
	check(t, []answered{
		// 1000 x 300 + (100 + 50) x 2500: thoughts are beside the candidates
		{name: "thoughts beside the candidates", codec: gemini.Codec{}, answer: generated(`{"promptTokenCount":1000,"candidatesTokenCount":100,"thoughtsTokenCount":50,"totalTokenCount":1150}`), model: "gemini-2.5-flash at google", want: 675_000},
		// 1000 x 300 + 150 x 2500: a server that counts them within
		{name: "thoughts within the candidates", codec: gemini.Codec{}, answer: generated(`{"promptTokenCount":1000,"candidatesTokenCount":150,"thoughtsTokenCount":50,"totalTokenCount":1150}`), model: "gemini-2.5-flash at google", want: 675_000},
		// (10000 - 8000) x 300 + 8000 x 30 + 10 x 2500
		{name: "cached", codec: gemini.Codec{}, answer: generated(`{"promptTokenCount":10000,"cachedContentTokenCount":8000,"candidatesTokenCount":10,"totalTokenCount":10010}`), model: "gemini-2.5-flash at google", want: 865_000},
		// 12 x 1500 + 40 x 9000: only the last chunk counts
		{name: "streamed", codec: gemini.Codec{}, answer: generatedStream(`{"promptTokenCount":12,"candidatesTokenCount":3,"totalTokenCount":15}`, `{"promptTokenCount":12,"candidatesTokenCount":40,"totalTokenCount":52}`), model: "gemini-3.5-flash at google", want: 378_000},
		// 200000 x 1250 + 10 x 10000
		{name: "at the edge of a tier", codec: gemini.Codec{}, answer: generated(`{"promptTokenCount":200000,"candidatesTokenCount":10,"totalTokenCount":200010}`), model: "gemini-2.5-pro at google", want: 250_100_000},
		// 200001 x 2500 + 10 x 15000
		{name: "above the edge", codec: gemini.Codec{}, answer: generated(`{"promptTokenCount":200001,"candidatesTokenCount":10,"totalTokenCount":200011}`), model: "gemini-2.5-pro at google", want: 500_152_500},
		// 50001 x 2500 + 150000 x 250 + 10 x 15000
		{name: "above the edge, most of it cached", codec: gemini.Codec{}, answer: generated(`{"promptTokenCount":200001,"cachedContentTokenCount":150000,"candidatesTokenCount":10,"totalTokenCount":200011}`), model: "gemini-2.5-pro at google", want: 162_652_500},
		// 500 x 300 + 10 x 2500
		{name: "sound at the price of text", codec: gemini.Codec{}, answer: generated(heard), model: "gemini-2.5-flash at google", want: 175_000},
		// 100 x 300 + 400 x 1000 + 10 x 2500
		{name: "sound with a price of its own", codec: gemini.Codec{}, answer: generated(heard), rates: sound, want: 455_000},
		// (100 + 300) x 300 + 10 x 2500
		{name: "what tools have read", codec: gemini.Codec{}, answer: generated(`{"promptTokenCount":100,"toolUsePromptTokenCount":300,"candidatesTokenCount":10,"totalTokenCount":410}`), model: "gemini-2.5-flash at google", want: 145_000},
		// 1000 x 750 + 100 x 3750
		{name: "before a price change", codec: gemini.Codec{}, answer: generated(`{"promptTokenCount":1000,"candidatesTokenCount":100,"totalTokenCount":1100}`), model: "gemini-3.7-flash at google", at: "2026-12-31T23:59:59Z", want: 1_125_000},
		// 1000 x 1500 + 100 x 7500
		{name: "after it", codec: gemini.Codec{}, answer: generated(`{"promptTokenCount":1000,"candidatesTokenCount":100,"totalTokenCount":1100}`), model: "gemini-3.7-flash at google", at: "2027-01-01", want: 2_250_000},
	})
}
