package chat

import (
	"bytes"
	"strings"

	"relay/gateway/wire"

	"github.com/tidwall/gjson"
)

// ReadEvent reads one event into the tap. Most events are pieces of text; they
// are searched for the three members that matter and not parsed.
func (Codec) ReadEvent(t *wire.Tap, e *wire.Event) wire.Kind {
	switch {
	case e.Part == wire.PartLast:
		cutDone(t, e)
		readTail(t, e.Data)
		return wire.Content
	case string(e.Type) == "error":
		t.Failure = wire.EventFailure(e.Data)
		return wire.Failed
	case e.Part != wire.PartWhole:
		return wire.Content
	case !e.HasData:
		return wire.Silent
	case isDone(e.Data):
		t.Done = true
		return wire.Terminal
	}
	if cutDone(t, e); e.DropCut() {
		return wire.Silent
	}
	return readChunk(t, e.Data)
}

// readChunk reads one chunk, or a whole answer, which has the same members.
func readChunk(t *wire.Tap, data []byte) wire.Kind {
	if holds(data, `"error"`) || !bytes.Contains(data, []byte(`"choices"`)) {
		if f, ok := wire.FailureIn(wire.View(data)); ok {
			t.Failure = f
			return wire.Failed
		}
	}
	ends := holds(data, `"finish_reason"`)
	if ends {
		readReasons(t, wire.View(data).Get("choices"))
	}
	if holds(data, `"usage"`) && readReport(t, wire.View(data)) && !ends && isEmpty(wire.View(data).Get("choices")) {
		return wire.UsageOnly
	}
	return wire.Content
}

// readReport reads the usage of a chunk and reports whether there is any.
func readReport(t *wire.Tap, chunk gjson.Result) bool {
	usage := usageIn(chunk)
	if usage.IsObject() {
		t.Usage.MergePrompt(readUsage(usage))
	}
	return usage.IsObject()
}

func readReasons(t *wire.Tap, choices gjson.Result) {
	choices.ForEach(func(_, choice gjson.Result) bool {
		if reason := choice.Get("finish_reason"); reason.Type == gjson.String && reason.Str != "" {
			t.Finish(choice.Get("index").Int(), reason.Str)
		}
		return true
	})
}

// readTail reads what the end of a long event still shows. What stands in a
// string cannot be taken for a member: its quotes are escaped.
func readTail(t *wire.Tap, tail []byte) {
	if i := bytes.LastIndex(tail, []byte(`"usage"`)); i >= 0 && holds(tail[i:], `"usage"`) {
		if usage := wire.View(append([]byte("{"), tail[i:]...)).Get("usage"); usage.IsObject() {
			t.Usage.MergePrompt(readUsage(usage))
		}
	}
	if i := bytes.LastIndex(tail, []byte(`"finish_reason"`)); i >= 0 && holds(tail[i:], `"finish_reason"`) {
		reason := wire.View(append([]byte("{"), tail[i:]...)).Get("finish_reason")
		if reason.Type == gjson.String && reason.Str != "" {
			t.Finish(0, reason.Str)
		}
	}
}

// ReadAnswer reads a whole answer. An answer without choices is still content.
func (Codec) ReadAnswer(t *wire.Tap, body []byte) wire.Kind {
	if !gjson.ValidBytes(body) {
		return wire.Invalid
	}
	answer := wire.View(body)
	if kind := readChunk(t, body); kind == wire.Failed {
		return kind
	}
	if !answer.IsObject() {
		return wire.Invalid
	}
	t.NoChoices = t.Reason == "" && !answer.Get("choices.0").Exists()
	t.Done = true
	return wire.Content
}

// isEmpty reports whether choices is an array without any.
func isEmpty(choices gjson.Result) bool {
	return choices.IsArray() && strings.HasPrefix(strings.TrimLeft(choices.Raw[1:], " \t\r\n"), "]")
}

// holds reports whether data has a member of the quoted name whose value is
// not null. It may be a member of an inner object; text in a string it cannot
// be.
func holds(data []byte, quoted string) bool {
	for {
		i := bytes.Index(data, []byte(quoted))
		if i < 0 {
			return false
		}
		data = data[i+len(quoted):]
		value, found := bytes.CutPrefix(skipSpace(data), []byte(":"))
		if value = skipSpace(value); found && len(value) > 0 && value[0] != 'n' {
			return true
		}
	}
}

func skipSpace(b []byte) []byte {
	for len(b) > 0 && (b[0] == ' ' || b[0] == '\n' || b[0] == '\r' || b[0] == '\t') {
		b = b[1:]
	}
	return b
}
