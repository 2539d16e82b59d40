package gemini_test

import (
	"strings"
	"testing"

	"relay/gateway/wire"
	"relay/gateway/wire/gemini"
	"relay/gateway/wire/wiretest"
)

const (
	runesData = `{"candidates": [{"content": {"parts": [{"text": "雨🙂ñ \"usageMetadata\":{\"promptTokenCount\":9} }],[{ \u96e8"}],"role": "model"},"index": 0}]}`
	noEnd     = "(the shape has no terminal event)"
)

// forms returns both forms of one stream.
func forms(want wire.Tap, chunks ...string) map[string]*wiretest.Pass {
	done := want
	done.Done = true
	return map[string]*wiretest.Pass{
		"events": {Codec: gemini.Codec{}, Stream: "data: " + strings.Join(chunks, "\n\ndata: ") + "\n\n", End: noEnd, Want: want},
		"array":  {Codec: gemini.Array{}, Stream: inArray(chunks...), End: "]", Want: done},
	}
}

func TestStream_PassesEveryByte(t *testing.T) {
	for name, p := range forms(finished(), textData, runesData, finishData) {
		t.Run(name, func(t *testing.T) { p.Check(t) })
	}
}

func TestArray_PassesElementsOfManyLines(t *testing.T) {
	pretty := strings.NewReplacer(`: {`, ": {\n  ", `: [`, ": [\n  ", `,"`, ",\n  \"", `}`, "\n  }", `]`, "\n  ]")
	want := finished()
	want.Done = true
	p := wiretest.Pass{Codec: gemini.Array{}, Stream: inArray(pretty.Replace(textData), pretty.Replace(finishData)), End: "]", Want: want}
	p.Check(t)
}

func image(size int) string {
	return `{"candidates": [{"content": {"parts": [{"inlineData": {"mimeType": "image/png","data": "` + strings.Repeat("a", size) + `"}}],"role": "model"},"index": 0}]}`
}

func TestStream_PassesImagesThatAreTooLongToBeHeld(t *testing.T) {
	for _, size := range []int{64<<10 + 1, 512<<10 + 1} {
		for _, p := range forms(finished(), textData, image(size), finishData) {
			p.CheckLong(t)
		}
	}
}

func TestStream_PassesImagesOfMegabytes(t *testing.T) {
	for form, p := range forms(finished(), textData, image(5<<20), finishData) {
		var tap wire.Tap
		if o := wiretest.Play(t, p.Codec, &tap, p.Stream); o.Broken || o.Sent() != p.Stream || tap != p.Want {
			t.Errorf("%s: broken %v, bytes kept %v, tap %+v", form, o.Broken, o.Sent() == p.Stream, tap)
		}
	}
}

func TestStream_OfOneLongChunkIsReadAtBothEnds(t *testing.T) {
	text := strings.Repeat(`\"usageMetadata\":{\"promptTokenCount\":1} `, 2_500)
	content := `"content":{"parts":[{"text":"` + text + `"}],"role":"model"}`
	usage := `"usageMetadata":{"promptTokenCount":12,"candidatesTokenCount":7,"thoughtsTokenCount":30}`
	for name, chunk := range map[string]string{
		"usage last":           `{"candidates":[{` + content + `,"finishReason":"STOP","index":0}],` + usage + `,"modelVersion":"m"}`,
		"usage first":          `{` + usage + `,"candidates":[{` + content + `,"index":0,"finishReason":"STOP"}]}`,
		"reason first":         `{"candidates":[{"finishReason":"STOP","index":0,` + content + `}],` + usage + `}`,
		"all first":            `{` + usage + `,"candidates":[{"finishReason":"STOP"}],"x":"` + text + `"}`,
		"more candidates":      `{"candidates":[{` + content + `},{"finishReason":"STOP","index":0},{"index":1}],` + usage + `}`,
		"more behind":          `{"candidates":[{` + content + `,"finishReason":"STOP"}],` + usage + `,"x":{"usageMetadata":{"promptTokenCount":99}},"y":{"finishReason":"OTHER"}}`,
		"feedback and spaces":  `{"candidates" : [{` + content + `,"finishReason" : "STOP" } ] , "promptFeedback" : {} , ` + usage + ` } `,
		"an escaped neighbour": `{"candidates":[{` + content + `,"finish\u0052eason":"X","finishReason":"STOP"}],` + usage + `}`,
	} {
		for form, p := range forms(finished(), textHead, chunk) {
			t.Run(name+", "+form, func(t *testing.T) { p.CheckLong(t) })
		}
	}
}

// textHead is a chunk that tells nothing.
const textHead = `{"candidates": [{"content": {"parts": [{"text": "hi"}]}}]}`

func TestStream_OfALongBlockedPromptIsComplete(t *testing.T) {
	text := strings.Repeat("long ", 20_000)
	want := wire.Tap{Usage: wire.Usage{Input: 4, Present: true}}
	want.Finish(0, "SAFETY")
	chunk := `{"x":"` + text + `","promptFeedback":{"blockReason":"SAFETY"},"usageMetadata":{"promptTokenCount":4}}`
	for _, p := range forms(want, chunk) {
		p.CheckLong(t)
	}
}

func TestStream_TakesNothingFromWhereItDoesNotLie(t *testing.T) {
	text := strings.Repeat("long ", 20_000)
	for name, chunk := range map[string]string{
		"deeper":          `{"candidates":[{"content":{"x":"` + text + `","usageMetadata":{"promptTokenCount":99},"finishReason":"STOP"}}]}`,
		"in another list": `{"x":"` + text + `","candidates":[],"y":[{"usageMetadata":{"promptTokenCount":99}}]}`,
		"in a string":     `{"candidates":[{"content":"` + text + `\"usageMetadata\":{\"promptTokenCount\":99},\"finishReason\":\"STOP\""}]}`,
	} {
		for form, p := range forms(finished(), finishData, chunk) {
			t.Run(name+", "+form, func(t *testing.T) { p.CheckLong(t) })
		}
	}
}

func TestReadEvent_KnowsALongErrorByItsBeginning(t *testing.T) {
	text := strings.Repeat("long ", 20_000)
	for _, chunk := range []string{`{"error":{"code":503,"message":"` + text + `"}}`, `{"error":"` + text + `"}`, `{"error":{"message":"m"},"x":"` + text + `"}`} {
		for form, p := range forms(wire.Tap{}, chunk) {
			var tap wire.Tap
			o := wiretest.Play(t, p.Codec, &tap, p.Stream)
			if !o.Broken || o.Kinds[0] != wire.Failed || tap.Failure.Status != 500 || tap.Failure.Message == "" {
				t.Errorf("%s %.40s: kinds %v, failure %+v", form, chunk, o.Kinds, tap.Failure)
			}
		}
	}
}
