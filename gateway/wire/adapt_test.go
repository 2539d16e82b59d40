package wire_test

import (
	"fmt"
	"strings"
	"testing"

	"relay/gateway/wire"
)

// rules are paths as configurations have them, made into the keys of a map.
func rules(paths ...string) map[string]int {
	keys := map[string]int{}
	for i, path := range paths {
		path = foldedPath(path)
		for at := range path {
			if path[at] == '.' {
				keys[path[:at]] = -1
			}
		}
		keys[path] = i
	}
	return keys
}

func foldedPath(path string) string { return strings.ToLower(strings.ReplaceAll(path, "_", "")) }

func TestCut_TakesMembersOutWithTheirCommas(t *testing.T) {
	paths := rules("top_k", "options.num_ctx", "a.b.c")
	for body, want := range map[string]string{
		`{}`:                      `{}`,
		`{"top_k":1}`:             `{}`,
		`{ "top_k" : 1 }`:         `{  }`,
		`{"top_k":1,"z":2}`:       `{"z":2}`,
		`{"z":2,"top_k":1}`:       `{"z":2}`,
		`{ "z":2 , "top_k":[1] }`: `{ "z":2 }`,
		"{\n  \"y\": 1,\n  \"top_k\": 5,\n  \"z\": 2\n}":           "{\n  \"y\": 1,\n  \"z\": 2\n}",
		"{\n  \"top_k\": 5,\n  \"y\": 1\n}":                        "{\n  \"y\": 1\n}",
		`{"top_k":1,"top_k":2,"z":3,"top_k":4,"top_k":5}`:          `{"z":3}`,
		`{"top_k":1,"top_k":{"top_k":2}}`:                          `{}`,
		`{"top\u005fk":1,"topK":2,"TOP_K":3,"z":{"top_k":4}}`:      `{"z":{"top_k":4}}`,
		`{"z":"},{\"top_k\":1","top_k":"],}"}`:                     `{"z":"},{\"top_k\":1"}`,
		`{"options":{"num_ctx":1,"x":2},"options":{"num_ctx":3}}`:  `{"options":{"x":2},"options":{}}`,
		`{"options":[{"num_ctx":1}],"num_ctx":2}`:                  `{"options":[{"num_ctx":1}],"num_ctx":2}`,
		`{"options":{"x":{"num_ctx":1}},"a":{"b":{"c":1,"d":2}}}`:  `{"options":{"x":{"num_ctx":1}},"a":{"b":{"d":2}}}`,
		`{"a":{"b":{"c":1}},"top_k":2,"options":null}`:             `{"a":{"b":{}},"options":null}`,
		`{"n":9007199254740993,"top_k":1,"e":1e2,"u":"\u0041\/é"}`: `{"n":9007199254740993,"e":1e2,"u":"\u0041\/é"}`,
	} {
		cut, _ := wire.Cut([]byte("x"), sound(t, body), paths)
		if string(cut) != "x"+want {
			t.Errorf("%s\nbecame %s\nnot    %s", body, cut, want)
		}
	}
}

func TestCut_TellsWhatItHasTakenOut(t *testing.T) {
	paths := rules("top_k", "options.num_ctx", "seed")
	for body, want := range map[string]uint64{
		`{}`: 0, `{"seed":1}`: 4, `{"seed":null}`: 0, `{"seed":1,"top_k":1,"options":{"num_ctx":1}}`: 7, `{"seed":null,"seed":0}`: 4,
	} {
		if _, held := wire.Cut(nil, sound(t, body), paths); held != want {
			t.Errorf("%s: %b, want %b", body, held, want)
		}
	}
}

func TestTake_ReturnsTheLastValue(t *testing.T) {
	for body, want := range map[string]string{
		`{}`: "", `{"a_b":1}`: "1", `{"ab":1,"a_B":{"x":2}}`: `{"x":2}`, `{"ab":1,"ab":null}`: "", `{"c":{"ab":1}}`: "",
	} {
		if got := string(wire.Take(sound(t, body), "ab")); got != want {
			t.Errorf("%s: %q, want %q", body, got, want)
		}
	}
	if got := string(wire.Take([]byte(`{"a":{"b":{"c":1},"x":{"c":2}},"a":{"b":5},"b":{"c":3}}`), "a.b.c")); got != "1" {
		t.Errorf("got %s", got)
	}
}

func TestRename_GivesMembersTheirNewNames(t *testing.T) {
	paths := rules("max_tokens", "o.x", "o.y", "swap", "pawn")
	to := []string{"max_completion_tokens", "o.z", "o.z", "pawn", "swap"}
	for body, want := range map[string]string{
		`{}`:                          `{}`,
		`{ "max_tokens" : 5 , "z":1}`: `{ "max_completion_tokens" : 5 , "z":1}`,
		`{"max_tok\u0065ns":5}`:       `{"max_completion_tokens":5}`,
		`{"max_tokens":5,"max_completion_tokens":6}`:            `{"max_completion_tokens":6}`,
		`{"maxCompletionTokens":6,"a":1,"max_tokens":5}`:        `{"maxCompletionTokens":6,"a":1}`,
		`{"max_tokens":1,"b":0,"max_tokens":2}`:                 `{"b":0,"max_completion_tokens":2}`,
		`{"o":{"x":1,"y":2},"x":3}`:                             `{"o":{"z":2},"x":3}`,
		`{"o":{"y":2,"q":0,"x":1}}`:                             `{"o":{"q":0,"z":1}}`,
		`{"o":{"z":0,"x":1}, "o":{"x":{"x":1}}}`:                `{"o":{"z":0}, "o":{"z":{"x":1}}}`,
		`{"swap":1,"pawn":2}`:                                   `{"pawn":1,"swap":2}`,
		`{"o":[{"x":1}],"m":"max_tokens","n":{"max_tokens":1}}`: `{"o":[{"x":1}],"m":"max_tokens","n":{"max_tokens":1}}`,
	} {
		if got := wire.Rename([]byte("x"), sound(t, body), paths, to); string(got) != "x"+want {
			t.Errorf("%s\nbecame %s\nnot    %s", body, got, want)
		}
	}
}

// A name may become another spelling of itself.
func TestRename_ToAnotherSpelling(t *testing.T) {
	for body, want := range map[string]string{
		`{"max_tokens":1}`: `{"maxTokens":1}`, `{"maxTokens":1}`: `{"maxTokens":1}`, `{"max_tokens":1,"maxTokens":2}`: `{"maxTokens":2}`,
		`{"maxTokens":2,"MAXTOKENS":1}`: `{"maxTokens":2}`,
	} {
		if got := wire.Rename(nil, sound(t, body), rules("max_tokens"), []string{"maxTokens"}); string(got) != want {
			t.Errorf("%s became %s, not %s", body, got, want)
		}
	}
}

func TestFill_AddsWhatIsLacking(t *testing.T) {
	paths := []string{"top_k", "options.num_ctx", "options.x.y", "options.x.z"}
	values := []string{"40", "8192", `"a"`, "[1]"}
	const options = `"options":{"num_ctx":8192,"x":{"y":"a","z":[1]}}`
	for body, want := range map[string]string{
		`{}`:                         `{"top_k":40,` + options + `}`,
		`{ }`:                        `{"top_k":40,` + options + ` }`,
		"{\n \"a\": 1\n}":            "{\n \"a\": 1,\"top_k\":40," + options + "\n}",
		`{"topK":1}`:                 `{"topK":1,` + options + `}`,
		`{"top_k":null,"z":1}`:       `{"top_k":40,"z":1,` + options + `}`,
		`{"top_k":0,"options":null}`: `{"top_k":0,` + options + `}`,
		`{"top_k":0,"options":{}}`:   `{"top_k":0,` + options + `}`,
		`{"top_k":0,"options":[1]}`:  `{"top_k":0,"options":[1]}`,
		`{"top_k":0,"options":{"x":{ "y" : 0 },"num_ctx":1}}`:             `{"top_k":0,"options":{"x":{ "y" : 0,"z":[1] },"num_ctx":1}}`,
		`{"options":{"num_ctx":1},"top_k":2,"options":{"x":5}}`:           `{"options":{"num_ctx":1},"top_k":2,"options":{"x":5,"num_ctx":8192}}`,
		`{"top_k":null,"top_k":3,"options":{"x":null,"num_ctx":{"a":1}}}`: `{"top_k":null,"top_k":3,"options":{"x":{"y":"a","z":[1]},"num_ctx":{"a":1}}}`,
	} {
		if got := wire.Fill([]byte("x"), sound(t, body), paths, values); string(got) != "x"+want {
			t.Errorf("%s\nbecame %s\nnot    %s", body, got, want)
		}
	}
}

func TestHeld_LooksThroughObjectsAlone(t *testing.T) {
	paths := rules("seed", "options.num_ctx")
	for body, want := range map[string]int{
		`{}`: -1, `{"seed":1}`: 0, `{"seed":null}`: -1, `{"options":{"numCtx":1},"seed":1}`: 1, `{"options":[{"num_ctx":1}]}`: -1, `{"o":{"seed":1}}`: -1,
	} {
		if got := wire.Held(sound(t, body), paths); got != want {
			t.Errorf("%s: %d, want %d", body, got, want)
		}
	}
}

func sound(t *testing.T, body string) []byte {
	t.Helper()
	if err := wire.Scan([]byte(body), &wire.Members{}); err != nil {
		t.Fatalf("%s: %v", body, err)
	}
	return []byte(body)
}

func TestFormFields_AreFoundAndAdded(t *testing.T) {
	const contentType = "multipart/form-data; boundary=b"
	body := "--b\r\nContent-Disposition: form-data; name=\"model\"\r\n\r\nm\r\n--b\r\nContent-Disposition: form-data; name=\"Words[]\"\r\n\r\nx\r\ny\r\n--b--\r\n"
	if err := wire.ScanForm(contentType, []byte(body), &wire.Form{}); err != nil {
		t.Fatal(err)
	}
	fields, end := wire.FormFields(contentType, []byte(body))
	found := ""
	for _, f := range fields {
		found += fmt.Sprintf("%s=%q %d; ", f.Name.Of([]byte(body)), f.Content.Of([]byte(body)), f.Index([]byte(body), rules("words", "x")))
	}
	if want := `model="m" -1; Words="x\r\ny" 0; `; found != want || body[end:] != "--b--\r\n" {
		t.Errorf("found %s, the end is %q", found, body[end:])
	}
	for value, want := range map[string]string{`"t\u0065xt"`: "text", `0.5`: "0.5", `["a"]`: `["a"]`, `"--b"`: ""} {
		added := string(wire.AppendFormField(nil, contentType, "n", value))
		if want != "" {
			want = "--b\r\nContent-Disposition: form-data; name=\"n\"\r\n\r\n" + want + "\r\n"
		}
		if added != want {
			t.Errorf("%s is added as %q", value, added)
		}
	}
}
