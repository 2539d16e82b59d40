package gemini_test

import (
	"testing"
	"unicode/utf8"

	"relay/gateway/wire"
	"relay/gateway/wire/gemini"
	"relay/gateway/wire/wiretest"
)

// slowly reads a chunk or answer by encoding/json alone. The kind is Invalid
// for what is no JSON.
func slowly(document []byte) (kind wire.Kind, tap wire.Tap, v wiretest.Value) {
	v, ok := wiretest.Parse(document)
	candidates := v.Last("candidates").Elements
	switch {
	case !ok:
		return wire.Invalid, tap, v
	case v.Kind == '[' && v.IsError(), v.Last("error").IsFilled(), v.CallsItselfError() && len(candidates) == 0:
		return wire.Failed, tap, v
	}
	// A reason outlives the list that it stands in, when another follows.
	last := ""
	for _, m := range v.Members {
		if m.Name == "candidates" {
			last = slowReason(m.Value.Elements, last)
		}
	}
	for _, candidate := range candidates {
		if said(candidate.Last("finishReason").Reason()) {
			tap.Finish(candidate.Last("index").Index(), last)
		}
	}
	if blocked := slowBlock(v); said(blocked) {
		tap.Finish(0, blocked)
	}
	tap.Usage.MergePrompt(slowUsage(v))
	return wire.Content, tap, v
}

func slowReason(candidates []wiretest.Value, last string) string {
	for _, candidate := range candidates {
		if reason := candidate.Last("finishReason").Reason(); said(reason) {
			last = reason
		}
	}
	return last
}

func slowBlock(v wiretest.Value) string { return v.Last("promptFeedback").Last("blockReason").Reason() }

func said(reason string) bool {
	return reason != "" && reason != "FINISH_REASON_UNSPECIFIED" && reason != "BLOCK_REASON_UNSPECIFIED" && reason != "BLOCKED_REASON_UNSPECIFIED"
}

// slowUsage takes the last usage, which is flagged where it is not the only one.
func slowUsage(v wiretest.Value) (usage wire.Usage) {
	for _, m := range v.Members {
		if m.Name == "usageMetadata" && m.Value.Kind == '{' {
			last := usageOf(m.Value)
			last.Flagged = last.Flagged || usage != (wire.Usage{})
			usage = last
		}
	}
	return usage
}

func usageOf(v wiretest.Value) (u wire.Usage) {
	var prompt, cached, candidates, thoughts, total int64
	for _, m := range v.Members {
		switch m.Name {
		case "promptTokenCount":
			prompt = m.Value.Count(&u)
		case "cachedContentTokenCount":
			cached = m.Value.Count(&u)
		case "toolUsePromptTokenCount":
			u.ServerToolUseInput = m.Value.Count(&u)
		case "candidatesTokenCount":
			candidates = m.Value.Count(&u)
		case "thoughtsTokenCount":
			thoughts = m.Value.Count(&u)
		case "totalTokenCount":
			total = m.Value.Count(&u)
		case "promptTokensDetails", "promptTokenDetails":
			u.AudioInput = audioOf(&u, m.Value)
		case "candidatesTokensDetails":
			u.AudioOutput = audioOf(&u, m.Value)
		}
	}
	u.Output = candidates
	if total == 0 || total != prompt+candidates+u.ServerToolUseInput || thoughts > candidates {
		u.Output = capped(&u, candidates+thoughts, wire.MaxCount)
	}
	u.CacheRead = capped(&u, cached, prompt)
	u.Input = prompt - u.CacheRead
	u.Reasoning = capped(&u, thoughts, u.Output)
	u.AudioInput = capped(&u, u.AudioInput, prompt)
	u.AudioOutput = capped(&u, u.AudioOutput, u.Output)
	return u
}

func audioOf(u *wire.Usage, v wiretest.Value) (audio int64) {
	for _, detail := range v.Elements {
		if v.Kind != '[' {
			break
		}
		count := int64(0)
		for _, m := range detail.Members {
			if m.Name == "tokenCount" {
				count = m.Value.Count(u)
			}
		}
		if detail.Last("modality").Text == "AUDIO" && detail.Last("modality").Kind == '"' {
			audio = capped(u, audio+count, wire.MaxCount)
		}
	}
	return audio
}

func capped(u *wire.Usage, part, whole int64) int64 {
	u.Flagged = u.Flagged || part > whole
	return min(part, whole)
}

// compareAnswer holds ReadAnswer against slowly, compareEvent ReadEvent.
func compareAnswer(t *testing.T, body []byte) wire.Kind {
	t.Helper()
	kind, want, v := slowly(body)
	switch {
	case kind == wire.Invalid, kind != wire.Failed && v.Kind != '{':
		kind, want = wire.Invalid, wire.Tap{}
	case kind != wire.Failed:
		want.Done, want.NoChoices = true, len(v.Last("candidates").Elements) == 0 && !said(slowBlock(v))
	}
	var got wire.Tap
	same(t, body, gemini.Codec{}.ReadAnswer(&got, body), got, kind, want)
	return kind
}

func compareEvent(t *testing.T, data []byte) {
	t.Helper()
	kind, want, _ := slowly(data)
	if kind == wire.Invalid {
		kind, want = wire.Content, wire.Tap{}
	}
	for _, codec := range []wire.Codec{gemini.Codec{}, gemini.Array{}} {
		var got wire.Tap
		e := wire.Event{HasData: true, Data: data, Raw: data}
		same(t, data, codec.ReadEvent(&got, &e), got, kind, want)
	}
}

// compareOthers holds the codecs of what is never streamed against slowly.
func compareOthers(t *testing.T, body []byte) {
	t.Helper()
	v, ok := wiretest.Parse(body)
	for codec, found := range map[wire.Codec]bool{
		gemini.Embeddings{}: slowVectors(v),
		gemini.Counting{}:   v.Last("totalTokens").Kind == '0' && v.Last("totalTokens").Text[0] != '-',
	} {
		kind, want := wire.Content, wire.Tap{Done: true, NoChoices: !found}
		switch {
		case !ok, v.Kind != '{' && !v.IsError():
			kind, want = wire.Invalid, wire.Tap{}
		case !found && v.IsError():
			kind, want = wire.Failed, wire.Tap{}
		case codec == gemini.Embeddings{}:
			want.Usage.MergePrompt(slowUsage(v))
		}
		var got wire.Tap
		same(t, body, codec.ReadAnswer(&got, body), got, kind, want)
	}
}

// slowVectors reports whether there are vectors, by the last member that may
// hold them.
func slowVectors(v wiretest.Value) (found bool) {
	for _, m := range v.Members {
		switch m.Name {
		case "embedding":
			found = m.Value.IsFilled()
		case "embeddings":
			found = m.Value.Kind == '[' && len(m.Value.Elements) > 0
		}
	}
	return found
}

func same(t *testing.T, document []byte, kind wire.Kind, got wire.Tap, wantKind wire.Kind, want wire.Tap) {
	t.Helper()
	if wantKind == wire.Failed {
		wiretest.CheckFailure(t, got.Failure)
		got.Failure = wire.Failure{}
	}
	if !utf8.Valid(document) {
		got.Reason, want.Reason = "", "" // U+FFFD, or nothing, where it is broken
	}
	if kind != wantKind || got != want {
		t.Fatalf("%q:\nread   %d %+v\nslowly %d %+v", document, kind, got, wantKind, want)
	}
	wiretest.CheckUsage(t, got.Usage)
}

// documents are what mutations start from.
var documents = []string{
	textData, finishData, runesData, limited, "[" + limited + ",1]", `[{"error":"x"},1]`, `{"object":"error","message":"m"}`,
	answer("hi \\u96e8 雨", `{"promptTokenCount":100,"cachedContentTokenCount":80,"toolUsePromptTokenCount":5,"candidatesTokenCount":50,"thoughtsTokenCount":30,"totalTokenCount":185,"promptTokensDetails":[{"modality":"AUDIO","tokenCount":7},{"modality":"TEXT","tokenCount":93}],"candidatesTokensDetails":[{"modality":"AUDIO","tokenCount":2}]}`),
	`{"candidates":[{"index":1,"finishReason":"MAX_TOKENS"},{"index":0,"finishReason":null}],"usageMetadata":{"promptTokenCount":12},"usageMetadata":{"promptTokenCount":13}}`,
	`{"promptFeedback":{"blockReason":"SAFETY"},"usageMetadata":{"promptTokenCount":1.5,"thoughtsTokenCount":-1,"candidatesTokenCount":1e308}}`,
	`{"embeddings":[{"values":[0.5,-1e-7]}],"usageMetadata":{"promptTokenCount":8,"promptTokenDetails":[]}}`, `{"totalTokens":31,"error":null}`,
}

var spices = []string{
	`"candidates":[],`, `"candidates":[{"finishReason":"STOP"}],`, `"usageMetadata":{"promptTokenCount":3},`, `"usageMetadata":null,`, `"error":{"a":1},`, `"error":null,`,
	`"promptFeedback":{"blockReason":"OTHER"},`, `"promptFeedback":null,`, `"embedding":{"values":[1]},`, `"embeddings":[],`, `"totalTokens":1,`, `"type":"error",`, `"modality":"AUDIO",`, `{}`, `[]`,
	"{", "}", "[", "]", ",", ":", `"`, `\`, `\u0075`, `\ud83d`, "-", "1", "9", "e", ".", "true", "null", " ", "\n", "\x00", "\xff",
}

func TestReadAnswer_ReadsWhatEncodingJSONReads(t *testing.T) {
	wiretest.Mutations(t, 17, documents, spices, compareAll)
}

func compareAll(t *testing.T, document []byte) wire.Kind {
	t.Helper()
	compareEvent(t, document)
	compareOthers(t, document)
	return compareAnswer(t, document)
}

func FuzzReadAnswer(f *testing.F) {
	for _, document := range documents {
		f.Add([]byte(document))
	}
	f.Fuzz(func(t *testing.T, document []byte) { compareAll(t, document) })
}

func FuzzReadEvent(f *testing.F) {
	f.Add(textChunk + finish)
	f.Add("data: {\"error\":{}}\r\n\r\n" + limited)
	f.Add(inArray(textData, finishData))
	f.Fuzz(func(t *testing.T, stream string) {
		wiretest.Compare(t, gemini.Codec{}, stream)
		wiretest.Compare(t, gemini.Array{}, stream)
	})
}
