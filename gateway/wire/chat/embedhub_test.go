package chat_test

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"math"
	"slices"
	"testing"

	"relay/gateway/wire"
	"relay/gateway/wire/chat"
	"relay/gateway/wire/hub"
)

func TestEmbeds_GoUpAsTheyWereAskedForButInNumbers(t *testing.T) {
	for body, want := range map[string]string{
		`{"model":"m","input":"a\nb"}`: `{"model":"up","input":["a\nb"],"encoding_format":"float"}`,
		`{"model":"m","input":["a","","\u00e9"],"dimensions":256,"encoding_format":"base64","user":null}`: `{"model":"up","input":["a","","\u00e9"],"encoding_format":"float","dimensions":256}`,
	} {
		var e hub.Embeds
		if err := (chat.EmbeddingsHub{}).DecodeEmbeds([]byte(body), &e); err != nil {
			t.Fatal(err)
		}
		got, dropped, err := chat.EmbeddingsHub{}.EncodeEmbeds(nil, &e, hub.Target{Model: "up"})
		if string(got) != want || dropped != nil || err != nil {
			t.Errorf("%s: %s %q %v", body, got, dropped, err)
		}
		if e.Single {
			t.Errorf("%s: single", body)
		}
	}
}

func TestEmbeds_NameWhatIsLeftOut(t *testing.T) {
	e := hub.Embeds{Task: hub.Text("RETRIEVAL_QUERY"), Title: hub.Text("t")}
	if err := (chat.EmbeddingsHub{}).DecodeEmbeds([]byte(`{"model":"m","input":"a","user":"u","odd":1,"odd":2}`), &e); err != nil {
		t.Fatal(err)
	}
	_, dropped, _ := chat.EmbeddingsHub{}.EncodeEmbeds(nil, &e, hub.Target{})
	if want := []string{"user", "odd", "taskType", "title"}; !slices.Equal(dropped, want) {
		t.Errorf("dropped %q", dropped)
	}
}

func TestEmbeds_RefuseTokensAndWhatIsNoInput(t *testing.T) {
	for body, member := range map[string]string{
		`{"model":"m"}`: "input", `{"model":"m","input":[]}`: "input", `{"model":"m","input":null}`: "input", `{"model":"m","input":1}`: "input",
		`{"model":"m","input":[1,2]}`: "input", `{"model":"m","input":["a",[1]]}`: "input",
		`{"model":"m","input":"a","dimensions":0}`: "dimensions", `{"model":"m","input":"a","encoding_format":"hex"}`: "encoding_format",
	} {
		var e *wire.Error
		if err := (chat.EmbeddingsHub{}).DecodeEmbeds([]byte(body), &hub.Embeds{}); !errors.As(err, &e) || e.Param != member || e.Code != wire.CodeTranslateRequest {
			t.Errorf("%s: %v", body, err)
		}
	}
}

func TestVectors_AreReadInTheOrderOfTheirIndex(t *testing.T) {
	for body, want := range map[string]string{
		`{"data":[{"index":1,"embedding":[1e-3, -2]},{"index":0,"embedding":[3]}]}`: "[3] [1e-3, -2]",
		`{"data":[{"embedding":[1]},{"embedding":[2]}]}`:                            "[1] [2]",
	} {
		v, err := chat.EmbeddingsHub{}.ReadVectors([]byte(body))
		if err != nil || string(v[0])+" "+string(v[1]) != want {
			t.Errorf("%s: %s %v", body, v, err)
		}
	}
	for _, body := range []string{
		``, `{}`, `{"data":[]}`, `{"data":[{"index":0,"embedding":"AAAA"}]}`, `{"data":[{"index":0}]}`, `{"data":[{"index":0,"embedding":["a"]}]}`,
		`{"data":[{"index":1,"embedding":[1]}]}`, `{"data":[{"index":0,"embedding":[1]},{"index":0,"embedding":[1]}]}`, `{"data":[{"index":-1,"embedding":[1]}]}`,
	} {
		if v, err := (chat.EmbeddingsHub{}).ReadVectors([]byte(body)); err == nil {
			t.Errorf("%s: %s", body, v)
		}
	}
}

func TestVectors_AreWrittenAsTheCallerWantsThem(t *testing.T) {
	v := hub.Vectors{[]byte("[1.5, -2e3]"), []byte("[0.1]")}
	got := string(chat.EmbeddingsHub{}.AppendVectors(nil, v, &hub.Embeds{}, "m", 7))
	if want := `{"object":"list","data":[{"object":"embedding","index":0,"embedding":[1.5, -2e3]},{"object":"embedding","index":1,"embedding":[0.1]}],"model":"m","usage":{"prompt_tokens":7,"total_tokens":7}}`; got != want {
		t.Errorf("got %s", got)
	}
	var coded struct{ Data []struct{ Embedding string } }
	if err := json.Unmarshal(chat.EmbeddingsHub{}.AppendVectors(nil, v, &hub.Embeds{Base64: true}, "m", 7), &coded); err != nil {
		t.Fatal(err)
	}
	for i, want := range [][]float32{{1.5, -2000}, {0.1}} {
		raw, err := base64.StdEncoding.DecodeString(coded.Data[i].Embedding)
		if err != nil || len(raw) != 4*len(want) {
			t.Fatalf("%q: %v", coded.Data[i].Embedding, err)
		}
		for n, f := range want {
			if got := math.Float32frombits(binary.LittleEndian.Uint32(raw[4*n:])); got != f {
				t.Errorf("vector %d: %v, want %v", i, got, f)
			}
		}
	}
}
