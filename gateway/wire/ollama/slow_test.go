package ollama_test

import (
	"testing"
	"unicode/utf8"

	"relay/gateway/wire"
	"relay/gateway/wire/ollama"
	"relay/gateway/wire/wiretest"
)

// slowly reads a line or answer by encoding/json alone. The kind is Invalid for
// what is no JSON.
func slowly(document []byte) (kind wire.Kind, tap wire.Tap, v wiretest.Value) {
	v, ok := wiretest.Parse(document)
	reason := v.Last("done_reason")
	switch {
	case !ok:
		return wire.Invalid, tap, v
	case v.Kind == '[' && v.IsError(), v.Last("error").IsFilled(), v.CallsItselfError() && !hasContent(v):
		return wire.Failed, tap, v
	}
	for _, m := range v.Members {
		switch m.Name {
		case "prompt_eval_count":
			tap.Usage.Input = m.Value.Count(&tap.Usage)
		case "eval_count":
			tap.Usage.Output = m.Value.Count(&tap.Usage)
		}
	}
	if reason.Kind == '"' && (reason.Text == "load" || reason.Text == "unload") {
		tap.Usage.Present = true
	}
	if v.Last("done").Kind == 't' {
		tap.Done = true
		tap.Finish(0, reason.Reason())
		return wire.Terminal, tap, v
	}
	return wire.Content, tap, v
}

func hasContent(v wiretest.Value) (has bool) {
	for _, m := range v.Members {
		switch m.Name {
		case "message":
			has = m.Value.Kind == '{'
		case "response":
			has = m.Value.Kind == '"'
		}
	}
	return has
}

// compareAnswer holds ReadAnswer against slowly, compareLine ReadEvent.
func compareAnswer(t *testing.T, body []byte) wire.Kind {
	t.Helper()
	kind, want, v := slowly(body)
	switch {
	case kind == wire.Invalid, kind != wire.Failed && v.Kind != '{':
		kind, want = wire.Invalid, wire.Tap{}
	case kind != wire.Failed:
		kind, want.Done, want.NoChoices = wire.Content, true, !hasContent(v)
		want.Finish(0, v.Last("done_reason").Reason())
	}
	var got wire.Tap
	same(t, body, ollama.Codec{}.ReadAnswer(&got, body), got, kind, want)
	return kind
}

func compareLine(t *testing.T, data []byte) {
	t.Helper()
	kind, want, _ := slowly(data)
	if kind == wire.Invalid {
		kind, want = wire.Content, wire.Tap{}
	}
	if len(data) == 0 {
		kind = wire.Silent
	}
	var got wire.Tap
	e := wire.Event{HasData: true, Data: data, Raw: data}
	read := ollama.Codec{}.ReadEvent(&got, &e)
	if read == wire.Silent {
		kind = wire.Silent
	}
	same(t, data, read, got, kind, want)
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
	chatEnd, genEnd, failing, `[{"error":"x"},1]`, `{"object":"error","message":"m"}`, `{"done":true,"error":null}`,
	start + `"message":{"content":"hi \u96e8 雨"},"done":false}`, start + `"response":"","done":true,"done_reason":"unload"}`,
	`{"done":true,"prompt_eval_count":1.5,"eval_count":-1,"prompt_eval_count":9223372036854775808,"eval_count":1e308}`,
	embeddings(`,"prompt_eval_count":8`),
}

var spices = []string{
	`"done":true,`, `"done":false,`, `"done_reason":"load",`, `"eval_count":3,`, `"eval_count":null,`, `"error":"m",`, `"error":{"a":1},`, `"error":null,`, `"type":"error",`, `"response":"",`, `"message":{},`,
	"{", "}", "[", "]", ",", ":", `"`, `\`, `\u0075`, `\ud83d`, "-", "1", "9", "e", ".", "true", "null", " ", "\n", "\x00", "\xff",
}

func TestReadAnswer_ReadsWhatEncodingJSONReads(t *testing.T) {
	wiretest.Mutations(t, 17, documents, spices, compareAll)
}

func compareAll(t *testing.T, document []byte) wire.Kind {
	t.Helper()
	compareLine(t, document)
	var tap wire.Tap
	ollama.Embeddings{}.ReadAnswer(&tap, document)
	wiretest.CheckUsage(t, tap.Usage)
	return compareAnswer(t, document)
}

func FuzzReadAnswer(f *testing.F) {
	for _, document := range documents {
		f.Add([]byte(document))
	}
	f.Fuzz(func(t *testing.T, document []byte) { compareAll(t, document) })
}
