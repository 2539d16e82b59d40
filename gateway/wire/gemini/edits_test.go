package gemini_test

import (
	"strconv"
	"strings"
	"testing"

	"relay/gateway/wire"
	"relay/gateway/wire/gemini"
)

func TestModelEdits_LetNoMemberNameAnotherModel(t *testing.T) {
	for body, want := range map[string]string{
		`{"contents":[]}`: `{"contents":[]}`,
		`{"model":"models/other","content":{"parts":[{"text":"x"}]}}`: `{"model":"models/acme-gem","content":{"parts":[{"text":"x"}]}}`,
		`{ "model" : "other" , "n":12345678901234567890}`:             `{ "model" : "models/acme-gem" , "n":12345678901234567890}`,
		`{"model":"models/acme-gem"}`:                                 `{"model":"models/acme-gem"}`,
		`{"model":"models\/acme-gem"}`:                                `{"model":"models\/acme-gem"}`,
		`{"\u006dodel":"models/other"}`:                               `{"\u006dodel":"models/acme-gem"}`,
		`{"model":null}`:                                              `{"model":"models/acme-gem"}`,
		`{"model":{"model":"x"}}`:                                     `{"model":"models/acme-gem"}`,
		`{"model":["x"]}`:                                             `{"model":"models/acme-gem"}`,
		`{"requests":[{"model":"a","content":{}},{"content":{"model":"kept"},"model":"b"}]}`:       `{"requests":[{"model":"models/acme-gem","content":{}},{"content":{"model":"kept"},"model":"models/acme-gem"}]}`,
		`{"requests":[{"model":"a","model":"b"}],"requests":[{"model":"c"}]}`:                      `{"requests":[{"model":"models/acme-gem","model":"models/acme-gem"}],"requests":[{"model":"models/acme-gem"}]}`,
		`{"requests":{"model":"kept"}}`:                                                            `{"requests":{"model":"kept"}}`,
		`{"requests":[1,null,["model"],{}]}`:                                                       `{"requests":[1,null,["model"],{}]}`,
		`{"generateContentRequest":{"model":"a","contents":[{"model":"kept"}]}}`:                   `{"generateContentRequest":{"model":"models/acme-gem","contents":[{"model":"kept"}]}}`,
		`{"generate_content_request":{"model":"a"},"generateContentRequest":{"model":"b"}}`:        `{"generate_content_request":{"model":"models/acme-gem"},"generateContentRequest":{"model":"models/acme-gem"}}`,
		`{"generateContentRequest":"x","contents":"y"}`:                                            `{"generateContentRequest":"x","contents":"y"}`,
		`{"contents":[{"parts":[{"text":"\"model\":\"kept\""}],"model":"kept"}]}`:                  `{"contents":[{"parts":[{"text":"\"model\":\"kept\""}],"model":"kept"}]}`,
		`{"generateContentRequest":{"Model":"kept","MODEL":"kept"},"Requests":[{"model":"kept"}]}`: `{"generateContentRequest":{"Model":"kept","MODEL":"kept"},"Requests":[{"model":"kept"}]}`,
	} {
		var m wire.Members
		if err := wire.Scan([]byte(body), &m); err != nil {
			t.Fatalf("%s: %v", body, err)
		}
		edits := gemini.ModelEdits(nil, []byte(body), "acme-gem")
		if got := string(wire.Splice(nil, []byte(body), edits...)); got != want {
			t.Errorf("%s\nbecame %s\nwant   %s", body, got, want)
		}
	}
}

func TestModelEdits_WriteTheNameAsThePathDoes(t *testing.T) {
	for name, want := range map[string]string{"models/x": `"models/x"`, "tunedModels/x": `"tunedModels/x"`, `q"\é`: `"models/q\"\\é"`, "hf.co/a:b": `"models/hf.co/a:b"`} {
		body := []byte(`{"model":"x"}`)
		if got := string(wire.Splice(nil, body, gemini.ModelEdits(nil, body, name)...)); got != `{"model":`+want+`}` {
			t.Errorf("%s: %s", name, got)
		}
	}
}

func TestModelEdits_AreAddedToOthers(t *testing.T) {
	other := wire.Edit{At: wire.Range{Start: 1, End: 1}, Text: `"x":1,`}
	body := []byte(`{"model":"a","requests":[{"model":"b"}]}`)
	edits := gemini.ModelEdits([]wire.Edit{other}, body, "m")
	if got := string(wire.Splice(nil, body, edits...)); got != `{"x":1,"model":"models/m","requests":[{"model":"models/m"}]}` {
		t.Errorf("got %s", got)
	}
}

func TestChoices_AreWhatTheConfigurationSays(t *testing.T) {
	for config, want := range map[string]int{
		`{"candidateCount":3}`: 3, `{"candidate_count":2}`: 2, `{"candidateCount":3,"candidateCount":4}`: 4, `{"candidateCount":64}`: 64,
		`{}`: 1, `null`: 1, `[]`: 1, `{"candidateCount":0}`: 1, `{"candidateCount":65}`: 1, `{"candidateCount":-1}`: 1, `{"candidateCount":1.5}`: 1, `{"candidateCount":"2"}`: 1, `{"x":{"candidateCount":5}}`: 1,
	} {
		for _, name := range []string{"generationConfig", "generation_config"} {
			if got := gemini.Choices([]byte(`{"contents":[],"` + name + `":` + config + `}`)); got != want {
				t.Errorf("%s %s: %d, want %d", name, config, got, want)
			}
		}
	}
	if got := gemini.Choices([]byte(`{"candidateCount":3}`)); got != 1 {
		t.Errorf("without a configuration: %d", got)
	}
}

func BenchmarkModelEdits(b *testing.B) {
	for name, body := range map[string]string{
		"content": `{"contents":[{"parts":[{"text":"` + strings.Repeat("word ", 16_000) + `"}]}]}`,
		"batch":   `{"requests":[` + strings.Repeat(`{"model":"models/a","content":{"parts":[{"text":"word"}]}},`, 100) + `{"model":"models/m"}]}`,
	} {
		b.Run(name+", "+strconv.Itoa(len(body)>>10)+" KiB", func(b *testing.B) {
			edits, body := make([]wire.Edit, 0, 128), []byte(body)
			b.SetBytes(int64(len(body)))
			b.ReportAllocs()
			for b.Loop() {
				edits = gemini.ModelEdits(edits[:0], body, "m")
			}
		})
	}
}
