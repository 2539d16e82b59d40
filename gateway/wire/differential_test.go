package wire_test

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"

	"relay/gateway/wire"
	"relay/gateway/wire/wiretest"
)

// seeds are bodies from which mutations start: each holds something that the
// scanner treats apart.
var seeds = [...]string{
	plainBody,
	`{"model":"m","stream":true,"stream_options":{"include_usage":false,"x":[1,-2.5e3,null]}}`,
	`{"\u006dodel":"\ud83d\ude42","user":"雨🙂ñ","n":0,"tools":[{"a":{"b":[true,false]}}]}`,
	"{\n\t\"max_tokens\" : 17 ,\r\n \"metadata\" : { } , \"model\" : \"x\\\\\\\"y\" }\n",
	`{"messages":[[[[[[]]]]]],"max_completion_tokens":1e300,"safety_identifier":"s","a":"\u00e9\n"}`,
}

// spices are pieces that mutations insert.
var spices = [...]string{
	`"model":"z",`, `"stream":false,`, `"Model":1,`, `\u006d`, `\ud83d`, `\ude42`, "\xff", "\xed\xa0\x80", "ſ", "é", "\x00",
	"[", "]", "{", "}", ",", ":", `"`, `\`, "-", "0", "9", "e", ".", "1e400", "true", "nul", " ", "\n", "\x1f",
}

func mutate(r *rand.Rand, body []byte) []byte { return wiretest.Mutate(r, string(body), spices[:]) }

func TestScan_ReadsMutatedBodiesAsEncodingJSONDoes(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	accepted := 0
	for range 60_000 {
		body := mutate(r, []byte(seeds[r.IntN(len(seeds))]))
		if compare(t, body) {
			accepted++
		}
	}
	if accepted < 2_000 {
		t.Errorf("only %d mutations were legal bodies", accepted)
	}
}

func FuzzScan(f *testing.F) {
	for _, seed := range seeds {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) { compare(t, body) })
}

// compare holds Scan against encoding/json and reports whether both accept.
func compare(t *testing.T, body []byte) bool {
	t.Helper()
	var m wire.Members
	err := wire.Scan(body, &m)
	members, legal := reference(body)
	if legal != (err == nil) {
		t.Fatalf("%q: encoding/json says legal=%v, Scan says %v", body, legal, err)
	}
	if err != nil {
		return false
	}
	for name, r := range map[string]wire.Range{
		"model": m.Model, "stream": m.Stream, "stream_options": m.StreamOptions, "user": m.User, "n": m.N,
		"messages": m.Messages, "tools": m.Tools, "max_tokens": m.MaxTokens, "metadata": m.Metadata,
		"max_completion_tokens": m.MaxCompletionTokens, "safety_identifier": m.SafetyIdentifier,
	} {
		if got, want := string(r.Of(body)), string(members[name]); got != want {
			t.Fatalf("%q: %s is %s to encoding/json and %s to Scan", body, name, want, got)
		}
	}
	compareModel(t, body, &m, members["model"])
	return true
}

func compareModel(t *testing.T, body []byte, m *wire.Members, raw json.RawMessage) {
	t.Helper()
	var want string
	if raw != nil && raw[0] == '"' {
		if err := json.Unmarshal(raw, &want); err != nil {
			t.Fatalf("%q: model %s: %v", body, raw, err)
		}
	}
	if got, err := m.ModelName(body, nil); err == nil && string(got) != want {
		t.Fatalf("%q: model is %q to encoding/json and %q to Scan", body, want, got)
	}
}

// reference tells by the standard library alone whether a body is legal, and
// its top-level members.
func reference(body []byte) (members map[string]json.RawMessage, legal bool) {
	if !utf8.Valid(body) || len(bytes.TrimLeft(body, " \t\r\n")) == 0 || bytes.TrimLeft(body, " \t\r\n")[0] != '{' {
		return nil, false
	}
	var anything any
	if json.Unmarshal(body, &anything) != nil || json.Unmarshal(body, &members) != nil {
		return nil, false
	}
	return members, depth(body) <= wire.MaxDepth && !loneSurrogate(body) && namesAreClear(body) && switchIsClear(members["stream"])
}

func depth(body []byte) int {
	d := json.NewDecoder(bytes.NewReader(body))
	d.UseNumber()
	level, deepest := 0, 0
	for {
		token, err := d.Token()
		if err != nil {
			return deepest
		}
		switch token {
		case json.Delim('{'), json.Delim('['):
			level++
			deepest = max(deepest, level)
		case json.Delim('}'), json.Delim(']'):
			level--
		}
	}
}

// loneSurrogate decodes each escape of a legal document by itself: the standard
// library puts U+FFFD in the place of a half.
func loneSurrogate(body []byte) bool {
	for i := 0; i+6 <= len(body); i++ {
		if body[i] != '\\' {
			continue
		}
		if body[i+1] != 'u' {
			i++
			continue
		}
		size := 6
		if body[i+2]|0x20 == 'd' && strings.ContainsRune("89abAB", rune(body[i+3])) {
			size = 12
		}
		var text string
		if i+size > len(body) || json.Unmarshal([]byte(`"`+string(body[i:i+size])+`"`), &text) != nil {
			return true
		}
		if strings.ContainsRune(text, utf8.RuneError) && !strings.EqualFold(string(body[i:i+6]), `\ufffd`) {
			return true
		}
		i += size - 1
	}
	return false
}

// namesAreClear refuses a second model or stream and other spellings of them.
func namesAreClear(body []byte) bool {
	d := json.NewDecoder(bytes.NewReader(body))
	d.UseNumber()
	if _, err := d.Token(); err != nil {
		return false
	}
	seen := map[string]int{}
	for d.More() {
		token, err := d.Token()
		name, isName := token.(string)
		if err != nil || !isName {
			return false
		}
		var skipped json.RawMessage
		if d.Decode(&skipped) != nil {
			return false
		}
		for _, exact := range []string{"model", "stream"} {
			if strings.EqualFold(name, exact) {
				seen[exact]++
				if name != exact || seen[exact] > 1 {
					return false
				}
			}
		}
	}
	return true
}

func switchIsClear(raw json.RawMessage) bool {
	return raw == nil || raw[0] == 't' || raw[0] == 'f' || raw[0] == 'n'
}
