package ollama_test

import (
	"errors"
	"strings"
	"testing"

	"relay/gateway/wire"
	"relay/gateway/wire/ollama"
)

func TestModelName_IsInModelOrElseInName(t *testing.T) {
	for body, want := range map[string]string{
		`{"model":"tiny"}`: "tiny", `{"name":"tiny"}`: "tiny", `{"model":"","name":"tiny"}`: "tiny", `{"name":"tiny","model":""}`: "tiny",
		`{"model":null,"name":"tiny"}`: "tiny", `{"model":"tiny","name":""}`: "tiny", `{"model":"tiny","name":null}`: "tiny", `{"model":"tiny","name":"tiny"}`: "tiny",
		`{"model":"t\u0069ny","name":"tin\u0079"}`: "tiny", `{"n\u0061me":"lab/coder:7b"}`: "lab/coder:7b", `{"model":"tiny","names":{"Name":1}}`: "tiny",
		`{"model":"","system":"","template":"","verbose":false,"options":null,"name":"tiny"}`: "tiny",
	} {
		name, at, err := ollama.ModelName([]byte(body), nil)
		if err != nil || string(name) != want || !at.Present() {
			t.Errorf("%s: %q at %v, %v", body, name, at, err)
			continue
		}
		if text, ok := wire.Text([]byte(body), at, nil); !ok || string(text) != want {
			t.Errorf("%s: at %v stands %q", body, at, text)
		}
	}
}

func TestModelName_RefusesWhatCanBeReadInTwoWays(t *testing.T) {
	for body, want := range map[string]string{
		`{"model":"a","name":"b"}`: wire.CodeParseError, `{"model":"a","name":5}`: wire.CodeParseError, `{"name":"a","name":"a"}`: wire.CodeParseError,
		`{"Name":"a"}`: wire.CodeParseError, `{"model":"a","NAME":"b"}`: wire.CodeParseError, `{"model":"a","model":"a"}`: wire.CodeParseError, `{"Model":"a"}`: wire.CodeParseError,
		`{"name":"a"`: wire.CodeParseError, `[]`: wire.CodeParseError, ``: wire.CodeParseError, "{\"name\":\"\xff\"}": wire.CodeParseError,
		`{}`: wire.CodeMissingModel, `{"name":""}`: wire.CodeMissingModel, `{"model":"","name":""}`: wire.CodeMissingModel, `{"name":7}`: wire.CodeMissingModel,
		`{"model":{}}`: wire.CodeMissingModel, `{"name":"a\u0000"}`: wire.CodeMissingModel, `{"name":"` + strings.Repeat("a", 301) + `"}`: wire.CodeMissingModel,
	} {
		var e *wire.Error
		if name, _, err := ollama.ModelName([]byte(body), nil); !errors.As(err, &e) || e.Code != want {
			t.Errorf("%.60q: %q, %v", body, name, err)
		}
	}
}

func TestModelName_DoesNotAllocate(t *testing.T) {
	body := []byte(`{"model":"","system":"","template":"","verbose":false,"options":null,"name":"tiny"}`)
	if n := testing.AllocsPerRun(100, func() { _, _, _ = ollama.ModelName(body, nil) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func FuzzModelName(f *testing.F) {
	for _, seed := range []string{`{"model":"","name":"tiny"}`, `{"model":"a","name":"b"}`, `{"n\u0061me":"a","Name":1}`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		name, at, err := ollama.ModelName(body, nil)
		if text, ok := wire.Text(body, at, nil); err == nil && (!ok || string(text) != string(name) || len(name) == 0) {
			t.Errorf("%q: name %q, at %v", body, name, at)
		}
	})
}

func TestShow_TellsErrorsAndWhatIsNoAnswerApart(t *testing.T) {
	for body, want := range map[string]wire.Kind{
		`{"details":{},"model_info":{"general.type":"error"},"capabilities":["completion"]}`: wire.Content, `{}`: wire.Content, `{"error":"m"}`: wire.Failed,
		"": wire.Invalid, "<html>": wire.Invalid, `[]`: wire.Invalid, `null`: wire.Invalid, `{"details":`: wire.Invalid,
	} {
		var tap wire.Tap
		if kind := (ollama.Show{}).ReadAnswer(&tap, []byte(body)); kind != want || tap.Usage != (wire.Usage{}) {
			t.Errorf("%s: kind %d, want %d", body, kind, want)
		}
	}
}
