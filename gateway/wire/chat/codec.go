// Package chat holds the codecs of OpenAI chat completions
// (https://platform.openai.com/docs/api-reference/chat) and of the embeddings
// beside them, as OpenAI and the many servers speak them that follow its lead.
package chat

import "relay/gateway/wire"

// Codec reads and writes chat completions. It implements wire.Codec.
type Codec struct{}

var _ wire.Codec = Codec{}

// Shape returns openai.
func (Codec) Shape() string { return "openai" }

// Terminal returns the event that ends a stream. Servers write it in several
// ways, twice among them; callers get this one.
func (Codec) Terminal() string { return "data: [DONE]\n\n" }

// KeepAlive returns a comment line. The block that follows it must be empty,
// or clients would wait for its end.
func (Codec) KeepAlive() string { return ": keep-alive\n\n" }

// StreamType returns text/event-stream.
func (Codec) StreamType() string { return wire.ContentTypeEvent }

// Framing returns that of the content type.
func (Codec) Framing(contentType string) wire.Framing { return wire.FramingOf(contentType) }

// Complete reports whether the stream was whole. Some servers leave the
// terminal event out; every choice then has told its finish_reason.
func (Codec) Complete(t *wire.Tap) bool { return t.Done || t.Finished() }

// Status returns the error's own.
func (Codec) Status(e *wire.Error) int { return e.Status }

// AppendErrorEvent writes {"error":{…}} as an event.
func (c Codec) AppendErrorEvent(dst []byte, e *wire.Error) []byte {
	dst = append(dst, "data: "...)
	dst = c.AppendError(dst, e)
	return append(dst, "\n\n"...)
}

// AppendError writes {"error":{"message","type","code","param"}}, and in it
// rate_limit where a limit refused.
func (Codec) AppendError(dst []byte, e *wire.Error) []byte {
	dst = wire.AppendText(dst, `{"error":{"message":`, e.Message)
	dst = wire.AppendText(dst, `,"type":`, e.Type)
	dst = wire.AppendTextOrNull(dst, `,"code":`, e.Code)
	dst = wire.AppendTextOrNull(dst, `,"param":`, e.Param)
	if e.RateLimit != nil {
		dst = appendRateLimit(dst, e.RateLimit)
	}
	return append(dst, "}}"...)
}

func appendRateLimit(dst []byte, r *wire.RateLimit) []byte {
	dst = wire.AppendText(dst, `,"rate_limit":{"name":`, r.Name)
	dst = wire.AppendText(dst, `,"meter":`, r.Meter)
	dst = wire.AppendNumberOrNull(dst, `,"window":`, r.Window)
	dst = wire.AppendNumber(dst, `,"amount":`, r.Amount)
	dst = wire.AppendNumber(dst, `,"used":`, r.Used)
	dst = wire.AppendText(dst, `,"scope":`, r.Scope)
	dst = wire.AppendNumberOrNull(dst, `,"shared_by":`, int64(r.SharedBy))
	dst = wire.AppendNumberOrNull(dst, `,"retry_after":`, wire.RetrySeconds(r.RetryAfter))
	return append(dst, '}')
}

// AppendModels writes the list form of GET /v1/models.
func (c Codec) AppendModels(dst []byte, models []wire.Model) []byte {
	dst = append(dst, `{"object":"list","data":[`...)
	for i, model := range models {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = c.AppendModel(dst, model)
	}
	return append(dst, "]}"...)
}

// AppendModel writes one model.
func (Codec) AppendModel(dst []byte, model wire.Model) []byte {
	dst = wire.AppendText(dst, `{"id":`, model.ID)
	dst = wire.AppendNumber(dst, `,"object":"model","created":`, model.Created)
	dst = wire.AppendText(dst, `,"owned_by":`, model.OwnedBy)
	return append(dst, '}')
}
