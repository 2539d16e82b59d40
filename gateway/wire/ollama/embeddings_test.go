package ollama_test

import (
	"strings"
	"testing"

	"relay/gateway/wire"
	"relay/gateway/wire/ollama"
)

func embeddings(members string) string {
	return `{"model":"tiny","embeddings":[[0.1,-2e-7],[1,0]],"total_duration":14143917,"load_duration":1019500` + members + `}`
}

func TestEmbeddings_CountThePromptAlone(t *testing.T) {
	for body, want := range map[string]wire.Usage{
		embeddings(`,"prompt_eval_count":8`):                {Input: 8, Present: true},
		embeddings(`,"prompt_eval_count":8,"eval_count":9`): {Input: 8, Present: true},
		embeddings(`,"prompt_eval_count":-8`):               {Present: true, Flagged: true},
		embeddings(""):                                      {},
		`{"embedding":[0.5,1]}`:                             {},
	} {
		var tap wire.Tap
		kind := ollama.Embeddings{}.ReadAnswer(&tap, []byte(body))
		if kind != wire.Content || tap.Usage != want || tap.NoChoices || !tap.Done {
			t.Errorf("%s: kind %d, tap %+v", body, kind, tap)
		}
	}
}

func TestEmbeddings_FlagAnAnswerWithoutVectors(t *testing.T) {
	for _, body := range []string{`{}`, `{"embeddings":[]}`, `{"embedding":null}`, `{"embeddings":"x"}`} {
		var tap wire.Tap
		if kind := (ollama.Embeddings{}).ReadAnswer(&tap, []byte(body)); kind != wire.Content || !tap.NoChoices {
			t.Errorf("%s: kind %d, flagged %v", body, kind, tap.NoChoices)
		}
	}
}

func TestEmbeddings_TellAnErrorAndWhatIsNoAnswerApart(t *testing.T) {
	for body, want := range map[string]wire.Kind{
		`{"error":"m"}`: wire.Failed, `{"embeddings":[],"error":"m"}`: wire.Failed,
		"": wire.Invalid, "<html>": wire.Invalid, `[]`: wire.Invalid, `null`: wire.Invalid, `{"embeddings":[`: wire.Invalid,
	} {
		var tap wire.Tap
		if kind := (ollama.Embeddings{}).ReadAnswer(&tap, []byte(body)); kind != want {
			t.Errorf("%s: kind %d, want %d", body, kind, want)
		}
	}
}

func BenchmarkEmbeddings(b *testing.B) {
	body := []byte(`{"model":"tiny","embeddings":[[` + strings.Repeat("-0.0123456789,", 1535) + `0.5]],"prompt_eval_count":8}`)
	b.SetBytes(int64(len(body)))
	b.ReportAllocs()
	for b.Loop() {
		var tap wire.Tap
		ollama.Embeddings{}.ReadAnswer(&tap, body)
	}
}
