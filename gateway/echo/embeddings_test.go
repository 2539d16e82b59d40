package echo_test

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"math"
	"slices"
	"testing"

	"relay/gateway/echo"
)

// embed asks for embeddings and returns each vector, as numbers or from base64.
func embed(t *testing.T, url, rest string) (list [][]float32, prompt int) {
	t.Helper()
	_, text := do(t, "POST", url+"/v1/embeddings", `{"model":"echo-mini",`+rest+`}`)
	var body struct {
		Object, Model string
		Data          []struct {
			Index     int
			Embedding json.RawMessage
		}
		Usage map[string]int
	}
	if err := json.Unmarshal([]byte(text), &body); err != nil || body.Object != "list" || body.Model != "echo-mini" {
		t.Fatalf("%s: got %s", rest, text)
	}
	for i, entry := range body.Data {
		if entry.Index != i {
			t.Errorf("%s: entry %d has index %d", rest, i, entry.Index)
		}
		list = append(list, numbers(t, entry.Embedding))
	}
	if body.Usage["prompt_tokens"] != body.Usage["total_tokens"] {
		t.Errorf("%s: usage %v", rest, body.Usage)
	}
	return list, body.Usage["prompt_tokens"]
}

func numbers(t *testing.T, written json.RawMessage) (vector []float32) {
	t.Helper()
	var packed string
	if json.Unmarshal(written, &packed) != nil {
		if err := json.Unmarshal(written, &vector); err != nil {
			t.Fatal(err)
		}
		return vector
	}
	raw, err := base64.StdEncoding.DecodeString(packed)
	if err != nil || len(raw)%4 != 0 {
		t.Fatalf("%d bytes, %v", len(raw), err)
	}
	for ; len(raw) > 0; raw = raw[4:] {
		vector = append(vector, math.Float32frombits(binary.LittleEndian.Uint32(raw)))
	}
	return vector
}

func dot(a, b []float32) (sum float64) {
	for i := range a {
		sum += float64(a[i]) * float64(b[i])
	}
	return sum
}

func TestEmbeddings_AreTheSameHoweverTheyAreAskedFor(t *testing.T) {
	url := serve(t, echo.Options{})
	want, prompt := embed(t, url, `"input":"12 7"`)
	if len(want) != 1 || len(want[0]) != 64 || prompt != 2 {
		t.Fatalf("%d vectors, %d tokens", len(want), prompt)
	}
	for _, rest := range []string{
		`"input":["12 7"]`, `"input":[12,7]`, `"input":[[12,7]]`, `"input":"12 7","encoding_format":"base64"`, `"input":" 12\n7 ","encoding_format":"float"`,
	} {
		if got, tokens := embed(t, url, rest); !slices.Equal(got[0], want[0]) || tokens != 2 {
			t.Errorf("%s: another vector, or %d tokens", rest, tokens)
		}
	}
}

func TestEmbeddings_LieNearWhereWordsAreShared(t *testing.T) {
	list, prompt := embed(t, serve(t, echo.Options{}), `"input":["the quick brown fox","the quick brown dog","nothing like it"],"dimensions":256`)
	if len(list) != 3 || len(list[0]) != 256 || prompt != 11 {
		t.Fatalf("%d vectors, %d tokens", len(list), prompt)
	}
	for i, vector := range list {
		if length := dot(vector, vector); math.Abs(length-1) > 1e-5 {
			t.Errorf("vector %d has length %v", i, length)
		}
	}
	if near, far := dot(list[0], list[1]), dot(list[0], list[2]); near < 0.5 || math.Abs(far) > 0.3 {
		t.Errorf("near %v, far %v", near, far)
	}
}
