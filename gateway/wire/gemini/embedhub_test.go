package gemini_test

import (
	"fmt"
	"strings"
	"testing"

	"relay/gateway/wire"
	"relay/gateway/wire/gemini"
	"relay/gateway/wire/hub"

	"github.com/google/go-cmp/cmp"
)

func embeds(t *testing.T, body string) (hub.Embeds, error) {
	t.Helper()
	var m wire.Members
	if err := wire.Scan([]byte(body), &m); err != nil {
		t.Fatalf("%s: %v", body, err)
	}
	var e hub.Embeds
	return e, gemini.EmbeddingsHub{}.DecodeEmbeds([]byte(body), &e)
}

func TestDecodeEmbeds_ReadsBothCalls(t *testing.T) {
	for body, want := range map[string]string{
		`{"model":"models/x","content":{"parts":[{"text":"a\n"},{"text":"b"}]},"taskType":"RETRIEVAL_QUERY","title":"t","outputDimensionality":256}`:                        `[a\n\nb] true RETRIEVAL_QUERY t 256 []`,
		`{"content":{"parts":{"text":"a"}},"task_type":"TASK_TYPE_UNSPECIFIED","output_dimensionality":null,"embed_content_config":{"title":"t","autoTruncate":true}}`:      `[a] true  t  [autoTruncate]`,
		`{"requests":[{"model":"models/x","content":{"parts":[{"text":"a"}]},"taskType":"X"},{"content":{"parts":[{"text":"b"}]},"taskType":"X"}]}`:                         `[a b] false X   []`,
		`{"requests":[{"content":{"parts":[{"text":"a"}]},"title":"1"},{"content":{"parts":[{"text":"b"}]},"title":"2","x":1},{"content":{"parts":[{"text":"c"}]},"x":1}]}`: `[a b c] false    [x requests[].title]`,
	} {
		e, err := embeds(t, body)
		inputs := []string{}
		for _, input := range e.Inputs {
			inputs = append(inputs, string(append(hub.Text{}, input...)))
		}
		if got := fmt.Sprintf("%v %v %s %s %s %v", inputs, e.Single, e.Task, e.Title, e.Dimensions, e.Dropped); err != nil || got != want {
			t.Errorf("%s: %v\n%s\n%s", body, err, got, want)
		}
	}
}

func TestDecodeEmbeds_RefusesWhatItCannotRead(t *testing.T) {
	for body, member := range map[string]string{
		`{}`:              "content",
		`{"requests":[]}`: "requests",
		`{"content":{"parts":[{"inlineData":{"mimeType":"image/png","data":"QUJD"}}]}}`:                                          "content.parts",
		`{"content":{"parts":[{"text":"a"}]},"outputDimensionality":"big"}`:                                                      "outputDimensionality",
		`{"requests":[{"content":{"parts":[{"text":"a"}]}},{"content":{}}]}`:                                                     "requests[1].content",
		`{"requests":[{"content":{"parts":[{"text":"a"}]},"taskType":"A"},{"content":{"parts":[{"text":"a"}]},"taskType":"B"}]}`: "requests[1].taskType",
		`{"requests":[{"content":{"parts":[{"text":"a"}]}},{"content":{"parts":[{"text":"a"}]},"outputDimensionality":1}]}`:      "requests[1].outputDimensionality",
	} {
		_, err := embeds(t, body)
		refusal(t, err, wire.CodeTranslateRequest, member)
	}
}

func TestEncodeEmbeds_WritesABatch(t *testing.T) {
	e := hub.Embeds{Inputs: []hub.Text{hub.Quote("a\n"), hub.Quote("b")}, Single: true, Dimensions: []byte("256"), Task: hub.Text("X"), Title: hub.Text("t"), Base64: true}
	body, dropped, err := gemini.EmbeddingsHub{}.EncodeEmbeds(nil, &e, hub.Target{Model: "embed-1"})
	if err != nil || len(dropped) > 0 {
		t.Errorf("%v, dropped %v", err, dropped)
	}
	sameJSON(t, string(body), `{"requests":[{"model":"models/embed-1","content":{"parts":[{"text":"a\n"}]},"taskType":"X","title":"t","outputDimensionality":256},
		{"model":"models/embed-1","content":{"parts":[{"text":"b"}]},"taskType":"X","title":"t","outputDimensionality":256}]}`)
}

func TestReadVectors_ReadsBothAnswers(t *testing.T) {
	for body, want := range map[string]string{
		`{"embeddings":[{"values":[0.5, -1e-7]},{"values":[]}],"usageMetadata":{"promptTokenCount":8}}`: `[0.5, -1e-7] []`,
		`{"embedding":{"values":[1,2]}}`: `[1,2]`,
	} {
		v, err := gemini.EmbeddingsHub{}.ReadVectors([]byte(body))
		var all []string
		for _, values := range v {
			all = append(all, string(values))
		}
		if diff := cmp.Diff(want, strings.Join(all, " ")); diff != "" || err != nil {
			t.Errorf("%v %s", err, diff)
		}
	}
	for _, body := range []string{`{}`, `{"embeddings":[]}`, `{"embeddings":[{}]}`, `{"embedding":{"values":"AAAA"}}`, `{"embeddings":[{"values":[1]}]`, `[]`} {
		if v, err := (gemini.EmbeddingsHub{}).ReadVectors([]byte(body)); err == nil || !strings.HasPrefix(err.Error(), "holds ") {
			t.Errorf("%s: %s, %v", body, v, err)
		}
	}
}

func TestAppendVectors_AnswersTheCallThatWasMade(t *testing.T) {
	v := hub.Vectors{[]byte("[0.5,-1e-7]"), []byte("[1]")}
	for want, single := range map[string]bool{
		`{"embedding":{"values":[0.5,-1e-7]},"usageMetadata":{"promptTokenCount":8}}`:                   true,
		`{"embeddings":[{"values":[0.5,-1e-7]},{"values":[1]}],"usageMetadata":{"promptTokenCount":8}}`: false,
	} {
		body := gemini.EmbeddingsHub{}.AppendVectors(nil, v, &hub.Embeds{Single: single}, "m", 8)
		if string(body) != want {
			t.Errorf("got %s", body)
		}
		var tap wire.Tap
		if kind := (gemini.Embeddings{}).ReadAnswer(&tap, body); kind != wire.Content || tap.NoChoices || tap.Usage.Input != 8 {
			t.Errorf("kind %d, tap %+v", kind, tap)
		}
	}
	if body := (gemini.EmbeddingsHub{}).AppendVectors(nil, nil, &hub.Embeds{Single: true}, "m", 0); string(body) != `{"embeddings":[],"usageMetadata":{"promptTokenCount":0}}` {
		t.Errorf("got %s", body)
	}
}
