package chat_test

import (
	"bytes"
	"testing"
	"unicode/utf8"

	"relay/gateway/wire"
	"relay/gateway/wire/chat"
	"relay/gateway/wire/wiretest"
)

// slowly reads a chunk or answer by encoding/json alone. The kind is Invalid
// for what is no JSON.
func slowly(document []byte) (kind wire.Kind, tap wire.Tap, v wiretest.Value) {
	v, ok := wiretest.Parse(document)
	choices := v.Last("choices")
	switch {
	case !ok:
		return wire.Invalid, tap, v
	case v.Kind == '[' && v.IsError(), v.Last("error").IsFilled(), v.CallsItselfError() && choices.Kind == 0:
		return wire.Failed, tap, v
	}
	for _, choice := range choices.Elements {
		if reason := choice.Last("finish_reason").Reason(); reason != "" {
			tap.Finish(choice.Last("index").Index(), reason)
		}
	}
	usage, found := slowUsage(v)
	if tap.Usage.MergePrompt(usage); found && choices.Kind == '[' && len(choices.Elements) == 0 {
		return wire.UsageOnly, tap, v
	}
	return wire.Content, tap, v
}

// slowUsage takes the last usage, which is flagged where it is not the only
// one, or else a vendor's.
func slowUsage(v wiretest.Value) (usage wire.Usage, found bool) {
	for _, m := range v.Members {
		if m.Name == "usage" && m.Value.Kind == '{' {
			last := usageOf(m.Value)
			last.Flagged = last.Flagged || found && usage != (wire.Usage{})
			usage, found = last, true
		}
	}
	if found {
		return usage, true
	}
	for _, m := range v.Members {
		for _, inner := range m.Value.Members {
			if m.Name == "x_groq" && inner.Name == "usage" {
				usage = usageOf(inner.Value)
			}
		}
	}
	return usage, false
}

func usageOf(v wiretest.Value) (u wire.Usage) {
	var prompt, completion, total, cached, written, reasoning int64
	for _, m := range v.Members {
		switch m.Name {
		case "prompt_tokens":
			prompt = m.Value.Count(&u)
		case "completion_tokens":
			completion = m.Value.Count(&u)
		case "total_tokens":
			total = m.Value.Count(&u)
		case "prompt_cache_hit_tokens", "cached_tokens", "cache_read_input_tokens":
			cached = max(cached, m.Value.Count(&u))
		case "cache_creation_input_tokens":
			written = max(written, m.Value.Count(&u))
		}
		for _, d := range m.Value.Members {
			switch m.Name + "." + d.Name {
			case "prompt_tokens_details.cached_tokens":
				cached = max(cached, d.Value.Count(&u))
			case "prompt_tokens_details.cache_write_tokens":
				written = max(written, d.Value.Count(&u))
			case "prompt_tokens_details.audio_tokens":
				u.AudioInput = d.Value.Count(&u)
			case "completion_tokens_details.reasoning_tokens":
				reasoning = d.Value.Count(&u)
			case "completion_tokens_details.audio_tokens":
				u.AudioOutput = d.Value.Count(&u)
			}
		}
	}
	u.Output = completion
	if reasoning > 0 && total == prompt+completion+reasoning {
		u.Output = capped(&u, completion+reasoning, wire.MaxCount)
	}
	u.CacheRead = capped(&u, cached, prompt)
	u.CacheCreation = capped(&u, written, prompt-u.CacheRead)
	u.Input = prompt - u.CacheRead - u.CacheCreation
	u.Reasoning = capped(&u, reasoning, u.Output)
	u.AudioInput = capped(&u, u.AudioInput, prompt)
	u.AudioOutput = capped(&u, u.AudioOutput, u.Output)
	return u
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
		kind, want.Done, want.NoChoices = wire.Content, true, len(v.Last("choices").Elements) == 0
	}
	var got wire.Tap
	same(t, body, chat.Codec{}.ReadAnswer(&got, body), got, kind, want)
	return kind
}

func compareEmbeddings(t *testing.T, body []byte) {
	t.Helper()
	v, ok := wiretest.Parse(body)
	var want wire.Tap
	kind := wire.Content
	hasData := len(v.Last("data").Elements) > 0
	switch {
	case !ok:
		kind = wire.Invalid
	case !hasData && v.IsError():
		kind = wire.Failed
	case v.Kind != '{':
		kind = wire.Invalid
	default:
		want.Done, want.NoChoices = true, !hasData
	}
	var got wire.Tap
	read := chat.Embeddings{}.ReadAnswer(&got, body)
	wiretest.CheckUsage(t, got.Usage)
	got.Usage = wire.Usage{} // held against slowUsage by compareAnswer
	same(t, body, read, got, kind, want)
}

func compareEvent(t *testing.T, data []byte) {
	t.Helper()
	if bytes.HasSuffix(bytes.TrimSpace(data), []byte("[DONE]")) {
		return
	}
	kind, want, _ := slowly(data)
	if kind == wire.Invalid {
		kind, want = wire.Content, wire.Tap{}
	}
	var got wire.Tap
	e := wire.Event{HasData: true, Data: data, Raw: data}
	same(t, data, chat.Codec{}.ReadEvent(&got, &e), got, kind, want)
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
	answer("hi \\u96e8 雨", `{"prompt_tokens":100,"completion_tokens":50,"total_tokens":180,"prompt_tokens_details":{"cached_tokens":80,"cache_write_tokens":5,"audio_tokens":7},"completion_tokens_details":{"reasoning_tokens":30,"audio_tokens":2}}`),
	`{"choices":[],"usage":{"prompt_tokens":12,"completion_tokens":7},"usage":{"prompt_tokens":13}}`,
	`{"choices":[{"index":1,"finish_reason":"length"},{"index":0,"finish_reason":null}],"x_groq":{"usage":{"prompt_tokens":9}},"usage":null}`,
	`{"error":{"message":"m","type":"t","code":429,"details":[{"retryDelay":"3s"}]}}`, `[{"error":"x"},1]`, `{"object":"error","message":"m"}`, `{"choices":null,"error":null}`,
	embeddings(`[0.5,-1e-7]`, `{"prompt_tokens":8,"total_tokens":8}`),
	`{"usage":{"prompt_cache_hit_tokens":1.5,"cached_tokens":-1,"cache_creation_input_tokens":1e308,"prompt_tokens":9223372036854775808},"choices":[1]}`,
}

var spices = []string{
	`"data":[1],`, `"data":[],`, `"usage":{"prompt_tokens":3},`, `"usage":null,`, `"error":{"a":1},`, `"error":null,`, `"choices":[],`, `"choices":[{"finish_reason":"stop"}],`, `"type":"error",`, `{}`, `[]`,
	"{", "}", "[", "]", ",", ":", `"`, `\`, `\u0075`, `\ud83d`, "-", "1", "9", "e", ".", "true", "null", " ", "\n", "\x00", "\xff",
}

func TestReadAnswer_ReadsWhatEncodingJSONReads(t *testing.T) {
	wiretest.Mutations(t, 11, documents, spices, compareAll)
}

func compareAll(t *testing.T, document []byte) wire.Kind {
	t.Helper()
	compareEvent(t, document)
	compareEmbeddings(t, document)
	return compareAnswer(t, document)
}

func FuzzReadAnswer(f *testing.F) {
	for _, document := range documents {
		f.Add([]byte(document))
	}
	f.Fuzz(func(t *testing.T, document []byte) { compareAll(t, document) })
}
