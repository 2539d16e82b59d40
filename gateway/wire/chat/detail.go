package chat

import (
	"bytes"

	"relay/gateway/wire"
	"relay/gateway/wire/hub"
)

// detail is an element of reasoning_details, the member of a message in which
// several vendors of this shape keep what they need of their thoughts. In those
// that Relay writes the format is SHAPE/PROVIDER of where the opaque part is from,
// and the part is
//
//   - the signature of a reasoning.text, which holds the thought too
//   - the data of a reasoning.encrypted; with the id of a call, its signature
//
// What does not fit in either is sealed. Formats of other vendors have no slash. A
// stream tells all details in one chunk.
type detail struct{ kind, text, summary, signature, data, id, format hub.Text }

const (
	detailText      = "reasoning.text"
	detailEncrypted = "reasoning.encrypted"
)

func readDetail(value []byte) (d detail) {
	for name, value := range hub.Members(value) {
		if slot := d.slot(name); slot != nil {
			*slot, _ = hub.TextOf(value)
		}
	}
	return d
}

func (d *detail) slot(name []byte) *hub.Text {
	switch string(name) {
	case "type":
		return &d.kind
	case "text":
		return &d.text
	case "summary":
		return &d.summary
	case "signature":
		return &d.signature
	case "data":
		return &d.data
	case "id":
		return &d.id
	case "format":
		return &d.format
	}
	return nil
}

// thought returns the text of the detail.
func (d *detail) thought() hub.Text {
	if len(d.text) > 0 {
		return d.text
	}
	return d.summary
}

// opaque returns the opaque part of a detail that Relay has written, as the caller
// sends it back. There is none in one of another vendor: nobody can tell to whom
// it may go.
func (d *detail) opaque() hub.Opaque {
	own, data := hub.Opaque{ID: d.id, Kind: hub.OpaqueEncrypted}, d.data
	if d.kind.Is(detailText) {
		own.Kind, data = hub.OpaqueSignature, d.signature
	}
	if at, provider, ours := bytes.Cut(d.format.Plain(), []byte("/")); ours {
		own.Shape, own.Provider = string(at), string(provider)
	}
	if len(data) == 0 {
		return hub.Opaque{}
	}
	return hub.Unseal(data, own)
}

// unsigned is what a thought has to which nothing belongs: a detail by which a
// message that holds thoughts of other hosts is known again, see Hub.Returns.
func unsigned() hub.Opaque { return hub.Opaque{Shape: "relay", Data: hub.Unsigned()} }

// isOurs reports whether the value of a member, of which the colon has not been
// read yet, is a format that Relay writes.
func isOurs(value []byte) bool {
	value, quoted := bytes.CutPrefix(bytes.TrimLeft(value, " \t\r\n:"), []byte{'"'})
	at, _, found := bytes.Cut(value[:min(len(value), longestFormat)], []byte{'/'})
	switch string(bytes.TrimSuffix(at, []byte{'\\'})) { // some write / with an escape
	case "openai", "openai_responses", "anthropic", "gemini", "ollama", "relay":
		return quoted && found
	}
	return false
}

// longestFormat is more than how long a format is up to its slash.
const longestFormat = 32

// appendDetail writes an opaque part for the caller to send back, with the thought
// or the id of the call that it belongs to. index tells it apart in its message.
func appendDetail(dst []byte, o *hub.Opaque, thought, callID hub.Text, index int) []byte {
	id := o.ID
	switch {
	case len(callID) > 0:
		id = callID
		dst = o.Data.AppendAfter(dst, `{"type":"`+detailEncrypted+`","data":`)
	case o.Kind == hub.OpaqueSignature:
		dst = thought.AppendAfter(dst, `{"type":"`+detailText+`","text":`)
		dst = o.Data.AppendAfter(dst, `,"signature":`)
	case o.Kind == hub.OpaqueEncrypted:
		dst = o.Data.AppendAfter(dst, `{"type":"`+detailEncrypted+`","data":`)
	default:
		dst = o.Seal().AppendAfter(dst, `{"type":"`+detailEncrypted+`","data":`)
	}
	if len(id) > 0 {
		dst = id.AppendAfter(dst, `,"id":`)
	}
	dst = wire.AppendText(dst, `,"format":`, o.Shape+"/"+o.Provider)
	return append(wire.AppendNumber(dst, `,"index":`, int64(index)), '}')
}
