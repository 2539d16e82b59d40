package gateway_test

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestClientTags_AreStoredWithTheEventOfAnswersAndRefusals(t *testing.T) {
	for _, k := range kinds() {
		f := newFront(t)
		f.up.Otherwise(k.says(5, 5))
		full := "{"
		for i := range 16 {
			full += fmt.Sprintf(`"%d-%s":"%s",`, i+10, strings.Repeat("k", 61), strings.Repeat("v", 47))
		}
		full = strings.TrimSuffix(full, ",") + "}"
		for line, want := range map[string]string{
			`X-Relay-Tags: {"team":"search","run":"7"}`:                       "map[run:7 team:search]",
			`X-WR-Request-Tags: {"team":"search"}`:                            "map[team:search]",
			"X-Relay-Tags: {\"a\":\"1\"}\r\nX-WR-Request-Tags: {\"a\":\"2\"}": "map[a:1]",
			`X-Relay-Tags: {}`: "map[]",
			`X-Relay-Tags:  { "ü" : "\u00fc, \"x\"" , "empty":"" } `: `map[empty: ü:ü, "x"]`,
			`X-Relay-Tags: {"k":"` + strings.Repeat("v", 256) + `"}`: "map[k:" + strings.Repeat("v", 256) + "]",
			"X-Relay-Tags: " + full:                                  fmt.Sprint(len(full)),
			"X-Empty: 1":                                             "map[]",
		} {
			f.want(f.send(k, k.json(), line), 200, "")
			f.mustRecord(line, 200, "")
			tags := f.events(f.recorded)[f.recorded-1].Tags
			if got := fmt.Sprint(tags); got != want && (len(tags) != 16 || line != "X-Relay-Tags: "+full) {
				t.Errorf("%s: stored %s, want %s", line, got, want)
			}
			f.mustRefuse(line, f.send(k, "{", line), k.path, 400, "parse_error")
			f.mustRecord(line, 400, "parse_error")
			if got := fmt.Sprint(f.events(f.recorded)[f.recorded-1].Tags); got != fmt.Sprint(tags) {
				t.Errorf("%s: a refusal stored %s", line, got)
			}
		}
		for _, sent := range f.up.Requests() {
			if len(sent.Header("X-Relay-Tags"))+len(sent.Header("X-WR-Request-Tags")) != 0 {
				t.Errorf("the upstream got %s", sent.Head)
			}
		}
		f.mustBeFree("tagged calls")
	}
}

func TestClientTags_ThatAreNoFlatObjectOfStringsAreRefused(t *testing.T) {
	seventeen := "{"
	for i := range 17 {
		seventeen += fmt.Sprintf(`"%d":"",`, i)
	}
	for _, k := range kinds() {
		f := newFront(t)
		for _, text := range []string{
			``, `x`, `[]`, `["a"]`, `"a"`, `null`, `{`, `{"a"}`, `{"a":"b"`, `{"a":"b",}`, `{"a":"b"} x`, `{"a":"b"}{}`, `{'a':'b'}`, `{"a":1}`, `{"a":null}`,
			`{"a":true}`, `{"a":["b"]}`, `{"a":{"b":"c"}}`, `{"a":"b","a":"c"}`, `{"":"b"}`, `{"a":"\u0000"}`, `{"a\n":"b"}`, "{\"a\":\"\xff\"}",
			`{"` + strings.Repeat("k", 65) + `":"v"}`, `{"k":"` + strings.Repeat("v", 257) + `"}`, strings.TrimSuffix(seventeen, ",") + "}",
			`{"k":"v"` + strings.Repeat(" ", 2048) + `}`, "{}\r\nX-Relay-Tags: {}",
		} {
			a := f.send(k, k.json(), "X-Relay-Tags: "+text)
			f.mustRefuse(text, a, k.path, 400, "bad_tags")
			if len(a.Body) > 500 || !utf8.ValidString(a.Body) {
				t.Errorf("%.40q: %s", text, a.Body)
			}
			f.mustBeFree(text)
			f.mustRecord(text, 400, "bad_tags")
			if tags := f.events(f.recorded)[f.recorded-1].Tags; len(tags) != 0 {
				t.Errorf("%.40q: stored %v", text, tags)
			}
		}
		if n := len(f.up.Requests()); n != 0 {
			t.Errorf("%s: the upstream saw %d requests", k.name, n)
		}
	}
}
