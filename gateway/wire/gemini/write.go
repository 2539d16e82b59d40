package gemini

import (
	"relay/gateway/wire"
	"relay/gateway/wire/hub"
)

// encoder writes one answer for a caller.
type encoder struct {
	speech
	array bool   // the stream is a JSON array
	begun bool   // and has begun
	about []byte // what stands behind the candidates of every chunk
}

// Encoder returns a writer of chunks as server-sent events, and of whole answers.
// Lines end in LF, which all clients read.
func (Hub) Encoder(r *hub.Reply) hub.Encoder { return newEncoder(r) }

// Encoder returns a writer of the elements of an array, and of whole answers.
func (HubArray) Encoder(r *hub.Reply) hub.Encoder {
	e := newEncoder(r)
	e.array = true
	return e
}

func newEncoder(r *hub.Reply) *encoder {
	e := &encoder{}
	if r.Request != nil {
		summary := r.Request.Reasoning.Summary
		e.thoughts = summary != "" && summary != "none"
	}
	e.about = wire.AppendText(e.about, `,"modelVersion":`, r.Model)
	e.about = wire.AppendText(e.about, `,"responseId":`, r.ID)
	return e
}

const (
	candidateBegins = `{"candidates":[{"content":{"role":"model","parts":[`
	candidateEnds   = `]},"index":0}]`
)

// Append writes a chunk for every step that can be told as one. A call waits until
// it is whole.
func (e *encoder) Append(dst []byte, event hub.Event) []byte {
	if event.Kind == hub.EventFinish {
		return e.finish(dst, &event)
	}
	start := len(dst)
	dst = e.begin(dst)
	parts := len(dst)
	if dst = e.take(dst, &event); len(dst) == parts {
		return dst[:start]
	}
	e.begun = true
	dst = append(append(append(dst, candidateEnds...), e.about...), '}')
	if e.array {
		return dst
	}
	return append(dst, "\n\n"...)
}

// begin begins a chunk.
func (e *encoder) begin(dst []byte) []byte {
	switch {
	case !e.array:
		dst = append(dst, "data: "...)
	case e.begun:
		dst = append(dst, ",\n"...)
	default:
		dst = append(dst, '[')
	}
	return append(dst, candidateBegins...)
}

// finish writes the last chunk, and the end of an array.
func (e *encoder) finish(dst []byte, event *hub.Event) []byte {
	dst = e.begin(dst)
	dst = e.rest(dst)
	dst = e.end(dst, event.Reason, event.Usage)
	if e.array {
		return append(dst, "\n]"...)
	}
	return append(dst, "\n\n"...)
}

// end writes what stands behind the parts of the last chunk or a whole answer.
// Clients want at least one part.
func (e *encoder) end(dst []byte, reason hub.Reason, u *wire.Usage) []byte {
	if dst[len(dst)-1] == '[' {
		dst = append(dst, `{"text":""}`...)
	}
	dst = wire.AppendText(dst, `]},"finishReason":`, finishReason(reason))
	dst = append(dst, `,"index":0}]`...)
	if u != nil {
		dst = appendUsage(dst, u)
	}
	return append(append(dst, e.about...), '}')
}

// finishReason returns the reason in Google's words. Calls end with STOP, an
// answer that may go on is incomplete.
func finishReason(reason hub.Reason) string {
	switch reason {
	case hub.ReasonLength, hub.ReasonPause:
		return "MAX_TOKENS"
	case hub.ReasonFilter, hub.ReasonRefusal:
		return "SAFETY"
	}
	return "STOP"
}

// appendUsage writes usageMetadata, which counts thoughts beside the candidates
// and what was cached within the prompt. What is 0 is left out, as Google does,
// but for the three that everybody looks for.
func appendUsage(dst []byte, u *wire.Usage) []byte {
	dst = wire.AppendNumber(dst, `,"usageMetadata":{"promptTokenCount":`, u.Prompt())
	dst = wire.AppendNumber(dst, `,"candidatesTokenCount":`, u.Output-u.Reasoning)
	dst = wire.AppendNumber(dst, `,"totalTokenCount":`, u.Prompt()+u.Output+u.ServerToolUseInput)
	for _, more := range [...]struct {
		before string
		n      int64
	}{
		{`,"cachedContentTokenCount":`, u.CacheRead},
		{`,"thoughtsTokenCount":`, u.Reasoning},
		{`,"toolUsePromptTokenCount":`, u.ServerToolUseInput},
	} {
		if more.n > 0 {
			dst = wire.AppendNumber(dst, more.before, more.n)
		}
	}
	return append(dst, '}')
}
