package ollama_test

import (
	"encoding/json"
	"testing"

	"relay/gateway/wire"
	"relay/gateway/wire/ollama"
)

const details = `{"parent_model":"","format":"gguf","family":"","families":null,"parameter_size":"","quantization_level":""}`

func TestAppendModels_WritesTheTags(t *testing.T) {
	got := ollama.Codec{}.AppendModels(nil, []wire.Model{{ID: "tiny", Created: 1764374400, Tagged: true}, {ID: `q"`}})
	want := `{"models":[{"name":"tiny:latest","model":"tiny:latest","modified_at":"2025-11-29T00:00:00Z","size":0,` +
		`"digest":"54484f4cba8e26a5ef0f0aee2b21658acd0783a081d52705d946da3bd31c0c7f","details":` + details + `},` +
		`{"name":"q\"","model":"q\"","modified_at":"0001-01-01T00:00:00Z","size":0,` +
		`"digest":"15351ef1960e5fcbc34bc9b7678cee50950fa8e1af1c81e09c610ad658dbe217","details":` + details + `}]}`
	if string(got) != want || !json.Valid(got) {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if got := string(ollama.Codec{}.AppendModels(nil, nil)); got != `{"models":[]}` {
		t.Errorf("got %s", got)
	}
}

func TestName_HasATagWhereOllamaServesTheModel(t *testing.T) {
	for want, model := range map[string]wire.Model{
		"tiny:latest": {ID: "tiny", Tagged: true}, "tiny:7b": {ID: "tiny:7b", Tagged: true}, "acme-chat": {ID: "acme-chat"}, "other:latest": {ID: "other:latest", Tagged: true},
		"hf.co/acme/tiny-gguf:Q4_K_M": {ID: "hf.co/acme/tiny-gguf:Q4_K_M", Tagged: true}, "lab:5000/tiny:latest": {ID: "lab:5000/tiny", Tagged: true},
	} {
		if got := ollama.Name(model); got != want {
			t.Errorf("%s is named %s, want %s", model.ID, got, want)
		}
	}
}

func TestAppendRunning_WritesTheFormOfPS(t *testing.T) {
	got := ollama.AppendRunning(nil, []wire.Model{{ID: "tiny", Tagged: true}})
	want := `{"models":[{"name":"tiny:latest","model":"tiny:latest","size":0,"digest":"54484f4cba8e26a5ef0f0aee2b21658acd0783a081d52705d946da3bd31c0c7f",` +
		`"details":` + details + `,"expires_at":"9999-12-31T23:59:59Z","size_vram":0,"context_length":0}]}`
	if string(got) != want || !json.Valid(got) {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if got := string(ollama.AppendRunning(nil, nil)); got != `{"models":[]}` {
		t.Errorf("got %s", got)
	}
}

func TestAppendShow_TellsWhatClientsLookFor(t *testing.T) {
	got := ollama.AppendShow(nil, wire.Model{ID: "acme-chat", Created: 1764374400})
	want := `{"modelfile":"","parameters":"","template":"","details":` + details + `,"model_info":{"general.architecture":"relay"},` +
		`"capabilities":["completion","tools"],"modified_at":"2025-11-29T00:00:00Z"}`
	if string(got) != want || !json.Valid(got) {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestAppendError_WritesATextAlone(t *testing.T) {
	e := wire.NewError(wire.CodeModelNotFound, "No \"m\";\ntry é.")
	const want = `{"error":"No \"m\";\ntry é."}`
	codec := ollama.Codec{}
	if got := string(codec.AppendError(nil, e)); got != want || codec.Status(e) != 404 {
		t.Errorf("got %s, status %d", got, codec.Status(e))
	}
	if got := string(codec.AppendErrorEvent([]byte("{}\n"), e)); got != "{}\n"+want+"\n" {
		t.Errorf("got %q", got)
	}
}

func TestCodec_SaysWhatItsShapeIs(t *testing.T) {
	codec := ollama.Codec{}
	if codec.Shape() != "ollama" || codec.Terminal() != "" || codec.KeepAlive() != "" || codec.StreamType() != "application/x-ndjson" {
		t.Error("the shape has changed")
	}
	if _, asks := codec.AskUsage(nil, nil); asks || !codec.WantsUsage(nil, nil) {
		t.Error("usage must be asked for")
	}
	for contentType, want := range map[string]wire.Framing{
		"application/x-ndjson": wire.FramingLines, "application/x-ndjson; charset=utf-8": wire.FramingLines, "application/json; charset=utf-8": wire.FramingNone, "": wire.FramingNone,
	} {
		if got := codec.Framing(contentType); got != want {
			t.Errorf("%q: framing %d, want %d", contentType, got, want)
		}
		if (ollama.Show{}).Framing(contentType) != wire.FramingNone || (ollama.Embeddings{}).Framing(contentType) != wire.FramingNone {
			t.Errorf("%q: what is never streamed is framed", contentType)
		}
	}
}
