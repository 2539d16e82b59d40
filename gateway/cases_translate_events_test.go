package gateway_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/tidwall/gjson"

	"relay/gateway/gatewaytest"
	"relay/store"
)

// heard is what a caller reads in a stream of any shape: the text, and why it ended.
func (k kind) heard(stream string) (text, reason string) {
	for _, event := range k.read(stream) {
		_, data, _ := strings.Cut(event, " ")
		e := gjson.Parse(data)
		switch k.shape {
		case store.ShapeOpenAI:
			text += e.Get("choices.0.delta.content").Str
			reason += e.Get("choices.0.finish_reason").Str
		case store.ShapeAnthropic:
			text += e.Get("delta.text").Str
			reason += e.Get("delta.stop_reason").Str
		case store.ShapeResponses, "generate":
			if kind := e.Get("type").Str; strings.HasSuffix(kind, ".delta") {
				text += e.Get("delta").Str
			} else if strings.HasSuffix(kind, ".completed") {
				reason += e.Get("response.status").Str + e.Get("generation.finish_reason").Str
			}
		case store.ShapeGemini:
			text += e.Get("candidates.0.content.parts.0.text").Str
			reason += e.Get("candidates.0.finishReason").Str
		case store.ShapeOllama:
			text += e.Get("message.content").Str
			reason += e.Get("done_reason").Str
		}
	}
	return text, reason
}

// mustHear fails the test unless the caller has read the text and a good end.
func (k kind) mustHear(t *testing.T, name string, a gatewaytest.Answer, want string) {
	t.Helper()
	text, reason := k.heard(a.Body)
	if a.Status != 200 || text != want || reason == "" || holdsError(strings.ReplaceAll(a.Body, `"error":null`, "")) || k.terminal != "" && strings.Count(a.Body, k.terminal) == 0 {
		t.Errorf("%s, %s: %d, %d bytes of text, %q: %.900s", k.name, name, a.Status, len(text), reason, a.Body)
	}
	k.mustParse(t, name, a.Body)
	mustBeSound(t, name, a)
}

// spelled are the ways in which an upstream may send its events: cases B16, B19 and
// B22. Comments stand between them as its shape has them.
func (k kind) spelled(texts []string) map[string]gatewaytest.Script {
	whole := strings.Join(texts, "")
	commented := whole
	if k.contentType == "text/event-stream" {
		commented = ": PROCESSING\n\n: PROCESSING\n\n: PROCESSING\n\n:\n\n" + strings.Join(texts, ":\n\n")
	}
	all := map[string]gatewaytest.Script{
		"byte by byte": gatewaytest.Join(k.head(), gatewaytest.Chunk(strings.Split(whole, "")...), gatewaytest.LastChunk()),
		"commented":    k.streams(commented),
		"packed": gatewaytest.Join(gatewaytest.Head(200, "Content-Type: "+k.contentType, "Content-Encoding: gzip", "Transfer-Encoding: chunked"),
			gatewaytest.Chunk(strings.Split(gatewaytest.Gzip(whole), "")...), gatewaytest.LastChunk()),
		"if asked, packed": packs(k.contentType, whole),
		"typed twice":      gatewaytest.Join(gatewaytest.Head(200, "Content-Type: "+k.contentType, "Content-Type: text/html", "Transfer-Encoding: chunked"), gatewaytest.Chunk(whole), gatewaytest.LastChunk()),
		"of a charset":     gatewaytest.Join(gatewaytest.Head(200, "Content-Type: "+k.contentType+"; charset=iso-8859-1"), gatewaytest.Raw(whole), gatewaytest.Close()),
	}
	for name, spell := range k.spellings() {
		all[name] = k.streams(spell(strings.ReplaceAll(whole, "\r\n", "\n")))
	}
	return all
}

// Of cases B16, B18, B19 and B22: however an upstream sends its events, the caller of
// another shape reads the same text, in its own type and no other.
func TestTranslatedEvents_AreTheSameHoweverTheyCome(t *testing.T) {
	r, up := newTongues(t)
	key := r.key("k", store.RelayKeySpec{})
	const text = "雨🙂ñ"
	calls := 0
	for _, p := range pairs() {
		if !p.caller.streamed {
			continue
		}
		texts := slices.Clone(p.upstream.answer(7, 3))
		want := text
		for i := range texts {
			if strings.Contains(texts[i], `"hel"`) || strings.Contains(texts[i], `"delta":"hello"`) || strings.Contains(texts[i], `"text":"hello"`) && p.upstream.shape != store.ShapeResponses {
				texts[i] = strings.NewReplacer(`"hello"`, `"`+text+`"`, `"hel"`, `"`+text+`"`).Replace(texts[i])
				continue
			}
			if strings.Contains(texts[i], `"lo"`) {
				want = text + "lo"
			}
		}
		for name, script := range p.upstream.spelled(texts) {
			up.Play(script)
			a := r.ask(p.asks(), key, "Accept-Encoding: gzip, br")
			calls++
			p.caller.mustHear(t, p.name()+", "+name, a, want)
			if got := a.Header.Get("Content-Type"); got != p.caller.contentType {
				t.Errorf("%s, %s: the answer is %s", p.name(), name, got)
			}
			if strings.Contains(a.Body, "\uFFFD") || strings.Contains(a.Body, "PROCESSING") {
				t.Errorf("%s, %s: got %s", p.name(), name, a.Body)
			}
		}
	}
	for _, e := range r.events(calls)[:calls] {
		if e.Tokens.Input != 7 || e.Tokens.Output != 3 || e.ErrorKind != "" {
			t.Fatalf("recorded %+v", e)
		}
	}
	for _, sent := range up.Requests() {
		if got := fmt.Sprint(sent.Header("Accept-Encoding")); strings.Contains(got, "br") || strings.Contains(got, "gzip") {
			t.Fatalf("the upstream was told %s", got)
		}
	}
}
