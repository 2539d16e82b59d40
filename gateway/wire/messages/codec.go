// Package messages is the codec of Anthropic messages
// (https://docs.claude.com/en/api/messages), as Anthropic and the servers speak
// it that follow its lead.
package messages

import (
	"time"

	"relay/gateway/wire"
)

// Codec reads and writes messages. It implements wire.Codec.
type Codec struct{}

var _ wire.Codec = Codec{}

// Shape returns anthropic.
func (Codec) Shape() string { return "anthropic" }

// WantsUsage returns true: every stream reports its usage.
func (Codec) WantsUsage([]byte, *wire.Members) bool { return true }

// AskUsage returns no edit, since nothing need be asked for.
func (Codec) AskUsage([]byte, *wire.Members) (wire.Edit, bool) { return wire.Edit{}, false }

// Terminal returns nothing: the upstream's message_stop goes on as it came.
func (Codec) Terminal() string { return "" }

// KeepAlive returns a ping, as upstreams send them.
func (Codec) KeepAlive() string { return "event: ping\ndata: {\"type\": \"ping\"}\n\n" }

// StreamType returns text/event-stream.
func (Codec) StreamType() string { return wire.ContentTypeEvent }

// Framing returns that of the content type.
func (Codec) Framing(contentType string) wire.Framing { return wire.FramingOf(contentType) }

// Complete reports whether message_stop has come. Without it a stream is cut
// off, whatever came before.
func (Codec) Complete(t *wire.Tap) bool { return t.Done }

// AppendModels writes the list form of GET /v1/models, all models on one page.
func (c Codec) AppendModels(dst []byte, models []wire.Model) []byte {
	dst = append(dst, `{"data":[`...)
	for i, model := range models {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = c.AppendModel(dst, model)
	}
	first, last := "", ""
	if len(models) > 0 {
		first, last = models[0].ID, models[len(models)-1].ID
	}
	dst = wire.AppendTextOrNull(dst, `],"has_more":false,"first_id":`, first)
	dst = wire.AppendTextOrNull(dst, `,"last_id":`, last)
	return append(dst, '}')
}

// AppendModel writes one model.
func (Codec) AppendModel(dst []byte, model wire.Model) []byte {
	name := model.DisplayName
	if name == "" {
		name = model.ID
	}
	dst = wire.AppendText(dst, `{"type":"model","id":`, model.ID)
	dst = wire.AppendText(dst, `,"display_name":`, name)
	dst = append(dst, `,"created_at":"`...)
	dst = time.Unix(model.Created, 0).UTC().AppendFormat(dst, time.RFC3339)
	return append(dst, `"}`...)
}
