package chat

import (
	"relay/gateway/wire"
	"relay/gateway/wire/hub"
)

// opaque keeps what belongs to a thought or to a call. What belongs to a text has
// no place in this shape.
func (w *writer) opaque(o *hub.Opaque) {
	if w.open != hub.PartReasoning && w.open != hub.PartCall || len(w.details)+len(o.Data) > hub.MostHeld {
		return
	}
	if w.told > 0 {
		w.details = append(w.details, ',')
	}
	w.details = appendDetail(w.details, o, w.thought, w.call, w.told)
	w.told++
	w.signed = true
}

// end ends a part. A thought has a detail in any case.
func (w *writer) end() {
	if w.open == hub.PartReasoning && len(w.thought) > 0 && !w.signed {
		none := unsigned()
		w.opaque(&none)
	}
}

// finish writes the details, why the answer ends, its usage for callers that ask
// for it, and the terminal event. The details are one chunk: of members that they
// do not know some SDKs keep the last piece alone.
func (w *writer) finish(dst []byte, e hub.Event) []byte {
	if w.told > 0 {
		dst = append(append(w.before(dst), `"reasoning_details":[`...), w.details...)
		dst = append(append(dst, ']'), afterDelta...)
	}
	dst = append(w.before(dst), `},"finish_reason":"`...)
	dst = append(append(dst, w.reasonOf(e.Reason)...), afterLast...)
	if e.Usage != nil && w.reply.Request.WantsUsage {
		dst = append(w.identity(append(dst, "data: "...), ".chunk"), `[],"usage":`...)
		dst = append(appendUsage(dst, e.Usage), "}\n\n"...)
	}
	return append(dst, Codec{}.Terminal()...)
}

// reasonOf returns the word for why an answer ends. One in which the model has told
// its refusal ends with stop, as OpenAI's do. One that was paused is as incomplete
// as one that met its limit.
func (w *writer) reasonOf(r hub.Reason) string {
	switch {
	case r == hub.ReasonLength, r == hub.ReasonPause:
		return "length"
	case r == hub.ReasonCalls:
		return "tool_calls"
	case r == hub.ReasonFilter, r == hub.ReasonRefusal && !w.refused:
		return "content_filter"
	}
	return "stop"
}

// appendUsage writes the usage. Cached tokens are a part of the prompt here.
func appendUsage(dst []byte, u *wire.Usage) []byte {
	dst = wire.AppendNumber(dst, `{"prompt_tokens":`, u.Prompt())
	dst = wire.AppendNumber(dst, `,"completion_tokens":`, u.Output)
	dst = wire.AppendNumber(dst, `,"total_tokens":`, u.Prompt()+u.Output)
	dst = wire.AppendNumber(dst, `,"prompt_tokens_details":{"cached_tokens":`, u.CacheRead)
	if u.CacheCreation > 0 {
		dst = wire.AppendNumber(dst, `,"cache_write_tokens":`, u.CacheCreation)
	}
	dst = wire.AppendNumber(dst, `},"completion_tokens_details":{"reasoning_tokens":`, u.Reasoning)
	return append(dst, "}}"...)
}
