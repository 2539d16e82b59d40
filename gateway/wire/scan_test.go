package wire_test

import (
	"encoding/json"
	"errors"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"

	"relay/gateway/wire"
)

const plainBody = `{"messages":[{"role":"user","content":"hi \"model\": you"}],"model":"acme-chat","stream":true,"n":2}`

func TestScan_FindsTheMembersThatRelayReads(t *testing.T) {
	body := []byte("\n " + `{"model" : "m", "stream":false, "stream_options":{"a":[1]}, "user":"u",` +
		`"safety_identifier":"s","metadata":{},"max_tokens":1,"max_completion_tokens":2,"n":3,"tools":[],"messages":[{}]}` + " \r\n")
	var m wire.Members
	if err := wire.Scan(body, &m); err != nil {
		t.Fatal(err)
	}
	for want, r := range map[string]wire.Range{
		`"m"`: m.Model, `false`: m.Stream, `{"a":[1]}`: m.StreamOptions, `"u"`: m.User, `"s"`: m.SafetyIdentifier,
		`{}`: m.Metadata, `1`: m.MaxTokens, `2`: m.MaxCompletionTokens, `3`: m.N, `[]`: m.Tools, `[{}]`: m.Messages,
	} {
		if got := string(r.Of(body)); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
	if body[m.Close] != '}' || m.Streamed || m.Steering.Present() {
		t.Errorf("close %q, streamed %v, steering %v", body[m.Close], m.Streamed, m.Steering)
	}
}

func TestScan_ReadsNamesThroughTheirEscapes(t *testing.T) {
	body := []byte(`{"\u006dodel":"a","str\u0065am":true,"\ud83d\ude42":1}`)
	var m wire.Members
	if err := wire.Scan(body, &m); err != nil {
		t.Fatal(err)
	}
	if string(m.Model.Of(body)) != `"a"` || !m.Streamed {
		t.Errorf("model %s, streamed %v", m.Model.Of(body), m.Streamed)
	}
}

func TestScan_LooksAtTheTopLevelOnly(t *testing.T) {
	body := []byte(`{"messages":[{"model":"inner","Stream":1}],"metadata":{"MODEL":"x","stream":2,"stream":3}}`)
	var m wire.Members
	if err := wire.Scan(body, &m); err != nil {
		t.Fatal(err)
	}
	if m.Model.Present() || m.Stream.Present() {
		t.Error("found a member that lies deeper")
	}
}

func TestScan_NotesMembersThatNameAnUpstream(t *testing.T) {
	for _, name := range []string{"api_base", "base_url", "api_key", "custom_host", "custom_llm_provider", "extra_headers"} {
		var m wire.Members
		body := []byte(`{"model":"m","` + name + `":"http://x"}`)
		if err := wire.Scan(body, &m); err != nil {
			t.Fatal(err)
		}
		if got := string(m.Steering.Of(body)); got != `"`+name+`"` {
			t.Errorf("%s: noted %q", name, got)
		}
	}
}

func TestScan_RefusesWhatParsersReadDifferently(t *testing.T) {
	deep := func(n int) string {
		return `{"a":` + strings.Repeat("[", n-1) + strings.Repeat("]", n-1) + `}`
	}
	for name, c := range map[string]struct{ body, message string }{
		"empty body":             {"", "it is empty; send a JSON object (byte 0)"},
		"only space":             {" \n", "must be a JSON object (byte 2)"},
		"array":                  {`[1]`, "must be a JSON object (byte 0)"},
		"byte order mark":        {"\xef\xbb\xbf{}", "byte order mark"},
		"cut short":              {`{"model":"m"`, "a comma or } is expected (byte 12)"},
		"trailing data":          {`{"model":"m"} x`, "data after the end of the object (byte 14)"},
		"two documents":          {`{"a":1}{"model":"m"}`, "data after the end of the object (byte 7)"},
		"trailing comma":         {`{"a":1,}`, "a member name in double quotes is expected (byte 7)"},
		"trailing array comma":   {`{"a":[1,]}`, "a value is expected (byte 8)"},
		"no colon":               {`{"a" 1}`, "a colon is expected (byte 5)"},
		"single quotes":          {`{'a':1}`, "a member name in double quotes"},
		"comment":                {`{"a":1/*x*/}`, "a comma or } is expected"},
		"wrong closer":           {`{"a":[1}`, "a comma or ] is expected (byte 7)"},
		"literal in capitals":    {`{"a":True}`, "a value is expected (byte 5)"},
		"literal glued":          {`{"a":nullx}`, "a comma or } is expected (byte 9)"},
		"NaN":                    {`{"a":NaN}`, "a value is expected"},
		"leading zero":           {`{"a":01}`, "a number is not well formed (byte 5)"},
		"bare minus":             {`{"a":-}`, "a number is not well formed"},
		"bare point":             {`{"a":1.}`, "a number is not well formed"},
		"bare exponent":          {`{"a":1e+}`, "a number is not well formed"},
		"plus sign":              {`{"a":+1}`, "a value is expected"},
		"1e400":                  {`{"a":1e400}`, "a number is too large (byte 5)"},
		"400 digits":             {`{"a":` + strings.Repeat("9", 400) + `}`, "a number is too large"},
		"raw control character":  {"{\"a\":\"\n\"}", "a control character in a string must be escaped (byte 6)"},
		"raw NUL":                {"{\"a\":\"\x00\"}", "a control character"},
		"NUL outside":            {"{\"a\":1\x00}", "a comma or } is expected"},
		"bad escape":             {`{"a":"\x"}`, "an escape in a string is not well formed"},
		"cut escape":             {`{"a":"\u12`, "an escape in a string is not well formed"},
		"open string":            {`{"a":"bc`, "a string does not end (byte 5)"},
		"lone high surrogate":    {`{"a":"\ud83d"}`, "half of a surrogate pair (byte 6)"},
		"lone low surrogate":     {`{"a":"\ude42"}`, "half of a surrogate pair"},
		"surrogates swapped":     {`{"a":"\ude42\ud83d"}`, "half of a surrogate pair"},
		"surrogate in a name":    {`{"\ud83dmodel":1}`, "half of a surrogate pair"},
		"broken UTF-8":           {"{\"a\":\"\xe9\"}", "it is not valid UTF-8 (byte 6)"},
		"broken UTF-8 in a name": {"{\"a\xff\":1}", "it is not valid UTF-8"},
		"overlong slash":         {"{\"a\":\"\xc0\xaf\"}", "it is not valid UTF-8"},
		"raw surrogate":          {"{\"a\":\"\xed\xa0\x80\"}", "it is not valid UTF-8"},
		"above U+10FFFF":         {"{\"a\":\"\xf4\x90\x80\x80\"}", "it is not valid UTF-8"},
		"129 levels":             {deep(129), "deeper than 128 levels"},
		"10,001 levels":          {strings.Repeat(`{"a":`, 10001), "deeper than 128 levels"},
		"model twice":            {`{"model":"a","model":"a"}`, `the member "model" stands twice; send it once (byte 13)`},
		"model twice, escaped":   {`{"model":"a","\u006dodel":"b"}`, `the member "model" stands twice`},
		"stream twice":           {`{"stream":true,"stream":true}`, `the member "stream" stands twice`},
		"Model":                  {`{"Model":"a"}`, `the member "Model" must be written "model" (byte 1)`},
		"mODEL beside model":     {`{"model":"a","mODEL":"b"}`, `must be written "model"`},
		"long s":                 {`{"ſtream":true}`, `must be written "stream"`},
		"Stream, escaped":        {`{"\u0053tream":true}`, `must be written "stream"`},
		"stream as text":         {`{"stream":"true"}`, `the member "stream" must be true or false (byte 10)`},
		"stream as number":       {`{"stream":1}`, `the member "stream" must be true or false`},
	} {
		var m wire.Members
		err := wire.Scan([]byte(c.body), &m)
		var refusal *wire.Error
		if !errors.As(err, &refusal) || refusal.Code != wire.CodeParseError || refusal.Status != 400 {
			t.Errorf("%s: got %v, want a parse_error", name, err)
			continue
		}
		if !strings.Contains(refusal.Message, c.message) {
			t.Errorf("%s: message %q does not tell %q", name, refusal.Message, c.message)
		}
	}
	var m wire.Members
	if err := wire.Scan([]byte(deep(128)), &m); err != nil {
		t.Errorf("128 levels: %v", err)
	}
}

func TestScan_AcceptsWhateverIsLegal(t *testing.T) {
	for _, body := range []string{
		`{}`, `{"stream":null}`, `{"a":1E-400,"b":-0,"c":0.5e+3,"d":1e308}`, `{"":""}`, `{"a":1,"a":2}`,
		`{"a":"\u0000\u007f\/\b\f\n\r\t"}`, "{\"a\":\"\x7f雨🙂ñ\"}", `{"models":1,"streams":2,"streaming":3}`,
		`{"a":12345678901234567890123456789}`,
	} {
		var m wire.Members
		if err := wire.Scan([]byte(body), &m); err != nil {
			t.Errorf("%s: %v", body, err)
		}
	}
}

func TestModelName_GivesTheNameOrSaysWhatIsMissing(t *testing.T) {
	for body, want := range map[string]string{
		`{"model":"acme/chat:7b"}`:                     "acme/chat:7b",
		`{"model":"caf\u00e9 \ud83d\ude42 \"q\""}`:     `café 🙂 "q"`,
		`{"model":"` + strings.Repeat("é", 299) + `"}`: strings.Repeat("é", 299),
		`{"model":"` + strings.Repeat("é", 300) + `"}`: "",
		`{"model":""}`: "", `{"model":null}`: "", `{"model":7}`: "", `{"model":["m"]}`: "", `{"model":{}}`: "", `{}`: "",
		`{"model":"a\u0000b"}`: "", `{"model":"a\nb"}`: "", "{\"model\":\"a\x7f\"}": "", `{"model":"a\u0085"}`: "",
	} {
		var m wire.Members
		if err := wire.Scan([]byte(body), &m); err != nil {
			t.Fatalf("%s: %v", body, err)
		}
		name, err := m.ModelName([]byte(body), nil)
		var refusal *wire.Error
		switch {
		case want == "" && (!errors.As(err, &refusal) || refusal.Code != wire.CodeMissingModel):
			t.Errorf("%s: got %q, %v, want missing_model", body, name, err)
		case want != "" && (err != nil || string(name) != want):
			t.Errorf("%s: got %q, %v", body, name, err)
		}
	}
}

func TestChoices_AreOneUnlessAskedOtherwise(t *testing.T) {
	for n, want := range map[string]int{"2": 2, "64": 64, "1": 1, "0": 1, "-3": 1, "65": 1, "1.5": 1, `"2"`: 1, "null": 1} {
		body := []byte(`{"n":` + n + `}`)
		var m wire.Members
		if err := wire.Scan(body, &m); err != nil {
			t.Fatal(err)
		}
		if got := m.Choices(body); got != want {
			t.Errorf("n=%s: got %d", n, got)
		}
	}
	if got := (&wire.Members{}).Choices(nil); got != 1 {
		t.Errorf("absent: got %d", got)
	}
}

func TestScan_DoesNotAllocate(t *testing.T) {
	body := []byte(`{"\u006dodel":"caf\u00e9","stream":true,"` + strings.Repeat("long", 40) + `":1,"messages":[]}`)
	var room [64]byte
	if n := testing.AllocsPerRun(100, func() {
		var m wire.Members
		if err := wire.Scan(body, &m); err != nil {
			t.Fatal(err)
		}
		if _, err := m.ModelName(body, room[:0]); err != nil {
			t.Fatal(err)
		}
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func TestQuote_IsReadBackByAnyParser(t *testing.T) {
	for _, text := range []string{"m", `a"b\c`, "<&>\u2028\x01é🙂"} {
		var back string
		if err := json.Unmarshal([]byte(wire.Quote(text)), &back); err != nil || back != text {
			t.Errorf("%q came back as %q, %v", text, back, err)
		}
	}
}

// TestScan_TakesTextThatIsValidUTF8 breaks single bytes of runs of runes, where
// they are checked in several ways.
func TestScan_TakesTextThatIsValidUTF8(t *testing.T) {
	alphabet := []rune("aé雨🙂 ñ\u07ff\u0800\u0fff\u1000\ucfff\ud000\ud7ff\ue000\uffff\U00010000\U0010ffff")
	odd := []byte{0x20, 0x7f, 0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf, 0xc0, 0xc1, 0xc2, 0xdf, 0xe0, 0xe1, 0xec, 0xed, 0xee, 0xef, 0xf0, 0xf4, 0xf5, 0xff}
	r := rand.New(rand.NewPCG(15, 16))
	valid := 0
	for range 100_000 {
		run := make([]rune, 1+r.IntN(9))
		for i := range run {
			run[i] = alphabet[r.IntN(len(alphabet))]
		}
		text := []byte(string(run))
		if r.IntN(2) > 0 {
			text[r.IntN(len(text))] = odd[r.IntN(len(odd))]
		}
		text = text[:len(text)-r.IntN(min(2, len(text)))]
		body := []byte(`{"a":"` + string(text) + `"}`)
		var m wire.Members
		if err := wire.Scan(body, &m); (err == nil) != utf8.Valid(text) {
			t.Fatalf("%q: %v", text, err)
		} else if err == nil {
			valid++
		}
		if !wire.Valid(body) {
			t.Fatalf("%q is no answer", text)
		}
	}
	if valid < 10_000 || valid > 90_000 {
		t.Errorf("%d texts were valid", valid)
	}
}

// TestScan_LooksAtEveryByteOfAText puts what needs a look at every place of
// texts of every length: they are read in blocks.
func TestScan_LooksAtEveryByteOfAText(t *testing.T) {
	for length := range 120 {
		for at := range length {
			for odd, legal := range map[string]bool{`\n`: true, `\"`: true, "\\u0041": true, "é": true, "\x7f": true, "!": true, "\x1f": false, "\x00": false, `\x`: false, "\xff": false, `\u00g`: false} {
				text := strings.Repeat("a", at) + odd + strings.Repeat("b", length-at)
				var m wire.Members
				if err := wire.Scan([]byte(`{"user":"`+text+`","n":1}`), &m); (err == nil) != legal || legal && m.User.End-m.User.Start != len(text)+2 {
					t.Fatalf("%q: %v, user at %v", text, err, m.User)
				}
			}
		}
	}
}
