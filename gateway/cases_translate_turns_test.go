package gateway_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/tidwall/gjson"

	"relay/store"
)

// TestTurns_HoldNoBlankText is case B41: Anthropic and Gemini refuse it.
func TestTurns_HoldNoBlankText(t *testing.T) {
	r, up := newTongues(t)
	up.Otherwise(wholeAnswers)
	key := r.key("k", store.RelayKeySpec{})
	for _, content := range []string{`""`, "null", "[]", `[{"type":"text","text":""}]`, `" \n\t"`, `[{"type":"text","text":" "},{"type":"text","text":""}]`} {
		for _, system := range []string{`{"role":"system","content":""},`, `{"role":"system","content":" \n"},`, ""} {
			body := `"messages":[` + system + `{"role":"user","content":"hi"},{"role":"assistant","content":` + content + `,"tool_calls":[{"id":"c1","type":"function","function":{"name":"f","arguments":"{}"}}]},{"role":"tool","tool_call_id":"c1","content":"42"}],` + chatTools
			if a := r.post("/v1/chat/completions", key, `{"model":"to-anthropic",`+body+`}`); a.Status != 200 {
				t.Fatalf("%s: got %d %s", body, a.Status, a.Body)
			}
			sent := lastBody(up)
			if sent.Get("system").Exists() || sent.Get("messages.#").Int() != 3 || sent.Get("messages.1.content.#").Int() != 1 ||
				sent.Get("messages.1.content.0.type").Str != "tool_use" || sent.Get("messages.2.content.0.tool_use_id").Str != "c1" {
				t.Errorf("%s: Anthropic got %s", body, sent)
			}
			if a := r.post("/v1/chat/completions", key, `{"model":"to-gemini",`+body+`}`); a.Status != 200 {
				t.Fatalf("%s: got %d %s", body, a.Status, a.Body)
			}
			sent = lastBody(up)
			if sent.Get("systemInstruction").Exists() || sent.Get("contents.1.parts.#").Int() != 1 || sent.Get("contents.1.parts.0.functionCall.name").Str != "f" {
				t.Errorf("%s: Gemini got %s", body, sent)
			}
		}
	}
}

// Of case B41: a message that holds nothing else is no message.
func TestTurns_OfBlankTextAloneAreLeftOut(t *testing.T) {
	r, up := newTongues(t)
	up.Otherwise(wholeAnswers)
	key := r.key("k", store.RelayKeySpec{})
	for _, blank := range []string{`""`, "[]", `[{"type":"text","text":" "}]`} {
		body := `"messages":[{"role":"user","content":"one"},{"role":"assistant","content":` + blank + `},{"role":"user","content":"two"}]`
		r.want(r.post("/v1/chat/completions", key, `{"model":"to-anthropic",`+body+`}`), 200, "hello")
		if got := texts(lastBody(up).Get("messages")); !slices.Equal(got, []string{"one", "two"}) || lastBody(up).Get("messages.#").Int() != 1 {
			t.Errorf("%s: Anthropic got %s", blank, lastBody(up))
		}
	}
}

// texts are all texts of messages, in order.
func texts(messages gjson.Result) (all []string) {
	messages.ForEach(func(_, value gjson.Result) bool {
		switch {
		case value.Type == gjson.String:
		case value.Get("text").Exists():
			all = append(all, value.Get("text").Str)
		case value.Get("content").Type == gjson.String:
			all = append(all, value.Get("content").Str)
		default:
			all = append(all, texts(value.Get("content"))...)
			all = append(all, texts(value.Get("parts"))...)
		}
		return true
	})
	return all
}

// TestTurns_OfTheSystemKeepTheirOrderWhereverTheyStand is case B56.
func TestTurns_OfTheSystemKeepTheirOrderWhereverTheyStand(t *testing.T) {
	r, up := newTongues(t)
	up.Otherwise(wholeAnswers)
	key := r.key("k", store.RelayKeySpec{})
	const marked = "<system>\nthree\n</system>"
	chat := `"messages":[{"role":"developer","content":[{"type":"text","text":"one"},{"type":"text","text":"two"}]},{"role":"user","content":"hi"},{"role":"system","content":[{"type":"text","text":"three"}]},{"role":"user","content":"ho"}]`
	messages := `"max_tokens":800,"system":"one","messages":[{"role":"user","content":"hi"},{"role":"system","content":[{"type":"text","text":"three"}]},{"role":"user","content":"ho"}]`
	for _, c := range []struct {
		path, members, to string
		want              string // all texts in order, / between them
	}{
		{"/v1/chat/completions", chat, "anthropic", "one/two/hi/" + marked + "/ho"},
		{"/v1/chat/completions", chat, "gemini", "one/two/hi/" + marked + "/ho"},
		{"/v1/chat/completions", chat, "openai-responses", "one\n\ntwo/hi/three/ho"},
		{"/v1/chat/completions", chat, "ollama", "one\n\ntwo/hi/three/ho"},
		{"/v1/messages", messages, "openai", "one/hi/three/ho"},
		{"/v1/messages", messages, "gemini", "one/hi/" + marked + "/ho"},
		{"/v1/messages", messages, "openai-responses", "one/hi/three/ho"},
		{"/v1/messages", messages, "ollama", "one/hi/three/ho"},
	} {
		a := r.post(c.path, key, fmt.Sprintf(`{"model":"to-%s",%s}`, c.to, c.members))
		if a.Status != 200 {
			t.Errorf("%s to %s: got %d %s", c.path, c.to, a.Status, a.Body)
			continue
		}
		sent := lastBody(up)
		if got := strings.Join(textsOf(sent), "/"); got != c.want {
			t.Errorf("%s to %s: %q of %s", c.path, c.to, got, sent)
		}
		if strings.Contains(c.want, marked) && sent.Get(`messages.#(role=="system")`).Exists() {
			t.Errorf("%s to %s: it knows no such role: %s", c.path, c.to, sent)
		}
	}
}

// textsOf is every text of a request in any shape, in order.
func textsOf(sent gjson.Result) (all []string) {
	for _, at := range []string{"instructions", "system", "systemInstruction.parts", "messages", "contents", "input"} {
		switch value := sent.Get(at); {
		case value.Type == gjson.String:
			all = append(all, value.Str)
		case value.IsArray():
			all = append(all, texts(value)...)
		}
	}
	return all
}
