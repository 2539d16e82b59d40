package chat_test

import (
	"strings"
	"testing"

	"relay/gateway/wire"
	"relay/gateway/wire/chat"
)

func embeddings(vector, usage string) string {
	return `{"object":"list","data":[{"object":"embedding","index":0,"embedding":` + vector + `}],"model":"acme-embed","usage":` + usage + `}`
}

func TestEmbeddings_CountThePromptAlone(t *testing.T) {
	for usage, want := range map[string]wire.Usage{
		`{"prompt_tokens":8,"total_tokens":8}`: {Input: 8, Present: true},
		`{"total_tokens":8}`:                   {Input: 8, Present: true},
		`{"prompt_tokens":8,"total_tokens":11,"prompt_tokens_details":{"cached_tokens":3}}`: {Input: 5, CacheRead: 3, Present: true},
		`{"prompt_tokens":-8}`: {Present: true, Flagged: true},
		`{}`:                   {}, `null`: {},
	} {
		for _, vector := range []string{`[0.1,-2e-7]`, `"AACAPwAAAEA="`} {
			var tap wire.Tap
			kind := chat.Embeddings{}.ReadAnswer(&tap, []byte(embeddings(vector, usage)))
			if kind != wire.Content || tap.Usage != want || tap.NoChoices || !tap.Done {
				t.Errorf("%s: kind %d, tap %+v", usage, kind, tap)
			}
		}
	}
}

func TestEmbeddings_FlagAnAnswerWithoutData(t *testing.T) {
	for _, body := range []string{`{}`, `{"data":null}`, `{"data":[]}`, `{"data":[ ],"error":null}`, `{"data":"x"}`} {
		var tap wire.Tap
		if kind := (chat.Embeddings{}).ReadAnswer(&tap, []byte(body)); kind != wire.Content || !tap.NoChoices {
			t.Errorf("%s: kind %d, flagged %v", body, kind, tap.NoChoices)
		}
	}
}

func TestEmbeddings_TellAnErrorAndWhatIsNoAnswerApart(t *testing.T) {
	for body, want := range map[string]wire.Kind{
		`{"error":{"message":"m","code":429}}`: wire.Failed, `{"data":[],"error":"m"}`: wire.Failed, `[{"error":{"code":503}}]`: wire.Failed,
		`{"object":"error","message":"m"}`: wire.Failed,
		"":                                 wire.Invalid, "<html>": wire.Invalid, `[]`: wire.Invalid, `"ok"`: wire.Invalid, `null`: wire.Invalid, `{"data":[`: wire.Invalid,
	} {
		var tap wire.Tap
		if kind := (chat.Embeddings{}).ReadAnswer(&tap, []byte(body)); kind != want {
			t.Errorf("%s: kind %d, want %d", body, kind, want)
		}
	}
}

func TestEmbeddings_AskForNothing(t *testing.T) {
	codec := chat.Embeddings{}
	if _, asks := codec.AskUsage(nil, nil); asks || !codec.WantsUsage(nil, nil) || codec.Shape() != "openai" {
		t.Error("usage must be asked for")
	}
	if got := string(codec.AppendError(nil, &wire.Error{Message: "m", Type: "t"})); got != `{"error":{"message":"m","type":"t","code":null,"param":null}}` {
		t.Errorf("got %s", got)
	}
}

func BenchmarkEmbeddings(b *testing.B) {
	body := []byte(embeddings("["+strings.Repeat("-0.0123456789,", 1535)+"0.5]", `{"prompt_tokens":8,"total_tokens":8}`))
	b.SetBytes(int64(len(body)))
	b.ReportAllocs()
	for b.Loop() {
		var tap wire.Tap
		chat.Embeddings{}.ReadAnswer(&tap, body)
	}
}
