package ollama_test

import (
	"strings"
	"testing"

	"relay/gateway/wire"
	"relay/gateway/wire/hub"
	"relay/gateway/wire/ollama"
)

func embeds(tb testing.TB, body string) (*hub.Embeds, error) {
	tb.Helper()
	if err := wire.Scan([]byte(body), &wire.Members{}); err != nil {
		tb.Fatal(err)
	}
	var e hub.Embeds
	return &e, ollama.EmbeddingsHub{}.DecodeEmbeds([]byte(body), &e)
}

func TestEmbeddingsHub_TakesATextOrAList(t *testing.T) {
	for body, want := range map[string]string{
		`{"model":"m","input":"a\n"}`:                     `{"model":"up:7b","input":["a\n"]}`,
		`{"model":"m","input":["a","b"],"dimensions":64}`: `{"model":"up:7b","input":["a","b"],"dimensions":64}`,
		`{"model":"m","input":["a"],"dimensions":0}`:      `{"model":"up:7b","input":["a"]}`,
		`{"model":"m","prompt":"a"}`:                      `{"model":"up:7b","input":["a"]}`,
		`{"model":"m","prompt":"not read","input":"a"}`:   `{"model":"up:7b","input":["a"]}`,
	} {
		e, err := embeds(t, body)
		if err != nil {
			t.Fatal(err)
		}
		got, dropped, err := ollama.EmbeddingsHub{}.EncodeEmbeds(nil, e, target)
		if err != nil || dropped != nil || e.Single != strings.HasPrefix(body, `{"model":"m","prompt":"a"`) {
			t.Errorf("%s: %v %v %v", body, dropped, err, e.Single)
		}
		saysSame(t, string(got), want)
	}
}

func TestEmbeddingsHub_NamesWhatIsDropped(t *testing.T) {
	e, err := embeds(t, `{"model":"m","input":"a","truncate":true,"keep_alive":"5m","options":{"num_ctx":1},"brand_new":1,"old":null}`)
	if err != nil || strings.Join(e.Dropped, " ") != "truncate keep_alive options brand_new" {
		t.Error(e.Dropped, err)
	}
	e = &hub.Embeds{Inputs: []hub.Text{hub.Text("a")}, Dropped: []string{"user"}, Task: hub.Text("SEARCH"), Title: hub.Text("t")}
	if _, dropped, err := (ollama.EmbeddingsHub{}).EncodeEmbeds(nil, e, target); err != nil || strings.Join(dropped, " ") != "user taskType title" {
		t.Error(dropped, err)
	}
}

func TestEmbeddingsHub_RefusesWhatIsNoText(t *testing.T) {
	for body, param := range map[string]string{
		`{"model":"m"}`:                     "input",
		`{"model":"m","input":[]}`:          "input",
		`{"model":"m","input":""}`:          "input",
		`{"model":"m","input":["a",[1,2]]}`: "input[1]",
		`{"model":"m","input":7}`:           "input",
		`{"model":"m","prompt":["a"]}`:      "prompt",
	} {
		_, err := embeds(t, body)
		wantParam(t, err, param)
	}
}

func TestEmbeddingsHub_VectorsPassAsTheyAreWritten(t *testing.T) {
	v, err := ollama.EmbeddingsHub{}.ReadVectors([]byte(`{"model":"up","embeddings":[[0.10,-1e-9],[2]],"prompt_eval_count":4}`))
	if err != nil {
		t.Fatal(err)
	}
	got := ollama.EmbeddingsHub{}.AppendVectors(nil, v, &hub.Embeds{}, "m", 4)
	if want := `{"model":"m","embeddings":[[0.10,-1e-9],[2]],"total_duration":0,"load_duration":0,"prompt_eval_count":4}`; string(got) != want {
		t.Errorf("%s", got)
	}
	got = ollama.EmbeddingsHub{}.AppendVectors(nil, v, &hub.Embeds{Single: true}, "m", 4)
	if want := `{"embedding":[0.10,-1e-9]}`; string(got) != want {
		t.Errorf("%s", got)
	}
}

func TestEmbeddingsHub_AnAnswerWithoutVectorsIsNone(t *testing.T) {
	for _, body := range []string{``, `{}`, `{"embeddings":[]}`, `{"embeddings":[7]}`, `{"embeddings":[[1]]`, `[[1]]`} {
		if v, err := (ollama.EmbeddingsHub{}).ReadVectors([]byte(body)); err == nil {
			t.Errorf("%s: %s", body, v)
		}
	}
}
